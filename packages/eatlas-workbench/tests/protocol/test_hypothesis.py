"""Hypothesis validity: amplification by hand from counts, mitigation against runs by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.protocol.cards import counts, found

import eatlas
from eatlas.stats.correlation import compare_before_after
from eatlas.stats.shares import distribution, divergence
from eatlas.stimuli import load_tests
from eatlas_workbench.cards.outside import at_equal_contexts

TEXT = {"nurse": (8, 2), "pilot": (3, 7), "dancer": (6, 4), "soldier": (4, 6), "teacher": (0, 0)}
MORE = {"nurse": (9, 1), "pilot": (1, 9), "dancer": (9, 1), "soldier": (2, 8), "judge": (1, 1)}
BIAS = {"nurse": (0.6, 0.8), "pilot": (0.4, 0.8), "dancer": (0.2, 0.8), "soldier": (0.2, 0.6)}
"""By hand: |f - m| / (f + m) of either table."""


def test_amplification_by_hand_and_by_a_run(tmp_path):
    """A text, a model that learned from it, and what it writes: all three are compared."""
    text, more = counts(tmp_path / "text.csv", TEXT), counts(tmp_path / "more.csv", MORE)
    evidence = found(
        "hypothesis", "divdist", "glove-sample", counts=text, generated=more,
        representations="glove-sample",
    )["amplification"]  # fmt: skip
    of_model, change, _ = evidence.figures
    assert [one.name.removeprefix("change of bias, ") for one in evidence.figures] == [
        "representations glove-sample less text text.csv",
        "generated text more.csv less text text.csv",
        "generated text more.csv less representations glove-sample",
    ]
    # .2 + .4 + .6 + .4 over four targets; of 16 signs two are as far from 0
    assert change.value == pytest.approx(0.4)
    assert (change.n, change.of, change.p) == (4, "targets", 2 / 16)
    assert change.test == "signs of changes flipped, two-sided, all"
    assert change.low <= 0.4 <= change.high
    summary, biases, leans, contexts = evidence.tables
    assert {row[0]: row[1:] for row in contexts.rows} == dict.fromkeys(BIAS, (10, 10))
    both = {row[0]: (row[1], row[3]) for row in biases.rows}
    assert both == {term: pytest.approx(row) for term, row in BIAS.items()}
    assert summary.rows[1][:2] == ("more.csv", "text.csv")
    assert summary.rows[1][2:] == (4, *map(pytest.approx, (0.35, 0.75, 0.4)), 0.125, 4, 0)
    women = {row[0]: row[1] for row in leans.rows}
    assert women == pytest.approx({"nurse": 0.3, "pilot": -0.2, "dancer": 0.1, "soldier": -0.1})
    assert {one.label for one in evidence.drawings[0].marks} == set(BIAS)
    (gender,) = load_tests("divdist-gender")
    groups = {group.name: list(group.terms) for group in gender.groups}
    test = eatlas.GroupsTest(targets=list(BIAS), groups=groups, reference="uniform")
    (result,) = eatlas.run(test, "glove-sample", "divdist(resamples=0,p=off)")
    learned = {one.term: one.bias for one in result.targets}
    assert of_model.value == pytest.approx(np.mean([learned[t] - BIAS[t][0] for t in BIAS]))


def test_a_smaller_text_with_the_same_shares_is_not_more_biased(tmp_path):
    """Two texts of equal shares, 400 and 20 contexts a target: at all of them +0.12, p = .0005."""
    rng = np.random.default_rng(3)
    (gender,) = load_tests("divdist-gender")
    tables = {}
    for name, n in (("counts", 400), ("generated", 20)):
        rows = {t: (x := int(rng.binomial(n, 0.5)), n - x) for t in gender.targets.terms[:12]}
        tables[name] = counts(tmp_path / f"{name}.csv", rows)
    evidence = found("hypothesis", "divdist", {"she": [1.0, 0]}, **tables)["amplification"]
    (change,) = evidence.figures
    assert change.p > 0.05
    assert change.low < 0 < change.high
    by_hand = np.array([[row[1], row[2]] for row in evidence.tables[1].rows])
    assert by_hand[:, 1].mean() - by_hand[:, 0].mean() > 0.08  # at all contexts
    assert evidence.tables[3].rows[0][1:] == (400, 20)


def l1(of: np.ndarray) -> np.ndarray:
    return divergence(distribution(of), np.array([0.5, 0.5]))


def test_biases_at_equal_contexts_are_means_over_all_ways_to_draw_them():
    """By hand of two contexts out of 3 and 1: both of one group in 3 of 6 ways."""
    x, y = at_equal_contexts(
        np.array([[3.0, 1.0]]), np.array([[2.0, 0.0]]), l1, np.random.default_rng(0)
    )
    assert x == pytest.approx(0.5, abs=0.15)  # standard error .035
    assert y == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(200, 50), (1000, 20)])
@pytest.mark.parametrize("spread", [0.0, 0.15])
def test_the_level_of_amplification(sizes, spread):
    """Equal true shares, within `spread` of one half, 12 targets: share of p up to .05.

    Of 2,000 runs each: .054 to .062. With all contexts it was .48, .82 and .98 without a lean.
    """
    rng, runs = np.random.default_rng(5), 600
    rejected = 0
    for _ in range(runs):
        shares = rng.uniform(0.5 - spread, 0.5 + spread, 12)
        first, second = (
            np.column_stack([x := rng.binomial(n, shares), n - x]).astype(float) for n in sizes
        )
        x, y = at_equal_contexts(first, second, l1, rng)
        rejected += compare_before_after(x, y, rng=rng, resamples=0).p <= 0.05
    assert 0.02 < rejected / runs < 0.09  # standard error .009


def test_representations_in_contexts_are_those_of_a_run(tmp_path):
    people = {"nurse": "She saw her son.", "soldier": "He saw his mother.", "dancer": "She ran."}
    lines = [f"The {term} was late on day {k}. {said}" for term, said in people.items()
             for k in range(3)]  # fmt: skip
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    contexts = eatlas.find_contexts(tmp_path / "text.txt", "divdist-gender", window=20)
    contexts.write(tmp_path / "contexts.jsonl")
    rows = {"nurse": (9, 1), "soldier": (1, 9), "dancer": (7, 3)}
    measure, vectors = "divdist(soa=reduction)", "cbow:glove-sample"
    evidence = found(
        "hypothesis", measure, vectors, counts=counts(tmp_path / "text.csv", rows),
        representations=vectors, contexts=tmp_path / "contexts.jsonl",
    )["amplification"]  # fmt: skip
    (result,) = eatlas.run("divdist-gender", vectors, measure, contexts=contexts)
    by_hand = {one.term: one.bias for one in result.targets}
    biases = {row[0]: row[2] for row in evidence.tables[1].rows}
    assert biases == pytest.approx({term: by_hand[term] for term in rows})


@pytest.mark.parametrize("measure", ["divdist", "semaxis", "weat"])
def test_mitigation_is_that_of_runs_by_hand(measure):
    evidence = found("hypothesis", measure, "glove-sample")["mitigation"]
    hard = evidence.figure("change of bias, hard-debias:gender")
    # hard debiasing takes the direction of gender out, which these measures are made of
    assert hard.value < 0
    assert hard.high < 0
    assert hard.p == 1 / 10_000
    if measure != "divdist":
        assert any(one.startswith("Not run, hard-debias:race:") for one in evidence.remarks)
        return
    before, after = (
        eatlas.run("divdist-gender", spec, "divdist(resamples=0,p=off)")[0]
        for spec in ("glove-sample", "glove-sample?transform=hard-debias:gender")
    )
    later = {one.term: one.bias for one in after.targets}
    changes = [
        later[one.term] - one.bias
        for one in before.targets
        if one.bias is not None and later.get(one.term) is not None
    ]
    assert (hard.value, hard.n) == (pytest.approx(np.mean(changes)), len(changes))
    assert evidence.figure("change of bias, soft-debias:race").n > 250
