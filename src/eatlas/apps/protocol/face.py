"""Face validity: whether signs agree with stereotypes that everybody knows."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any, cast

from eatlas.apps.protocol.content import compare, exchanged
from eatlas.apps.protocol.studies import Context, NotRunError, ProtocolStudy, tried_each
from eatlas.apps.protocol.target_scores import leanings, plain
from eatlas.results import AssociationResult
from eatlas.results.evidence import Drawing, Evidence, Figure, Mark, Table
from eatlas.stats.inputs import clopper_pearson
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
INTERVAL = "95% Clopper-Pearson"


def two_sided_binomial(successes: int, trials: int) -> float:
    """Exact two-sided p of a number of successes, where each has a chance of one half."""
    extreme = max(successes, trials - successes)
    tail = sum(comb(trials, k) for k in range(extreme, trials + 1)) / 2**trials
    return min(1.0, float(2 * tail))


def agreement(agreeing: int, total: int, of: str) -> Figure:
    """The share of signs that agree, with an exact interval and test against one half."""
    low, high = clopper_pearson(agreeing, total)
    return Figure(
        name="share of signs that agree",
        value=agreeing / total,
        low=low,
        high=high,
        interval=INTERVAL,
        n=total,
        of=of,
        p=two_sided_binomial(agreeing, total),
        test="exact binomial against one half, two-sided",
    )


def stereotyped_professions(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The sign of each profession of Table 3, on each source."""
    yield from study.of_each_source(context, _signs, *load_tests(TEST))


def _signs(
    study: ProtocolStudy, context: Context, test: GroupsTest, name: str, source: Any
) -> Evidence:
    """The signs on one source: how many agree, the table, and a drawing."""
    found = leanings(context, test, source, name)
    first, second = (group.name for group in test.groups)
    known = {term: value for term, value in found.signs().items() if value is not None}
    rows, agreeing = [], 0
    for term, stereotype in STEREOTYPES.items():
        value = known.get(term)
        side = None if value is None else first if value > 0 else second if value < 0 else "neither"
        agrees = None if side is None else side == stereotype
        agreeing += bool(agrees)
        rows.append((term, stereotype, value, side, agrees))
    missing = [term for term in STEREOTYPES if term not in known]
    remarks = [f"A profession's number is its {found.what}; above 0 it leans to {first}."]
    if missing:
        remarks.append(f"No number is defined for {', '.join(missing)}.")
    if not known:
        raise NotRunError("No profession has a number.")
    return study.evidence(
        source=name,
        figures=[agreement(agreeing, len(known), "professions")],
        tables=[
            Table(
                title="Sign of each profession",
                columns=("profession", "stereotype", "number", "leans to", "agrees"),
                rows=rows,
            )
        ],
        drawings=[
            Drawing(
                title="Where each profession leans",
                axis=f"below 0 {second}, above 0 {first}",
                marks=[
                    Mark(label=term, value=known[term], group=group)
                    for term, group in STEREOTYPES.items()
                    if term in known
                ],
            )
        ],
        remarks=remarks,
    )


def documented_tests(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The sign of each Caliskan test, whose X people associate with A, on each source."""
    if context.measure.kind != "association":
        raise NotRunError(
            f"{context.measure.name} takes tests of groups, and these are tests of two targets "
            "and two attributes."
        )
    yield from study.of_each_source(context, _directions)


def _directions(study: ProtocolStudy, context: Context, name: str, source: Any) -> Evidence:
    """The effect size of each test on one source; of several for single terms, X less Y."""
    one_number = "X" in getattr(context.measure, "compared", ())
    measure = context.measure if one_number else plain(context.measure)
    tests = {test.id: test for test in load_tests("caliskan")}
    found, reasons = tried_each(
        "Not measured",
        lambda of: _effect(context.measured(tests[of], source, name, measure)),
        tests,
    )
    known = {of: d for of, (d, _) in found.items() if d is not None}
    for of, d in list(known.items())[:1]:
        other, _ = _effect(context.measured(exchanged(tests[of]), source, name, measure))
        if compare({of: d}, {of: other}).kinship == "the same":
            raise NotRunError(
                f"The numbers of {context.measure.name} have no direction: that of {of} stays when "
                "A and B trade places."
            )
    if not known:
        raise NotRunError(
            f"None of the ten tests could be measured. {reasons[0]}"
            if reasons
            else "No effect size is defined."
        )
    return study.evidence(
        source=name,
        figures=[agreement(sum(d > 0 for d in known.values()), len(known), "tests")],
        tables=[
            Table(
                title="Sign of each test",
                columns=("test", "targets and attributes", "number", "p", "agrees"),
                rows=[
                    (of, tests[of].label, d, p, None if d is None else d > 0)
                    for of, (d, p) in found.items()
                ],
            )
        ],
        drawings=[
            Drawing(
                title="Effect size of each test",
                axis="effect size; above 0 is the direction that people show",
                marks=[Mark(label=of, value=d) for of, d in known.items()],
            )
        ],
        remarks=reasons,
    )


def _effect(result: AssociationResult) -> tuple[float | None, float | None]:
    """The first effect size with its p; of effect sizes of terms the mean of X less that of Y."""
    terms = [one for one in result.effects() if one.term and one.d is not None]
    if not terms:
        return result.d, result.p
    means = [[one.d for one in terms if role in one.roles] for role in TARGETS]
    if not all(means):
        return None, None
    x, y = (sum(cast("list[float]", some)) / len(some) for some in means)
    return x - y, None
