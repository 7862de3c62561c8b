"""What a reader says about a bad file."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eatlas import open_vectors
from eatlas.errors import SourceError

STATM = Path("/proc/self/statm")
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


@contextmanager
def no_more_memory_than(extra: int) -> Iterator[None]:
    """Let the process have so many bytes more than now, where the system tells how many it has."""
    if not STATM.exists():
        yield
        return
    pages = int(STATM.read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + extra, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
