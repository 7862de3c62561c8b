"""Thumbnails of images in a page: found by bytes, small, each once, escaped, left out."""

import base64
import re
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.drawn import draw_folder

import eatlas
from eatlas import AssociationTest, Concept
from eatlas.errors import ResultsError
from eatlas.present import report_html
from eatlas.present.sections import THUMBNAIL, small_jpeg, thumbnails_of

URI = re.compile(r'href="(data:image/jpeg;base64,[^"]+)"')


def images_of(folder, *, drawn=True):
    """A test of image targets and texts, with vectors of both by name."""
    folders = [folder / name for name in ("flowers", "insects")]
    for seed, path in enumerate(folders if drawn else ()):
        draw_folder(path, 4, seed)
    test = AssociationTest(
        id="pictures",
        X=Concept(name="Flowers", images=str(folders[0])),
        Y=Concept(name="Insects", images=str(folders[1])),
        A=Concept(name="Pleasant", terms=("love", "peace", "joy")),
        B=Concept(name="Unpleasant", terms=("war", "agony", "filth")),
    )
    rng = np.random.default_rng(3)
    terms = [term for concept in test.concepts.values() for term in concept.terms]
    return test, {term: rng.standard_normal(12) for term in terms}


@pytest.fixture
def measured(tmp_path):
    test, vectors = images_of(tmp_path / "set")
    return test, eatlas.run(test, vectors, "ml-eat(resamples=0)")


def symbols(page):
    return re.findall(r'<symbol id="(image-\d+)"', page)


def test_a_page_with_the_folder_of_its_images(measured, tmp_path):
    test, results = measured
    page = report_html(results, images=tmp_path / "set")
    assert len(symbols(page)) == len(set(symbols(page))) == 8, "each once"
    assert set(re.findall(r'href="#(image-\d+)"', page)) == set(symbols(page))
    assert "img-src data:" in page
    for uri in URI.findall(page):
        small = Image.open(BytesIO(base64.b64decode(uri.partition(",")[2])))
        assert max(small.size) <= THUMBNAIL
        assert len(uri) < 4_000
    assert f"{test.X.terms[0]}, image of Flowers" in page


def test_files_are_known_by_their_bytes(measured, tmp_path):
    test, results = measured
    first = Path(test.X.images[0].path)
    moved = tmp_path / "elsewhere" / "deep"
    moved.mkdir(parents=True)
    first.rename(moved / first.name)
    assert list(thumbnails_of([tmp_path / "elsewhere"], results)) == [test.X.images[0].sha256]
    (moved / first.name).write_bytes(Path(test.X.images[1].path).read_bytes())
    assert thumbnails_of([tmp_path / "elsewhere"], results) == {}


def test_pictures_are_upright_and_on_white(tmp_path):
    turned = Image.new("RGB", (80, 40), "red")
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.jpg", exif=exif)
    Image.new("RGBA", (60, 60), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    upright, white = (
        Image.open(BytesIO(small_jpeg(path.read_bytes())))
        for path in (tmp_path / "turned.jpg", tmp_path / "clear.png")
    )
    assert upright.size == (24, 48)
    assert min(white.getpixel((20, 20))) > 250


def test_what_is_no_image_a_bomb_or_truncated_has_no_thumbnail(tmp_path, monkeypatch):
    path = tmp_path / "one.png"
    Image.new("RGB", (300, 300)).save(path)
    whole = path.read_bytes()
    for content in (b"", b"no image", b"\xff\xd8\xff\xe0" + bytes(40), whole[:120]):
        assert small_jpeg(content) == b""
    assert small_jpeg(whole)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000)
    assert small_jpeg(whole) == b""


def test_folders_that_are_not_there_and_images_without_pillow(measured, monkeypatch, tmp_path):
    _, results = measured
    with pytest.raises(ResultsError, match="nowhere: there is no such folder of images"):
        report_html(results, images="nowhere")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ResultsError, match="thumbnails of images need Pillow"):
        report_html(results, images=tmp_path)
