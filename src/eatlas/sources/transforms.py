"""Transforms of a source, fitted on all its vectors: those that eatlas brings remedy anisotropy."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError, nearest
from eatlas.kernels.cosines import Moments
from eatlas.notes import Note
from eatlas.plugins import call_point, points, require_point
from eatlas.results.parts import Encoding
from eatlas.sources.memory import ArraySource
from eatlas.sources.source import (
    CHUNK,
    Answers,
    Found,
    Item,
    Source,
    Tell,
    Vector,
    Wrapper,
    require_usable,
    rows_of,
)
from eatlas.sources.spec import escape, with_option
from eatlas.stats.inputs import SINGLE
from eatlas.stats.space import Affine, standardize, whiten, with_rows, without_top

Array = NDArray[np.float64]

ENTRY_POINTS = "eatlas.transforms"
TOP = "all-but-the-top"
LINEAR = ("center", "standardize", "whiten", TOP)
"""Transforms that eatlas brings."""
_LINEAR = re.compile(rf"center|standardize|whiten|{TOP}:[1-9][0-9]{{0,5}}")

Map = Callable[[Sequence[str], Array, bool], Array]
"""From words, their vectors of shape (n, d), and whether they are many, to other vectors."""


class Fit(NamedTuple):
    """What a transform does to the vectors of a source."""

    map: Map
    notes: tuple[Note, ...]
    mark: str
    """What the fingerprint says of it."""
    gain: float = 1.0
    """How many times longer a small random difference of two vectors becomes, on average."""


@dataclass(frozen=True)
class TransformStep:
    """One transform of a source.

    A package adds a transform by a function from its text in a source string, such as
    ``hard-debias:gender``, to a step: an entry point of the group ``eatlas.transforms``, whose name
    is the text before the first colon.

    Parameters
    ----------
    text : str
        The transform as a source string writes it.
    fit : callable
        Fits it to all vectors of a source, and returns a :class:`Fit`.
    of_words : str
        What it is, such as "debiasing", if vectors of words alone can have it.
    """

    text: str
    fit: Callable[[Source], Fit]
    of_words: str = ""


def parse_transforms(text: str) -> list[TransformStep]:
    """Read transforms as source strings write them; neighbouring linear ones are one step."""
    parts = map(str.strip, text.split(","))
    steps: list[TransformStep] = []
    for is_linear, group in groupby(parts, lambda part: _name_of(part) in LINEAR):
        if is_linear:
            steps.append(_linear_step([part.lower() for part in group]))
        else:
            steps += map(_step_of_package, group)
    return steps


def _name_of(part: str) -> str:
    return part.partition(":")[0].lower()


def _step_of_package(text: str) -> TransformStep:
    """Have a package read the transform that it adds."""
    unknown = _unknown(text, [*LINEAR, *points(ENTRY_POINTS, LINEAR)])
    point = require_point("transforms", _name_of(text), unknown, LINEAR)
    step: TransformStep = call_point(point, TransformStep, text)
    return step


def _linear_step(parts: Sequence[str]) -> TransformStep:
    """Make one step of linear transforms."""
    for part in parts:
        if not _LINEAR.fullmatch(part):
            raise _unknown(part, [*LINEAR, *points(ENTRY_POINTS, LINEAR)])
    return TransformStep(",".join(parts), partial(_fit_linear, parts))


def _unknown(text: str, known: Sequence[str]) -> SourceError:
    """The error for an unknown transform, or for one that lacks its number."""
    near = nearest(_name_of(text), [name for name in known if name != TOP])
    remedy = f"did you mean {near[0]}?" if near else None
    if text.startswith(TOP):
        remedy = f"{TOP} needs a number of components, a hundredth of the dimensions: {TOP}:3"
    names = ", ".join(f"{TOP}:K" if name == TOP else name for name in known)
    allowed = f"{names}; several in order with commas"
    return SourceError("unknown transform", got=repr(text), allowed=allowed, remedy=remedy)


def _fit_linear(steps: Sequence[str], source: Source) -> Fit:
    """Fit linear transforms at once; each also subtracts the mean: ``center`` no more."""
    moments = Moments(0, np.zeros(source.dim), np.zeros((source.dim, source.dim)))
    for _, rows in rows_of(source):
        there = rows.any(axis=1)
        if there.any():
            moments = with_rows(moments if moments.n else None, rows[there])
    # a covariance of no more rows than dimensions makes all whitened rows equally distant
    least = source.dim + 2 if "whiten" in steps else 2
    matrix: Array | None = None
    if moments.n >= least:
        covariance = moments.scatter / (moments.n - 1)
        for step in steps:
            if step != "center":
                move = _matrix(step, covariance)
                covariance = move.T @ covariance @ move
                matrix = move if matrix is None else matrix @ move
    elif moments.n:  # where there are none, as in a decade of HistWords, every term is missing
        raise EatlasError(
            "too few nonzero vectors",
            got=f"{moments.n} nonzero vectors with {source.dim} components",
            allowed=f"{least} or more",
            remedy="center needs the fewest" if least > 2 else None,
        )
    affine = Affine(moments.mean, matrix)

    def apply_affine(_: Sequence[str], rows: Array, bulk: bool) -> Array:  # noqa: FBT001
        return affine.rows(rows, bulk=bulk)

    values = {"by": ",".join(steps), "count": moments.n, "source": source.name}
    note = Note("source.transformed", values=values)
    return Fit(apply_affine, (note,), f"fitted_on={moments.n}", affine.gain)


def _matrix(step: str, covariance: Array) -> Array:
    """The matrix of a linear transform, by the covariance of the vectors."""
    if step.startswith(TOP):
        return without_top(covariance, int(step.partition(":")[2]))
    return standardize(covariance) if step == "standardize" else whiten(covariance)


@contextmanager
def locate_errors(label: str) -> Iterator[None]:
    """Say where an error of the arithmetic arose."""
    try:
        yield
    except SourceError:
        raise
    except EatlasError as error:
        what = f"{label}: {error.what}"
        raise SourceError(
            what, got=error.got, allowed=error.allowed, remedy=error.remedy
        ) from error


def fit_step(step: TransformStep, source: Source) -> Fit:
    """Fit a transform to all vectors of a source; an error names both."""
    with locate_errors(f"{source.name}: the transform {step.text}"):
        return step.fit(source)


class TransformedSource(Wrapper):
    """A source whose vectors are mapped to others, word by word.

    Vectors that are zero stay zero, and those that the transform takes to zero become exactly
    zero; both count as missing, with that reason. All vectors come in double precision, whatever
    the source holds: rounded to single, the last bits of a fit, which depend on the machine, would
    grow by nine digits where they turn a rounding.
    """

    def __init__(self, source: Source, step: TransformStep, name: str | None = None) -> None:
        super().__init__(source)
        self.source.require_listed("a transform is fitted on all vectors")
        self.step = step
        self.original, self.transform = self.source, step.text
        if isinstance(source, TransformedSource):
            self.original, self.transform = source.original, f"{source.transform},{step.text}"
        self._name = name

    @cached_property
    def fit(self) -> Fit:
        """The transform, fitted to the vectors of the source on first use."""
        return fit_step(self.step, self.source)

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return self._name or with_option(self.original.name, f"transform={escape(self.transform)}")

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the source, the transform, and what it was fitted on or its word sets."""
        return f"{self.source.fingerprint};transform={self.step.text};{self.fit.mark}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the source, and what was done to which words."""
        return (*self.source.notes, *self.fit.notes)

    def transform_all(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """Map vectors that are, or might be, of the source, by their words."""
        if not vectors:
            return {}
        rows = np.stack([np.asarray(vector, np.float64) for vector in vectors.values()])
        return dict(zip(vectors, self.fit.map([*vectors], rows, False), strict=True))  # noqa: FBT003

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their mapped vectors, `rows` at a time."""
        for words, vectors in self.source.iter_chunks(rows):
            require_usable(vectors, self.source.name, words)
            yield words, self.fit.map(words, vectors.astype(np.float64), True)  # noqa: FBT003

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Map the vectors of the source."""
        for batch in self.source.vectors(items):
            vectors = {item.content: f.vector for item, f in batch.items() if f.vector is not None}
            images = self.transform_all(vectors)
            yield {item: replace(f, vector=images.get(item.content)) for item, f in batch.items()}


def _place(item: Item) -> tuple[str, tuple[int, int]]:
    return item.content, item.span or (0, 0)


def table_of_answers(source: Source, answers: Mapping[Item, Found]) -> ArraySource:
    """The vectors that an encoder answered, as a table that can be read from end to end."""
    vectors = {item: answer.vector for item, answer in answers.items() if answer.vector is not None}
    items = sorted(vectors, key=_place)
    rows = [vectors[item] for item in items]
    return ArraySource([item.content for item in items], rows, name=source.name)


class TransformedEncodings(Wrapper):
    """Vectors of an encoder, transformed by what is fitted on all that is encoded at once.

    A run encodes the items of all its tests at once, so the fit is on those; the same test in
    another run gives other numbers. Name, notes and fingerprint say so.
    """

    def __init__(self, source: Source, step: TransformStep) -> None:
        super().__init__(source)
        self.step = step
        self.option = self.mark = f"transform={step.text}"
        self._encoding: Encoding | None = None

    @property
    def encoding(self) -> Encoding | None:
        """That of the source, with the rounding error that the transform leaves."""
        return self._encoding or self.source.encoding

    def answers(self, items: Collection[Item], tell: Tell | None = None) -> dict[Item, Found]:
        """Encode items, fit the transform on them, and transform them."""
        answers = self.source.answers(items, tell)
        vectors = {item: f.vector for item, f in answers.items() if f.vector is not None}
        if not vectors:
            return answers
        fit = fit_step(self.step, table_of_answers(self.source, answers))
        digest = hashlib.sha256()
        for item in sorted(vectors, key=_place):
            digest.update(f"{item.sha256 or item.content}\0{item.span}\0".encode())
        self.mark = f"{self.option};{fit.mark};texts={digest.hexdigest()[:16]}"
        self.added = fit.notes
        rows = np.stack([*vectors.values()])
        # texts that share a vector share its image, bit for bit
        distinct, which = np.unique(rows.astype(np.float64), axis=0, return_inverse=True)
        images = fit.map((), distinct, True)[which.ravel()]  # noqa: FBT003
        encoding = self.source.encoding
        if encoding is not None:
            roundoff = encoding.roundoff or (SINGLE if rows.dtype == np.float32 else None)
            grown = roundoff and roundoff * _growth(rows, images, fit.gain)
            self._encoding = encoding.model_copy(update={"roundoff": grown})
        image_of = dict(zip(vectors, images, strict=True))
        return {item: replace(f, vector=image_of.get(item)) for item, f in answers.items()}

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer all items at once: the transform is fitted on them."""
        yield self.answers(items)


def _growth(before: NDArray[np.floating], after: Array, gain: float) -> float:
    """How many times larger a transform makes the rounding error of a vector, beside its length.

    A vector that is short when the mean is taken off keeps the error that it had when it was long.
    The median over vectors, 1 or more.
    """
    old, new = np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)
    left = new > 0
    return max(1.0, gain * float(np.median(old[left] / new[left]))) if left.any() else 1.0


def with_transform(
    source: Source, transform: str, name: str | None = None
) -> TransformedSource | TransformedEncodings:
    """Transform vectors: all that a source has, or all that it will encode at once."""
    steps = parse_transforms(transform)
    if source.encodes:
        what = next((step.of_words for step in steps if step.of_words), "")
        if what or len(steps) > 1:
            what = what or "a sequence of transforms"
            raise SourceError(
                f"{source.name}: {what} is for word vectors, but this source encodes texts",
                got=transform,
                allowed="files and arrays of word vectors",
            )
        return TransformedEncodings(source, steps[0])
    for step in steps[:-1]:
        source = TransformedSource(source, step)
    return TransformedSource(source, steps[-1], name)
