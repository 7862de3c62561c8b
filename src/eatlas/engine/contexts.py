"""Contexts of a run: sentences for measures of vectors, pairs for those of log-probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from eatlas.corpora import (
    Contexts,
    Pairs,
    load_either,
    with_contexts,
    with_pairs,
)
from eatlas.errors import EatlasError
from eatlas.measures import AssociationMeasure
from eatlas.measures.log_ratio_measure import LogRatioMeasure
from eatlas.stimuli import AssociationTest, Test

Variant = tuple[tuple[Test, ...], list[AssociationMeasure]]
"""Tests in contexts of one size, and the measures that take them so."""


def in_contexts(
    tests: Sequence[Test],
    measures: Iterable[AssociationMeasure],
    contexts: Any,
    windows: Any = None,
    distances: Any = None,
) -> list[Variant]:
    """Put tests of words into contexts: as sentences of their own, or as pairs of log-ratios.

    Parameters
    ----------
    tests : sequence of tests
    measures : iterable of measures
    contexts : Contexts, Pairs, str, path or None
    windows, distances : int, "sentence", or list of them, optional
        To what the contexts are cut; each combination makes a variant.

    Returns
    -------
    list of Variant
        The tests as they are, where there are no contexts.

    Raises
    ------
    EatlasError
        If a measure does not take contexts of this kind, or they are not usable.
    """
    measures = list(measures)
    windows, distances = _each(windows), _each(distances)
    if contexts is None:
        _require_none(windows, distances)
        return [(tuple(tests), measures)]
    given = load_either(contexts) if isinstance(contexts, str | Path) else contexts
    pairs = isinstance(given, Pairs)
    for measure in measures:
        _require(measure, given, fits=isinstance(measure, LogRatioMeasure) == pairs)
    if isinstance(given, Pairs):
        sizes = product(windows or [None], distances or [None])
        return [_in_pairs(tests, measures, given.cut(*size)) for size in sizes]
    if distances:
        raise EatlasError(
            "contexts of single stimuli have no distance between two",
            got=_said("distance", distances),
            allowed="windows for contexts; windows and distances for pairs",
            remedy="leave the distance out, or take a file of eatlas contexts --pairs",
        )
    if not windows or not isinstance(given, Contexts):  # with_contexts says what they are not
        return [(with_contexts(tests, given), measures)]
    return [(with_contexts(tests, given.cut(window)), measures) for window in windows]


def _in_pairs(tests: Iterable[Test], measures: list[AssociationMeasure], pairs: Pairs) -> Variant:
    put = (with_pairs(one, pairs) if isinstance(one, AssociationTest) else one for one in tests)
    return tuple(put), [measure.with_parameters(pairs=pairs) for measure in measures]


def _each(given: Any) -> list[Any]:
    """One or several, each once."""
    if given is None:
        return []
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return list(dict.fromkeys(given if several else [given]))


def _require_none(windows: list[Any], distances: list[Any]) -> None:
    for name, given in (("window", windows), ("distance", distances)):
        if given:
            raise EatlasError(
                f"a {name} says to what contexts are cut, and there are none",
                got=_said(name, given),
                allowed=f"--contexts FILE --{name} N; in Python contexts=..., {name}s=[...]",
            )


def _said(name: str, given: list[Any]) -> str:
    return f"{name} {', '.join(map(str, given))}"


def _require(measure: AssociationMeasure, given: Any, *, fits: bool) -> None:
    if fits:
        return
    kind = (
        "pairs of a target and an attribute"
        if isinstance(given, Pairs)
        else "contexts of single stimuli"
    )
    lpbs = isinstance(measure, LogRatioMeasure)
    raise EatlasError(
        f"the measure {measure.name} does not take these contexts",
        got=kind,
        allowed="pairs of a target and an attribute in one sentence"
        if lpbs
        else "contexts of single stimuli",
        remedy="make them with eatlas contexts"
        + (
            " --pairs, or eatlas.find_pairs"
            if lpbs
            else ", or eatlas.find_contexts; pairs are for lpbs and lpbs-ceat"
        ),
    )
