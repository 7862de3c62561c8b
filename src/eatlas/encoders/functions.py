"""``py:module:function``: vectors that a function of the user's own computes."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel

from eatlas.encoders.cache import CachedSource
from eatlas.encoders.encoder import Encoder, read_options
from eatlas.errors import SourceError, described
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item
from eatlas.sources.spec import parse_options
from eatlas.untrusted import computes_afresh, require_trust

SCHEME = "py:"
AT_ONCE = 256
"""Texts that a function gets in one call: enough for a GPU, and progress moves."""
VECTORS = "a vector for each"
PASSAGES = "passages"
"""Name of the parameter by which a function gets texts with the place of the stimulus."""


class FunctionSource(Encoder):
    """Texts encoded by a function.

    Parameters
    ----------
    function : callable
        Takes a list of texts and returns a vector for each: an array, tensor or list of lists of
        shape (n, d). If its parameter is called ``passages``, it gets
        :class:`eatlas.sources.Item`, which have ``text``, ``span`` and ``stimulus``.
    name : str, optional
        What names the source in results; by default ``py:`` with its module and name.
    version : str, optional
        Of all that its vectors depend on; part of the fingerprint.

    Notes
    -----
    The function gets up to 256 texts in a call, the shortest first, each text once; a vector should
    not depend on the other texts of the call. The fingerprint is a hash of the file that defines
    the function. It does not cover models and data that the function reads: state these in
    `version`.

    Examples
    --------
    >>> def lengths(texts):
    ...     return [[len(text), text.count(" ")] for text in texts]
    >>> FunctionSource(lengths).lookup(["a rose"])["a rose"].tolist()
    [6.0, 1.0]
    """

    def __init__(
        self, function: Callable[..., Any], name: str | None = None, version: str | None = None
    ) -> None:
        super().__init__(name or SCHEME + _path_of(function))
        self._function, self._version = function, version
        self._with_places = False
        with suppress(TypeError, ValueError):  # some functions written in C have no signature
            first = next(iter(inspect.signature(function).parameters), None)
            self._with_places = first == PASSAGES

    @cached_property
    def fingerprint(self) -> str:
        """The function's name, the hash of its file, and the version."""
        path = _file_of(self._function)
        content = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if path else "unknown"
        version = "" if self._version is None else f";version={self._version}"
        return f"{SCHEME}{_path_of(self._function)};file={content}{version}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the fingerprint cannot say."""
        return (Note("source.function", values={"version": self._version is not None}),)

    @property
    def encoding(self) -> Encoding:
        """What is known of how a passage becomes a vector."""
        level: Literal["word", "sentence"] = "word" if self._with_places else "sentence"
        return Encoding(model=self.name, architecture="function", level=level)

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Have the function encode items, call by call.

        Raises
        ------
        SourceError
            If the function fails, or returns something else than a finite vector for each.
        """

        def call(keys: list[Item | str]) -> Any:
            try:
                with working_directory():
                    return self._function(keys)
            except Exception as error:
                fault = f"{self.name}: the function failed"
                raise SourceError(fault, got=said_by(error)) from error

        with_places = self._with_places
        return self.in_calls(items, lambda i: i if with_places else i.content, AT_ONCE, call)


class FunctionOptions(BaseModel):
    """Options of ``py:``."""

    cache: Literal["yes", "no"] = "no"
    """Whether vectors are stored on disk."""
    version: str | None = None
    """Of what the function computes, chosen by the user."""


def open_py(text: str) -> tuple[FunctionSource | CachedSource, ...]:
    """Open a function by its module and name."""
    name, function, options = import_function(text)
    source = FunctionSource(function, name, options.version)
    if options.cache == "no" or computes_afresh():
        return (source,)
    return (CachedSource(source),)


def import_function(
    text: str, returns: str = VECTORS
) -> tuple[str, Callable[..., Any], FunctionOptions]:
    """Import the function that a source string names: its name in results, itself, and options."""
    plain, _, query = text.removeprefix(SCHEME).partition("?")
    options = read_options(FunctionOptions, parse_options(query, text), text)
    module, colon, path = plain.partition(":")
    if not (module and colon and path):
        raise SourceError(f"{text}: no function is given", allowed="py:MODULE:FUNCTION")
    require_trust(f"import the Python module {module} and call its function {path}")
    version = options.version
    name = SCHEME + plain + (f"?version={version}" if version is not None else "")
    function = find_function(module, path, name, returns)
    if options.cache == "yes" and not version:
        raise SourceError(
            f"{text}: the cache needs a version, because eatlas cannot tell whether the function "
            "has changed",
            remedy="add version=1, and raise it when the model, its data or the function changes",
        )
    return name, function, options


def _path_of(function: Callable[..., Any]) -> str:
    named: Any = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"


def _file_of(function: Callable[..., Any]) -> Path | None:
    """The file that defines a function, a method or an instance's class."""
    for thing in (inspect.unwrap(function), type(function)):
        with suppress(TypeError):
            source = inspect.getsourcefile(thing)
            if source and Path(source).is_file():
                return Path(source)
    return None


def find_function(module: str, path: str, label: str, returns: str = VECTORS) -> Callable[..., Any]:
    """Import what a source string names, from sys.path or the working directory."""
    try:
        with working_directory():
            function: Any = attrgetter(path)(importlib.import_module(module))
        if not callable(function) or isinstance(function, type):
            raise TypeError(f"{described(function)} is not a function")
        if hasattr(function, "state_dict"):  # a model of torch, which takes no texts
            raise TypeError(f"{described(function)} is a model, not a function of texts")
    except (Exception, SystemExit) as error:
        raise SourceError(
            f"{label}: this function cannot be imported",
            got=said_by(error),
            allowed="a function, or an instance or its method, that takes a list of texts and "
            f"returns {returns}; of a module that Python can import, or of one in the "
            "working directory, without .py",
            remedy="for a model, give its method, such as py:MODULE:model.encode, or pass it in "
            "Python: eatlas.run(TEST, model)",
        ) from error
    return cast("Callable[..., Any]", function)


@contextmanager
def working_directory() -> Iterator[None]:
    """Let modules of the working directory be imported, behind all others."""
    here = os.getcwd()  # noqa: PTH109  (a path as sys.path has them)
    added = not {"", here} & set(sys.path)
    if added:
        sys.path.append(here)
    try:
        yield
    finally:
        if added and here in sys.path:
            sys.path.remove(here)


def said_by(error: BaseException) -> str:
    """An error of a user's own code: its kind, its message, and where it was raised."""
    text = traceback.format_exception_only(error)[-1].strip()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    own = frame.filename == __file__ or frame.filename.startswith("<frozen")
    return text if own else f"{text} ({frame.filename}, line {frame.lineno})"
