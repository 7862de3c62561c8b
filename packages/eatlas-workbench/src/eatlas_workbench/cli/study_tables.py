"""Studies of many choices as tables for a terminal."""

from __future__ import annotations

from eatlas.cli.console import new_console, say, show, table_of
from eatlas.numbers import count, effect, number_of
from eatlas_workbench.studies import Prepared
from eatlas_workbench.studies.record import StudyRecord
from eatlas_workbench.studies.study import share


def print_plan(prepared: Prepared) -> None:
    """Print the choices of a plan, and what it takes to do it."""
    console = new_console()
    if prepared.plan.study.title:
        say(console, prepared.plan.study.title, "bold")
    choices = prepared.plan.alternatives().items()
    rows = [(name, f"{len(labels)}", ", ".join(labels)) for name, labels in choices]
    table = table_of(("Choice", "alternatives", ""), rows, "lrl")
    table.columns[-1].no_wrap = False
    show(console, table, folds=True)
    skipped = f", and {len(prepared.misfits):,} are skipped" if prepared.misfits else ""
    words, texts = prepared.cost()
    say(
        console,
        f"\n{number_of(len(prepared.jobs), 'specification')}{skipped}; "
        f"{count(words)} words to look up, {count(texts)} texts to encode",
    )


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    console = new_console()
    if record.title:
        say(console, record.title, "bold")
    heads = ("Choice", "n", "median\nd", "range of d", "p <\nalpha", "main pattern")
    rows: list[tuple[str, ...]] = []
    choice = ""
    for row in record.summaries():
        if row["choice"] != choice:
            choice = row["choice"]
            rows.append((choice,))
        rows.append((
            f"  {row['label']}" if choice else "all specifications",
            f"{row['number']:,}",
            effect(row["median"]),
            f"{effect(row['least'])} to {effect(row['greatest'])}",
            share(row["significant"]),
            f"{row['pattern']} {share(row['share'])}" if row["pattern"] else "",
        ))  # fmt: skip
    show(console, table_of(heads, rows, "lrrrrl"))
