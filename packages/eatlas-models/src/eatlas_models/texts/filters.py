"""What the templates of eatlas-models call."""

from __future__ import annotations

from collections.abc import Callable

from eatlas_models.present.answers import (
    answer_facts,
    answers_of,
    answers_statements,
    headline,
    lists_of,
    ratio_facts,
    scales_of,
    sensitivity_table,
    shares_table,
    templates_table,
)
from eatlas_models.present.triples import triples_table

FILTERS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        answer_facts, answers_of, answers_statements, headline, lists_of, sensitivity_table,
        ratio_facts, scales_of, shares_table, templates_table, triples_table,
    )
}  # fmt: skip
