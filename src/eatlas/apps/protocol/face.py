"""Face validity: whether signs agree with stereotypes that everybody knows."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from scipy.stats import binomtest

from eatlas.apps.protocol.content import compare, exchanged
from eatlas.apps.protocol.evidence import Figure, Mark
from eatlas.apps.protocol.material import (
    Answers,
    Fields,
    Material,
    NotRunError,
    drawing,
    figure,
    table,
    tried_each,
)
from eatlas.apps.protocol.numbers import leanings, plain
from eatlas.results import AssociationResult
from eatlas.stimuli import TARGETS, GroupsTest, load_tests

TEST = "divdist-face-validity"
STEREOTYPES = {
    "carpenter": "Male",
    "dancer": "Female",
    "librarian": "Female",
    "nurse": "Female",
    "pilot": "Male",
    "soldier": "Male",
    "businessman": "Male",
    "businesswoman": "Female",
}
"""Group that each profession is stereotyped with in the US: six by labour statistics of 2000, two
by their name (Bommasani and Liang 2022, Table 3)."""


def agreement(agreeing: int, total: int, units: str) -> Figure:
    """The share of signs that agree, with an exact interval and test against one half."""
    test = binomtest(agreeing, total, 0.5)
    interval = test.proportion_ci(0.95, method="exact")
    ends = float(interval.low), float(interval.high)
    return figure(
        "share of signs that agree", agreeing / total, ends, total, units, "95% Clopper-Pearson",
        p=float(test.pvalue), test="exact binomial against one half, two-sided",
    )  # fmt: skip


def stereotyped_professions(material: Material) -> Answers:
    """The sign of each profession of Table 3, on each source."""
    return material.on_each_source(_signs, *load_tests(TEST))


def _signs(material: Material, test: GroupsTest, name: str, source: Any) -> Fields:
    """The signs on one source: how many agree, the table, and a drawing."""
    numbers = leanings(material, test, source, name)
    first, second = (group.name for group in test.groups)
    signs = {term: sign for term, sign in numbers.signs().items() if sign is not None}
    if not signs:
        raise NotRunError("No profession has a number.")
    rows: list[tuple[Any, ...]] = []
    for term, stereotype in STEREOTYPES.items():
        sign = signs.get(term)
        if sign is None:
            rows.append((term, stereotype, None, None, None))
            continue
        side = first if sign > 0 else second if sign < 0 else "neither"
        rows.append((term, stereotype, sign, side, side == stereotype))
    remarks = [f"A profession's number is its {numbers.what}; above 0 it leans to {first}."]
    if missing := [term for term in STEREOTYPES if term not in signs]:
        remarks.append(f"No number is defined for {', '.join(missing)}.")
    columns = ("profession", "stereotype", "number", "leans to", "agrees")
    marks = (
        Mark(label=term, value=signs[term], group=group)
        for term, group in STEREOTYPES.items()
        if term in signs
    )
    axis = f"below 0 {second}, above 0 {first}"
    return {
        "figures": [agreement(sum(bool(row[-1]) for row in rows), len(signs), "professions")],
        "tables": [table("Sign of each profession", columns, rows)],
        "drawings": [drawing("Where each profession leans", axis, marks)],
        "remarks": remarks,
    }


def documented_tests(material: Material) -> Answers:
    """The sign of each Caliskan test, whose X people associate with A, on each source."""
    if material.measure.kind != "association":
        raise NotRunError(
            f"{material.measure.name} takes tests of groups, and these are tests of two targets "
            "and two attributes."
        )
    return material.on_each_source(_directions)


def _directions(material: Material, name: str, source: Any) -> Fields:
    """The effect size of each test on one source; of several for single terms, X less Y."""
    one_number = "X" in getattr(material.measure, "compared", ())
    measure = material.measure if one_number else plain(material.measure)
    tests = {test.id: test for test in load_tests("caliskan")}
    effects, reasons = tried_each(
        "Not measured",
        lambda id_: _effect(material.measured(tests[id_], source, name, measure)),
        tests,
    )
    d = {id_: effect for id_, (effect, _) in effects.items() if effect is not None}
    if not d:
        raise NotRunError(
            f"None of the ten tests could be measured. {reasons[0]}"
            if reasons
            else "No effect size is defined."
        )
    first = next(iter(d))
    turned, _ = _effect(material.measured(exchanged(tests[first]), source, name, measure))
    if compare({first: d[first]}, {first: turned}).kinship == "the same":
        raise NotRunError(
            f"The numbers of {material.measure.name} have no direction: that of {first} stays "
            "when A and B trade places."
        )
    rows = [
        (id_, tests[id_].label, effect, p, None if effect is None else effect > 0)
        for id_, (effect, p) in effects.items()
    ]
    axis = "effect size; above 0 is the direction that people show"
    marks = (Mark(label=id_, value=effect) for id_, effect in d.items())
    columns = ("test", "targets and attributes", "number", "p", "agrees")
    return {
        "figures": [agreement(sum(effect > 0 for effect in d.values()), len(d), "tests")],
        "tables": [table("Sign of each test", columns, rows)],
        "drawings": [drawing("Effect size of each test", axis, marks)],
        "remarks": reasons,
    }


def _effect(result: AssociationResult) -> tuple[float | None, float | None]:
    """The first effect size with its p; of effect sizes of terms the mean of X less that of Y."""
    terms = [(effect.roles, effect.d) for effect in result.effects() if effect.term]
    terms = [(roles, d) for roles, d in terms if d is not None]
    if not terms:
        return result.d, result.p
    x, y = ([d for roles, d in terms if role in roles and d is not None] for role in TARGETS)
    return (fmean(x) - fmean(y), None) if x and y else (None, None)
