"""Results of versions that drew otherwise: they read, and verify within their Monte Carlo error."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import eatlas
from eatlas.engine.verify import DRAWN_OTHERWISE, verify
from eatlas.measures import get_measure
from eatlas.results import MLEATResult, WEATResult


def as_before(result: Any) -> dict[str, Any]:
    """The record as a version without common draws would have written it."""
    record = copy.deepcopy(result.to_dict())
    record["provenance"].pop("draws")
    places = [record["uncertainty"]] if record["uncertainty"] else []
    for one in places:
        one.pop("patterns_error", None)
        levels = [one["level1"], *(one["level2"] or {}).values()]
        for level in levels:
            level.pop("error")
    return record


@pytest.fixture(scope="module")
def old() -> dict[str, Any]:
    """The default number was 1,000, and seed 99 stands for draws that cannot be had again."""
    one, other = (
        as_before(eatlas.run(tests="weat-6", measures="ml-eat(resamples=1000)", seed=seed)[0])
        for seed in (0, 99)
    )
    return {**one, "uncertainty": other["uncertainty"], "signature": eatlas.MLEAT().signature}


def read(record: dict[str, Any]) -> MLEATResult | WEATResult:
    kind = MLEATResult if record["measure"] == "ml-eat" else WEATResult
    return kind.from_dict(record)


def judged(record: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    (verdict,) = verify([read(record)])
    return verdict.status, verdict.details


def test_an_older_result_reads_and_is_the_same(old: dict[str, Any]) -> None:
    result = read(old)
    assert result.uncertainty.level1.error is None
    assert result.uncertainty.patterns_error is None
    assert judged(old) == ("same", (DRAWN_OTHERWISE,))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("level1", "interval"), [1.3, 1.86]),
        (("level1", "se"), 0.3),
        (("level2", "X", "bca"), [0.0, 0.1]),
        (("patterns", "BY-Singular"), 0.9),
        (("over",), "targets"),
    ],
)
def test_what_other_draws_do_not_explain_differs(
    old: dict[str, Any], place: tuple[str, ...], value: Any
) -> None:
    record = copy.deepcopy(old)
    part = record["uncertainty"]
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    status, details = judged(record)
    assert status == "differs"
    assert details[0].startswith(f"uncertainty.{'.'.join(place)}: ")


def test_what_is_not_drawn_is_compared_as_ever(old: dict[str, Any]) -> None:
    record = copy.deepcopy(old)
    record["level1"]["effect_size"] += 1e-6
    status, (detail, note) = judged(record)
    assert note == DRAWN_OTHERWISE
    assert status == "differs"
    assert detail.startswith("level1.effect_size: ")


def test_sampled_p_values_agree_within_their_intervals() -> None:
    record, other = (
        as_before(
            eatlas.run("weat-9", measures="weat(p=sampled,draws=50000,resamples=0)", seed=seed)[0]
        )
        for seed in (0, 99)
    )
    assert record["level1"]["p"] != other["level1"]["p"]
    record["level1"] = other["level1"]
    assert judged(record)[0] == "same"
    record["level1"]["p"]["greater"] *= 3
    record["level1"]["p"]["interval"]["greater"] = [
        3 * end for end in record["level1"]["p"]["interval"]["greater"]
    ]
    status, details = judged(record)
    assert status == "differs"
    assert details[0].startswith("level1.p.greater: ")


def test_results_say_how_their_draws_were_seeded() -> None:
    (result,) = eatlas.run(tests="weat-9")
    assert result.provenance.draws == "stimuli"
    assert verify([result])[0].status == "same"


@pytest.mark.parametrize(
    "asked",
    [
        "weat(p=sampled,draws=10000000000000)",
        "ml-eat(resamples=1000000000)",
        "weat(frequency=1000000000)",
    ],
)
def test_a_file_that_asks_for_days_of_drawing(asked):
    (result,) = eatlas.run("weat-6", measures=asked.split("(")[0], frequency="off")
    forged = result.model_copy(update={"signature": str(get_measure(asked))})
    if "resamples" in asked:  # as many are drawn again as the result says it has
        more = forged.uncertainty.model_copy(update={"resamples": 10**9})
        forged = forged.model_copy(update={"uncertainty": more})
    (verdict,) = verify([forged])
    assert verdict.status == "not repeated"
    assert verdict.details[0].endswith("more random draws than are drawn again for a file")
    assert verdict.details[1].startswith("remedy: eatlas run draws as many as you say; --trust")
    (again,) = verify([result])
    assert again.status == "same"
