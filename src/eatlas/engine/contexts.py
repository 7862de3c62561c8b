"""Contexts of a run: sentences for measures of vectors, pairs for those of log-probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasError
from eatlas.measures import AssociationMeasure
from eatlas.measures.log_ratio_measure import LogRatioMeasure
from eatlas.sources.corpora import Pairs, load_either, with_contexts
from eatlas.stimuli import AssociationTest, Test


def in_contexts(
    tests: Sequence[Test], measures: Iterable[AssociationMeasure], contexts: Any
) -> tuple[tuple[Test, ...], list[AssociationMeasure]]:
    """Put tests of words into contexts: as sentences of their own, or as pairs of log-ratios.

    Raises
    ------
    EatlasError
        If a measure does not take contexts of this kind, or they are not usable.
    """
    measures = list(measures)
    given = load_either(contexts) if isinstance(contexts, str | Path) else contexts
    if isinstance(given, Pairs):
        for measure in measures:
            _require(
                measure, isinstance(measure, LogRatioMeasure), "pairs of a target and an attribute"
            )
        put = [m.with_parameters(pairs=given) for m in measures]
        return tuple(_from(test, given) for test in tests), put
    for measure in measures:
        _require(measure, not isinstance(measure, LogRatioMeasure), "contexts of single stimuli")
    return with_contexts(tests, given), measures


def _require(measure: AssociationMeasure, fits: bool, kind: str) -> None:  # noqa: FBT001
    if fits:
        return
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


def _from(test: Test, pairs: Pairs) -> Test:
    """Have a job's identity depend on the sentences."""
    if not isinstance(test, AssociationTest):
        return test
    return test.model_copy(update={"sentences_from": str(pairs.origin), "contexts": pairs.origin})
