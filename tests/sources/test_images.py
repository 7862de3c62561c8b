"""Images in sources: precomputed vectors by path or name, and models that see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.drawn import concept_of, draw, draw_folder
from tests.tiny_vision import make_towers

import eatlas
from eatlas import AssociationTest, Concept, read_results
from eatlas.engine.plan import make_plan
from eatlas.engine.verify import verify
from eatlas.errors import CoverageError, SourceError, StimulusError
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
        lambda _, path: f"{path.parent.name}/{path.stem}",
    ],
)
def test_every_way_to_name_an_image_finds_the_same_vectors(test, key):
    one = embed(test, open_vectors(vectors_for(test, by_path)))
    other = embed(test, open_vectors(vectors_for(test, key)))
    assert one.sha256 == other.sha256
    assert len(other.coverage.X.used) == 4


def test_the_case_rule_is_not_for_images(test):
    given = vectors_for(test, lambda _, path: by_path(_, path).upper())
    found = embed(test, open_vectors(given))
    assert found.coverage.X.missing == test.X.terms
    assert found.coverage.X.reasons["flowers/0.png"] == "not in dict"


def test_a_key_that_two_images_would_have_is_refused(test):
    given = vectors_for(test, lambda _, path: path.name)
    with pytest.raises(SourceError) as caught:
        embed(test, open_vectors(given))
    assert "one vector, '0.png', for two stimuli" in str(caught.value)
    assert "flowers/0.png (X) and insects/0.png (Y)" in str(caught.value)


def test_a_word_is_not_taken_for_an_image_nor_an_image_for_a_word(folder, tmp_path):
    love = draw(tmp_path / "love.png", 9)
    x = Concept(name="Flowers", images=[love, folder / "flowers" / "0.png"])
    test = AssociationTest(
        id="love", X=x, Y=concept_of(folder / "insects"), A=PLEASANT, B=UNPLEASANT
    )
    given = {**vectors_for(test, by_path), "love": np.ones(5)}
    del given[f"{tmp_path.name}/love.png"]
    with pytest.raises(
        SourceError, match=r"'love', for two stimuli\n  got: love\.png \(X\) and lo"
    ):
        embed(test, open_vectors(given))


def test_vectors_of_words_are_none_of_images(folder):
    draw(folder / "flowers" / "dog.png", 9)
    x, y = (concept_of(folder / name) for name in ("flowers", "insects"))
    test = AssociationTest(id="words", X=x, Y=y, A=PLEASANT, B=UNPLEASANT)
    source = open_vectors("glove-sample")
    assert embed(test, source).coverage.X.used == ()
    with pytest.raises(CoverageError, match=r"remedy: use a model that encodes images"):
        eatlas.run(tests=test, vectors="glove-sample")


def test_images_found_without_their_extension_are_named(test):
    given = vectors_for(test, lambda _, path: f"{path.parent.name}/{path.stem}")
    notes = tuple(map(str, embed(test, open_vectors(given)).notes))
    assert any(
        note.startswith("X: images found by names without extension: flowers/0.png as flowers/0,")
        for note in notes
    )


def test_pictures_that_a_source_does_not_tell_apart_are_remarked(test):
    given = vectors_for(test, by_path)
    given["flowers/1.png"] = given["flowers/0.png"]
    notes = tuple(map(str, embed(test, open_vectors(given)).notes))
    assert (
        "flowers/0.png (X) and flowers/1.png (X) have one vector of 2 images: the source does not "
        "distinguish them."
    ) in notes


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


def test_names_and_places_decide_no_number(test, folder, tmp_path):
    """Files in another folder, under names in another order: the same p, intervals and draws."""
    first = eatlas.run(tests=test, vectors=vectors_for(test, by_path), measures="ml-eat")[0]
    places = {}
    for role in "XY":
        for number, image in enumerate(test.concept(role).images):
            place = tmp_path / "moved" / role / f"{9 - number} photo.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            Path(image.path).rename(place)
            places[image.sha256] = place
    moved = test.model_copy(
        update={role: Concept(name="Moved", images=tmp_path / "moved" / role) for role in "XY"}
    )
    named = vectors_for(test, by_path)
    given = {
        by_path(role, places[image.sha256]): named[image.name]
        for role in "XY"
        for image in test.concept(role).images
    } | {word: named[word] for word in (*PLEASANT.terms, *UNPLEASANT.terms)}
    second = eatlas.run(tests=moved, vectors=given, measures="ml-eat")[0]
    assert moved.stimuli_sha256 == test.stimuli_sha256
    for part in ("level1", "level2", "level3"):
        assert first.to_dict()[part] == second.to_dict()[part]


def test_a_job_is_known_by_what_images_are_and_not_by_where_they_lie(test, tmp_path):
    given = vectors_for(test, by_path)
    before = make_plan(test, given, "weat").identities()
    moved = Path(test.X.images[0].path).parents[1].rename(tmp_path / "moved")
    x, y = (concept_of(moved / name) for name in ("flowers", "insects"))
    after = test.model_copy(update={"X": x, "Y": y})
    assert after.X.images[0].path != test.X.images[0].path
    assert make_plan(after, given, "weat").identities() == before
    draw(moved / "flowers" / "0.png", 50)
    changed = test.model_copy(update={"X": concept_of(moved / "flowers"), "Y": y})
    assert make_plan(changed, given, "weat").identities() != before


# --- a model that sees ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return f"clip:{make_towers(tmp_path_factory.mktemp('clip'), 'clip')}"


def test_images_and_words_run_together_and_are_verified_by_their_test(test, clip, tmp_path):
    results = eatlas.run(tests=test, vectors=clip, measures="ml-eat")
    assert results[0].coverage.X.used == test.X.terms
    assert verify(results, tests=test, trust=clip)[0].status == "same"
    (alone,) = verify(results, trust=clip)
    assert alone.status == "not repeated"
    assert "flowers/0.png was not found" in alone.details[0]


def test_a_model_of_texts_given_images_says_so(test, tmp_path):
    from tests.tiny_models import make_model

    model = f"hf:{make_model(tmp_path / 'bert', 'bert')}"
    with pytest.raises(SourceError, match=r"takes no images\n  got: flowers/0\.png"):
        eatlas.run(tests=test, vectors=model)


def test_no_sentences_are_made_of_images(test):
    from eatlas.stimuli.sentences import sentence_tests

    with pytest.raises(StimulusError, match=r"or of images"):
        sentence_tests([test])
