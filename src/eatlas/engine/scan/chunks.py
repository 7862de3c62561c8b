"""Finished chunks of a scan, in a file that outlives the process or one that ends with it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.engine.scan.chunk import Chunk
from eatlas.engine.store import Journal
from eatlas.errors import ResultsError

ENDING = ".unfinished"
_TEXTS = ("words", "examples")
_NUMBERS = ("index", "read", "rising")


class Chunks(Journal):
    """The finished chunks of a scan.

    Parameters
    ----------
    out : Path or None
        What the scan writes in the end; the chunks lie beside it, and it is locked. None where
        nothing outlives the process.
    identity : str
        Of the scan; chunks of others are not taken over.
    """

    work = "words"
    elsewhere = "choose another file with --out"

    def __init__(self, out: Path | None = None, identity: str = "") -> None:
        if out is None:
            super().__init__(None, None)
        else:
            super().__init__(_beside(out, identity), out.with_name(f".{out.name}.lock"))
        self._out, self._identity = out, identity
        self._indices: set[int] = set()
        self.words = 0
        """Words of all chunks."""

    def __contains__(self, index: int) -> bool:
        return index in self._indices

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[Chunk]:
        """Finished chunks, in the order of the source."""
        return (_decoded(self.read(self._name(index))) for index in sorted(self._indices))

    def keep(self, chunk: Chunk) -> None:
        """Keep a finished chunk."""
        self.append(self._name(chunk.index), _encoded(chunk))
        self._count(chunk)

    def forget(self) -> None:
        """Forget all chunks, once what follows from them is elsewhere."""
        self.discard([self._name(index) for index in self._indices])
        self._indices.clear()
        self.words = 0

    def take(self, name: str, result: bytes) -> None:
        """Take over a chunk that was measured before."""
        chunk = _decoded(result)
        if name != self._name(chunk.index):
            raise ValueError(name)
        self._count(chunk)

    def held(self) -> ResultsError:
        """Say that another scan is writing."""
        return ResultsError(
            f"{self._out}: another scan is writing this file",
            remedy=f"wait for it to end, or {self.elsewhere}",
        )

    def not_locked(self, error: OSError) -> ResultsError:
        """Say that nothing can be written there."""
        return ResultsError(
            f"--out {self._out}: cannot be written to",
            got=error.strerror or str(error),
            allowed="a file in a directory that can be written to",
            remedy="choose another with --out",
        )

    def _name(self, index: int) -> str:
        return f"{self._identity} {index}"

    def _count(self, chunk: Chunk) -> None:
        if chunk.index not in self._indices:
            self.words += chunk.read
        self._indices.add(chunk.index)


def others(out: Path, identity: str) -> list[Path]:
    """What other scans to the same file have left unfinished."""
    literal = "".join(f"[{c}]" if c in "[*?" else c for c in out.name)
    found = set(out.parent.glob(f".{literal}.*{ENDING}"))
    return sorted(found - {_beside(out, identity)})


def _beside(out: Path, identity: str) -> Path:
    return out.with_name(f".{out.name}.{identity[:12]}{ENDING}")


def _encoded(chunk: Chunk) -> bytes:
    """A chunk as NumPy writes arrays, without line ends: a tenth of the time of base64."""
    arrays: dict[str, Any] = {field.name: getattr(chunk, field.name) for field in fields(Chunk)}
    for name in _TEXTS:
        arrays[name] = np.frombuffer(json.dumps(arrays[name]).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue().replace(b"\x1b", b"\x1b0").replace(b"\n", b"\x1b1")


def _decoded(result: bytes) -> Chunk:
    data = io.BytesIO(result.replace(b"\x1b1", b"\n").replace(b"\x1b0", b"\x1b"))
    with np.load(data, allow_pickle=False) as file:
        arrays: dict[str, Any] = {field.name: file[field.name] for field in fields(Chunk)}
    for name in _TEXTS:
        arrays[name] = json.loads(arrays[name].tobytes())
    for name in _NUMBERS:
        arrays[name] = int(arrays[name])
    return Chunk(**arrays)
