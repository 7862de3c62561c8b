"""Ties of vectors that a model computed are judged by their precision, and those of files are not."""

from __future__ import annotations

import numpy as np
import pytest

import eatlas
from eatlas.encoders.functions import FunctionSource
from eatlas.errors import UndefinedWarning

TERMS = {
    "X": "rose lily iris tulip aster poppy",
    "Y": "wasp flea moth gnat tick louse",
    "A": "joy love peace luck",
    "B": "war pain filth grief",
}
TEST = eatlas.AssociationTest(
    id="rounded",
    **{role: eatlas.Concept(name=role, terms=terms.split()) for role, terms in TERMS.items()},
)
NOISE = 2.0**-26
"""Of components, which are below 1."""


def vectors(noise: float, dtype: type, seed: int = 0) -> dict[str, np.ndarray]:
    """Targets that are one of three vectors, but for rounding."""
    r, rounding = np.random.default_rng(0), np.random.default_rng(seed)
    few = r.normal(size=(3, 20))
    words = [word for terms in TERMS.values() for word in terms.split()]
    found = {"word": np.ones(20, dtype)}  # which a source is asked for its length
    for i, word in enumerate(words):
        row = few[r.integers(3)] if i < 12 else r.normal(size=20)
        row = row / np.linalg.norm(row)
        found[word] = (row + rounding.uniform(-noise, noise, 20)).astype(dtype)
    return found


def encoder(found):
    return FunctionSource(lambda texts: np.stack([found[text] for text in texts]), "mine", "1")


@pytest.fixture
def exact():
    return eatlas.WEAT(resamples=0)(TEST, vectors(0.0, np.float64))


def test_counts_of_an_encoder_do_not_depend_on_its_rounding(exact):
    counts = set()
    for seed in range(3):
        found = vectors(NOISE, np.float32, seed)
        result = eatlas.WEAT(resamples=0)(TEST, encoder(found))
        assert result.encoding.roundoff == 2.0**-24
        assert result.level1.p.count == exact.level1.p.count
        counts.add(eatlas.WEAT(resamples=0)(TEST, found).level1.p.count.greater)
    # the same numbers, looked up, are data to the last bit
    assert len(counts) > 1
    assert max(counts) < exact.level1.p.count.greater


def test_most_resamples_of_scores_that_differ_by_rounding_alone_have_no_effect_size():
    found = vectors(0.0, np.float32)
    r = np.random.default_rng(7)
    for word in [*TERMS["X"].split(), *TERMS["Y"].split()]:
        found[word] = found["rose"] * (1 + r.uniform(-0.2, 0.2, 20) * 2.0**-24)
        found[word] = found[word].astype(np.float32)
    found["lily"] = np.nextafter(found["rose"], np.float32(2))  # another vector, by last bits
    with pytest.warns(UndefinedWarning, match="its scores do not differ"):
        result = eatlas.WEAT(resamples=2000)(TEST, encoder(found))
    assert result.level1.effect_size is None
    looked_up = eatlas.WEAT(resamples=2000)(TEST, found)
    assert looked_up.level1.effect_size is not None
    undefined = [one.uncertainty.level1.undefined for one in (result, looked_up)]
    # with other attributes the same rounding may be a little larger than what counts as none
    assert undefined[0] > 0.8 * result.uncertainty.resamples > undefined[1]
