"""Pickles read as data: nothing in them is imported or called.

A pickle is a program. This reader runs its stack machine, but knows none of the callables that it
may name: where a pickle asks for a class or function, it gets an inert record of the name, and only
if the name is on a list. So a pickle that means to run code is refused, whatever it calls.

The reader in Python is used, not the one in C: it is slower, but a damaged pickle cannot make it
reserve memory for what is not there.

What is read is never hashed, compared or printed as a whole: of lists and tuples that hold each
other again and again, that would take forever. So keys of dicts and members of sets are texts,
bytes and plain numbers alone, and integers have a limit.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, ClassVar

from eatlas.errors import SourceError

_ENCODE = "_codecs.encode"
_KEYS = frozenset({str, bytes, int, float})
_MAX_BITS = 4096
"""Length of an integer: Python takes quadratic time to print longer ones, or refuses to."""
_MAX_KEY = 1 << 63
"""Of integers as keys: above 2**61 any number of them can have one hash."""


class Inert:
    """What a pickle builds in place of an object: the name, the arguments, the state."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name, self.arguments = name, arguments
        self.state: Any = None
        self.items: dict[Any, Any] = {}

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items[key] = value

    def append(self, value: Any) -> None:
        """Keep a value that a pickle adds to the object, as if it were a list."""
        self.items[len(self.items)] = value

    def extend(self, values: list[Any]) -> None:
        """Keep values that a pickle adds to the object, as if it were a list."""
        for value in values:
            self.append(value)

    def get(self, key: str) -> Any:
        """An attribute of the object; None if it has none of this name."""
        state = self.state
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict):
            state = state[0]
        return state.get(key) if isinstance(state, dict) else None


class _Named:
    """A class or function that a pickle names; calling it makes an :class:`Inert`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any, **_: Any) -> Inert:
        return Inert(self.name, arguments)


class _Bounded:
    """A stream that never hands out, or reserves memory for, more than it holds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0

    def read(self, size: int) -> bytes:
        parts = []
        while size > 0 and (part := self._file.read(min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
            self.count += len(part)
        return b"".join(parts)

    def readline(self) -> bytes:
        # pickles of protocol 0 and 1 read lines, which are short
        line = b""
        while not line.endswith(b"\n") and len(line) < 1 << 16 and (c := self._file.read(1)):
            line += c
        return line


class _Reader(pickle._Unpickler):
    """The stack machine, with its hands tied."""

    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    read: Callable[[int], bytes]
    readline: Callable[[], bytes]

    def __init__(self, file: BinaryIO, label: str, allowed: Callable[[str], bool]) -> None:
        self._stream = _Bounded(file)
        super().__init__(self._stream)
        self._label, self._allowed = label, allowed
        self._encoded = 0

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        if full != _ENCODE and not self._allowed(full):
            raise SourceError(
                f"{self._label}: this pickle asks for something that vectors do not need",
                got=full,
                allowed="lists, dicts, strings, numbers and what gensim and numpy store vectors in",
                remedy="do not open it elsewhere either, unless you know who made it",
            )
        return _encode if full == _ENCODE else _Named(full)

    def persistent_load(self, _pid: Any) -> Any:
        raise pickle.UnpicklingError("persistent identifiers are not vectors")

    def get_extension(self, code: int) -> None:
        raise pickle.UnpicklingError(f"extension code {code}")

    # What follows replaces how the machine calls: nothing but _Named and _encode is ever called.
    dispatch: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)

    def _reduce(self) -> None:
        arguments = self.stack.pop()
        self.stack[-1] = self._made(self.stack[-1], arguments)

    def _newobj(self) -> None:
        arguments = self.stack.pop()
        self.stack.append(self._made(self.stack.pop(), arguments))

    def _newobj_ex(self) -> None:
        self.stack.pop()
        self._newobj()

    def _obj(self) -> None:
        arguments = self.pop_mark()
        self.append(self._made(arguments[0], tuple(arguments[1:])))

    def _inst(self) -> None:
        module = self.readline()[:-1].decode("ascii")
        name = self.readline()[:-1].decode("ascii")
        self.append(self._made(self.find_class(module, name), tuple(self.pop_mark())))

    def _build(self) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], Inert):
            raise pickle.UnpicklingError("state for what has none")
        self.stack[-1].state = state

    def _bytearray(self) -> None:
        size = int.from_bytes(self.read(8), "little")
        self.append(bytearray(self.read(size)))

    def _made(self, what: Any, arguments: Any) -> Any:
        if not isinstance(arguments, tuple):
            raise pickle.UnpicklingError("arguments that are none")
        if what is _encode:
            made = _encode(*arguments)
            self._encoded += len(made)
            if self._encoded > self._stream.count:  # one text made into bytes again and again
                raise pickle.UnpicklingError("more bytes than the file holds")
            return made
        if isinstance(what, _Named):
            return what(*arguments)
        raise pickle.UnpicklingError("a call of what cannot be called")

    def _dict(self) -> None:
        items = self.pop_mark()
        _check_keys(items[::2])
        self.append(dict(zip(items[::2], items[1::2], strict=True)))

    def _setitem(self) -> None:
        value = self.stack.pop()
        key = self.stack.pop()
        self._set([key, value])

    def _setitems(self) -> None:
        self._set(self.pop_mark())

    def _set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict | Inert):
            raise pickle.UnpicklingError("items for what has none")
        _check_keys(items[::2])
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key] = value

    def _additems(self) -> None:
        members = self.pop_mark()
        if not isinstance(self.stack[-1], set):
            raise pickle.UnpicklingError("members for what is no set")
        _check_keys(members)
        self.stack[-1].update(members)

    def _frozenset(self) -> None:
        members = self.pop_mark()
        _check_keys(members)
        self.append(frozenset(members))

    def _limited(self, load: Callable[[Any], None]) -> None:
        load(self)
        value = self.stack[-1]
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            raise pickle.UnpicklingError(f"an integer of {value.bit_length():,} bits")

    dispatch[pickle.DICT[0]] = _dict
    dispatch[pickle.SETITEM[0]] = _setitem
    dispatch[pickle.SETITEMS[0]] = _setitems
    dispatch[pickle.ADDITEMS[0]] = _additems
    dispatch[pickle.FROZENSET[0]] = _frozenset
    for _code in (pickle.INT, pickle.LONG, pickle.LONG1, pickle.LONG4):
        dispatch[_code[0]] = partial(_limited, load=dispatch[_code[0]])
    dispatch[pickle.REDUCE[0]] = _reduce
    dispatch[pickle.NEWOBJ[0]] = _newobj
    dispatch[pickle.NEWOBJ_EX[0]] = _newobj_ex
    dispatch[pickle.OBJ[0]] = _obj
    dispatch[pickle.INST[0]] = _inst
    dispatch[pickle.BYTEARRAY8[0]] = _bytearray
    dispatch[pickle.BUILD[0]] = _build


def _check_keys(keys: list[Any]) -> None:
    """Refuse what cannot be hashed at once, or can be made to collide."""
    kinds = set(map(type, keys))
    for kind in kinds - _KEYS:
        raise pickle.UnpicklingError(f"a key of the type {kind.__name__}")
    if int in kinds and any(type(key) is int and abs(key) >= _MAX_KEY for key in keys):
        raise pickle.UnpicklingError("a key that is an integer of more than 64 bits")


def _encode(text: Any, encoding: Any = "latin1", *_: Any) -> bytes:
    """How protocol 2 writes bytes: text to be encoded as Latin-1."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError("bytes that are none")
    return text.encode("latin-1")


def load(file: BinaryIO, label: str, allowed: Callable[[str], bool]) -> Any:
    """Read a pickle; objects of the classes that `allowed` accepts become :class:`Inert`.

    Raises
    ------
    SourceError
        If it names anything else, or is damaged.
    """
    try:
        return _Reader(file, label, allowed).load()
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(
            f"{label}: this pickle is damaged, or no pickle",
            got=str(error)[:200] or type(error).__name__,
            remedy="get the file again; the copy is probably incomplete",
        ) from error


def load_plain(file: BinaryIO, label: str) -> Any:
    """Read a pickle of strings, numbers, lists and dicts; anything else is refused."""
    return load(file, label, lambda _: False)
