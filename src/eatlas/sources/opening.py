"""From a source string, or an object that holds vectors, to a source."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError
from eatlas.sources.files.table import TableSource
from eatlas.sources.files.text import TextSource
from eatlas.sources.memory import ArraySource, from_frame, from_keyed_vectors, from_mapping
from eatlas.sources.protocol import VectorSource
from eatlas.sources.sample import NAME as SAMPLE
from eatlas.sources.sample import open_sample

BY_SUFFIX: dict[str, Callable[[Path], VectorSource]] = {
    ".txt": TextSource,
    ".vec": TextSource,
    ".csv": TableSource,
    ".tsv": TableSource,
}
BY_NAME: dict[str, Callable[[], VectorSource]] = {SAMPLE: open_sample}
ENTRY_POINTS = "eatlas.sources"


def open_vectors(spec: Any) -> VectorSource:
    """Open vectors.

    Parameters
    ----------
    spec : str, path or object
        A path to a file (``.txt``, ``.vec``, ``.csv``, ``.tsv``); the name of a source
        (``"glove-sample"``); a mapping from words to vectors; a pair (words, array); a pandas
        frame; gensim ``KeyedVectors``; or a :class:`VectorSource`, returned as it is.

    Returns
    -------
    VectorSource

    Raises
    ------
    SourceError
        If there is no such source, or what it holds are not vectors.

    Examples
    --------
    >>> open_vectors({"up": [1.0, 0.0], "down": [0.0, 1.0]}).dim
    2
    """
    if isinstance(spec, str | Path):
        return _open_string(spec)
    if isinstance(spec, VectorSource):
        return spec
    if isinstance(spec, Mapping):
        return from_mapping(spec)
    if isinstance(spec, tuple) and len(spec) == 2:
        return ArraySource(list(spec[0]), spec[1])
    if hasattr(spec, "index_to_key") and hasattr(spec, "vectors"):
        return from_keyed_vectors(spec)
    if hasattr(spec, "columns") and hasattr(spec, "to_numpy"):
        return from_frame(spec)
    raise SourceError(
        "this cannot be opened as vectors",
        got=type(spec).__name__,
        allowed="a path, a source name, a dict, (words, array), a pandas frame or KeyedVectors",
    )


def _open_string(spec: str | Path) -> VectorSource:
    path = Path(spec)
    if path.exists():
        return _open_path(path)
    opener = named_sources().get(str(spec))
    if opener is not None:
        return opener()
    raise _no_such(str(spec))


def _open_path(path: Path) -> VectorSource:
    if path.is_dir():
        raise SourceError(f"{path}: this is a directory", allowed="a file of vectors")
    opener = BY_SUFFIX.get(path.suffix.lower())
    if opener is None:
        raise SourceError(
            f"{path}: this kind of file is not known",
            got=path.suffix or "no suffix",
            allowed=", ".join(BY_SUFFIX),
        )
    return opener(path)


@cache
def named_sources() -> dict[str, Callable[[], VectorSource]]:
    """Sources by name; other packages add theirs as entry points."""
    return BY_NAME | {p.name: p.load() for p in entry_points(group=ENTRY_POINTS)}


def _no_such(spec: str) -> SourceError:
    if Path(spec).suffix.lower() in BY_SUFFIX or "/" in spec or "\\" in spec:
        return SourceError(f"{spec}: there is no such file", remedy="check the path")
    names = list(named_sources())
    near = difflib.get_close_matches(spec, names, n=1)
    return SourceError(
        f"there are no vectors called {spec!r}",
        allowed=f"a file ({', '.join(BY_SUFFIX)}) or one of: {', '.join(names)}",
        remedy=f"did you mean {near[0]}?" if near else None,
    )
