"""Thumbnails of images in a page: found by bytes, small, each once, escaped, left out."""

import base64
import hashlib
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
from eatlas.present import report_html, thumbnails
from eatlas.present.thumbnails import SIDE, Thumbnails, data_uri, located, paths_of_tests

URI = re.compile(r'href="(data:image/jpeg;base64,[^"]+)"')


def images_of(folder, names=("flowers", "insects"), count=4):
    """A test of image targets and texts, with vectors of both by name."""
    folders = [draw_folder(folder / name, count, seed) for seed, name in enumerate(names)]
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


def used(page):
    return set(re.findall(r'href="#(image-\d+)"', page))


def test_a_page_with_the_folder_of_its_images(measured, tmp_path):
    test, results = measured
    page = report_html(results, images=tmp_path / "set")
    assert symbols(page)
    assert len(symbols(page)) == len(set(symbols(page))) <= 8, "each once"
    assert used(page) == set(symbols(page)), "all that are defined are used, and the reverse"
    assert "img-src data:" in page
    for uri in URI.findall(page):
        small = Image.open(BytesIO(base64.b64decode(uri.partition(",")[2])))
        assert max(small.size) <= SIDE
        assert len(uri) < 4_000
    # in the map, in the list of what drives, in the plot of terms
    assert re.search(r'class="eat-map".*?<use [^>]*href="#image-', page, re.DOTALL)
    assert re.search(r'<svg class="thumbnail" role="img" aria-label="[^"]+, image of ', page)
    assert re.search(r'class="fig-term".*?<use [^>]*href="#image-', page, re.DOTALL)
    name = test.X.terms[0]
    assert f"{name}, image of Flowers" in page


def test_a_page_without_folders_has_none(measured):
    page = report_html(measured[1])
    assert not symbols(page)
    assert not used(page)
    assert "img-src" not in page
    assert report_html(measured[1], images=[]) == page


def test_files_are_known_by_their_bytes(measured, tmp_path):
    test, results = measured
    first = Path(test.X.images[0].path)
    moved = tmp_path / "elsewhere" / "deep"
    moved.mkdir(parents=True)
    first.rename(moved / first.name)
    found = located([tmp_path / "elsewhere"], results)
    assert found == {test.X.images[0].sha256: moved / first.name}
    (moved / first.name).write_bytes(first.with_name(Path(test.X.images[1].path).name).read_bytes())
    assert located([tmp_path / "elsewhere"], results) == {}
    # a path that was right when the test was loaded
    assert data_uri(moved / first.name, test.X.images[0].sha256) == ""


def test_a_file_that_is_not_there_has_no_thumbnail(measured, tmp_path):
    test, results = measured
    for image in test.X.images:
        Path(image.path).unlink()
    page = report_html(results, images=tmp_path / "set")
    assert ", image of Flowers" not in page
    assert ", image of Insects" in page


def test_pictures_are_upright_and_on_white(tmp_path):
    turned = Image.new("RGB", (80, 40), "red")
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.jpg", exif=exif)
    clear = Image.new("RGBA", (60, 60), (255, 0, 0, 0))
    clear.save(tmp_path / "clear.png")
    small = []
    for name in ("turned.jpg", "clear.png"):
        path = tmp_path / name
        uri = data_uri(path, hashlib.sha256(path.read_bytes()).hexdigest())
        small.append(Image.open(BytesIO(base64.b64decode(uri.partition(",")[2]))))
    assert small[0].size == (24, 48)
    assert min(small[1].getpixel((20, 20))) > 250


@pytest.mark.parametrize("content", [b"", b"no image", b"\xff\xd8\xff\xe0" + bytes(40)])
def test_what_is_no_image_has_no_thumbnail(tmp_path, content):
    path = tmp_path / "one.jpg"
    path.write_bytes(content)
    assert data_uri(path, hashlib.sha256(content).hexdigest()) == ""


def test_a_bomb_and_a_truncated_file_have_none(tmp_path, monkeypatch):
    path = tmp_path / "one.png"
    Image.new("RGB", (300, 300)).save(path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert data_uri(path, sha256)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000)
    assert data_uri(path, sha256) == ""
    monkeypatch.undo()
    half = path.read_bytes()[:120]
    path.write_bytes(half)
    assert data_uri(path, hashlib.sha256(half).hexdigest()) == ""
    monkeypatch.setattr(thumbnails, "LARGEST_FILE", 10)
    assert data_uri(path, hashlib.sha256(half).hexdigest()) == ""


def test_the_size_of_a_page_is_bounded(measured, tmp_path):
    test, results = measured
    made = Thumbnails(paths_of_tests([test]), most=5_000)
    find = made.of(results[0])
    found = [find(role, term) for role in "XY" for term in test.concept(role).terms]
    some = sum(one is not None for one in found)
    assert 0 < some < len(found)
    assert made.left_out == len(found) - some
    assert sum(map(len, URI.findall(made.symbols()))) <= 5_000


def test_names_are_escaped(tmp_path):
    folder = tmp_path / "set"
    test, _ = images_of(folder)
    bad = folder / "flowers" / '<b>"bold".png'
    Path(test.X.images[0].path).rename(bad)
    test, vectors = _again(folder)
    page = report_html(eatlas.run(test, vectors, "ml-eat(resamples=0)"), images=folder)
    assert "<b>&quot;bold" not in page
    assert '<b>"bold' not in page
    assert "&lt;b&gt;" in page


def _again(folder):
    test = AssociationTest(
        id="pictures",
        X=Concept(name="Flowers <i>", images=str(folder / "flowers")),
        Y=Concept(name="Insects", images=str(folder / "insects")),
        A=Concept(name="Pleasant", terms=("love", "peace", "joy")),
        B=Concept(name="Unpleasant", terms=("war", "agony", "filth")),
    )
    rng = np.random.default_rng(3)
    terms = [term for concept in test.concepts.values() for term in concept.terms]
    return test, {term: rng.standard_normal(12) for term in terms}


def test_folders_that_are_not_there(measured):
    with pytest.raises(ResultsError) as caught:
        report_html(measured[1], images="nowhere")
    assert caught.value.what == "nowhere: there is no such folder of images"
    with pytest.raises(ResultsError, match="this is not a folder of images"):
        report_html(measured[1], images=[3])


def test_images_without_pillow(measured, monkeypatch, tmp_path):
    test, results = measured
    monkeypatch.setitem(sys.modules, "PIL", None)
    thumbnails._has_pillow.cache_clear()
    try:
        assert not symbols(report_html(results, images=paths_of_tests([test])))
        with pytest.raises(ResultsError, match="thumbnails of images need Pillow"):
            report_html(results, images=tmp_path)
    finally:
        thumbnails._has_pillow.cache_clear()
