"""The plan of a study: tests, sources, measures and choices, and the grid of their combinations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from eatlas.decoding import read_toml, toml_bytes
from eatlas.encoders.options import OPTIONS
from eatlas.errors import StudyError, described, did_you_mean
from eatlas.measures import Measure, get_measure
from eatlas.sources.naming import NamedSpec, is_row, named_spec
from eatlas.sources.opening import is_pair
from eatlas.stimuli import Test, load_tests
from eatlas.untrusted import trusted_among

NONE = "none"
"""An alternative that leaves things as they are: no prompt, no transform, no contexts."""
TEMPLATES = "templates"
"""An alternative of `contexts`: sentences of the templates of SEAT, or ``templates:FILE``."""
Part = Literal["source", "wrapper", "texts", "run"]
"""What a choice changes: an option of an encoder, something around any source, the texts that are
encoded, or how a job is done."""
KNOWN: Mapping[str, Part] = {
    **{
        name: "source"
        for name in OPTIONS
        if name not in {"seed", "device", "truncate", "trust_remote_code", "revision"}
    },
    **dict.fromkeys(("transform", "prompt"), "wrapper"),
    **dict.fromkeys(("contexts", "window", "distance", "per_term"), "texts"),
    **dict.fromkeys(("case", "seed"), "run"),
}
"""Choices by name, besides the parameters of measures."""
PLACES = {"test": "tests", "stimuli": "tests", "vectors": "vectors", "measure": "measures"}
"""Where the alternatives of choices are that stand outside ``[choices]``."""
IN_STUDY = ("tests", "vectors", "measures")
"""Lists that may stand under ``[study]`` as well as at the top of a file."""
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


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Choice(_Strict):
    """Alternatives of one choice by label, and those of others beside which it means something."""

    values: dict[str, Any] = Field(min_length=1)
    when: Match = {}

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, given: Any) -> Any:
        parts = dict(given) if isinstance(given, Mapping) and "values" in given else None
        parts = parts or {"values": given}
        values = parts["values"]
        if not isinstance(values, Mapping):
            values = {label_of(value): value for value in as_list(values)}
            if len(values) < len(as_list(parts["values"])):
                raise ValueError("an alternative is there twice")
        for label, value in values.items():
            if value is None or isinstance(value, Mapping | list | tuple):
                raise ValueError(f"{label} is not a text, a number, true, false, or {NONE!r}")
        return {**parts, "values": values}


class Head(_Strict):
    """What a study is called, and what holds for all its jobs."""

    title: str = ""
    question: str = ""
    notes: Annotated[tuple[str, ...], BeforeValidator(lambda value: tuple(as_list(value)))] = ()
    seed: int = Field(0, ge=0)
    intervals: bool = False
    """Whether each specification has bootstrap intervals and lists of random words."""


class Family(_Strict):
    """Which specifications are tests of one family, and the level of adjusted p-values."""

    over: Labels = ("test",)
    alpha: float = Field(0.05, gt=0.0, lt=1.0)


class StudyPlan(_Strict):
    """What a study measures: every combination of these."""

    study: Head = Head()
    tests: dict[str, dict[str, Test]] = Field(min_length=1)
    """By name, then by the way in which a construct is described; that is "" where there is one."""
    vectors: dict[str, Any] = Field({"glove-sample": "glove-sample"}, min_length=1)
    """Source strings or objects by label."""
    measures: dict[str, InstanceOf[Measure]] = Field(default_factory=dict, validate_default=True)
    choices: dict[str, Choice] = {}
    exclude: tuple[Match, ...] = ()
    family: Family = Family()
    data_only: frozenset[str] = frozenset()
    """Labels of sources that a file names and the user does not trust: they may read data alone."""

    @model_validator(mode="before")
    @classmethod
    def _at_the_top(cls, given: Any) -> Any:
        head = given.get("study")
        if not isinstance(head, Mapping):
            return given
        lists = {name: head[name] for name in IN_STUDY if name in head}
        for name in lists.keys() & given.keys():
            raise ValueError(f"{name} are there twice, at the top and in [study]")
        rest = {name: value for name, value in head.items() if name not in lists}
        return {**given, **lists, "study": rest}

    @field_validator("tests", mode="before")
    @classmethod
    def _loaded(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return {test.id: {"": test} for item in as_list(given) for test in _tests(item)}
        ways = {name: way if isinstance(way, Mapping) else {"": way} for name, way in given.items()}
        return {
            name: {way: _single(name, item) for way, item in several.items()}
            for name, several in ways.items()
        }

    @field_validator("vectors", mode="before")
    @classmethod
    def _labelled(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            rows = [is_row(value) for value in given.values() if not isinstance(value, str | Path)]
            return {"vectors": given} if rows and all(rows) else given
        several = given if isinstance(given, list) or _is_list(given) else [given]
        labelled: dict[str, Any] = {}
        for n, item in enumerate(several, start=1):
            spec = named_spec(item) if isinstance(item, str) else NamedSpec(item)
            text = str(spec.spec) if isinstance(spec.spec, str | Path) else ""
            label = spec.name or text or getattr(spec.spec, "name", f"vectors-{n}")
            if labelled.setdefault(label, spec.spec) != spec.spec:
                raise ValueError(f"two sources have the name {label!r}")
        return labelled

    @field_validator("measures", mode="before")
    @classmethod
    def _measures(cls, given: Any, info: ValidationInfo) -> Any:
        tests = info.data.get("tests", {})
        kinds = dict.fromkeys(test.kind for ways in tests.values() for test in ways.values())
        given = given or [DEFAULT_MEASURES[kind] for kind in kinds]
        named = (
            given if isinstance(given, Mapping) else {str(item): item for item in as_list(given)}
        )
        return {label: get_measure(item) for label, item in named.items()}

    @field_validator("exclude", mode="before")
    @classmethod
    def _several(cls, given: Any) -> Any:
        return as_list(given)

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
            if name in PLACES:
                raise ValueError(f"choices.{name}: alternatives of this are in [{PLACES[name]}]")
            if name not in allowed:
                raise ValueError(
                    f"choices.{name}: is not a choice that eatlas knows"
                    f"{did_you_mean(name, allowed)} (allowed: {', '.join(dict.fromkeys(allowed))})"
                )
        matches = [(f"choices.{name}.when", choice.when) for name, choice in self.choices.items()]
        matches += [(f"exclude, number {n}", match) for n, match in enumerate(self.exclude, 1)]
        matches += [("family.over", dict.fromkeys(self.over, ()))]
        labels = self.alternatives()
        for place, match in matches:
            for name, chosen in match.items():
                if name not in labels:
                    raise ValueError(
                        f"{place}: {name} is not a choice of this plan{did_you_mean(name, labels)}"
                    )
                for label in set(chosen) - set(labels[name]):
                    raise ValueError(
                        f"{place}: {name} has no alternative {label!r}"
                        f"{did_you_mean(label, labels[name])}"
                    )
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


def example() -> str:
    """Return a plan that runs on the vectors that come with eatlas, with comments."""
    return (resources.files("eatlas.apps.studies") / "data" / "example.toml").read_text("utf-8")


def read_plan(
    plan: str | Path | Mapping[str, Any] | StudyPlan, *, trust: str | Iterable[str] = ()
) -> StudyPlan:
    """Read a plan and check it."""
    if isinstance(plan, StudyPlan | Mapping):
        trusted_among(trust, (), "this plan is not read from a file, so that it names no source")
        return plan if isinstance(plan, StudyPlan) else _checked(plan, "the plan")
    if not isinstance(plan, str | Path):
        raise StudyError(
            "this is not a plan of a study",
            got=described(plan),
            allowed="a TOML file, or a dictionary of the same form",
            remedy=EXAMPLE,
        )
    try:
        data = toml_bytes(Path(plan), StudyError)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"{plan}: the plan cannot be read",
            got=getattr(error, "strerror", None) or str(error),
            remedy=EXAMPLE,
        ) from error
    checked = _checked(read_toml(data, str(plan), StudyError), str(plan))
    named = {label: source for label, source in checked.vectors.items() if isinstance(source, str)}
    trusted = trusted_among(trust, named.values(), f"{plan} has no source")
    strange = frozenset(label for label, source in named.items() if source not in trusted)
    return checked.model_copy(update={"data_only": strange})


def _checked(document: Mapping[str, Any], name: str) -> StudyPlan:
    """A plan without faults; else every fault of its tables is named."""
    try:
        return StudyPlan.model_validate(document)
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            *_, key = fault["loc"] or ("",)
            text = fault["msg"].removeprefix("Value error, ")
            if fault["type"] == "extra_forbidden":
                near = (StudyPlan, Head, Family, Choice)
                keys = [key for model in near for key in model.model_fields if key != "data_only"]
                text = f"is not a key of a plan{did_you_mean(str(key), keys)}"
            at = ".".join(map(str, fault["loc"]))
            faults.append(f"{name}: key {at}: {text}" if at else f"{name}: key {text}")
        raise StudyError("\n".join(faults), remedy=EXAMPLE) from error


def _tests(given: Any) -> tuple[Test, ...]:
    """The tests of an id, a battery, a file or an object; of ``FILE.toml#ID`` a single one."""
    path, mark, name = str(given).rpartition("#")
    if not isinstance(given, str) or not mark or not Path(path).is_file():
        return load_tests(given)
    tests = {test.id: test for test in load_tests(path)}
    if name not in tests:
        raise StudyError(
            f"{path}: there is no test {name!r}{did_you_mean(name, tests)}",
            allowed=", ".join(tests),
        )
    return (tests[name],)


def _single(name: str, given: Any) -> Test:
    tests = _tests(given)
    if len(tests) > 1:
        ids = ", ".join(test.id for test in tests[:3])
        raise ValueError(f"{name}: these are {len(tests)} tests, {ids} ...; name one")
    return tests[0]


def _is_list(given: Any) -> bool:
    """Whether a tuple holds sources; (words, array) is one source."""
    return isinstance(given, tuple) and not is_pair(given)


@dataclass(frozen=True)
class Combination:
    """One alternative of every choice."""

    labels: Mapping[str, str]
    """By choice; "" for one that means nothing beside the others."""
    values: Mapping[str, Any]
    """What the labels of ``[choices]`` stand for; without those that mean nothing."""

    def __str__(self) -> str:
        return ", ".join(f"{name}={label}" for name, label in self.labels.items() if label)


def combinations(plan: StudyPlan) -> tuple[Combination, ...]:
    """Every combination of the alternatives, in the order of the plan.

    A choice with a condition that is not met is left open, once; combinations that the plan
    excludes are left out.
    """
    names = list(plan.alternatives())
    tests = [(name, way, test) for name, ways in plan.tests.items() for way, test in ways.items()]
    rows: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"test": name, "stimuli": way, "vectors": vectors, "measure": label}, {})
        for (name, way, test), vectors in product(tests, plan.vectors)
        for label, measure in plan.measures.items()
        if measure.kind == test.kind  # each measure takes the tests of its kind
    ]
    for name, choice in _in_order(plan.choices):
        rows = [
            ({**labels, name: label}, {**values, **chosen})
            for labels, values in rows
            for label, chosen in (
                [(label, {name: value}) for label, value in choice.values.items()]
                if _matches(labels, choice.when)
                else [("", {})]
            )
        ]
        if len(rows) > MOST:
            raise StudyError(
                "the grid of this plan is too large",
                got=f"more than {MOST:,} specifications",
                remedy="leave out alternatives, or say when choices apply",
            )
    grid = tuple(
        Combination({name: labels[name] for name in names}, values)
        for labels, values in rows
        if not any(_matches(labels, match) for match in plan.exclude)
    )
    if not grid:
        raise StudyError(
            "the grid of this plan is empty: every combination is excluded",
            remedy="look at [[exclude]]",
        )
    return grid


def _matches(labels: Mapping[str, str], match: Match) -> bool:
    """Whether one of the alternatives of each choice is taken."""
    return all(labels.get(name) in chosen for name, chosen in match.items())


def _in_order(choices: Mapping[str, Choice]) -> list[tuple[str, Choice]]:
    """Choices after those on which their conditions depend."""
    waiting, ordered = dict(choices), []
    while waiting:
        ready = next((name for name in waiting if not waiting.keys() & waiting[name].when), None)
        if ready is None:
            circle = ", ".join(f"{n} when {', '.join(c.when)}" for n, c in waiting.items())
            raise StudyError(
                "the conditions of these choices depend on each other in a circle", got=circle
            )
        ordered.append((ready, waiting.pop(ready)))
    return ordered
