"""The bundled sample of GloVe: whole, small, documented, and enough for the Caliskan tests."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib import resources

import numpy as np
import pytest
from safetensors.numpy import load

FILES = (
    "glove-sample.safetensors",
    "glove-sample.vocab.txt",
    "glove-sample.json",
    "LICENSE-PDDL-1.0.txt",
)
GLOVE_LACKS = {"weat-1": {"X": ["gladiola"]}}  # GloVe 6B has no such word among its 400,000


def read(name):
    return (resources.files("eatlas.sources") / "data" / name).read_bytes()


@pytest.fixture(scope="module")
def words():
    lines = read("glove-sample.vocab.txt").decode("utf-8").split("\n")
    assert lines[-1] == "", "the last line ends with a line break"
    return lines[:-1]


@pytest.fixture(scope="module")
def vectors():
    return load(read("glove-sample.safetensors"))["vectors"]


@pytest.fixture(scope="module")
def facts():
    return json.loads(read("glove-sample.json"))


@pytest.fixture(scope="module")
def caliskan():
    data = resources.files("eatlas.stimuli") / "data" / "caliskan.toml"
    return tomllib.loads(data.read_text(encoding="utf-8"))["test"]


@pytest.mark.parametrize("name", FILES[:2])
def test_files_have_the_recorded_hash(facts, name):
    assert hashlib.sha256(read(name)).hexdigest() == facts["sha256"]["output"][name]


def test_the_first_words_stand_in_the_order_of_glove(words):
    assert words[:10] == ["the", ",", ".", "of", "to", "and", "in", '"', "for", "-"]


def test_numbers_are_those_of_glove_6b(words, vectors):
    """The line of "the" in glove.6B.100d.txt begins with these five numbers."""
    expected = np.array([-0.038194, -0.24487, 0.72812, -0.39961, 0.083172], dtype=np.float32)
    np.testing.assert_array_equal(vectors[words.index("the")][:5], expected)


def test_neighbours_of_king_are_those_of_glove_6b(words, vectors):
    """GloVe 6B, 100 dimensions, has these neighbours among all its 400,000 words."""
    unit = vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    similarity = unit @ unit[words.index("king")]
    order = np.argsort(-similarity)[:6]
    expected = {
        "king": 1.0, "prince": 0.7682, "queen": 0.7508, "son": 0.7021,
        "brother": 0.6986, "monarch": 0.6978,
    }  # fmt: skip
    assert [words[row] for row in order] == list(expected)
    # Published with four decimals.
    np.testing.assert_allclose(similarity[order], list(expected.values()), atol=5e-5)


def test_every_caliskan_term_but_one_has_a_vector(words, caliskan):
    known = set(words)
    missing, terms = {}, 0
    for test in caliskan:
        for role in "XYAB":
            terms += len(test[role]["terms"])
            lacking = [term for term in test[role]["terms"] if term.lower() not in known]
            if lacking:
                missing.setdefault(test["id"], {})[role] = lacking
    assert terms == 598
    assert missing == GLOVE_LACKS
