"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: what is wider than a narrow terminal without level 3 is
left to the terminal to wrap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import (
    LONGEST_LABEL,
    in_words,
    least_width,
    new_console,
    rich_table,
    say,
    show,
)
from eatlas.errors import joined, listed
from eatlas.notes import TEXT, Note, merged
from eatlas.numbers import all_of, count, effect
from eatlas.present.answers import HEADING, answers_statements, answers_tables
from eatlas.present.columns import (
    APART,
    TERMINAL,
    arranged,
    called,
    doubts_tables,
    ends_table,
    explanations,
    little_legend,
    parts_tables,
    rows_of,
    terms_table,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import findings_of, title
from eatlas.present.sentences import finding as of_trend
from eatlas.present.sentences import heading, sentences, statement
from eatlas.present.tables import compared
from eatlas.present.targets import leans
from eatlas.results import AssociationResult, Results
from eatlas.results.questions import Finding
from eatlas.results.settings import Settings, repeated

FEW, NAMED, MOST = 3, 8, 25
"""Results that are named one by one where a note is about all of them; results that a note names;
notes that are printed: the report has all of them beside their results."""
HANGS = 6
"""Words that a finding is sensitive to and that are named."""
SENTENCE = re.compile(r"(?<=[\w)%]{3}\.) (?=[A-Z])")
"""Where a note goes on with what to make of it, which is in the report."""


def print_results(results: Results) -> None:
    """Print what was found, the tables behind it, comparisons, then what the reader should know."""
    console, settings = new_console(), Settings.among(results)
    groups, declared = _groups(results), DeclaredFamily.of(results)
    _print_findings(console, results, groups, settings)
    _print_tables(console, groups, settings)
    _print_answers(console, results)
    _print_parts(console, results)
    _print_matrix(console, results)
    _print_comparisons(console, results, declared)
    for trend in results.trends:
        say(console, "")
        say(console, heading(trend, settings), "bold", hang=2)
        for sentence in sentences(trend):
            say(console, settings.without_paths(sentence), hang=2)
    every = list(notes(results))
    if len(every) > MOST:
        more = f"{len(every) - MOST} more notes are in the report, beside their results."
        every[MOST:] = [("", more)]
    for who, text in [("", ""), *every] if every else ():
        say(console, text, head=who and f"{who}: ", hang=2)


def _print_tables(
    console: Console, groups: Sequence[Sequence[AssociationResult]], settings: Settings
) -> None:
    """Print the tables of each measure and source, and what explains them."""
    printed = set[str]()
    for members in groups:
        signature = members[0].signature
        # a signature is in full once, and so is what explains a table
        measure = settings.short(members[0]) if signature in printed else in_words(signature)
        say(console, "")
        say(console, f"{measure} on {settings.place(members[0])}", "bold", hang=2)
        for table in _tables(members, console):
            about, table.caption = table.caption, None
            show(console, table)
            if about:
                say(console, str(about))
        if explained := [text for text in explanations(members) if text not in printed]:
            say(console, "\n".join(explained), "dim")
        printed.update([signature, *explained])
        for result in members:
            if drawn := statement("contexts", result):
                say(console, drawn, head=f"{settings.named(result)}: ", hang=2)


def _print_answers(console: Console, results: Results) -> None:
    """Say how a model that was asked in words answered; of several results in a table."""
    asked = [result for result in results if result.unanswered is not None]
    if not asked:
        return
    say(console, "")
    say(console, HEADING, "bold")
    if len(asked) == 1:
        for head, text in answers_statements(asked[0]):
            say(console, text, head=f"{head} ", hang=2)
        return
    for table in answers_tables(asked):
        show(console, rich_table(table, between=" "))
        say(console, "\n".join(table.notes), "dim")


def _print_parts(console: Console, results: Results) -> None:
    """Print both kinds of doubt about parts of a corpus, and how neighbours differ."""
    every = list(results)
    for table in (*doubts_tables(every), *parts_tables(every, whole=False, few=True)):
        say(console, "")
        say(console, f"{table.caption}:", "bold")
        show(console, rich_table(replace(table, caption=""), between=" "))
        say(console, "\n".join(table.notes), "dim")


def _groups(results: Results) -> list[list[AssociationResult]]:
    """Results of one measure, source and size of contexts; those of one test together."""
    groups: dict[tuple[str, str, str], list[AssociationResult]] = {}
    for result in results:
        size = "" if result.contexts is None else result.contexts.size
        groups.setdefault((result.signature, result.source, size), []).append(result)
    for members in groups.values():
        order = list(dict.fromkeys(result.test for result in members))
        members.sort(key=lambda result: order.index(result.test))
    return list(groups.values())


def _print_findings(
    console: Console,
    results: Results,
    groups: Sequence[Sequence[AssociationResult]],
    settings: Settings,
) -> None:
    """Print a line for each result: the test and the sentence."""
    findings = findings_of(results)
    of = {id(result): finding for result, finding in zip(results, findings, strict=True)}
    if max(len({r.test for r in results}), len({r.source for r in results})) > 1:
        say(console, title(list(results), findings, settings), "bold", hang=2)
    width = min(LONGEST_LABEL, max(cell_len(called(result)) for result in results))
    measures = len({result.signature for result in results})
    for members in groups:
        if len(groups) > 1:
            measure = f"{settings.short(members[0])} on " if measures > 1 else ""
            say(console, f"{measure}{settings.place(members[0])}", "bold")
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=width, overflow="fold")
        table.add_column(overflow="fold")
        for result in members:
            finding = of[id(result)]
            said = Text.assemble(str(finding), (_sensitive(finding), "dim"))
            table.add_row(Text(called(result), "bold"), said)
        show(console, table, folds=True)
    for trend in results.trends:
        say(console, of_trend(trend), head=f"{settings.series(trend)} by year: ", hang=2)


def _sensitive(finding: Finding) -> str:
    """The words that a finding is sensitive to, on a line of their own; of many their number."""
    words = [f"“{word}”" for word in finding.sensitive_to]
    if not words:
        return ""
    return "\nsensitive to " + (joined(words) if len(words) <= HANGS else f"{len(words)} words")


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """A table of all results; what makes it too wide is below it, each in a table of its own.

    Of single terms and of targets one for each result.
    """
    if any(effect.term is not None for result in members for effect in result.effects()):
        return [rich_table(terms_table(result), between=" ") for result in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [_ends(result, console) for result in members]
    rows = [row for result in members for row in rows_of(result, published_first=True)]
    for number in range(len(APART) + 1):
        below = list(APART)[:number]
        narrower = [column for column in TERMINAL if column not in below]
        first = rich_table(arranged(rows, narrower))
        if least_width(first, console) <= console.width:
            break
    more = (arranged(rows, APART[column]) for column in below)
    return [first, *(rich_table(t, between=" ") for t in more if len(t.columns) > 1)]


def _ends(result: AssociationResult, console: Console) -> Table:
    """Targets at either end; without intervals, where there is no room for those of all groups."""
    about = ""
    if result.by_target is not None:
        means = " ".join(f"{shown.title}: {effect(shown.d)}." for shown in result.effects())
        about = f"{means} Reference: {leans(result).reference}."
    ends = replace(ends_table(result), caption=about)
    table = rich_table(ends, between=" ")
    if least_width(table, console) <= console.width:
        return table
    rows = tuple(tuple(replace(cell, lines=cell.lines[:1]) for cell in row) for row in ends.rows)
    caption = f"{about} Intervals are in the report.".strip()
    return rich_table(replace(ends, rows=rows, caption=caption), between=" ")


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
    from eatlas.results.compare import side_by_side  # noqa: PLC0415  (few compare)

    rows, shared = side_by_side(together), Settings.among(together).common
    head = f"{shared}, side by side" if shared else "Side by side"
    table = compared(rows)
    say(console, "")
    say(console, f"{head}: {table.caption}.", "bold", hang=2)
    matrix = rich_table(replace(table, caption=""))
    if least_width(matrix, console) <= console.width:
        show(console, matrix)
        if little := little_legend(together):
            say(console, little, "dim")
        return
    for row in filter(lambda row: row.differs, rows):
        say(console, row.differs, head=f"{row.name}: ", hang=2)


def _print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show."""
    if not repeated(results):
        return
    from eatlas.present.comparison import comparisons  # noqa: PLC0415  (most tables have none)
    from eatlas.present.sections import sections  # noqa: PLC0415

    for by, rows in comparisons(sections(results, family)).items():
        for row in rows if by != "source" else ():
            what = "encoding" if by == "level" else by
            say(console, "")
            say(console, row.sentence, head=f"{row.name} by {what}: ", hang=2)


def notes(results: Sequence[AssociationResult]) -> Iterator[tuple[str, str]]:
    """Who a note is about, and its first sentence; of one code the first, and who has others."""
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
    alike: dict[str, list[tuple[str, list[AssociationResult]]]] = {}
    for note, numbers in merged(note for _, note in pairs):
        text = SENTENCE.split(settings.without_paths(str(note)), maxsplit=1)[0]
        code = text if note.code in {TEXT, "coverage.missing"} else note.code
        alike.setdefault(code, []).append((text, [pairs[number][0] for number in numbers]))
    groups = list(alike.values())
    if len(groups) > MOST:  # the widest in front, as some are left out
        groups.sort(key=lambda group: sum(len(about) for _, about in group), reverse=True)
    for (text, about), *others in groups:
        also = [result for _, more in others for result in more if result not in about]
        likewise = f" Likewise {_who(also, results, settings)}." if also else ""
        yield _who(about, results, settings), text + likewise


def _who(
    about: Sequence[AssociationResult], results: Sequence[AssociationResult], settings: Settings
) -> str:
    """Some results, named together where they are all of them, or all of some tests."""
    tests = dict.fromkeys(result.test for result in about)
    of_tests = sum(result.test in tests for result in results)
    each = of_tests // len(tests)
    if len(about) == len(results) > FEW:
        return f"all {count(len(results))} results"
    places = dict.fromkeys(settings.of(result) for result in about)
    if len(about) == sum(settings.of(result) in places for result in results) > FEW:
        return f"all tests ({listed(places, NAMED)})"
    if len(about) == of_tests == each * len(tests) > len(tests):
        return f"{listed(tests, NAMED)} ({all_of(each)} {settings.noun}s)"
    return listed(dict.fromkeys(map(settings.named, about)), NAMED)
