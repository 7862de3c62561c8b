"""Reads one pickle as data and writes it out in a form that cannot run anything.

This is a script that :mod:`eatlas.sources.files.pickles` runs in a process of its own, with limits
of memory and time; it imports nothing of eatlas. A pickle is a program: where it names a class or a
function, it gets an inert record of the name, if the name is on the list, and is refused otherwise.

    python unpickle.py FILE LISTED BYTES SECONDS

`LISTED` is JSON: ``[[names], [beginnings of names], [attributes]]``. Of objects only those
attributes are written. Written are the lengths of all that follows, in one line; the value as JSON,
in which ``{"list": [...]}``, ``{"bytes": number}`` and so on represent what JSON lacks; and the
bytes, one after the other.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from typing import Any

_ENCODE = "_codecs.encode"
_KEYS = (str, bytes, int, float, type(None))
_DEPTH = 12
"""Values within each other; those of gensim are eight deep."""
_MAX_BITS = 4096
"""Of integers: Python takes quadratic time to write longer ones, or refuses to."""


class Refused(Exception):  # noqa: N818  (the message is the name)
    """A pickle names what is not listed."""


class Inert:
    """What a pickle builds in place of an object: the name, the arguments, the state."""

    name = ""
    arguments: tuple[Any, ...]
    state: Any

    def __new__(cls, *arguments: Any, **_: Any) -> Inert:
        """Take the place of a call."""
        made = object.__new__(cls)
        made.arguments, made.state = arguments, None
        return made

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def _drop(self, *_: Any) -> None:
        """Items and members that a pickle adds to an object are not needed."""

    __setitem__ = append = extend = add = update = _drop


class Reader(pickle.Unpickler):
    """The library's reader, for which all that can be named is inert."""

    def __init__(self, file: Any, names: list[str], beginnings: list[str]) -> None:
        super().__init__(file)
        self._names, self._beginnings = frozenset(names), tuple(beginnings)

    def find_class(self, module: str, name: str) -> Any:
        """An inert record of what is listed."""
        full = f"{module}.{name}"
        if full == _ENCODE:
            return encode
        if full not in self._names and not full.startswith(self._beginnings or ("\0",)):
            raise Refused(full)
        return type("Inert", (Inert,), {"name": full})


def encode(text: Any, encoding: Any = "latin1", *_: Any) -> bytes:
    """How protocol 2 writes bytes: text to be encoded as Latin-1."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError("bytes that are not written as protocol 2 writes them")
    return text.encode("latin-1")


def plain(value: Any, attributes: frozenset[str], blobs: list[Any], depth: int = _DEPTH) -> Any:
    """A value as JSON; bytes go to `blobs`, what is too deep or of another kind is only named."""
    kind = type(value)
    simple = value is None or kind in (str, bool, float)
    if simple or (kind is int and value.bit_length() <= _MAX_BITS):
        return value
    if kind in (bytes, bytearray):
        blobs.append(value)
        return {"bytes": len(blobs) - 1}
    if not depth or not (kind in (list, tuple, dict) or isinstance(value, Inert)):
        return {"other": kind.__name__}
    if kind is dict:
        return {"dict": list(pairs(value, attributes, blobs, depth))}
    if kind in (list, tuple):
        return {kind.__name__: [plain(item, attributes, blobs, depth - 1) for item in value]}
    state = value.state
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict):
        state = state[0]
    if isinstance(state, dict):
        state = {key: state[key] for key in attributes if key in state}
    parts = (plain(part, attributes, blobs, depth - 1) for part in (value.arguments, state))
    return {"object": [value.name, *parts]}


def pairs(value: dict[Any, Any], attributes: frozenset[str], blobs: list[Any], depth: int) -> Any:
    """Keys and values of a dict."""
    for key, item in value.items():
        if type(key) not in _KEYS:
            raise pickle.UnpicklingError(f"a key of the type {type(key).__name__}")
        yield [plain(part, attributes, blobs, depth - 1) for part in (key, item)]


def limit(size: int, seconds: int) -> None:
    """Let this process have so much memory and so much time of a processor."""
    try:
        import resource  # noqa: PLC0415  (there is none on Windows)
    except ImportError:
        return
    for which, most in ((resource.RLIMIT_AS, size), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(which)
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (soft, hard))


def main(path: str, listed: str, size: str, seconds: str) -> None:
    """Read the pickle and write what it holds, or why it cannot be read."""
    limit(int(size), int(seconds))
    names, beginnings, attributes = json.loads(listed)
    blobs: list[Any] = []
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (to import pathlib takes as long as all else)
            value = Reader(file, names, beginnings).load()
        answer = {"value": plain(value, frozenset(attributes), blobs)}
    except Refused as error:
        answer = {"refused": str(error)[:200]}
    except MemoryError:
        answer = {"fault": "it takes far more memory than a file of its size accounts for"}
    except Exception as error:  # noqa: BLE001  (whatever a damaged pickle makes the library raise)
        answer = {"fault": str(error)[:200] or type(error).__name__}
    raw = json.dumps(answer).encode()
    parts = [raw, *blobs] if "value" in answer else [raw]
    out = sys.stdout.buffer
    out.write(" ".join(str(len(part)) for part in parts).encode() + b"\n")
    out.writelines(parts)
    out.flush()
    os._exit(0)  # to take millions of values apart again would take as long as to read them


if __name__ == "__main__":
    main(*sys.argv[1:])
