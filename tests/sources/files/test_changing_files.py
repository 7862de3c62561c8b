"""Files of every format that grow between opening and reading, or while they are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.sources.files.writers import FORMATS, WORDS

from eatlas import open_vectors
from eatlas.errors import SourceError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the writing libraries
SAID = (
    "the file changed while it was read\n  got: {} bytes now, {} bytes at first\n  remedy: wait un"
)


@pytest.fixture(params=FORMATS, ids=lambda writer: writer.__name__)
def spec(request, tmp_path) -> str:
    return request.param(tmp_path)


def grow(spec: str) -> str:
    """Add a few bytes to the file; what is to be said."""
    path = Path(re.split("[?#]", spec)[0])
    path = path / "vocab/vectors" if path.is_dir() else path
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"more")
    return f"{path}: {SAID.format(size + 4, size)}"


def test_before_the_first_lookup(spec):
    source = open_vectors(spec)
    said = grow(spec)
    with pytest.raises(SourceError) as caught:
        source.lookup(WORDS)
    assert said in str(caught.value)


def test_between_chunks(spec):
    chunks = open_vectors(spec).iter_chunks(5)
    next(chunks)
    said = grow(spec)
    with pytest.raises(SourceError) as caught:
        list(chunks)
    assert said in str(caught.value)
