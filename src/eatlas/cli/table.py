"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: a table that does not fit a narrow terminal is split
in two, and what is wider still is left to the terminal to wrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import (
    ON,
    least_width,
    new_console,
    rich_table,
    show,
    table_of,
)
from eatlas.errors import listed
from eatlas.notes import Note, merged
from eatlas.present.columns import (
    BY_ID,
    LEVEL3,
    TERMINAL,
    Declared,
    Row,
    arranged,
    called,
    ends_table,
    explanations,
    over_sentences,
    rows_of,
    terms_table,
)
from eatlas.present.drawings.eat_map import glyphs
from eatlas.present.effects import OVER_SENTENCES, own_share
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import UNDEFINED, count, effect, interval, number_of, percent
from eatlas.present.sections import sections
from eatlas.present.sentences import (
    heading,
    headline,
    not_generalised,
    other_pattern,
    sentences,
)
from eatlas.present.tables import cell_of, summary
from eatlas.results import AssociationResult, Results
from eatlas.results.compare import SideBySide, side_by_side, told_apart
from eatlas.results.settings import Settings, repeated

if TYPE_CHECKING:
    from eatlas.results.levels import DrawsRecord

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
    printed: set[str] = set()
    for members in groups.values():
        order = list(dict.fromkeys(result.test for result in members))
        members.sort(key=lambda result: order.index(result.test))
        show(console, Text(_title(members[0], settings, printed), "bold"))
        _print_group(console, members, settings, printed)
    if several := repeated(results):
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


def _title(first: AssociationResult, settings: Settings, printed: set[str]) -> str:
    """The measure and the setting of some results; a signature is printed in full once."""
    measure = first.signature if first.signature not in printed else settings.short(first)
    printed.add(first.signature)
    return f"{measure} on {settings.place(first)}"


def _print_group(
    console: Console, members: Sequence[AssociationResult], settings: Settings, printed: set[str]
) -> None:
    """Print the tables of results of one measure on one source, and what explains them.

    Explanations are printed once: `printed` has those that are above already.
    """
    for table in _tables(members, console):
        show(console, table)
    explained = [text for text in explanations(members) if text not in printed]
    printed.update(explained)
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


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results, in two parts where it is too wide; of single terms one a result."""
    effects = [one for member in members for one in member.effects()]
    if any(one.term is not None for one in effects):
        return [rich_table(terms_table(one), between=" ") for one in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [rich_table(ends_table(one), names=(), between=" ") for one in members]
    rows = [row for one in members for row in rows_of(one, published_first=True)]
    return _split(rows, TERMINAL, console)


def _split(rows: Sequence[Row], form: Sequence[Declared], console: Console) -> list[Table]:
    """Results in a form, with level 3 in a second table where one would be too wide."""
    names = [called(row.result) for row in rows]
    whole = rich_table(arranged(rows, form), names=names)
    if rows[0].result.level3 is None or _room(whole, console) >= (whole.columns[0].min_width or 0):
        return [whole]
    others = arranged(rows, [one for one in form if one is not LEVEL3])
    return [
        rich_table(others, names=names),
        rich_table(arranged(rows, BY_ID), between=" ", folds=False),
    ]


def _room(table: Table, console: Console) -> int:
    """Width that the other columns leave to the first one."""
    return console.width - least_width(table, console) + (table.columns[0].min_width or 0)


def over_draws(drawn: Sequence[tuple[AssociationResult, DrawsRecord]]) -> Table:
    """Spread, combination and patterns of single draws of contexts, below the means of them."""
    rows: list[tuple[str | Text, ...]] = []
    for result, draws in drawn:
        level1, label = draws.level1, result.pattern.label if result.pattern else ""
        shares = level1.shares
        parts = (shares.contexts, shares.stimuli, shares.groups) if shares else ()
        variance = " / ".join(UNDEFINED if part is None else percent(part) for part in parts)
        rows.append(
            (
                Text(result.test, "bold"),
                f"{draws.count:,}",
                interval(level1.quantiles and (level1.quantiles[0], level1.quantiles[4])),
                effect(level1.combined.effect_size) if level1.combined else UNDEFINED,
                percent(level1.combined.i2) if level1.combined else UNDEFINED,
                variance or UNDEFINED,
                f"{percent(draws.patterns.get(label, 0.0))} of draws",
            )
        )
    return table_of(DRAWS_HEADS, rows, folds=False)


LEGEND = (
    "d at level 1 (* as above) and the EAT pattern, with its map: rows A and B, columns X and Y."
)


def print_matrix(console: Console, results: Results) -> None:
    """Print tests by settings, where there are several settings of the same tests.

    What differs alone, where there are more settings than fit beside each other.
    """
    compared = [
        result
        for result in results
        if result.pattern is not None or any(e.place == "level1" for e in result.effects())
    ]
    tests = {result.test for result in compared}
    if len(compared) < 2 or len(tests) == len(compared):
        return
    if any(result.by_target or result.period is not None for result in compared):
        return  # a series has its trend
    table = side_by_side(compared)
    shared = Settings.among(compared).common
    title = f"{shared}, side by side" if shared else "Side by side"
    show(console, Text(f"\n{title}: {summary(table)}.", style="bold"))
    matrix = _matrix(table)
    if least_width(matrix, console) > console.width:
        show(console, _narrow(table))
        return
    show(console, matrix)
    if any(any(row.labels) for row in table):
        show(console, Text(LEGEND, "dim"))


def _matrix(table: SideBySide) -> Table:
    """Table of tests by settings."""
    changed = any(row.differs for row in table)
    heads = ["Test", *table.values, *["Differs"] * changed]
    rows: list[list[str | Text]] = []
    for row in table:
        # what differs, on a line for each pattern
        differs = row.differs.replace(" → ", " →\n").replace(", ", ",\n")
        rows.append([Text(row.name, "bold"), *map(_cell, row.members), *[differs] * changed])
    return table_of(heads, rows, "l" * len(heads), folds=False)


def _narrow(table: SideBySide) -> Table:
    """The patterns that differ, and those that do not."""
    heads = ("Test", f"EAT patterns in {number_of(len(table.values), 'setting')}")
    rows = []
    for row in table:
        patterns = row.differs or f"{next(filter(None, row.labels), UNDEFINED)} in all"
        rows.append((Text(row.name, "bold"), patterns.replace(", ", ",\n")))
    return table_of(heads, rows, "ll")


def _cell(result: AssociationResult | None) -> Text:
    """The map of a result, beside it the effect size of level 1 and the pattern."""
    if result is None:
        return Text(UNDEFINED, "dim")
    lines = cell_of(result)
    if result.pattern is None:
        return Text(lines[0])
    text = Text()
    for number, squares in enumerate(glyphs(result)):
        bold = "bold" if lines[number].endswith("*") else ""
        text.append("\n" * number).append(squares, "dim").append(f" {lines[number]}", bold)
    text.highlight_regex(*ON)
    return text


def print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show.

    Model and measure are named where the test alone does not distinguish comparisons.
    """
    if not repeated(results):
        return
    from eatlas.present.comparison import comparisons  # noqa: PLC0415  (most tables have none)

    compared = [one for one in comparisons(sections(results, family)) if one.by != "source"]
    names = [f"{one.first.result.test} by {one.called}" for one in compared]
    names = told_apart(names, [f" ({one.about})" for one in compared])
    for name, one in zip(names, compared, strict=True):
        show(console, Text.assemble("\n", (f"{name}: ", "bold"), one.sentence))


FEW = 3
"""Results that are named one by one where a note is about all of them."""
NAMED = 8
"""Results that a note names."""
MOST = 25
"""Notes that are printed; the report has all of them beside their results."""


def notes(results: Sequence[AssociationResult]) -> Iterator[tuple[str, str]]:
    """Who a note is about, and the note; notes that differ in their figures alone are one.

    Parameters
    ----------
    results : sequence of AssociationResult

    Yields
    ------
    who, text : str
    """
    settings = Settings.among(results)
    pairs = [
        (result, note)
        for result in results
        for note in dict.fromkeys((*result.warnings, *_missing(result)))
    ]
    groups = list(merged(note for _, note in pairs))
    if len(groups) > MOST:  # the widest in front, as some are left out
        groups.sort(key=lambda group: len(group[1]), reverse=True)
    for note, members in groups:
        about = [pairs[number][0] for number in members]
        yield _who(about, results, settings), settings.without_paths(str(note))


def _missing(result: AssociationResult) -> list[Note]:
    """Terms that a result does without."""
    terms = {
        result.concepts[role]: list(group.missing)
        for role, group in result.coverage.items()
        if group.missing
    }
    return [Note("coverage.missing", values={"terms": terms})] if terms else []


def _who(
    members: Sequence[AssociationResult], results: Sequence[AssociationResult], settings: Settings
) -> str:
    """The tests of a note, with their settings where there are several."""
    if len(members) == len(results) > FEW:
        return f"all {count(len(results))} results"
    tests = dict.fromkeys(result.test for result in members)
    every = sum(result.test in tests for result in results)
    each = every // len(tests)
    if len(members) == every == each * len(tests) > len(tests):
        number = "both" if each == 2 else f"all {count(each)}"
        return f"{listed(tests, NAMED)} ({number} {settings.noun}s)"
    return listed(map(settings.named, members), NAMED)
