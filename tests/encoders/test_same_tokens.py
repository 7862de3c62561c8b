"""Texts that become the same tokens are computed once, and words that are unknown are named."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.encoders import transformer
from eatlas.sources import Item, Snapshot
from eatlas.sources.coverage import embed, items_to_request

ANIMALS = ["🐶", "🐱", "🐭", "🐹", "🐰", "🦊", "🐻", "🐼"]
GOOD = ["joy", "love", "peace", "wonderful", "pleasure", "friend", "laughter", "happy"]
BAD = ["agony", "terrible", "horrible", "nasty", "evil", "war", "awful", "failure"]


def emoji(other):
    groups = {"X": ANIMALS, "Y": other, "A": GOOD, "B": BAD}
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(id="emoji", **concepts)


@pytest.fixture
def rounding(monkeypatch):
    """A processor on which the last bits of a vector depend on the batch, as on many."""
    real, batches = transformer.pool_batch, []

    def rounded(*given):
        batches.append([ids for (ids, _), _ in given[-1]])
        r = np.random.default_rng(len(batches))
        arrays = real(*given)
        return [(a * (1 + 2.0**-23 * r.uniform(-1, 1, a.shape))).astype(np.float32) for a in arrays]

    monkeypatch.setattr(transformer, "pool_batch", rounded)
    return batches


@pytest.mark.parametrize("option", ["", "level=word", "layer=1", "cache=no", "pool=max"])
def test_the_same_tokens_are_computed_once(tmp_path, rounding, option):
    source = eatlas.open_vectors(f"hf:{make_model(tmp_path, 'bert')}?{option}")
    texts = ["wasp ☃ ☃", "wasp ☂ ☃", "wasp ☃ ☂", "ivy is here", "ivy  is  here"]
    one, *_ = given = source.encode([Item(text, (0, 3)) for text in texts])
    vectors = [given[Item(text, (0, 3))].tobytes() for text in texts]
    assert vectors[0] == vectors[1] == vectors[2] != vectors[3] == vectors[4]
    assert one.span == (0, 3)
    computed = [ids for batch in rounding for ids in batch]
    assert len(computed) == len(set(computed)) == 2


def test_words_that_are_known_in_part_are_named(tmp_path):
    test = emoji(["ivy", "ivy ☃", "iris", "love", "ant", "peace", "war", "☃"])
    source = eatlas.open_vectors(f"hf:{make_model(tmp_path, 'bert')}?level=word&cache=no")
    kept = Snapshot.of(source, items_to_request(source, [test], [], "auto"))
    for asked in (source, kept):
        notes = [note for note in map(str, embed(test, asked).notes) if "nknown to the tok" in note]
        whole, part = notes
        assert "☃ (Y)" in whole
        assert "🐶" in whole
        assert part == (
            "Partly unknown to the tokenizer; the model does not see these parts: ivy ☃ (Y)."
        )
