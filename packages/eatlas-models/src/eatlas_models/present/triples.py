"""LMS, SS and ICAT of triples of sentences: one table for the terminal and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eatlas.numbers import UNDEFINED, interval, p_value
from eatlas.present.account import Account
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.rendering import phrase
from eatlas.present.text import one_line
from eatlas.results import AssociationResult
from eatlas_models.results.cat import Score

PLACES = 1
"""Decimals of percentages."""
ALL = "All triples"


def triples_table(result: AssociationResult) -> Table:
    """A row for each type and one for all triples."""
    rows = [
        _row(name, subjects, ss, lms, icat, strong=name == ALL)
        for name, subjects, lms, ss, icat in _scores(result)
    ]
    heads = ("Subjects", "LMS", "p of LMS", "SS", "p of SS", "ICAT")
    columns = (Column("Type"), *(Column(head, number=True) for head in heads))
    return Table("triples", columns, tuple(rows))


def _scores(result: AssociationResult) -> list[tuple[str, int, Score, Score, Score]]:
    """Name and subjects of each type with LMS, SS and ICAT; those of all triples are last."""
    of: Any = result  # a CATResult
    whole = Score(value=of.value, interval=of.interval, p=of.p_values.two_sided)
    return [
        (t.term, t.subjects, t.lms, Score(value=t.value, interval=t.interval, p=t.p), t.icat)
        for t in of.targets
    ] + [(ALL, of.subject_count, of.lms, whole, of.icat)]


def _row(
    name: str, subjects: int, ss: Score, lms: Score, icat: Score, *, strong: bool = False
) -> tuple[Cell, ...]:
    return (
        Cell((one_line(name),), strong=strong),
        Cell((f"{subjects:,}",)),
        _number(lms),
        _p(lms),
        _number(ss),
        _p(ss),
        _number(icat),
    )


def _number(score: Score) -> Cell:
    """A score, and its interval on a second line if there is one."""
    ends = [interval(score.interval, PLACES)] if score.interval else []
    return Cell((f"{score.value:.{PLACES}f}", *ends), value=score.value)


def _p(score: Score) -> Cell:
    return Cell((UNDEFINED if score.p is None else p_value(score.p),))


def _tables(results: Sequence[AssociationResult]) -> list[Table]:
    return [triples_table(result) for result in results]


def _statements(result: AssociationResult) -> list[tuple[str, str]]:
    """The scores of each type and of all triples, and how to read them."""
    said = []
    for name, _, *scores in _scores(result):
        texts = [
            f"{title} {score.value:.{PLACES}f}"
            + (f" {interval(score.interval, PLACES)}" if score.interval else "")
            + ("" if score.p is None else f" (p = {p_value(score.p)})")
            for title, score in zip(("LMS", "SS", "ICAT"), scores, strict=True)
        ]
        said.append((f"{name}.", "; ".join(texts)))
    return [*said, ("Scores.", phrase("sentence_triples", "over", result))]


ACCOUNT = Account("LMS, SS and ICAT", _statements, _tables)
