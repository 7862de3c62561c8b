"""Results as tables for a terminal, in the manner of the papers' Table 1.

No test id and no pattern label is ever cut: a table that does not fit a narrow terminal is split
in two, and what is wider still is left to the terminal to wrap.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from eatlas.cli.draws_table import about, over_draws
from eatlas.cli.plain import cleaned
from eatlas.cli.stimulus_table import over_sentences
from eatlas.errors import listed
from eatlas.present.comparison import comparisons
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.effects import BOUNDS, EXPLANATION, Rule, bounds_shown, over_stimuli
from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import chance_cell, legend, matched_of
from eatlas.present.numbers import UNDEFINED, effect, p_value
from eatlas.present.sections import sections
from eatlas.present.sentences import heading, sentences
from eatlas.present.trust import not_generalised
from eatlas.results import (
    AssociationResult,
    DrawnResult,
    LogRatioResult,
    Results,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.ml_eat import CELLS
from eatlas.results.parts import TAILS, Level
from eatlas.results.sensitivity import told_apart

ASCII = str.maketrans({"\N{MINUS SIGN}": "-", "–": "-", "─": "-", "…": "~"})
"""For terminals that know no others."""
PIPE_WIDTH = 140
"""Columns where the output is no terminal and nobody has said how wide it is."""
FIRST_COLUMN = (18, 34)
"""Least and greatest width of the labels' column."""
FEW = 3
"""Results that are named one by one where a warning stands for all of them."""


def print_results(results: Results, family: str = "level1") -> None:
    """Print a table for each measure and source, then what the reader should know.

    Parameters
    ----------
    results : Results
    family : str
        Which p-values are adjusted together, as ``--family`` says it.
    """
    console = _console()
    declared = DeclaredFamily.of(results, family)
    groups: dict[tuple[str, str], list[AssociationResult]] = {}
    for result in results:
        place = ", ".join(filter(None, (result.source, _size(result))))
        groups.setdefault((result.signature, place), []).append(result)
    for (signature, source), found in groups.items():
        order = list(dict.fromkeys(result.test for result in found))
        members = sorted(found, key=lambda result: order.index(result.test))
        _print(console, Text(f"{signature} on {source}", style="bold"))
        for table in _tables(members, console):
            _print(console, table)
        below = "\n".join(filter(None, (_legend(members), legend(members))))
        _print(console, Text(below, "dim"))
        if over := over_sentences(members):
            _print(console, over)
            _print(console, Text(EXPLANATION, "dim"))
        if drawn := over_draws(members):
            _print(console, drawn)
            first = next(result for result in members if isinstance(result, DrawnResult))
            _print(console, Text(about(first), "dim"))
        if beyond := not_generalised(members, map(_called, members)):
            _print(console, Text(beyond))
    for name, line in declared.lines():
        _print(console, Text.assemble((f"{name}: " if name else "", "bold"), line))
    _print_comparisons(console, results, declared)
    for trend in results.trends:
        _print(console, Text(f"\n{heading(trend)}", style="bold"))
        for sentence in sentences(trend):
            _print(console, Text(sentence))
    _print_warnings(console, results)


def _print_comparisons(console: Console, results: Results, family: DeclaredFamily) -> None:
    """Say how findings move with prompt, layer, window or distance; what random weights show.

    Model and measure are named where the test alone would not tell comparisons apart.
    """
    shown = sections(results, family, dots=False)
    found = [one for one in comparisons(shown) if one.by != "source"]
    names = [
        f"{one.first.result.test} by {one.called}" + (f" ({one.beside})" if one.beside else "")
        for one in found
    ]
    models = [f" on {one.model}" for one in found]
    measures = [f", {one.first.result.signature}" for one in found]
    for name, one in zip(told_apart(names, models, measures), found, strict=True):
        _print(console, Text.assemble("\n", (f"{name}: ", "bold"), one.sentence))


def _called(result: AssociationResult) -> str:
    """The test, and of a series also the year."""
    return result.test if result.period is None else f"{result.test}, {result.period}"


def _size(result: AssociationResult) -> str:
    """Of contexts, how much of a text they hold."""
    return "" if result.contexts is None else result.contexts.size


def _whole_name(result: AssociationResult) -> str:
    """The test, and of contexts also how much of a text they hold."""
    size = _size(result)
    return f"{_called(result)} ({size})" if size else _called(result)


def _legend(members: Sequence[AssociationResult]) -> str:
    result, stars = members[0], Rule.of(members[0]).meaning
    if any(map(over_stimuli, members)):
        stars += "; tests of sentences: over stimuli"
    bounds = f" {BOUNDS}" if any(map(bounds_shown, members)) else ""
    if not isinstance(result, ThreeLevelResult):
        return f"{stars}.{bounds}" if bounds else stars
    unit = f"{result.unit} in {result.scale}" if result.scale else result.unit
    return (
        f"{stars}; p below each effect size. Level 3: mean {unit} (standard deviation). "
        "Map: rows A and B, columns X and Y, a filled square where they are associated."
        f"{bounds}"
    )


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = PIPE_WIDTH
    return console


def _print(console: Console, what: Table | Text) -> None:
    """Print at the width that the content needs, however narrow the terminal."""
    given, what = console.width, cleaned(what)
    with console.capture() as captured:
        if isinstance(what, Text):
            console.print(what, soft_wrap=not console.is_terminal)
        else:
            console.width = max(given, _least_width(what, console))
            console.print(what)
    console.width = given
    text = captured.get()
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        text = text.translate(ASCII).encode(console.encoding, "backslashreplace").decode("ascii")
    sys.stdout.write(text)


def _least_width(table: Table, console: Console) -> int:
    """Width of the table when its first column, whose labels fold, is as narrow as may be."""
    first = table.columns[0]
    widest, first.max_width = first.max_width, first.min_width
    least = Measurement.get(console, console.options.update(width=10_000), table).maximum
    first.max_width = widest
    return least


def _tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    first = members[0]
    if isinstance(first, ThreeLevelResult):
        rows = [member for member in members if isinstance(member, ThreeLevelResult)]
        whole = _ml_eat_table(rows, console, levels_1_and_2=True, level_3=True)
        if _least_width(whole, console) <= console.width:
            return [whole]
        return [
            _ml_eat_table(rows, console, levels_1_and_2=True, level_3=False),
            _ml_eat_table(rows, console, levels_1_and_2=False, level_3=True),
        ]
    if isinstance(first, WEATResult):
        return [_weat_table([member for member in members if isinstance(member, WEATResult)])]
    return [_sc_eat_table(member) for member in members if isinstance(member, SCEATResult)]


def _ml_eat_table(
    rows: Sequence[ThreeLevelResult], console: Console, *, levels_1_and_2: bool, level_3: bool
) -> Table:
    table = _new_table("EAT: X / Y, A / B", [_called(row) for row in rows])
    if levels_1_and_2:
        over = ["LPBS d over\nattributes"] if isinstance(rows[0], LogRatioResult) else []
        for head in (*over, "Level 1\nd", "Level 2\nd of X", "\nd of Y"):
            table.add_column(head, justify="right", no_wrap=True)
    if level_3:
        for name in CELLS:
            head = "Level 3" if name == "XA" else ""
            table.add_column(f"{head}\n{name[0]},{name[1]}", justify="right", no_wrap=True)
    if levels_1_and_2:
        _add_pattern_columns(table, rows)
    for row in rows:
        cells: list[str | Text] = [_name(row)]
        if levels_1_and_2:
            rule = Rule.of(row)
            published = [row.over_attributes] if isinstance(row, LogRatioResult) else []
            read = row.primary
            levels = (*published, read.level1, read.group("X"), read.group("Y"))
            cells += [_effect(level, rule) for level in levels]
        if level_3:
            cells += [_mean_sd(row, name) for name in CELLS]
        if levels_1_and_2:
            cells += [_map(row, console), _pattern(row)]
            cells += _chance(row) * len(_chance_head(rows))
        table.add_row(*cells)
    return table


def _add_pattern_columns(table: Table, rows: Sequence[AssociationResult]) -> None:
    table.add_column("Map\n  XY", no_wrap=True)
    table.add_column("EAT pattern", no_wrap=True)
    for head in _chance_head(rows):
        table.add_column(head, justify="right", no_wrap=True)


def _weat_table(rows: Sequence[WEATResult]) -> Table:
    table = _new_table("EAT: X / Y, A / B", [_called(row) for row in rows])
    heads = ("d", "p greater", "p less", "p two-sided", "method", *_chance_head(rows))
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        level, rule = row.primary.level1, Rule.of(row)
        if level is None:
            table.add_row(_name(row), *[UNDEFINED] * len(heads))
            continue
        tails = [p_value(level.p.tail(t), rule.alpha, level.p.low(t)) for t in TAILS]
        d = effect(level.effect_size) + rule.star(level)
        beside = [chance_cell(row)[1] or UNDEFINED for _ in _chance_head(rows)]
        table.add_row(_name(row), d, *tails, level.p.method_of("greater"), *beside)
    return table


def _sc_eat_table(result: SCEATResult) -> Table:
    title = f"{_called(result)}: {result.concepts.A} / {result.concepts.B}"
    table = _new_table(title, [entry.term for entry in result.primary_terms])
    for head in ("group", "d", "p greater", "p less", "p two-sided"):
        table.add_column(head, justify="right" if head != "group" else "left", no_wrap=True)
    rule = Rule.of(result)
    for entry in sorted(result.primary_terms, key=lambda e: -(e.level2.effect_size or 0.0)):
        p = entry.level2.p
        tails = [p_value(p.tail(t), rule.alpha, p.low(t)) for t in TAILS]
        d = effect(entry.level2.effect_size) + rule.star(entry.level2)
        table.add_row(Text(entry.term), result.concepts.name(entry.group), d, *tails)
    return table


def _new_table(heading: str, names: Sequence[str]) -> Table:
    """A table whose first column folds labels, and never one of the names."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
    longest = max(map(cell_len, names), default=0)
    limits = max(FIRST_COLUMN[0], longest), max(FIRST_COLUMN[1], longest)
    table.add_column(heading, min_width=limits[0], max_width=limits[1], overflow="fold")
    return table


def _name(result: AssociationResult) -> Text:
    names = result.concepts
    label = f"{names.X} / {names.Y},\n{names.A} / {names.B}"
    if isinstance(result, ThreeLevelResult | WEATResult) and result.primary.over_stimuli:
        x, y, a, b = (len(result.primary.names(role)) for role in "XYAB")
        label += f"\nstimuli: {x}, {y}; {a}, {b}"
    return Text.assemble((_called(result), "bold"), "\n", (label, "dim"))


def _effect(level: Level | None, rule: Rule) -> Text:
    if level is None:
        return Text(f"{UNDEFINED} ")
    star = rule.star(level) or " "
    p = ""
    if level.effect_size is not None:
        p = f"\n{p_value(rule.p(level), rule.alpha, rule.p_low(level))} "
    return Text.assemble(
        (effect(level.effect_size) + star, "bold" if star == "*" else ""), (p, "dim")
    )


def _chance_head(rows: Sequence[AssociationResult]) -> list[str]:
    """The head of the column on random words, where a result was compared with some."""
    return ["Chance"] if any(matched_of(row) is not None for row in rows) else []


def _chance(row: AssociationResult) -> list[Text]:
    """Share of the pattern among random lists, below it the p of level 1."""
    share, p = chance_cell(row)
    return [Text.assemble(share or UNDEFINED, "\n", (p, "dim"))]


def _mean_sd(row: ThreeLevelResult, name: str) -> Text:
    cell = row.level3.cell(name)
    return Text.assemble(effect(cell.mean), "\n", (f"({effect(cell.sd)})", "dim"))


def _map(row: ThreeLevelResult, console: Console) -> Text:
    text = Text()
    lines = EATMap.of(row).glyphs(console.encoding)
    for attribute, glyphs in zip("AB", lines, strict=True):
        text.append(f"{attribute} ", "dim")
        for target, glyph in zip("XY", glyphs, strict=True):
            on = row.primary.attribute(target) == attribute
            text.append(glyph, "bold red" if on else "dim")
        text.append("\n" if attribute == "A" else "")
    return text


def _pattern(row: ThreeLevelResult) -> Text:
    other = row.primary.two_sided_label
    text = Text(row.primary.label, "bold")
    if other != row.primary.label:
        text.append(f"\ntwo-sided:\n{other}", "not bold dim")
    return text


def _print_warnings(console: Console, results: Results) -> None:
    """Say each warning once, with the tests that it stands for."""
    tests: dict[str, list[str]] = {}
    several = len({result.source for result in results}) > 1
    for result in results:
        name = _whole_name(result) + (f" on {result.source}" if several else "")
        for warning in result.warnings:
            tests.setdefault(warning, []).append(name)
        missing = [
            f"{concept}: {listed(group.missing, 100)}"
            for role in "XYAB"
            if (group := result.coverage.group(role)).missing
            for concept in [result.concepts.name(role)]
        ]
        if missing:
            said = f"Missing terms: {'; '.join(missing)}."
            tests.setdefault(said, []).append(name)
    for warning, named in tests.items():
        of_all = len(named) == len(results) > FEW
        who = f"all {len(results)} results" if of_all else ", ".join(dict.fromkeys(named))
        _print(console, Text.assemble((f"{who}: ", "bold"), warning))
