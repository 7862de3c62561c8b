"""Pickles read as data.

Nothing in a pickle is imported or called, and reading it has an end. The library's own reader is
used, to which all names are inert records, in a process of its own
(:mod:`eatlas.sources.files.unpickle`): some bytes are enough to make it hash or build for ever
where Ctrl-C is not heard, or to end the process.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError
from eatlas.sources.archives import most_bytes
from eatlas.sources.files import unpickle
from eatlas.sources.files.on_disk import Stamp

SECONDS, BYTES_A_SECOND = 2, 4 << 20
"""Time of a processor: a constant, and one second for so many bytes of the file. Honest pickles of
words take a tenth of that."""
BASE_MEMORY = 512 << 20
"""Bytes of memory, besides those that any file of its size may grow to."""
_BEWARE = "do not open it elsewhere either, unless you know who made it"
_PATIENCE = 20
"""Seconds of the clock for one of a processor: a machine may have other work."""


@dataclass(frozen=True)
class PickledObject:
    """An object of a pickle: the name of what made it, the arguments, the listed attributes."""

    name: str
    arguments: Sequence[Any]
    state: Any

    def get(self, key: str) -> Any:
        """An attribute; None if there is none of this name."""
        return self.state.get(key) if isinstance(self.state, dict) else None


@dataclass(frozen=True)
class Unread:
    """A value that was not read: it is of another kind, or too deep; the name of its type."""

    kind: str


@dataclass(frozen=True)
class Listed:
    """What a pickle may name, and which attributes of its objects are read."""

    names: Sequence[str] = ()
    beginnings: Sequence[str] = ()
    attributes: Sequence[str] = ()


PLAIN = Listed()
"""Strings, numbers, lists and dicts alone."""


def load(path: Path, listed: Listed = PLAIN) -> Any:
    """Read a pickle; objects become :class:`PickledObject`."""
    size = Stamp.of(path).size
    seconds = SECONDS + size // BYTES_A_SECOND
    lists = json.dumps([list(listed.names), list(listed.beginnings), list(listed.attributes)])
    limits = (str(BASE_MEMORY + most_bytes(size)), str(seconds))
    command = [sys.executable, "-I", "-S", unpickle.__file__, str(path.absolute()), lists, *limits]
    try:
        done = subprocess.run(  # noqa: S603  (our own script)
            command, capture_output=True, check=False, timeout=_PATIENCE * seconds
        )
    except subprocess.TimeoutExpired:
        raise _endless(path, seconds) from None
    except OSError as error:
        raise SourceError(
            f"{path}: no process can be started to read this pickle",
            got=error.strerror or str(error),
        ) from error
    if done.returncode in {-getattr(signal, "SIGXCPU", 0), -9}:
        raise _endless(path, seconds)
    if done.returncode:
        raise _damaged(path, "it ends the process that reads it")
    answer = _revived(done.stdout)
    if "refused" in answer:
        raise SourceError(
            f"{path}: this pickle names something that vectors do not need",
            got=answer["refused"],
            allowed="lists, dicts, strings, numbers and what gensim and numpy store vectors in",
            remedy=_BEWARE,
        )
    if "fault" in answer:
        raise _damaged(path, answer["fault"])
    return answer["value"]


def _revived(raw: bytes) -> dict[str, Any]:
    """What the other process wrote."""
    line, _, rest = raw.partition(b"\n")
    lengths = list(map(int, line.split()))
    parts, at = [], 0
    for length in lengths:
        parts.append(rest[at : at + length])
        at += length

    kinds: dict[str, Callable[[Any], Any]] = {
        "list": lambda content: content,
        "tuple": tuple,
        "dict": dict,
        "bytes": lambda number: parts[number + 1],
        "object": lambda content: PickledObject(*content),
        "other": Unread,
    }

    def value(node: dict[str, Any]) -> Any:
        ((kind, content),) = node.items()
        return kinds[kind](content) if kind in kinds else node  # the answer itself

    answer: dict[str, Any] = json.loads(parts[0], object_hook=value)
    return answer


def _endless(path: Path, seconds: int) -> SourceError:
    return SourceError(
        f"{path}: this pickle takes far more time than a file of its size accounts for",
        got=f"more than {seconds} s of a processor",
        remedy=_BEWARE,
    )


def _damaged(path: Path, got: str) -> SourceError:
    remedy = "get the file again; the copy is probably incomplete"
    return SourceError(f"{path}: this pickle is damaged, or no pickle", got=got, remedy=remedy)
