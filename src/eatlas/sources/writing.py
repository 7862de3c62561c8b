"""Vectors written to a file in formats that eatlas and others read, with a note of their origin."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Source
from eatlas.sources.spec import parse_file_spec
from eatlas.sources.transforms import TransformedSource
from eatlas.version import __version__
from eatlas.writing import atomic_files, require_other_file, require_writable

SCHEMA = "eatlas/vectors/1"
BLOCK = 1 << 20
Rows = NDArray[np.float32]
Chunks = Iterator[tuple[list[str], Rows]]


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
        header; ``.bin``, word2vec's binary format; ``.npz``, arrays ``vectors`` and ``words``;
        ``.safetensors``, with the words in ``NAME.vocab.txt`` beside it.
    tell : callable, optional
        Called with the number of words written, and of all where it is known.

    Returns
    -------
    Path
        The note of origin beside the file, ``FILE.json``: source, fingerprint, transform, notes,
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
    Numbers are in single precision, which the text keeps to the last bit. The file, its note and
    its vocabulary appear when all are whole, or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import eatlas
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/debiased.vec"
    ...     note = eatlas.write_vectors("glove-sample?transform=hard-debias:gender", path)
    ...     note.name, eatlas.open_vectors(path).dim
    ('debiased.vec.json', 100)
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise SourceError(
            f"{path}: the suffix names no format in which vectors are written",
            got=path.suffix or "none",
            allowed=", ".join(FORMATS),
        )
    vectors = open_vectors(source)
    vectors.require_listed("all vectors are written")
    require_writable(path)
    require_other_file(path, [parse_file_spec(vectors.name).path])
    form = FORMATS[path.suffix.lower()]
    words: list[str] = []
    with atomic_files() as new, ExitStack() as stack:
        out = new(path, binary=True)
        body = stack.enter_context(tempfile.TemporaryFile(dir=path.parent))
        head = form.write(body, _chunks(vectors, form, path, words, tell), vectors.dim)
        body.seek(0)
        digest = hashlib.sha256(head)
        out.write(head)
        while block := body.read(BLOCK):
            digest.update(block)
            out.write(block)
        if form.vocabulary:
            new(path.with_suffix(".vocab.txt")).writelines(f"{word}\n" for word in words)
        note = path.with_name(f"{path.name}.json")
        text = json.dumps(_note(vectors, len(words), digest.hexdigest()), indent=2)
        new(note).write(f"{text}\n")
    return note


def _note(vectors: Source, words: int, sha256: str) -> dict[str, Any]:
    """Say where vectors come from and what was done to them."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "source": vectors.name,
        "source_fingerprint": vectors.fingerprint,
        "transform": vectors.transform if isinstance(vectors, TransformedSource) else None,
        "words": words,
        "dim": vectors.dim,
        "sha256": sha256,
        "notes": list(map(str, vectors.notes)),
    }


class _Format(NamedTuple):
    """A format: how its body is written, and what no word may hold."""

    write: Callable[[IO[bytes], Chunks, int], bytes]
    """Writes what follows the head, and returns the head."""
    refused: str
    vocabulary: bool = False


def _chunks(
    source: Source,
    form: _Format,
    path: Path,
    done: list[str],
    tell: Callable[[int, int | None], None] | None,
) -> Chunks:
    """All words and vectors in single precision; `done` takes the words."""
    expected = source.expected
    for words, vectors in source.iter_chunks():
        with np.errstate(over="ignore"):
            rows = np.asarray(vectors, np.float32)
        for word in words:
            if not word or any(character in word for character in form.refused):
                raise SourceError(
                    f"{path}: a word cannot be written in this format",
                    got=repr(word),
                    allowed="words that are not empty, without spaces, line breaks and zero bytes"
                    if " " in form.refused
                    else "words that are not empty, without line breaks and zero bytes",
                    remedy="choose a name that ends in .npz" if " " in form.refused else None,
                )
        if not np.isfinite(rows).all():
            word = words[int(np.argmin(np.isfinite(rows).all(axis=1)))]
            raise SourceError(
                f"{path}: the vector of {word!r} cannot be written in single precision",
                allowed="finite numbers below 3.4e38",
            )
        done += words
        yield words, rows
        if tell is not None:
            tell(len(done), expected)


def _text(out: IO[bytes], chunks: Chunks, dim: int, *, header: bool) -> bytes:
    """Write lines of a word and its numbers, with nine digits, which give the same float32."""
    line, count = f"%s{' %.9g' * dim}\n", 0
    for words, rows in chunks:
        count += len(words)
        lines = (line % (w, *row) for w, row in zip(words, rows.tolist(), strict=True))
        out.write("".join(lines).encode())
    return f"{count} {dim}\n".encode() if header else b""


def _binary(out: IO[bytes], chunks: Chunks, dim: int) -> bytes:
    """Write records of word2vec: the word, a space, little-endian float32."""
    count = 0
    for words, rows in chunks:
        count += len(words)
        records = zip(words, rows.astype("<f4"), strict=True)
        out.write(b"".join(word.encode() + b" " + row.tobytes() for word, row in records))
    return f"{count} {dim}\n".encode()


def _gathered(chunks: Chunks, dim: int) -> tuple[list[str], Rows]:
    """All words and vectors at once."""
    parts = list(chunks)
    words = [word for some, _ in parts for word in some]
    return words, np.concatenate([rows for _, rows in parts] or [np.empty((0, dim), np.float32)])


def _npz(out: IO[bytes], chunks: Chunks, dim: int) -> bytes:
    """Write two arrays, as :func:`numpy.savez` does."""
    words, vectors = _gathered(chunks, dim)
    np.savez(out, vectors=vectors, words=np.array(words, dtype=np.str_))
    return b""


def _safetensors(out: IO[bytes], chunks: Chunks, dim: int) -> bytes:
    """Write one tensor, ``vectors``."""
    from safetensors.numpy import save  # noqa: PLC0415  (only this format needs it)

    out.write(save({"vectors": _gathered(chunks, dim)[1]}))
    return b""


_BREAKS = "\0\n\r"
_SPACES = f"{_BREAKS} \t\v\f"
FORMATS = {
    ".txt": _Format(partial(_text, header=False), _SPACES),
    ".vec": _Format(partial(_text, header=True), _SPACES),
    ".bin": _Format(_binary, _SPACES),
    ".npz": _Format(_npz, _BREAKS),
    ".safetensors": _Format(_safetensors, _BREAKS, vocabulary=True),
}
