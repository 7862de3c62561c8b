"""Every example of every page runs, and prints what the page shows."""

from pathlib import Path

import pytest
from tools.docs.examples import MismatchError, blocks, check, run_page

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("packages/*/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]  # fmt: skip

DRAWN = {
    "adjusted.md": {"adjusted.svg": "adjusted.svg"},
    "social-scientist.md": {"rank.svg": "tutorial-rank.svg"},
}
"""What the code of a page draws, and the picture that the page shows; if they differ, copy it."""


def with_examples():
    for path in PAGES:
        page, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        if any(block.language == "python" or "eatlas" in block.text for block in blocks(page)):
            model = [pytest.mark.xdist_group("smollm2")] * (path.name == "language-model.md")
            yield pytest.param(path, id=name, marks=model)


@pytest.mark.filterwarnings("always:.* had results of another run")
@pytest.mark.parametrize("path", list(with_examples()))
def test_examples(path, in_a_shell):
    """If only the outputs changed: python tools/docs/write_outputs.py, and look at the diff."""
    for block, printed in run_page(path.read_text(encoding="utf-8")):
        check(block.text, printed)
    for drawn, kept in DRAWN.get(path.name, {}).items():
        expected = (ROOT / "docs/images" / kept).read_text(encoding="utf-8")
        assert (in_a_shell / drawn).read_text(encoding="utf-8") == expected


FENCED = """\
```toml title="deep/a.toml"
schema = 1
```

```python
print("one\\ntwo")
```

```text
one
two
```

<!-- exit 2 -->
```sh
eatlas tests check deep/nowhere.toml
make demo
```

```text
...
  got: No such file or directory
```
"""


def test_a_page_is_run_from_top_to_bottom(in_a_shell):
    shown = [(block.text, printed) for block, printed in run_page(FENCED)]
    assert (in_a_shell / "deep/a.toml").read_text() == "schema = 1\n"
    assert [text for text, _ in shown] == ["one\ntwo\n", "...\n  got: No such file or directory\n"]
    for text, printed in shown:
        check(text, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [("one\n", "one\ntwo\n"), ("one\n...\nfour\n", "one\n"), ("a.c\n", "abc\n"), ("one\n", "")],
)
def test_a_wrong_output_is_seen(shown, printed):
    with pytest.raises(MismatchError, match="but this is printed"):
        check(shown, printed)


def test_a_gap_stands_for_any_lines():
    check("one\n...\nfour\n", "one\ntwo\nthree\nfour\n")
    check("one\n...\n", "one\n")


def test_an_unexpected_exit_code_is_seen(in_a_shell):
    with pytest.raises(MismatchError, match="exit code 2"):
        list(run_page("```sh\neatlas tests check nowhere.toml\n```\n"))


def test_a_wrong_comment_is_seen(in_a_shell):
    list(run_page('```python\nprint("Is")  # Is\nprint(1)  # the lower case explains\n```\n'))
    with pytest.raises(MismatchError, match="a comment says 'Was'"):
        list(run_page('```python\nprint("Is")  # Was\n```\n'))
