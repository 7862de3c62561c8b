"""What a reader says about a bad file."""

from __future__ import annotations

from pathlib import Path

import pytest

from eatlas import open_vectors
from eatlas.errors import SourceError

WANTED = ("cat", "dog", "Über")


def fault(spec: object) -> str:
    """Open a source and read all of it; the error, with its parts on lines of their own."""
    with pytest.raises(SourceError) as caught:
        read_all(spec)
    return str(caught.value).replace(str(Path(str(spec).split("?")[0])), "FILE")


def read_all(spec: object) -> None:
    source = open_vectors(str(spec))
    source.lookup(WANTED)
    list(source.vocabulary())
    list(source.iter_chunks())


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
