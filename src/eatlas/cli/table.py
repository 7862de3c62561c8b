"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: a table that does not fit a narrow terminal is split
in two, and what is wider still is left to the terminal to wrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import ON, least_width, new_console, rich_table, say, show, table_of
from eatlas.errors import listed
from eatlas.notes import Note, merged
from eatlas.present.columns import (
    BY_ID,
    LEVEL3,
    TERMINAL,
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
from eatlas.present.numbers import UNDEFINED, all_of, count, effect, interval, percent
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

DRAWS_HEADS = (
    "Over draws", "Draws", "Level 1: d in\n95% of draws", "Combined\nd", "\nI²",
    "Variance\nc / s / t", "Pattern in",
)  # fmt: skip
ABOUT_DRAWS = (
    "Effect sizes above are means over draws of {0.drawn}. Combined: by the "
    "random-effects model of the published CEAT, whose p mostly measures the number of draws. "
    "Variance of associations at level 1: between {0.varied_of}, stimuli, targets."
)
LEGEND = (
    "d at level 1 (* as above) and the EAT pattern, with its map: rows A and B, columns X and Y."
)
FEW, NAMED, MOST = 3, 8, 25
"""Results that are named one by one where a note is about all of them; results that a note names;
notes that are printed: the report has all of them beside their results."""


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
    for (signature, *_), members in groups.items():
        order = list(dict.fromkeys(result.test for result in members))
        members.sort(key=lambda result: order.index(result.test))
        # a signature is in full once, and so is what explains a table
        measure = settings.short(members[0]) if signature in printed else signature
        say(console, f"{measure} on {settings.place(members[0])}", "bold")
        explained = [text for text in explanations(members) if text not in printed]
        printed.update([signature, *explained])
        _print_group(console, members, settings, explained)
    if repeated(results):
        _print_matrix(console, results)
    for name, line in declared.lines():
        say(console, line, head=f"{name}: " if name else "")
    if repeated(results):
        _print_comparisons(console, results, declared)
    for trend in results.trends:
        say(console, f"\n{heading(trend, settings)}", "bold")
        for sentence in sentences(trend):
            say(console, settings.without_paths(sentence))
    every = list(notes(results))
    for who, text in every[:MOST]:
        say(console, text, head=f"{who}: ")
    if more := every[MOST:]:
        say(console, f"{len(more)} more notes are in the report, beside their results.")


def _print_group(
    console: Console, members: Sequence[AssociationResult], settings: Settings, legends: list[str]
) -> None:
    """Print the tables of results of one measure on one source, and what explains them."""
    for table in _tables(members, console):
        show(console, table)
    if legends:
        say(console, "\n".join(legends), "dim")
    for line in findings(members, settings):
        show(console, line)
    if (singles := over_sentences(members)) is not None:
        show(console, rich_table(singles, folds=False))
        say(console, OVER_SENTENCES, "dim")
    drawn = [result for result in members if result.draws is not None]
    if drawn:
        show(console, over_draws(drawn))
        say(console, ABOUT_DRAWS.format(drawn[0].draws), "dim")
    if beyond := not_generalised(members, map(settings.named, members)):
        say(console, beyond)


def findings(members: Sequence[AssociationResult], settings: Settings) -> list[Text]:
    """What each result found in one sentence, and how often other words show its pattern."""
    compared = [r for r in members if any(e.place == "level1" for e in r.effects())]
    names = [settings.named(result) for result in compared]
    width, lines = max(map(len, names), default=0), []
    for name, result in zip(names, compared, strict=True):
        share, more, stable = own_share(result), other_pattern(result), ""
        if share is not None and result.pattern is not None:
            of = f"draws of {result.draws.varied}" if result.draws else "resamples"
            stable = f" ({result.primary.label} in {percent(share)} of {of}"
            stable += f", {more})" if more else ")"
        bold = (name.ljust(width), "bold")
        lines.append(Text.assemble(bold, f"  {headline(result)}", (stable, "dim")))
    return lines


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results, with level 3 in a second one where it would be too wide.

    Of single terms and of targets one for each result.
    """
    if any(effect.term is not None for result in members for effect in result.effects()):
        return [rich_table(terms_table(result), between=" ") for result in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [rich_table(ends_table(result), names=(), between=" ") for result in members]
    rows = [row for result in members for row in rows_of(result, published_first=True)]
    names = [called(row.result) for row in rows]
    whole = rich_table(arranged(rows, TERMINAL), names=names)
    if members[0].level3 is None or least_width(whole, console) <= console.width:
        return [whole]
    narrower = [column for column in TERMINAL if column is not LEVEL3]
    return [
        rich_table(arranged(rows, narrower), names=names),
        rich_table(arranged(rows, BY_ID), between=" ", folds=False),
    ]


def over_draws(results: Sequence[AssociationResult]) -> Table:
    """Spread, combination and patterns of single draws of contexts, below the means of them."""
    rows: list[tuple[str | Text, ...]] = []
    for result in results:
        draws = result.draws
        if draws is None:
            continue
        level1, shares, combined = draws.level1, draws.level1.shares, draws.level1.combined
        parts = (shares.contexts, shares.stimuli, shares.groups) if shares else ()
        variance = " / ".join(UNDEFINED if part is None else percent(part) for part in parts)
        label = result.pattern.label if result.pattern else ""
        rows.append((
            Text(result.test, "bold"),
            f"{draws.count:,}",
            interval(level1.quantiles and (level1.quantiles[0], level1.quantiles[4])),
            effect(combined.effect_size) if combined else UNDEFINED,
            percent(combined.i2) if combined else UNDEFINED,
            variance or UNDEFINED,
            f"{percent(draws.patterns.get(label, 0.0))} of draws",
        ))  # fmt: skip
    return table_of(DRAWS_HEADS, rows, folds=False)


def _print_matrix(console: Console, results: Results) -> None:
    """Print tests by settings, where there are several settings of the same tests.

    The number of patterns that differ alone, where there are more settings than fit.
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
    table, shared = side_by_side(compared), Settings.among(compared).common
    title = f"{shared}, side by side" if shared else "Side by side"
    say(console, f"\n{title}: {summary(table)}.", "bold")
    matrix = _matrix(table)
    if least_width(matrix, console) > console.width:
        for row in filter(lambda row: row.differs, table):
            say(console, row.differs, head=f"{row.name}: ")
        return
    show(console, matrix)
    if any(any(row.labels) for row in table):
        say(console, LEGEND, "dim")


def _matrix(table: SideBySide) -> Table:
    """Tests by settings: the map of a result, its effect size of level 1 and its pattern."""
    changed = any(row.differs for row in table)
    heads, rows = ["Test", *table.values, *["Differs"] * changed], []
    for row in table:
        cells: list[str | Text] = [Text(row.name, "bold")]
        for result in row.members:
            text = Text() if result else Text(UNDEFINED, "dim")
            lines = cell_of(result) if result else ()
            squares = glyphs(result) if result and result.pattern else ()
            for number, line in enumerate(lines):
                text.append("\n" * number)
                if squares:
                    text.append(squares[number], "dim").append(" ")
                text.append(line, "bold" if line.endswith("*") and squares else "")
            text.highlight_regex(*ON)
            cells.append(text)
        # what differs, on a line for each pattern
        differs = row.differs.replace(" → ", " →\n").replace(", ", ",\n")
        rows.append([*cells, *[differs] * changed])
    return table_of(heads, rows, "l" * len(heads), folds=False)


def _print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show.

    Model and measure are named where the test alone does not distinguish comparisons.
    """
    from eatlas.present.comparison import comparisons  # noqa: PLC0415  (most tables have none)
    from eatlas.present.sections import sections  # noqa: PLC0415

    compared = [each for each in comparisons(sections(results, family)) if each.by != "source"]
    names = [f"{each.first.result.test} by {each.called}" for each in compared]
    names = told_apart(names, [f" ({each.about})" for each in compared])
    for name, each in zip(names, compared, strict=True):
        say(console, "")
        say(console, each.sentence, head=f"{name}: ")


def notes(results: Sequence[AssociationResult]) -> Iterator[tuple[str, str]]:
    """Who a note is about, and the note; notes that differ in their figures alone are one.

    Parameters
    ----------
    results : sequence of AssociationResult

    Yields
    ------
    who, text : str
    """
    settings, pairs = Settings.among(results), []
    for result in results:
        every = list(result.warnings)
        terms = {
            result.concepts[role]: list(group.missing)
            for role, group in result.coverage.items()
            if group.missing
        }
        if terms:
            every.append(Note("coverage.missing", values={"terms": terms}))
        pairs += [(result, note) for note in dict.fromkeys(every)]
    groups = list(merged(note for _, note in pairs))
    if len(groups) > MOST:  # the widest in front, as some are left out
        groups.sort(key=lambda group: len(group[1]), reverse=True)
    for note, numbers in groups:
        about = [pairs[number][0] for number in numbers]
        tests = dict.fromkeys(result.test for result in about)
        of_tests = sum(result.test in tests for result in results)
        each = of_tests // len(tests)
        if len(about) == len(results) > FEW:
            who = f"all {count(len(results))} results"
        elif len(about) == of_tests == each * len(tests) > len(tests):
            who = f"{listed(tests, NAMED)} ({all_of(each)} {settings.noun}s)"
        else:
            who = listed(map(settings.named, about), NAMED)
        yield who, settings.without_paths(str(note))
