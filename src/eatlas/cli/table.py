"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: what is wider than a narrow terminal without level 3 is
left to the terminal to wrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import least_width, new_console, rich_table, say, show
from eatlas.errors import listed
from eatlas.notes import Note, merged
from eatlas.numbers import all_of, count, percent
from eatlas.present.columns import (
    APART,
    TERMINAL,
    arranged,
    ends_table,
    explanations,
    rows_of,
    terms_table,
)
from eatlas.present.effects import own_share
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import finding_of
from eatlas.present.sentences import (
    heading,
    not_generalised,
    other_pattern,
    sentences,
    statement,
)
from eatlas.present.tables import compared
from eatlas.results import AssociationResult, Results
from eatlas.results.compare import side_by_side
from eatlas.results.settings import Settings, repeated

FEW, NAMED, MOST = 3, 8, 25
"""Results that are named one by one where a note is about all of them; results that a note names;
notes that are printed: the report has all of them beside their results."""


def print_results(results: Results) -> None:
    """Print a table for each measure and source, then what the reader should know."""
    console, settings = new_console(), Settings.among(results)
    groups: dict[tuple[str, str, str], list[AssociationResult]] = {}
    for result in results:
        size = "" if result.contexts is None else result.contexts.size
        groups.setdefault((result.signature, result.source, size), []).append(result)
    declared, printed = DeclaredFamily.of(results), set[str]()
    for (signature, *_), members in groups.items():
        order = list(dict.fromkeys(result.test for result in members))
        members.sort(key=lambda result: order.index(result.test))
        # a signature is in full once, and so is what explains a table
        measure = settings.short(members[0]) if signature in printed else signature
        say(console, f"{measure} on {settings.place(members[0])}", "bold")
        for table in _tables(members, console):
            show(console, table)
        if explained := [text for text in explanations(members) if text not in printed]:
            say(console, "\n".join(explained), "dim")
        printed.update([signature, *explained])
        _print_findings(console, members, settings, declared)
    _print_matrix(console, results)
    for name, line in declared.lines():
        say(console, line, head=name and f"{name}: ")
    _print_comparisons(console, results, declared)
    for trend in results.trends:
        say(console, f"\n{heading(trend, settings)}", "bold")
        for sentence in sentences(trend):
            say(console, settings.without_paths(sentence))
    every = list(notes(results))
    more = f"{len(every) - MOST} more notes are in the report, beside their results."
    for who, text in every[:MOST] + [("", more)] * (len(every) > MOST):
        say(console, text, head=who and f"{who}: ")


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results; what makes it too wide is below it, each in a table of its own.

    Of single terms and of targets one for each result.
    """
    if any(effect.term is not None for result in members for effect in result.effects()):
        return [rich_table(terms_table(result), between=" ") for result in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [rich_table(ends_table(result), between=" ") for result in members]
    rows = [row for result in members for row in rows_of(result, published_first=True)]
    for number in range(len(APART) + 1):
        below = list(APART)[:number]
        narrower = [column for column in TERMINAL if column not in below]
        first = rich_table(arranged(rows, narrower))
        if least_width(first, console) <= console.width:
            break
    more = (arranged(rows, APART[column]) for column in below)
    return [first, *(rich_table(t, between=" ") for t in more if len(t.columns) > 1)]


def _print_findings(
    console: Console,
    members: Sequence[AssociationResult],
    settings: Settings,
    family: DeclaredFamily,
) -> None:
    """Say what each result found, how often other words show its pattern, and what draws show."""
    compared = [r for r in members if any(e.place == "level1" for e in r.effects())]
    names = [settings.named(result) for result in compared]
    width = max(map(len, names), default=0)
    for name, result in zip(names, compared, strict=True):
        share, more, stable = own_share(result), other_pattern(result), ""
        if share is not None and result.pattern is not None:
            of = f"draws of {result.draws.varied}" if result.draws else "resamples"
            stable = f" ({result.primary.label} in {percent(share)} of {of}"
            stable += f", {more})" if more else ")"
        bold = (name.ljust(width), "bold")
        line = (f"  {finding_of(result, family)}", (stable, "dim"))
        show(console, Text.assemble(bold, *line))
    for name, result in zip(names, compared, strict=True):
        if drawn := statement("contexts", result):
            say(console, drawn, head=f"{name}: ")
    if beyond := not_generalised(members, map(settings.named, members)):
        say(console, beyond)


def _print_matrix(console: Console, results: Results) -> None:
    """Print tests by settings, where there are several settings of the same tests.

    The number of patterns that differ alone, where there are more settings than fit.
    """
    together = [r for r in results if r.pattern or any(e.place == "level1" for e in r.effects())]
    tests = {result.test for result in together}
    if len(together) < 2 or len(tests) == len(together):
        return
    if any(result.by_target or result.period is not None for result in together):
        return  # a series has its trend
    rows, shared = side_by_side(together), Settings.among(together).common
    title = f"{shared}, side by side" if shared else "Side by side"
    table = compared(rows)
    say(console, f"\n{title}: {table.caption}.", "bold")
    matrix = rich_table(replace(table, caption=""))
    if least_width(matrix, console) <= console.width:
        show(console, matrix)
        return
    for row in filter(lambda row: row.differs, rows):
        say(console, row.differs, head=f"{row.name}: ")


def _print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show."""
    if not repeated(results):
        return
    from eatlas.present.comparison import comparisons  # noqa: PLC0415  (most tables have none)
    from eatlas.present.sections import sections  # noqa: PLC0415

    for by, rows in comparisons(sections(results, family)).items():
        for row in rows if by != "source" else ():
            say(console, "")
            what = "encoding" if by == "level" else by
            say(console, row.sentence, head=f"{row.name} by {what}: ")


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
