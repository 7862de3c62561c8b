"""Hypothesis validity: amplification by hand from counts, mitigation against runs by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eatlas
from eatlas.apps.protocol.evidence import Evidence
from eatlas.apps.protocol.hypothesis import at_equal_contexts
from eatlas.stats.paired import paired_change
from eatlas.stats.shares import distribution, divergence
from eatlas.stimuli import load_tests

TEXT = {"nurse": (8, 2), "pilot": (3, 7), "dancer": (6, 4), "soldier": (4, 6), "teacher": (0, 0)}
MORE = {"nurse": (9, 1), "pilot": (1, 9), "dancer": (9, 1), "soldier": (2, 8), "judge": (1, 1)}
BIAS = {"nurse": (0.6, 0.8), "pilot": (0.4, 0.8), "dancer": (0.2, 0.8), "soldier": (0.2, 0.6)}
"""By hand: |f - m| / (f + m) of either table."""


def counts(path: Path, rows: dict[str, tuple[int, int]]) -> Path:
    lines = [f"{term},{f + m},{f},{m}" for term, (f, m) in rows.items()]
    path.write_text("term,spans,Female,Male\n" + "\n".join(lines) + "\n")
    return path


def hypothesis(measure: str, vectors: object = None, **given: object) -> dict[str, Evidence]:
    card = eatlas.protocol(measure, vectors, criteria=["hypothesis"], **given)
    return {one.study: one for one in card.evidence}


def test_amplification_of_generated_text_by_hand(tmp_path: Path) -> None:
    text, more = counts(tmp_path / "text.csv", TEXT), counts(tmp_path / "more.csv", MORE)
    found = hypothesis("divdist", {"she": [1.0, 0]}, counts=text, generated=more)["amplification"]
    (change,) = found.figures
    assert change.name == "change of bias, generated text more.csv less text text.csv"
    # .2 + .4 + .6 + .4 over four targets; of 16 signs two are as far from 0
    assert change.value == pytest.approx(0.4)
    assert (change.n, change.of, change.p) == (4, "targets", 2 / 16)
    assert change.test == "signs of changes flipped, two-sided, all"
    assert change.low <= 0.4 <= change.high
    summary, biases, leans, contexts = found.tables
    assert {row[0]: row[1:] for row in contexts.rows} == dict.fromkeys(BIAS, (10, 10))
    assert {row[0]: row[1:] for row in biases.rows} == {
        term: pytest.approx(row) for term, row in BIAS.items()
    }
    assert dict(zip(summary.columns, summary.rows[0], strict=True)) == {
        "after": "more.csv",
        "before": "text.csv",
        "targets": 4,
        "mean before": pytest.approx(0.35),
        "mean after": pytest.approx(0.75),
        "change": pytest.approx(0.4),
        "p": 0.125,
        "rose": 4,
        "fell": 0,
    }
    assert {row[0]: row[1] for row in leans.rows} == {
        "nurse": pytest.approx(0.3),
        "pilot": pytest.approx(-0.2),
        "dancer": pytest.approx(0.1),
        "soldier": pytest.approx(-0.1),
    }
    assert {one.label for one in found.drawings[0].marks} == set(BIAS)


def test_a_smaller_text_with_the_same_shares_is_not_more_biased(tmp_path: Path) -> None:
    """Two texts of equal shares, 400 and 20 contexts a target: at all of them +0.12, p = .0005."""
    rng = np.random.default_rng(3)
    (gender,) = load_tests("divdist-gender")
    terms = gender.targets.terms[:12]
    tables = {}
    for name, n in (("text", 400), ("more", 20)):
        rows = {term: (x := int(rng.binomial(n, 0.5)), n - x) for term in terms}
        tables[name] = counts(tmp_path / f"{name}.csv", rows)
    found = hypothesis(
        "divdist", {"she": [1.0, 0]}, counts=tables["text"], generated=tables["more"]
    )
    (change,) = found["amplification"].figures
    assert change.p > 0.05
    assert change.low < 0 < change.high
    by_hand = np.array([[row[1], row[2]] for row in found["amplification"].tables[1].rows])
    assert by_hand[:, 1].mean() - by_hand[:, 0].mean() > 0.08  # at all contexts
    assert found["amplification"].tables[3].rows[0][1:] == (400, 20)


def test_biases_at_equal_contexts_are_means_over_all_ways_to_draw_them() -> None:
    """By hand of two contexts out of 3 and 1: both of one group in 3 of 6 ways."""
    x, y = at_equal_contexts(
        np.array([[3.0, 1.0]]), np.array([[2.0, 0.0]]), l1, np.random.default_rng(0)
    )
    assert x == pytest.approx(0.5, abs=0.15)  # standard error .035
    assert y == 1.0


def l1(counts: np.ndarray) -> np.ndarray:
    return divergence(distribution(counts), np.array([0.5, 0.5]))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(200, 50), (200, 20), (1000, 20)])
@pytest.mark.parametrize("spread", [0.0, 0.15])
def test_the_level_of_amplification(sizes: tuple[int, int], spread: float) -> None:
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
        rejected += paired_change(x, y, rng=rng, resamples=0).p <= 0.05
    assert 0.02 < rejected / runs < 0.09  # standard error .009


def test_a_model_against_its_text(tmp_path: Path) -> None:
    """The bias of representations is that of a run by hand; all three stages are compared."""
    text, more = counts(tmp_path / "text.csv", TEXT), counts(tmp_path / "more.csv", MORE)
    found = hypothesis(
        "divdist", "glove-sample", counts=text, generated=more, representations="glove-sample"
    )["amplification"]
    (gender,) = load_tests("divdist-gender")
    test = eatlas.GroupsTest(
        targets=list(BIAS),
        groups={group.name: list(group.terms) for group in gender.groups},
        reference="uniform",
    )
    (result,) = eatlas.run(test, "glove-sample", "divdist")
    learned = {one.term: one.bias for one in result.targets}
    assert [one.name.removeprefix("change of bias, ") for one in found.figures] == [
        "representations glove-sample less text text.csv",
        "generated text more.csv less text text.csv",
        "generated text more.csv less representations glove-sample",
    ]
    by_hand = np.mean([learned[term] - BIAS[term][0] for term in BIAS])
    assert found.figures[0].value == pytest.approx(by_hand)
    assert found.figures[1].value == pytest.approx(0.4)
    assert any(
        "one of scale too, and of the number of contexts." in remark for remark in found.remarks
    )
    assert not any("that of two texts is not" in remark for remark in found.remarks)


def test_representations_in_contexts_are_those_of_a_run(tmp_path: Path) -> None:
    people = {"nurse": "She saw her son.", "soldier": "He saw his mother.", "dancer": "She ran."}
    lines = [f"The {term} was late on day {k}. {said}" for term, said in people.items()
             for k in range(3)]  # fmt: skip
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    contexts = eatlas.find_contexts(tmp_path / "text.txt", "divdist-gender", window=20)
    contexts.write(tmp_path / "contexts.jsonl")
    rows = {"nurse": (9, 1), "soldier": (1, 9), "dancer": (7, 3)}
    measure = "divdist(soa=reduction)"
    found = hypothesis(
        measure,
        "cbow:glove-sample",
        counts=counts(tmp_path / "text.csv", rows),
        representations="cbow:glove-sample",
        contexts=tmp_path / "contexts.jsonl",
    )["amplification"]
    (result,) = eatlas.run("divdist-gender", "cbow:glove-sample", measure, contexts=contexts)
    by_hand = {one.term: one.bias for one in result.targets}
    biases = found.tables[1]
    assert {row[0]: row[2] for row in biases.rows} == pytest.approx(
        {term: by_hand[term] for term in rows}
    )


def test_what_is_not_run_says_why(tmp_path: Path) -> None:
    text = counts(tmp_path / "text.csv", TEXT)
    vectors = {"she": [1.0, 0]}
    assert hypothesis("divdist", vectors)["amplification"].not_run.startswith(
        "Nothing was given by --counts, of the text that a model learned from"
    )
    assert hypothesis("divdist", vectors, counts=text)["amplification"].not_run.startswith(
        "Neither --representations"
    )
    found = hypothesis("semaxis", vectors, counts=text, generated=text)["amplification"]
    assert found.not_run.startswith("The measure semaxis takes no counts of a text")
    odd = tmp_path / "odd.csv"
    odd.write_text("term,young,old\nnurse,1,2\n")
    found = hypothesis("divdist", vectors, counts=odd, generated=odd)["amplification"]
    assert found.not_run.startswith("The table of counts has the groups old, young, and no test")
    found = hypothesis("divdist", vectors, counts=text, generated=odd)["amplification"]
    assert not found.ran
    assert "odd.csv" in found.not_run
    shares = counts(tmp_path / "shares.csv", {"nurse": (0.9, 0.1), "pilot": (0.2, 0.8)})
    found = hypothesis("divdist", vectors, counts=text, generated=shares)["amplification"]
    assert found.not_run.startswith("The counts of nurse in shares.csv are not numbers of contexts")
    only = hypothesis("divdist(soa=counts)", str(text), counts=text, representations="x")
    assert "The measure takes counts only" in only["amplification"].not_run
    assert "takes no vectors" in only["mitigation"].not_run


@pytest.mark.parametrize("measure", ["divdist", "semaxis", "weat"])
def test_mitigation_is_that_of_runs_by_hand(measure: str) -> None:
    found = hypothesis(measure, "glove-sample")["mitigation"]
    hard = found.figure("change of bias, hard-debias:gender")
    # hard debiasing takes the direction of gender out, which these measures are made of
    assert hard.value < 0
    assert hard.high < 0
    assert hard.p == 1 / 10_000
    if measure == "divdist":
        (test,) = load_tests("divdist-gender")
        before, after = (
            eatlas.run(test, spec, "divdist(resamples=0,p=off)")[0]
            for spec in ("glove-sample", "glove-sample?transform=hard-debias:gender")
        )
        later = {one.term: one.bias for one in after.targets}
        changes = [
            later[one.term] - one.bias
            for one in before.targets
            if one.bias is not None and later.get(one.term) is not None
        ]
        assert hard.value == pytest.approx(np.mean(changes))
        assert hard.n == len(changes)
        assert found.figure("change of bias, soft-debias:race").n > 250
    else:
        assert [one.name for one in found.figures] == [
            "change of bias, hard-debias:gender",
            "change of bias, soft-debias:gender",
        ]
        assert any(one.startswith("Not run, hard-debias:race:") for one in found.remarks)


def test_mitigation_without_a_whole_source() -> None:
    found = hypothesis("semaxis", {"she": [1.0, 0.2], "he": [0.1, 1.0]})["mitigation"]
    assert not found.ran
    assert "hard-debias:gender" in found.not_run
