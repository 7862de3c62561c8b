"""Opening what measures need of a source, and asking it once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from eatlas.encoders.language import Answers, LanguageModel, open_language_model
from eatlas.measures import AssociationMeasure
from eatlas.measures.base import Need
from eatlas.measures.log_ratio_measure import LogRatioMeasure
from eatlas.sources import CaseRule, Tell, VectorSource, ask, open_sources
from eatlas.sources.frequency.ranking import strongest
from eatlas.stimuli import AssociationTest, Test

Source = VectorSource | LanguageModel
"""Where a job's numbers come from."""


def opened(spec: Any, need: Need) -> tuple[Source, ...]:
    """Open a source as what some measures need: vectors, or a language model of one kind.

    Raises
    ------
    SourceError
        If there is no such source, or it is of another kind.
    """
    return open_sources(spec) if need == "vectors" else (open_language_model(spec, need),)


def asked(
    source: Source,
    need: Need,
    questions: Sequence[tuple[Test, AssociationMeasure]],
    case: CaseRule = "auto",
    tell: Tell | None = None,
) -> Source:
    """Ask a source once for all that tests and measures need of it, and keep the answer."""
    if need == "vectors":
        words = {word for _, measure in questions for word in measure.words}
        tests = [test for test, _ in questions]
        wish = strongest(measure.wish for _, measure in questions)
        return ask(cast("VectorSource", source), tests, words, case, tell, wish)
    wanted = dict.fromkeys(  # in an order that hashes do not change: batches follow it
        one
        for test, measure in questions
        if isinstance(measure, LogRatioMeasure) and isinstance(test, AssociationTest)
        for one in measure.questions(test)
    )
    return Answers.of(cast("LanguageModel", source), wanted, tell)
