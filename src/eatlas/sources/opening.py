"""From a source string, or an object that holds vectors, to a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from eatlas.errors import SourceError, described, nearest
from eatlas.paths import is_there
from eatlas.plugins import called, points, unusable
from eatlas.results.settings import known_sources
from eatlas.sources.frequency_order import OPTION as COUNTS
from eatlas.sources.frequency_order import CountedOrder, CountedSource
from eatlas.sources.memory import (
    SAMPLE,
    ArraySource,
    from_frame,
    from_keyed_vectors,
    from_mapping,
    open_sample,
)
from eatlas.sources.source import Source, as_source, is_source
from eatlas.sources.spec import (
    PROMPT,
    PROMPTS,
    SUFFIXES,
    FileSpec,
    file_like,
    load,
    parse_file_spec,
    take_option,
)
from eatlas.sources.wrappers import CBOW, is_series, open_cbow, open_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from gensim.models import KeyedVectors
    from numpy.typing import ArrayLike

    from eatlas.sources.transforms import TransformedEncodings, TransformedSource

VectorsLike: TypeAlias = (
    "str | Path | Source | Mapping[str, ArrayLike] | tuple[Sequence[str], ArrayLike] "
    "| pd.DataFrame | KeyedVectors | Callable[[list[str]], ArrayLike]"
)
"""What :func:`open_vectors` opens: a source string, a source, words with their vectors, or a
function that encodes texts."""
Opener = Callable[[str], Any]
"""From a whole source string, its scheme and options included, to a source, or a tuple of some."""
SCHEMES: dict[str, str | Opener] = {
    "clip": "eatlas.encoders.opening:open_clip",
    "hf": "eatlas.encoders.opening:open_hf",
    "http": "eatlas.encoders.endpoint:open_endpoint",
    "https": "eatlas.encoders.endpoint:open_endpoint",
    "py": "eatlas.encoders.functions:open_py",
    "st": "eatlas.encoders.sentence_model:open_st",
}
"""By the scheme without its colon: the place of an opener, imported when it is used. Other packages
add theirs as entry points of the group ``eatlas.schemes``."""
SCHEME_POINTS = "eatlas.schemes"
BY_NAME: dict[str, Callable[[], Source]] = {SAMPLE: open_sample}
ENTRY_POINTS = "eatlas.sources"
TRANSFORMS = "eatlas.sources.transforms:with_transform"
"""Imported when a transform is asked for."""
_SCHEME = re.compile(r"[a-z][a-z0-9+]+:(//|(?!.*\.))", re.ASCII)
"""Such as hf:bert-base-uncased or https://...; a name with a full stop may be that of a file."""


def open_vectors(spec: VectorsLike) -> Source:
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
        ``"py:module:function"``; or a :class:`eatlas.sources.Source`, or anything that has its
        facts and ``lookup``.

    Returns
    -------
    Source

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
        return _only_one(_open(str(spec)), str(spec))
    return as_source(spec) if is_source(spec) else _open_object(spec)


def _open_object(spec: Any) -> Source:
    """Open an object that holds vectors."""
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
        source: Source = load("eatlas.encoders.functions:FunctionSource")(spec)
        return source
    raise SourceError(
        "this cannot be opened as vectors",
        got=described(spec),
        allowed="a path, a source name, a dict, (words, array), a pandas frame, KeyedVectors, "
        "or a function of texts",
        remedy="hand over the words too: (words, array)" if isinstance(spec, np.ndarray) else None,
    )


def open_sources(spec: Any) -> tuple[Source, ...]:
    """Open vectors, or every period of a series."""
    if isinstance(spec, str | Path):
        return _open(str(spec))
    return (open_vectors(spec),)


def transformed(source: VectorsLike, transform: str) -> TransformedSource | TransformedEncodings:
    """Transform all vectors of a source: a remedy for anisotropy, or debiasing.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        The transform is fitted on all its vectors but zeros, so it must be readable from end to
        end; or it encodes texts, and the fit is on all that are encoded at once, as in a run.
    transform : str
        ``center`` subtracts the mean; ``standardize`` also divides each dimension by its standard
        deviation; ``all-but-the-top:K`` also removes the first K principal components (Mu and
        Viswanath 2018); ``whiten`` also gives all directions the same variance. Of vectors of
        words: ``hard-debias:SETS`` (Bolukbasi et al. 2016; Manzini et al. 2019),
        ``soft-debias:SETS`` or ``soft-debias:SETS:WEIGHT`` (the same), ``double-hard:SETS`` (Wang
        et al. 2020), ``inlp:SETS`` (Ravfogel et al. 2020); SETS is ``gender``, ``race``,
        ``religion``, a TOML file of word sets, or a test of groups. Several with commas, done in
        that order. The same as ``?transform=`` in a source string.

    Returns
    -------
    Source
        Its name, notes and fingerprint say what was done, and on what it was fitted.

    Raises
    ------
    SourceError
        If the transform is unknown or the source cannot be listed; on first use, if there are too
        few vectors, or nothing would be left of them.

    Examples
    --------
    >>> import eatlas
    >>> source = eatlas.transformed({"up": [2.0, 1.0], "down": [0.0, 1.0]}, "center")
    >>> source.lookup(["up"])["up"].tolist(), str(source.notes[0])
    ([1.0, 0.0], 'Vectors transformed by center, fitted on 2 vectors of dict.')
    """
    made: TransformedSource | TransformedEncodings
    made = load(TRANSFORMS)(open_vectors(source), transform)
    return made


def is_pair(spec: object) -> bool:
    """Whether this is (words, array); any other tuple is a list of several sources.

    >>> is_pair((["up", "down"], [[1, 0], [0, 1]])), is_pair(("glove-sample", "mine.txt"))
    (True, False)
    """
    if not isinstance(spec, tuple) or len(spec) != 2 or is_pair(spec[0]):
        return False
    marks = ("columns", "index_to_key", "wv")
    return not hasattr(spec[0], "columns") and not any(
        isinstance(part, str | Path | Mapping)
        or is_source(part)
        or any(hasattr(part, mark) for mark in marks[1:])
        for part in spec
    )


def _open(text: str, series: str | None = None) -> tuple[Source, ...]:
    """Open a source string: a file, or the wrappers of a source and then the source.

    `series` is what names a series of periods; the text by default.
    """
    if not text.strip():
        raise SourceError("no vectors are named", got="an empty text", allowed="a file, a name")
    if is_there(text) and not is_series(Path(text)):
        return (_open_file(FileSpec(Path(text)), text),)
    if text.startswith(CBOW):
        words = text.removeprefix(CBOW)
        return (open_cbow(_only_one(_open(words), words)),)
    bare, counts = take_option(text, COUNTS)
    if counts is not None:
        order = CountedOrder(Path(counts))
        return tuple(CountedSource(source, order) for source in _open(bare))
    plain, transform = take_option(text, "transform")
    if transform is not None:
        name = None if scheme_of(plain) else text
        several = _open(plain, series=text)
        return tuple(load(TRANSFORMS)(source, transform, name) for source in several)
    return _open_plain(text, series or text)


def _open_plain(text: str, series: str) -> tuple[Source, ...]:
    """Open a source by its scheme, its name or its path."""
    if scheme := scheme_of(text):
        return _open_scheme(scheme, text)
    file = parse_file_spec(text)
    if not is_there(file.path):
        if named := named_sources().get(text):
            return (as_source(named()),)
        from eatlas.sources.published import on_this_machine  # noqa: PLC0415

        file = on_this_machine(file)
    if not is_there(file.path):
        raise _no_such(file, text)
    if is_series(file.path):
        return open_series(file, series)
    return (_open_file(file, text),)


def _open_file(file: FileSpec, name: str) -> Source:
    from eatlas.sources.files.formats import open_file  # noqa: PLC0415  (not all sources are files)

    return open_file(file.path, file.options, file.member, name=name)


def scheme_of(text: str) -> str:
    """The known scheme that a source string begins with; an existing path wins."""
    scheme, colon, _ = text.partition(":")
    if not colon or scheme not in known_schemes() or is_there(parse_file_spec(text).path):
        return ""
    return scheme


def _open_scheme(scheme: str, text: str) -> tuple[Source, ...]:
    """Open a source by its scheme; a prompt is for all kinds of what encodes texts alike."""
    plain, prompt = take_option(text, PROMPT)
    plain, several = take_option(plain, PROMPTS)
    if scheme in SCHEMES:
        place = SCHEMES[scheme]
        opened = (load(place) if isinstance(place, str) else place)(plain)
    else:
        opened = _of_package(points(SCHEME_POINTS)[scheme], object, plain)
    sources = tuple(as_source(one) for one in (opened if isinstance(opened, tuple) else (opened,)))
    if prompt is not None or several is not None:
        from eatlas.sources.prompts import PromptSet, averaged, prompted  # noqa: PLC0415

        if prompt is not None:
            sources = tuple(prompted(source, prompt) for source in sources)
        if several is not None:
            prompts = PromptSet.read(several)
            sources = tuple(averaged(source, prompts) for source in sources)
    return sources


def known_schemes() -> list[str]:
    """Schemes of eatlas, which no other package can take over, and of other packages."""
    return sorted({*SCHEMES, *points(SCHEME_POINTS, SCHEMES)})


def named_sources() -> dict[str, Callable[[], Any]]:
    """Sources by name, those of other packages with them."""
    added = points(ENTRY_POINTS, {*BY_NAME, *known_sources()})
    return BY_NAME | {name: partial(_of_package, p, object) for name, p in added.items()}


def _of_package(point: EntryPoint, kind: type[Any], *arguments: str) -> Any:
    """What another package opens."""
    from eatlas.untrusted import require_trust  # noqa: PLC0415

    require_trust(f"call {point.value}, which an installed package registers as {point.name}")
    opened = called(point, kind, *arguments)
    if not all(map(is_source, opened if isinstance(opened, tuple) else (opened,))):
        allowed = "a source: name, dim, fingerprint, notes and lookup(keys)"
        raise unusable(point, f"{point.value} returns something else", described(opened), allowed)
    return opened


def _only_one(sources: tuple[Source, ...], text: str) -> Source:
    """The only source; a series or several layers are refused."""
    if len(sources) == 1:
        return sources[0]
    years = [source.period for source in sources]
    if None in years:
        raise SourceError(
            f"{text}: these are {len(sources)} sources, and one is needed here",
            allowed=", ".join(source.name for source in sources),
            remedy="take one; eatlas run takes all of them",
        )
    raise SourceError(
        f"{text}: this is a series of {len(years)} periods, and one source is needed here",
        allowed=", ".join(map(str, years)),
        remedy=f"take one: {parse_file_spec(text).path}?period={years[-1]}; eatlas run takes "
        "the whole series",
    )


def _no_such(file: FileSpec, text: str) -> SourceError:
    """Say that there is no such source, and what may be meant."""
    from eatlas.sources.published import published_vectors  # noqa: PLC0415

    spec, names = str(file.path), list(named_sources())
    published = [entry.name for entry in published_vectors()]
    if scheme := _SCHEME.match(text):
        return SourceError(
            f"{text}: there are no vectors of the kind {scheme[0]}",
            allowed=f"a file, one of: {', '.join(names)}, {CBOW} and either of these, "
            f"or {' or '.join(f'{known}:' for known in known_schemes())} and what it takes",
            remedy="save the vectors in a file, and name that",
        )
    if spec in names:
        return SourceError(
            f"{text}: unknown option",
            got=text.removeprefix(spec),
            allowed=f"{spec}, which has none",
        )
    if Path(spec).suffix.lower() in SUFFIXES or "/" in spec or "\\" in spec:
        near = nearest(file.path.name, published)
        remedy = "check the path"
        if beside := file_like(file.path):
            remedy = f"did you mean {beside}?"
        elif near and Path(near[0]).stem.casefold() in file.path.name.casefold():
            remedy = f"check the path, or fetch published vectors: eatlas vectors fetch {near[0]}"
        return SourceError(f"{spec}: there is no such file", remedy=remedy)
    near = nearest(spec, [*names, *published])
    return SourceError(
        f"there are no vectors called {spec!r}",
        allowed=f"a file ({', '.join(SUFFIXES)}), one of: {', '.join(names)}, "
        "or published vectors: eatlas vectors list",
        remedy=f"did you mean {near[0]}?" if near else None,
    )
