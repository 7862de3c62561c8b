"""From combinations of choices to jobs that can be done, and why some combinations cannot be."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

import eatlas
from eatlas.engine import AnySource, Job, in_contexts, open_contexts, open_for, reader_of
from eatlas.errors import EatlasError, SignatureError, StudyError, UntrustedSourceError
from eatlas.measures import Measure
from eatlas.numbers import number_of
from eatlas.sources import add_prompt, is_contextual, model_and_tokenizer, transformed, with_options
from eatlas.stimuli import Test
from eatlas.stimuli.sentences import sentence_tests
from eatlas.untrusted import data_only
from eatlas_workbench.studies.plan import (
    KNOWN,
    NONE,
    StudyPlan,
    Taken,
    as_text,
    combinations,
    read_plan,
    tables_of,
)

TEMPLATES = "templates"
"""An alternative of `contexts`: sentences of the templates of SEAT, or ``templates:FILE``."""
ENCODERS = ("hf:", "clip:")
"""Source strings that take the options of encoders."""
CONDITION = 'say when a choice applies: subword = { values = [...], when = { level = "word" } }'
SHOWN = 10
"""Reasons that a message lists."""
_LAYER = re.compile(r"(?<=[?&])layer=[^&]*&?")
T = TypeVar("T")
Chosen = tuple[tuple[str, str], ...]
"""Choices with the labels of their alternatives."""


@dataclass(frozen=True)
class Prepared:
    """A plan whose every job is known and whose sources are open; nothing is read yet."""

    plan: StudyPlan
    grid: Sequence[tuple[Taken, Job | str]]
    """Every combination in the order of the grid, with its job, or why there can be none."""

    @cached_property
    def jobs(self) -> list[Job]:
        """Jobs in the order of the grid."""
        return [job for _, job in self.grid if isinstance(job, Job)]

    @cached_property
    def misfits(self) -> list[tuple[Taken, str]]:
        """Combinations that cannot be measured, and why."""
        return [(labels, reason) for labels, reason in self.grid if isinstance(reason, str)]

    @cached_property
    def sha256(self) -> str:
        """Identifies what is measured: tests, vectors, measures, choices; not what it is called."""
        plan, head = self.plan, self.plan.study
        words = [test.stimuli_sha256 for ways in plan.tests.values() for test in ways.values()]
        tables = [table for table in tables_of(plan) if table[0] not in {"[study]", "[family]"}]
        text = json.dumps([tables, words, head.seed, head.intervals], default=as_text)
        return hashlib.sha256(text.encode()).hexdigest()

    def cost(self) -> tuple[int, int]:
        """Words to look up, and texts to encode; layers of one model share a text."""
        words: set[tuple[str, Any]] = set()
        texts: set[tuple[str, Any]] = set()
        for job in self.jobs:
            reader, source = reader_of(job.measure.needs.source), _LAYER.sub("", job.source.name)
            asked = job.measure.questions(job.test) if reader.of_model else job.test.terms
            computed = reader.computes(job.source)
            (texts if computed else words).update((source, item) for item in asked)
        return len(words), len(texts)


def prepare(plan: Any, *, skip_invalid: bool = False, trust: str | Iterable[str] = ()) -> Prepared:
    """Read a plan and make a job of each combination; sources are opened, and none is read."""
    plan = read_plan(plan, trust=trust)
    jobs = _Jobs(plan)
    grid: list[tuple[Taken, Job | str]] = []
    for labels in combinations(plan):
        try:
            grid.append((labels, jobs.job(labels)))
        except UntrustedSourceError:
            raise
        except EatlasError as error:
            grid.append(
                (labels, error.what if error.got is None else f"{error.what} ({error.got})")
            )
    prepared = Prepared(plan, grid)
    if prepared.misfits:
        _require_fit(prepared, skip_invalid=skip_invalid)
    return prepared


class _Jobs:
    """Opens and makes each source, test and measure of a study once."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self._made: dict[Hashable, Any] = {}
        self._jobs: set[Hashable] = set()

    def once(self, make: Callable[..., T], *labels: Hashable) -> T:
        """Make something of some labels once; what went wrong is raised again."""
        key = (make.__name__, *labels)
        if key not in self._made:
            try:
                self._made[key] = make(*labels)
            except EatlasError as error:
                self._made[key] = error
        made: T | EatlasError = self._made[key]
        if isinstance(made, EatlasError):
            raise made
        return made

    def values(self, chosen: Chosen) -> dict[str, Any]:
        """What the labels of choices stand for."""
        return {name: self.plan.choices[name].values[label] for name, label in chosen}

    def job(self, labels: Taken) -> Job:
        """The job of one combination."""
        parts: dict[str, Chosen] = dict.fromkeys((*KNOWN.values(), "measure"), ())
        for name in self.plan.choices:
            if labels[name]:
                parts[KNOWN.get(name, "measure")] += ((name, labels[name]),)
        words = labels["test"], labels.get("stimuli", "")
        test, measure = self.once(
            self.texts, words, labels["measure"], parts["measure"], parts["texts"]
        )
        if measure.needs.source == "vectors":
            measure.require_stimuli(test)
        around = tuple(
            (name, label)
            for name, label in parts["wrapper"]
            if self.plan.choices[name].values[label] not in {NONE, ""}
        )
        source = self.once(
            self.source, labels["vectors"], measure.needs.source, parts["encoder"], around
        )
        how = {"case": "auto", "seed": self.plan.study.seed, **self.values(parts["run"])}
        sentences = any(concept.sentences for concept in test.concepts.values())
        if sentences and "prompt" in dict(around):
            raise StudyError("a prompt has no effect on stimuli that occur in sentences")
        if how["case"] == "exact" and is_contextual(source):
            raise StudyError("the case rule has no effect if a model encodes texts")
        key = (id(test), id(source), measure.signature, *how.values())
        if key in self._jobs:
            raise StudyError("these choices have no effect: another combination is the same job")
        self._jobs.add(key)
        return Job(test, source, measure, **how)

    def measure(self, label: str, chosen: Chosen) -> Measure:
        """A measure with the parameters that were chosen, without intervals unless wanted."""
        measure = self.plan.measures[label]
        defaults = {field.name: field.default for field in fields(measure) if field.init}
        if strange := [name for name, _ in chosen if name not in defaults]:
            raise SignatureError(f"{strange[0]} is not a parameter of {measure.name}")
        plain = {} if self.plan.study.intervals else {"resamples": 0, "frequency": "off"}
        unchanged = {
            name: value
            for name, value in plain.items()
            if name in defaults and getattr(measure, name) == defaults[name]
        }
        return measure.with_parameters(**unchanged).with_parameters(**self.values(chosen))

    def texts(
        self, words: tuple[str, str], measure_label: str, parameters: Chosen, chosen: Chosen
    ) -> tuple[Test, Measure]:
        """A test as it is, of sentences made with templates, or of contexts; and its measure."""
        measure = self.once(self.measure, measure_label, parameters)
        test, sizes = self.plan.tests[words[0]][words[1]], self.values(chosen)
        contexts = sizes.pop("contexts", NONE)
        kind, _, file = contexts.partition(":") if isinstance(contexts, str) else ("", "", "")
        if kind in {NONE, TEMPLATES} and sizes:
            raise StudyError(f"{', '.join(sizes)}: for contexts of a corpus alone")
        if kind == NONE:
            return test, measure
        if kind == TEMPLATES:
            if measure.needs.source != "vectors":
                raise StudyError(f"{measure.name} inserts words into its own templates")
            return self.once(self.sentences, words, file), measure
        contexts = self.once(self.contexts, dict(chosen)["contexts"], sizes.get("per_term"))
        ((tests, measures),) = in_contexts([test], [measure], contexts, sizes.get("window"))
        return tests[0], measures[0]

    def sentences(self, words: tuple[str, str], file: str) -> Test:
        """A test of words in the sentences of templates."""
        return sentence_tests([self.plan.tests[words[0]][words[1]]], file or None)[0]

    def contexts(self, label: str, per_term: int | None) -> Any:
        """Contexts of a corpus, all of them or the first of each term."""
        contexts = self.plan.choices["contexts"].values[label]
        contexts = open_contexts(contexts)
        return contexts if per_term is None else contexts.first(per_term)

    def source(self, label: str, need: Any, encoder: Chosen, wrapper: Chosen) -> AnySource:
        """A source with the options, the transform and the prompt that were chosen."""
        spec, options = self.plan.vectors[label], self.values(encoder)
        around = {name: str(value) for name, value in self.values(wrapper).items()}
        if options and (pair := model_and_tokenizer(spec)):
            spec, options = eatlas.encoder(*pair, **options), {}
        if options and not (isinstance(spec, str) and spec.startswith(ENCODERS)):
            raise StudyError(
                f"{', '.join(options)}: for encoders ({', '.join(ENCODERS)}) only, and {label} is "
                "not one"
            )
        if around and need != "vectors":
            raise StudyError(f"{', '.join(around)}: for vectors alone, not for log-probabilities")
        with data_only(spec) if label in self.plan.data_only else nullcontext():
            sources = open_for(with_options(spec, options) if options else spec, need)
            if len(sources) > 1:
                names = ", ".join(source.name for source in sources[:3])
                raise StudyError(
                    f"{label} is {len(sources)} sources, but one is needed: {names} ...",
                    remedy="choose one layer or period for each alternative",
                )
            source: Any = sources[0]
            if "transform" in around:
                source = transformed(source, around["transform"])
        return add_prompt(source, around["prompt"]) if "prompt" in around else source


def _require_fit(prepared: Prepared, *, skip_invalid: bool) -> None:
    """Refuse combinations that do not fit, unless skipped, and an alternative that never does."""
    misfits = prepared.misfits
    by_reason: dict[str, list[Taken]] = {}
    for labels, reason in misfits:
        by_reason.setdefault(reason, []).append(labels)
    if not skip_invalid:
        lines = []
        for reason, several in list(by_reason.items())[:SHOWN]:
            such = ", ".join(f"{name}={label}" for name, label in several[0].items() if label)
            lines.append(f"{reason}: {number_of(len(several), 'specification')}, such as {such}")
        if len(by_reason) > SHOWN:
            lines.append(f"and {len(by_reason) - SHOWN} more reasons")
        raise StudyError(
            f"{len(misfits):,} of {len(prepared.grid):,} specifications have choices that cannot "
            "be combined",
            got="\n".join(lines),
            remedy=f"{CONDITION}; or leave combinations out by [[exclude]]; or skip these: "
            "--skip-invalid, in Python skip_invalid=True",
        )
    used = {
        pair for labels, job in prepared.grid if isinstance(job, Job) for pair in labels.items()
    }
    for labels, _ in misfits:
        for pair in reversed(labels.items()):
            if pair[1] and pair not in used:
                reasons = dict.fromkeys(why for other, why in misfits if pair in other.items())
                raise StudyError(
                    f"{pair[0]} = {pair[1]}: this alternative never applies in the study",
                    got="; ".join(list(reasons)[:SHOWN]),
                    remedy=f"correct it, or remove it; {CONDITION}",
                )
