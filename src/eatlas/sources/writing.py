"""Vectors written to a file in formats that eatlas and others read, with a note of their origin."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Source, require_usable
from eatlas.sources.spec import parse_file_spec
from eatlas.sources.transforms import TransformedSource
from eatlas.version import __version__
from eatlas.writing import atomic_files, require_other_file, require_writable

SCHEMA = "eatlas/vectors/1"
Chunks = Iterator[tuple[list[str], NDArray[np.float32]]]


def write_vectors(
    source: VectorsLike, path: str | Path, *, tell: Callable[[int, int | None], None] | None = None
) -> Path:
    """Write all vectors of a source to a file.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        Must be readable from end to end; with ``?transform=...`` its vectors are written as the
        transform leaves them.
    path : str or path
        By its suffix: ``.txt``, text as GloVe's; ``.vec``, text of word2vec and fastText, with a
        header; ``.bin``, word2vec's binary format; ``.npz``, arrays ``vectors`` and ``words``.
    tell : callable, optional
        Called with the number of words written, and of all where it is known.

    Returns
    -------
    Path
        The note of origin next to the file, ``FILE.json``: source, fingerprint, transform, notes,
        version, and the SHA-256 of the file.

    Raises
    ------
    SourceError
        If the suffix is no such format, the source cannot be listed, a word cannot be written in
        the format, or a number is too large for single precision.
    ResultsError
        If the file cannot be written, or is the one that is read.

    Notes
    -----
    Numbers are in single precision, which the text keeps to the last bit. The file and its note
    appear when both are whole, or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import eatlas
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/centred.vec"
    ...     note = eatlas.write_vectors("glove-sample?transform=center", path)
    ...     note.name, eatlas.open_vectors(path).dim
    ('centred.vec.json', 100)
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise SourceError(
            f"{path}: unknown format for vectors",
            got=path.suffix or "none",
            allowed=", ".join(FORMATS),
        )
    vectors = open_vectors(source)
    vectors.require_listed("all vectors are written")
    require_writable(path)
    require_other_file(path, [parse_file_spec(vectors.name).path])
    words: list[str] = []
    with atomic_files() as new:
        out = new(path, binary=True)
        _write(out, kind, _chunks_to_write(vectors, path, words, tell), vectors.dim)
        out.seek(0)
        origin = {
            "schema": SCHEMA,
            "version": __version__,
            "source": vectors.name,
            "source_fingerprint": vectors.fingerprint,
            "transform": vectors.transform if isinstance(vectors, TransformedSource) else None,
            "words": len(words),
            "dim": vectors.dim,
            "sha256": hashlib.file_digest(out, "sha256").hexdigest(),  # type: ignore[arg-type]
            "notes": list(map(str, vectors.notes)),
        }
        note = path.with_name(f"{path.name}.json")
        new(note).write(f"{json.dumps(origin, indent=2)}\n")
    return note


def _chunks_to_write(
    source: Source, path: Path, done: list[str], tell: Callable[[int, int | None], None] | None
) -> Chunks:
    """All words and vectors in single precision; `done` takes the words."""
    refused = FORMATS[path.suffix.lower()]
    for words, vectors in source.iter_chunks():
        with np.errstate(over="ignore"):
            rows = np.asarray(vectors, np.float32)
        for word in words:
            if not word or not refused.isdisjoint(word):
                raise SourceError(
                    f"{path}: a word cannot be written in this format",
                    got=repr(word),
                    allowed="words that are not empty, without line breaks and zero bytes; in text "
                    "and .bin without spaces",
                    remedy="choose a name that ends in .npz" if " " in refused else None,
                )
        require_usable(rows, f"{path}, in single precision", words)
        done += words
        yield words, rows
        if tell is not None:
            tell(len(done), source.expected)


def _write(out: IO[bytes], kind: str, chunks: Chunks, dim: int) -> None:
    """Write the body of a file, and in front of it how many vectors there are."""
    if kind == ".npz":
        parts = list(chunks)
        every = np.array([word for words, _ in parts for word in words], dtype=np.str_)
        np.savez(out, vectors=np.concatenate([rows for _, rows in parts]), words=every)
        return
    count, header = 0, kind != ".txt"
    if header:
        out.write(_HEADER % (0, dim))
    line = f"%s{' %.9g' * dim}\n"  # nine digits give the same float32 again
    for words, rows in chunks:
        count += len(words)
        if kind == ".bin":
            records = zip(words, rows.astype("<f4"), strict=True)
            out.write(b"".join(word.encode() + b" " + row.tobytes() for word, row in records))
        else:
            pairs = zip(words, rows.tolist(), strict=True)
            out.write("".join(line % (word, *row) for word, row in pairs).encode())
    if header:
        out.seek(0)
        out.write(_HEADER % (count, dim))


_HEADER = b"%012d %d\n"
"""Of one length, so that the count can be written when it is known."""
_BREAKS = frozenset("\0\n\r")
_SPACES = _BREAKS | frozenset(" \t\v\f")
FORMATS = {".txt": _SPACES, ".vec": _SPACES, ".bin": _SPACES, ".npz": _BREAKS}
"""Formats by suffix, and the characters that none of their words may contain."""
