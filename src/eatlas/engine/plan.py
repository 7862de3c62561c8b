"""What is to be done, checked before anything is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import Any, cast, get_args

from eatlas.engine.contexts import Variant, in_contexts
from eatlas.engine.sources import Source, asked, opened
from eatlas.errors import EatlasError, SignatureError, SourceError
from eatlas.measures import AssociationMeasure, get_measure, measure_types
from eatlas.measures.base import Need
from eatlas.sources import (
    CaseRule,
    Tell,
    VectorSource,
    period_of,
    prompted,
)
from eatlas.sources.opening import is_pair
from eatlas.stimuli import Test, load_tests

DEFAULT_TESTS = "caliskan"
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURE = "ml-eat"
Watch = Callable[[str, str], Tell]
"""From what is counted (such as "texts by") and the name of a source to what is told how far it
is."""
ASKED = {"vectors": "texts by", "masked": "questions to", "causal": "questions to"}
"""What is counted of a source, by what is needed of it."""


@dataclass(frozen=True)
class Job:
    """One test on one source by one measure; it can be handed to another process."""

    test: Test
    source: Source
    """The vectors or log-probabilities that the run's tests ask for, and no others."""
    measure: AssociationMeasure


@dataclass(frozen=True)
class Plan:
    """The jobs of a run, and what they share."""

    jobs: tuple[Job, ...]
    case: CaseRule
    seed: int


def make_plan(  # noqa: PLR0913  (each is a choice of the user's)
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    prompts: Any = None,
    contexts: Any = None,
    windows: Any = None,
    distances: Any = None,
    frequency: int | str | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    watch: Watch | None = None,
) -> Plan:
    """Resolve tests, sources and measures; every source looks up its words here, once.

    Parameters are those of :func:`eatlas.engine.run`, and `watch`, which is called with what is
    counted and the name of a source that is about to be asked; what it returns is called with the
    number of texts that the source has encoded, or of questions that it has answered, and the
    number of all.

    Raises
    ------
    EatlasError
        If any test, source or measure is not usable; nothing has been computed then.
    """
    if case not in get_args(CaseRule):
        allowed = " or ".join(get_args(CaseRule))
        raise EatlasError("unknown case rule", got=repr(case), allowed=allowed)
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise EatlasError("the seed is not usable", got=repr(seed), allowed="a whole number from 0")
    given = map(get_measure, _several(measures, DEFAULT_MEASURE))
    chosen = {m.signature: m for m in _compared(tuple(given), frequency)}
    if not chosen:
        raise SignatureError("no measure was chosen", allowed=", ".join(measure_types()))
    tests = load_tests(DEFAULT_TESTS if tests is None else tests)
    variants = in_contexts(tests, chosen.values(), contexts, windows, distances)
    questions = _by_need(variants)
    named = [vectors] if is_pair(vectors) else _several(vectors, DEFAULT_VECTORS)
    # everything is opened before anything is asked, so that a mistake costs no work
    sources = {need: _open_all(named, prompts, need) for need in questions}
    jobs = tuple(
        Job(test, source, measure)
        for need, some in questions.items()
        for source in _asked(sources[need], need, some, case, watch)
        for test, measure in some
    )
    return Plan(jobs, case, int(seed))


def _compared(
    measures: tuple[AssociationMeasure, ...], frequency: int | str | None
) -> tuple[AssociationMeasure, ...]:
    """Have measures compare tests with so many random lists; one that says its own number keeps it.

    Raises
    ------
    SignatureError
        If it is no number of lists, or no measure takes one.
    """
    if frequency is None or not measures:
        return measures
    taking = [one for one in measures if hasattr(one, "frequency")]
    if not taking and frequency != "off":
        raise SignatureError(
            "none of the measures draws random words",
            got=f"frequency={frequency}",
            allowed="with ml-eat and weat",
        )
    return tuple(
        one.with_parameters(frequency=frequency)
        if getattr(one, "frequency", None) == "auto"
        else one
        for one in measures
    )


Question = tuple[Test, AssociationMeasure]


def _by_need(variants: Iterable[Variant]) -> dict[Need, list[Question]]:
    """Which tests are asked by which measures, variant by variant, by what measures need."""
    found: dict[Need, list[Question]] = {}
    for tests, measures in variants:
        for measure, test in product(measures, _of_fitting_kind(tests, measures)):
            found.setdefault(measure.needs, []).append((test, measure))
    return found


def _asked(
    sources: Sequence[Source],
    need: Need,
    questions: Sequence[Question],
    case: CaseRule,
    watch: Watch | None,
) -> list[Source]:
    tells = (None if watch is None else watch(ASKED[need], source.name) for source in sources)
    return [
        asked(source, need, questions, case, tell)
        for source, tell in zip(sources, tells, strict=True)
    ]


def _of_fitting_kind(
    tests: tuple[Test, ...], measures: Iterable[AssociationMeasure]
) -> tuple[Test, ...]:
    """Return the tests, if every measure takes every one of them."""
    for measure in measures:
        for test in tests:
            if test.kind == measure.kind:
                continue
            fitting = [name for name, m in measure_types().items() if m.kind == test.kind]
            raise EatlasError(
                f"the measure {measure.name} does not take tests of the kind of {test.id}",
                got=f"{test.id} is of the kind {test.kind}",
                allowed=f"tests of the kind {measure.kind} for {measure.name}; "
                f"for {test.id}: {', '.join(fitting) or 'no measure that is installed'}",
                remedy="run tests of different kinds one after the other, each with its measures; "
                "eatlas tests list says of what kind a test is",
            )
    return tests


def _several(given: Any, default: str) -> list[Any]:
    if given is None:
        return [default]
    return list(given) if isinstance(given, list | tuple) else [given]


def _open_all(specs: list[Any], prompts: Any, need: Need) -> list[Source]:
    """Open each source once, and put it into every prompt.

    The names that results will carry must tell them apart.
    """
    texts = {str(spec): spec for spec in specs if isinstance(spec, str | Path)}
    objects = {id(spec): spec for spec in specs if not isinstance(spec, str | Path)}.values()
    if not specs:
        raise SourceError("no vectors were chosen", allowed="a file, a name, or vectors in memory")
    sources = [source for spec in (*texts.values(), *objects) for source in opened(spec, need)]
    if prompts is not None:
        sources = _prompted(sources, [prompts] if isinstance(prompts, str) else prompts, need)
    names = Counter((source.name, period_of(source)) for source in sources)
    same = [name for (name, _), n in names.items() if n > 1]
    if same:
        raise SourceError(
            f"two sources have the name {same[0]!r}, so their results could not be told apart",
            remedy="name them: eatlas.ArraySource(words, array, name=...)",
        )
    return sources


def _prompted(sources: Sequence[Source], prompts: Iterable[str], need: Need) -> list[Source]:
    if need != "vectors":
        raise SourceError(
            "a prompt changes nothing here: LPBS puts words into its own templates",
            allowed="prompts for measures of vectors",
            remedy='leave the prompt out, or say lpbs(templates="{target} is {attribute}.")',
        )
    vectors = cast("Sequence[VectorSource]", sources)
    return [prompted(source, prompt) for source in vectors for prompt in dict.fromkeys(prompts)]
