"""Items of any kind: an encoder of images is one class, and everything around it takes them."""

from pathlib import Path

import numpy as np
import pytest

from eatlas.encoders.cache import cached
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources import ArraySource, Found, Item, Snapshot, Source
from eatlas.sources.source import as_source


class Bytes(Source):
    """Counts of the bytes of a file."""

    name, dim, fingerprint = "bytes", 4, "bytes:1"
    encoding = Encoding(model="bytes", architecture="counts", level="sentence")
    kinds = frozenset(("image",))

    def __init__(self):
        self.asked = []

    def vectors(self, items):
        self.asked += items
        for one in items:
            data = Path(one.content).read_bytes()
            yield {one: Found(np.array([data.count(n) for n in range(4)], np.float32))}


@pytest.fixture
def images(tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.jpg").write_bytes(bytes([n, 3, n]))
    return [Item(str(tmp_path / f"{n}.jpg"), kind="image") for n in range(3)]


def test_an_image_is_encoded_kept_and_handed_to_another_process(images):
    snapshot = Snapshot.of(cached(Bytes()), images)
    assert [vector.tolist() for vector in snapshot.encode(images).values()] == [
        [2, 0, 0, 1],
        [0, 2, 0, 1],
        [0, 0, 2, 1],
    ]
    again = Bytes()
    assert cached(again).encode(images).keys() == set(images)
    assert not again.asked


def test_the_cache_knows_an_image_by_its_content(images, tmp_path):
    cached(Bytes()).encode(images)
    moved = Item(str((tmp_path / "0.jpg").rename(tmp_path / "moved.jpg")), kind="image")
    (tmp_path / "1.jpg").write_bytes(b"\x00\x00\x00")
    source = Bytes()
    given = cached(source).encode([moved, images[1]])
    assert source.asked == [images[1]]
    assert given[images[1]].tolist() == [3, 0, 0, 0]


def test_features_of_images_are_looked_up_by_name():
    source = as_source(ArraySource(["a.jpg", "ivy"], [[1.0, 0.0], [0.0, 1.0]]))
    items = [Item("a.jpg", kind="image"), Item("ivy", (0, 3))]
    assert [vector.tolist() for vector in source.encode(items).values()] == [[1, 0], [0, 1]]


def test_a_source_of_another_kind_says_so(images):
    with pytest.raises(SourceError) as caught:
        Bytes().lookup(["ivy"])
    assert str(caught.value) == (
        "bytes: this source cannot encode texts\n  got: ivy\n  allowed: images\n"
        "  remedy: a model of both, such as clip:openai/clip-vit-base-patch32"
    )


class Texts:
    """What another package may bring: no class of ours."""

    name, dim, fingerprint, notes = "texts", 1, "texts:1", ()

    def lookup(self, keys):
        return {key: np.array([len(key)]) for key in keys}


def test_what_another_package_brings_is_taken_as_it_is():
    source = as_source(Texts())
    assert source.lookup(["ivy"])["ivy"].tolist() == [3]
    assert (source.period, source.expected, source.notes) == (None, None, ())
