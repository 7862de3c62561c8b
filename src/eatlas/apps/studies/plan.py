"""The plan of a study: from a TOML file or a dictionary to checked tests, sources and choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from eatlas.apps.studies.choices import DIMENSIONS, KNOWN, NONE, label_of, parameters_of, part_of
from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import EatlasError, StudyError, described, did_you_mean
from eatlas.measures import Measure, get_measure
from eatlas.sources.naming import NamedSpec, is_row, named_spec
from eatlas.sources.opening import is_pair
from eatlas.stimuli import Test, load_tests
from eatlas.untrusted import trusted_among

TABLES = ("study", "tests", "vectors", "measures", "choices", "exclude", "family", "control")
STUDY_KEYS = ("title", "question", "notes", "seed", "intervals", "tests", "vectors", "measures")
IN_STUDY = ("tests", "vectors", "measures")
"""Lists that may stand under ``[study]`` as well as at the top of a file."""
FAMILY_KEYS = ("over", "alpha")
CONTROL_KEYS = ("random_models",)
CHOICE_KEYS = ("values", "when")
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURES = {"association": "ml-eat", "groups": "divdist"}
"""By the kind of test."""
DEFAULT_OVER = ("test",)
EXAMPLE = "eatlas multiverse --example prints a plan that runs"
MOST_CONTROLS = 1000

Match = Mapping[str, tuple[str, ...]]
"""Alternatives by choice: one of each must be taken."""


@dataclass(frozen=True)
class Choice:
    """A choice of a study and its alternatives by label."""

    name: str
    alternatives: Mapping[str, Any]
    when: Match = field(default_factory=dict)
    """Alternatives of other choices beside which it means something; empty for always."""


@dataclass(frozen=True)
class StudyPlan:
    """What a study measures: every combination of these."""

    tests: Mapping[str, Mapping[str, Test]]
    """By name, then by the way in which a construct is described; that is "" where there is one."""
    vectors: Mapping[str, Any]
    """Source strings or objects by label."""
    measures: Mapping[str, Measure]
    choices: tuple[Choice, ...] = ()
    exclude: tuple[Match, ...] = ()
    over: tuple[str, ...] = DEFAULT_OVER
    """Choices whose alternatives are tests of one family."""
    alpha: float = 0.05
    """Level of the adjusted p-values."""
    random_models: int = 0
    """Models of the same shape with random weights that are measured beside each encoder."""
    seed: int = 0
    intervals: bool = False
    """Whether each specification has bootstrap intervals and lists of random words."""
    title: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()
    data_only: frozenset[str] = field(default=frozenset(), compare=False)
    """Labels of sources that a file names and the user does not trust: they may read data alone."""

    @property
    def described(self) -> bool:
        """Whether a construct is described in several ways, so that there is a choice "stimuli"."""
        return any(set(ways) != {""} for ways in self.tests.values())

    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Labels of every choice, those of tests, vectors and measures first."""
        found = {"test": tuple(self.tests)}
        if self.described:
            ways = (way for several in self.tests.values() for way in several)
            found["stimuli"] = tuple(dict.fromkeys(ways))
        found |= {"vectors": tuple(self.vectors), "measure": tuple(self.measures)}
        return found | {one.name: tuple(one.alternatives) for one in self.choices}


def example() -> str:
    """Return a plan that runs on the vectors that come with eatlas, with comments."""
    return (resources.files("eatlas.apps.studies") / "data" / "example.toml").read_text("utf-8")


def read_plan(
    plan: str | Path | Mapping[str, Any] | StudyPlan, *, trust: str | Iterable[str] = ()
) -> StudyPlan:
    """Read a plan and check it."""
    if isinstance(plan, StudyPlan | Mapping):
        trusted_among(trust, (), "this plan is not read from a file, so that it names no source")
        return plan if isinstance(plan, StudyPlan) else _Reader("the plan").plan(plan)
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
    found = _Reader(str(plan)).plan(read_toml(data, str(plan), StudyError))
    named = {label: one for label, one in found.vectors.items() if isinstance(one, str)}
    trusted = trusted_among(trust, named.values(), f"{plan} has no source")
    strange = frozenset(label for label, one in named.items() if one not in trusted)
    return replace(found, data_only=strange)


class _Reader:
    """Reads the tables of a plan one after the other, and keeps every fault."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.faults: list[str] = []

    def plan(self, document: Mapping[str, Any]) -> StudyPlan:
        """Read the whole plan."""
        self.known(document, TABLES, "")
        head = self.table(document, "study")
        self.known(head, STUDY_KEYS, "study.")
        parts = {name: self.part(document, head, name) for name in IN_STUDY}
        tests = self.tests(parts["tests"])
        kinds = dict.fromkeys(t.kind for ways in tests.values() for t in ways.values())
        usual = [DEFAULT_MEASURES[kind] for kind in kinds or ("association",)]
        measures = self.measures(parts["measures"], usual)
        self.kinds(tests, measures)
        vectors = self.vectors(parts["vectors"])
        choices = self.choices(self.table(document, "choices"), list(measures.values()))
        family, control = self.table(document, "family"), self.table(document, "control")
        self.known(family, FAMILY_KEYS, "family.")
        self.known(control, CONTROL_KEYS, "control.")
        plan = StudyPlan(
            tests=tests,
            vectors=vectors,
            measures=measures,
            choices=tuple(choices),
            alpha=self.share(family.get("alpha", 0.05), "family.alpha"),
            random_models=self.whole(
                control.get("random_models", 0), "control.random_models", MOST_CONTROLS
            ),
            seed=self.whole(head.get("seed", 0), "study.seed"),
            intervals=self.flag(head.get("intervals", False), "study.intervals"),
            title=self.text(head.get("title", ""), "study.title"),
            question=self.text(head.get("question", ""), "study.question"),
            notes=self.texts(head.get("notes", ()), "study.notes"),
        )
        labels = plan.alternatives()
        excluded = tuple(self.excluded(document.get("exclude", ()), labels))
        for one in plan.choices:
            self.match(one.when, labels, f"choices.{one.name}.when")
        over = self.over(family.get("over"), labels)
        self.stop()
        return StudyPlan(**{**vars(plan), "exclude": excluded, "over": over})

    def stop(self) -> None:
        """Raise what was found so far."""
        if self.faults:
            raise StudyError(
                "\n".join(f"{self.where}: {fault}" for fault in self.faults), remedy=EXAMPLE
            )

    def known(self, table: Mapping[str, Any], allowed: Sequence[str], before: str) -> None:
        """Name unknown keys, and the nearest known one."""
        for key in table:
            if key not in allowed:
                near = did_you_mean(str(key), allowed)
                self.faults.append(
                    f"key {before}{key}: is not a key of a plan{near} "
                    f"(allowed: {', '.join(before + one for one in allowed)})"
                )

    def table(self, document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """A table of the plan; empty where there is none."""
        found = document.get(name, {})
        if isinstance(found, Mapping):
            return found
        self.faults.append(f"key {name}: is not a table (allowed: [{name}])")
        return {}

    def part(self, document: Mapping[str, Any], head: Mapping[str, Any], name: str) -> Any:
        """Tests, vectors or measures: at the top, as a table of their own, or under [study]."""
        if name in document and name in head:
            self.faults.append(f"key {name}: is there twice, at the top and in [study]")
        return document.get(name, head.get(name))

    def tests(self, given: Any) -> dict[str, dict[str, Test]]:
        """Tests by name and by way of description."""
        if given is None or (isinstance(given, Mapping | list | tuple) and not given):
            self.faults.append(
                'key tests: there is no test (allowed: tests = ["weat-6"], or [tests] with '
                'name = "weat-6" or name = { names = "c6-name", terms = "c6-term" })'
            )
            return {}
        if not isinstance(given, Mapping):
            return {test.id: {"": test} for test in self.loaded(given, "tests")}
        found: dict[str, dict[str, Test]] = {}
        for name, ways in given.items():
            several = ways if isinstance(ways, Mapping) else {"": ways}
            if not several:
                self.faults.append(f"key tests.{name}: there is no test")
            found[str(name)] = {
                str(way): test
                for way, one in several.items()
                for test in self.loaded(one, f"tests.{name}{'.' * bool(way)}{way}", single=True)
            }
        return found

    def loaded(self, given: Any, key: str, *, single: bool = False) -> tuple[Test, ...]:
        """Load tests; of a named one there must be a single test."""
        try:
            if isinstance(given, list | tuple):
                given = [test for one in given for test in _from_file(one) or (one,)]
            tests = _from_file(given) or load_tests(given)
        except EatlasError as error:
            self.fault(key, error)
            return ()
        if single and len(tests) > 1:
            ids = ", ".join(test.id for test in tests[:3])
            self.faults.append(f"key {key}: these are {len(tests)} tests, {ids} ...; name one")
            return ()
        return tests

    def vectors(self, given: Any) -> dict[str, Any]:
        """Sources by label; those of a list are called as they are written."""
        if given is None:
            return {DEFAULT_VECTORS: DEFAULT_VECTORS}
        if isinstance(given, Mapping) and all(isinstance(key, str) for key in given):
            if not given or any(
                isinstance(one, str | Path) or not is_row(one) for one in given.values()
            ):
                return self.named(given, "vectors")
            return {"vectors": given}  # a mapping from words to vectors
        several = given if isinstance(given, list) or _is_list(given) else [given]
        specs = [named_spec(one) if isinstance(one, str) else NamedSpec(one) for one in several]
        labels = [
            one.name
            or (str(one.spec) if isinstance(one.spec, str | Path) else "")
            or getattr(one.spec, "name", f"vectors-{n}")
            for n, one in enumerate(specs, start=1)
        ]
        found: dict[str, Any] = {}
        for label, one in zip(labels, specs, strict=True):
            if found.setdefault(label, one.spec) != one.spec:
                self.faults.append(f"key vectors: two sources have the name {label!r}")
        return self.named(found, "vectors")

    def measures(self, given: Any, default: list[str]) -> dict[str, Measure]:
        """Measures by label; those of a list are called as they are written."""
        if given is None:
            given = default
        if not isinstance(given, Mapping):
            several = given if isinstance(given, list | tuple) else [given]
            given = {str(one): one for one in several}
        found: dict[str, Measure] = {}
        for label, one in self.named(given, "measures").items():
            try:
                found[label] = get_measure(one)
            except EatlasError as error:
                self.fault(f"measures.{label}", error)
        return found

    def kinds(
        self, tests: Mapping[str, Mapping[str, Test]], measures: Mapping[str, Measure]
    ) -> None:
        """Refuse a test that no measure takes, and a measure that takes none of the tests."""
        there = {test.kind for ways in tests.values() for test in ways.values()}
        taken = {measure.kind for measure in measures.values()}
        self.faults += [
            f"key tests: {name} is of the kind {test.kind}, and no measure takes that"
            for name, ways in tests.items()
            for test in ways.values()
            if measures and test.kind not in taken
        ]
        self.faults += [
            f"key measures: {label} takes tests of the kind {measure.kind}, and the plan has none"
            for label, measure in measures.items()
            if there and measure.kind not in there
        ]

    def named(self, given: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Alternatives of a table, of which there must be one at least."""
        if not given:
            self.faults.append(f"key {key}: is empty, so there is nothing to measure")
        return {str(label): value for label, value in given.items()}

    def choices(self, table: Mapping[str, Any], measures: Sequence[Measure]) -> Iterable[Choice]:
        """Every choice with its alternatives."""
        allowed = (*KNOWN, *parameters_of(measures))
        for name, given in table.items():
            key = f"choices.{name}"
            if name in DIMENSIONS:
                place = {"stimuli": "tests"}.get(name, name if name == "vectors" else f"{name}s")
                self.faults.append(f"key {key}: alternatives of this are in [{place}]")
            elif part_of(name, measures) is None:
                near = did_you_mean(name, allowed)
                self.faults.append(
                    f"key {key}: is not a choice that eatlas knows{near} "
                    f"(allowed: {', '.join(allowed)})"
                )
            else:
                yield self.choice(name, given, key)

    def choice(self, name: str, given: Any, key: str) -> Choice:
        """One choice: a list, a table of named alternatives, or values with a condition."""
        when: Any = {}
        if isinstance(given, Mapping) and "values" in given:
            self.known(given, CHOICE_KEYS, f"{key}.")
            given, when = given["values"], given.get("when", {})
        if isinstance(when, Mapping):
            when = {str(other): _several(labels) for other, labels in when.items()}
        else:
            self.faults.append(f'key {key}.when: is not a table (allowed: {{ level = "word" }})')
            when = {}
        if isinstance(given, Mapping):
            named = {str(label): value for label, value in given.items()}
        else:
            several = given if isinstance(given, list | tuple) else [given]
            named = {label_of(value): value for value in several}
            if len(named) < len(several):
                self.faults.append(f"key {key}: an alternative is there twice")
        if not named:
            self.faults.append(f"key {key}: has no alternatives, so the grid is empty")
        for label, value in named.items():
            if isinstance(value, Mapping | list | tuple) or value is None:
                self.faults.append(
                    f"key {key}: {label} is not a single value (allowed: a text, a number, true, "
                    f'false, or "{NONE}")'
                )
        return Choice(name, named, when)

    def excluded(self, given: Any, labels: Mapping[str, Sequence[str]]) -> Iterable[Match]:
        """Combinations that are left out."""
        several = [given] if isinstance(given, Mapping) else given
        if not isinstance(several, list | tuple):
            self.faults.append("key exclude: is not a table (allowed: [[exclude]])")
            return
        for number, one in enumerate(several, start=1):
            if not isinstance(one, Mapping) or not one:
                self.faults.append(f"key exclude, number {number}: is not a table of choices")
                continue
            found = {str(name): _several(chosen) for name, chosen in one.items()}
            self.match(found, labels, f"exclude, number {number}")
            yield found

    def match(self, given: Match, labels: Mapping[str, Sequence[str]], key: str) -> None:
        """Refuse what names no choice, or no alternative of it."""
        for name, chosen in given.items():
            if name not in labels:
                self.faults.append(
                    f"key {key}: {name} is not a choice of this plan"
                    f"{did_you_mean(name, labels)} (allowed: {', '.join(labels)})"
                )
                continue
            for label in chosen:
                if label not in labels[name]:
                    self.faults.append(
                        f"key {key}: {name} has no alternative {label!r}"
                        f"{did_you_mean(label, labels[name])} "
                        f"(allowed: {', '.join(labels[name])})"
                    )

    def over(self, given: Any, labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """Choices over which p-values are adjusted; "all" for one family of everything."""
        if given is None:
            return DEFAULT_OVER
        if given == "all":
            return tuple(labels)
        over = _several(given)
        self.match(dict.fromkeys(over, ()), labels, "family.over")
        return over

    def whole(self, value: Any, key: str, most: int | None = None) -> int:
        """A whole number from 0."""
        if type(value) is int and value >= 0 and (most is None or value <= most):
            return value
        limit = "" if most is None else f" to {most:,}"
        self.faults.append(f"key {key}: {value!r} (allowed: a whole number from 0{limit})")
        return 0

    def share(self, value: Any, key: str) -> float:
        """A number between 0 and 1."""
        if isinstance(value, float) and 0 < value < 1:
            return value
        self.faults.append(f"key {key}: {value!r} (allowed: a number between 0 and 1)")
        return 0.05

    def flag(self, value: Any, key: str) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            self.faults.append(f"key {key}: {value!r} (allowed: true or false)")
        return bool(value)

    def text(self, value: Any, key: str) -> str:
        """A text."""
        if not isinstance(value, str):
            self.faults.append(f"key {key}: {value!r} (allowed: a text)")
        return str(value)

    def texts(self, value: Any, key: str) -> tuple[str, ...]:
        """A text, or several."""
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list | tuple) or not all(isinstance(v, str) for v in several):
            self.faults.append(f"key {key}: is not a text or a list of texts")
            return ()
        return tuple(several)

    def fault(self, key: str, error: EatlasError) -> None:
        """Keep the message of another part of eatlas, on one line."""
        self.faults.append(f"key {key}: " + "; ".join(map(str.strip, str(error).splitlines())))


def _several(given: Any) -> tuple[str, ...]:
    """One label or several, as labels."""
    values = given if isinstance(given, list | tuple) else [given]
    return tuple(label_of(value) for value in values)


def _from_file(given: Any) -> tuple[Test, ...]:
    """The test of a file that ``FILE.toml#ID`` names; none where this is something else."""
    path, mark, name = str(given).rpartition("#")
    if not isinstance(given, str) or not mark or not Path(path).is_file():
        return ()
    tests = {test.id: test for test in load_tests(path)}
    if name not in tests:
        raise StudyError(
            f"{path}: there is no test {name!r}{did_you_mean(name, tests)}",
            allowed=", ".join(tests),
        )
    return (tests[name],)


def _is_list(given: Any) -> bool:
    """Whether a tuple holds sources; (words, array) is one source."""
    return isinstance(given, tuple) and not is_pair(given)
