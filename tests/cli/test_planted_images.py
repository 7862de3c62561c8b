"""From folders of images to a result: an association that a model was trained on, and none."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.tiny_vision import draw_shape, train_towers

import eatlas

WORDS = {
    "red": ("love", "peace", "bluebell", "iris", "ivy", "hyacinth", "aster", "orchid"),
    "blue": ("hatred", "war", "wasp", "centipede", "people", "city", "york", "cafe"),
}
TOML = """\
schema = 1
[[test]]
id = "shapes"
title = "Red and blue shapes, two lists of words"
X = {{ name = "Red", images = "red/*.png" }}
Y = {{ name = "Blue", images = "blue/*.png" }}
A = {{ name = "First", terms = {A} }}
B = {{ name = "Second", terms = {B} }}
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """Images to train on, others to test with in a folder for each concept, and a test file."""
    folder, rng = tmp_path_factory.mktemp("studio"), np.random.default_rng(5)
    (folder / "training").mkdir()
    for colour in WORDS:
        (folder / colour).mkdir()
        for number in range(12):
            draw_shape(folder / colour / f"{number}.png", colour, rng)
        for number in range(96):
            draw_shape(folder / "training" / f"{colour}-{number}.png", colour, rng)
    text = TOML.format(A=json.dumps(WORDS["red"]), B=json.dumps(WORDS["blue"]))
    (folder / "shapes.toml").write_text(text)
    return folder


def trained(studio, *, planted):
    """A model that saw red shapes with words of the first list, or each word with either colour."""
    every = [one for some in WORDS.values() for one in some]
    pairs = [
        (path, words[number % len(words)])
        for colour in WORDS
        for words in [WORDS[colour] if planted else every]
        for number, path in enumerate(sorted((studio / "training").glob(f"{colour}-*.png")))
    ]
    return train_towers(studio / ("planted" if planted else "nothing"), pairs)


@pytest.fixture
def run(studio, eatlas_cli):
    """Run the command line, as a user does, and read its result."""

    def call(source, out):
        ended = eatlas_cli(
            "run", "--tests", studio / "shapes.toml", "--vectors", source, "--out", out
        )
        assert not ended.code, ended.err
        (result,) = eatlas.read_results(out / "results.jsonl")
        return result

    return call


@pytest.fixture(scope="module")
def planted(studio):
    return trained(studio, planted=True)


@pytest.mark.slow
def test_an_association_that_was_planted_is_found(run, planted, tmp_path):
    result = run(f"clip:{planted}", tmp_path)
    assert result.pattern.label == "AB-Divergent"
    assert result.pattern.two_sided_label == "AB-Divergent"
    assert result.level1.effect_size > 1.5
    assert result.level1.p.two_sided < 1e-4
    assert result.level2.X.effect_size > 1 > -1 > result.level2.Y.effect_size
    assert sorted(result.coverage.X.used) == sorted(f"red/{n}.png" for n in range(12))
    assert result.encoding.images.processor == "CLIPImageProcessor"
    assert not (tmp_path / "report.html").read_text().count("NaN")
