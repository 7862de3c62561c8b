"""Images in a source of precomputed vectors: which key names which image, and which does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.source import Source
from eatlas.stimuli import Concept, Test

FUNCTION_WORDS = ("the", "of", "and", "in", "to")
"""A source that has most of these has vectors of words; rose is a word there, and no rose.jpg."""
MOST = 3


def has_words(source: Source) -> bool:
    """Whether a source of vectors by key has those of words of English."""
    return len(source.lookup(FUNCTION_WORDS)) >= MOST


def keys_of(part: Concept, *, stems: bool) -> Mapping[str, tuple[str, ...]]:
    """Keys of each image of a concept, first hit wins; `stems` are names without extensions."""
    return {one.name: (*one.lookup_keys, *(one.stems if stems else ())) for one in part.images}


def require_apart(keys: Mapping[str, Mapping[str, str]], test: Test, source: str) -> None:
    """Refuse a key by which two stimuli of a test would be found, one of them an image."""
    known: dict[str, tuple[str, str]] = {}
    for group, part in test.concepts.items():
        hashes = part.image_of
        for term, key in keys.get(group, {}).items():
            this = (hashes.get(term, ""), f"{term} ({group})")
            other = known.setdefault(key, this)
            if other[0] != this[0]:
                raise SourceError(
                    f"test {test.id}: {source} has one vector, {key!r}, for two stimuli",
                    got=f"{other[1]} and {this[1]}",
                    allowed="a vector for each image, under its path or the name of its file",
                    remedy="name the images in the source by their paths, as in young/1.jpg",
                )


def remarks_on(keys: Mapping[str, Mapping[str, str]], test: Test) -> Iterator[Note]:
    """Say which images were found without the extension of their file's name."""
    for group, part in test.concepts.items():
        bare = [
            f"{term} as {key}"
            for term, key in keys.get(group, {}).items()
            if part.images and PurePath(term).suffix and not PurePath(key).suffix
        ]
        if bare:
            yield Note("coverage.image-names", group, {"images": bare})
