"""Transformed sources: what they promise, what they are called, and what is refused."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.sources import open_sources

RNG = np.random.default_rng(11)
WORDS = [f"w{i}" for i in range(300)]
AXES, _ = np.linalg.qr(RNG.standard_normal((6, 6)))
ROWS = (RNG.standard_normal((300, 6)) * [9, 4, 2, 1, 1, 0.5]) @ AXES + 3
SOURCE = eatlas.ArraySource(WORDS, ROWS, name="cloud")
EXACT = 1e-10
"""Largest difference seen in 300 draws: 9e-14."""


def all_rows(source):
    return np.concatenate([rows for _, rows in source.iter_chunks()])


def test_steps_are_done_one_after_another():
    first = all_rows(eatlas.transformed(SOURCE, "all-but-the-top:2"))
    expected = first / first.std(axis=0, ddof=1)
    found = eatlas.transformed(SOURCE, "center,all-but-the-top:2,standardize")
    assert all_rows(found) == pytest.approx(expected, abs=EXACT)


def test_name_notes_and_fingerprint_say_what_was_done():
    source = eatlas.transformed(SOURCE, " All-but-the-top:2 ")
    assert source.name == "cloud?transform=all-but-the-top:2"
    assert str(source.notes[-1]) == (
        "Vectors transformed by all-but-the-top:2, fitted on 300 vectors of cloud."
    )
    assert source.fingerprint == (f"{SOURCE.fingerprint};transform=all-but-the-top:2;fitted_on=300")


def test_zeros_stay_zero_and_are_not_fitted_on():
    words, rows = [*WORDS, "gone"], np.vstack([ROWS, np.zeros(6)])
    source = eatlas.transformed((words, rows), "center")
    assert source.fingerprint.endswith("fitted_on=300")
    assert not source.lookup(["gone"])["gone"].any()
    assert not all_rows(source)[300].any()


def test_a_word_at_the_mean_becomes_zero_and_counts_as_missing():
    test = make_test()
    vectors = make_vectors(test)
    rest = [v for term, v in vectors.items() if term != "aster"]
    vectors["aster"] = np.mean(rest, axis=0)
    (result,) = eatlas.run(
        tests=test, vectors=eatlas.transformed(vectors, "center"), measures="weat"
    )
    assert result.coverage.X.missing == ("aster",)
    assert "is zero (norm 0)" in result.coverage.X.reasons["aster"]


def test_each_period_of_a_series_is_fitted_on_itself(tmp_path):
    decades = {
        1900: dict(zip("abc", np.eye(3), strict=True)),
        1910: dict(zip("abc", np.eye(3) + 1, strict=True)),
        1920: dict.fromkeys("abc", np.zeros(3)),
    }
    folder = write_histwords(tmp_path / "h", decades)
    sources = open_sources(f"{folder}?transform=center")
    assert [source.period for source in sources] == [1900, 1910, 1920]
    assert {source.name for source in sources} == {f"{folder}?transform=center"}
    assert all_rows(sources[0]) == pytest.approx(np.eye(3) - 1 / 3, abs=1e-6)
    assert all_rows(sources[1]) == pytest.approx(np.eye(3) - 1 / 3, abs=1e-6)
    assert [source.fit.mark for source in sources] == [f"fitted_on={n}" for n in (3, 3, 0)]
    one = eatlas.open_vectors(f"{folder}?period=1910&transform=center")
    assert one.period == 1910
