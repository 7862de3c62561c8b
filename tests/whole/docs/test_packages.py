"""A page whose examples need a package beside the core says so in its first line; so do READMEs."""

import re
from pathlib import Path

import pytest
from tools.docs.examples import blocks

from eatlas.plugins import siblings

ROOT = Path(__file__).parents[3]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
READMES = sorted(ROOT.glob("packages/*/README.md"))
LINE = re.compile(
    r"# .*\n\n(?:This page needs|Some examples on this page need) the packages? "
    r"(?P<packages>eatlas-\w+(?:(?:, | and )eatlas-\w+)*): `pip install '(?:\.|eatlas)\[(?P<extras>[\w,]+)\]'`\.\n"
)


def patterns_of(package: str) -> str:
    """What names a package in examples: its names in Python, its commands, measures and engines."""
    adds = siblings()[package]
    names = "|".join(adds["names"])
    commands = "|".join(command.replace(".", " ") for command in adds["commands"])
    measures = "|".join(adds.get("measures", ["no-measure"]))
    engines = "|".join(adds.get("executors", ["no-engine"]))
    return "|".join(
        (
            rf"\beatlas_{package}\b",
            rf"\beatlas\.(?:{names})\b",
            rf"from eatlas import .*\b(?:{names})\b",
            rf"measures?=.*[\"'](?:{measures})[\"'(]",
            rf"^ *eatlas (?:{commands})\b",
            rf"--measure [\"']?(?:{measures})(?![\w-])",
            rf"--engine (?:{engines})\b",
        )
    )


PATTERNS = {package: re.compile(patterns_of(package), re.MULTILINE) for package in siblings()}


def needed(page: str) -> set[str]:
    """Packages whose names are in the examples of a page."""
    code = "\n".join(b.text for b in blocks(page) if b.language in {"python", "sh", "shell"})
    return {package for package, pattern in PATTERNS.items() if pattern.search(code)}


def stated(page: str) -> set[str]:
    """Packages that the first line of a page names, once as packages and once to be installed."""
    line = LINE.match(page)
    if line is None:
        return set()
    packages = re.findall(r"eatlas-(\w+)", line["packages"])
    assert packages == line["extras"].split(",") == sorted(packages)
    return {*packages}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_says_in_its_first_line_which_packages_it_needs(path):
    page = path.read_text(encoding="utf-8")
    lost = needed(page) - stated(page)
    assert not lost, f"examples of the page need eatlas-{', eatlas-'.join(sorted(lost))}"


def test_what_a_page_needs_is_seen():
    page = (
        "# Title\n\n```sh\neatlas scan --vectors v.txt\n```\n\n```python\neatlas.views('m')\n```\n"
    )
    assert needed(page) == {"models", "vocabulary"}
    assert needed("# Title\n\n```sh\neatlas run --measure weat\n```\n") == set()
    assert stated(page) == set()
    said = "This page needs the packages eatlas-models and eatlas-vocabulary: `pip install '.[models,vocabulary]'`.\n"
    assert stated(page.replace("\n\n", f"\n\n{said}", 1)) == {"models", "vocabulary"}


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.parent.name)
def test_examples_of_a_package_use_the_package(path):
    assert path.parent.name.removeprefix("eatlas-") in needed(path.read_text(encoding="utf-8"))
