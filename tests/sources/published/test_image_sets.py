"""A set of images from an archive of a repository: fetched, unpacked safely, found by tests."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from tests.drawn import draw_set, features_of
from tests.sources.published.serving import register

import eatlas
from eatlas import fetch_vectors, load_tests
from eatlas.errors import SourceError, StimulusError
from eatlas.stimuli.images import image_sets

SETS = (
    {"name": "drawn", "title": "images", "kind": "images", "folder": "data/experiments"},
    {"name": "drawn-features", "title": "features", "kind": "tables", "folder": "embeddings"},
)


def archive_of(root: Path, more: dict[str, bytes] | None = None) -> bytes:
    """A zip as hosts of repositories make it: all in a folder of its own."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.write(path, f"ieat-f13edea/{path.relative_to(root).as_posix()}")
        for name, data in (more or {}).items():
            archive.writestr(name, data)
    return kept.getvalue()


@pytest.fixture
def root(tmp_path):
    draw_set(tmp_path / "repository" / "data" / "experiments")
    features_of(tmp_path / "repository" / "data" / "experiments", "igpt_l_32")
    shutil.move(tmp_path / "repository" / "data" / "embeddings", tmp_path / "repository")
    return tmp_path / "repository"


def test_what_is_fetched_is_what_tests_find(root, publisher, data):
    others = {"ieat-f13edea/README.md": b"text", "ieat-f13edea/data/other/a.jpg": b"image"}
    publisher.files["ieat.zip"] = archive_of(root, others)
    register(data, publisher.url, "ieat.zip", *SETS)
    place = fetch_vectors("drawn")
    files = [path for path in place.rglob("*") if path.is_file()]
    assert len(files) == sum(min(4, n) for n in image_sets()["ieat"].folders.values())
    assert fetch_vectors("drawn-features") == data / "drawn-features"
    assert publisher.asked == [None]
    place.rename(data / "ieat")
    (test,) = load_tests("ieat-age")
    assert test.at_hand
    assert [len(concept.images) for _, concept in test.parts] == [4, 4, 4, 4]
    assert test.X.terms[0] == "young/1_google.jpg"


def test_published_features_run_as_a_source(root, data, monkeypatch):
    monkeypatch.setenv("EATLAS_IEAT", str(root))
    source = f"{root / 'embeddings'}?model=igpt_l_32"
    results = eatlas.run(tests="ieat", vectors=source, measures="weat(resamples=0)")
    assert len(results) == 15
    assert set(results[0].coverage.X.used) == {f"young/{n}_google.jpg" for n in range(1, 5)}
    found = results[0].coverage.X.found_as
    assert found["young/1_google.jpg"] == "age/young/1_google.jpg"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ieat-f13edea/data/experiments/age/../../../../evil.jpg", "not the archive of drawn"),
        ("ieat-f13edea/data/experiments/age\\evil.jpg", "not the archive of drawn"),
    ],
)
def test_an_archive_that_leads_elsewhere_is_refused(root, publisher, data, name, said):
    publisher.files["ieat.zip"] = archive_of(root, {name: b"\xff\xd8\xff evil"})
    register(data, publisher.url, "ieat.zip", *SETS)
    with pytest.raises(SourceError, match=said):
        fetch_vectors("drawn")
    assert not (data / "drawn").exists()
    assert not list(data.rglob("evil*"))


def test_without_the_set_tests_can_be_read_and_not_be_run(data):
    (test,) = load_tests("image-young-old")
    assert not test.at_hand
    assert len(test.X.terms) == 6
    with pytest.raises(StimulusError) as caught:
        eatlas.run(tests="image-young-old")
    said = str(caught.value)
    assert f"nothing at {data / 'ieat'} for ieat:age/young, ieat:age/old" in said
    assert "eatlas vectors fetch ieat" in said
    assert "EATLAS_IEAT" in said
    with pytest.raises(StimulusError, match="not on this machine"):
        test.stimuli_sha256  # noqa: B018  (a property that raises)
