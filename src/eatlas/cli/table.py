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

from eatlas.cli.console import (
    FIRST_COLUMN,
    least_width,
    new_console,
    rich_table,
    show,
    table_of,
)
from eatlas.cli.notes import MOST, notes
from eatlas.present.columns import (
    ALONE,
    BY_ID,
    LEVEL3,
    NARROW,
    WIDE,
    Declared,
    Row,
    arranged,
    called,
    rows_of,
)
from eatlas.present.effects import OVER_SENTENCES, own_share
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import UNDEFINED, effect, interval, percent
from eatlas.present.sentences import (
    heading,
    headline,
    not_generalised,
    other_pattern,
    sentences,
)
from eatlas.present.table_content import (
    ends_table,
    explanations,
    over_sentences,
    terms_table,
)
from eatlas.results import AssociationResult, Results
from eatlas.results.settings import Settings, repeated

if TYPE_CHECKING:
    from eatlas.results.levels import DrawsRecord, OverDraws

LINES = 160
"""Columns of a terminal from which each result has one line."""
DRAWS_HEADS = (
    "Over draws",
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
        size = "" if result.contexts is None else result.contexts.size
        groups.setdefault((result.signature, result.source, size), []).append(result)
    said: set[str] = set()
    for found in groups.values():
        order = list(dict.fromkeys(result.test for result in found))
        members = sorted(found, key=lambda result: order.index(result.test))
        show(console, Text(_title(members[0], settings, said), "bold"))
        _print_group(console, members, settings, said)
    if several := repeated(results):
        from eatlas.cli.settings import (  # noqa: PLC0415  (most runs have one setting)
            print_comparisons,
            print_matrix,
        )

        print_matrix(console, results)
    for name, line in declared.lines():
        show(console, Text.assemble((f"{name}: " if name else "", "bold"), line))
    if several:
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
    """The measure and the setting of some results; a signature is rich_table in full once."""
    measure = first.signature if first.signature not in said else settings.short(first)
    said.add(first.signature)
    return f"{measure} on {settings.place(first)}"


def _print_group(
    console: Console, members: Sequence[AssociationResult], settings: Settings, said: set[str]
) -> None:
    """Print the tables of results of one measure on one source, and what explains them.

    Explanations are printed once: `said` has those that are above already.
    """
    wide = _wide(members, console)
    for table in wide or _tables(members, console):
        show(console, table)
    explained = [one for one in explanations(members, wide=bool(wide)) if one not in said]
    said.update(explained)
    if explained:
        show(console, Text("\n".join(explained), "dim"))
    for line in findings(members, settings):
        show(console, line)
    if (singles := over_sentences(members)) is not None:
        show(console, rich_table(singles, folds=False))
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


def _wide(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """Tables with a line for each result, and intervals; none where the terminal is too narrow."""
    effects = [one for member in members for one in member.effects()]
    if console.width < LINES or len({one.place for one in effects}) < 2:
        return []
    if members[0].by_target is not None or any(one.term is not None for one in effects):
        return []
    least = FIRST_COLUMN[1]
    rows = [row for one in members for row in rows_of(one)]
    found = _split(rows, WIDE, console, between=" ", least=least)
    room = _room(found[0], console)
    found[0].columns[0].max_width = room
    return found if room >= least else []


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results, in two parts where it is too wide; of single terms one a result."""
    effects = [one for member in members for one in member.effects()]
    if any(one.term is not None for one in effects):
        return [rich_table(terms_table(one)) for one in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [rich_table(ends_table(one), names=(), between=" ") for one in members]
    several = len({one.place for one in effects}) > 1
    rows = [row for one in members for row in rows_of(one, published_first=True)]
    return _split(rows, NARROW if several else ALONE, console)


def _split(
    rows: Sequence[Row],
    form: Sequence[Declared],
    console: Console,
    between: str = "\n",
    least: int | None = None,
) -> list[Table]:
    """Results in a form, with level 3 in a second table where one would be too wide.

    With `least`, the room that the first column needs.
    """
    names = [called(row.result) for row in rows]
    whole = rich_table(arranged(rows, form), names=names, between=between)
    room = least or whole.columns[0].min_width or 0
    if rows[0].result.level3 is None or _room(whole, console) >= room:
        return [whole]
    others = arranged(rows, [one for one in form if one is not LEVEL3])
    return [
        rich_table(others, names=names, between=between),
        rich_table(arranged(rows, BY_ID), between=" ", folds=False),
    ]


def _room(table: Table, console: Console) -> int:
    """Width that the other columns leave to the first one."""
    return console.width - least_width(table, console) + (table.columns[0].min_width or 0)


def over_draws(shown: Sequence[tuple[AssociationResult, DrawsRecord]]) -> Table:
    """Spread, combination and patterns of single draws of contexts, below the means of them."""
    rows: list[tuple[str | Text, ...]] = []
    for result, draws in shown:
        found, label = draws.level1, result.pattern.label if result.pattern else ""
        rows.append(
            (
                Text(result.test, "bold"),
                f"{draws.count:,}",
                interval(found.quantiles and (found.quantiles[0], found.quantiles[4])),
                effect(found.combined.effect_size) if found.combined else UNDEFINED,
                percent(found.combined.i2) if found.combined else UNDEFINED,
                _variance(found),
                f"{percent(draws.patterns.get(label, 0.0))} of draws",
            )
        )
    return table_of(DRAWS_HEADS, rows, folds=False)


def _variance(found: OverDraws) -> str:
    shares = found.shares
    if shares is None:
        return UNDEFINED
    contexts = UNDEFINED if shares.contexts is None else percent(shares.contexts)
    return f"{contexts} / {percent(shares.stimuli)} / {percent(shares.groups)}"
