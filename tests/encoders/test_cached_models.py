"""Transformers with the cache, as a source string gives them."""

import pytest

import eatlas
from eatlas.encoders.cache import CachedSource
from eatlas.encoders.cache_store import contents
from eatlas.encoders.transformer import TransformerSource
from eatlas.sources import Item

TEXTS = [f"the {word} is here ." for word in ("rose", "ant", "cat", "dog")]
ASKED = [Item(text, (4, text.index(" is"))) for text in TEXTS]


@pytest.mark.parametrize("option", ["", "level=word", "layer=1&pool=mean"])
def test_the_same_bits_with_the_cache_without_it_and_from_it(model, option):
    def source(more):
        said = "&".join(filter(None, [option, more]))
        return eatlas.open_vectors(f"hf:{model('bert')}" + f"?{said}" * bool(said))

    bare, first, second = source("cache=no"), source(""), source("cache=yes")
    assert isinstance(bare, TransformerSource)
    assert isinstance(first, CachedSource)
    assert bare.name == first.name == second.name
    assert bare.fingerprint == first.fingerprint
    given = [one.encode(ASKED) for one in (bare, first, second)]
    for passage in ASKED:
        assert len({answer[passage].tobytes() for answer in given}) == 1
    assert sum(model.vectors for model in contents().models) == len(ASKED)


def test_texts_that_were_cut_are_named_from_the_cache_too(model):
    long = Item("rose " * 3000, None)
    notes = []
    for _ in range(2):
        source = eatlas.open_vectors(f"hf:{model('bert')}?truncate=yes")
        source.encode([long, ASKED[0]])
        notes.append(source.notes)
    assert notes[0] == notes[1]
    assert "1 texts were too long for the model and were cut" in str(notes[1][0])
