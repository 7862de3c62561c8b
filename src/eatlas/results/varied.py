"""Results that are alike but for one choice: a prompt, a layer, a window, trained weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from eatlas.errors import ResultsError
from eatlas.results.base import AssociationResult
from eatlas.results.parts import Encoding

By = Literal["prompt", "layer", "level", "weights", "window", "distance"]
NO_PROMPT = "(no prompt)"
NUMBERED: tuple[By, ...] = ("layer", "window", "distance")
"""Choices that rise from one value to the next."""
_IN_TEXTS: tuple[By, ...] = ("window", "distance")
_WITHOUT: dict[By, dict[str, object]] = {
    "prompt": {"prompt": ""},
    "layer": {"layer": ""},
    "level": {"level": "sentence", "pool": "", "subword": ""},
    "weights": {"weights": "trained", "weights_seed": None},
}


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
        If its vectors were looked up, not encoded, or its stimuli are not in contexts.
    """
    value = _value(result, by)
    if value is None:
        why = "it was not measured in contexts" if by in _IN_TEXTS else "vectors were not encoded"
        raise ResultsError(f"{result.test} on {result.source}: the {why}")
    return value


def model_of(result: AssociationResult, by: By) -> str:
    """The model that results have in common; the whole source, where only contexts differ."""
    if result.encoding is None or by in _IN_TEXTS:
        return result.source
    return result.encoding.model


def sizes_beside(result: AssociationResult, by: By) -> str:
    """How much of a text the contexts of a result hold, but for what varies; may be empty."""
    sizes = {} if result.contexts is None else result.contexts.columns()
    return ", ".join(f"{name} {size}" for name, size in sizes.items() if name != by)


def choices_beside(result: AssociationResult, by: By) -> dict[By, str]:
    """The other choices of how texts of a result were encoded, in words."""
    if result.encoding is None:
        return {}
    found = {one: _value(result, one) for one in get_args(By) if one not in _IN_TEXTS}
    words = {
        one: value if one in ("weights", "level") or value == NO_PROMPT else f"{one} {value}"
        for one, value in found.items()
        if value and one != by
    }
    return {one: value.strip("()") for one, value in words.items()}


def told_apart(names: Sequence[str], *more: Sequence[str]) -> list[str]:
    """Add to names that stand for several things what else distinguishes these, and no more.

    Examples
    --------
    >>> told_apart(["weat-1", "weat-6", "weat-6"], ["", " on glove", " on bert"], ["!"] * 3)
    ['weat-1', 'weat-6 on glove', 'weat-6 on bert']
    """
    told = list(names)
    for additions in more:
        known = Counter(told)
        told = [
            name + (one if known[name] > 1 else "")
            for name, one in zip(told, additions, strict=True)
        ]
    return told


def varied(results: Iterable[AssociationResult], by: By) -> tuple[Varied, ...]:
    """Group results that are alike but for `by`; groups of one value are left out.

    Layers, windows and distances come in their order, trained weights before random ones, vectors
    of stimuli before those of whole texts, prompts as they are given. Of results of one value, the
    first counts.

    Raises
    ------
    ResultsError
        If there is no such choice.
    """
    if by not in get_args(By):
        raise ResultsError(
            "results cannot be compared by this", got=repr(by), allowed=", ".join(get_args(By))
        )
    groups: dict[tuple[Any, ...], dict[str, AssociationResult]] = {}
    for result in results:
        value = _value(result, by)
        if value is not None:
            groups.setdefault(_alike(result, by), {}).setdefault(value, result)
    return tuple(
        Varied(by, tuple(group[value] for value in _ordered(group, by)))
        for group in groups.values()
        if len(group) > 1
    )


def _value(result: AssociationResult, by: By) -> str | None:
    """The value of a setting of one result, such as its layer; None if it has none."""
    if by in _IN_TEXTS:
        size = None if result.contexts is None else getattr(result.contexts, by)
        return None if size is None else str(size)
    encoding = result.encoding
    if encoding is None:
        return None
    if by == "weights":
        seed = encoding.weights_seed
        return encoding.weights if seed is None else f"{encoding.weights}, seed {seed}"
    if by == "level":
        return f"{encoding.level} ({encoding.subword or encoding.pool or 'its own way'})"
    return encoding.prompt or NO_PROMPT if by == "prompt" else encoding.layer


def _alike(result: AssociationResult, by: By) -> tuple[Any, ...]:
    """All that results which differ in one choice alone have in common.

    The name of a source tells its layer, prompt and weights; so for these its encoding stands.
    """
    source: str | Encoding | None = result.source
    contexts = result.contexts
    if by in _IN_TEXTS:
        contexts = None if contexts is None else contexts.model_copy(update={by: None})
    elif result.encoding is not None:
        source = result.encoding.model_copy(update=_WITHOUT[by])
    return result.test, result.signature, result.period, source, contexts


def _ordered(values: Iterable[str], by: By) -> list[str]:
    if by == "prompt":
        return list(values)
    if by == "weights":
        return sorted(values, key=lambda value: (value != "trained", value))
    if by == "level":
        return sorted(values, key=lambda value: (not value.startswith("word"), value))
    return sorted(values, key=lambda value: (not value.isdigit(), value.zfill(6)))
