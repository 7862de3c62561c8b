"""What a test file says of images: files, patterns, folders, tables, addresses and sets."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.drawn import draw, draw_folder

from eatlas import load_tests
from eatlas.errors import StimulusError, StimulusWarning
from eatlas.stimuli import to_toml

WORDS = """
A = { name = "Pleasant", terms = ["love", "peace"] }
B = { name = "Unpleasant", terms = ["war", "agony"] }
"""


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("flowers", "insects")):
        draw_folder(tmp_path / "set" / name, 3, seed)
    return tmp_path / "set"


def write(folder: Path, x: str, y: str = '"insects"', more: str = "") -> Path:
    path = folder / "mine.toml"
    path.write_text(
        f'schema = 1\n[[test]]\nid = "mine"\nX = {{ name = "Flowers", images = {x}{more} }}\n'
        f'Y = {{ name = "Insects", images = {y} }}\n{WORDS}'
    )
    return path


@pytest.mark.parametrize(
    "given",
    [
        '"flowers"', '"flowers/"', '"flowers/*.png"', '"flowers/[0-9].png"',
        '["flowers/2.png", "flowers/0.png", "flowers/1.png"]', '["flowers/2.png", "flowers/?.png"]',
        '[{ path = "flowers/2.png" }, "flowers/0.png", "flowers/1.png"]',
    ],
)  # fmt: skip
def test_all_forms_name_the_same_images(folder, given):
    (test,) = load_tests(write(folder, given))
    (plain,) = load_tests(write(folder, '"flowers"'))
    assert test == plain
    assert test.stimuli_sha256 == plain.stimuli_sha256
    assert test.X.terms == ("flowers/0.png", "flowers/1.png", "flowers/2.png")


def test_only_two_asterisks_enter_folders(folder):
    draw(folder / "flowers" / "red" / "0.png", 77)
    draw(folder / "flowers" / "red" / ".hidden.png", 78)
    (flat,) = load_tests(write(folder, '"flowers/*"'))
    (deep,) = load_tests(write(folder, '"flowers/**/*.png"'))
    (all_,) = load_tests(write(folder, '"flowers/**"'))
    assert len(flat.X.images) == 3
    assert deep == all_
    assert "red/0.png" in deep.X.terms
    assert len(deep.X.images) == 4


@pytest.mark.filterwarnings("ignore::eatlas.errors.StimulusWarning")
def test_a_file_that_is_written_holds_the_same_test(folder, tmp_path):
    shutil.copy(folder / "flowers" / "1.png", folder / "flowers" / "copy.png")
    (test,) = load_tests(write(folder, '"flowers/*.png"'))
    test.save(folder / "saved.toml")
    (again,) = load_tests(folder / "saved.toml")
    assert again == test
    assert again.stimuli_sha256 == test.stimuli_sha256
    assert 'path = "flowers/0.png"' in (folder / "saved.toml").read_text()
    elsewhere = tmp_path / "elsewhere.toml"
    elsewhere.write_text(to_toml([test]))
    assert load_tests(elsewhere) == (test,)
    assert str(folder) in elsewhere.read_text()


def test_a_file_that_changed_since_it_was_written_down_is_noticed(folder):
    (test,) = load_tests(write(folder, '"flowers"'))
    test.save(folder / "saved.toml")
    draw(folder / "flowers" / "0.png", 99)
    with pytest.raises(StimulusError, match=r"0\.png is another image than the one that is meant"):
        load_tests(folder / "saved.toml")


def test_images_of_the_same_bytes_count_once_and_are_accounted_for(folder):
    shutil.copy(folder / "flowers" / "1.png", folder / "flowers" / "copy.png")
    with pytest.warns(StimulusWarning, match=r"because one image is one stimulus: copy\.png of 1"):
        (test,) = load_tests(write(folder, '"flowers"'))
    assert len(test.X.images) == 3
    assert test.X.absent == (("copy.png", "the same bytes as 1.png"),)
    shutil.rmtree(folder / "flowers")
    draw_folder(folder / "flowers", 3, 0)
    assert load_tests(write(folder, '"flowers"'))[0].stimuli_sha256 == test.stimuli_sha256


def test_other_files_of_a_folder_are_left_out_and_named(folder):
    (folder / "flowers" / "notes.txt").write_text("where they are from")
    (folder / "flowers" / ".DS_Store").write_bytes(b"\0")
    with pytest.warns(StimulusWarning, match=r"left out: notes\.txt\.$"):
        (test,) = load_tests(write(folder, '"flowers"'))
    assert len(test.X.images) == 3
