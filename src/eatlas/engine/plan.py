"""What is to be done: tests, sources and measures resolved, checked and read once.

Everything is opened before any source is read, so that a mistake costs no work; then each source
looks up, or encodes, all that the tests of a run need of it, in one go.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast, get_args

from eatlas.engine.frequency import ranking_of, strongest
from eatlas.engine.measuring import AnySource, open_for
from eatlas.errors import EatlasError, SignatureError, SourceError
from eatlas.executors import Executor, here
from eatlas.measures import Measure, get_measure, measure_types
from eatlas.measures.base import Need
from eatlas.sources import CaseRule, Source, Tell, ask, period_of
from eatlas.sources.coverage import needed_items
from eatlas.sources.naming import NamedSpec, distinct, names_under, specs_of
from eatlas.sources.source import innermost, is_contextual
from eatlas.stimuli import AssociationTest, Test, load_tests
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.encoders.language import LanguageModel
    from eatlas.sources.counts import Counts
    from eatlas.sources.opening import VectorsLike

DEFAULT_TESTS = "caliskan"
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURES = {"association": "ml-eat", "groups": "divdist"}
"""By the kind of test."""
COUNTED = {
    "vectors": "texts by",
    "masked": "questions to",
    "causal": "questions to",
    "counts": "terms of",
}
"""What is counted of a source, by what is needed of it."""
PAIRS, SINGLE = "pairs of a target and an attribute", "contexts of single stimuli"
Watch = Callable[[str, str], Tell]
"""From what is counted (such as "texts by") and the name of a source to what is called with its
progress."""
SourceLike: TypeAlias = "VectorsLike | LanguageModel | Counts"
"""What :func:`eatlas.run` opens: vectors, a language model, or a table of counts."""
SourcesLike: TypeAlias = "SourceLike | Mapping[str, SourceLike] | Iterable[SourceLike]"
"""One or several of them; a mapping gives each the name that results know it by."""
Question = tuple[Test, Measure]
Variant = tuple[tuple[Test, ...], list[Measure]]
"""Tests in contexts of one size, and the measures that take them so."""


@dataclass(frozen=True)
class Job:
    """One test on one source by one measure; it can be handed to another process."""

    test: Test
    source: AnySource
    """The vectors or log-probabilities that the run's tests request, and no others."""
    measure: Measure
    source_from: str = ""
    """Source string of what the run calls by a name; empty where the name opens the source."""


@dataclass(frozen=True)
class Plan:
    """The jobs of a run, and what they share."""

    jobs: tuple[Job, ...]
    case: CaseRule
    seed: int

    def identities(self) -> list[str]:
        """Name every job, in order, by all that its result depends on."""
        return [identity(job, self.case, self.seed) for job in self.jobs]


def identity(job: Job, case: CaseRule, seed: int) -> str:
    """Name a job by all that its result depends on; equal names mean equal results."""
    test = job.test.model_dump(mode="json")
    source = [job.source.name, period_of(job.source), job.source.fingerprint]
    named = [job.source_from] if job.source_from else []
    parts = [__version__, test, *source, *named, job.measure.signature, case, seed]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def make_plan(  # noqa: PLR0913  (each is a choice of the user's)
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    prompts: Any = None,
    contexts: Any = None,
    windows: Any = None,
    distances: Any = None,
    reference: Any = None,
    frequency: int | str | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    watch: Watch | None = None,
    executor: Executor = here,
) -> Plan:
    """Resolve tests, sources and measures; every source looks up its words here, once.

    Parameters are those of :func:`eatlas.engine.run`, and:
    """
    _require_choices(case, seed)
    chosen = [get_measure(measure) for measure in _each(measures)]
    if measures is not None and not chosen:
        raise SignatureError("no measure was chosen", allowed=", ".join(measure_types()))
    loaded = load_tests(DEFAULT_TESTS if tests is None else tests)
    if reference is not None:
        from eatlas.engine.references import with_reference  # noqa: PLC0415  (few runs have one)

        loaded = with_reference(loaded, reference)
    for test in loaded:
        test.require_at_hand()
    if measures is None:
        kinds = dict.fromkeys(test.kind for test in loaded)
        chosen = [get_measure(DEFAULT_MEASURES[kind]) for kind in kinds]
    chosen = list({m.signature: m for m in _compared(chosen, frequency)}.values())
    questions = _by_need(in_contexts(loaded, chosen, contexts, windows, distances))
    concepts = [concept for test in loaded for concept in test.concepts.values()]
    if prompts is not None and all(concept.images for concept in concepts):
        raise SourceError(
            "a prompt changes nothing here: all stimuli are images, which are put into none",
            allowed="prompts for tests with texts, such as images against words",
            remedy="leave the prompts out",
        )
    # everything is opened before anything is read, so that a mistake costs no work
    specs = specs_of(vectors, DEFAULT_VECTORS)
    sources = [
        (source, name, need)
        for need in questions
        for source, name in _open_all(specs, prompts, need)
    ]
    for source, _, need in sources:
        for measure in {m.signature: m for _, m in questions[need]}.values():
            measure.require_source(source)
    readings = [Reading(source, need, questions[need], case) for source, _, need in sources]
    answers = read_all(readings, watch, executor)
    return Plan(
        tuple(
            Job(test, renamed(answer, name), measure, answer.name if name else "")
            for answer, (_, name, need) in zip(answers, sources, strict=True)
            for test, measure in questions[need]
        ),
        case,
        int(seed),
    )


def _require_choices(case: str, seed: object) -> None:
    """Refuse an unknown case rule, and what is no seed."""
    if case not in get_args(CaseRule):
        allowed = " or ".join(get_args(CaseRule))
        raise EatlasError("unknown case rule", got=repr(case), allowed=allowed)
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise EatlasError("the seed is not usable", got=repr(seed), allowed="a whole number from 0")


def _by_need(variants: Iterable[Variant]) -> dict[Need, list[Question]]:
    """Which tests go with which measures, variant by variant, by what measures need."""
    questions: dict[Need, list[Question]] = {}
    for tests, measures in variants:
        _require_fitting(tests, measures)
        for measure, test in product(measures, tests):
            if test.kind == measure.kind:
                questions.setdefault(measure.needs.source, []).append((test, measure))
    return questions


def _each(choice: Any) -> list[Any]:
    """One or several."""
    if choice is None:
        return []
    return list(choice) if isinstance(choice, list | tuple | range) else [choice]


def _compared(measures: Sequence[Measure], frequency: int | str | None) -> list[Measure]:
    """Set the number of random lists of measures that state none of their own."""
    if frequency is None:
        return list(measures)
    if frequency != "off" and not any(hasattr(measure, "frequency") for measure in measures):
        raise SignatureError(
            "none of the measures draws random words",
            got=f"frequency={frequency}",
            allowed="with ml-eat and weat",
        )
    return [
        measure.with_parameters(frequency=frequency)
        if getattr(measure, "frequency", None) == "auto"
        else measure
        for measure in measures
    ]


def _require_fitting(tests: Sequence[Test], measures: Sequence[Measure]) -> None:
    """Refuse a test that no measure takes, and a measure that takes none of the tests."""
    test_kinds, kinds = {test.kind for test in tests}, {measure.kind for measure in measures}
    if test_kinds == kinds:
        return
    test = next((test for test in tests if test.kind not in kinds), tests[0])
    measure = next((m for m in measures if m.kind not in test_kinds), measures[0])
    fitting = [name for name, kind in measure_types().items() if kind.kind == test.kind]
    raise EatlasError(
        f"the measure {measure.name} does not take tests of the kind of {test.id}",
        got=f"{test.id} is of the kind {test.kind}",
        allowed=f"tests of the kind {measure.kind} for {measure.name}; "
        f"for {test.id}: {', '.join(fitting) or 'no measure that is installed'}",
        remedy="give tests of each kind a measure of theirs, or leave --measure out; "
        "eatlas tests list shows the kind of each test",
    )


def in_contexts(
    tests: Sequence[Test],
    measures: Iterable[Measure],
    contexts: Any,
    windows: Any = None,
    distances: Any = None,
) -> list[Variant]:
    """Put tests of words into contexts: as sentences of their own, or as pairs of log-ratios."""
    measures = list(measures)
    cuts = {"window": windows, "distance": distances}
    cuts = {name: list(dict.fromkeys(_each(values))) for name, values in cuts.items()}
    if contexts is None:
        for name, values in cuts.items():
            if values:
                raise EatlasError(
                    f"a {name} cuts contexts, and no contexts are given",
                    got=f"{name} {', '.join(map(str, values))}",
                    allowed=f"--contexts FILE --{name} N; in Python contexts=..., {name}s=[...]",
                )
        return [(tuple(tests), measures)]
    from eatlas import corpora  # noqa: PLC0415  (most runs have no contexts)

    found = corpora.load_either(contexts) if isinstance(contexts, str | Path) else contexts
    pairs = isinstance(found, corpora.Pairs)
    for measure in measures:
        if pairs == (measure.needs.source == "vectors"):
            remedy = ", or eatlas.find_contexts; pairs are for lpbs and lpbs-ceat"
            raise EatlasError(
                f"the measure {measure.name} does not take these contexts",
                got=PAIRS if pairs else SINGLE,
                allowed=SINGLE if pairs else f"{PAIRS} in one sentence",
                remedy="make them with eatlas contexts"
                + (remedy if pairs else " --pairs, or eatlas.find_pairs"),
            )
    if isinstance(found, corpora.Pairs):
        return [
            (
                tuple(
                    corpora.with_pairs(test, cut) if isinstance(test, AssociationTest) else test
                    for test in tests
                ),
                [measure.with_parameters(pairs=cut) for measure in measures],
            )
            for size in product(cuts["window"] or [None], cuts["distance"] or [None])
            for cut in [found.cut(*size)]
        ]
    if cuts["distance"]:
        raise EatlasError(
            "contexts of single stimuli have no distance between two",
            got=f"distance {', '.join(map(str, cuts['distance']))}",
            allowed="windows for contexts; windows and distances for pairs",
            remedy="leave the distance out, or take a file of eatlas contexts --pairs",
        )
    # with_contexts says of what are no contexts what they are not
    windows = cuts["window"] if isinstance(found, corpora.Contexts) else []
    variants = [found.cut(window) for window in windows] or [found]
    return [(corpora.with_contexts(tests, variant), measures) for variant in variants]


def _open_all(specs: Sequence[NamedSpec], prompts: Any, need: Need) -> list[tuple[AnySource, str]]:
    """Open each source once, and put it into every prompt; each with the name that it is given.

    The names that results will carry must distinguish them.
    """
    if not specs:
        raise SourceError("no vectors were chosen", allowed="a file, a name, or vectors in memory")
    named: list[tuple[AnySource, str]] = []
    for spec, name in distinct(specs):
        sources: Sequence[AnySource] = open_for(spec, need)
        if prompts is not None:
            sources = _prompted(sources, prompts, need)
        named += zip(sources, names_under(name, [one.name for one in sources]), strict=True)
    names = Counter((name or source.name, period_of(source)) for source, name in named)
    if same := [name for (name, _), n in names.items() if n > 1]:
        raise SourceError(
            f"two sources have the name {same[0]!r}, so their results could not be distinguished",
            remedy="name them: --vectors NAME=SOURCE; in Python vectors={NAME: SOURCE, ...}",
        )
    return named


def open_as(given: Any, need: Need, default: str = DEFAULT_VECTORS) -> list[tuple[str, AnySource]]:
    """Open sources as what some measures need, each with the name that results call it by.

    Parameters
    ----------
    given : source, list or mapping
        What :func:`eatlas.run` takes as vectors.
    need : {"vectors", "masked", "causal", "counts"}
        What measures need of them, their ``needs.source``.
    default : str
        The source that None stands for.

    Returns
    -------
    list of tuple
        Names and open sources; a series or a model of several layers gives several.
    """
    named = []
    for spec in specs_of(given, default):
        sources = open_for(spec.spec, need)
        under = names_under(spec.name, [source.name for source in sources])
        named += [(name or of.name, of) for name, of in zip(under, sources, strict=True)]
    return named


def _prompted(sources: Sequence[AnySource], prompts: Any, need: Need) -> list[AnySource]:
    """Put sources of vectors into each prompt, each result once."""
    if need != "vectors":
        raise SourceError(
            "a prompt changes nothing here: LPBS puts words into its own templates",
            allowed="prompts for measures of vectors",
            remedy='leave the prompt out, or say lpbs(templates="{target} is {attribute}.")',
        )
    from eatlas.sources.prompts import PromptSet, in_prompts  # noqa: PLC0415  (most runs have none)

    each = [prompts] if isinstance(prompts, str | PromptSet) else prompts
    vectors = cast("Sequence[Source]", sources)
    several = (in_prompts(source, prompt) for source in vectors for prompt in each)
    return list({source.name: source for some in several for source in some}.values())


class Reading(NamedTuple):
    """What is read of a source in one go."""

    source: AnySource
    need: Need
    questions: Sequence[Question]
    case: CaseRule


def read_all(
    readings: Sequence[Reading], watch: Watch | None = None, executor: Executor = here
) -> list[AnySource]:
    """Have each source answer its questions: the executor encodes, what is looked up is read here.

    Layers of one model are encoded together. Progress is shown of what is read here, from when its
    turn comes.
    """
    encoded = [computes(reading.source, reading.need) for reading in readings]
    looked_up = [[place] for place, far in enumerate(encoded) if not far]
    batches_of = ((here, looked_up), (executor, _passes(readings, encoded)))
    answers: dict[int, AnySource] = {}
    for who, batches in batches_of:
        if batches:
            work = partial(_read_batch, watch=watch if who is here else None)
            items = [[readings[place] for place in batch] for batch in batches]
            with closing(who(work, items)) as outcomes:
                for position, sources in outcomes:
                    answers |= zip(batches[position], sources, strict=True)
    return [answers[place] for place in range(len(readings))]


def _passes(readings: Sequence[Reading], encoded: Sequence[bool]) -> list[list[int]]:
    """Places of what models compute, layers of one model together."""
    places = [place for place, far in enumerate(encoded) if far]
    if len(places) < 2:
        return [places] if places else []
    from eatlas.encoders.transformer import share_passes  # noqa: PLC0415  (few runs have models)

    of_models = {
        id(readings[place].source): place for place in places if readings[place].need == "vectors"
    }
    alone = [[place] for place in places if place not in of_models.values()]
    sources = [cast("Source", readings[place].source) for place in of_models.values()]
    return [*alone, *([of_models[id(one)] for one in batch] for batch in share_passes(sources))]


def _read_batch(batch: Sequence[Reading], watch: Watch | None = None) -> list[AnySource]:
    return [
        read_source(*reading, watch and watch(COUNTED[reading.need], reading.source.name))
        for reading in batch
    ]


def read_source(
    source: AnySource,
    need: Need,
    questions: Sequence[Question],
    case: CaseRule = "auto",
    tell: Tell | None = None,
) -> AnySource:
    """Read from a source at once all that tests and measures need, and keep the answer."""
    if need == "vectors":
        needs = [measure.needs for _, measure in questions]
        words = {word for each in needs for word in each.words}
        tests = [test for test, _ in questions]
        wish, vectors = strongest(each.ranks for each in needs), cast("Source", source)
        if wish is None:
            return ask(vectors, tests, words, case, tell)
        if innermost(vectors).in_passes and not is_contextual(vectors):
            beside = {item.content for item in needed_items(vectors, tests, words, case)}
            ranking = ranking_of(vectors, tests, case, wish, beside=beside)
            return replace(ask(vectors, tests, words, case, tell), ranking=ranking)
        answers = ask(vectors, tests, words, case, tell)  # writes what the ranks are read from
        return replace(answers, ranking=ranking_of(vectors, tests, case, wish))
    if need == "counts":
        return source
    wanted = dict.fromkeys(  # in an order that hashes do not change: batches follow it
        question for test, measure in questions for question in measure.questions(test)
    )
    from eatlas.encoders.language import ModelSnapshot  # noqa: PLC0415

    return ModelSnapshot.of(cast("LanguageModel", source), wanted, tell)


def renamed(source: AnySource, name: str) -> AnySource:
    """Give what a source answered the name that results know it by."""
    return source if name in {"", source.name} else cast("Any", source).renamed(name)


def computes(source: AnySource, need: Need) -> bool:
    """Whether a model computes what a source answers."""
    return need in {"masked", "causal"} or (need == "vectors" and is_contextual(source))
