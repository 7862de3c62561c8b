"""What the templates of eatlas-models call."""

from __future__ import annotations

from collections.abc import Callable

from eatlas.present.answers import (
    answers_statements,
    headline,
    moved_table,
    shares_table,
    templates_table,
)

FILTERS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (answers_statements, headline, moved_table, shares_table, templates_table)
}
