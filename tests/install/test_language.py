"""Phrases that readers stumble over are found in pages, messages, docstrings and templates."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check(*paths):
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / "language.py"), *map(str, paths)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("page.md", "# Title\n\nThe key stands\ntwice, and the run goes on where it stopped.\n", {3, 4}),
        ("page.md", "`stands twice`\n```text\nNobody.\n```\nStandard amendments.\n", set()),
        ("page.md", "Those of others, [too](those of).\n", {1}),
        ("module.py", '"""One and\nthe same."""\n\nkey = "nobody"\nshown = f"{key} tells apart"\n', {1}),
        ("module.py", "def f(x: int) -> str:\n    return f'{x} is mended'  # nobody\n", {2}),
        ("text.html.j2", "{# nobody #}\n{% if nobody %}\n<b>Nobody</b> {{ nobody }}{% endif %}", {3}),
    ],
)  # fmt: skip
def test_phrases_are_found_with_their_line(tmp_path, name, text, found):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    done = check(path)
    lines = {int(line.removeprefix(f"{path}:").split(":")[0]) for line in done.stderr.splitlines()}
    assert lines == found
    assert done.returncode == bool(found)
    assert done.stderr.count("(write: ") == len(done.stderr.splitlines())
