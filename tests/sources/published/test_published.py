"""What the registry says, and who may add to it."""

import pytest
from tests.sources.published.serving import register, text_of

from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources import open_sources
from eatlas.sources.download import find, parse_registry, published_vectors

GOOD = """\
schema = 1
[[download]]
url = "https://example.org/mine.vec.gz"
file = "mine.vec.gz"
[[download.vectors]]
name = "mine"
title = "vectors of mine"
"""


def test_what_was_not_fetched_is_not_downloaded_unasked(data):
    path = data / "glove.840B.300d" / "glove.840B.300d.txt"
    for opened in (open_vectors, open_sources):
        for spec in ("glove.840B.300d", "glove.840B.300d?encoding=utf-8"):
            with pytest.raises(SourceError) as caught:
                opened(spec)
            assert str(caught.value) == (
                "glove.840B.300d: these published vectors are not downloaded yet\n"
                f"  got: nothing at {path}\n"
                "  remedy: eatlas vectors fetch glove.840B.300d (2.2 GB)"
            )


def test_what_lies_in_the_folder_is_opened_by_name(data):
    path = data / "glove.6B.50d" / "glove.6B.50d.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(text_of())
    source = open_vectors("glove.6B.50d")
    assert (source.name, source.dim) == ("glove.6B.50d", 3)
    assert find("glove.6B.50d").target == path
    with pytest.raises(SourceError, match="unknown option"):
        open_vectors("glove.6B.50d?nothing=1")


@pytest.mark.parametrize(
    ("call", "name", "remedy"),
    [
        (open_vectors, "glove.840b", "did you mean glove.840B.300d?"),
        (open_vectors, "glove.840B.300d.txt",
         "check the path, or fetch published vectors: eatlas vectors fetch glove.840B.300d"),
        (open_vectors, "quite-another.txt", "check the path"),
        (find, "glove.6b.99d", "did you mean glove.6B."),
        (find, "zzzz", "eatlas vectors list shows them all"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_right(call, name, remedy):
    with pytest.raises(SourceError) as caught:
        call(name)
    assert caught.value.remedy.startswith(remedy)


def test_names_are_given_once(data):
    register(data, "https://example.org", "a.vec", {"name": "glove.6B.50d", "title": "t"})
    with pytest.raises(SourceError, match="two entries of published vectors have the same name"):
        published_vectors()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("schema = 1", "schema = 2", "key schema: Input should be 1"),
        ('"mine"', '"../mine"', "key download.0.vectors.0.name: String should match pattern"),
        ('file = "mine.vec.gz"', 'file = "a/b"', "key download.0.file: String should match"),
        ("title", "titel", "vectors.toml: key download.0.vectors.0.titel: Extra inputs are not"),
        ('file =', 'hash = "sha256:12"\nfile =', "key download.0.hash: String should match"),
        ("[[download.vectors]]\nname", "name", "key download.0.vectors: Field required"),
    ],
)  # fmt: skip
def test_faults_are_named(old, new, message):
    with pytest.raises(SourceError) as caught:
        parse_registry(GOOD.replace(old, new).encode(), "vectors.toml")
    assert message in str(caught.value)
