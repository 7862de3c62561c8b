"""Results that differ in one choice of how texts were encoded: prompt, layer, or weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from eatlas.errors import ResultsError
from eatlas.results.base import AssociationResult
from eatlas.results.parts import Encoding

By = Literal["prompt", "layer", "weights"]
NO_PROMPT = "(no prompt)"


@dataclass(frozen=True)
class Varied:
    """Results of one test by one measure on one model, alike but for one choice."""

    by: By
    members: tuple[AssociationResult, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What was chosen, one for each member."""
        return tuple(value_of(member, self.by) for member in self.members)


def value_of(result: AssociationResult, by: By) -> str:
    """What was chosen for a result.

    Raises
    ------
    ResultsError
        If its vectors were looked up, not encoded.
    """
    encoding = result.encoding
    if encoding is None:
        raise ResultsError(f"{result.test} on {result.source}: the vectors were not encoded")
    if by == "weights":
        seed = encoding.weights_seed
        return encoding.weights if seed is None else f"{encoding.weights}, seed {seed}"
    return encoding.prompt or NO_PROMPT if by == "prompt" else encoding.layer


def varied(results: Iterable[AssociationResult], by: By) -> tuple[Varied, ...]:
    """Group results that are alike but for `by`; groups of one value are left out.

    Layers come in their order, trained weights before random ones, prompts as they are given. Of
    results of one value, the first counts.

    Raises
    ------
    ResultsError
        If there is no such choice.
    """
    if by not in get_args(By):
        raise ResultsError(
            "results cannot be compared by this", got=repr(by), allowed=", ".join(get_args(By))
        )
    groups: dict[tuple[str, str, Encoding], dict[str, AssociationResult]] = {}
    for result in results:
        if result.encoding is not None:
            key = result.test, result.signature, _without(result.encoding, by)
            groups.setdefault(key, {}).setdefault(value_of(result, by), result)
    return tuple(
        Varied(by, tuple(group[value] for value in _ordered(group, by)))
        for group in groups.values()
        if len(group) > 1
    )


def _without(encoding: Encoding, by: By) -> Encoding:
    nothing: dict[By, dict[str, object]] = {
        "prompt": {"prompt": ""},
        "layer": {"layer": ""},
        "weights": {"weights": "trained", "weights_seed": None},
    }
    return encoding.model_copy(update=nothing[by])


def _ordered(values: Iterable[str], by: By) -> list[str]:
    if by == "prompt":
        return list(values)
    if by == "weights":
        return sorted(values, key=lambda value: (value != "trained", value))
    return sorted(values, key=lambda value: (not value.isdigit(), value.zfill(6)))
