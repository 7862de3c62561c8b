"""Tables of a study for a person: what it will cost, and what its choices do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from eatlas.cli.console import add_columns, new_console, new_table, show
from eatlas.cli.progress import duration
from eatlas.results.effects import shown
from eatlas.results.study import StudyRecord, Summary, summaries
from eatlas.studies import Prepared
from eatlas.studies.costs import RULE, Cost, cost_of

MOST = 20
"""Sources that are listed."""


def print_costs(choices: Mapping[str, Sequence[str]], prepared: Prepared) -> None:
    """Print the choices of a plan, what is read, and how long it takes."""
    console, cost = new_console(), cost_of(prepared)
    if prepared.plan.title:
        show(console, Text(prepared.plan.title, style="bold"))
    table = new_table("Choice", list(choices))
    add_columns(table, ("alternatives", False))
    table.add_column("")
    for name, labels in choices.items():
        table.add_row(name, f"{len(labels)}", ", ".join(labels))
    show(console, table)
    show(console, _sources(cost))
    if len(cost.sources) > MOST:
        show(console, Text(f"and {len(cost.sources) - MOST:,} more sources"))
    controls = f" and {cost.controls:,} controls with random weights" if cost.controls else ""
    skipped = f"; {cost.skipped:,} are skipped" if cost.skipped else ""
    show(console, Text(f"\n{cost.specifications:,} specifications{controls}{skipped}"))
    if cost.texts:
        show(console, Text(f"{cost.texts:,} texts to encode"))
    show(
        console,
        Text(f"about {duration(cost.seconds)} on two processor cores, by this rule: {RULE}"),
    )


def _sources(cost: Cost) -> Table:
    table = new_table("Source", [one.name for one in cost.sources[:MOST]])
    add_columns(table, ("items", False), ("", True))
    for one in cost.sources[:MOST]:
        what = f"{one.kind}, in the pass of another layer" if one.shared else one.kind
        table.add_row(one.name, f"{one.items:,}", what)
    return table


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    console = new_console()
    if record.title:
        show(console, Text(record.title, style="bold"))
    every, *parts = summaries(record)
    table = new_table("Choice", [_name(one) for one in (every, *parts)])
    add_columns(
        table, ("number", False), ("median d", False), ("least", False), ("greatest", False),
        ("significant", False), ("most frequent pattern", True),
    )  # fmt: skip
    for one in (every, *parts):
        table.add_row(
            _name(one), f"{one.number:,}", shown(one.median), shown(one.least),
            shown(one.greatest), _share(one.significant),
            f"{one.pattern} {_share(one.share)}" if one.pattern else "",
        )  # fmt: skip
    show(console, table)


def _name(one: Summary) -> str:
    return f"{one.choice}: {one.label}" if one.choice else "all specifications"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%"
