"""Results arranged as tables, one for each signature, before any markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eatlas.present.effects import BOUNDS, LevelRow, Rule, bounds_shown, levels_of, over_stimuli
from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import chance_cell, legend, matched_of
from eatlas.present.numbers import UNDEFINED, effect, number_of, p_value, percent
from eatlas.present.sections import distinct, named_sources, source_of
from eatlas.present.text import one_line
from eatlas.results import (
    AssociationResult,
    DrawnResult,
    LogRatioResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.ml_eat import CELLS
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Uncertainty


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one group stand under a common head."""

    title: str
    group: str = ""
    number: bool = False
    """Numbers stand on the right, names on the left."""


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
    notes: tuple[str, ...] = field(default=())

    def groups(self) -> list[tuple[str, int]]:
        """Heads over several columns, each with their number."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = column.group, found[-1][1] + 1
            else:
                found.append((column.group, 1))
        return found


NAMED = 4
"""Sources that a caption names."""
OVER_STIMULI = (
    "Tests of sentences are read over stimuli: the associations of the sentences of one stimulus "
    "are averaged, and p-values relabel stimuli."
)


def tables(results: Iterable[AssociationResult], family: DeclaredFamily) -> list[Table]:
    """One table for each signature, in order of first appearance.

    Parameters
    ----------
    results : iterable of results
    family : DeclaredFamily
        Whose adjusted p-values the tables show.
    """
    given = list(results)
    return [
        _table([r for r in given if r.signature == signature], family)
        for signature in distinct(r.signature for r in given)
    ]


def _table(members: list[AssociationResult], family: DeclaredFamily) -> Table:
    first, sources = members[0], distinct(source_of(r) for r in members)
    columns, rows = _body(members, family)
    if len(sources) > 1:
        columns = [columns[0], Column("Source"), *columns[1:]]
        owners = _owners(members)
        rows = [
            (row[0], Cell((one_line(source_of(owner)),)), *row[1:])
            for owner, row in zip(owners, rows, strict=True)
        ]
    whole = named_sources(members)
    named = ", ".join(whole) if len(whole) <= NAMED else number_of(len(whole), "source")
    return Table(
        id=first.measure,
        caption=f"{number_of(len(members), 'result')} of {first.signature} on {named}.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(_notes(members, family)),
    )


def _owners(members: Iterable[AssociationResult]) -> list[AssociationResult]:
    """The result that each row belongs to; an SC-EAT has a row for each term."""
    return [
        r for r in members for _ in range(len(r.primary_terms) if isinstance(r, SCEATResult) else 1)
    ]


def _body(
    members: Sequence[AssociationResult], family: DeclaredFamily
) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    first = members[0]
    if isinstance(first, ThreeLevelResult):
        rows = [_ml_eat(r, family) for r in members if isinstance(r, ThreeLevelResult)]
        published = isinstance(first, LogRatioResult)
        columns = _ml_eat_columns(family, over_attributes=published)
        return _with_chance(members, columns, rows)
    if isinstance(first, WEATResult):
        return _with_chance(members, _weat_columns(family), [_weat(r, family) for r in members])
    if isinstance(first, SCEATResult):
        terms = [row for r in members if isinstance(r, SCEATResult) for row in _sc_eat(r, family)]
        return _sc_eat_columns(family), terms
    return [Column("Test"), Column("Finding")], [
        (_test(r), Cell((r.summary(),))) for r in members
    ]  # fmt: skip


def _with_chance(
    members: Sequence[AssociationResult], columns: list[Column], rows: list[tuple[Cell, ...]]
) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """With what random words of the same frequencies show, where that is known of any result."""
    if all(matched_of(result) is None for result in members):
        return columns, rows
    cells = [tuple(filter(None, chance_cell(result))) or (UNDEFINED,) for result in members]
    return (
        [*columns, Column("Chance", number=True)],
        [(*row, Cell(cell)) for row, cell in zip(rows, cells, strict=True)],
    )


def _ml_eat_columns(family: DeclaredFamily, *, over_attributes: bool) -> list[Column]:
    return [
        Column("Test"),
        Column("Concepts"),
        *_effect_columns("Level 1", family, "level1"),
        *_effect_columns("Level 2, X", family, "level2"),
        *_effect_columns("Level 2, Y", family, "level2"),
        *([Column("d", "Over attributes", number=True)] if over_attributes else []),
        *(Column(f"{cell[0]}, {cell[1]}", "Level 3", number=True) for cell in CELLS),
        Column("EAT pattern"),
    ]


def _effect_columns(group: str, family: DeclaredFamily, level: str) -> list[Column]:
    adjusted = [Column(family.method, group, number=True)] if family.has(level) else []
    return [Column("d", group, number=True), *adjusted]


def _ml_eat(result: ThreeLevelResult, family: DeclaredFamily) -> tuple[Cell, ...]:
    found = result.primary
    labels: list[str] = [found.label]
    if found.two_sided_label != found.label:
        labels += ["two-sided:", found.two_sided_label]
    if (share := _share(result)) is not None:
        labels.append(f"in {percent(share)} of draws")
    cells = [result.level3.cell(name) for name in CELLS]
    return (
        _test(result),
        _concepts(result),
        *_effects(levels_of(result, Rule.of(result), family), family),
        *(Cell((effect(cell.mean), f"({effect(cell.sd)})")) for cell in cells),
        Cell(tuple(labels), strong=True),
    )


def _share(result: ThreeLevelResult) -> float | None:
    """How often the pattern was seen in draws of contexts, or of terms."""
    if isinstance(result, DrawnResult):
        return result.draws.patterns.get(result.pattern.label)
    return result.primary.share


def _weat_columns(family: DeclaredFamily) -> list[Column]:
    return [Column("Test"), Column("Concepts"), *_effect_columns("", family, "level1")]


def _weat(result: AssociationResult, family: DeclaredFamily) -> tuple[Cell, ...]:
    rows = levels_of(result, Rule.of(result), family)
    return _test(result), _concepts(result), *_effects(rows, family)


def _effects(rows: Iterable[LevelRow], family: DeclaredFamily) -> Iterator[Cell]:
    """Each effect size and, where the family has it, its adjusted p."""
    for row in rows:
        yield _effect(row.level, row.rule, row.bracketed if row.interval else None)
        if family.has(row.place):
            yield Cell((_adjusted(row.adjusted, row.d, row.rule, row.adjusted_low),))


def _effect(level: Level | None, rule: Rule, within: str | None = None) -> Cell:
    """Effect size, below it its interval, and below that p in both readings."""
    if level is None or level.effect_size is None:
        return Cell((UNDEFINED,))
    tails = Rule(rule.alpha).tail_of(level), "two_sided"
    p, two_sided = (p_value(level.p.tail(t), rule.alpha, level.p.low(t)) for t in tails)
    lines = (effect(level.effect_size), *([within] if within else ()))
    return Cell((*lines, p, f"({two_sided})"), star=rule.significant(level))


def _adjusted(p: float | None, d: float | None, rule: Rule, low: float | None) -> str:
    return UNDEFINED if p is None or d is None else p_value(p, rule.alpha, low)


def _sc_eat_columns(family: DeclaredFamily) -> list[Column]:
    return [
        Column("Test"),
        Column("Concepts"),
        Column("Term"),
        Column("Group"),
        *_effect_columns("", family, "level2"),
    ]


def _sc_eat(result: SCEATResult, family: DeclaredFamily) -> Iterator[tuple[Cell, ...]]:
    rule, names = Rule.of(result), result.concepts
    concepts = Cell((one_line(names.A), one_line(names.B)))
    for entry in result.primary_terms:
        level = entry.level2
        which = result, "level2", level, entry.term
        p, low = family.adjusted(*which), family.adjusted_low(*which)
        adjusted = _adjusted(p, level.effect_size, rule, low)
        yield (
            _test(result),
            concepts,
            Cell((one_line(entry.term),)),
            Cell((entry.group,)),
            _effect(level, rule),
            *((Cell((adjusted,)),) if family.has("level2") else ()),
        )


def _drawn(members: Sequence[AssociationResult]) -> list[Uncertainty]:
    """How far the effect sizes that are read vary."""
    known = [r.primary for r in members if isinstance(r, ThreeLevelResult | WEATResult)]
    return [read.uncertainty for read in known if read.uncertainty is not None]


def _test(result: AssociationResult) -> Cell:
    return Cell((one_line(result.test),))


def _concepts(result: AssociationResult) -> Cell:
    return Cell(tuple(" / ".join(map(one_line, side)) for side in result.sides))


def _notes(members: Sequence[AssociationResult], family: DeclaredFamily) -> Iterator[str]:
    first = members[0]
    if not isinstance(first, ThreeLevelResult | WEATResult | SCEATResult):
        return
    concepts = "A, B" if isinstance(first, SCEATResult) else "X / Y, and below them A / B"
    yield f"Concepts: {concepts}."
    if isinstance(first, ThreeLevelResult):
        yield "Level 1 compares X with Y, level 2 takes each alone."
    if isinstance(first, LogRatioResult):
        yield "Over attributes: the published LPBS, whose p-values move labels of attributes."
    if any(map(over_stimuli, members)):
        yield OVER_STIMULI
    for what in distinct(r.drawn for r in members if isinstance(r, DrawnResult)):
        yield f"Effect sizes are means over draws of {what}, and p is that of the means."
    yield f"d: effect size, above zero towards A; {Rule.of(first).meaning}."
    if sure := distinct(percent(u.confidence) for u in _drawn(members)):
        yield f"In brackets: {' and '.join(sure)} bootstrap interval over the choice of terms."
    yield "Below: p of the permutation test in the direction of d, and in parentheses two-sided."
    if any(map(bounds_shown, members)):
        yield BOUNDS
    levels = ("level2",) if isinstance(first, SCEATResult) else ("level1", "level2")
    if any(map(family.has, levels[:1] if isinstance(first, WEATResult) else levels)):
        yield f"{family.method}: two-sided p, adjusted over {family.what}."
    if isinstance(first, ThreeLevelResult):
        unit = f"{first.unit} in {first.scale}" if first.scale else first.unit
        yield (
            f"Level 3: mean {unit}, and in parentheses its standard deviation over pairs of terms."
        )
    yield from _shares_note(members)
    yield from filter(None, [legend(members)])


def _shares_note(members: Sequence[AssociationResult]) -> Iterator[str]:
    """What the share below a pattern is one of."""
    first = members[0]
    if any(u.patterns for u in _drawn(members)):
        yield (
            "Draws: resamples of the terms that show the same pattern; no probability that other "
            "terms would."
        )
    elif isinstance(first, DrawnResult):
        yield f"Draws: those of {first.varied} that show the same pattern."
