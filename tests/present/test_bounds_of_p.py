"""A p-value of which only bounds are known says so wherever it is shown."""

from __future__ import annotations

import html

import pytest
from tests.present.records import ml_eat, weat

from eatlas.present import report_html
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import p_equals, p_value
from eatlas.present.sentences import sentence
from eatlas.present.tables import report_table
from eatlas.results import Results
from eatlas.results.levels import PValues


def bracketed(result, **bounds):
    """The same with p-values of level 1 of which bounds alone are known."""
    p = result.level1.p.model_dump() | {"method": "bracket", "count": None, "bracket": bounds}
    p |= {tail: high for tail, (_, high) in bounds.items()}
    level = result.level1.model_copy(update={"p": PValues.model_validate(p)})
    return result.model_copy(update={"level1": level})


@pytest.fixture
def coarse():
    bounds = {"greater": (1e-6, 0.001), "less": (0.9, 1.0), "two_sided": (0.015, 0.26)}
    return Results([bracketed(ml_eat("BY-Singular", d=1.72), **bounds)])


@pytest.mark.parametrize(
    ("low", "high", "text", "words"),
    [
        (0.012, 0.031, "≤ .031", "p ≤ .031"),
        (0.12, 0.43, "[.12, .43]", "p in [.12, .43]"),
        (0.012, 0.43, "[.012, .43]", "p in [.012, .43], undecided"),
        (5e-324, 1.0, "[0, 1]", "p in [0, 1], undecided"),
        (5e-324, 0.001, "≤ .0010", "p ≤ .0010"),
        (0.3, 0.997, "[.30, 1]", "p in [.30, 1]"),
        (0.993, 1.0, "> .99", "p > .99"),
        (0.21701, 0.21702, ".22", "p = .22"),
        (0.04996, 0.05004, "[.04996, .050]", "p in [.04996, .050], undecided"),
    ],
)
def test_bounds_in_digits_and_in_words(low, high, text, words):
    assert p_value(high, 0.05, low) == text
    assert p_equals(high, 0.05, low) == words


def test_bounds_are_shown_wherever_p_is(coarse):
    assert "(d = 1.72, p ≤ .0010)" in sentence(coarse[0])
    page = html.unescape(report_html(coarse)).replace("\N{NO-BREAK SPACE}", " ")
    for text in ("≤ .0010", "[.015, .26]", "known by certain bounds alone"):
        assert text in page
    table = report_table(coarse, "latex")
    for text in (r"$\leq$ .0010", "{[}.015, .26{]}", "certain bounds alone"):
        assert text in table


def test_one_bracketed_member_bounds_the_adjusted_p_of_all():
    exact, other = (weat(d=1.0, greater=200, test=name) for name in ("one", "two"))
    bounds = {"greater": (0.001, 0.3), "less": (0.7, 1.0), "two_sided": (0.002, 0.5)}
    results = Results((exact, bracketed(other, **bounds)))
    family = results.family("level1")
    p = exact.level1.p.two_sided
    assert [m.adjusted for m in family] == pytest.approx([2 * p, 0.5])
    assert [m.adjusted_low for m in family] == pytest.approx([p, 0.004])
    assert [m.p_low for m in family] == [None, 0.002]
    declared = DeclaredFamily.of(results)
    (effect,) = results[1].effects()
    assert declared.adjusted(results[1], effect) == pytest.approx((0.5, 0.004))
    assert results.family("level1").to_frame()["adjusted_low"].tolist() == pytest.approx([p, 0.004])
