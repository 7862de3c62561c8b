"""Convergent validity and sensitivity: correlations against scipy, what is left out, seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.protocol.cards import found
from tests.protocol.plugins import Nearness

import eatlas
from eatlas.stimuli import GroupsTest, load_tests
from eatlas_workbench.cards.convergent import word_lists
from eatlas_workbench.cards.evidence import Evidence
from eatlas_workbench.cards.material import Material

RHO, R, N = 2, 5, 1


def only(measure: object, criterion: str, study: str, **given: object) -> Evidence:
    return found(criterion, measure, **given)[study]


def values(measure: eatlas.measures.base.Measure, test: GroupsTest) -> dict[str, float]:
    return {one.term: one.value for one in measure(test, "glove-sample").values}


def test_correlations_are_those_of_scipy() -> None:
    evidence = only("semaxis", "convergent", "other-measures")
    (test,) = load_tests("divdist-gender")
    own, other = values(eatlas.SemAxis(), test), values(eatlas.RND(), test)
    terms = sorted(own)
    x = [own[term] for term in terms]
    y = [-other[term] for term in terms]  # RND is smaller towards the first group
    row = next(row for row in evidence.tables[0].rows if row[0] == "RND")
    assert row[N] == 288
    assert row[RHO] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert row[R] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert row[8] == pytest.approx(row[R] ** 2)
    rhos = [row[RHO] for row in evidence.tables[0].rows]
    assert evidence.figures[0].value == pytest.approx(np.median(rhos))
    names = [row[0] for row in evidence.tables[0].rows]
    assert {"WEAT", "SC-EAT", "DivDist", "MAC"} <= set(names)
    assert "SemAxis" not in names
    left_out = " ".join(evidence.remarks)
    for reason in ("Not compared, ceat:", "Not compared, lpbs: It needs a source of another kind."):
        assert reason in left_out
    assert "Numbers without a direction: MAC, Indirect bias." in evidence.remarks


def test_a_test_that_is_given_is_compared_too() -> None:
    card = eatlas.protocol("rnd", tests="weat-7", criteria=["convergent"])
    titles = [one.tables[0].title for one in card.evidence if one.study == "other-measures"]
    assert titles == [
        f"Correlations over the targets of {name}" for name in ("divdist-gender", "weat-7-AB")
    ]


def test_a_plug_in_is_correlated_with_ours() -> None:
    evidence = only(Nearness(), "convergent", "other-measures")
    row = next(row for row in evidence.tables[0].rows if row[0] == "WEAT")
    assert row[RHO] == pytest.approx(1.0)  # both are the difference of two mean cosines


@pytest.mark.slow
def test_shorter_lists_are_drawn_by_the_seed_alone() -> None:
    (test,) = load_tests("divdist-gender")
    source = eatlas.open_vectors("glove-sample")
    first, again, other = (
        word_lists(Material(eatlas.SemAxis(), {}, seed), "glove-sample", source, test)
        for seed in (0, 0, 1)
    )
    assert first == again != other
    rhos = [figure for figure in first[0] if figure.name.startswith("Spearman's rho, ")]
    assert [figure.name[16:] for figure in rhos] == ["3 words a group", "5 words a group"]
    assert all(-1 <= figure.low <= figure.value <= figure.high <= 1 for figure in rhos)
    assert rhos[0].value < 1


@pytest.mark.slow
def test_choices_of_parameters_are_tried_and_those_that_fail_say_why() -> None:
    evidence = only("divdist", "sensitivity", "parameters")
    rows = {row[0]: row for row in evidence.tables[0].rows}
    assert rows["divergence=l2"][RHO] == pytest.approx(1.0)  # of two groups, proportional to l1
    assert rows["divergence=l2"][R] == pytest.approx(1.0)
    assert 0.5 < rows["normalize=softmax"][RHO] < 1.0  # 0.90 in Table 8, of other vectors
    assert any(one.startswith("Not measured, soa=counts:") for one in evidence.remarks)
    assert not any("adjust" in one for one in evidence.remarks)  # it is about no bias
    smallest = min(rows.values(), key=lambda row: row[RHO])
    assert evidence.figures[0].text == smallest[0]


@pytest.mark.slow
def test_vectors_of_length_one_change_nothing_where_only_angles_count() -> None:
    of_angles = only("rnd", "sensitivity", "treated-vectors")
    of_lengths = only("ripa", "sensitivity", "treated-vectors")
    rows = [{row[0]: row for row in one.tables[0].rows} for one in (of_angles, of_lengths)]
    assert rows[0].get("length 1", [None, None, 1.0])[RHO] == pytest.approx(1.0)
    assert rows[1]["length 1"][RHO] < 1.0
    assert {"center", "standardize", "all-but-the-top:1"} <= set(rows[1])
