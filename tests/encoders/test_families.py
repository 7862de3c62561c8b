"""Every family, vector by vector, against a plain loop over transformers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.encoders.slow_loop import SlowLoop

import eatlas
from eatlas.sources import Item

CLOSE = 2e-5
"""Of the largest component. Worst difference seen from the loop without padding, on any family:
2.5e-6, single precision."""


def place(text: str, stimulus: str, which: int = 0) -> Item:
    starts = [i for i in range(len(text)) if text.startswith(stimulus, i)]
    return Item(text, (starts[which], starts[which] + len(stimulus)))


PASSAGES = (
    place("This is an aster.", "aster"),
    place("These are asters.", "asters"),
    place("orchids are there.", "orchids"),
    place("That is New York City.", "New York City"),
    place("The wasp is a wasp, isn't it?", "wasp", 0),
    place("The wasp is a wasp, isn't it?", "wasp", 1),
    place("A naïve café is there; the centipede's café is here.", "café", 1),
    place("Ann's hyacinth", "Ann"),
    place("ivy", "ivy"),
    place("bluebell", "bluebell"),
)
CASES = [
    ("bert", "sentence", "cls"),
    ("bert", "sentence", "mean"),
    ("bert", "word", "mean"),
    ("gpt2", "sentence", "last"),
    ("gpt2", "sentence", "max"),
    ("gpt2", "word", "first"),
    ("t5", "sentence", "mean"),
]
DEFAULTS = {"bert": ("cls", "mean"), "t5": ("mean-words", "mean"), "gpt2": ("last", "last")}


@pytest.fixture(scope="module")
def loop(model):
    return cache(lambda family: SlowLoop.of(model(family), family))


def far(one, other):
    return np.abs(one - other).max() / np.abs(other).max()


def check(source, loop, passages=PASSAGES, **asked):
    given = source.encode(passages)
    assert given.keys() == set(passages)
    for one in passages:
        expected = loop.vector(one, **asked)
        assert given[one].dtype == np.float32
        assert far(given[one], expected) < CLOSE, one


@pytest.mark.parametrize(("family", "level", "how"), CASES)
def test_vectors_are_those_of_the_plain_loop(family, level, how, model, loop):
    option = "pool" if level == "sentence" else "subword"
    value = "mean-words" if (option, how) == ("pool", "mean") else how
    source = eatlas.open_vectors(f"hf:{model(family)}?level={level}&{option}={value}")
    assert source.dim == 16
    check(source, loop(family), level=level, how=how)


@pytest.mark.parametrize(
    ("layer", "numbers", "combine"),
    [("0", (0,), np.mean), ("-2..-1", (2, 3), np.mean), ("1,3", (1, 3), np.mean)],
)
@pytest.mark.parametrize("family", ["bert", "gpt2"])  # below, so that a model is loaded once
def test_layers(family, layer, numbers, combine, model, loop):
    source = eatlas.open_vectors(f"hf:{model(family)}?level=word&subword=mean&layer={layer}")
    asked = {"level": "word", "how": "mean", "layers": numbers, "combine": combine}
    check(source, loop(family), PASSAGES[:5], **asked)


@pytest.mark.parametrize("family", DEFAULTS)
def test_defaults_are_the_papers(family, model):
    pool, subword = DEFAULTS[family]
    by_text = eatlas.open_vectors(f"hf:{model(family)}").encoding
    assert (by_text.level, by_text.pool, by_text.subword) == ("sentence", pool, "")
    assert (by_text.layer, by_text.layers) == ("3", 3)
    by_word = eatlas.open_vectors(f"hf:{model(family)}?level=word").encoding
    assert (by_word.level, by_word.pool, by_word.subword) == ("word", "", subword)
