"""What is shown of the uncertainty over documents, and over words, in parts of a corpus."""

import re

import pytest
from tests.present.records import ml_eat, planted

from eatlas.cli.table import print_results
from eatlas.present import report_html
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import phrase
from eatlas.present.summaries import bibtex, methods_paragraph
from eatlas.present.tables import notebook_html, report_table
from eatlas.results import Results

NAMES = ("Whig & Democratic", "Republican")


def part(number, level1=(0.9, 1.6), words=(0.4, 1.9), x=(0.3, 0.9), unit="speaker", **changes):
    """A result in the first or second part, with its intervals over documents and over words."""
    differences = [
        {
            "part": NAMES[0], "level": level, "difference": 0.5, "interval": [0.2, 0.8],
            "over_both": [-0.1, 1.1], "p": 0.03,
        }
        for level in ("level1", "level2.X", "level2.Y")
    ]  # fmt: skip
    name = ("Whig%20%26%20Democratic", "Republican")[number]
    documents = {
        "part": NAMES[number], "vectors": "glove.txt", "window": 6, "quality": 0.79, "unit": unit,
        "documents": 40, "blocks": 9, "resamples": 1000, "contexts": {"one": 30, "two": 20},
        "level1": {"interval": level1, "se": 0.2},
        "level2": {"X": {"interval": x, "se": 0.2}, "Y": {"interval": None, "se": None}},
        "differences": differences * number,
    }  # fmt: skip
    of_words = {"se": 0.4, "interval": words}
    uncertainty = {"resamples": 10_000, "confidence": 0.95, "level1": of_words}
    result = ml_eat(
        source=f"parts.npz#{name}", documents=documents, uncertainty=uncertainty, **changes
    )
    of = f"sha256:abc;part={NAMES[number]};targets"
    return result.model_copy(
        update={"provenance": result.provenance.model_copy(update={"source_fingerprint": of})}
    )


def test_a_claim_for_other_words_needs_other_documents_too():
    known = {"words": 0.004, "others": 0.004}
    of = part(1).documents
    told = [
        planted(**known).model_copy(update={"documents": documents}).finding.questions["level2.X"]
        for documents in (of, part(1, x=(-0.1, 0.9)).documents, part(1, x=None).documents)
    ]
    assert [question.verdict for question in told] == ["supported", "these words", "these words"]
    assert {question.reason for question in told[1:]} == {"not shown to hold for other documents"}
    assert [question.facets for question in told] == [("words", "documents"), (), ()]


@pytest.mark.parametrize(
    ("documents", "words", "said"),
    [
        ((0.9, 1.6), (0.4, 1.9), "both exclude 0"),
        ((-0.1, 1.6), (-0.4, 1.9), "neither excludes 0"),
        (
            (0.9, 1.6),
            (-0.4, 1.9),
            "the interval over documents excludes 0, the interval over words does not; the "
            "uncertainty about words is larger",
        ),
        (
            (-0.9, 2.6),
            (0.4, 1.9),
            "the interval over words excludes 0, the interval over documents does not; the "
            "uncertainty about documents is larger",
        ),
        (None, (0.4, 1.9), "There are too few documents for an interval of d at level 1"),
    ],
)
def test_whether_both_kinds_of_uncertainty_agree(documents, words, said):
    text = phrase("documents", "statement", part(0, documents, words, unit="documents"))
    assert text.startswith("40 documents, 50 contexts of the test's words.")
    assert said in text


def test_where_it_is_shown(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    results = Results([part(0), part(1)])
    print_results(results)
    terminal = capsys.readouterr().out
    assert "Whig & Democratic" in terminal
    assert "%26" not in terminal
    between = (
        r"Republican minus Whig & Democratic +0\.50\* +\[0\.20, 0\.80\] +\[−0\.10, 1\.10\] +\.030"
    )
    assert re.search(between, terminal)
    doubts = r"Republican +1\.40 +\[0\.40, 1\.90\] +\[0\.90, 1\.60\] +agree +40 \(9\) +50"
    assert re.search(doubts, terminal)
    markdown = report_table(results, "markdown")
    assert r"documents \[0.90, 1.60\]" in markdown
    assert r"minus Whig &amp; Democratic | Level 2, X | 0.50\*" in markdown
    assert "Republican" in report_table(results, "latex")
    rows = results.to_frame("all").to_dict("records")
    assert (rows[1]["part"], rows[1]["documents"], rows[1]["document_contexts"]) == (
        "Republican", 40, 50,
    )  # fmt: skip
    assert (rows[1]["documents_low"], rows[1]["documents_high_X"]) == (0.9, 0.9)
    assert (rows[1]["difference_from"], rows[1]["difference_p_Y"]) == (NAMES[0], 0.03)
    page, cell = report_html(results), notebook_html(results)
    assert "Between subcorpora" in page
    assert (
        "Intervals over words and over documents agree on whether d at level 1 may be 0, in both results"
        in page
    )
    assert "computed on equal numbers of contexts, so it is not the difference of the" in page
    assert "documents [0.90, 1.60]" in cell
    text = methods_paragraph(results)
    assert "words within 6 words of its occurrences" in text
    assert "bootstrap samples of units by speaker" in text
    entries = bibtex(results, DeclaredFamily.of(results))
    assert "khodak2018carte" in entries
    assert "rodriguez2023embedding" in entries
    assert "hesterberg2015what" in entries


def test_parts_are_compared_from_either_side():
    for order, sign in ((slice(None), 1), (slice(None, None, -1), -1)):
        compared = Results([part(0), part(1)][order]).compare("source")
        gap = compared[0].difference("level1", 1).known
        assert gap.difference == sign * 0.5
        assert gap.interval == ((-0.1, 1.1) if sign > 0 else (-1.1, 0.1))
        frame = compared.to_frame().query("place == 'level1'")
        assert frame.difference_p.iloc[1] == 0.03
        number = "0.50 [−0.10, 1.10]" if sign > 0 else "−0.50 [−1.10, 0.10]"
        assert f"{number} p = .03" in str(compared)
