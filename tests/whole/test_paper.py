"""The paper has the form of its journal, and the numbers of the documentation."""

import re

import pytest
import yaml
from tests.inputs import ROOT

PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
_, FRONT, TEXT = PAPER.split("---\n", 2)


def test_its_front_matter_and_sections_are_those_of_the_journal():
    front = yaml.safe_load(FRONT)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == set(front)
    indices = {each["index"] for each in front["affiliations"]}
    assert {each["affiliation"] for each in front["authors"]} <= indices
    assert re.findall(r"(?m)^# (.+)$", TEXT) == [
        "Summary", "Statement of need", "State of the field", "What is new", "Software design",
        "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
    ]  # fmt: skip
    assert 750 <= len(TEXT.split()) <= 1750


def test_each_citation_is_in_the_bibliography_and_each_entry_is_cited():
    bibliography = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    entries = set(re.findall(r"(?m)^@\w+\{(\w+),", bibliography))
    assert set(re.findall(r"@([a-z]+\d{4}[a-z]+)", TEXT)) == entries


@pytest.mark.parametrize(
    ("in_paper", "page", "on_page"),
    [
        ("356 of 369 numbers of five publications", "README.md", "356 of 369 numbers"),
        ("take 1.2 ms", "docs/performance.md", "1.2 ms"),
        ("one tail in 96 ms", "docs/performance.md", "one tail in 96 ms"),
        ("at most 6.3% of tests", "docs/evidence/claims.md", ".063"),
        ("at most 5% of reports", "docs/evidence/claims.md", "in at most 5% of reports"),
        ("in about half of\nthe tests", "docs/evidence/claims.md", "50% to 55% of effects"),
        ("12,870 divisions", "docs/performance.md", "12,870 subsets"),
    ],
)
def test_its_numbers_are_those_of_the_documentation(in_paper, page, on_page):
    assert in_paper in TEXT
    assert on_page in (ROOT / page).read_text(encoding="utf-8")
