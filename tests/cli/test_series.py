"""``eatlas run`` on a folder of vectors by year."""

import json

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.sources.series_files import write_histwords

from eatlas.stimuli import to_toml


@pytest.fixture
def drift(tmp_path):
    names = {role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"}
    test = make_test("drift", **names)
    (tmp_path / "drift.toml").write_text(to_toml([test]))
    decades = {year: make_vectors(test, seed=year) for year in range(1900, 2000, 10)}
    decades[1950] = {term: np.zeros(5) for term in decades[1950]}
    write_histwords(tmp_path / "hist", decades)
    quick = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")
    return ("run", "--vectors", "hist", "--tests", "drift.toml", *quick)


def test_years_and_trend_are_shown_and_verified(eatlas_cli, drift, tmp_path):
    ended = eatlas_cli(*drift)
    assert ended.code == 1
    assert "1 of 10 jobs failed; the others are done" in ended.err
    assert "Trend of drift, 1900 to 1990, 9 of 10 periods" in ended.out
    _, rows = ended.out.split("Period")
    assert "Level 1 shows no significant trend: " in ended.said
    assert "Level 2 of Flowers shows no" in ended.said
    assert ended.said.count("are too few for a significant trend") == 1
    assert "1950 is missing: test drift, group X (Flowers): no term has" in ended.said
    assert "level 2" not in rows.split("d: effect size")[0]
    for year in range(1900, 2000, 10):
        assert (f"\n{year} " in rows) == (year != 1950)
    assert len(ended.out.splitlines()) < 40
    whole = eatlas_cli(*drift, "--full")
    assert "only" not in whole.out.split("Trend of")[0]
    for year in (1900, 1990):
        assert f"drift, {year}" in whole.out
    assert "Period " not in whole.out
    ended = eatlas_cli("verify", "--verbose", "out/results.jsonl")
    assert ended.code == 0
    assert "\ndrift on hist, 1990: same\n" in ended.out
    assert "\ntrend of drift on hist: same\n" in ended.out
    assert "9 of 9 results and 1 of 1 trends are the same" in ended.out
    path = tmp_path / "out" / "results.jsonl"
    lines = path.read_text("utf-8").splitlines()
    record = json.loads(lines[-1])
    rho, record["level1"]["rho"] = record["level1"]["rho"], 0.99
    path.write_text("\n".join([*lines[:-1], json.dumps(record)]), encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert f": differs\n  level1.rho: 0.99 in the file, {rho!r} now\n" in ended.out
    assert "9 of 9 results and 0 of 1 trends are the same" in ended.out
