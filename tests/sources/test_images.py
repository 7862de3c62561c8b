"""Images in sources: precomputed vectors by path or name, and models that see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.drawn import concept_of, draw_folder
from tests.tiny_vision import make_towers

import eatlas
from eatlas import AssociationTest, Concept, read_results
from eatlas.engine.verify import verify
from eatlas.errors import SourceError
from eatlas.sources import embed, open_vectors

PLEASANT = Concept(name="Pleasant", terms=("love", "peace", "joy"))
UNPLEASANT = Concept(name="Unpleasant", terms=("war", "agony", "hatred"))


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("flowers", "insects")):
        draw_folder(tmp_path / "set" / name, 4, seed)
    return tmp_path / "set"


@pytest.fixture
def test(folder):
    x, y = (concept_of(folder / name) for name in ("flowers", "insects"))
    return AssociationTest(id="drawn", X=x, Y=y, A=PLEASANT, B=UNPLEASANT)


def vectors_for(test, key):
    rng = np.random.default_rng(3)
    images = [(role, image) for role in "XY" for image in test.concept(role).images]
    words = [*PLEASANT.terms, *UNPLEASANT.terms]
    found = {key(role, Path(image.path)): rng.normal(size=5) for role, image in images}
    return found | {word: rng.normal(size=5) for word in words}


def by_path(_, path):
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize(
    "key",
    [
        by_path,
        lambda _, path: f"set/{path.parent.name}/{path.name}",
        lambda _, path: path.as_posix().lstrip("/"),
    ],
)
def test_every_way_to_name_an_image_finds_the_same_vectors(test, key):
    one = embed(test, open_vectors(vectors_for(test, by_path)))
    other = embed(test, open_vectors(vectors_for(test, key)))
    assert one.sha256 == other.sha256
    assert len(other.coverage.X.used) == 4


def test_a_key_that_two_images_would_have_is_refused(test):
    given = vectors_for(test, lambda _, path: path.name)
    with pytest.raises(SourceError) as caught:
        embed(test, open_vectors(given))
    assert "one vector, '0.png', for two stimuli" in str(caught.value)
    assert "flowers/0.png (X) and insects/0.png (Y)" in str(caught.value)


def test_a_result_needs_no_images_and_is_verified_from_its_file(test, folder, tmp_path):
    lines = [",".join([key, *map(str, row)]) for key, row in vectors_for(test, by_path).items()]
    path = tmp_path / "vectors.csv"
    path.write_text("\n".join(lines))
    results = eatlas.run(tests=test, vectors=str(path), measures=["ml-eat", "sc-eat"])
    results.save(tmp_path / "results.jsonl")
    for image in (*test.X.images, *test.Y.images):
        Path(image.path).unlink()
    kept = read_results(tmp_path / "results.jsonl")
    record = kept[0].to_dict()
    assert record["coverage"]["X"]["used"] == list(test.X.terms)
    assert record["coverage"]["X"]["image"] == test.X.image_of
    assert record["provenance"]["stimuli_sha256"] == test.stimuli_sha256
    assert str(folder) not in (tmp_path / "results.jsonl").read_text()
    assert [one.status for one in verify(kept)] == ["same", "same"]


# --- a model that sees ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return f"clip:{make_towers(tmp_path_factory.mktemp('clip'), 'clip')}"


def test_images_and_words_run_together_and_are_verified_by_their_test(test, clip, tmp_path):
    results = eatlas.run(tests=test, vectors=clip, measures="ml-eat(resamples=0,frequency=off)")
    assert results[0].coverage.X.used == test.X.terms
    assert verify(results, tests=test, trust=clip)[0].status == "same"
    (alone,) = verify(results, trust=clip)
    assert alone.status == "not repeated"
    assert "flowers/0.png was not found" in alone.details[0]
