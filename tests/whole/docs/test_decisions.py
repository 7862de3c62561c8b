"""Decisions are pages of one form, of one screen, numbered without a gap, and all are in the list."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "docs/decisions"
PAGES = sorted(FOLDER.glob("0*.md"))
SECTIONS = ["Context", "Decision", "Consequences", "Rejected"]
FEWEST, MOST = 150, 300
"""Words of a page, its title included."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_decision_has_a_status_and_four_sections_on_one_screen(path):
    page = path.read_text(encoding="utf-8")
    number = int(path.name[:4])
    assert re.match(rf"# {number}\. \S.*\n\nStatus: (accepted|replaced by \[.*\]\(.*\)), ", page)
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == SECTIONS
    assert FEWEST <= len(page.split()) <= MOST


def test_all_are_numbered_and_listed():
    assert [int(path.name[:4]) for path in PAGES] == list(range(1, len(PAGES) + 1))
    listed = dict(
        re.findall(r"- \[(.+)\]\((0.+)\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    )
    titles = [
        path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ") for path in PAGES
    ]
    assert listed == dict(zip(titles, [path.name for path in PAGES], strict=True))
