"""Tables of a study for a person: what it will cost, and what its choices do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from eatlas.cli.console import new_console, show, table_of
from eatlas.cli.progress import duration
from eatlas.results.effects import shown
from eatlas.results.study import StudyRecord, summaries
from eatlas.studies import Prepared
from eatlas.studies.costs import RULE, cost_of

MOST = 20
"""Sources that are listed."""


def print_costs(choices: Mapping[str, Sequence[str]], prepared: Prepared) -> None:
    """Print the choices of a plan, what is read, and how long it takes."""
    console, cost = new_console(), cost_of(prepared)
    if prepared.plan.title:
        show(console, Text(prepared.plan.title, style="bold"))
    rows = [(name, f"{len(labels)}", ", ".join(labels)) for name, labels in choices.items()]
    table = table_of(("Choice", "alternatives", ""), rows, "lrl")
    table.columns[-1].no_wrap = False
    show(console, table)
    rows = [
        (one.name, f"{one.items:,}", one.kind + ", in the pass of another layer" * one.shared)
        for one in cost.sources[:MOST]
    ]
    show(console, table_of(("Source", "items", ""), rows, "lrl"))
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


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    console = new_console()
    if record.title:
        show(console, Text(record.title, style="bold"))
    heads = (
        "Choice", "number", "median d", "least", "greatest", "significant", "most frequent pattern",
    )  # fmt: skip
    rows = [
        (
            f"{one.choice}: {one.label}" if one.choice else "all specifications",
            f"{one.number:,}",
            *map(shown, (one.median, one.least, one.greatest)),
            _share(one.significant),
            f"{one.pattern} {_share(one.share)}" if one.pattern else "",
        )
        for one in summaries(record)
    ]
    show(console, table_of(heads, rows, "lrrrrrl"))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%"
