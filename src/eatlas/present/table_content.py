"""Results arranged as tables, for manuscripts and terminals, with the notes below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from eatlas.present.columns import (
    MANUSCRIPT,
    OVER_SENTENCES,
    TERM,
    TERMS,
    Cell,
    Column,
    Row,
    Table,
    arranged,
    called,
    rows_of,
)
from eatlas.present.effects import BOUNDS, bounds_shown, legend
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import effect, number_of, percent
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
