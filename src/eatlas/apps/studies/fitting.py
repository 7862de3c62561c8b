"""From combinations of choices to jobs that can be done, and why some combinations cannot be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from eatlas import corpora
from eatlas.apps.studies.plan import (
    KNOWN,
    NONE,
    TEMPLATES,
    Combination,
    StudyPlan,
    combinations,
    read_plan,
)
from eatlas.engine.plan import Source, in_contexts, opened
from eatlas.errors import EatlasError, SignatureError, StudyError, UntrustedSourceError
from eatlas.measures import Measure
from eatlas.measures.base import Need
from eatlas.present.numbers import number_of
from eatlas.sources import prompted
from eatlas.sources.opening import transformed
from eatlas.sources.source import is_contextual
from eatlas.sources.spec import escape, parse_file_spec, with_option
from eatlas.stimuli import Test
from eatlas.stimuli.sentences import sentence_tests
from eatlas.untrusted import data_only

ENCODERS = ("hf:", "clip:")
"""Source strings that take the options of encoders."""
CONDITION = 'say when a choice applies: subword = { values = [...], when = { level = "word" } }'
SHOWN = 10
"""Reasons that a message lists."""
T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One job of a study: nothing of it is read yet."""

    combination: Combination
    test: Test
    source: Source
    """Open, and not read."""
    need: Need
    measure: Measure
    case: Any
    seed: int


@dataclass(frozen=True)
class Misfit:
    """A combination that cannot be measured, and why."""

    combination: Combination
    reason: str


@dataclass(frozen=True)
class Prepared:
    """A plan whose every job is known and whose sources are open; nothing is read yet."""

    plan: StudyPlan
    requests: Sequence[Request]
    """Jobs in the order of the grid."""
    misfits: Sequence[Misfit]

    @cached_property
    def sha256(self) -> str:
        """Identifies what is measured: tests, vectors, measures, choices; not what it is called."""
        plan = self.plan
        parts = {
            "tests": {
                name: {way: [test.id, test.stimuli_sha256] for way, test in ways.items()}
                for name, ways in plan.tests.items()
            },
            "vectors": {label: as_text(source) for label, source in plan.vectors.items()},
            "measures": {label: measure.signature for label, measure in plan.measures.items()},
            "choices": [
                [name, {k: as_text(v) for k, v in choice.values.items()}, choice.when]
                for name, choice in plan.choices.items()
            ],
            "more": [plan.exclude, plan.study.seed, plan.study.intervals],
        }
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def as_text(value: Any) -> Any:
    """A value of a plan as text: what is written stays, an object says what it is."""
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Path):
        return str(value)
    name = getattr(value, "name", "") or type(value).__name__
    mark = getattr(value, "fingerprint", None) or getattr(value, "sha256", "")
    return f"{name} {mark}".rstrip()


def prepare(plan: Any, *, skip_invalid: bool = False, trust: str | Iterable[str] = ()) -> Prepared:
    """Read a plan and make a job of each combination; sources are opened, and none is read."""
    plan = read_plan(plan, trust=trust)
    grid, fitter = combinations(plan), _Fitter(plan)
    requests: list[Request] = []
    misfits: list[Misfit] = []
    for combination in grid:
        try:
            requests.append(fitter.request(combination))
        except UntrustedSourceError:
            raise
        except EatlasError as error:
            reason = error.what if error.got is None else f"{error.what} ({error.got})"
            misfits.append(Misfit(combination, reason))
    if misfits and not skip_invalid:
        raise _do_not_fit(misfits, len(grid))
    _require_some_use(requests, misfits)
    _require_names(requests)
    return Prepared(plan, requests, misfits)


class _Fitter:
    """Opens and makes each source, test and measure of a study once."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self._made: dict[Any, Any] = {}
        self._jobs: set[tuple[Any, ...]] = set()

    def request(self, one: Combination) -> Request:
        """The job of one combination."""
        plan, labels, values = self.plan, one.labels, one.values
        words = plan.tests[labels["test"]][labels.get("stimuli", "")]
        measure = self.measure(labels["measure"], values)
        test, measure = self.texts(words, measure, values)
        if measure.needs == "vectors":
            self.once(("stimuli", id(test), measure), lambda: measure.require_stimuli(test))
        source = self.source(labels["vectors"], values, measure.needs)
        self.require_effect(test, source, labels, values)
        case, seed = values.get("case", "auto"), values.get("seed", plan.study.seed)
        key = (id(test), id(source), measure.signature, case, seed)
        if key in self._jobs:
            raise StudyError("these choices change nothing: another combination is the same job")
        self._jobs.add(key)
        return Request(one, test, source, measure.needs, measure, case, seed)

    def measure(self, label: str, values: Mapping[str, Any]) -> Measure:
        """A measure with the parameters that were chosen."""
        chosen = {name: value for name, value in values.items() if name not in KNOWN}
        return self.once(("measure", label, *chosen.items()), lambda: self._measure(label, chosen))

    def _measure(self, label: str, chosen: Mapping[str, Any]) -> Measure:
        """The measure with the chosen parameters, without intervals where the plan wants none."""
        measure = self.plan.measures[label]
        known = {one.name: one for one in fields(measure) if one.init}
        for name in chosen:
            if name not in known:
                raise SignatureError(f"{name} is not a parameter of {measure.name}")
        if not self.plan.study.intervals:
            plain = {
                name: value
                for name, value in (("resamples", 0), ("frequency", "off"))
                if name in known and getattr(measure, name) == known[name].default
            }
            measure = measure.with_parameters(**plain)
        return measure.with_parameters(**chosen)

    def texts(
        self, words: Test, measure: Measure, values: Mapping[str, Any]
    ) -> tuple[Test, Measure]:
        """A test as it is, of sentences made with templates, or of contexts of a corpus."""
        contexts = values.get("contexts", NONE)
        sizes = {
            name: values[name] for name in ("window", "distance", "per_term") if name in values
        }
        from_corpus = not isinstance(contexts, str) or not _made_here(contexts)
        if sizes and not from_corpus:
            raise StudyError(f"{', '.join(sizes)}: for contexts of a corpus alone")
        if from_corpus:
            path = contexts if isinstance(contexts, str | Path) else id(contexts)
            key = ("contexts", path, words.id, id(words), measure, *sizes.items())
            return self.once(key, lambda: self._of_corpus(words, measure, contexts, sizes))
        if contexts == NONE:
            return words, measure
        if measure.needs != "vectors":
            raise StudyError(f"{measure.name} puts words into templates of its own")
        file = contexts.partition(":")[2] or None
        (test,) = self.once(("sentences", id(words), file), lambda: sentence_tests([words], file))
        return test, measure

    def _of_corpus(
        self, words: Test, measure: Measure, contexts: Any, sizes: dict[str, Any]
    ) -> tuple[Test, Measure]:
        """A test in contexts of a corpus, cut to size."""
        if isinstance(contexts, str | Path):
            path = contexts
            contexts = self.once(("corpus", str(path)), lambda: corpora.load_either(path))
        if "per_term" in sizes:
            several, per_term = contexts, sizes["per_term"]
            contexts = self.once(("first", id(several), per_term), lambda: several.first(per_term))
        ((tests, measures),) = in_contexts(
            [words], [measure], contexts, sizes.get("window"), sizes.get("distance")
        )
        return tests[0], measures[0]

    def source(self, label: str, values: Mapping[str, Any], need: Need) -> Source:
        """A source with the options, the transform and the prompt that were chosen."""
        options = {name: str(v) for name, v in values.items() if KNOWN.get(name) == "source"}
        around = {
            name: str(values[name])
            for name in ("transform", "prompt")
            if str(values.get(name, NONE)) not in {NONE, ""}
        }
        key = ("source", label, need, *options.items(), *around.items())
        strange = label in self.plan.data_only
        with data_only(self.plan.vectors[label]) if strange else nullcontext():
            return self.once(key, lambda: self._source(label, options, around, need))

    def _source(
        self, label: str, options: Mapping[str, str], around: Mapping[str, str], need: Need
    ) -> Source:
        """Open a source."""
        given = self.plan.vectors[label]
        if options and not _is_encoder(given):
            encoders = ", ".join(ENCODERS)
            raise StudyError(
                f"{', '.join(options)}: for encoders ({encoders}) only, and {label} is not one"
            )
        if around and need != "vectors":
            raise StudyError(f"{', '.join(around)}: for vectors alone, not for log-probabilities")
        transform = around.get("transform")
        if isinstance(given, str | Path):
            stated = parse_file_spec(str(given)).options
            for name, value in {**options, **around}.items():
                if name in stated:
                    raise StudyError(f"{label} says {name}={stated[name]} itself", got=value)
                if name != "prompt":
                    given = with_option(str(given), f"{name}={escape(value)}")
        several = opened(given, need)
        if len(several) > 1:
            names = [f"{one.name}" for one in several[:3]]
            raise StudyError(
                f"{label} is {len(several)} sources, and one is needed: {', '.join(names)} ...",
                remedy="name one layer or period for each alternative",
            )
        source = several[0]
        if transform is not None and not isinstance(given, str | Path):
            source = transformed(source, transform)
        return prompted(cast("Any", source), around["prompt"]) if "prompt" in around else source

    def require_effect(
        self, test: Test, source: Source, labels: Mapping[str, str], values: Mapping[str, Any]
    ) -> None:
        """Refuse choices that change nothing here, so that no job counts twice."""
        given = self.plan.vectors[labels["vectors"]]
        if _is_encoder(given):
            stated = {**parse_file_spec(str(given)).options, **values}
            level = stated.get("level", "sentence")
            if level == "sentence" and "subword" in values:
                raise StudyError("subword changes nothing at level sentence")
            if level == "word" and "pool" in values:
                raise StudyError("pool changes nothing at level word")
        sentences = any(concept.sentences for concept in test.concepts.values())
        if sentences and str(values.get("prompt", NONE)) not in {NONE, ""}:
            raise StudyError("a prompt changes nothing where stimuli occur in sentences")
        if values.get("case") == "exact" and is_contextual(cast("Any", source)):
            raise StudyError("the case rule changes nothing where a model encodes texts")

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Make something once; what went wrong is raised again."""
        if key not in self._made:
            try:
                self._made[key] = make()
            except EatlasError as error:
                self._made[key] = error
        found = self._made[key]
        if isinstance(found, EatlasError):
            raise found
        return cast("T", found)


def _is_encoder(given: Any) -> bool:
    """Whether a source string takes the options of encoders."""
    return isinstance(given, str) and given.startswith(ENCODERS)


def _made_here(contexts: str) -> bool:
    """Whether an alternative of `contexts` is none, or templates."""
    return contexts in {NONE, TEMPLATES} or contexts.startswith(f"{TEMPLATES}:")


def _require_some_use(requests: Sequence[Request], misfits: Sequence[Misfit]) -> None:
    """Refuse an alternative that fits no combination: it is a slip of the pen."""
    used = {pair for request in requests for pair in request.combination.labels.items()}
    for misfit in misfits:
        for name, label in reversed(list(misfit.combination.labels.items())):
            if label and (name, label) not in used:
                reasons = dict.fromkeys(
                    m.reason for m in misfits if m.combination.labels[name] == label
                )
                raise StudyError(
                    f"{name} = {label}: this alternative fits nowhere in the study",
                    got="; ".join(list(reasons)[:SHOWN]),
                    remedy=f"correct it, or leave it out; {CONDITION}",
                )


def _do_not_fit(misfits: Sequence[Misfit], total: int) -> StudyError:
    """List the combinations whose choices do not fit each other, by reason."""
    by_reason: dict[str, list[Misfit]] = {}
    for misfit in misfits:
        by_reason.setdefault(misfit.reason, []).append(misfit)
    lines = [
        f"{reason}: {number_of(len(several), 'specification')}, such as {several[0].combination}"
        for reason, several in list(by_reason.items())[:SHOWN]
    ]
    more = len(by_reason) - SHOWN
    return StudyError(
        f"{len(misfits):,} of {total:,} specifications have choices that do not fit each other",
        got="\n".join([*lines, f"and {more} more reasons"] if more > 0 else lines),
        remedy=f"{CONDITION}; or leave combinations out by [[exclude]]; or skip these: "
        "--skip-invalid, in Python skip_invalid=True",
    )


def _require_names(requests: Sequence[Request]) -> None:
    """Refuse two sources of one name: their results could not be told apart."""
    known: dict[str, Source] = {}
    for one in requests:
        name = f"{one.need} {one.source.name}"
        if known.setdefault(name, one.source) is not one.source:
            raise StudyError(
                f"two sources have the name {one.source.name!r}, so their results could not "
                "be distinguished",
                remedy="name them: eatlas.ArraySource(words, array, name=...)",
            )
