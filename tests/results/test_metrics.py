"""A result as a few numbers under short names, held against its record."""

from __future__ import annotations

import json
import re

import pytest
from tests.contracts.golden_cases import SCENARIOS, kept

import eatlas
from eatlas.measures.registry import measure_names
from eatlas.results import AssociationResult, read_results
from eatlas.results.json_lines import record_types

OF_GROUPS = ("same", "generalised-weat", "divdist(resamples=100)")


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> eatlas.Results:
    """Results that the recorded sessions hold, and those of quick measures of groups.

    They are of all packages that are installed.
    """
    path = tmp_path_factory.mktemp("sessions") / "every.jsonl"
    lines = [line for scenario in SCENARIOS for line in kept(scenario).lines]
    found = [line for line in lines if '"eatlas/result/1"' in line]
    results = [line for line in found if json.loads(line)["measure"] in measure_names()]
    path.write_text("".join(f"{line}\n" for line in results), encoding="utf-8")
    direct = eatlas.run("divdist-gender", measures=["direct-bias", "indirect-bias", "ripa"])
    groups = eatlas.run("weat-6", measures=["rnd", "mac", "ect", "semaxis", "rnsb", *OF_GROUPS])
    return eatlas.Results([*read_results(path), *direct, *groups])


def test_no_record_leaves_undefined_numbers_in_its_metrics() -> None:
    records = record_types().values()
    assert all(record.metrics is AssociationResult.metrics for record in records)


def test_every_measure_has_the_same_few_names(every: eatlas.Results) -> None:
    names: dict[str, tuple[str, ...]] = {}
    for result in every:
        metrics, numbers = result.metrics(), result.numbers()
        assert names.setdefault(result.measure, tuple(numbers)) == tuple(numbers)
        assert 0 < len(numbers) <= 11
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in numbers)
        assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics
        assert metrics == {name: n for name, n in numbers.items() if n is not None}
        assert (metrics["used"], metrics["missing"]) == result.coverage.counts()
    level3 = ("d", "p", "p_two_sided", "p_claim", "low", "high", "d_x", "d_y")
    assert names["ml-eat"] == (*level3, "used", "missing")
    assert names["rnd"] == ("value", "p", "p_two_sided", "low", "high", "used", "missing")
    assert len(names) >= 14


def test_numbers_are_those_of_the_record() -> None:
    weat, terms, groups = eatlas.run(
        ["weat-6", "divdist-face-validity"],
        measures=["ml-eat", "sc-eat", "divdist(resamples=100)"],
    )
    metrics, level1 = weat.metrics(), weat.level1
    assert (metrics["d"], metrics["p"]) == (level1.effect_size, level1.p.greater)
    assert (metrics["low"], metrics["high"]) == weat.adjusted.level1.interval
    assert metrics["d_y"] == weat.level2.Y.effect_size
    assert metrics["p_claim"] == weat.finding.questions["level1"].p.claim
    sizes = [entry.level2.effect_size for entry in terms.terms]
    assert terms.metrics()["d"] == pytest.approx(sum(sizes) / len(sizes), rel=1e-12)
    assert (terms.metrics()["d_lowest"], terms.metrics()["d_highest"]) == (min(sizes), max(sizes))
    assert terms.metrics()["p_holm"] == min(
        member.adjusted for member in eatlas.Results([terms]).family("level2")
    )
    assert groups.metrics()["mean_bias"] == groups.mean_bias
    assert (groups.metrics()["low"], groups.metrics()["high"]) == groups.mean_bias_interval
    assert groups.metrics()["p_holm"] == min(p for p in groups.holm if p is not None)


def test_what_is_undefined_is_left_out() -> None:
    words = ["a", "b", "c", "d", "e", "f"]
    vectors = {word: [1.0, float(word in "ef")] for word in words}
    test = eatlas.AssociationTest(
        id="flat",
        X=eatlas.Concept(name="X", terms=["a", "b"]),
        Y=eatlas.Concept(name="Y", terms=["c", "d"]),
        A=eatlas.Concept(name="A", terms=["e"]),
        B=eatlas.Concept(name="B", terms=["f"]),
    )
    results = eatlas.run(test, vectors, measures="weat")
    assert results[0].metrics() == {"used": 6, "missing": 0}
    assert results.metrics() == {"flat/used": 6, "flat/missing": 0}
    assert results[0].numbers()["d"] is results.numbers()["flat/p"] is None


def test_names_say_what_differs_between_results() -> None:
    plain, centred = "glove-sample", "glove-sample?transform=center"
    results = eatlas.run("weat-6", [plain, centred], measures="weat")
    names = list(results.metrics())
    assert names[0] == "weat-6/no_transform/d"
    assert len(names) == len(set(names)) == 2 * len(results[0].metrics())
    assert all(re.fullmatch(r"[\w.-]+(/[\w.-]+)*", name) for name in names)
    again = eatlas.Results([results[0], results[0]]).metrics()
    assert again["weat-6/d"] == again["weat-6/2/d"]


def test_frames_have_the_verdicts_of_results_that_are_shown_together() -> None:
    results = eatlas.run(["weat-4", "weat-6", "weat-7", "weat-8"], measures="ml-eat(resamples=0)")
    frame = results.to_frame("all")
    for (_, row), alone, found in zip(frame.iterrows(), results, results.findings, strict=True):
        for place, suffix in (("level1", ""), ("level2.X", "_X"), ("level2.Y", "_Y")):
            question = found.questions[place]
            assert row[f"verdict{suffix}"] == question.verdict
            assert row[f"p_claim{suffix}"] == question.p.claim
            assert row[f"p_these{suffix}"] == question.p.these
        own = alone.to_frame().iloc[0]
        assert own["verdict"] == alone.finding.verdict
        assert own["p_claim"] <= row["p_claim"]
    weat4 = frame.iloc[0]
    assert (weat4["verdict"], results[0].finding.verdict) == ("these words", "supported")
    terms = eatlas.run("weat-6", measures="sc-eat").to_frame("all")
    assert "verdict" not in terms, "a row is a term"
