"""Results on subcorpora as tables for a terminal."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from eatlas.cli.console import rich_table, say, show
from eatlas.results import Results
from eatlas_corpora.present.documents import doubts_tables, parts_tables


def print_parts(console: Console, results: Results) -> None:
    """Print the uncertainty about words and about documents, and how neighbouring parts differ."""
    every = list(results)
    for table in (*doubts_tables(every), *parts_tables(every, whole=False, few=True)):
        say(console, "")
        say(console, f"{table.caption}:", "bold")
        show(console, rich_table(replace(table, caption=""), between=" "))
        say(console, "\n".join(table.notes), "dim")
