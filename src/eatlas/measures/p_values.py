"""From the permutation engine's answer to the record that a result keeps."""

from __future__ import annotations

from typing import Any

from eatlas.results.parts import (
    TAILS,
    Brackets,
    Counts,
    Methods,
    PValues,
    RelativeErrors,
)
from eatlas.stats.permutation import PermutationResult, Tail


def to_record(answer: PermutationResult) -> PValues:
    """Write down three tails: p, method, and the count or the stated error of each."""
    tails: dict[str, Tail] = {name: getattr(answer, name) for name in TAILS}
    methods: dict[str, Any] = {name: tail.method for name, tail in tails.items()}
    same = len(set(methods.values())) == 1

    def each(attribute: str) -> dict[str, Any] | None:
        values = {name: getattr(tail, attribute) for name, tail in tails.items()}
        return values if any(value is not None for value in values.values()) else None

    counts, errors, brackets = each("count"), each("rel_err"), each("bracket")
    return PValues(
        **{name: tail.p for name, tail in tails.items()},
        method=methods["greater"] if same else Methods(**methods),
        count=counts and Counts(**counts),
        total=answer.total,
        min_p=answer.min_p,
        rel_err=errors and RelativeErrors(**errors),
        bracket=brackets and Brackets(**brackets),
    )
