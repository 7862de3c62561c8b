"""Content validity: what a measure's numbers do when vectors, words and groups are changed.

Each property is checked, not declared: the measure runs on the test as it is and on the changed
one. Whether a property ought to hold is a matter of the construct; a bias that is a difference of
associations turns its sign with its groups, and is 0 where the groups are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.studies import Context, NotRunError, ProtocolStudy, reason_of
from eatlas.apps.protocol.target_scores import plain
from eatlas.errors import EatlasError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.sources import ArraySource, embed
from eatlas.stimuli import ATTRIBUTES, TARGETS, Concept, GroupsTest, Test, load_tests
from eatlas.stimuli.association_test import ContextsOrigin
from eatlas.stimuli.concepts import Sentence

Array = NDArray[np.float64]
Numbers = Mapping[str, float | None]
Kinship = Literal["the same", "the sign turned", "different"]

SAME = 1e-6
"""Largest relative difference of numbers that count as equal. In double precision a rotation
changes those of most measures by 1e-13, and those of a fitted classifier (RNSB) by 1e-7."""


@dataclass(frozen=True)
class Compared:
    """Numbers before and after a change."""

    kinship: Kinship
    difference: float | None
    """Largest difference, relative to the largest number; None where none is defined in both."""


@dataclass(frozen=True)
class Bench:
    """A measure, a test, and the vectors of its terms, which may be changed."""

    measure: Measure
    test: Test
    source: Any
    """Where terms are looked up: an opened source, or changed vectors."""
    seed: int
    entire: Measure
    """The measure with resamples and p-values, which `measure` is without."""

    def with_test(self, test: Test) -> Bench:
        """Return the bench with another test."""
        return replace(self, test=test)

    @cached_property
    def used(self) -> Bench:
        """The bench with those terms that have vectors, which are copied."""
        found = embed(self.test, self.source)
        concepts = {
            group: Concept(name=one.name, terms=found.coverage.group(group).used)
            for group, one in self.test.concepts.items()
        }
        rows = {
            term: vector
            for group, one in concepts.items()
            for term, vector in zip(one.terms, found.vectors[group], strict=True)
        }
        return replace(self, test=of_concepts(self.test, concepts), source=array(rows))

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The vector of each term."""
        terms = self.test.terms
        found = self.source.lookup(terms)
        return {term: np.asarray(found[term], np.float64) for term in terms}

    def with_rows(self, change: Callable[[Array], Array]) -> Bench:
        """Return the bench with all vectors changed; `change` takes them as rows."""
        changed = change(np.array(list(self.rows.values())))
        return replace(self, source=array(dict(zip(self.rows, changed, strict=True))))

    def with_some(self, rows: Mapping[str, Array]) -> Bench:
        """Return the bench with the vectors of some terms changed."""
        return replace(self, source=array({**self.rows, **rows}))

    def group(self, index: int) -> tuple[str, ...]:
        """Terms of the first or second of the two groups, or of A and B."""
        return self.sides[index].terms

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

    def mean_of(self, index: int) -> Array:
        """Mean of the unit vectors of a group, of length 1."""
        rows = np.array([unit(self.rows[term]) for term in self.group(index)])
        return unit(rows.mean(axis=0))

    @cached_property
    def result(self) -> AssociationResult:
        """What the measure finds."""
        return self.measure(self.test, self.source, seed=self.seed)

    @property
    def numbers(self) -> Numbers:
        """The numbers that the measure gives, by what they are of."""
        return numbers_of(self.result)

    def compared(self, other: Bench) -> Compared:
        """Compare its numbers with those of a changed bench."""
        return compare(self.numbers, other.numbers)


def of_concepts(test: Test, concepts: Mapping[str, Concept]) -> Test:
    """A test of the same kind with other terms; of pairs those whose terms are still there."""
    if not isinstance(test, GroupsTest):
        return test.model_copy(update=dict(concepts))
    kept = {term for one in concepts.values() for term in one.terms}
    names = [group.name for group in test.groups]
    pairs = tuple(pair for pair in test.pairs if kept.issuperset(pair))
    groups = tuple(concepts[name] for name in names)
    changed = {"targets": concepts["targets"], "groups": groups, "pairs": pairs}
    return test.model_copy(update=changed)


def exchanged(test: Test) -> Test:
    """The test with its two groups, or A and B, in each other's place."""
    if isinstance(test, GroupsTest):
        pairs = tuple(pair[::-1] for pair in test.pairs)
        return test.model_copy(update={"groups": test.groups[::-1], "pairs": pairs})
    a, b = (test.concept(role) for role in ATTRIBUTES)
    return test.model_copy(update={"A": b, "B": a})


def array(rows: Mapping[str, Array]) -> ArraySource:
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
            one.term: one.bias if one.signed is None else one.signed for one in result.by_target
        }
    if result.values is not None:
        return {one.term: one.value for one in result.values}
    return {f"{one.place} {one.term or ''}".strip(): one.d for one in result.effects()}


def compare(before: Numbers, after: Numbers) -> Compared:
    """Say whether numbers stayed, turned their sign, or differ."""
    if before.keys() != after.keys() or any(
        (before[name] is None) != (after[name] is None) for name in before
    ):
        return Compared("different", None)
    names = [name for name in before if before[name] is not None]
    if not names:
        return Compared("the same", None)
    first, second = (np.array([one[name] for name in names], float) for one in (before, after))
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()), 1e-12)
    stayed = float(np.abs(first - second).max()) / scale
    turned = float(np.abs(first + second).max()) / scale
    if stayed <= SAME:
        return Compared("the same", stayed)
    return Compared("the sign turned" if turned <= SAME else "different", stayed)


TESTS = {"groups": "divdist-face-validity", "association": "weat-6"}
"""Test that the properties of a measure are checked on, by the kind of tests that it takes."""
THREE_GROUPS = "divdist-race"
STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Shares of a group's mean in a target's vector, of a planted association."""
SPACES = 20
"""Random spaces in which the numbers are looked at."""
NO_NUMBER = "no number"
ROUNDING = 1e-9
"""Below it a relative difference is shown as 0."""


@dataclass(frozen=True)
class Outcome:
    """What a check found."""

    answer: str
    """"yes", "no", or why there is neither in a word or two."""
    detail: str = ""
    difference: float | None = None
    """Largest difference, relative to the largest number."""


@dataclass(frozen=True)
class Property:
    """One property of a measure, and the check of it."""

    name: str
    check: Callable[[Bench], Outcome]
    kinds: tuple[str, ...] = ("association", "groups")
    """Kinds of measures that it can be asked of."""

    def checked(self, bench: Bench) -> Outcome:
        """Check the property; an error on the way is the answer."""
        if bench.measure.kind not in self.kinds:
            return Outcome("not asked", f"measures of the kind {bench.measure.kind} have none")
        try:
            return self.check(bench)
        except EatlasError as error:
            return Outcome("refused", reason_of(error))


def _yes(holds: bool, detail: str = "", difference: float | None = None) -> Outcome:  # noqa: FBT001
    return Outcome("yes" if holds else "no", detail, difference)


def _stays(compared: Compared) -> Outcome:
    return _yes(compared.kinship == "the same", compared.kinship, _rounded(compared.difference))


def _turns(compared: Compared) -> Outcome:
    return _yes(compared.kinship == "the sign turned", compared.kinship)


def _rounded(difference: float | None) -> float | None:
    """A difference with two digits; what is below rounding is 0, as it differs by machine."""
    if difference is None:
        return None
    return 0.0 if difference < ROUNDING else float(f"{difference:.2g}")


# ---- what a test may be: any source


def repeated(bench: Bench) -> Outcome:
    """The same numbers, to the last bit, in a second run with the same seed."""
    return _yes(bench.numbers == bench.with_test(bench.test).numbers)


def order_of_words(bench: Bench) -> Outcome:
    """The same numbers when each list of words is turned round."""
    turned = {
        group: one.model_copy(update={"terms": one.terms[::-1], "sentences": one.sentences[::-1]})
        for group, one in bench.test.concepts.items()
    }
    return _stays(
        bench.compared(bench.with_test(of_concepts(bench.test, {**bench.test.concepts, **turned})))
    )


def exchange_of_groups(bench: Bench) -> Outcome:
    """The other sign when the two groups, or A and B, trade places."""
    return _turns(bench.compared(bench.with_test(exchanged(bench.test))))


def exchange_of_targets(bench: Bench) -> Outcome:
    """The other sign when X and Y trade places; of numbers of single words, the same."""
    x, y = (bench.test.concept(role) for role in TARGETS)
    swapped = bench.test.model_copy(update={"X": y, "Y": x})
    before, after = bench.result.effects(), bench.with_test(swapped).result.effects()
    if before[0].term:
        return Outcome("no", "each word is measured alone")
    return _turns(compare({"d": before[0].d}, {"d": after[0].d}))  # level 1, where there are more


def more_groups(bench: Bench) -> Outcome:
    """Whether three groups are taken at once."""
    (test,) = load_tests(THREE_GROUPS)
    few = Concept(name=test.concept("targets").name, terms=test.concept("targets").terms[:5])
    three = test.model_copy(update={"targets": few})
    try:
        found = bench.with_test(three).numbers
    except EatlasError as error:
        return Outcome("no", reason_of(error))
    return Outcome("yes", f"{len(found)} targets of {THREE_GROUPS} measured")


def reference(bench: Bench) -> Outcome:
    """Whether another reference, 70 to 30 in place of 50 to 50, changes the numbers."""
    test, names = bench.test, [one.name for one in bench.sides]
    other = test.model_copy(
        update={"reference": tuple(zip(sorted(names), (0.7, 0.3), strict=True))}
    )
    found = bench.compared(bench.with_test(other))
    return _yes(found.kinship != "the same", found.kinship, found.difference)


def contexts(bench: Bench) -> Outcome:
    """Whether words in their contexts are taken, so that a word has more senses than one."""
    concepts = {
        group: Concept.model_validate(
            {
                "name": one.name,
                "sentences": [
                    Sentence(text=f"{start} {term}.", stimulus=term)
                    for term in one.terms
                    for start in ("This is the", "Here is the")
                ],
            }
        )
        for group, one in bench.test.concepts.items()
    }
    origin = ContextsOrigin(name="made for the check", sha256="0" * 64)
    stated = {"reference": "uniform"} if isinstance(bench.test, GroupsTest) else {}
    test = bench.test.of(concepts, id="contexts", contexts=origin, **stated)
    try:
        bench.measure.require_stimuli(test)
    except EatlasError as error:
        return Outcome("no", reason_of(error))
    return Outcome("yes")


def p_values(bench: Bench) -> Outcome:
    """Whether a result says how often chance alone gives such numbers."""
    result = replace(bench, measure=bench.entire).result
    known = [one for one in result.effects() if one.p is not None]
    if known:
        return Outcome("yes", f"a p-value of {known[0].title}")
    labelled = [one for one in result.by_target or () if one.labels is not None]
    return Outcome("yes", "a p-value of each target") if labelled else Outcome("no")


def intervals(bench: Bench) -> Outcome:
    """Whether a result says how far numbers would move with other words."""
    result = replace(bench, measure=bench.entire).result
    if result.uncertainty is not None:
        return Outcome("yes", f"{result.uncertainty.confidence:.0%} bootstrap intervals")
    unsure = [one for one in result.by_target or () if one.uncertainty is not None]
    return Outcome("yes", "bootstrap intervals of each target") if unsure else Outcome("no")


STRUCTURE = (
    Property("A second run gives the same numbers", repeated),
    Property("The order of words changes nothing", order_of_words),
    Property("Groups that trade places turn the sign", exchange_of_groups),
    Property("Targets that trade places turn the sign", exchange_of_targets, ("association",)),
    Property("More than two groups are taken", more_groups, ("groups",)),
    Property("The reference distribution counts", reference, ("groups",)),
    Property("Words are taken in their contexts", contexts),
    Property("A p-value is given", p_values),
    Property("An interval is given", intervals),
)
"""What is checked on any source: the test is changed, and the source is not."""


# ---- what vectors may be: sources of vectors alone


def scale(bench: Bench) -> Outcome:
    """The same numbers when all vectors are three times as long."""
    return _stays(bench.compared(bench.with_rows(lambda rows: 3.0 * rows)))


def lengths(bench: Bench) -> Outcome:
    """The same numbers when each vector gets a length of its own."""
    rng = np.random.default_rng(bench.seed)
    factors = rng.uniform(0.5, 2.0, size=(len(bench.rows), 1))
    return _stays(bench.compared(bench.with_rows(lambda rows: factors * rows)))


def rotation(bench: Bench) -> Outcome:
    """The same numbers in a rotated space, which has all distances and angles of the first."""
    rng = np.random.default_rng(bench.seed)

    def rotated(rows: Any) -> Any:
        q, r = np.linalg.qr(rng.normal(size=(rows.shape[1], rows.shape[1])))
        return rows @ (q * np.sign(np.diag(r)))

    return _stays(bench.compared(bench.with_rows(rotated)))


def translation(bench: Bench) -> Outcome:
    """The same numbers when one vector is added to all of them."""
    rng = np.random.default_rng(bench.seed)

    def moved(rows: Any) -> Any:
        shift = unit(rng.normal(size=rows.shape[1]))
        return rows + shift * np.linalg.norm(rows, axis=1).mean()

    return _stays(bench.compared(bench.with_rows(moved)))


def groups_alike(bench: Bench) -> Outcome:
    """No bias, or none that is defined, where both groups have the same vectors."""
    first, second = bench.group(0), bench.group(1)
    n = min(len(first), len(second))
    cut = {one.name: one.terms[:n] for one in bench.sides}
    test = of_concepts(
        bench.test,
        {
            group: Concept(name=one.name, terms=cut.get(one.name, one.terms))
            for group, one in bench.test.concepts.items()
        },
    )
    alike = {b: bench.rows[a] for a, b in zip(first[:n], second[:n], strict=True)}
    result = bench.with_some(alike).with_test(test).result
    found = _from_neutral(result)
    if not found:
        return Outcome("yes", "no number is defined")
    largest = max(map(abs, found))
    return _yes(largest <= SAME, f"at most {largest:.3g} from the number that shows no bias")


def planted(bench: Bench) -> Outcome:
    """A number that rises as targets move towards the first group."""
    goal, numbers = bench.mean_of(0), []
    for share in STEPS:
        rows = {}
        for term in bench.moved:
            row = bench.rows[term]
            mixed = (1 - share) * unit(row) + share * goal
            rows[term] = unit(mixed) * np.linalg.norm(row)
        number = _towards_first(bench.with_some(rows).result, bench.moved)
        if number is None:
            return Outcome(NO_NUMBER, "numbers have no direction, or are not defined")
        numbers.append(number)
    steps = np.diff(numbers)
    slack = SAME * max(map(abs, numbers))
    text = " → ".join(f"{number:.3g}" for number in numbers)
    return _yes(bool((steps >= -slack).all() and numbers[-1] - numbers[0] > slack), text)


def bounded(bench: Bench) -> Outcome:
    """Numbers within their stated limits, in random spaces and in an extreme one."""
    rng = np.random.default_rng(bench.seed)
    spaces = [bench.with_rows(lambda rows: rng.normal(size=rows.shape)) for _ in range(SPACES)]
    poles = {term: bench.mean_of(0) for term in bench.moved}
    results = [one.result for one in (bench, *spaces, bench.with_some(poles))]
    seen = [v for one in results for v in numbers_of(one).values() if v is not None]
    if not seen:
        return Outcome(NO_NUMBER, "no number is defined")
    low, high = _limits(results[0])
    text = f"from {min(seen):.3g} to {max(seen):.3g} in {len(results)} spaces"
    if low is None or high is None:
        return Outcome("no limits stated", text)
    within = low - SAME <= min(seen) and max(seen) <= high + SAME
    return _yes(within, f"{text}; stated: {low:.3g} to {high:.3g}")


INVARIANCES = (
    Property("The length of all vectors changes nothing", scale),
    Property("Lengths of single vectors change nothing", lengths),
    Property("A rotation of the space changes nothing", rotation),
    Property("A shift of the space changes nothing", translation),
    Property("Groups with the same vectors show no bias", groups_alike),
    Property("A planted association raises the number", planted),
    Property("Numbers keep within limits", bounded),
)
"""What is checked on copies of a source's vectors."""


def _from_neutral(result: AssociationResult) -> list[float]:
    """Distances of the numbers that are defined from those that show no bias."""
    each, whole = (getattr(getattr(result, of, None), "neutral", None) for of in ("each", "whole"))
    numbers = [number for number in numbers_of(result).values() if number is not None]
    if result.values is None:
        return numbers
    if each is not None:
        return [number - each for number in numbers]
    return [] if result.d is None or whole is None else [result.d - whole]


def _towards_first(result: AssociationResult, terms: Iterable[str]) -> float | None:
    """A number that is larger where some targets lean to the first group, or to A."""
    if result.kind == "groups":
        (term,) = terms
        found = {**numbers_of(result)}.get(term)
        if result.values is None or found is None:
            return found if len(result.concepts) == 3 else None
        larger = getattr(getattr(result, "each", None), "larger", None)
        return None if larger is None else found if larger == result.sides[1][0] else -found
    effects = result.effects()
    if not effects[0].term:
        return effects[0].d
    wanted = set(terms)
    single = [one.d for one in effects if one.term in wanted and one.d is not None]
    return sum(single) / len(single) if single else None


def _limits(result: AssociationResult) -> tuple[float | None, float | None]:
    """The smallest and largest number that a record says are possible."""
    if result.by_target is not None:
        share = dict(result.of_the_test()["reference"])[result.sides[1][0]]
        return -share, 1.0 - share
    each = getattr(result, "each", None)
    return getattr(each, "low", None), getattr(each, "high", None)


# ---- the studies


def structure(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The properties that follow from changing the test, on each source."""
    yield from study.of_each_source(context, _evidence, STRUCTURE)


def invariances(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The properties that follow from changing vectors, on copies of those of each source."""
    if context.measure.needs != "vectors":
        raise NotRunError(
            f"{context.measure.name} needs no vectors, which are changed here: a language model "
            "or a table of counts has no lengths and no angles."
        )
    yield from study.of_each_source(context, _evidence, INVARIANCES)


def _evidence(
    study: ProtocolStudy,
    context: Context,
    properties: tuple[Property, ...],
    name: str,
    source: Any,
) -> Evidence:
    """Check some properties on one source."""
    bench = _bench(context, source, copied=properties is INVARIANCES)
    if not bench.numbers:  # a test that cannot be measured as it is ends the study here
        raise NotRunError("The measure gives no number.")
    outcomes = [(one, one.checked(bench)) for one in properties]
    asked = [(one, found) for one, found in outcomes if found.answer != "not asked"]
    count = [sum(found.answer == answer for _, found in asked) for answer in ("yes", "no")]
    return study.evidence(
        source=name,
        figures=[
            Figure(name=f"properties that {do}", value=number, n=len(asked), of="properties")
            for do, number in zip(("hold", "do not"), count, strict=True)
        ],
        tables=[
            Table(
                title="Each property",
                columns=("property", "holds", "what was found", "largest relative difference"),
                rows=[(one.name, *astuple(found)) for one, found in asked],
            )
        ],
        remarks=[f"Checked on the test {bench.test.id}."],
    )


def _bench(context: Context, source: Any, *, copied: bool) -> Bench:
    """The test of the measure's kind on a source, or on copies of its vectors."""
    (test,) = load_tests(TESTS[context.measure.kind])
    test = context.fitted(test)
    if copied and test.contexts is not None:
        raise NotRunError(
            f"{context.measure.name} takes words in their contexts, whose vectors follow from the "
            "texts; only vectors of words are changed here."
        )
    bench = Bench(plain(context.measure), test, source, context.seed, context.measure)
    return bench.used if copied else bench
