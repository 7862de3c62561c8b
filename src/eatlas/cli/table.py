"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: a table that does not fit a narrow terminal is split
in two, and what is wider still is left to the terminal to wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.columns import HEADS, Column, by_id, called, level3_columns, map_of
from eatlas.cli.console import (
    add_columns,
    least_width,
    new_console,
    new_table,
    show,
)
from eatlas.cli.lines import two_sided, wide_tables
from eatlas.cli.notes import MOST, notes
from eatlas.present import target_values
from eatlas.present.effects import (
    BOUNDS,
    OVER_SENTENCES,
    bounds_shown,
    chance_cell,
    legend,
    matched_of,
    own_share,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import headline, other_pattern
from eatlas.present.numbers import UNDEFINED, effect, interval, p_value, percent
from eatlas.present.sentences import heading, not_generalised, sentences, short_sentence
from eatlas.present.targets import Lean, leans
from eatlas.present.text import isolated, one_line
from eatlas.results import AssociationResult, Effect, Results
from eatlas.results.parts import TAILS
from eatlas.results.settings import Settings, repeated

if TYPE_CHECKING:
    from eatlas.results.draws import DrawsRecord, OverDraws

DRAWS_HEADS = (
    "Draws",
    "Level 1: d in\n95% of draws",
    "Combined\nd",
    "\nI²",
    "Variance\nc / s / t",
    "Pattern in",
)
ABOUT_DRAWS = (
    "Effect sizes above are means over draws of {0.drawn}. Combined: by the "
    "random-effects model of the published CEAT, whose p mostly measures the number of draws. "
    "Variance of associations at level 1: between {0.varied_of}, stimuli, targets."
)


def print_results(results: Results, family: str = "level1") -> None:
    """Print a table for each measure and source, then what the reader should know.

    Parameters
    ----------
    results : Results
    family : str
        Which p-values are adjusted together, as ``--family`` says it.
    """
    console, settings = new_console(), Settings.among(results)
    declared = DeclaredFamily.of(results, family)
    groups: dict[tuple[str, str, str], list[AssociationResult]] = {}
    for result in results:
        groups.setdefault((result.signature, result.source, _size(result)), []).append(result)
    said: set[str] = set()
    for found in groups.values():
        order = list(dict.fromkeys(result.test for result in found))
        members = sorted(found, key=lambda result: order.index(result.test))
        show(console, Text(_title(members[0], settings, said), "bold"))
        _print_group(console, members, settings, said)
    if several := repeated(results):
        from eatlas.cli.settings import (  # noqa: PLC0415  (most runs have one setting)
            print_changes,
            print_comparisons,
            print_matrix,
        )

        print_matrix(console, results)
    for name, line in declared.lines():
        show(console, Text.assemble((f"{name}: " if name else "", "bold"), line))
    if several:
        print_changes(console, results)
        print_comparisons(console, results, declared)
    for trend in results.trends:
        show(console, Text(f"\n{heading(trend, settings)}", style="bold"))
        for sentence in sentences(trend):
            show(console, Text(settings.without_paths(sentence)))
    every = list(notes(results))
    for who, text in every[:MOST]:
        show(console, Text.assemble((f"{who}: ", "bold"), text))
    if more := every[MOST:]:
        show(console, Text(f"{len(more)} more notes are in the report, beside their results."))


def _title(first: AssociationResult, settings: Settings, said: set[str]) -> str:
    """The measure and the setting of some results; a signature is written in full once."""
    measure = first.signature if first.signature not in said else settings.short(first)
    said.add(first.signature)
    return f"{measure} on {settings.place(first)}"


def _print_group(
    console: Console, members: Sequence[AssociationResult], settings: Settings, said: set[str]
) -> None:
    """Print the tables of results of one measure on one source, and what explains them.

    Explanations are printed once: `said` has those that are above already.
    """
    wide = wide_tables(members, console)
    for table in wide or _tables(members, console):
        show(console, table)
    told = [_legend(members, wide=bool(wide)), legend(members, shares_alone=bool(wide))]
    told += [two_sided(members)] if wide else []
    explained = [one for one in told if one and one not in said]
    said.update(explained)
    if explained:
        show(console, Text("\n".join(explained), "dim"))
    for line in findings(members, settings):
        show(console, line)
    if any(map(_singles, members)):
        show(console, over_sentences(members))
        show(console, Text(OVER_SENTENCES, "dim"))
    drawn = [(result, draws) for result in members if (draws := result.draws) is not None]
    if drawn:
        show(console, over_draws(drawn))
        show(console, Text(ABOUT_DRAWS.format(drawn[0][1]), "dim"))
    if beyond := not_generalised(members, map(settings.named, members)):
        show(console, Text(beyond))


def findings(members: Sequence[AssociationResult], settings: Settings) -> list[Text]:
    """What each result found in one sentence, and how often other words show its pattern."""
    compared = [one for one in members if any(e.place == "level1" for e in one.effects())]
    names = [settings.named(one) for one in compared]
    width = max(map(len, names), default=0)
    return [
        Text.assemble((name.ljust(width), "bold"), f"  {headline(one)}", (_share(one), "dim"))
        for name, one in zip(names, compared, strict=True)
    ]


def _share(result: AssociationResult) -> str:
    """How often resamples, or draws of contexts, show the pattern of a result."""
    share = own_share(result)
    if share is None or result.pattern is None:
        return ""
    of = f"draws of {result.draws.varied}" if result.draws else "resamples"
    more = other_pattern(result)
    return f" ({result.primary.label} in {percent(share)} of {of}{f', {more}' if more else ''})"


def _size(result: AssociationResult) -> str:
    """Of contexts, how much of a text they hold."""
    return "" if result.contexts is None else result.contexts.size


def _legend(members: Sequence[AssociationResult], *, wide: bool = False) -> str:
    """What a star says, and what the numbers of level 3 and the map are."""
    first = members[0]
    if first.by_target is not None:
        return "\n".join(dict.fromkeys(leans(one).legend for one in members))
    if first.values is not None:
        return "\n".join(dict.fromkeys(map(target_values.legend, members)))
    if not any(one.symbol == "d" for result in members for one in result.effects()):
        return ""
    stars = first.rule.meaning
    if any(result.primary.over_stimuli for result in members):
        stars += "; tests of sentences: over stimuli"
    shown = bounds_shown(one for result in members for one in result.effects())
    bounds = f" {BOUNDS}" if shown else ""
    if first.level3 is None:
        return f"{stars}.{bounds}" if bounds else stars
    unit = f"{first.unit} in {first.scale}" if first.scale else first.unit
    below = "." if wide else "; p below each effect size."
    other = " Other words: how often resamples show the same pattern." if wide else ""
    return (
        f"{stars}{below}{other} Level 3: mean {unit} (standard deviation). "
        "Map: rows A and B, columns X and Y, a filled square where they are associated."
        f"{bounds}"
    )


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results, in two parts where it is too wide; of single terms one a result."""
    if any(one.term for member in members for one in member.effects()):
        return [_terms_table(member) for member in members]
    if members[0].by_target is not None:
        return list(map(targets_table, members))
    if members[0].values is not None:
        return list(map(values_table, members))
    effects, level3 = _effect_columns(members), level3_columns(members)
    patterns = _pattern_columns(members, console)
    whole = _table(members, [*effects, *level3, *patterns])
    if not level3 or least_width(whole, console) <= console.width:
        return [whole]
    return [_table(members, [*effects, *patterns]), by_id(members, level3_columns(members, " "))]


def _table(rows: Sequence[AssociationResult], columns: Sequence[Column]) -> Table:
    """A row for each result, with what it is called in front."""
    table = new_table(rows[0].heading, [called(row) for row in rows])
    add_columns(table, *((column.head, column.left) for column in columns))
    for row, *cells in zip(map(_name, rows), *(column.cells for column in columns), strict=True):
        table.add_row(row, *cells)
    return table


def _effect_columns(rows: Sequence[AssociationResult]) -> list[Column]:
    """Effect sizes with the p that is read; one that is alone with its three p-values beside it."""
    found = [{one.place: one for one in _ordered(row)} for row in rows]
    places = {place: one for effects in found for place, one in effects.items()}
    if not places:
        return [Column("Finding", [Text(row.summary()) for row in rows], left=True)]
    if len(places) > 1:
        return [
            Column(
                HEADS.get(place, f"{one.title}\n{one.symbol}"),
                [_effect(effects.get(place)) for effects in found],
            )
            for place, one in places.items()
        ]
    ((place, first),) = places.items()
    alone = [effects.get(place) for effects in found]
    sizes = [UNDEFINED if one is None else effect(one.d) + one.star for one in alone]
    if first.symbol != "d":
        return [Column(first.symbol, sizes)]
    methods = [one.p.method_of("greater") if one and one.p else UNDEFINED for one in alone]
    tails = map(list, zip(*map(_tails, alone), strict=True))
    return [
        Column("d", sizes),
        *map(Column, ("p greater", "p less", "p two-sided"), tails),
        Column("method", methods),
    ]


def _pattern_columns(rows: Sequence[AssociationResult], console: Console) -> list[Column]:
    """Map and EAT pattern, and how often random words show it, where that is known."""
    columns = []
    if rows[0].pattern is not None:
        columns += [
            Column("Map\n  XY", [map_of(row, console) for row in rows], left=True),
            Column("EAT pattern", list(map(_pattern, rows)), left=True),
        ]
    if any(matched_of(row) is not None for row in rows):
        columns.append(Column("Chance", list(map(_chance, rows))))
    return columns


def _ordered(result: AssociationResult) -> list[Effect]:
    """Effect sizes of a result, the published one in front."""
    return sorted(result.effects(), key=lambda one: one.in_family)


def _effect(found: Effect | None) -> Text:
    """An effect size with a star, and below it its p."""
    if found is None:
        return Text(f"{UNDEFINED} ")
    star = found.star or " "
    p = found.p_value
    below = "" if p is None else f"\n{p_value(p, found.rule.alpha, found.p_low)} "
    return Text.assemble((effect(found.d) + star, "bold" if found.star else ""), (below, "dim"))


def _tails(found: Effect | None) -> list[str]:
    if found is None or found.p is None:
        return [UNDEFINED] * len(TAILS)
    return [p_value(found.p.tail(t), found.rule.alpha, found.p.low(t)) for t in TAILS]


def _terms_table(result: AssociationResult) -> Table:
    """A row for each term, from the strongest association with A to that with B."""
    found = sorted(result.effects(), key=lambda one: -(one.d or 0.0))
    title = f"{called(result)}: {' / '.join(result.sides[-1])}"
    table = new_table(title, [one.name for one in found])
    heads = ("group", "d", "p greater", "p less", "p two-sided")
    add_columns(table, *((head, head == "group") for head in heads))
    for one in found:
        group = result.concepts[one.roles[0]]
        table.add_row(Text(one.name), group, effect(one.d) + one.star, *_tails(one))
    return table


def targets_table(result: AssociationResult) -> Table:
    """Targets at either end, the concept as a whole, and what all of them show in words."""
    found = leans(result)
    names = [isolated(found.groups[j]) for j in found.columns]
    table = new_table(f"{called(result)}: {' / '.join(result.sides[-1])}", [])
    add_columns(
        table, *((f"{name}\npoints", False) for name in names), ("Bias", False), ("p", False)
    )
    rows, left_out = found.ends()
    for i, one in enumerate(rows):
        if left_out and i == len(rows) // 2:
            table.add_row(Text(f"… {left_out} more", "dim"))
        table.add_row(Text(one.term), *_leaning(one, found.columns))
    if found.whole is not None:
        whole = _leaning(found.whole, found.columns)
        table.add_row(Text(f"{one_line(found.whole.term)} as one mean", "bold"), *whole)
    table.caption = Text(short_sentence(result))
    table.caption_justify = "left"
    return table


def values_table(result: AssociationResult) -> Table:
    """Numbers of the targets at either end and of all, and those by group where there are any."""
    rows, left_out = target_values.ends(result)
    (whole,) = result.effects()
    groups = result.sides[-1] if any(one.association for one in rows) else ()
    table = new_table(f"{called(result)}: {' / '.join(result.sides[-1])}", [])
    add_columns(table, *((isolated(name), False) for name in (whole.title, *groups)))
    for i, one in enumerate(rows):
        if left_out and i == len(rows) // 2:
            table.add_row(Text(f"… {left_out} more", "dim"))
        numbers = (one.value, *(one.association or ()))
        table.add_row(Text(one.term), *(effect(n, target_values.DECIMALS) for n in numbers))
    table.add_row(Text("All targets", "bold"), effect(whole.d, target_values.DECIMALS))
    table.caption = Text(short_sentence(result))
    table.caption_justify = "left"
    return table


def _leaning(one: Lean, columns: Sequence[int]) -> list[str]:
    """Cells of a target: points by group, bias, p."""
    return [*map(one.said, columns), one.bias, one.p + one.star]


def _name(result: AssociationResult) -> Text:
    label = ",\n".join(map(" / ".join, result.sides))
    if result.primary.over_stimuli:
        x, y, a, b = (len(result.primary.names(role)) for role in result.concepts)
        label += f"\nstimuli: {x}, {y}; {a}, {b}"
    return Text.assemble((called(result), "bold"), "\n", (label, "dim"))


def _chance(row: AssociationResult) -> Text:
    """Share of the pattern among random lists, below it the p of level 1."""
    share, p = chance_cell(row)
    if row.pattern is None:
        return Text(p or UNDEFINED)
    return Text.assemble(share or UNDEFINED, "\n", (p, "dim"))


def _pattern(row: AssociationResult) -> Text:
    other = row.primary.two_sided_label
    text = Text(row.primary.label, "bold")
    if other != row.primary.label:
        text.append(f"\ntwo-sided:\n{other}", "not bold dim")
    return text


def over_sentences(members: Sequence[AssociationResult]) -> Table:
    """Effect sizes and p-values over sentences, without stars, below those over stimuli."""
    rows = [(one, singles) for one in members if (singles := _singles(one))]
    table = new_table()
    widest = max((singles for _, singles in rows), key=len)
    add_columns(
        table,
        ("Over single sentences,\nfor comparison", True),
        ("Sentences\nX, Y; A, B", True),
        *((HEADS[one.place], False) for one in widest),
        *([("EAT pattern", True)] if rows[0][0].pattern else []),
    )
    for result, singles in rows:
        counts = result.primary.sentences
        x, y, a, b = (sum(counts.group(r).values()) if counts else 0 for r in "XYAB")
        cells: list[str | Text] = [called(result), f"{x:,}, {y:,}; {a:,}, {b:,}"]
        cells += [Text.assemble(effect(one.d), (f"\n{_single_p(one)}", "dim")) for one in singles]
        table.add_row(*cells, *([result.pattern.label] if result.pattern else []))
    return table


def _singles(result: AssociationResult) -> list[Effect]:
    return [one.over_sentences for one in result.effects() if one.over_sentences]


def _single_p(found: Effect) -> str:
    if found.p is None:
        return UNDEFINED
    return p_value(found.p.tail(found.tail), found.rule.alpha, found.p.low(found.tail))


def over_draws(shown: Sequence[tuple[AssociationResult, DrawsRecord]]) -> Table:
    """Spread, combination and patterns of single draws of contexts, below the means of them."""
    table = new_table()
    add_columns(table, ("Over draws", True), *((head, False) for head in DRAWS_HEADS))
    for result, draws in shown:
        found, label = draws.level1, result.pattern.label if result.pattern else ""
        table.add_row(
            Text(result.test, "bold"),
            f"{draws.count:,}",
            interval(found.quantiles and (found.quantiles[0], found.quantiles[4])),
            effect(found.combined.effect_size) if found.combined else UNDEFINED,
            percent(found.combined.i2) if found.combined else UNDEFINED,
            _variance(found),
            f"{percent(draws.patterns.get(label, 0.0))} of draws",
        )
    return table


def _variance(found: OverDraws) -> str:
    shares = found.shares
    if shares is None:
        return UNDEFINED
    contexts = UNDEFINED if shares.contexts is None else percent(shares.contexts)
    return f"{contexts} / {percent(shares.stimuli)} / {percent(shares.groups)}"
