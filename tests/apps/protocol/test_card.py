"""A card as text and drawing: numbers for people, places on an axis, nothing unescaped."""

from __future__ import annotations

import re

import pytest

from eatlas.apps.protocol.card import card_html, figure_text, lines_of, number
from eatlas.apps.protocol.evidence import Card, Drawing, Evidence, Figure, Mark, Table
from eatlas.apps.protocol.marks import marks

HOSTILE = '<script>alert("x")</script>'


def card(*evidence: Evidence) -> Card:
    return Card(
        version="0", measure="mine", title="Mine", signature="MINE()", seed=0, evidence=evidence
    )


def evidence(**found: object) -> Evidence:
    asked = {"criterion": "face", "study": "one", "title": "One", "question": "Is it?"}
    return Evidence(**asked, **found)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (True, "yes"), (False, "no"), ("word", "word"), (1234, "1,234"), (0.0, "0"),
     (2.0, "2"), (-0.126, "−0.13"), (0.0049, "4.9e−3"), (-3e-12, "−3.0e−12")],
)  # fmt: skip
def test_numbers_are_for_people(value: object, text: str) -> None:
    assert number(value) == text  # type: ignore[arg-type]


def test_figures_say_what_is_known() -> None:
    assert figure_text(Figure(name="rho")) == "undefined"
    assert figure_text(Figure(name="rho", text="no")) == "no"
    assert figure_text(Figure(name="rho", value=0.5, low=0.25, high=0.75)) == "0.50 [0.25, 0.75]"
    whole = Figure(name="rho", value=0.5, n=8, of="words", p=0.0078125)
    assert figure_text(whole) == "0.50 over 8 words, p = .0078"
    assert figure_text(Figure(name="rho", value=0.5, p=1e-9)) == "0.50, p = 1.0e-9"


def test_marks_lie_where_their_numbers_are() -> None:
    drawn = marks(
        Drawing(
            title="Two", axis="rho", low=-1.0, high=1.0,
            marks=(Mark(label="a", value=0.0), Mark(label="b", value=1.0, low=0.0, high=1.0),
                   Mark(label="c", value=None)),
        )
    )  # fmt: skip
    starts = re.findall(r'<path d="M([\d.]+) [^>]*class="m on"', drawn)
    first, second = (float(x) + 3.8 for x in starts)  # the radius of a circle
    (ends,) = re.findall(r'<path d="M([\d.]+) \d+H([\d.]+)" class="i"', drawn)
    assert tuple(map(float, ends)) == pytest.approx((first, second))
    zero = re.search(r'<path d="M([\d.]+) [^>]*class="fig-zero"', drawn)
    assert zero is not None
    assert float(zero[1]) == pytest.approx(first)
    assert "c: undefined" in drawn


def test_what_a_record_holds_is_escaped() -> None:
    one = evidence(
        source=HOSTILE,
        figures=(Figure(name=HOSTILE, text=HOSTILE),),
        tables=(Table(title=HOSTILE, columns=(HOSTILE,), rows=((HOSTILE,),)),),
        drawings=(
            Drawing(title=HOSTILE, axis=HOSTILE, marks=(Mark(label=HOSTILE, value=1.0),)),
        ),
        remarks=(HOSTILE,),
        citation=HOSTILE,
    )  # fmt: skip
    page = card_html(card(one, evidence(not_run=HOSTILE)))
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert page.count("<script>") == 1


def test_lines_name_only_what_was_asked() -> None:
    lines = list(lines_of(card(evidence(not_run="No source was given."))))
    assert lines == [
        "Mine: MINE()",
        "",
        "Face validity: The measure passes basic sanity checks.",
        "  One: not run. No source was given.",
        "",
        "The verdict is the reader’s.",
    ]
