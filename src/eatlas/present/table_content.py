"""Results arranged as tables, one for each signature, before any markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from eatlas.present.effects import (
    BOUNDS,
    bounds_shown,
    bracketed,
    chance_cell,
    legend,
    matched_of,
    only_terms,
    own_share,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import UNDEFINED, effect, number_of, p_value, percent
from eatlas.present.sections import distinct
from eatlas.present.targets import leans, signed_points
from eatlas.present.text import isolated, one_line
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS
from eatlas.results.settings import Settings

NAMED = 4
"""Sources that a caption names."""
OVER_STIMULI = (
    "Tests of sentences are read over stimuli: the associations of the sentences of one stimulus "
    "are averaged, and p-values relabel stimuli."
)
OVER_ATTRIBUTES = (
    "Over attributes: the published LPBS, whose p-values permute the labels of attributes."
)
TWO_READINGS = (
    "Below: p of the permutation test in the direction of d, and in parentheses two-sided."
)
DEVIATION = "its standard deviation over pairs of terms"
RESAMPLED = (
    "Draws: resamples of the terms that show the same pattern; no probability that other terms "
    "would."
)


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one group are under a common head."""

    title: str
    group: str = ""
    number: bool = False
    """Numbers are on the right, names on the left."""


@dataclass(frozen=True)
class Cell:
    """Lines of text below each other."""

    lines: tuple[str, ...]
    star: bool = False
    """Whether the first line is significant."""
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under columns, with a caption above and notes below."""

    id: str
    """A short name for references."""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def groups(self) -> list[tuple[str, int]]:
        """Heads over several columns, each with their number."""
        found = groupby(self.columns, key=lambda column: column.group)
        return [(name, len(list(columns))) for name, columns in found]


Row = tuple[AssociationResult, tuple[Effect, ...]]
"""A result with its effect sizes, or with that of one of its terms."""
Filled = tuple[Column, Callable[[Row], Cell]]
"""A column and what its cells are filled with."""


def tables(results: Iterable[AssociationResult], family: DeclaredFamily) -> list[Table]:
    """One table for each signature, in order of first appearance.

    Parameters
    ----------
    results : iterable of results
    family : DeclaredFamily
        Whose adjusted p-values the tables show.
    """
    given = list(results)
    found = []
    for signature in distinct(r.signature for r in given):
        members = [r for r in given if r.signature == signature]
        if members[0].by_target is None:
            found.append(_table(members, family))
        else:  # a row for each target
            found += [_of_targets(one, i) for i, one in enumerate(members, start=1)]
    return found


def _of_targets(result: AssociationResult, number: int) -> Table:
    """A row for each target, from one end to the other, and one for the concept as a whole."""
    found, place = leans(result), ", ".join(Settings.among([result]).in_words())
    groups = [isolated(found.groups[j]) for j in found.columns]
    columns = [Column("Target"), *(Column("Points", name, number=True) for name in groups)]
    columns += [Column("Bias", number=True), Column("p", number=True)]
    rows = [*found.rows, *([found.whole] if found.whole else [])]
    filled = [
        (
            Cell((one_line(one.term) + " as one mean" * (one is found.whole),)),
            *(
                Cell(tuple(filter(None, (signed_points(one.points[j]), one.between(j)))))
                for j in found.columns
            ),
            _cell(one.bias),
            Cell((one.p,), star=bool(one.star)),
        )
        for one in rows
    ]
    return Table(
        id=f"{result.measure}-{number}" if number > 1 else result.measure,
        caption=f"{one_line(result.test)} on {one_line(place)}: targets by {result.signature}.",
        columns=tuple(columns),
        rows=tuple(filled),
        notes=(
            " ".join(f"{one.title}: {effect(one.d)}." for one in result.effects()),
            found.legend,
            f"Reference: {found.reference}.",
        ),
    )


def _table(members: list[AssociationResult], family: DeclaredFamily) -> Table:
    """The table of results of one signature; of measures of single terms a row for each term."""
    first = members[0]
    found: list[Row] = [(result, result.effects()) for result in members]
    terms = only_terms(found[0][1])
    rows = [(of, (one,)) for of, effects in found for one in effects] if terms else found
    columns = list(_columns(members, rows, family, terms=terms))
    whole = list(map(one_line, Settings.among(members).in_words()))
    named = ", ".join(whole) if len(whole) <= NAMED else number_of(len(whole), "source")
    return Table(
        id=first.measure,
        caption=f"{number_of(len(members), 'result')} of {first.signature} on {named}.",
        columns=tuple(column for column, _ in columns),
        rows=tuple(tuple(fill(row) for _, fill in columns) for row in rows),
        notes=tuple(
            _notes(members, [one for _, effects in rows for one in effects], family, terms=terms)
        ),
    )


def _columns(
    members: Sequence[AssociationResult],
    rows: Sequence[Row],
    family: DeclaredFamily,
    *,
    terms: bool,
) -> Iterator[Filled]:
    """The columns of a table, by what its first result has."""
    first, effects = members[0], rows[0][1]
    yield Column("Test"), lambda row: _cell(one_line(row[0].test))
    settings = Settings.among(members)
    if any(map(settings.of, members)):
        yield Column("Source"), lambda row: _cell(one_line(settings.of(row[0])))
    if effects or terms:
        yield Column("Concepts"), _concepts
    if terms:
        yield Column("Term"), lambda row: _cell(one_line(row[1][0].name))
        yield Column("Group"), lambda row: _cell("".join(row[1][0].roles))
    for place, one in enumerate(effects):
        group = "" if len(effects) == 1 or one.symbol == one.title else one.title
        yield from _effect_columns(place, one, group, family)
    if first.level3 is not None:
        for name in CELLS:
            yield Column(f"{name[0]}, {name[1]}", "Level 3", number=True), _mean(name)
    if first.pattern is not None:
        yield Column("EAT pattern"), _pattern
    if any(matched_of(result) is not None for result in members):
        yield (
            Column("Chance", number=True),
            lambda row: Cell(tuple(filter(None, chance_cell(row[0]))) or (UNDEFINED,)),
        )
    if not any(one.symbol == "d" for one in effects) and not terms:
        yield Column("Finding"), lambda row: _cell(row[0].summary())


def _effect_columns(
    place: int, shown: Effect, group: str, family: DeclaredFamily
) -> Iterator[Filled]:
    """An effect size and, where the family has it, its adjusted p."""
    yield Column(shown.symbol, group, number=True), lambda row: _effect(row[1][place])
    if family.has(shown.place.partition(".")[0]):

        def adjusted(row: Row) -> Cell:
            result, one = row[0], row[1][place]
            p, low = family.adjusted(result, one)
            known = p is not None and one.d is not None
            return _cell(p_value(p, one.rule.alpha, low) if known and p else UNDEFINED)

        yield Column(family.method, group, number=True), adjusted


def _cell(text: str) -> Cell:
    return Cell((text,))


def _concepts(row: Row) -> Cell:
    """Targets above attributes; of single terms the attributes."""
    sides = [list(map(one_line, side)) for side in row[0].sides]
    term = bool(row[1]) and row[1][0].term is not None
    return Cell(tuple(sides[-1] if term else map(" / ".join, sides)))


def _effect(shown: Effect) -> Cell:
    """Effect size, below it its interval, and below that p in both readings."""
    if shown.d is None:
        return _cell(UNDEFINED)
    lines = [effect(shown.d)]
    if shown.interval:
        lines.append(bracketed(shown))
    if shown.one_sided is not None and shown.two_sided is not None:
        alpha = shown.rule.alpha
        lines.append(p_value(shown.one_sided, alpha, shown.one_sided_low))
        lines.append(f"({p_value(shown.two_sided, alpha, shown.two_sided_low)})")
    return Cell(tuple(lines), star=shown.significant)


def _mean(name: str) -> Callable[[Row], Cell]:
    """Mean and standard deviation of a cell of level 3."""

    def fill(row: Row) -> Cell:
        cell = row[0].level3 and row[0].level3.cell(name)
        return Cell((effect(cell.mean), f"({effect(cell.sd)})")) if cell else _cell(UNDEFINED)

    return fill


def _pattern(row: Row) -> Cell:
    """The EAT pattern, that under the two-sided rule where it differs, and its share."""
    read = row[0].primary
    labels: list[str] = [read.label]
    if read.two_sided_label != read.label:
        labels += ["two-sided:", read.two_sided_label]
    if (share := own_share(row[0])) is not None:
        labels.append(f"in {percent(share)} of draws")
    return Cell(tuple(labels), strong=True)


def _notes(
    members: Sequence[AssociationResult],
    effects: Sequence[Effect],
    family: DeclaredFamily,
    *,
    terms: bool,
) -> Iterator[str]:
    """What a reader needs below a table of effect sizes d; nothing below other numbers."""
    first, places = members[0], {one.place for one in effects}
    if not terms and all(one.symbol != "d" for one in effects):
        return
    drawn = [known for result in members if (known := result.primary.uncertainty)]
    sure = " and ".join(distinct(percent(known.confidence) for known in drawn))
    unit = f"{first.unit} in {first.scale}" if first.scale else first.unit
    adjusted = any(family.has(place.partition(".")[0]) for place in places)
    resampled = any(known.patterns for known in drawn)
    means = [
        f"Effect sizes are means over draws of {what}, and p is that of the means."
        for what in distinct(result.draws.drawn for result in members if result.draws)
    ]
    notes = [
        (True, f"Concepts: {'A, B' if terms else 'X / Y, and below them A / B'}."),
        (first.pattern, "Level 1 compares X with Y, level 2 takes each alone."),
        ("over_attributes" in places, OVER_ATTRIBUTES),
        (any(result.primary.over_stimuli for result in members), OVER_STIMULI),
        *((True, note) for note in means),
        (True, f"d: effect size, above zero towards A; {first.rule.meaning}."),
        (sure, f"In brackets: {sure} bootstrap interval over the choice of terms."),
        (True, TWO_READINGS),
        (bounds_shown(effects), BOUNDS),
        (adjusted, f"{family.method}: two-sided p, adjusted over {family.what}."),
        (first.level3, f"Level 3: mean {unit}, and in parentheses {DEVIATION}."),
        (resampled, RESAMPLED),
    ]
    yield from (note for holds, note in notes if holds)
    if first.draws is not None and not resampled:
        yield f"Draws: those of {first.draws.varied} that show the same pattern."
    yield from filter(None, [legend(members)])
