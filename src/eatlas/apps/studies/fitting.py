"""From combinations of choices to jobs that can be done, and why some combinations cannot be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from eatlas.apps.studies.plan import KNOWN, NONE, Combination, StudyPlan, combinations, read_plan
from eatlas.corpora import load_either
from eatlas.engine import AnySource, in_contexts, open_for
from eatlas.errors import EatlasError, SignatureError, StudyError, UntrustedSourceError
from eatlas.measures import Measure
from eatlas.present.numbers import number_of
from eatlas.sources import is_contextual, options_of, prompted, transformed, with_options
from eatlas.stimuli import Test
from eatlas.stimuli.sentences import sentence_tests
from eatlas.untrusted import data_only

TEMPLATES = "templates"
"""An alternative of `contexts`: sentences of the templates of SEAT, or ``templates:FILE``."""
ENCODERS = ("hf:", "clip:")
"""Source strings that take the options of encoders."""
CONDITION = 'say when a choice applies: subword = { values = [...], when = { level = "word" } }'
SHOWN = 10
"""Reasons that a message lists."""
T = TypeVar("T")


class Request(NamedTuple):
    """One job of a study: nothing of it is read yet."""

    combination: Combination
    test: Test
    source: AnySource
    measure: Measure
    case: Any
    seed: int


class Misfit(NamedTuple):
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
        parts = [
            {
                name: {way: [test.id, test.stimuli_sha256] for way, test in ways.items()}
                for name, ways in plan.tests.items()
            },
            {label: as_text(source) for label, source in plan.vectors.items()},
            {label: measure.signature for label, measure in plan.measures.items()},
            [
                [name, list(choice.values.items()), choice.when]
                for name, choice in plan.choices.items()
            ],
            [plan.exclude, plan.study.seed, plan.study.intervals],
        ]
        text = json.dumps(parts, ensure_ascii=False, default=as_text)
        return hashlib.sha256(text.encode()).hexdigest()

    def cost(self) -> tuple[int, int]:
        """Words to look up, and texts to encode; layers of one model share a text."""
        words: set[Any] = set()
        texts: set[Any] = set()
        for combination, test, source, measure, *_ in self.requests:
            chosen = tuple(
                label
                for name, label in combination.labels.items()
                if name == "vectors" or (KNOWN.get(name) in {"encoder", "wrapper"})
                if name != "layer"
            )
            if measure.needs.source in {"masked", "causal"}:
                texts |= {(chosen, question) for question in measure.questions(test)}
            else:
                encodes = measure.needs.source == "vectors" and is_contextual(source)
                (texts if encodes else words).update((chosen, term) for term in test.terms)
        return len(words), len(texts)


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
    names: dict[tuple[str, str], AnySource] = {}
    for _, _, source, measure, *_ in requests:
        if names.setdefault((measure.needs.source, source.name), source) is not source:
            raise StudyError(
                f"two sources have the name {source.name!r}, so their results could not be "
                "distinguished",
                remedy="name them: eatlas.ArraySource(words, array, name=...)",
            )
    return Prepared(plan, requests, misfits)


class _Fitter:
    """Opens and makes each source, test and measure of a study once."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self._made: dict[Any, Any] = {}
        self._jobs: set[tuple[Any, ...]] = set()

    def once(self, make: Callable[..., T], *arguments: Any) -> T:
        """Make something once; what went wrong is raised again."""
        key = (make.__name__, *map(_identity, arguments))
        if key not in self._made:
            try:
                self._made[key] = make(*arguments)
            except EatlasError as error:
                self._made[key] = error
        made: T | EatlasError = self._made[key]
        if isinstance(made, EatlasError):
            raise made
        return made

    def request(self, combination: Combination) -> Request:
        """The job of one combination."""
        plan, labels, values = self.plan, combination.labels, combination.values
        parts = {part: {} for part in (*KNOWN.values(), "measure")}  # type: dict[str, dict[str, Any]]
        for name, value in values.items():
            parts[KNOWN.get(name, "measure")][name] = value
        words = plan.tests[labels["test"]][labels.get("stimuli", "")]
        measure = self.once(self.measure, labels["measure"], parts["measure"])
        test, measure = self.once(self.texts, words, measure, parts["texts"])
        if measure.needs.source == "vectors":
            measure.require_stimuli(test)
        label = labels["vectors"]
        around = {
            name: str(value) for name, value in parts["wrapper"].items() if value not in {NONE, ""}
        }
        source = self.once(self.source, label, measure.needs.source, parts["encoder"], around)
        self.require_effect(test, source, values)
        case, seed = values.get("case", "auto"), values.get("seed", plan.study.seed)
        job = (id(test), id(source), measure.signature, case, seed)
        if job in self._jobs:
            raise StudyError("these choices change nothing: another combination is the same job")
        self._jobs.add(job)
        return Request(combination, test, source, measure, case, seed)

    def measure(self, label: str, chosen: Mapping[str, Any]) -> Measure:
        """A measure with the parameters that were chosen, without intervals unless wanted."""
        measure = self.plan.measures[label]
        parameters = {parameter.name: parameter for parameter in fields(measure) if parameter.init}
        for name in chosen:
            if name not in parameters:
                raise SignatureError(f"{name} is not a parameter of {measure.name}")
        if not self.plan.study.intervals:
            plain = {"resamples": 0, "frequency": "off"}
            measure = measure.with_parameters(**{
                name: value
                for name, value in plain.items()
                if name in parameters and getattr(measure, name) == parameters[name].default
            })  # fmt: skip
        return measure.with_parameters(**chosen)

    def texts(
        self, words: Test, measure: Measure, chosen: Mapping[str, Any]
    ) -> tuple[Test, Measure]:
        """A test as it is, of sentences made with templates, or of contexts of a corpus."""
        contexts = chosen.get("contexts", NONE)
        sizes = {name: value for name, value in chosen.items() if name != "contexts"}
        kind, _, file = contexts.partition(":") if isinstance(contexts, str) else ("", "", "")
        if kind in {NONE, TEMPLATES} and sizes:
            raise StudyError(f"{', '.join(sizes)}: for contexts of a corpus alone")
        if contexts == NONE:
            return words, measure
        if kind == TEMPLATES:
            if measure.needs.source != "vectors":
                raise StudyError(f"{measure.name} puts words into templates of its own")
            return self.once(sentence_tests, [words], file or None)[0], measure
        if isinstance(contexts, str | Path):
            contexts = self.once(load_either, contexts)
        if "per_term" in sizes:
            contexts = self.once(_first, contexts, sizes["per_term"])
        ((tests, measures),) = in_contexts(
            [words], [measure], contexts, sizes.get("window"), sizes.get("distance")
        )
        return tests[0], measures[0]

    def source(
        self, label: str, need: Any, options: Mapping[str, Any], around: Mapping[str, str]
    ) -> AnySource:
        """A source with the options, the transform and the prompt that were chosen."""
        spec = self.plan.vectors[label]
        if options and not _is_encoder(spec):
            raise StudyError(
                f"{', '.join(options)}: for encoders ({', '.join(ENCODERS)}) only, and {label} is "
                "not one"
            )
        if around and need != "vectors":
            raise StudyError(f"{', '.join(around)}: for vectors alone, not for log-probabilities")
        written, transform = isinstance(spec, str | Path), around.get("transform")
        if written:
            stated = options_of(str(spec))
            for name, value in {**options, **around}.items():
                if name in stated:
                    raise StudyError(f"{label} says {name}={stated[name]} itself", got=str(value))
            after = {} if transform is None else {"transform": transform}
            spec = with_options(str(spec), {**options, **after}) if options or after else spec
        strange = written and label in self.plan.data_only
        with data_only(self.plan.vectors[label]) if strange else nullcontext():
            sources = open_for(spec, need)
        if len(sources) > 1:
            names = ", ".join(source.name for source in sources[:3])
            raise StudyError(
                f"{label} is {len(sources)} sources, and one is needed: {names} ...",
                remedy="name one layer or period for each alternative",
            )
        source: Any = sources[0]
        if transform is not None and not written:
            source = transformed(source, transform)
        return prompted(source, around["prompt"]) if "prompt" in around else source

    def require_effect(self, test: Test, source: Any, values: Mapping[str, Any]) -> None:
        """Refuse choices that change nothing here, so that no job counts twice."""
        sentences = any(concept.sentences for concept in test.concepts.values())
        if sentences and values.get("prompt", NONE) not in {NONE, ""}:
            raise StudyError("a prompt changes nothing where stimuli occur in sentences")
        if values.get("case") == "exact" and is_contextual(source):
            raise StudyError("the case rule changes nothing where a model encodes texts")


def _first(contexts: Any, per_term: int) -> Any:
    return contexts.first(per_term)


def _identity(argument: Any) -> Any:
    """An argument as part of a key: numbers and texts by value, objects by identity."""
    if isinstance(argument, Mapping):
        return tuple((name, _identity(value)) for name, value in argument.items())
    if isinstance(argument, list):
        return tuple(map(_identity, argument))
    plain = isinstance(argument, str | int | float | Path | Measure)
    return type(argument), argument if plain else id(argument)


def _is_encoder(spec: Any) -> bool:
    """Whether a source string takes the options of encoders."""
    return isinstance(spec, str) and spec.startswith(ENCODERS)


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
    by_reason: dict[str, list[Combination]] = {}
    for combination, reason in misfits:
        by_reason.setdefault(reason, []).append(combination)
    lines = [
        f"{reason}: {number_of(len(several), 'specification')}, such as {several[0]}"
        for reason, several in list(by_reason.items())[:SHOWN]
    ]
    if len(by_reason) > SHOWN:
        lines.append(f"and {len(by_reason) - SHOWN} more reasons")
    return StudyError(
        f"{len(misfits):,} of {total:,} specifications have choices that do not fit each other",
        got="\n".join(lines),
        remedy=f"{CONDITION}; or leave combinations out by [[exclude]]; or skip these: "
        "--skip-invalid, in Python skip_invalid=True",
    )
