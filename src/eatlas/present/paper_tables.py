"""Tables as papers print them: the three levels of an ML-EAT, shares of targets by model.

Wolfe, Hiniker and Howe (2024), Table 1; Bommasani and Liang (2022), Table 3. Of other measures d
with its stars, and p-values of single words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eatlas.numbers import UNDEFINED, effect, level_of, number_of, plural
from eatlas.present.columns import (
    PUBLISHED,
    Cell,
    Column,
    Table,
    Tone,
    legend_of,
    little_legend,
    mark_name,
    over_attributes,
    tables_in_form,
    unit_in_words,
)
from eatlas.present.effects import levels_of, unit_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.targets import ALPHA, DECIMALS, UNIFORM, Lean, Leans, leans
from eatlas.present.text import isolate, one_line
from eatlas.results.levels import CELLS, draws_of
from eatlas.results.settings import Settings
from eatlas.stimuli.kinds import ATTRIBUTES, OF_TARGETS, TARGETS

if TYPE_CHECKING:
    from eatlas.results import AssociationResult
    from eatlas.results.effects import Effect
    from eatlas.results.levels import Cell as CellMean

LEVEL2 = ("level2.X", "level2.Y")
HEADS = {
    "level1": ("Level 1", "A,B,X,Y"), "level2.X": ("Level 2", "A,B,X"),
    "level2.Y": ("Level 2", "A,B,Y"),
}  # fmt: skip
"""Heads of effect sizes as in the paper: the level, and the groups that it is of."""
SHADING = (
    "Shading of level 2: red, significant and above 0; blue, significant and below 0; gray, not "
    "significant."
)


def paper_tables(results: Iterable[AssociationResult]) -> list[Table]:
    """Tables as the papers of the measures print them, in the order of the results.

    Three levels have a table for each measure and setting, targets of groups one for each test,
    and all else one for each measure.
    """
    every = list(results)
    settings = Settings.from_results(every)
    groups: dict[Hashable, list[AssociationResult]] = {}
    for result in every:
        if result.level3 is None and result.by_target is None:
            key: Hashable = result.signature
        else:
            key = (result.test, result.sides) if result.by_target else settings.of(result)
        groups.setdefault((result.level3 is None, bool(result.by_target), key), []).append(result)
    made: list[Table] = []
    for members in groups.values():
        if members[0].level3 is not None:
            made.append(_three_levels(members))
        elif members[0].by_target is not None:
            made.append(_targets(members))
        else:
            made += tables_in_form(members, DeclaredFamily(None), PUBLISHED)
    times = Counter[str]()
    return [_make_id_unique(table, times) for table in made]


def _make_id_unique(table: Table, times: Counter[str]) -> Table:
    """A table whose id is its own: the second of one measure ends in -2."""
    times[table.id] += 1
    return replace(table, id=f"{table.id}-{n}") if (n := times[table.id]) > 1 else table


def _three_levels(members: Sequence[AssociationResult]) -> Table:
    """Tests by the levels of effect sizes and of mean cosines, level 2 shaded."""
    first = members[0]
    effects = [{shown.place: shown for shown in levels_of(result)} for result in members]
    places = dict.fromkeys(place for of_result in effects for place in of_result)
    columns = [Column("Targets X / Y, attributes A / B")]
    for place in places:
        shown = next(of_result[place] for of_result in effects if place in of_result)
        level, groups = HEADS.get(place, (shown.title, shown.symbol))
        columns.append(Column(groups, level, number=True))
    columns += [Column(f"{cell[1]},{cell[0]}", "Level 3", number=True) for cell in CELLS]
    rows = [
        (
            Cell((mark_name(one_line(result.test), result), *_groups(result)), strong=True),
            *(_effect(of_result.get(place), shaded=place in LEVEL2) for place in places),
            *(_mean(result.level3[cell] if result.level3 else None) for cell in CELLS),
        )
        for result, of_result in zip(members, effects, strict=True)
    ]
    rules = dict.fromkeys(map(legend_of, members))
    means = dict.fromkeys(draws.drawn for result in members if (draws := draws_of(result)))
    notes = [
        f"In brackets: {plural(unit_of(first))} of each group.",
        *(f"Effect sizes are means over samples of {what}." for what in means),
        f"{' or '.join(rules)}, not adjusted for the number of tests.",
        f"Level 3: mean {unit_in_words(first)} (standard deviation).",
        *filter(None, [_patterns(members), over_attributes(effects), little_legend(members)]),
    ]
    sources = ", ".join(map(one_line, Settings.from_results(members).in_words()))
    caption = f"{first.signature} on {sources}: {number_of(len(members), 'test')}."
    return Table(first.measure, tuple(columns), tuple(rows), caption, tuple(notes), SHADING)


def _groups(result: AssociationResult) -> Iterator[str]:
    """Names of targets, then of attributes, with the numbers of words that were used."""
    for roles in (TARGETS, ATTRIBUTES):
        names = " / ".join(one_line(result.concepts[role]) for role in roles)
        sizes = dict.fromkeys(f"{len(result.scored(role)):,}" for role in roles)
        yield f"{names} ({' / '.join(sizes)})"


def _effect(shown: Effect | None, *, shaded: bool) -> Cell:
    """An effect size; of level 2 with the shade of its sign, if it is significant."""
    if shown is None or shown.d is None:
        return Cell((UNDEFINED,))
    tone: Tone = ""
    if shaded:
        tone = "neutral" if not shown.significant else "positive" if shown.d > 0 else "negative"
    return Cell((effect(shown.d),), shown.significant, tone=tone)


def _mean(found: CellMean | None) -> Cell:
    """A mean of level 3 and its standard deviation, in one line."""
    return Cell((UNDEFINED if found is None else f"{effect(found.mean)} ({effect(found.sd)})",))


def _patterns(members: Sequence[AssociationResult]) -> str:
    """Which tests show which EAT pattern."""
    tests: dict[str, list[str]] = {}
    for result in members:
        if result.pattern is not None:
            tests.setdefault(result.primary.label, []).append(one_line(result.test))
    shown = "; ".join(f"{label} ({', '.join(names)})" for label, names in tests.items())
    return f"EAT patterns: {shown}." if shown else ""


def _targets(members: Sequence[AssociationResult]) -> Table:
    """Targets by settings: how far the share of a group is above its reference.

    Of two groups the first alone, as the other is the opposite; of several all.
    """
    settings, first = Settings.from_results(members), members[0]
    shown = {settings.of(result) or settings.subject: leans(result) for result in members}
    every = next(iter(shown.values()))
    groups = [isolate(every.groups[n]) for n in every.columns]
    columns = [Column(one_line(first.concepts[OF_TARGETS]))]
    cells: list[dict[str, Cell]] = []
    for name, of_setting in shown.items():
        by_term = {lean.term: lean for lean in of_setting.rows}
        for n, group in zip(of_setting.columns, groups, strict=True):
            title, over = (group, one_line(name)) if len(groups) > 1 else (one_line(name), "")
            columns.append(Column(title, over, number=True))
            cells.append({term: _share(lean, n) for term, lean in by_term.items()})
    terms = dict.fromkeys(t.term for result in members for t in result.by_target or ())
    rows = tuple(
        (Cell((one_line(term),)), *(column.get(term, Cell((UNDEFINED,))) for column in cells))
        for term in terms
    )
    signatures = dict.fromkeys(result.signature for result in members)
    notes = (f"By {', '.join(signatures)}.", *_shares(shown))
    return Table(first.measure, tuple(columns), rows, _caption(first, groups), notes)


def _caption(result: AssociationResult, groups: Sequence[str]) -> str:
    """What the numbers of targets are."""
    of = f"{groups[0]}-directed bias" if len(groups) == 1 else "Bias towards each group"
    return f"{one_line(result.title or result.test)}: {of}, as proportion minus reference."


def _share(lean: Lean, group: int) -> Cell:
    """The share of a group less its reference."""
    points = lean.points[group]
    value = None if points is None else points / 100
    return Cell((effect(value, DECIMALS),), lean.star)


def _shares(shown: Mapping[str, Leans]) -> tuple[str, ...]:
    """What shares are compared with, and what a star means."""
    every = next(iter(shown.values()))
    references = {leaning.reference: name for name, leaning in shown.items()}
    uniform = f"uniform, 1/{len(every.groups)} for each group"
    if len(references) == 1:
        said = [f"Reference: {uniform if UNIFORM in references else next(iter(references))}."]
    else:
        said = [f"Reference of {name}: {leaning.reference}." for name, leaning in shown.items()]
    tested = any(lean.adjusted is not None for each in shown.values() for lean in each.rows)
    star = f"* Holm's p over all targets of a column < {level_of(ALPHA)}."
    return (*said, *[star] * tested)
