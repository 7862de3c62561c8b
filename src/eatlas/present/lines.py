"""The line of each result among the findings of a page, and its row in the table of all numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eatlas.numbers import UNDEFINED, brief_p, effect, interval, number_of
from eatlas.present.blocks import Text, text_of_cell
from eatlas.present.details import PageParts
from eatlas.present.effects import p_heads, without_adjustment
from eatlas.present.findings import NAMES, first_of
from eatlas.present.sections import Section, mark_targets
from eatlas.present.sentences import numbers, statement
from eatlas.results.questions import further_reason

if TYPE_CHECKING:
    from eatlas.present.columns import Table

NAMED = 4
"""Words that a finding is sensitive to and that its line names."""
BETWEEN = " · "


def heads_of(sections: Sequence[Section]) -> dict[str, str]:
    """Heads of the columns of p-values next to the findings."""
    if any(section.has_tests for section in sections):
        return p_heads(section.result for section in sections)
    has_questions = any(section.finding.questions for section in sections)
    return {"these": "these words"} if has_questions else {}


def lines_of(
    sections: Sequence[Section], page: PageParts, heads: Mapping[str, str], part: slice
) -> list[dict[str, Any]]:
    """What the lines of a part of the findings show, with the results before and after each."""
    steps: list[Any] = [
        (section.anchor, section.settings.label(section.result)) for section in sections
    ]
    around = list(zip([None, *steps], [*steps[1:], None], strict=False))
    return [
        {**_line_of(section, page, heads), "step": step}
        for section, step in zip(sections[part], around[part], strict=True)
    ]


def _line_of(section: Section, page: PageParts, heads: Mapping[str, str]) -> dict[str, Any]:
    """The sentences of a result, what it is of, its drawing and its p-values."""
    result, shown = section.result, section.finding
    others = list(shown.questions.values())[1:]
    sentences = [first_of(shown), *(question.sentence for question in others)]
    left, right, drawing = page.row(section)
    sizes = [
        f"{row.title}: d = {effect(row.d)}{f' {interval(row.interval)}' if row.interval else ''}; "
        for row in section.levels
        if row.symbol == "d"
    ]
    return {
        "anchor": section.anchor,
        "test": result.test,
        "setting": section.settings.of(result),
        "verdict": NAMES[shown.verdict],
        "source": section.source_name,
        "mini": page.draw("finding", shown) if result.pattern is not None else None,
        "sentences": [mark_targets(sentence, result) for sentence in sentences],
        "meta": _meta(section, sides=not left),
        "sizes": "".join(sizes),
        "ends": [left, right] if left or right else [],
        "drawing": drawing,
        "numbers": [] if section.has_tests else numbers(result),
        **_p_values(section, heads),
    }


def _meta(section: Section, *, sides: bool) -> Text:
    """What a finding is of: verdict, test, setting, and what a reader should know."""
    result, words = section.result, section.finding.sensitive_to
    parts: list[Text] = [
        {"b.verdict": NAMES[section.finding.verdict]},
        {"span.id": result.test},
    ]
    if setting := section.settings.of(result):
        parts.append({"b": setting})
    if sides:
        names = [[" / ", {"bdi": name}] for name in result.sides[-1]]
        parts.append([part for pair in names for part in pair][1:])
    if published := statement("published_brief", result):
        parts.append({"span.nb": published})
    if words:
        names_of_words = ", ".join(words) if len(words) <= NAMED else number_of(len(words), "word")
        parts.append(f"sensitive to {names_of_words}")
    if result.warnings:
        parts.append({"span.nb": number_of(len(result.warnings), "note")})
    return [part for between in parts for part in (BETWEEN, between)][1:]


def _p_values(section: Section, heads: Mapping[str, str]) -> dict[str, Any]:
    """The p-values of the first question, and why it is not supported."""
    result, alpha = section.result, section.result.rule.alpha
    question = next(iter(section.finding.questions.values()), None)
    values = []
    for name in heads:
        p = None if question is None else getattr(question.p, name)
        if p is not None:
            values.append([brief_p(p, alpha), "above" if p > alpha else ""])
        else:
            known = question is not None and question.p.new is not None and name == "adjusted"
            values.append([without_adjustment(result) if known else UNDEFINED, "missing"])
    return {"values": values, "reason": "" if question is None else further_reason(question)}


def rows_of(
    table: Table, members: Iterable[Section], places: Mapping[str, int], first: int
) -> list[tuple[int, list[Text], list[Any]]]:
    """Rows from a first one on: the place of its line, the cells, and by what they are sorted."""
    numbered = [column.number for column in table.columns]
    pairs = list(zip(members, table.rows, strict=True))[first:]
    return [
        (
            places[section.anchor],
            list(map(text_of_cell, row)),
            [
                cell.value if number else cell.lines[0]
                for cell, number in zip(row, numbered, strict=True)
            ],
        )
        for section, row in pairs
    ]
