"""``py:module:function``: vectors that a function of the user's own computes."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from eatlas.encoders.arrays import as_rows
from eatlas.encoders.cache import CachedSource
from eatlas.encoders.cutting import cut
from eatlas.encoders.finding import find_function, said_by, working_directory
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.care import computes_afresh, require_trust
from eatlas.sources.passages import Passage, Tell, gathered, words_alone
from eatlas.sources.protocol import Vector
from eatlas.sources.spec import check_options, parse_options

SCHEME = "py:"
AT_ONCE = 256
"""Texts that a function gets in one call: enough for a GPU, and progress moves."""
PASSAGES = "passages"
"""Name of the parameter by which a function asks for texts with the place of the stimulus."""
OPTIONS = {
    "cache": "whether vectors are kept on disk: yes or no",
    "version": "of what the function computes, chosen by you",
}


class FunctionSource:
    """Texts encoded by a function.

    Parameters
    ----------
    function : callable
        Takes a list of texts and returns a vector for each: an array, tensor or list of lists of
        shape (n, d). If its parameter is called ``passages``, it gets
        :class:`eatlas.sources.Passage`, which have ``text``, ``span`` and ``stimulus``.
    name : str, optional
        What names the source in results; by default ``py:`` with its module and name.
    version : str, optional
        Of all that its vectors depend on; part of the fingerprint.

    Notes
    -----
    The function gets up to 256 texts in a call, the shortest first, each text once; a vector should
    not depend on the other texts of the call. The fingerprint is made of the file that the function
    stands in, which says nothing of models and data that it reads: `version` is for these.

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
        self._function, self._version = function, version
        self.name = name or SCHEME + _path_of(function)
        self._dim: int | None = None
        self._with_places = _asks_for_passages(function, self.name)

    @property
    def dim(self) -> int:
        """Number of components; where nothing has been encoded yet, a word is."""
        if self._dim is None:
            self.lookup(["word"])
        if self._dim is None:
            raise SourceError(f"{self.name}: the number of components is not known")
        return self._dim

    @cached_property
    def fingerprint(self) -> str:
        """The function's name, the hash of its file, and the version."""
        path = _file_of(self._function)
        content = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if path else "unknown"
        version = "" if self._version is None else f";version={self._version}"
        return f"{SCHEME}{_path_of(self._function)};file={content}{version}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the fingerprint cannot say."""
        return (
            "Vectors come from a function of the user's own; the fingerprint is that of its file"
            f"{' and version' if self._version is not None else ''}, not of models or data that "
            "it reads.",
        )

    @property
    def encoding(self) -> Encoding:
        """What is known of how a passage becomes a vector."""
        level: Literal["word", "sentence"] = "word" if self._with_places else "sentence"
        return Encoding(model=self.name, architecture="function", level=level)

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Return the vector of every passage.

        Raises
        ------
        SourceError
            If the function fails, or returns something else than a finite vector for each.
        """
        return gathered(self.encode_batches(passages), len(passages), tell)

    def encode_batches(self, passages: Collection[Passage]) -> Iterator[Mapping[Passage, Vector]]:
        """Hand out vectors call by call."""
        asked: dict[Any, list[Passage]] = {}
        for one in sorted(passages, key=lambda one: (len(one.text), one.text, one.span or ())):
            asked.setdefault(one if self._with_places else one.text, []).append(one)
        for some in cut(asked, AT_ONCE):
            rows = self._call(some, [asked[one][0].text for one in some])
            yield {one: row for what, row in zip(some, rows, strict=True) for one in asked[what]}

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of words that stand alone."""
        return words_alone(self, keys)

    def _call(self, some: list[Any], texts: list[str]) -> Any:
        try:
            with working_directory():
                given = self._function(list(some))
        except Exception as error:
            raise SourceError(f"{self.name}: the function failed", got=said_by(error)) from error
        rows = as_rows(given, texts, self.name)
        if self._dim not in {None, rows.shape[1]}:
            raise SourceError(
                f"{self.name}: vectors of two calls differ in length",
                got=f"{rows.shape[1]} components",
                allowed=f"{self._dim}, as before",
            )
        self._dim = rows.shape[1]
        return rows


def open_py(text: str) -> tuple[FunctionSource | CachedSource, ...]:
    """Open a function by its module and name.

    Parameters
    ----------
    text : str
        ``py:module:function``, and ``?cache=yes&version=...`` to keep its vectors.

    Raises
    ------
    SourceError
        If there is no such function, or its vectors are to be kept without a version.
    """
    plain, _, said = text.removeprefix(SCHEME).partition("?")
    options = parse_options(said, text)
    check_options(options, OPTIONS, text)
    module, colon, path = plain.partition(":")
    if not (module and colon and path):
        raise SourceError(f"{text}: no function is named", allowed="py:MODULE:FUNCTION")
    version = options.get("version")
    keep = options.get("cache", "no")
    if keep not in {"yes", "no"}:
        raise SourceError(f"{text}: the option cache", got=keep, allowed="yes or no")
    require_trust(f"import the Python module {module} and call its function {path}")
    name = SCHEME + plain + (f"?version={version}" if version is not None else "")
    source = FunctionSource(find_function(module, path, name), name, version)
    if keep == "no" or computes_afresh():
        return (source,)
    if not version:
        raise SourceError(
            f"{text}: vectors are kept under a version that you choose, for nothing else says "
            "whether the function still computes the same",
            remedy="add version=1, and change it when the model, its data or the function changes",
        )
    return (CachedSource(source),)


def _path_of(function: Callable[..., Any]) -> str:
    kind = type(function)
    module = getattr(function, "__module__", None) or kind.__module__
    return f"{module}:{getattr(function, '__qualname__', kind.__qualname__)}"


def _file_of(function: Callable[..., Any]) -> Path | None:
    """The file that a function, a method or an instance's class stands in."""
    for thing in (inspect.unwrap(function), type(function)):
        try:
            found = inspect.getsourcefile(thing)
        except TypeError:
            continue
        if found and Path(found).is_file():
            return Path(found)
    return None


def _asks_for_passages(function: Callable[..., Any], where: str) -> bool:
    """Whether the first parameter is called so.

    Raises
    ------
    SourceError
        If the function cannot be called with one argument.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C say nothing
        return False
    try:
        bound = signature.bind([])
    except TypeError as error:
        raise SourceError(
            f"{where}: the function cannot be called with a list of texts",
            got=f"{getattr(function, '__name__', 'function')}{signature}: {error}",
            allowed="one parameter without a default",
        ) from error
    return next(iter(bound.arguments), None) == PASSAGES
