"""How models that are asked in words answered, as tables for a terminal."""

from __future__ import annotations

from rich.console import Console

from eatlas.cli.console import rich_table, say, show
from eatlas.present.answers import HEADING, answers_statements, answers_tables
from eatlas.results import Results


def print_answers(console: Console, results: Results) -> None:
    """Say how the model of a single result answered; print a table of several results."""
    answered = [result for result in results if result.unanswered is not None]
    say(console, "")
    say(console, HEADING, "bold")
    if len(answered) == 1:
        for head, text in answers_statements(answered[0]):
            say(console, text, head=f"{head} ", hang=2)
        return
    for table in answers_tables(answered):
        show(console, rich_table(table, between=" "))
        say(console, "\n".join(table.notes), "dim")
