import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.present.records import full
from tests.present.tables.reading import markdown_tables

from eatlas.present import report_table
from eatlas.present.tables import markdown_text as escape
from eatlas.present.text import one_line


@settings(max_examples=10)
@given(st.lists(st.text(), min_size=1, max_size=6))
def test_every_text_stands_in_a_cell_as_it_is(texts):
    lines = [one_line(text) for text in texts]
    rows = "".join(f"| {escape(line)} | end |\n" for line in lines)
    ((_, *read),) = markdown_tables(f"| a | b |\n| --- | --- |\n{rows}")
    assert read == [[line, "end"] for line in lines]


@pytest.mark.parametrize(
    "text",
    ["a|b", "\\|", "<b>&amp;", "*a* _b_ `c`", "[x](y)", "$a$", "@me", "#12", ":smile:", "~~a~~"],
)
def test_what_github_would_read_otherwise(text):
    ((_, row),) = markdown_tables(f"| a |\n| --- |\n| {escape(text)} |\n")
    assert row == [text]


def test_mathematics_people_issues_and_smileys_are_kept_apart():
    assert escape("$@#") == "<span>$</span><span>@</span><span>#</span>"
    assert escape(":smile: two: three") == "<span>:</span>smile: two: three"


def test_the_table_of_a_paper():
    text = report_table([full(two_sided_label="A-Uniform")], "markdown")
    assert text.startswith("**1 result of ML-EAT(alpha=0.05,ddof=1,p=auto,tail=directional,")
    ((head, row),) = markdown_tables(text)
    assert head == [
        "Test", "Concepts", "Level 1\nd", "Level 1\nHolm", "Level 2, X\nd", "Level 2, Y\nd",
        "p at level 1\nthese words", "p at level 1\nnew words",
        "p at level 1\nadjusted for frequency", "Verdict",
        "Level 3\nX, A", "Level 3\nX, B", "Level 3\nY, A", "Level 3\nY, B",
        "EAT pattern (paper's rule)",
    ]  # fmt: skip
    assert row == [
        "test-1", "Flowers / Insects\nPleasant / Unpleasant", "1.40*\n[1.00, 1.70]\n.0078\n(.016)",
        ".016", "0.90*\n[0.50, 1.20]\n.0078\n(.016)", "0.10\n.46\n(.92)", ".016", "–", "–",
        "these word lists only\ngeneralisation cannot be\ntested (too few words)",
        *["0.10\n(0.05)"] * 4, "AX-Singular\ntwo-sided:\nA-Uniform\nbootstrap: 75%",
    ]  # fmt: skip
    for note in (
        "Concepts: X / Y, and below them A / B.",
        "In brackets: 95% interval over bootstrap samples.",
        "Holm: two-sided p, adjusted over one level 1 comparison.",
    ):
        assert note in text
