"""Images as stimuli: known by their bytes, called by the shortest names that tell them apart."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.drawn import concept_of, draw, draw_folder

from eatlas import AssociationTest, Concept, GroupsTest
from eatlas.errors import StimulusError
from eatlas.stimuli.images import name_files


def make(folder: Path, **concepts: Concept) -> AssociationTest:
    parts = {
        "X": concept_of(folder / "flowers"),
        "Y": concept_of(folder / "insects"),
        "A": Concept(name="Pleasant", terms=("love", "peace")),
        "B": Concept(name="Unpleasant", terms=("war", "agony")),
    }
    return AssociationTest(id="drawn", **{**parts, **concepts})


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("flowers", "insects")):
        draw_folder(tmp_path / "set" / name, 3, seed)
    return tmp_path / "set"


def test_a_folder_that_is_moved_and_renamed_files_leave_the_hash(folder, tmp_path):
    before = make(folder)
    moved = Path(shutil.move(folder, tmp_path / "moved"))
    for path in sorted((moved / "flowers").iterdir()):
        path.rename(path.with_name(f"rose {path.name}"))
    after = make(moved)
    assert after.stimuli_sha256 == before.stimuli_sha256
    assert after.X.terms != before.X.terms


def test_one_name_in_two_groups_becomes_two(folder):
    test = make(folder)
    assert test.X.terms == ("flowers/0.png", "flowers/1.png", "flowers/2.png")
    assert test.Y.terms == ("insects/0.png", "insects/1.png", "insects/2.png")
    assert test.model_copy(update={"id": "other"}).X == test.X
    assert pickle.loads(pickle.dumps(test)) == test  # noqa: S301  (our own bytes)


def test_an_image_and_a_text_of_one_name_are_not_confused(folder):
    love = draw(folder / "others.png", 5).rename(folder / "love")
    test = make(folder, X=Concept(name="Flowers", images=[love, folder / "flowers" / "1.png"]))
    assert test.X.terms == ("flowers/1.png", "set/love")
    assert test.A.terms == ("love", "peace")
    # the hash of a picture as a word is no picture
    words = Concept(name="Flowers", terms=tuple(test.X.image_of.values()))
    assert make(folder, X=words).stimuli_sha256 != test.stimuli_sha256


def test_one_picture_in_both_targets_is_refused(folder):
    shutil.copy(folder / "flowers" / "1.png", folder / "insects" / "bee.png")
    with pytest.raises(StimulusError, match=r"the term .*bee.png. is on both sides"):
        make(folder)


def test_groups_of_images_are_told_apart_too(folder):
    test = GroupsTest(
        id="groups",
        targets=Concept(name="Pleasant", terms=("love", "peace")),
        groups=[concept_of(folder / "flowers"), concept_of(folder / "insects")],
        reference="uniform",
    )
    assert test.groups[0].terms[0] == "flowers/0.png"
    moved = test.model_copy(update={"groups": test.groups[::-1]})
    assert moved.stimuli_sha256 != test.stimuli_sha256


@given(st.permutations([f"{a}/{b}/{c}.png" for a in "st" for b in "uv" for c in "12"]))
def test_names_tell_files_apart_in_whatever_order(paths):
    names = name_files([Path(one) for one in paths])
    assert len(set(names.values())) == len(paths)
    assert {path.as_posix(): name for path, name in names.items()} == {
        one: one
        for one in paths  # two folders of each name, so nothing shorter does
    }
