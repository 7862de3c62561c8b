"""From a source string, or an object that holds vectors, to a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.care import require_trust
from eatlas.errors import SourceError, described
from eatlas.nearest import nearest
from eatlas.sources.cbow import SCHEME, open_cbow
from eatlas.sources.files import open_file
from eatlas.sources.frequency.counts import OPTION as COUNTS
from eatlas.sources.frequency.counts import CountedOrder, CountedSource
from eatlas.sources.memory import ArraySource, from_frame, from_keyed_vectors, from_mapping
from eatlas.sources.misnamed import file_like, missing_folder
from eatlas.sources.protocol import VectorSource
from eatlas.sources.published import published_vectors
from eatlas.sources.published.registry import on_this_machine
from eatlas.sources.sample import NAME as SAMPLE
from eatlas.sources.sample import open_sample
from eatlas.sources.schemes import known_schemes, load, opener_of
from eatlas.sources.series import is_series, open_series
from eatlas.sources.spec import FileSpec, is_there, parse_file_spec, take_option
from eatlas.sources.transforms import with_transform

SUFFIXES = (
    ".txt", ".vec", ".bin", ".csv", ".tsv", ".kv", ".model", ".npy", ".npz", ".safetensors",
    ".parquet", ".h5", ".hdf5", ".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".tgz",
)  # fmt: skip
BY_NAME: dict[str, Callable[[], VectorSource]] = {SAMPLE: open_sample}
ENTRY_POINTS = "eatlas.sources"
_SCHEME = re.compile(r"[a-z][a-z0-9+]+:(//|(?!.*\.))", re.ASCII)
"""Such as hf:bert-base-uncased or https://...; a name with a full stop may be that of a file."""


def open_vectors(spec: Any) -> VectorSource:
    """Open vectors.

    Parameters
    ----------
    spec : str, path or object
        A path to a file of vectors in any known format, with options after ``?`` and a member of
        an archive after ``#`` (``"vectors.npy?vocab=words.txt"``); the name of a source
        (``"glove-sample"``); ``cbow:`` before either of these, for sentences as the mean of their
        words (:class:`eatlas.sources.CBOWSource`); any of these with a transform
        (``"glove-sample?transform=center"``, see :func:`eatlas.transformed`); a mapping
        from words to vectors; a pair (words, array); a pandas frame; gensim ``KeyedVectors``, or a
        model that has them; a function that takes a list of texts and returns a vector for each
        (:class:`eatlas.encoders.functions.FunctionSource`), or its place,
        ``"py:module:function"``; or a :class:`VectorSource`, returned as it is.

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
    if isinstance(spec, str) and not spec.strip():
        raise SourceError("no vectors are named", got="an empty text", allowed="a file, a name")
    if isinstance(spec, str | Path):
        return _open_string(spec)
    if isinstance(spec, VectorSource) and not isinstance(spec, type):
        return spec
    return _open_object(spec)


def _open_object(spec: Any) -> VectorSource:
    if isinstance(spec, Mapping):
        return from_mapping(spec)
    if is_pair(spec):
        return ArraySource(list(spec[0]), spec[1])
    if hasattr(spec, "columns") and hasattr(spec, "to_numpy"):
        return from_frame(spec)
    keyed = getattr(spec, "wv", spec)  # gensim's models keep their KeyedVectors there
    if hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors"):
        return from_keyed_vectors(keyed)
    if callable(spec) and not isinstance(spec, type):
        source: VectorSource = load("eatlas.encoders.functions:FunctionSource")(spec)
        return source
    raise SourceError(
        "this cannot be opened as vectors",
        got=described(spec),
        allowed="a path, a source name, a dict, (words, array), a pandas frame, KeyedVectors, "
        "or a function of texts",
        remedy="hand over the words too: (words, array)" if isinstance(spec, np.ndarray) else None,
    )


def open_sources(spec: Any) -> tuple[VectorSource, ...]:
    """Open vectors, or every period of a series.

    Parameters
    ----------
    spec : str, path or object
        What :func:`open_vectors` takes, or a folder of vectors by year, with
        ``?from=YEAR&to=YEAR`` for some of them.

    Returns
    -------
    tuple of VectorSource
        One; of a series, one for each year, all under its name.

    Raises
    ------
    SourceError
        If there is no such source, or what it holds are not vectors.
    """
    if isinstance(spec, str | Path):
        bare, counts = take_option(str(spec), COUNTS)
        if counts is not None:
            order = CountedOrder(Path(counts))
            return tuple(CountedSource(source, order) for source in open_sources(bare))
        plain, transform = take_option(str(spec), "transform")
        opener = opener_of(plain)
        if opener is not None:
            several = opener(plain)
            return several if transform is None else _each(several, transform)
        file = _file(plain)
        if is_series(file.path):
            periods = open_series(file, str(spec))
            return periods if transform is None else _each(periods, transform, str(spec))
    return (open_vectors(spec),)


def _each(
    sources: tuple[VectorSource, ...], transform: str, name: str | None = None
) -> tuple[VectorSource, ...]:
    """Sources such as the periods of a series, each transformed by a fit on its own vectors."""
    return tuple(with_transform(source, transform, name) for source in sources)


def is_pair(spec: object) -> bool:
    """Whether this is (words, array); any other tuple is a list of several sources.

    >>> is_pair((["up", "down"], [[1, 0], [0, 1]])), is_pair(("glove-sample", "mine.txt"))
    (True, False)
    """
    if not isinstance(spec, tuple) or len(spec) != 2:
        return False
    words, array = spec
    is_source = is_pair(words) or hasattr(words, "columns")
    return not is_source and not any(
        isinstance(part, str | Path | Mapping | VectorSource)
        or hasattr(part, "index_to_key")
        or hasattr(part, "wv")
        for part in (words, array)
    )


def _open_string(spec: str | Path) -> VectorSource:
    path = Path(spec)
    if is_there(path) and not is_series(path):
        return open_file(path)
    if str(spec).startswith(SCHEME):
        return open_cbow(_open_string(str(spec).removeprefix(SCHEME)))
    bare, counts = take_option(str(spec), COUNTS)
    if counts is not None:
        order = CountedOrder(Path(counts))
        return CountedSource(_open_string(bare), order)
    plain, transform = take_option(str(spec), "transform")
    if transform is not None:
        return with_transform(_open_string(plain), transform, str(spec))
    kind = opener_of(str(spec))
    if kind is not None:
        return _only_one(kind(str(spec)), str(spec))
    named = named_sources().get(str(spec))
    return _open_path(str(spec)) if named is None else named()


def _open_path(spec: str) -> VectorSource:
    file = _file(spec)
    if not is_there(file.path):
        raise _no_such(file, spec)
    if is_series(file.path):
        return _one_period(file, spec)
    return open_file(file.path, file.options, file.member, name=spec)


def _file(text: str) -> FileSpec:
    """The file that a source string is about; a name of published vectors stands for theirs."""
    file = parse_file_spec(text)
    known = is_there(file.path) or str(file.path) in named_sources()
    return file if known else on_this_machine(file)


def _only_one(sources: tuple[VectorSource, ...], text: str) -> VectorSource:
    if len(sources) == 1:
        return sources[0]
    names = ", ".join(source.name for source in sources)
    raise SourceError(
        f"{text}: these are {len(sources)} sources, and one is needed here",
        allowed=names,
        remedy="take one; eatlas run takes all of them",
    )


def _one_period(file: FileSpec, name: str) -> VectorSource:
    periods = open_series(file, name)
    if len(periods) == 1:
        return periods[0]
    years = [source.period for source in periods]
    raise SourceError(
        f"{name}: this is a series of {len(years)} periods, and one source is needed here",
        allowed=", ".join(map(str, years)),
        remedy=f"take one: {file.path}?period={years[-1]}; eatlas run takes the whole series",
    )


def _meant(path: Path, published: list[str]) -> str:
    """The file beside a missing one, or where the path breaks off; else published vectors."""
    if file := file_like(path):
        return f"did you mean {file}?"
    if folder := missing_folder(path):
        return f"check the path: there is no folder {folder}"
    close = nearest(path.name, published)
    if close and Path(close[0]).stem.casefold() in path.name.casefold():
        return f"check the path, or fetch published vectors: eatlas data fetch {close[0]}"
    return "check the path"


@cache
def named_sources() -> dict[str, Callable[[], VectorSource]]:
    """Sources by name; other packages add theirs as entry points, loaded when they are opened."""
    return BY_NAME | {p.name: partial(_of_package, p) for p in entry_points(group=ENTRY_POINTS)}


def _of_package(point: EntryPoint) -> VectorSource:
    """Open what another package registers under a name."""
    require_trust(f"call {point.value}, which an installed package registers as {point.name}")
    source: VectorSource = point.load()()
    return source


def _no_such(file: FileSpec, text: str) -> SourceError:
    spec, names = str(file.path), list(named_sources())
    published = [entry.name for entry in published_vectors()]
    scheme = _SCHEME.match(text)
    if scheme:
        return SourceError(
            f"{text}: there are no vectors of the kind {scheme[0]}",
            allowed=f"a file, one of: {', '.join(names)}, {SCHEME} and either of these, "
            f"or {known_schemes()} and what it takes",
            remedy="save the vectors in a file, and name that",
        )
    if spec in names:
        return SourceError(
            f"{text}: unknown option",
            got=text.removeprefix(spec),
            allowed=f"{spec}, which has none",
        )
    parts = [part.strip() for part in spec.split(",")]
    near = nearest(spec, [*names, *published])
    remedy = f"did you mean {near[0]}?" if near else None
    if len(parts) > 1 and all(part in (*names, *published) or is_there(part) for part in parts):
        options = " ".join(f"--vectors {part}" for part in parts)
        remedy = f"repeat the option: {options}; in Python, give a list"
    elif Path(spec).suffix.lower() in SUFFIXES or "/" in spec or "\\" in spec:
        return SourceError(f"{spec}: there is no such file", remedy=_meant(Path(spec), published))
    return SourceError(
        f"there are no vectors called {spec!r}",
        allowed=f"a file ({', '.join(SUFFIXES)}), one of: {', '.join(names)}, "
        "or published vectors: eatlas data list",
        remedy=remedy,
    )
