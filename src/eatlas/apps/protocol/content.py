"""Content validity: what a measure's numbers do when vectors, words and groups are changed.

Each property is checked, not declared: the measure runs on the test as it is and on the changed
one. Whether a property ought to hold is a matter of the construct; a bias that is a difference of
associations turns its sign with its groups, and is 0 where the groups are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.evidence import Figure
from eatlas.apps.protocol.material import (
    Answers,
    Fields,
    Material,
    NotRunError,
    reason_of,
    table,
)
from eatlas.apps.protocol.numbers import Numbers, oriented, plain
from eatlas.errors import EatlasError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.sources import ArraySource, embed
from eatlas.stimuli import (
    ATTRIBUTES,
    TARGETS,
    Concept,
    GroupsTest,
    Test,
    load_tests,
)

Array = NDArray[np.float64]
Kinship = Literal["the same", "the sign turned", "different"]
SAME = 1e-6
"""Largest relative difference of numbers that count as equal. In double precision a rotation
changes those of most measures by 1e-13, and those of a fitted classifier (RNSB) by 1e-7."""
ROUNDING = 1e-9
"""Below it a relative difference is shown as 0, as it differs by machine."""
TESTS = {"groups": "divdist-face-validity", "association": "weat-6"}
"""Test that the properties of a measure are checked on, by the kind of tests that it takes."""
THREE_GROUPS = "divdist-race"
STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Shares of a group's mean in a target's vector, of a planted association."""
SPACES = 20
"""Random spaces in which the numbers are looked at."""


class Compared(NamedTuple):
    """Numbers before and after a change."""

    kinship: Kinship
    difference: float | None
    """Largest difference, relative to the largest number; None where none is defined in both."""


class Outcome(NamedTuple):
    """What a check found."""

    answer: str
    """"yes", "no", or why there is neither in a word or two."""
    detail: str = ""
    difference: float | None = None
    """Largest difference, relative to the largest number."""


@dataclass(frozen=True)
class Bench:
    """A measure, a test, and the vectors of its terms, which may be changed."""

    measure: Measure
    """Without resamples and p-values."""
    test: Test
    source: Any
    """Where terms are looked up: an opened source, or changed vectors."""
    seed: int

    @cached_property
    def result(self) -> AssociationResult:
        """What the measure finds."""
        return self.measure(self.test, self.source, seed=self.seed)

    @property
    def numbers(self) -> Numbers:
        """The numbers that the measure gives, by what they are of."""
        return numbers_of(self.result)

    def compared(self, changed: Bench) -> Compared:
        """Compare its numbers with those of a changed bench."""
        return compare(self.numbers, changed.numbers)

    def with_test(self, test: Test) -> Bench:
        """The bench with another test."""
        return replace(self, test=test)

    def with_concepts(self, concepts: Mapping[str, Concept]) -> Bench:
        """The bench with other terms; of pairs those whose terms are still there."""
        test = self.test
        if not isinstance(test, GroupsTest):
            return self.with_test(test.model_copy(update=dict(concepts)))
        terms = {term for concept in concepts.values() for term in concept.terms}
        changed = {
            "targets": concepts["targets"],
            "groups": tuple(concepts[group.name] for group in test.groups),
            "pairs": tuple(pair for pair in test.pairs if terms.issuperset(pair)),
        }
        return self.with_test(test.model_copy(update=changed))

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The vector of each term."""
        vectors = self.source.lookup(self.test.terms)
        return {term: np.asarray(vectors[term], np.float64) for term in self.test.terms}

    def with_rows(self, change: Callable[[Array], Array]) -> Bench:
        """The bench with all vectors changed; `change` takes them as rows."""
        changed = change(np.array(list(self.rows.values())))
        return self.with_some(dict(zip(self.rows, changed, strict=True)))

    def with_some(self, rows: Mapping[str, Array]) -> Bench:
        """The bench with the vectors of some terms changed."""
        return replace(self, source=_array({**self.rows, **rows}))

    @property
    def sides(self) -> tuple[Concept, ...]:
        """The groups that targets are compared with: those of a test of groups, or A and B."""
        if isinstance(self.test, GroupsTest):
            return self.test.groups
        return tuple(self.test.concept(role) for role in ATTRIBUTES)

    @property
    def moved(self) -> tuple[str, ...]:
        """Terms that an association is planted in: the first target, or those of X."""
        if isinstance(self.test, GroupsTest):
            return self.test.targets.terms[:1]
        return self.test.concept("X").terms

    @property
    def pole(self) -> Array:
        """Mean of the unit vectors of the first group, of length 1."""
        rows = np.array([unit(self.rows[term]) for term in self.sides[0].terms])
        return unit(rows.mean(axis=0))


Check = Callable[[Bench], Outcome]


def bench_of(material: Material, test: Test, source: Any) -> Bench:
    """The measure on a test as it is."""
    return Bench(plain(material.measure), test, source, material.seed)


def copied(material: Material, test: Test, source: Any) -> Bench:
    """The measure on those terms that have vectors, which are copied."""
    embedded = embed(test, source)
    concepts = {
        group: Concept(name=concept.name, terms=embedded.coverage[group].used)
        for group, concept in test.concepts.items()
    }
    rows: dict[str, Array] = {}
    for group, concept in concepts.items():
        rows |= zip(concept.terms, embedded.vectors[group], strict=True)
    return bench_of(material, test, _array(rows)).with_concepts(concepts)


def exchanged(test: Test) -> Test:
    """The test with its two groups, or A and B, in each other's place."""
    if isinstance(test, GroupsTest):
        pairs = tuple(pair[::-1] for pair in test.pairs)
        return test.model_copy(update={"groups": test.groups[::-1], "pairs": pairs})
    a, b = (test.concept(role) for role in ATTRIBUTES)
    return test.model_copy(update={"A": b, "B": a})


def _array(rows: Mapping[str, Array]) -> ArraySource:
    """Vectors in memory, in double precision."""
    return ArraySource(list(rows), np.array(list(rows.values()), np.float64), name="copy")


def unit(vector: Array) -> Array:
    """A vector of length 1 in the same direction."""
    return vector / np.linalg.norm(vector)


def numbers_of(result: AssociationResult) -> Numbers:
    """The numbers of a result: of each target, or its effect sizes.

    Of shares against two groups, the deviation of the first; against more, the bias.
    """
    if result.by_target is not None:
        return {
            target.term: target.bias if target.signed is None else target.signed
            for target in result.by_target
        }
    if result.values is not None:
        return {target.term: target.value for target in result.values}
    return {f"{effect.place} {effect.term or ''}".strip(): effect.d for effect in result.effects()}


def compare(before: Numbers, after: Numbers) -> Compared:
    """Say whether numbers stayed, turned their sign, or differ."""
    first, second = (
        {name: number for name, number in numbers.items() if number is not None}
        for numbers in (before, after)
    )
    if before.keys() != after.keys() or first.keys() != second.keys():
        return Compared("different", None)
    if not first:
        return Compared("the same", None)
    x, y = (np.array([numbers[name] for name in first]) for numbers in (first, second))
    scale = max(float(np.abs(x).max()), float(np.abs(y).max()), 1e-12)
    stayed = float(np.abs(x - y).max()) / scale
    turned = float(np.abs(x + y).max()) / scale
    if stayed <= SAME:
        return Compared("the same", stayed)
    return Compared("the sign turned" if turned <= SAME else "different", stayed)


def _yes(holds: bool, detail: str = "", difference: float | None = None) -> Outcome:  # noqa: FBT001
    return Outcome("yes" if holds else "no", detail, difference)


def _stays(bench: Bench, changed: Bench) -> Outcome:
    kinship, difference = bench.compared(changed)
    if difference is not None:
        difference = 0.0 if difference < ROUNDING else float(f"{difference:.2g}")
    return _yes(kinship == "the same", kinship, difference)


def _turns(compared: Compared) -> Outcome:
    return _yes(compared.kinship == "the sign turned", compared.kinship)


# ---- what a test may be: any source


def repeated(bench: Bench) -> Outcome:
    """The same numbers, to the last bit, in a second run with the same seed."""
    return _yes(bench.numbers == bench.with_test(bench.test).numbers)


def order_of_words(bench: Bench) -> Outcome:
    """The same numbers when each list of words is turned round."""
    turned = {
        group: concept.model_copy(
            update={"terms": concept.terms[::-1], "sentences": concept.sentences[::-1]}
        )
        for group, concept in bench.test.concepts.items()
    }
    return _stays(bench, bench.with_concepts(turned))


def exchange_of_groups(bench: Bench) -> Outcome:
    """The other sign when the two groups, or A and B, trade places."""
    return _turns(bench.compared(bench.with_test(exchanged(bench.test))))


def exchange_of_targets(bench: Bench) -> Outcome:
    """The other sign when X and Y trade places; of numbers of single words, the same."""
    x, y = (bench.test.concept(role) for role in TARGETS)
    swapped = bench.with_concepts({"X": y, "Y": x})
    # level 1, of several
    before, after = (tested.result.effects()[0] for tested in (bench, swapped))
    if before.term:
        return Outcome("no", "each word is measured alone")
    return _turns(compare({"d": before.d}, {"d": after.d}))


def more_groups(bench: Bench) -> Outcome:
    """Whether three groups are taken at once."""
    (test,) = load_tests(THREE_GROUPS)
    targets = test.concept("targets")
    few = Concept(name=targets.name, terms=targets.terms[:5])
    try:
        numbers = bench.with_test(test.model_copy(update={"targets": few})).numbers
    except EatlasError as error:
        return Outcome("no", reason_of(error))
    return Outcome("yes", f"{len(numbers)} targets of {THREE_GROUPS} measured")


def reference(bench: Bench) -> Outcome:
    """Whether another reference, 70 to 30 in place of 50 to 50, changes the numbers."""
    names = sorted(group.name for group in bench.sides)
    shares = tuple(zip(names, (0.7, 0.3), strict=True))
    changed = bench.with_test(bench.test.model_copy(update={"reference": shares}))
    kinship, difference = bench.compared(changed)
    return _yes(kinship != "the same", kinship, difference)


def contexts(bench: Bench) -> Outcome:
    """Whether words in their contexts are taken, so that a word has more senses than one."""
    return _yes(bench.measure.needs.contexts in {"any", "required"})


def p_values(bench: Bench) -> Outcome:
    """Whether a result says how often chance alone gives such numbers."""
    for effect in bench.result.effects():
        if effect.p is not None:
            return Outcome("yes", f"a p-value of {effect.title}")
    labelled = any(target.labels is not None for target in bench.result.by_target or ())
    return Outcome("yes", "a p-value of each target") if labelled else Outcome("no")


def intervals(bench: Bench) -> Outcome:
    """Whether a result says how far numbers would move with other words."""
    uncertainty = bench.result.uncertainty
    if uncertainty is not None:
        return Outcome("yes", f"{uncertainty.confidence:.0%} bootstrap intervals")
    unsure = any(target.uncertainty is not None for target in bench.result.by_target or ())
    return Outcome("yes", "bootstrap intervals of each target") if unsure else Outcome("no")


# ---- what vectors may be: sources of vectors alone


def scale(rows: Any, _: np.random.Generator) -> Any:
    """All vectors three times as long."""
    return 3.0 * rows


def lengths(rows: Any, rng: np.random.Generator) -> Any:
    """Each vector with a length of its own."""
    return rng.uniform(0.5, 2.0, size=(len(rows), 1)) * rows


def rotation(rows: Any, rng: np.random.Generator) -> Any:
    """A rotated space, which has all distances and angles of the first."""
    q, r = np.linalg.qr(rng.normal(size=(rows.shape[1], rows.shape[1])))
    return rows @ (q * np.sign(np.diag(r)))


def translation(rows: Any, rng: np.random.Generator) -> Any:
    """One vector added to all of them."""
    shift = unit(rng.normal(size=rows.shape[1]))
    return rows + shift * np.linalg.norm(rows, axis=1).mean()


def unchanged(change: Callable[[Any, np.random.Generator], Any]) -> Check:
    """The check that numbers stay where all vectors are changed."""

    def check(bench: Bench) -> Outcome:
        rng = np.random.default_rng(bench.seed)
        return _stays(bench, bench.with_rows(lambda rows: change(rows, rng)))

    return check


def groups_alike(bench: Bench) -> Outcome:
    """No bias, or none that is defined, where both groups have the same vectors."""
    first, second, *_ = (group.terms for group in bench.sides)
    n = min(len(first), len(second))
    cut = {group.name: group.terms[:n] for group in bench.sides}
    concepts = {
        group: Concept(name=concept.name, terms=cut.get(concept.name, concept.terms))
        for group, concept in bench.test.concepts.items()
    }
    alike = {b: bench.rows[a] for a, b in zip(first[:n], second[:n], strict=True)}
    result = bench.with_some(alike).with_concepts(concepts).result
    distances = _from_neutral(result)
    if not distances:
        return Outcome("yes", "no number is defined")
    largest = max(map(abs, distances))
    return _yes(largest <= SAME, f"at most {largest:.3g} from the number that shows no bias")


def planted(bench: Bench) -> Outcome:
    """A number that rises as targets move towards the first group."""
    numbers = []
    for share in STEPS:
        rows = {}
        for term in bench.moved:
            row = bench.rows[term]
            mixed = (1 - share) * unit(row) + share * bench.pole
            rows[term] = unit(mixed) * np.linalg.norm(row)
        number = _towards_first(bench.with_some(rows).result, bench.moved)
        if number is None:
            return Outcome("no number", "numbers have no direction, or are not defined")
        numbers.append(number)
    slack = SAME * max(map(abs, numbers))
    rises = (np.diff(numbers) >= -slack).all() and numbers[-1] - numbers[0] > slack
    return _yes(bool(rises), " → ".join(f"{number:.3g}" for number in numbers))


def bounded(bench: Bench) -> Outcome:
    """Numbers within their stated limits, in random spaces and in an extreme one."""
    rng = np.random.default_rng(bench.seed)
    spaces = [bench.with_rows(lambda rows: rng.normal(size=rows.shape)) for _ in range(SPACES)]
    poles = bench.with_some(dict.fromkeys(bench.moved, bench.pole))
    results = [space.result for space in (bench, *spaces, poles)]
    seen = [v for result in results for v in numbers_of(result).values() if v is not None]
    if not seen:
        return Outcome("no number", "no number is defined")
    low, high = _limits(results[0])
    text = f"from {min(seen):.3g} to {max(seen):.3g} in {len(results)} spaces"
    if low is None or high is None:
        return Outcome("no limits stated", text)
    within = low - SAME <= min(seen) and max(seen) <= high + SAME
    return _yes(within, f"{text}; stated: {low:.3g} to {high:.3g}")


def _from_neutral(result: AssociationResult) -> list[float]:
    """Distances of the numbers that are defined from those that show no bias."""
    each, whole = (
        getattr(getattr(result, name, None), "neutral", None) for name in ("each", "whole")
    )
    numbers = [number for number in numbers_of(result).values() if number is not None]
    if result.values is None:
        return numbers
    if each is not None:
        return [number - each for number in numbers]
    return [] if result.d is None or whole is None else [result.d - whole]


def _towards_first(result: AssociationResult, terms: Sequence[str]) -> float | None:
    """A number that is larger where some targets lean to the first group, or to A."""
    if result.kind == "groups":
        return (oriented(result)[0] or {}).get(terms[0])
    effects = result.effects()
    if not effects[0].term:
        return effects[0].d
    single = [effect.d for effect in effects if effect.term in terms and effect.d is not None]
    return sum(single) / len(single) if single else None


def _limits(result: AssociationResult) -> tuple[float | None, float | None]:
    """The smallest and largest number that a record says are possible."""
    if result.by_target is not None:
        share = dict(result.of_the_test()["reference"])[result.sides[1][0]]
        return -share, 1.0 - share
    each = getattr(result, "each", None)
    return getattr(each, "low", None), getattr(each, "high", None)


# ---- the studies

STRUCTURE: dict[str, Check] = {
    "A second run gives the same numbers": repeated,
    "The order of words changes nothing": order_of_words,
    "Groups that trade places turn the sign": exchange_of_groups,
    "Targets that trade places turn the sign": exchange_of_targets,
    "More than two groups are taken": more_groups,
    "The reference distribution counts": reference,
    "Words are taken in their contexts": contexts,
    "A p-value is given": p_values,
    "An interval is given": intervals,
}
"""What is checked on any source: the test is changed, and the source is not."""
KINDS: dict[Check, str] = {
    exchange_of_targets: "association", more_groups: "groups", reference: "groups"
}  # fmt: skip
"""The kind of measures that a property can be asked of, where it is one."""
UNCERTAIN = (p_values, intervals)
"""Properties of the measure with its resamples and p-values."""
INVARIANCES: dict[str, Check] = {
    "The length of all vectors changes nothing": unchanged(scale),
    "Lengths of single vectors change nothing": unchanged(lengths),
    "A rotation of the space changes nothing": unchanged(rotation),
    "A shift of the space changes nothing": unchanged(translation),
    "Groups with the same vectors show no bias": groups_alike,
    "A planted association raises the number": planted,
    "Numbers keep within limits": bounded,
}
"""What is checked on copies of a source's vectors."""


def structure(material: Material) -> Answers:
    """The properties that follow from changing the test, on each source."""
    return material.on_each_source(_structure)


def _structure(material: Material, name: str, source: Any) -> Fields:  # noqa: ARG001
    (test,) = load_tests(TESTS[material.measure.kind])
    return _checked(material, bench_of(material, material.fitted(test), source), STRUCTURE)


def invariances(material: Material) -> Answers:
    """The properties that follow from changing vectors, on copies of those of each source."""
    if material.measure.needs.source != "vectors":
        raise NotRunError(
            f"{material.measure.name} needs no vectors, which are changed here: a language model "
            "or a table of counts has no lengths and no angles."
        )
    return material.on_each_source(_invariances)


def _invariances(material: Material, name: str, source: Any) -> Fields:  # noqa: ARG001
    (test,) = load_tests(TESTS[material.measure.kind])
    if material.fitted(test).contexts is not None:
        raise NotRunError(
            f"{material.measure.name} takes words in their contexts, whose vectors follow from the "
            "texts; only vectors of words are changed here."
        )
    return _checked(material, copied(material, test, source), INVARIANCES)


def _checked(material: Material, bench: Bench, checks: Mapping[str, Check]) -> Fields:
    """Check some properties; an error on the way is the answer."""
    if not bench.numbers:  # a test that cannot be measured as it is ends the study here
        raise NotRunError("The measure gives no number.")
    entire = replace(bench, measure=material.measure)
    rows: list[tuple[str, Outcome]] = []
    for name, check in checks.items():
        if KINDS.get(check, bench.measure.kind) != bench.measure.kind:
            continue
        try:
            rows.append((name, check(entire if check in UNCERTAIN else bench)))
        except EatlasError as error:
            rows.append((name, Outcome("refused", reason_of(error))))
    figures = [
        Figure(
            name=f"properties that {do}",
            value=sum(outcome.answer == answer for _, outcome in rows),
            n=len(rows),
            of="properties",
        )
        for do, answer in (("hold", "yes"), ("do not", "no"))
    ]
    columns = ("property", "holds", "what was found", "largest relative difference")
    return {
        "figures": figures,
        "tables": [table("Each property", columns, ((name, *outcome) for name, outcome in rows))],
        "remarks": [f"Checked on the test {bench.test.id}."],
    }
