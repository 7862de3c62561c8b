"""What specifications say together, on records made by hand and on real studies."""

from itertools import product

import pytest

from eatlas_workbench.studies.analysis import analyse, method_pairs
from eatlas_workbench.studies.record import Specification, StudyRecord


def record(rows, **choices):
    """A record of hand-made specifications: choices, d, whether significant, pattern."""
    made = [
        Specification(
            number=number,
            choices=dict(zip(choices, labels, strict=True)),
            status="done",
            line=number,
            d=d,
            p=0.01 if significant else 0.5,
            significant=significant,
            pattern=pattern,
            metric="cosine",
        )
        for number, (labels, d, significant, pattern) in enumerate(rows, start=1)
    ]
    return StudyRecord(
        version="0", plan_sha256="0", choices=choices, alpha=0.05, specifications=tuple(made)
    )


ROWS = [
    (("t1", "word"), 1.0, True, "AB-Divergent"),
    (("t1", "sentence"), 0.4, False, "Non-Directional"),
    (("t2", "word"), 0.8, True, "AB-Divergent"),
    (("t2", "sentence"), -0.2, False, "Non-Directional"),
    (("t3", "word"), 0.6, True, "AX-Singular"),
    (("t3", "sentence"), 0.4, True, "AX-Singular"),
    (("t4", "word"), 0.0, False, "Non-Directional"),
    (("t4", "sentence"), -0.6, False, "Non-Directional"),
]
MADE = record(ROWS, test=("t1", "t2", "t3", "t4"), level=("word", "sentence"))


def test_contrasts_compare_what_is_alike_in_all_else():
    (found,) = analyse(MADE).contrasts
    assert (found.choice, found.first, found.second, found.n) == ("level", "word", "sentence", 4)
    assert found.difference == pytest.approx((0.6 + 1.0 + 0.2 + 0.6) / 4)
    assert found.low < found.difference < found.high
    assert found.size_difference == pytest.approx((0.6 + 0.6 + 0.2 - 0.6) / 4)
    assert found.significant == (0.75, 0.25)
    assert (found.signs, found.flips, found.patterns) == (1, 2, 2)


def test_patterns_are_counted_by_test():
    every, *tests = analyse(MADE).patterns
    assert every.counts == {"Non-Directional": 4, "AB-Divergent": 2, "AX-Singular": 2}
    assert (every.mode, every.share, every.entropy) == ("Non-Directional", 0.5, 1.5)
    assert [(one.test, one.entropy) for one in tests] == [
        ("t1", 1),
        ("t2", 1),
        ("t3", 0),
        ("t4", 0),
    ]


def test_correlations_of_all_and_of_significant_pairs():
    every, significant = analyse(MADE).correlations
    import scipy.stats

    x, y = [1.0, 0.8, 0.6, 0.0], [0.4, -0.2, 0.4, -0.6]
    assert every.pearson == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
    assert every.spearman == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert (significant.only, significant.n, significant.pearson) == ("significant", 1, None)


def test_pairs_of_methods_have_a_point_for_each_test():
    (pair,) = method_pairs(MADE)
    assert (pair.first, pair.second, pair.by) == ("word", "sentence", "level")
    assert [(p.test, p.x, p.y) for p in pair.points] == [
        ("t1", 1.0, 0.4), ("t2", 0.8, -0.2), ("t3", 0.6, 0.4), ("t4", 0.0, -0.6),
    ]  # fmt: skip
    assert [p.test for p in pair.significant.points] == ["t3"]
    assert pair.correlation.pearson == analyse(MADE).correlations[0].pearson


def test_points_of_other_choices_are_apart_and_sources_are_groups():
    labels = product(("t1", "t2"), ("u", "v"), ("a", "b"), ("0", "1"))
    rows = [(each, 1.0 if each[2] == "a" else 0.5, True, "") for each in labels]
    made = record(rows, test=("t1", "t2"), vectors=("u", "v"), level=("a", "b"), ddof=("0", "1"))
    (pair,) = method_pairs(made, "level")
    assert [p.name for p in pair.points] == ["t1 (u)"] * 2 + ["t1 (v)"] * 2 + ["t2 (u)"] * 2 + [
        "t2 (v)"
    ] * 2
    (of_sources,) = method_pairs(made, "vectors")
    assert {p.group for p in of_sources.points} == {""}


def test_shares_of_a_study_add_up():
    found = analyse(MADE)
    assert sum(one.shapley for one in found.shares) == pytest.approx(found.explained) == 1


def test_cosine_and_probability_are_compared_by_metric():
    rows = [
        Specification(
            number=n, choices={"test": t, "measure": m, "level": level}, status="done", line=n,
            d=d, significant=d > 0.5, p=0.5, metric=metric,
        )
        for n, (t, m, level, metric, d) in enumerate(
            [("a", "weat", "word", "cosine", 1.0), ("a", "weat", "sentence", "cosine", 0.6),
             ("a", "lpbs", "", "log-probability", 0.2), ("b", "weat", "word", "cosine", 0.4),
             ("b", "weat", "sentence", "cosine", 0.2), ("b", "lpbs", "", "log-probability", 0.1)],
            start=1,
        )
    ]  # fmt: skip
    made = StudyRecord(
        version="0", plan_sha256="0", alpha=0.05, specifications=tuple(rows),
        choices={"test": ("a", "b"), "measure": ("weat", "lpbs"), "level": ("word", "sentence")},
    )  # fmt: skip
    found = {one.choice: one for one in analyse(made).contrasts}
    metric = found["metric"]
    assert (metric.first, metric.second, metric.n) == ("cosine", "log-probability", 2)
    assert metric.difference == pytest.approx(((0.8 - 0.2) + (0.3 - 0.1)) / 2)
