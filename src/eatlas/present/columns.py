"""The columns of tables of results: their heads, what their cells say, and the notes below them.

Each column is declared here once. A form is the columns that a manuscript or a terminal chooses,
with the lines of their cells; LaTeX, Markdown, HTML and the terminal only write what is arranged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple

from eatlas.present.drawings.eat_map import EATMap
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
from eatlas.present.sentences import short_sentence
from eatlas.present.targets import (
    DECIMALS,
    Lean,
    at_ends,
    leans,
    signed_points,
    values_in_order,
    values_legend,
)
from eatlas.present.text import isolated, one_line
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS
from eatlas.results.levels import Cell as Mean
from eatlas.results.parts import Tail
from eatlas.results.settings import Settings


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one group are under a common head."""

    title: str
    group: str = ""
    number: bool = False
    """Numbers are on the right, names on the left."""
    short: str = ""
    """Head in a terminal, where it is another: in two lines it has that of the group."""
    hangs: bool = False
    """Whether stars in a terminal hang to the right of the numbers."""


@dataclass(frozen=True)
class Cell:
    """Lines of text below each other."""

    lines: tuple[str, ...]
    star: bool = False
    """Whether the first line is significant."""
    strong: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under columns, with a caption above and notes below."""

    id: str
    """A short name for references."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()

    def groups(self) -> list[tuple[str, int]]:
        """Heads over several columns, each with their number."""
        found = groupby(self.columns, key=lambda column: column.group)
        return [(name, len(list(columns))) for name, columns in found]


class Row(NamedTuple):
    """A result with its effect sizes, or with that of one of its terms."""

    result: AssociationResult
    effects: Mapping[str, Effect]
    """By place."""
    setting: str
    """What tells the result from the others of its test."""
    family: DeclaredFamily
    """Whose adjusted p-values are shown."""


def rows_of(
    result: AssociationResult,
    setting: str = "",
    family: DeclaredFamily | None = None,
    *,
    published_first: bool = False,
) -> list[Row]:
    """The row of a result; of a measure of single terms one for each term."""
    effects, declared = result.effects(), family or DeclaredFamily(None)
    if only_terms(effects):
        return [Row(result, {one.place: one}, setting, declared) for one in effects]
    if published_first:
        effects = tuple(sorted(effects, key=lambda one: one.in_family))
    return [Row(result, {one.place: one for one in effects}, setting, declared)]


def called(result: AssociationResult) -> str:
    """The test, and of a series also the year."""
    return result.test if result.period is None else f"{result.test}, {result.period}"


def _stimuli(result: AssociationResult) -> str:
    if not result.primary.over_stimuli:
        return ""
    x, y, a, b = (len(result.primary.names(role)) for role in result.concepts)
    return f"stimuli: {x}, {y}; {a}, {b}"


def _two_sided(result: AssociationResult) -> str:
    """The pattern under the two-sided rule, where it is another."""
    read = result.primary
    return "" if read.two_sided_label == read.label else f"two-sided:\n{read.two_sided_label}"


def _sentences(result: AssociationResult) -> str:
    """How many sentences each group has."""
    counts = result.primary.sentences
    x, y, a, b = (sum(counts.group(r).values()) if counts else 0 for r in "XYAB")
    return f"{x:,}, {y:,}; {a:,}, {b:,}"


def _share(result: AssociationResult) -> str:
    share = own_share(result)
    return "" if share is None else percent(share)


OF_RESULT: dict[str, Callable[[Row], str]] = {
    "test": lambda row: one_line(row.result.test),
    "called": lambda row: called(row.result),
    "source": lambda row: one_line(row.setting),
    "concepts": lambda row: "\n".join(" / ".join(map(one_line, side)) for side in row.result.sides),
    "attributes": lambda row: "\n".join(map(one_line, row.result.sides[-1])),
    "sides": lambda row: ",\n".join(map(" / ".join, row.result.sides)),
    "stimuli": lambda row: _stimuli(row.result),
    "map": lambda row: "A {}\nB {}".format(*EATMap.of(row.result).glyphs()),
    "pattern": lambda row: row.result.primary.label,
    "two-sided pattern": lambda row: _two_sided(row.result),
    "share": lambda row: _share(row.result),
    "draws": lambda row: f"in {share} of draws" if (share := _share(row.result)) else "",
    "chance": lambda row: chance_cell(row.result)[0],
    "p by chance": lambda row: chance_cell(row.result)[1],
    "sentences": lambda row: _sentences(row.result),
    "pattern of sentences": lambda row: row.result.pattern.label if row.result.pattern else "",
    "finding": lambda row: row.result.summary(),
}
"""What a line of a cell says of a result."""


def _p(one: Effect, p: float | None, low: float | None) -> str:
    return "" if p is None else p_value(p, one.rule.alpha, low)


def _tail(tail: Tail) -> Callable[[Row, Effect], str]:
    return lambda _, one: "" if one.p is None else _p(one, one.p.tail(tail), one.p.low(tail))


def _adjusted(row: Row, one: Effect) -> str:
    return "" if one.d is None else _p(one, *row.family.adjusted(row.result, one))


OF_EFFECT: dict[str, Callable[[Row, Effect], str]] = {
    "d": lambda _, one: effect(one.d),
    "interval": lambda _, one: bracketed(one) if one.interval else "",
    "p": lambda _, one: _p(one, *one.p_of()),
    "p over sentences": lambda _, one: (
        _p(one, one.p.tail(one.tail), one.p.low(one.tail)) if one.p else UNDEFINED
    ),
    "p in the direction of d": lambda _, one: _p(one, *one.p_of(one.direction)),
    "two-sided p": lambda _, one: f"({p})" if (p := _p(one, *one.p_of("two_sided"))) else "",
    "p greater": _tail("greater"),
    "p less": _tail("less"),
    "p two-sided": _tail("two_sided"),
    "method": lambda _, one: one.p.method_of("greater") if one.p else "",
    "adjusted p": _adjusted,
    "term": lambda _, one: one_line(one.name),
    "role": lambda _, one: "".join(one.roles),
    "group": lambda row, one: row.result.concepts[one.roles[0]],
}
"""What it says of an effect size."""
OF_MEAN: dict[str, Callable[[Mean], str]] = {
    "mean": lambda cell: effect(cell.mean),
    "sd": lambda cell: f"({effect(cell.sd)})",
}
"""What it says of a cell of level 3."""


@dataclass(frozen=True)
class Declared:
    """A column as it is declared: head, lines of its cells, and when a table has it."""

    title: str
    lines: tuple[str, ...]
    of: Literal["result", "effect", "level 3"] = "result"
    """Whether a table has it once, for each effect size, or for each cell of level 3."""
    short: str = ""
    """Head in a terminal, where it is another."""
    heads: Mapping[str, str] | None = None
    """Heads in a terminal by the place of the effect size."""
    number: bool = False
    starred: bool = False
    """Whether a star is behind a significant effect size."""
    hangs: bool = False
    strong: bool = False
    faint: bool = False
    empty: str = UNDEFINED
    """What a cell without a line says."""
    when: Callable[[Sequence[Row]], bool] = lambda _: True

    def only(self, *lines: str, **changes: Any) -> Declared:
        """The column with some of its lines alone."""
        return replace(self, lines=lines, **changes)

    def cell(self, lines: Iterable[str], *, star: bool = False) -> Cell:
        """A cell of the lines that say something."""
        said = tuple(one for line in lines if line for one in line.split("\n"))
        return Cell(said or (self.empty,), star=star, strong=self.strong, faint=self.faint)


Filled = tuple[Column, Callable[[Row], Cell]]
"""A column and what its cells are filled with."""


def _terms(rows: Sequence[Row]) -> bool:
    return only_terms(tuple(rows[0].effects.values()))


def _d(rows: Sequence[Row]) -> bool:
    return any(one.symbol == "d" for one in rows[0].effects.values())


def _has_pattern(rows: Sequence[Row]) -> bool:
    return rows[0].result.pattern is not None


TEST = Declared("Test", ("test",))
NAME = Declared("", ("called", "sides", "stimuli"), strong=True)
SOURCE = Declared("Source", ("source",), when=lambda rows: any(row.setting for row in rows))
CONCEPTS = Declared(
    "Concepts", ("concepts",), when=lambda rows: bool(rows[0].effects) and not _terms(rows)
)
ATTRIBUTES = Declared("Concepts", ("attributes",), when=_terms)
TERM = Declared("Term", ("term",), of="effect", when=_terms)
GROUP = Declared("Group", ("role",), of="effect", when=_terms)
EFFECT = Declared(
    "d", ("d", "interval", "p in the direction of d", "two-sided p"), of="effect",
    number=True, starred=True,
)  # fmt: skip
INTERVAL = Declared("interval", ("interval",), of="effect", number=True, faint=True)
P = Declared("p", ("p",), of="effect", short="\np", number=True, faint=True, empty="")
P_VALUES = tuple(
    Declared(name, (name,), of="effect", number=True, when=_d)
    for name in ("p greater", "p less", "p two-sided")
)
METHOD = Declared("method", ("method",), of="effect", number=True, when=_d)
ADJUSTED = Declared("adjusted p", ("adjusted p",), of="effect", number=True)
LEVEL3 = Declared(
    "Level 3", ("mean", "sd"), of="level 3", number=True,
    when=lambda rows: rows[0].result.level3 is not None,
)  # fmt: skip
MAP = Declared("Map", ("map",), short="Map\n  XY", faint=True, when=_has_pattern)
PATTERN = Declared(
    "EAT pattern", ("pattern", "two-sided pattern", "draws"), strong=True, when=_has_pattern
)
OTHER_WORDS = Declared(
    "Other words", ("share",), short="Other\nwords", number=True, faint=True, when=_has_pattern
)
CHANCE = Declared(
    "Random words", ("chance", "p by chance"), short="Random\nwords", number=True,
    when=lambda rows: any(matched_of(row.result) is not None for row in rows),
)  # fmt: skip
FINDING = Declared("Finding", ("finding",), when=lambda rows: not _d(rows) and not _terms(rows))

MANUSCRIPT = (
    TEST, SOURCE, CONCEPTS, ATTRIBUTES, TERM, GROUP, EFFECT, ADJUSTED, LEVEL3, PATTERN, CHANCE,
    FINDING,
)  # fmt: skip
BEHIND_EFFECTS = (
    LEVEL3,
    MAP,
    PATTERN.only("pattern", "two-sided pattern"),
    CHANCE,
    replace(FINDING, when=lambda rows: not rows[0].effects),
)
"""In a terminal that is not wide."""
ALONE = (NAME, EFFECT.only("d"), *P_VALUES, METHOD, *BEHIND_EFFECTS)
"""In a terminal: one effect size with its three p-values beside it."""
NARROW_HEADS = {
    "level1": "Level 1\nd",
    "level2.X": "Level 2\nd of X",
    "level2.Y": "\nd of Y",
    "over_attributes": "LPBS d over\nattributes",
}
NARROW = (NAME, EFFECT.only("d", "p", heads=NARROW_HEADS, hangs=True), *BEHIND_EFFECTS)
"""In a terminal: several effect sizes, each with the p that is read below it."""
WIDE_HEADS = {
    "level1": "Level 1\nd",
    "level2.X": "Level 2 X\nd",
    "level2.Y": "Level 2 Y\nd",
    "over_attributes": "LPBS\nd",
}
WIDE = (
    NAME.only("called", "sides"),
    EFFECT.only("d", heads=WIDE_HEADS, hangs=True),
    INTERVAL,
    P,
    MAP,
    PATTERN.only("pattern"),
    OTHER_WORDS,
    CHANCE.only("chance", faint=True, empty=""),
    LEVEL3,
)
"""In a wide terminal: each result in one line."""
BY_ID = (NAME.only("called", short="Test"), LEVEL3)
"""Below a table without level 3, which is too wide with it."""
TERMS = (GROUP.only("group", short="group"), EFFECT.only("d"), *P_VALUES)
"""In a terminal: behind each term of one result."""
OVER_SENTENCES = (
    NAME.only("called", short="Over single sentences,\nfor comparison", strong=False),
    Declared("Sentences", ("sentences",), short="Sentences\nX, Y; A, B"),
    EFFECT.only("d", "p over sentences", heads=NARROW_HEADS, starred=False),
    PATTERN.only("pattern of sentences", strong=False),
)
"""In a terminal: what is below a table over stimuli."""


def arranged(rows: Sequence[Row], form: Iterable[Declared]) -> Table:
    """Rows under the columns of a form, as far as there is something to say in them."""
    columns = list(_columns(rows, [one for one in form if one.when(rows)]))
    return Table(
        id=rows[0].result.measure,
        columns=tuple(column for column, _ in columns),
        rows=tuple(tuple(fill(row) for _, fill in columns) for row in rows),
    )


def _columns(rows: Sequence[Row], form: Iterable[Declared]) -> Iterator[Filled]:
    """Each column with what fills it.

    Neighbours that are there for each effect size are repeated together.
    """
    for of, some in groupby(form, key=lambda one: one.of):
        if of == "effect":
            declared = list(some)
            places = {place: one for row in rows for place, one in row.effects.items()}
            for place, shown in places.items():
                for one in declared:
                    yield from _of_effect(one, place, shown, rows)
        else:
            for one in some:
                yield from _of_level3(one) if of == "level 3" else _of_result(one, rows)


def _of_result(declared: Declared, rows: Sequence[Row]) -> Iterator[Filled]:
    """One column, with the heading of the results' measure where it has no title."""

    def fill(row: Row) -> Cell:
        return declared.cell(OF_RESULT[line](row) for line in declared.lines)

    short = declared.short or ("" if declared.title else rows[0].result.heading)
    yield Column(declared.title, number=declared.number, short=short), fill


def _of_level3(declared: Declared) -> Iterator[Filled]:
    """A column for each of the four cells."""
    for name in CELLS:

        def fill(row: Row, name: str = name) -> Cell:
            found = row.result.level3
            cell = found and found.cell(name)
            return declared.cell(OF_MEAN[line](cell) for line in declared.lines if cell)

        above = declared.title if name == CELLS[0] else ""
        short = f"{above}\n{name[0]},{name[1]}"
        yield Column(f"{name[0]}, {name[1]}", declared.title, declared.number, short), fill


def _of_effect(
    declared: Declared, place: str, shown: Effect, rows: Sequence[Row]
) -> Iterator[Filled]:
    """A column for the effect size at one place, if there is something to say of it."""
    found = [row.effects.get(place) for row in rows]
    several = any(len(row.effects) > 1 for row in rows)
    group = shown.title if several and shown.symbol != shown.title else ""
    title, short = declared.title, declared.short
    if "d" in declared.lines:
        title = shown.symbol
        if declared.heads is not None:
            short = declared.heads.get(place, f"{shown.title}\n{title}")
    elif declared is ADJUSTED:
        if not rows[0].family.has(place.partition(".")[0]):
            return
        title = rows[0].family.method
    elif declared is INTERVAL:
        sure = [one.confidence for one in found if one and one.confidence]
        if not sure:
            return
        short = f"{100 * sure[0]:g}%\ninterval"

    def fill(row: Row) -> Cell:
        one = row.effects.get(place)
        lines = (OF_EFFECT[line](row, one) for line in declared.lines if one)
        return declared.cell(lines, star=bool(declared.starred and one and one.significant))

    yield Column(title, group, declared.number, short, declared.hangs), fill


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


def tables(results: Iterable[AssociationResult], family: DeclaredFamily) -> list[Table]:
    """Tables of a manuscript: one for each signature, in order of first appearance."""
    by_signature: dict[str, list[AssociationResult]] = {}
    for result in results:
        by_signature.setdefault(result.signature, []).append(result)
    found = []
    for members in by_signature.values():
        if members[0].by_target is None:
            found.append(_of_signature(members, family))
        else:  # a row for each target
            found += [_of_targets(one, number) for number, one in enumerate(members, start=1)]
    return found


def _of_signature(members: Sequence[AssociationResult], family: DeclaredFamily) -> Table:
    """The results of one signature, and what a reader needs below them."""
    settings = Settings.among(members)
    rows = [row for one in members for row in rows_of(one, settings.of(one), family)]
    whole = list(map(one_line, settings.in_words()))
    named = ", ".join(whole) if len(whole) <= NAMED else number_of(len(whole), "source")
    return replace(
        arranged(rows, MANUSCRIPT),
        caption=f"{number_of(len(members), 'result')} of {members[0].signature} on {named}.",
        notes=tuple(_notes(members, rows, family)),
    )


def _of_targets(result: AssociationResult, number: int) -> Table:
    """Every target of a result, and what a reader needs below them."""
    found, place = leans(result), ", ".join(Settings.among([result]).in_words())
    return replace(
        _targets(result),
        id=f"{result.measure}-{number}" if number > 1 else result.measure,
        caption=f"{one_line(result.test)} on {one_line(place)}: targets by {result.signature}.",
        notes=(
            " ".join(f"{one.title}: {effect(one.d)}." for one in result.effects()),
            found.legend,
            f"Reference: {found.reference}.",
        ),
    )


def ends_table(result: AssociationResult) -> Table:
    """Targets at either end, above what all of them show in words."""
    table = _targets(result, ends=True) if result.by_target is not None else _values(result)
    return replace(table, caption=short_sentence(result))


def _targets(result: AssociationResult, *, ends: bool = False) -> Table:
    """A row for each target, or for those at either end, and one for the concept as a whole."""
    found = leans(result)
    groups = [isolated(found.groups[j]) for j in found.columns]

    def row(one: Lean, name: str) -> tuple[Cell, ...]:
        points = ((signed_points(one.points[j]), one.between(j)) for j in found.columns)
        return (
            Cell((name,), strong=ends and one is found.whole),
            *(Cell(tuple(filter(None, lines))) for lines in points),
            Cell((one.bias,)),
            *([Cell((f"{one.shown.contexts or 0:,}",))] if found.counted else []),
            Cell((one.p,), star=bool(one.star)),
        )

    shown, left_out = found.ends() if ends else (found.rows, 0)
    rows = _with_gap([row(one, one_line(one.term)) for one in shown], left_out)
    if found.whole is not None:
        rows.append(row(found.whole, f"{one_line(found.whole.term)} as one mean"))
    columns = (
        Column("Target", short=_heading(result)),
        *(Column("Points", name, number=True, short=f"{name}\npoints") for name in groups),
        Column("Bias", number=True),
        *([Column("Contexts", number=True)] if found.counted else []),
        Column("p", number=True),
    )
    return Table(result.measure, columns, tuple(rows))


def _values(result: AssociationResult) -> Table:
    """Numbers of the targets at either end and of all, and those by group where there are any."""
    shown, left_out = at_ends(values_in_order(result))
    (whole,) = result.effects()
    groups = result.sides[-1] if any(one.association for one in shown) else ()

    def row(name: str, *numbers: float | None, strong: bool = False) -> tuple[Cell, ...]:
        texts = (effect(one, DECIMALS) for one in numbers)
        return (Cell((name,), strong=strong), *(Cell((text,)) for text in texts))

    rows = [row(one_line(one.term), one.value, *(one.association or ())) for one in shown]
    names = map(isolated, (whole.title, *groups))
    return Table(
        result.measure,
        (Column("Target", short=_heading(result)), *(Column(n, number=True) for n in names)),
        (*_with_gap(rows, left_out), row("All targets", whole.d, strong=True)),
    )


def _heading(result: AssociationResult) -> str:
    """Over the terms or targets of one result: its test and attributes."""
    return f"{called(result)}: {' / '.join(result.sides[-1])}"


def _with_gap(rows: list[tuple[Cell, ...]], left_out: int) -> list[tuple[Cell, ...]]:
    """Rows with one in their middle that says how many are left out there."""
    gap = [(Cell((f"… {left_out} more",), faint=True),)] if left_out else []
    return [*rows[: len(rows) // 2], *gap, *rows[len(rows) // 2 :]]


def terms_table(result: AssociationResult) -> Table:
    """A row for each term, from the strongest association with A to that with B."""
    rows = sorted(rows_of(result), key=lambda row: -(next(iter(row.effects.values())).d or 0.0))
    return arranged(rows, [TERM.only("term", short=_heading(result)), *TERMS])


def over_sentences(members: Iterable[AssociationResult]) -> Table | None:
    """Effect sizes and p-values over sentences, without stars; None where nothing is over them."""
    found = (
        (one, {e.place: e.over_sentences for e in one.effects() if e.over_sentences})
        for one in members
    )
    rows = [rows_of(one)[0]._replace(effects=singles) for one, singles in found if singles]
    return arranged(rows, OVER_SENTENCES) if rows else None


def _unit(result: AssociationResult) -> str:
    """What level 3 has means of."""
    return f"{result.unit} in {result.scale}" if result.scale else result.unit


def explanations(members: Sequence[AssociationResult], *, wide: bool = False) -> list[str]:
    """What is below a terminal's table; of a `wide` one, p and shares have columns of their own."""
    told = [_legend(members, wide=wide), legend(members, shares_alone=wide)]
    read = [(one.test, one.primary) for one in members if wide and one.pattern is not None]
    others = [f"{test} {of.two_sided_label}" for test, of in read if of.two_sided_label != of.label]
    told += [f"By the two-sided rule: {', '.join(others)}."] if others else []
    return [one for one in told if one]


def _legend(members: Sequence[AssociationResult], *, wide: bool) -> str:
    """What a star says, and what the numbers of level 3 and the map are."""
    first = members[0]
    if first.by_target is not None:
        return "\n".join(dict.fromkeys(leans(one).legend for one in members))
    if first.values is not None:
        return "\n".join(dict.fromkeys(map(values_legend, members)))
    effects = [one for result in members for one in result.effects()]
    if not any(one.symbol == "d" for one in effects):
        return ""
    stars = first.rule.meaning
    if any(result.primary.over_stimuli for result in members):
        stars += "; tests of sentences: over stimuli"
    bounds = f" {BOUNDS}" if bounds_shown(effects) else ""
    if first.level3 is None:
        return f"{stars}.{bounds}" if bounds else stars
    below = "." if wide else "; p below each effect size."
    other = " Other words: how often resamples show the same pattern." if wide else ""
    return (
        f"{stars}{below}{other} Level 3: mean {_unit(first)} (standard deviation). "
        "Map: rows A and B, columns X and Y, a filled square where they are associated."
        f"{bounds}"
    )


def _notes(
    members: Sequence[AssociationResult], rows: Sequence[Row], family: DeclaredFamily
) -> Iterator[str]:
    """What a reader needs below a table of effect sizes d; nothing below other numbers."""
    first, effects = members[0], [one for row in rows for one in row.effects.values()]
    terms, places = any(one.term is not None for one in effects), {one.place for one in effects}
    if not terms and all(one.symbol != "d" for one in effects):
        return
    drawn = [known for result in members if (known := result.primary.uncertainty)]
    sure = " and ".join(dict.fromkeys(percent(known.confidence) for known in drawn))
    adjusted = any(family.has(place.partition(".")[0]) for place in places)
    resampled = any(known.patterns for known in drawn)
    means = [
        f"Effect sizes are means over draws of {what}, and p is that of the means."
        for what in dict.fromkeys(result.draws.drawn for result in members if result.draws)
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
        (first.level3, f"Level 3: mean {_unit(first)}, and in parentheses {DEVIATION}."),
        (resampled, RESAMPLED),
    ]
    yield from (note for holds, note in notes if holds)
    if first.draws is not None and not resampled:
        yield f"Draws: those of {first.draws.varied} that show the same pattern."
    yield from filter(None, [legend(members)])
