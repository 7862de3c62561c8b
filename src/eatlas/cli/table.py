"""What a terminal says of results: their title, their findings, comparisons, and notes.

The finding of one test is a sentence for each question, with d, its interval and the three
p-values. Of several tests, each question has a row, below the verdict that it shares with others;
tests in several settings are side by side. Of measures of single terms and targets there are tables
of the ends. The report has the rest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from itertools import islice, product

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import (
    LONGEST_LABEL,
    PROSE,
    in_words,
    least_width,
    new_console,
    rich_table,
    say,
    show,
)
from eatlas.errors import EatlasError, join_names, listing
from eatlas.measures import get_measure
from eatlas.notes import TEXT, Note, merge_notes
from eatlas.numbers import UNDEFINED, all_of, brief_p, count, effect, interval, number_of
from eatlas.plugins import call_point as call
from eatlas.plugins import points
from eatlas.present.account import accounts
from eatlas.present.columns import (
    ends_table,
    explanations,
    label_with_year,
    little_legend,
    terms_table,
)
from eatlas.present.columns import tables as tables_of_numbers
from eatlas.present.effects import interval_in_words, levels_of, name_of_d, p_heads
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import findings_of, first_of, p_values, title
from eatlas.present.rendering import phrase
from eatlas.present.sections import sections
from eatlas.present.sentences import statement
from eatlas.present.tables import comparison_table
from eatlas.present.targets import format_bias, leans
from eatlas.results import AssociationResult, Results, TrendResult
from eatlas.results.effects import Effect
from eatlas.results.finding import VERDICTS, Finding, Question
from eatlas.results.levels import draws_of
from eatlas.results.pooled import pool_groups
from eatlas.results.questions import further_reason
from eatlas.results.settings import Settings, has_repeated_tests
from eatlas.signature import Signature

FEW, NAMED, MOST = 3, 8, 25
"""Results that are named one by one where a note is about all of them; results that a note names;
notes that are printed: the report has all of them beside their results."""
MOST_OF_SERIES = 3
"""Notes that are printed if a long series has a row for each period."""
BESIDE_CONCLUSIONS = frozenset(("frequency.coherence", "frequency.differs", "source.transformed"))
"""Codes of notes that change no conclusion: p-values are adjusted for frequency, the random topics
decide no verdict, and the name of a source has its transform."""
LEAST_TEXT = 34
"""Columns that an association needs; in a narrower terminal its numbers are below it."""
SENSITIVE = 4
"""Words that a finding is sensitive to and that are named."""
SENTENCE = re.compile(r"(?<=[\w)%]{3}\.) (?=[A-Z])")
"""Where a note goes on with what to make of it, which is in the report."""


def summary_text(results: Results, *, full: bool) -> str:
    """The text of :func:`print_results`, without colours."""
    text = StringIO()
    print_results(results, full=full, console=new_console(text))
    return text.getvalue().rstrip()


def print_results(
    results: Results,
    *,
    full: bool = False,
    table: bool = False,
    console: Console | None = None,
) -> None:
    """Print what was found, comparisons, then what the reader should know.

    A long series has its trend and a row for each period; `full` prints the sentences of all
    results, and all notes. `table` prints the tables of all numbers instead of findings. Without a
    `console` the text goes to standard output.
    """
    console, settings = console or new_console(), Settings.from_results(results)
    declared = DeclaredFamily.of(results)
    findings = dict(zip(map(id, results), findings_of(results), strict=True))
    long: list[tuple[TrendResult, list[AssociationResult]]] = []
    if results.trends:
        from eatlas.cli import series  # noqa: PLC0415  (most results are not a series)

        long = [] if full else series.long_series(results)
    in_rows = {id(result) for _, periods in long for result in periods}
    others = Results(result for result in results if id(result) not in in_rows)
    groups = _groups(others)
    _print_title(console, results, settings, findings)
    for trend, periods in long:
        series.print_trend(console, trend, settings)
        series.print_periods(console, periods, findings)
    if long:
        series.print_legend(console, [result for _, periods in long for result in periods])
    legend = ""
    if table:
        for made in tables_of_numbers(list(others), declared, "wide"):
            say(console, "")
            show(console, rich_table(made))
            say(console, "\n".join(made.notes), "dim")
    else:
        beside = set() if full else set(map(id, _side_by_side(others)))
        legend = _print_findings(
            console,
            [result for result in others if id(result) not in beside],
            settings,
            findings,
            full=full,
        )
    measures = _measures_in_words(results, settings, full=full or len(results) == 1)
    say(console, f"{legend}{measures}", "dim")
    for trend in results.trends:
        if all(trend is not shown for shown, _ in long):
            series.print_trend(console, trend, settings)
    for note in dict.fromkeys(str(note) for trend in results.trends for note in trend.warnings):
        say(console, note, hang=2)
    _print_tables(console, groups, settings)
    _print_accounts(console, others)
    _print_others(console, others)
    _print_matrix(console, others)
    _print_comparisons(console, others, declared)
    _print_notes(console, results, brief=bool(long), full=full or len(results) == 1)


def _print_notes(console: Console, results: Results, *, brief: bool, full: bool) -> None:
    """Print what the reader should know; `brief` only the widest notes.

    Unless `full`, notes that change no conclusion are left to the report.
    """
    whole = list(notes(results, alike_by_code=brief))
    every = whole if full else list(notes(results, alike_by_code=brief, without=BESIDE_CONCLUSIONS))
    every = every[: MOST_OF_SERIES if brief else MOST]
    if left := len(whole) - len(every):
        are = "is" if left == 1 else "are"
        every.append(("", f"{number_of(left, 'more note')} {are} in the report, with all numbers."))
    for who, text in every:
        say(console, text, head=who and f"{who}: ", hang=2)


def _print_tables(
    console: Console, groups: Sequence[Sequence[AssociationResult]], settings: Settings
) -> None:
    """Print the tables of single terms and targets, with what explains them, and of samples."""
    printed = set[str]()
    for members in groups:
        place = f"{settings.short(members[0])} on {settings.place(members[0])}"
        if tables := _tables(members, console):
            say(console, "")
            say(console, place, "bold", hang=2)
            for table in tables:
                about, table.caption = table.caption, None
                show(console, table)
                if about:
                    say(console, str(about))
            if explained := [text for text in explanations(members) if text not in printed]:
                say(console, "\n".join(explained), "dim")
            printed.update(explained)
        for result in members:
            if draws_of(result) is not None:
                drawn = f"{statement('contexts', result)} {statement('published', result)}"
                say(console, drawn.strip(), head=f"{settings.label(result)}: ", hang=2)


def _print_others(console: Console, results: Results) -> None:
    """Print what packages add for records, or parts of records, that name their tables."""
    parts = [
        part
        for result in results
        for part in (
            result,
            *(getattr(result, name) for name in type(result).model_fields),
            *result.parts.values(),
        )
    ]
    names = dict.fromkeys(getattr(type(part), "terminal_tables", "") for part in parts)
    if not any(names):
        return
    added = points("eatlas.tables")
    for name in names:
        if name in added:
            call(added[name], type(None), console, results)


def _print_accounts(console: Console, results: Results) -> None:
    """Say how the numbers of a measure came about; of several results in a table."""
    for account, members in accounts(results):
        say(console, "")
        say(console, account.heading, "bold")
        if len(members) == 1:
            for head, text in account.statements(members[0]):
                say(console, text, head=f"{head} ", hang=2)
            continue
        for table in account.tables(members):
            show(console, rich_table(table, between=" "))
            say(console, "\n".join(table.notes), "dim")


def _groups(results: Iterable[AssociationResult]) -> list[list[AssociationResult]]:
    """Results of one measure, source and size of contexts; those of one test together."""
    groups: dict[tuple[str, str, str], list[AssociationResult]] = {}
    for result in results:
        size = "" if result.contexts is None else result.contexts.size
        groups.setdefault((result.signature, result.source, size), []).append(result)
    for members in groups.values():
        order = list(dict.fromkeys(result.test for result in members))
        members.sort(key=lambda result: order.index(result.test))
    return list(groups.values())


def _print_title(
    console: Console, results: Results, settings: Settings, findings: Mapping[int, Finding]
) -> None:
    """Print what several results show together, and the claims over their sources."""
    if len(results) == 1:
        return
    shown, said = [findings[id(result)] for result in results], ""
    pooled = pool_groups(results)
    if has_repeated_tests(results):
        from eatlas.present.comparison import title_of_results  # noqa: PLC0415  (few compare)

        said = title_of_results(results, settings, pooled)
    said = said or title(list(results), shown, settings, pooled, examples=0)
    say(console, said, "bold", hang=2)
    for _, test in pooled:
        numbers = phrase("sentences", "pooled", test)
        sentence = test.questions["level1"].sentence
        say(console, f"{sentence} {numbers}", head=f"{test.name} over {test.noun}: ", hang=2)


def _print_findings(
    console: Console,
    results: Sequence[AssociationResult],
    settings: Settings,
    findings: Mapping[int, Finding],
    *,
    full: bool,
) -> str:
    """Print what each result shows: in rows by verdict, or in sentences with their numbers.

    The answer is what the numbers are.
    """
    if not results:
        return ""
    groups = _groups(results)
    width = min(LONGEST_LABEL, max(cell_len(label_with_year(result)) for result in results))
    measures, alone = len({result.signature for result in results}), len(results) == 1
    for members in groups:
        if len(groups) > 1:
            measure = f"{settings.short(members[0])} on " if measures > 1 else ""
            say(console, f"{measure}{settings.place(members[0])}", "bold")
        in_rows = [r for r in members if not (full or alone) and _fits_rows(findings[id(r)])]
        _print_rows(console, in_rows, findings, width)
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=width, overflow="fold")
        table.add_column(overflow="fold")
        for result in members:
            if all(result is not other for other in in_rows):
                lines = _lines(result, findings[id(result)], whole=full or alone)
                table.add_row(Text(label_with_year(result), "bold"), Text("\n").join(lines))
        show(console, table, folds=True)
    shown = [findings[id(result)] for result in results]
    every = [q for finding in shown for q in list(finding.questions.values())[1:]]
    silent = sum(question.verdict == "not shown" for question in every)
    left_out = ""
    if silent and not alone and not full:
        results_of, are = ("result", "is") if silent == 1 else ("results", "are")
        left_out = f"The {count(silent)} level 2 {results_of} not listed {are} not significant. "
    of_tests = [r for r in results if findings[id(r)].questions and _has_interval(r)]
    return left_out + (f"{_legend(of_tests)} " if of_tests else "")


def _fits_rows(finding: Finding) -> bool:
    """Whether a finding says no more than the answers to the questions of X, Y, A and B."""
    answers = " ".join(question.sentence for question in finding.questions.values())
    return "level1" in finding.questions and finding.sentence == answers


HEADS = "d [95% interval]", "these", "new", "adj."
"""Heads of the numbers of a row."""


def _print_rows(
    console: Console,
    results: Sequence[AssociationResult],
    findings: Mapping[int, Finding],
    width: int,
) -> None:
    """Print each association below its verdict: d, its interval and the three p-values."""
    rows: dict[str, list[list[str]]] = {}
    for verdict, result in product(VERDICTS, results):
        finding, effects = findings[id(result)], {e.place: e for e in levels_of(result)}
        for place, question in finding.questions.items():
            if question.verdict == verdict and (place == "level1" or verdict != "not shown"):
                head = phrase("sentences", "verdict_of_rows", question, results)
                rows.setdefault(head, []).append(_row(result, finding, place, effects[place]))
    if not rows:
        return
    numbers = [row[2:] for of_verdict in rows.values() for row in of_verdict]
    widths = [max(map(cell_len, column)) for column in zip(HEADS, *numbers, strict=True)]
    room = min(console.width, PROSE) - sum(widths) - 2 * len(widths)
    beside = room - width - 2 >= LEAST_TEXT
    for number, (head, of_verdict) in enumerate(rows.items()):
        fits = beside and cell_len(head) <= room
        if number or not fits:
            say(console, head, "bold", hang=2)
        if not number:
            text = (head if fits else "").ljust(room if beside else width)
            show(console, Text.assemble((text, "bold"), (_in_columns(HEADS, widths), "dim")))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=width, overflow="fold", style="bold")
        table.add_column(width=room - width - 2 if beside else None, overflow="fold")
        for test, association, *cells in of_verdict:
            values = _in_columns(cells, widths).removeprefix("  ")
            if beside:
                table.add_row(test, association, values)
            else:
                table.add_row(test, f"{association}\n{values}")
        show(console, table, folds=True)


def _in_columns(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells of columns of numbers, each after two blanks."""
    pairs = zip(cells, widths, strict=True)
    return "".join(f"  {' ' * (width - cell_len(cell))}{cell}" for cell, width in pairs)


def _row(result: AssociationResult, finding: Finding, place: str, size: Effect) -> list[str]:
    """The test, the association, d with its interval, and the three p-values."""
    question, alpha = finding.questions[place], result.rule.alpha
    association = phrase("sentences", "association", result, size, question.verdict)
    if place == "level1" and (words := _sensitive(finding)):
        association += f"; sensitive to {words}"
    return [
        label_with_year(result),
        association,
        f"{effect(size.d)} {interval(question.interval)}".strip(),
        *(
            UNDEFINED if p is None else brief_p(p, alpha)
            for p in (question.p.these, question.p.new, question.p.adjusted)
        ),
    ]


def _sensitive(finding: Finding) -> str:
    """Words without any one of which the verdict would be weaker, if it is a claim."""
    words = [f"“{word}”" for word in finding.sensitive_to]
    if not words or finding.verdict == "not shown":
        return ""
    return join_names(words) if len(words) <= SENSITIVE else f"{len(words)} words"


def _measures_in_words(results: Results, settings: Settings, *, full: bool) -> str:
    """What all results were measured by, and where, if that is one source."""
    groups = _groups(results)
    names = dict.fromkeys(
        in_words(result.signature if full else _without_defaults(result.signature))
        for result in results
    )
    source = f" on {settings.place(groups[0][0])}" if full and len(groups) == 1 else ""
    return f"Measured by {join_names(list(names))}{source}."


def _without_defaults(text: str) -> str:
    """A signature with the parameters that differ from those of the measure by default."""
    signature = Signature.parse(text)
    with suppress(EatlasError):  # a measure that is not installed
        default = Signature.parse(get_measure(signature.name).signature)
        signature = signature.without(dict(set(default.params) & set(signature.params)))
    return str(signature).removesuffix("()")


def _lines(result: AssociationResult, finding: Finding, *, whole: bool) -> list[Text]:
    """Sentences about a result: its first question with numbers, and others that show something."""
    levels = {level.place: level for level in levels_of(result, finding)}
    lines = [Text(first_of(finding))]
    for number, (place, question) in enumerate(finding.questions.items()):
        if number and question.verdict == "not shown" and not whole:
            continue
        lines += [Text(question.sentence)] if number else []
        lines.append(Text(_facts(result, place, question, levels.get(place)), "dim"))
    if words := _sensitive(finding):
        lines[1].append(f"; sensitive to {words}")
    if finding.questions:
        others = (e for e in levels.values() if e.verdict is None and e.symbol == "d")
        lines += [Text(_effect_in_words(e), "dim") for e in others]
    return [line for line in lines if line]


def _facts(result: AssociationResult, place: str, question: Question, level: Effect | None) -> str:
    """The numbers behind an answer, and a reason that its sentence does not give."""
    size = f"{level.symbol} {effect(level.d, level.decimals)}" if level else ""
    if level and question.interval:
        size += f" {interval(question.interval)}"
    smallest = question.p.these if place in {"terms", "targets"} else None
    p = p_values(result, question)
    if smallest is not None:
        p = f"smallest p after Holm {brief_p(smallest, result.rule.alpha)}"
    return "; ".join(filter(None, (size, p, further_reason(question))))


def _effect_in_words(level: Effect) -> str:
    """An effect size that no sentence is about, such as the published one over attributes."""
    p = level.p_of("two_sided")
    numbers = f"d {effect(level.d)}"
    numbers += "" if p is None else f"; p {brief_p(p, level.rule.alpha)}"
    units = "attributes instead of targets as units" * (level.place == "over_attributes")
    remarks = "; ".join(filter(None, (units, level.remark)))
    return f"{level.title}{f' ({remarks})' if remarks else ''}: {numbers}"


def _legend(results: Sequence[AssociationResult]) -> str:
    """What the numbers of findings are."""
    joined = [words for r in results if r.units for of in r.units.clusters.values() for words in of]
    alike = joined and f"; similar terms, such as {joined[0][0]} and {joined[0][1]}, count as one"
    return (
        f"{name_of_d(results)}: effect size, and its 95% interval {interval_in_words(results)}. "
        f"p, two-sided: {', '.join(p_heads(results).values())}{alike or ''}."
    )


def _has_interval(result: AssociationResult) -> bool:
    """Whether the first number is an effect size d with an interval."""
    first = result.effects()[0]
    return first.symbol == "d" and first.interval is not None


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """Of single terms and of targets a table for each result; of others none."""
    if any(effect.term is not None for result in members for effect in result.effects()):
        return [rich_table(terms_table(result), between=" ") for result in members]
    if members[0].by_target is not None or members[0].values is not None:
        return [_ends(result, console) for result in members]
    return []


def _ends(result: AssociationResult, console: Console) -> Table:
    """Targets at either end; without intervals, where there is no room for those of all groups."""
    about = ""
    if result.by_target is not None:
        means = " ".join(f"{shown.title}: {format_bias(shown.d)}." for shown in result.effects())
        about = f"{means} Reference: {leans(result).reference}."
    ends = replace(ends_table(result), caption=about)
    table = rich_table(ends, between=" ")
    if least_width(table, console) <= console.width:
        return table
    rows = tuple(tuple(replace(cell, lines=cell.lines[:1]) for cell in row) for row in ends.rows)
    caption = f"{about} Intervals are in the report.".strip()
    return rich_table(replace(ends, rows=rows, caption=caption), between=" ")


def _print_matrix(console: Console, results: Results) -> None:
    """Print tests by settings, if there are several settings of the same tests.

    If there are more settings than fit, how far apart the effect sizes of each test are.
    """
    together = _side_by_side(results)
    if not together:
        return
    from eatlas.results.compare import side_by_side  # noqa: PLC0415  (few compare)

    rows, shared = side_by_side(together), Settings.from_results(together).common
    head = f"{shared}, side by side" if shared else "Side by side"
    table = comparison_table(rows)
    say(console, "")
    say(console, f"{head}: {table.caption}.", "bold", hang=2)
    of_two = len(rows.values) == 2
    without = [(*row[:-1], replace(row[-1], lines=row[-1].lines[:1])) for row in table.rows]
    for lines in (table.rows, tuple(without))[: 1 + of_two]:  # interval of a difference, if it fits
        matrix = rich_table(replace(table, rows=lines, caption=""), between=" ")
        if least_width(matrix, console) <= console.width:
            show(console, matrix)
            if little := little_legend(together):
                say(console, little, "dim")
            return
    for row in rows:
        sizes = [size.d for size in row.effects(row.places[0]) if size and size.d is not None]
        if sizes:
            text = f"d at level 1 ranges from {effect(min(sizes))} to {effect(max(sizes))}"
            say(console, text, head=f"{row.name}: ", hang=2)


def _side_by_side(results: Results) -> list[AssociationResult]:
    """Results of the same tests in several settings; none of a series, which has its trend."""
    together = [r for r in results if any(e.place == "level1" for e in r.effects())]
    tests = {result.test for result in together}
    if any(result.by_target or result.period is not None for result in together):
        return []
    return together if 1 < len(together) != len(tests) else []


def _print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show."""
    if not has_repeated_tests(results):
        return
    from eatlas.present.comparison import comparisons  # noqa: PLC0415  (most tables have none)

    for by, rows in comparisons(sections(results, family), ()).items():
        for row in rows if by != "source" else ():
            what = "encoding" if by == "level" else by
            say(console, "")
            say(console, row.sentence, head=f"{row.name} by {what}: ", hang=2)


def notes(
    results: Sequence[AssociationResult],
    *,
    alike_by_code: bool = False,
    without: Collection[str] = (),
) -> Iterator[tuple[str, str]]:
    """Who a note is about, and its first sentence; of one code the first, and who has others.

    Missing terms are a note of each list of them; `alike_by_code` makes them one note. Notes of
    the codes `without` are left out.
    """
    settings, pairs = Settings.from_results(results), []
    for result in results:
        every = list(result.warnings)
        terms = {
            result.concepts[role]: list(group.missing)
            for role, group in result.coverage.items()
            if group.missing
        }
        if terms:
            every.append(Note("coverage.missing", values={"terms": terms}))
        pairs += [(result, note) for note in dict.fromkeys(every) if note.code not in without]
    alike: dict[str, list[tuple[str, list[AssociationResult]]]] = {}
    for note, numbers in merge_notes(note for _, note in pairs):
        text = SENTENCE.split(settings.without_paths(str(note)), maxsplit=1)[0]
        apart = note.code == TEXT or (note.code == "coverage.missing" and not alike_by_code)
        code = text if apart else note.code
        alike.setdefault(code, []).append((text, [pairs[number][0] for number in numbers]))
    groups = list(alike.values())
    if alike_by_code or len(groups) > MOST:  # the widest in front, as some are left out
        groups.sort(key=lambda group: sum(len(about) for _, about in group), reverse=True)
    for (text, about), *others in groups:
        also = [result for _, more in others for result in more if result not in about]
        end = f" Also: {_who(also, results, settings)}." if also else ""
        yield _who(about, results, settings), text + end


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
        return f"all tests ({_first(places, settings.noun)})"
    if len(about) == of_tests == each * len(tests) > len(tests):
        return f"{_first(tests, 'test')} ({all_of(each)} {settings.noun}s)"
    noun = "test" if len(tests) == len(about) else "result"
    return _first(dict.fromkeys(map(settings.label, about)), noun)


def _first(names: Collection[str], noun: str) -> str:
    """The first of some names, and how many others there are."""
    rest = len(names) - NAMED
    return listing(islice(names, NAMED)) + f" and {number_of(rest, f'other {noun}')}" * (rest > 0)
