"""What a manuscript takes over: methods paragraph, BibTeX of all works it cites, long tables."""

import re

import pytest

import eatlas
from eatlas.present import report_text
from eatlas.present.summaries import _entries, _work


@pytest.fixture(scope="module")
def results():
    return eatlas.run(
        tests=["weat-3", "weat-5", "weat-7", "weat-9"],
        measures="ml-eat(resamples=0)",
        frequency="off",
    )


def keys(results):
    return re.findall(r"^@\w+{([^,]+),$", report_text(results, "bibtex"), re.MULTILINE)


def test_every_work_that_stimuli_name_has_an_entry(results):
    found = keys(results)
    stimuli = {
        "greenwald1998measuring", "bertrand2004emily", "nosek2002harvesting", "monteith2011implicit",
        "caliskan2017semantics",
    }  # fmt: skip
    assert stimuli < set(found)
    assert len(found) == len(set(found))
    assert "nosek2002math" not in found
    assert (
        keys(eatlas.run(tests="weat-8", measures="ml-eat(resamples=0)", frequency="off")).count(
            "nosek2002math"
        )
        == 1
    )
    assert "sweeney2013discrimination" not in found


def test_citations_of_all_tests_are_known():
    """Each author with a year in a citation of a test that comes with eatlas has an entry."""
    known = {_work(entry)[:2] for entry in _entries().values()}
    lacking = set()
    for citation in eatlas.tests()["citation"].drop_duplicates():
        for authors, year in re.findall(r"([A-Z][^;:()]*?)\((\d{4})\)", citation):
            if not any(re.search(rf"\b{author}\b", authors) and year == of for author, of in known):
                lacking.add((authors.strip(), year))
    assert lacking == set()


def test_entries_are_whole():
    for key, entry in _entries().items():
        assert entry.count("{") == entry.count("}"), key
        author, year, title = _work(entry)
        assert author, key
        assert re.fullmatch(r"\d{4}", year), key
        assert title or "{" in entry, key
