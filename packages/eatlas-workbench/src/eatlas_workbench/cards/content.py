"""Face and content validity: whether signs are those that people expect, and what numbers rest on.

Face validity compares signs with stereotypes that everybody knows. Content validity looks at what a
measure's numbers do when vectors, words and groups are changed. Each property is checked, not
declared: the measure runs on the test as it is and on the changed one. Whether a property ought to
hold is a matter of the construct; a bias that is a difference of associations turns its sign with
its groups, and is 0 where the groups are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.sources import ArraySource, embed
from eatlas.stimuli import ATTRIBUTES, TARGETS, Concept, GroupsTest, Test, load_tests
from eatlas_workbench.cards.evidence import Figure, Mark
from eatlas_workbench.cards.material import (
    Exhibits,
    Material,
    NotRunError,
    drawing,
    figure,
    reason_of,
    table,
    try_all,
)
from eatlas_workbench.cards.numbers import leanings
from eatlas_workbench.leanings import Numbers, orient_numbers, plain

Array = NDArray[np.float64]
PROFESSIONS = "divdist-face-validity"
STEREOTYPES = {
    "carpenter": "Male", "dancer": "Female", "librarian": "Female", "nurse": "Female",
    "pilot": "Male", "soldier": "Male", "businessman": "Male", "businesswoman": "Female",
}  # fmt: skip
"""Group that each profession is stereotyped with in the US: six by labour statistics of 2000, two
by their name (Bommasani and Liang 2022, Table 3)."""
SAME = 1e-6
"""Largest relative difference of numbers that count as equal. In double precision a rotation
changes those of most measures by 1e-13, and those of a fitted classifier (RNSB) by 1e-7."""
ROUNDING = 1e-9
"""Below it a relative difference is shown as 0, as it differs by machine."""
TESTS = {"groups": PROFESSIONS, "association": "weat-6"}
"""Test that the properties of a measure are checked on, by the kind of tests that it takes."""
THREE_GROUPS = "divdist-race"
STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Proportions of a group's mean in a target's vector, of a planted association."""
SPACES = 20
"""Random spaces in which the numbers are looked at."""


# ---- face validity: signs


def agreement(agreeing: int, total: int, units: str) -> Figure:
    """The proportion of signs that agree, with an exact interval and test against one half."""
    test = scipy.stats.binomtest(agreeing, total, 0.5)
    low, high = map(float, test.proportion_ci(0.95, method="exact"))
    return figure(
        "share of signs that agree", agreeing / total, (low, high), total, units,
        "95% Clopper-Pearson", p=float(test.pvalue),
        test="exact binomial against one half, two-sided",
    )  # fmt: skip


def profession_signs(material: Material, name: str, source: Any) -> Exhibits:
    """The sign of each profession of Table 3: how many agree, the table, and a drawing."""
    test: Any = load_tests(PROFESSIONS)[0]
    numbers = leanings(material, test, source, name)
    first, second = (group.name for group in test.groups)
    signs = {term: sign for term, sign in numbers.signs().items() if sign is not None}
    if not signs:
        raise NotRunError("No profession has a number.")
    rows: list[tuple[Any, ...]] = []
    for term, stereotype in STEREOTYPES.items():
        if (sign := signs.get(term)) is None:
            rows.append((term, stereotype, None, None, None))
            continue
        side = first if sign > 0 else second if sign < 0 else "neither"
        rows.append((term, stereotype, sign, side, side == stereotype))
    remarks = [f"A profession's number is its {numbers.what}; above 0 it is closer to {first}."]
    if missing := [term for term in STEREOTYPES if term not in signs]:
        remarks.append(f"No number is defined for {', '.join(missing)}.")
    columns = ("profession", "stereotype", "number", "closer to", "agrees")
    marks = [Mark(label=row[0], value=row[2], group=row[1]) for row in rows if row[0] in signs]
    signs_table = table("Sign of each profession", columns, rows)
    drawn = drawing("Where each profession leans", f"below 0 {second}, above 0 {first}", marks)
    agreeing = sum(bool(row[-1]) for row in rows)
    return [agreement(agreeing, len(signs), "professions")], [signs_table], [drawn], remarks


def caliskan_signs(material: Material, name: str, source: Any) -> Exhibits:
    """The sign of each Caliskan test, whose X people associate with A.

    Of effect sizes of single terms it is that of X less Y.
    """
    measure = material.measure
    if "X" not in getattr(measure, "compared", ()):  # no single number, so no p of one
        measure = plain(measure)
    tests = {test.id: test for test in load_tests("caliskan")}

    def effect(test: Test) -> tuple[float | None, float | None]:
        return _effect(material.measure_on(test, source, name, measure))

    effects, reasons = try_all("Not measured", lambda id_: effect(tests[id_]), tests)
    d = {id_: number for id_, (number, _) in effects.items() if number is not None}
    if not d:
        raise NotRunError(" ".join(("None of the ten tests has an effect size.", *reasons[:1])))
    first = next(iter(d))
    turned, _ = effect(swap_groups(tests[first]))
    if compare({first: d[first]}, {first: turned})[0] == "the same":
        raise NotRunError(f"No direction: the number of {first} stays when A and B trade places.")
    rows = [
        (id_, tests[id_].label, number, p, None if number is None else number > 0)
        for id_, (number, p) in effects.items()
    ]
    axis = "effect size; above 0 is the direction that people show"
    marks = (Mark(label=id_, value=number) for id_, number in d.items())
    columns = ("test", "targets and attributes", "number", "p", "agrees")
    signs = table("Sign of each test", columns, rows)
    agreeing = sum(number > 0 for number in d.values())
    drawn = drawing("Effect size of each test", axis, marks)
    return [agreement(agreeing, len(d), "tests")], [signs], [drawn], reasons


def _effect(result: AssociationResult) -> tuple[float | None, float | None]:
    """The first effect size with its p; of effect sizes of terms the mean of X less that of Y."""
    terms = [(effect.roles, effect.d) for effect in result.effects() if effect.term]
    if all(d is None for _, d in terms):
        return result.value, result.p
    x, y = ([d for roles, d in terms if role in roles and d is not None] for role in TARGETS)
    return (fmean(x) - fmean(y), None) if x and y else (None, None)


# ---- content validity: a measure on a test and vectors, which may be changed


@dataclass(frozen=True)
class Bench:
    """A measure, a test, and the vectors of its terms, which may be changed."""

    measure: Measure
    test: Test
    source: Any
    """Where terms are looked up: an opened source, or changed vectors."""
    seed: int

    @cached_property
    def result(self) -> AssociationResult:
        """What the measure finds, without resamples and p-values."""
        return plain(self.measure)(self.test, self.source, seed=self.seed)

    @cached_property
    def complete(self) -> AssociationResult:
        """What the measure finds, with resamples and p-values."""
        return self.measure(self.test, self.source, seed=self.seed)

    @property
    def numbers(self) -> Numbers:
        """The numbers that the measure gives, by what they are of."""
        return numbers_of(self.result)

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The vector of each term."""
        vectors = self.source.lookup(self.test.terms)
        return {term: np.asarray(vectors[term], np.float64) for term in self.test.terms}

    @property
    def sides(self) -> tuple[Concept, ...]:
        """The groups that targets are compared with: those of a test of groups, or A and B."""
        if isinstance(self.test, GroupsTest):
            return self.test.groups
        return tuple(self.test.concept(role) for role in ATTRIBUTES)

    @property
    def terms_to_move(self) -> tuple[str, ...]:
        """Terms that an association is planted in: the first target, or those of X."""
        if isinstance(self.test, GroupsTest):
            return self.test.targets.terms[:1]
        return self.test.concept("X").terms

    @property
    def pole(self) -> Array:
        """Mean of the unit vectors of the first group, of length 1."""
        return unit(np.mean([unit(self.rows[term]) for term in self.sides[0].terms], axis=0))

    def with_test(self, test: Test) -> Bench:
        """The bench with another test."""
        return replace(self, test=test)

    def with_concepts(self, concepts: Mapping[str, Concept]) -> Bench:
        """The bench with other terms; of pairs those whose terms are still there."""
        test, changed = self.test, dict[str, Any](concepts)
        if isinstance(test, GroupsTest):
            terms = {term for concept in concepts.values() for term in concept.terms}
            changed = {
                "targets": concepts["targets"],
                "groups": tuple(concepts[group.name] for group in test.groups),
                "pairs": tuple(pair for pair in test.pairs if terms.issuperset(pair)),
            }
        return self.with_test(test.model_copy(update=changed))

    def with_rows(self, rows: Mapping[str, Array]) -> Bench:
        """The bench with the vectors of some terms changed."""
        return replace(self, source=_array({**self.rows, **rows}))

    def in_space(self, change: Callable[[Array], Array]) -> Bench:
        """The bench with all vectors changed; `change` takes them as rows."""
        changed = change(np.array(list(self.rows.values())))
        return self.with_rows(dict(zip(self.rows, changed, strict=True)))


def copy_vectors(material: Material, test: Test, source: Any) -> Bench:
    """The measure on those terms that have vectors, which are copied."""
    embedded = embed(test, source)
    concepts: dict[str, Concept] = {}
    rows: dict[str, Array] = {}
    for group, concept in test.concepts.items():
        terms = embedded.coverage[group].used
        concepts[group] = Concept(name=concept.name, terms=terms)
        rows |= zip(terms, embedded.vectors[group], strict=True)
    return Bench(material.measure, test, _array(rows), material.seed).with_concepts(concepts)


def swap_groups(test: Test) -> Test:
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

    Of proportions against two groups, the deviation of the first; against more, the bias.
    """
    if result.by_target is not None:
        return {
            target.term: target.bias if target.signed is None else target.signed
            for target in result.by_target
        }
    if result.values is not None:
        return {target.term: target.value for target in result.values}
    return {f"{effect.place} {effect.term or ''}".strip(): effect.d for effect in result.effects()}


def compare(before: Numbers, after: Numbers) -> tuple[str, float | None]:
    """Say whether numbers stayed, turned their sign, or differ, and by how much at most.

    The difference is relative to the largest number; None where none is defined in both.
    """
    first, second = (
        {name: number for name, number in numbers.items() if number is not None}
        for numbers in (before, after)
    )
    if before.keys() != after.keys() or first.keys() != second.keys():
        return "different", None
    if not first:
        return "the same", None
    x, y = (np.array([numbers[name] for name in first]) for numbers in (first, second))
    scale = max(float(np.abs(x).max()), float(np.abs(y).max()), 1e-12)
    stayed = float(np.abs(x - y).max()) / scale
    if stayed <= SAME:
        return "the same", stayed
    turned = float(np.abs(x + y).max()) / scale
    return "the sign turned" if turned <= SAME else "different", stayed


# ---- what is checked: the answer, what was found, and the largest relative difference

Outcome = tuple[str, str, float | None]
"""The answer is "yes", "no", or why there is neither in a word or two."""
Check = Callable[[Bench], Outcome]


def _yes(holds: bool, detail: str = "", difference: float | None = None) -> Outcome:  # noqa: FBT001
    return "yes" if holds else "no", detail, difference


def _stays(bench: Bench, changed: Bench) -> Outcome:
    kinship, difference = compare(bench.numbers, changed.numbers)
    if difference is not None:
        difference = 0.0 if difference < ROUNDING else float(f"{difference:.2g}")
    return _yes(kinship == "the same", kinship, difference)


def _turns(before: Numbers, after: Numbers) -> Outcome:
    kinship, _ = compare(before, after)
    return _yes(kinship == "the sign turned", kinship)


def check_repeatability(bench: Bench) -> Outcome:
    """To the last bit, with the same seed."""
    return _yes(bench.numbers == replace(bench).numbers)


def order_of_words(bench: Bench) -> Outcome:
    """Each list of words is turned round."""
    turned = {
        group: concept.model_copy(
            update={"terms": concept.terms[::-1], "sentences": concept.sentences[::-1]}
        )
        for group, concept in bench.test.concepts.items()
    }
    return _stays(bench, bench.with_concepts(turned))


def exchange_of_groups(bench: Bench) -> Outcome:
    """The two groups, or A and B, trade places."""
    return _turns(bench.numbers, bench.with_test(swap_groups(bench.test)).numbers)


def exchange_of_targets(bench: Bench) -> Outcome:
    """X and Y trade places: the effect size of level 1, of several."""
    x, y = (bench.test.concept(role) for role in TARGETS)
    swapped = bench.with_concepts({"X": y, "Y": x})
    before, after = (tested.result.effects()[0] for tested in (bench, swapped))
    if before.term:
        return _yes(False, "each word is measured alone")  # noqa: FBT003
    return _turns({"d": before.d}, {"d": after.d})


def more_groups(bench: Bench) -> Outcome:
    """Three groups, and a few of their targets."""
    (test,) = load_tests(THREE_GROUPS)
    targets = test.concept("targets")
    few = Concept(name=targets.name, terms=targets.terms[:5])
    try:
        numbers = bench.with_test(test.model_copy(update={"targets": few})).numbers
    except EatlasError as error:
        return "no", reason_of(error), None
    return "yes", f"{len(numbers)} targets of {THREE_GROUPS} measured", None


def reference(bench: Bench) -> Outcome:
    """Another reference, 70 to 30 in place of 50 to 50, changes the numbers."""
    names = sorted(group.name for group in bench.sides)
    shares = tuple(zip(names, (0.7, 0.3), strict=True))
    changed = bench.with_test(bench.test.model_copy(update={"reference": shares}))
    kinship, difference = compare(bench.numbers, changed.numbers)
    return _yes(kinship != "the same", kinship, difference)


def contexts(bench: Bench) -> Outcome:
    """A word has more senses than one."""
    return _yes(bench.measure.needs.contexts in {"any", "required"})


def p_values(bench: Bench) -> Outcome:
    """A result says how often chance alone gives such numbers."""
    result = bench.complete
    named = [f"a p-value of {effect.title}" for effect in result.effects() if effect.p is not None]
    named += ["a p-value of each target" for target in result.by_target or () if target.labels]
    return _yes(bool(named), named[0] if named else "")


def intervals(bench: Bench) -> Outcome:
    """A result says how far numbers would move with other words."""
    result = bench.complete
    if result.uncertainty is not None:
        return _yes(True, f"{result.uncertainty.confidence:.0%} bootstrap intervals")  # noqa: FBT003
    unsure = any(target.uncertainty is not None for target in result.by_target or ())
    return _yes(unsure, "bootstrap intervals of each target" if unsure else "")


def invariance_check(change: Callable[[Any, np.random.Generator], Any]) -> Check:
    """The check that numbers stay where all vectors are changed."""

    def check(bench: Bench) -> Outcome:
        rng = np.random.default_rng(bench.seed)
        return _stays(bench, bench.in_space(lambda rows: change(rows, rng)))

    return check


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


def groups_alike(bench: Bench) -> Outcome:
    """No bias, or none that is defined."""
    first, second, *_ = (group.terms for group in bench.sides)
    n = min(len(first), len(second))
    cut = {group.name: group.terms[:n] for group in bench.sides}
    concepts = {
        group: Concept(name=concept.name, terms=cut.get(concept.name, concept.terms))
        for group, concept in bench.test.concepts.items()
    }
    alike = {b: bench.rows[a] for a, b in zip(first[:n], second[:n], strict=True)}
    distances = _from_neutral(bench.with_rows(alike).with_concepts(concepts).result)
    if not distances:
        return "yes", "no number is defined", None
    largest = max(map(abs, distances))
    return _yes(largest <= SAME, f"at most {largest:.3g} from the number that shows no bias")


def _from_neutral(result: AssociationResult) -> list[float]:
    """Distances of the numbers that are defined from those that show no bias."""
    numbers = [number for number in numbers_of(result).values() if number is not None]
    if result.values is None:
        return numbers
    each, whole = (
        getattr(getattr(result, name, None), "neutral", None) for name in ("each", "whole")
    )
    if each is not None:
        return [number - each for number in numbers]
    return [] if result.value is None or whole is None else [result.value - whole]


def check_planted_association(bench: Bench) -> Outcome:
    """A number that rises as targets move towards the first group."""
    numbers = []
    for share in STEPS:
        rows = {}
        for term in bench.terms_to_move:
            row = bench.rows[term]
            mixed = (1 - share) * unit(row) + share * bench.pole
            rows[term] = unit(mixed) * np.linalg.norm(row)
        number = _towards_first(bench.with_rows(rows).result, bench.terms_to_move)
        if number is None:
            return "no number", "numbers have no direction, or are not defined", None
        numbers.append(number)
    slack = SAME * max(map(abs, numbers))
    rises = (np.diff(numbers) >= -slack).all() and numbers[-1] - numbers[0] > slack
    return _yes(bool(rises), " → ".join(f"{number:.3g}" for number in numbers))


def _towards_first(result: AssociationResult, terms: Sequence[str]) -> float | None:
    """A number that is larger if targets are more associated with the first group, or with A."""
    if result.kind == "groups":
        return (orient_numbers(result)[0] or {}).get(terms[0])
    effects = result.effects()
    if not effects[0].term:
        return effects[0].d
    single = [effect.d for effect in effects if effect.term in terms and effect.d is not None]
    return sum(single) / len(single) if single else None


def check_bounds(bench: Bench) -> Outcome:
    """Numbers within their stated limits, in random spaces and in an extreme one."""
    rng = np.random.default_rng(bench.seed)
    spaces = [bench.in_space(lambda rows: rng.normal(size=rows.shape)) for _ in range(SPACES)]
    poles = bench.with_rows(dict.fromkeys(bench.terms_to_move, bench.pole))
    results = [space.result for space in (bench, *spaces, poles)]
    seen = [v for result in results for v in numbers_of(result).values() if v is not None]
    if not seen:
        return "no number", "no number is defined", None
    each = getattr(results[0], "each", None)
    low, high = getattr(each, "low", None), getattr(each, "high", None)
    if results[0].by_target is not None:
        share = dict(results[0].of_the_test()["reference"])[results[0].sides[1][0]]
        low, high = -share, 1.0 - share
    text = f"from {min(seen):.3g} to {max(seen):.3g} in {len(results)} spaces"
    if low is None or high is None:
        return "no limits stated", text, None
    within = low - SAME <= min(seen) and max(seen) <= high + SAME
    return _yes(within, f"{text}; stated: {low:.3g} to {high:.3g}")


STRUCTURE: dict[str, Check] = {
    "A second run gives the same numbers": check_repeatability,
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
INVARIANCES: dict[str, Check] = {
    "The length of all vectors changes nothing": invariance_check(lambda rows, _: 3.0 * rows),
    "Lengths of single vectors change nothing": invariance_check(lengths),
    "A rotation of the space changes nothing": invariance_check(rotation),
    "A shift of the space changes nothing": invariance_check(translation),
    "Groups with the same vectors show no bias": groups_alike,
    "A planted association raises the number": check_planted_association,
    "Numbers keep within limits": check_bounds,
}
"""What is checked on copies of a source's vectors."""


def structure(material: Material, name: str, source: Any) -> Exhibits:  # noqa: ARG001
    """The properties that follow from changing the test."""
    (test,) = load_tests(TESTS[material.measure.kind])
    bench = Bench(material.measure, material.adapt_test(test), source, material.seed)
    return _run_checks(bench, STRUCTURE)


def invariances(material: Material, name: str, source: Any) -> Exhibits:  # noqa: ARG001
    """The properties that follow from changing vectors, on copies of those of a source."""
    (test,) = load_tests(TESTS[material.measure.kind])
    if material.adapt_test(test).contexts is not None:
        raise NotRunError("Words are taken in contexts, and only vectors of words are changed.")
    return _run_checks(copy_vectors(material, test, source), INVARIANCES)


def _run_checks(bench: Bench, checks: Mapping[str, Check]) -> Exhibits:
    """Check some properties; an error on the way is the answer."""
    if not bench.numbers:  # a test that cannot be measured as it is ends the study here
        raise NotRunError("The measure gives no number.")
    rows: list[tuple[str, str, str, float | None]] = []
    for name, check in checks.items():
        if KINDS.get(check, bench.measure.kind) != bench.measure.kind:
            continue
        try:
            rows.append((name, *check(bench)))
        except EatlasError as error:
            rows.append((name, "refused", reason_of(error), None))
    answers, n = [row[1] for row in rows], len(rows)
    hold, fail = answers.count("yes"), answers.count("no")
    rest = [f"{fail} {'does' if fail == 1 else 'do'} not"] if fail else []
    rest += [f"{n - hold - fail} without an answer"] if n > hold + fail else []
    text = ", ".join(rest)
    figures = [Figure(name="properties that hold", value=hold, n=n, of="properties", text=text)]
    columns = ("property", "holds", "what was found", "largest relative difference")
    remark = f"Checked on the test {bench.test.id}."
    return figures, [table("Each property", columns, rows)], [], [remark]
