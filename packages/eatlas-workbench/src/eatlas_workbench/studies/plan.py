"""The plan of a study: tests, sources, measures and choices, and the grid of their combinations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    InstanceOf,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import StudyError, did_you_mean
from eatlas.measures import Measure, get_measure
from eatlas.sources import is_by_name, specs_of
from eatlas.stimuli import Test, load_tests
from eatlas.stimuli.records import fault_at, faults_of
from eatlas.untrusted import list_trusted

NONE = "none"
"""An alternative that leaves things as they are: no prompt, no transform, no contexts."""
Part = Literal["encoder", "wrapper", "texts", "run"]
"""What a choice changes: an option of an encoder, something around any source, the texts that are
encoded, or how a job is done."""
KNOWN: dict[str, Part] = {
    **dict.fromkeys(("level", "layer", "pool", "subword", "weights", "precision"), "encoder"),
    **dict.fromkeys(("transform", "prompt"), "wrapper"),
    **dict.fromkeys(("contexts", "window", "per_term"), "texts"),
    **dict.fromkeys(("case", "seed"), "run"),
}
"""Choices by name, besides the parameters of measures."""
IN_STUDY = ("tests", "vectors", "measures")
"""Lists that may stand under ``[study]`` as well as at the top of a file."""
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURES = {"association": "ml-eat", "groups": "divdist"}
"""By the kind of test."""
EXAMPLE = "eatlas multiverse --example prints a plan that runs"
MOST = 1_000_000
"""Specifications of one study."""


def label_of(value: object) -> str:
    """How an alternative without a name of its own is called."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_list(value: Any) -> Sequence[Any]:
    """A list as it is; anything else as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


Labels = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: tuple(map(label_of, as_list(value))))
]
Match = dict[str, Labels]
"""Alternatives by choice: one of each must be taken."""
Taken = dict[str, str]
"""The label of one alternative of every choice; "" for one that means nothing next to the
others."""


class Choice(BaseModel, frozen=True, extra="forbid"):
    """Alternatives of one choice by label, and those of others beside which it means something."""

    values: dict[str, Any] = Field(min_length=1)
    when: Match = {}

    @model_validator(mode="before")
    @classmethod
    def _expand_values(cls, value: Any) -> Any:
        parts = dict(value) if isinstance(value, Mapping) and "values" in value else {}
        values = parts.get("values", value)
        if not isinstance(values, Mapping):
            several = as_list(values)
            values = {label_of(alternative): alternative for alternative in several}
            if len(values) < len(several):
                raise ValueError("an alternative is there twice")
        for label, alternative in values.items():
            if alternative is None or isinstance(alternative, Mapping | list | tuple):
                raise ValueError(f"{label} is not a text, a number, true, false, or {NONE!r}")
        return {**parts, "values": values}


class StudyHead(BaseModel, frozen=True, extra="forbid"):
    """What a study is called, and what holds for all its jobs."""

    title: str = ""
    question: str = ""
    notes: Annotated[tuple[str, ...], BeforeValidator(lambda value: tuple(as_list(value)))] = ()
    seed: int = Field(0, ge=0)
    intervals: bool = False
    """Whether each specification has bootstrap intervals and draws of random topics."""


class StudyFamily(BaseModel, frozen=True, extra="forbid"):
    """Which specifications are tests of one family, and the level of adjusted p-values."""

    over: Labels = ("test",)
    alpha: float = Field(0.05, gt=0.0, lt=1.0)


class StudyPlan(BaseModel, frozen=True, extra="forbid"):
    """What a study measures: every combination of these."""

    study: StudyHead = StudyHead()
    tests: dict[str, dict[str, Test]] = Field(min_length=1)
    """By name, then by the way in which a construct is described; that is "" where there is one."""
    vectors: dict[str, Any] = Field({DEFAULT_VECTORS: DEFAULT_VECTORS}, min_length=1)
    """Source strings or objects by label."""
    measures: dict[str, InstanceOf[Measure]] = Field(default_factory=dict, validate_default=True)
    choices: dict[str, Choice] = {}
    exclude: Annotated[tuple[Match, ...], BeforeValidator(as_list)] = ()
    family: StudyFamily = StudyFamily()
    data_only: frozenset[str] = frozenset()
    """Labels of sources that a file names and the user does not trust: they may read data alone."""

    @model_validator(mode="before")
    @classmethod
    def _at_the_top(cls, document: Any) -> Any:
        head = document.get("study")
        if not isinstance(head, Mapping):
            return document
        lists = {name: head[name] for name in IN_STUDY if name in head}
        for name in lists.keys() & document.keys():
            raise ValueError(f"{name} are there twice, at the top and in [study]")
        rest = {name: value for name, value in head.items() if name not in lists}
        return {**document, **lists, "study": rest}

    @field_validator("tests", mode="before")
    @classmethod
    def _load_plan_tests(cls, tests: Any) -> Any:
        if not isinstance(tests, Mapping):
            return {test.id: {"": test} for item in as_list(tests) for test in _tests(item)}
        ways = {name: way if isinstance(way, Mapping) else {"": way} for name, way in tests.items()}
        return {
            name: {way: _single(name, item) for way, item in several.items()}
            for name, several in ways.items()
        }

    @field_validator("vectors", mode="before")
    @classmethod
    def _label_vectors(cls, vectors: Any) -> Any:
        by_name = isinstance(vectors, Mapping) and (not vectors or is_by_name(vectors))
        # a list holds training runs: each is a source
        if by_name and not any(isinstance(source, list) for source in vectors.values()):
            return vectors
        labelled: dict[str, Any] = {}
        for n, (spec, name, _) in enumerate(specs_of(vectors, DEFAULT_VECTORS), start=1):
            text = str(spec) if isinstance(spec, str | Path) else ""
            own = getattr(spec, "name", None)
            label = name or text or (own if isinstance(own, str) else f"vectors-{n}")
            if labelled.setdefault(label, spec) is not spec:
                raise ValueError(f"two sources have the name {label!r}")
        return labelled

    @field_validator("measures", mode="before")
    @classmethod
    def _measures(cls, measures: Any, info: ValidationInfo) -> Any:
        tests = info.data.get("tests", {})
        kinds = dict.fromkeys(test.kind for ways in tests.values() for test in ways.values())
        measures = measures or [DEFAULT_MEASURES[kind] for kind in kinds]
        if not isinstance(measures, Mapping):
            measures = {str(measure): measure for measure in as_list(measures)}
        return {label: get_measure(measure) for label, measure in measures.items()}

    @model_validator(mode="after")
    def _fits(self) -> StudyPlan:
        """Refuse tests, measures and choices that do not go together."""
        kinds = {test.kind for ways in self.tests.values() for test in ways.values()}
        taken = {measure.kind for measure in self.measures.values()}
        if kinds != taken:
            raise ValueError(
                f"tests are of the kind {' and '.join(sorted(kinds))}, and measures take tests of "
                f"the kind {' and '.join(sorted(taken))}"
            )
        allowed = [*KNOWN, *(p.name for m in self.measures.values() for p in fields(m) if p.init)]
        for name in self.choices:
            if name not in allowed:
                raise ValueError(
                    f"choices.{name}: is not a choice that eatlas knows"
                    f"{did_you_mean(name, allowed)} (allowed: {', '.join(dict.fromkeys(allowed))})"
                )
        matches = {f"choices.{name}.when": choice.when for name, choice in self.choices.items()}
        matches |= {f"exclude, number {n}": match for n, match in enumerate(self.exclude, 1)}
        matches["family.over"] = dict.fromkeys(self.over, ())
        labels = self.alternatives()
        for key, match in matches.items():
            for name, chosen in match.items():
                if name not in labels:
                    near = did_you_mean(name, labels)
                    raise ValueError(f"{key}: {name} is not a choice of this plan{near}")
                for label in set(chosen) - set(labels[name]):
                    near = did_you_mean(label, labels[name])
                    raise ValueError(f"{key}: {name} has no alternative {label!r}{near}")
        return self

    @property
    def over(self) -> tuple[str, ...]:
        """Choices whose alternatives are tests of one family."""
        return tuple(self.alternatives()) if self.family.over == ("all",) else self.family.over

    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Labels of every choice, those of tests, vectors and measures first."""
        labels = {"test": tuple(self.tests)}
        ways = dict.fromkeys(way for several in self.tests.values() for way in several)
        if set(ways) != {""}:
            labels["stimuli"] = tuple(ways)
        labels |= {"vectors": tuple(self.vectors), "measure": tuple(self.measures)}
        return labels | {name: tuple(choice.values) for name, choice in self.choices.items()}


def _tests(item: Any) -> tuple[Test, ...]:
    """The tests of an id, a battery, a file or an object; of ``FILE.toml#ID`` a single one."""
    path, mark, name = str(item).rpartition("#")
    if not isinstance(item, str) or not mark or not Path(path).is_file():
        return load_tests(item)
    tests = {test.id: test for test in load_tests(path)}
    if name not in tests:
        raise StudyError(
            f"{path}: there is no test {name!r}{did_you_mean(name, tests)}",
            allowed=", ".join(tests),
        )
    return (tests[name],)


def _single(name: str, item: Any) -> Test:
    tests = _tests(item)
    if len(tests) > 1:
        ids = ", ".join(test.id for test in tests[:3])
        raise ValueError(f"{name}: these are {len(tests)} tests, {ids} ...; name one")
    return tests[0]


def example() -> str:
    """A plan that runs on the vectors that come with eatlas, with comments."""
    return (resources.files("eatlas_workbench.studies") / "data" / "example.toml").read_text(
        encoding="utf-8"
    )


def read_plan(
    plan: str | Path | Mapping[str, Any] | StudyPlan, *, trust: str | Iterable[str] = ()
) -> StudyPlan:
    """Read a plan and check it."""
    if isinstance(plan, StudyPlan | Mapping):
        list_trusted(trust, (), "this plan is not read from a file, so that it names no source")
        return plan if isinstance(plan, StudyPlan) else _validate_plan(plan, "the plan")
    try:
        data = toml_bytes(Path(plan), StudyError)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"{plan}: the plan cannot be read",
            got=getattr(error, "strerror", None) or str(error),
            remedy=EXAMPLE,
        ) from error
    checked = _validate_plan(read_toml(data, str(plan), StudyError), str(plan))
    named = {label: source for label, source in checked.vectors.items() if isinstance(source, str)}
    trusted = list_trusted(trust, named.values(), f"{plan} has no source")
    strange = frozenset(label for label, source in named.items() if source not in trusted)
    return checked.model_copy(update={"data_only": strange})


def _validate_plan(document: Mapping[str, Any], name: str) -> StudyPlan:
    """A plan without faults; else every fault of its tables is named."""
    try:
        return StudyPlan.model_validate(document)
    except ValidationError as error:
        models = (StudyPlan, StudyHead, StudyFamily, Choice)
        keys = [key for model in models for key in model.model_fields if key != "data_only"]
        faults = [
            f"{name}: key {fault_at(place, fault) if place else fault}"
            for place, fault in faults_of(error, keys)
        ]
        raise StudyError("\n".join(faults), remedy=EXAMPLE) from error


def combinations(plan: StudyPlan) -> list[Taken]:
    """Every combination of the alternatives, in the order of the plan.

    A choice with a condition that is not met is left open, once; combinations that the plan
    excludes are left out.
    """
    alternatives = plan.alternatives()
    rows: list[Taken] = [
        {"test": name, "stimuli": way, "vectors": vectors, "measure": label}
        for name, ways in plan.tests.items()
        for way, test in ways.items()
        for vectors in plan.vectors
        for label, measure in plan.measures.items()
        if measure.kind == test.kind  # each measure takes the tests of its kind
    ]
    for name in _in_order(plan.choices):
        choice = plan.choices[name]
        rows = [
            {**labels, name: label}
            for labels in rows
            for label in (choice.values if _matches(labels, choice.when) else [""])
        ]
        if len(rows) > MOST:
            raise StudyError(
                "the grid of this plan is too large",
                got=f"more than {MOST:,} specifications",
                remedy="remove alternatives, or state when choices apply",
            )
    rows = [labels for labels in rows if not any(_matches(labels, match) for match in plan.exclude)]
    if not rows:
        raise StudyError(
            "the grid of this plan is empty: every combination is excluded",
            remedy="check [[exclude]]",
        )
    places = {name: ("", *labels) for name, labels in alternatives.items()}
    ordered = [{name: labels[name] for name in alternatives} for labels in rows]
    ordered.sort(key=lambda labels: [places[name].index(label) for name, label in labels.items()])
    return ordered


def _matches(labels: Mapping[str, str], match: Match) -> bool:
    """Whether one of the alternatives of each choice is taken."""
    return all(labels.get(name) in chosen for name, chosen in match.items())


def _in_order(choices: Mapping[str, Choice]) -> tuple[str, ...]:
    """Choices after those on which their conditions depend."""
    depends = {name: choices.keys() & choice.when for name, choice in choices.items()}
    try:
        return tuple(TopologicalSorter(depends).static_order())
    except CycleError as error:
        raise StudyError(
            "the conditions of these choices are circular",
            got=", ".join(f"{name} when {', '.join(choices[name].when)}" for name in error.args[1]),
        ) from error


def as_text(value: Any) -> Any:
    """A value of a plan as text: what is written stays, an object says what it is."""
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Path):
        return str(value)
    own = getattr(value, "name", None)
    name = own if isinstance(own, str) and own else type(value).__name__
    mark = getattr(value, "fingerprint", None) or getattr(value, "sha256", "")
    return f"{name} {mark}".rstrip()


def tables_of(
    plan: StudyPlan, files: Mapping[str, str] | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """The tables of a plan with every default spelled out; `files` has tests that need one."""
    tests: dict[str, Any] = {}
    for name, ways in plan.tests.items():
        ids = {way: (files or {}).get(test.id, test.id) for way, test in ways.items()}
        tests[name] = ids[""] if set(ids) == {""} else ids
    choices: dict[str, Any] = {}
    for name, choice in plan.choices.items():
        when = {"when": choice.when} if choice.when else {}
        choices[name] = {"values": {k: as_text(v) for k, v in choice.values.items()}, **when}
    return [
        ("[study]", plan.study.model_dump()),
        ("[tests]", tests),
        ("[vectors]", {label: as_text(source) for label, source in plan.vectors.items()}),
        ("[measures]", {label: measure.signature for label, measure in plan.measures.items()}),
        ("[choices]", choices),
        *(("[[exclude]]", dict(match)) for match in plan.exclude),
        ("[family]", {"over": plan.over, "alpha": plan.family.alpha}),
    ]
