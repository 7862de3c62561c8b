"""Transforms of a source: remedies for anisotropy, fitted on all its vectors, and debiasing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError, nearest
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.debiasing import METHODS, DebiasedSource, Debiasing, parse_debiasing
from eatlas.sources.interface import (
    CHUNK,
    Answers,
    ContextualSource,
    Found,
    Item,
    Tell,
    Vector,
    VectorSource,
    cut,
    usable,
)
from eatlas.sources.mapped import Mapped, moments_of
from eatlas.sources.source import Source, Wrapper, as_source, is_contextual
from eatlas.sources.spec import with_option
from eatlas.stats.inputs import SINGLE
from eatlas.stats.space import Affine, standardize, whiten, without_top

Array = NDArray[np.float64]

ALLOWED = (
    "center, standardize, whiten, all-but-the-top:K, hard-debias:SETS, soft-debias:SETS, "
    "double-hard:SETS, inlp:SETS; several in order with commas"
)
TOP = "all-but-the-top"
_PLAIN: dict[str, Callable[[Array], Array] | None] = {
    "center": None,
    "standardize": standardize,
    "whiten": whiten,
}
_WITH_NUMBER = re.compile(rf"{TOP}:([1-9][0-9]{{0,5}})")


@dataclass(frozen=True)
class Step:
    """One transform: its canonical text, and how its matrix follows from a covariance.

    Every transform also subtracts the mean; ``center`` does nothing else.
    """

    text: str
    matrix: Callable[[Array], Array] | None
    least: Callable[[int], int]
    """Vectors that are needed, from the number of dimensions."""


def parse_transforms(text: str) -> tuple[Step | Debiasing, ...]:
    """Read transforms as source strings write them."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(parse_debiasing(part) or _parse_step(part.lower()) for part in parts)


def _parse_step(text: str) -> Step:
    """Read one transform."""
    if text in _PLAIN:
        # a covariance of no more rows than dimensions makes all whitened rows equally distant
        least = (lambda dim: dim + 2) if text == "whiten" else (lambda _: 2)
        return Step(text, _PLAIN[text], least)
    found = _WITH_NUMBER.fullmatch(text)
    if found is None:
        raise SourceError(
            "unknown transform", got=repr(text), allowed=ALLOWED, remedy=_remedy(text)
        )
    k = int(found[1])
    return Step(text, lambda covariance: without_top(covariance, k), lambda _: 2)


def _remedy(text: str) -> str | None:
    if text.startswith(TOP):
        return f"{TOP} needs a number of components, about a hundredth of the dimensions: {TOP}:3"
    near = nearest(text.partition(":")[0], [*_PLAIN, TOP, *METHODS])
    return f"did you mean {near[0]}?" if near else None


class TransformedSource(Mapped):
    """A source whose vectors have been transformed.

    Vectors that are zero stay zero, and those that the transform takes to zero become exactly
    zero; both count as missing, with that reason. All vectors come in double precision, whatever
    the source holds: rounded to single, the last bits of a fit, which depend on the machine, would
    grow by nine digits where they turn a rounding.
    """

    def __init__(
        self, source: VectorSource, steps: tuple[Step, ...], name: str | None = None
    ) -> None:
        before: tuple[Step, ...] = ()
        if isinstance(source, TransformedSource):  # one pass over the vectors does for all steps
            before, source = source.steps, source.source
        super().__init__(source, name)
        self.steps: tuple[Step, ...] = before + steps

    @property
    def own(self) -> str:
        """The transforms as a source string writes them."""
        return ",".join(step.text for step in self.steps)

    @property
    def gain(self) -> float:
        """How many times longer the transform makes a small random difference of two vectors."""
        return self._affine.gain

    @property
    def fitted_on(self) -> int:
        """Number of vectors that the transform was fitted on."""
        number: int = self._fit[1]
        return number

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the source, the transforms, and how many vectors they were fitted on."""
        return f"{self.source.fingerprint};transform={self.own};fitted_on={self.fitted_on}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the source, and one on the transform."""
        return (
            *self.source.notes,
            Note(
                "source.transformed",
                values={"by": self.own, "count": self.fitted_on, "source": self.source.name},
            ),
        )

    def transform_all(self, found: Mapping[str, Vector]) -> dict[str, Vector]:
        """Transform vectors that are, or might be, of the source."""
        if not found:
            return {}
        rows = self._affine.rows(np.stack([np.asarray(v, np.float64) for v in found.values()]))
        return dict(zip(found, rows, strict=True))

    def iter_chunks(self, rows: int = CHUNK) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their transformed vectors, `rows` at a time."""
        for words, vectors in super().iter_chunks(rows):
            yield words, self._affine.rows(usable(vectors, words, self.source.name), bulk=True)

    @property
    def _affine(self) -> Affine:
        return self._fit[0]

    @cached_property
    def _fit(self) -> tuple[Affine, int]:
        """Fit the steps to the source's vectors: an affine map, and the number of vectors."""
        moments = moments_of(self.source)
        if not moments.n:  # as a decade of HistWords may be: every term is missing anyway
            return Affine(np.zeros(self.dim)), 0
        where = f"{self.source.name}: the transform {self.own}"
        least = max(step.least(self.dim) for step in self.steps)
        if moments.n < least:
            raise SourceError(
                f"{where} cannot be fitted",
                got=f"{moments.n} vectors that are not zero, of {self.dim} components",
                allowed=f"{least} vectors or more",
                remedy="center needs the fewest" if least > 2 else None,
            )
        affine, covariance = Affine(moments.mean), moments.covariance()
        try:
            for step in self.steps:
                matrix = None if step.matrix is None else step.matrix(covariance)
                covariance = Affine(moments.mean, matrix).covariance(covariance)
                affine = affine.then(matrix)
        except EatlasError as error:
            raise SourceError(
                f"{where}: {error.what}", got=error.got, allowed=error.allowed
            ) from error
        return affine, moments.n


class EncodedTexts(Source):
    """The vectors of some items of an encoder, as a source that can be read from end to end."""

    def __init__(
        self, source: VectorSource, items: Collection[Item], tell: Tell | None = None
    ) -> None:
        self.source = as_source(source)
        self.items = sorted(set(items), key=lambda one: (one.content, one.span or (0, 0)))
        self._tell = tell

    @property
    def name(self) -> str:
        """That of the source."""
        return self.source.name

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def fingerprint(self) -> str:
        """That of the source, and a hash of the items."""
        digest = hashlib.sha256()
        for one in self.items:
            digest.update(f"{one.sha256 or one.content}\0{one.span}\0".encode())
        return f"{self.source.fingerprint};texts={digest.hexdigest()[:16]}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the source."""
        return self.source.notes

    @property
    def expected(self) -> int:
        """How many items there are."""
        return len(self.items)

    @cached_property
    def found(self) -> Mapping[Item, Found]:
        """The answer of the source to each item."""
        return self.source.answers(self.items, self._tell)

    @cached_property
    def rows(self) -> Mapping[Item, Vector]:
        """The vector of each item that has one, in the order of the items."""
        found = ((one, self.found[one].vector) for one in self.items if one in self.found)
        return {one: vector for one, vector in found if vector is not None}

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer items by their texts; the first of several of one text."""
        first: dict[str, Item] = {}
        for one in self.rows:
            first.setdefault(one.content, one)
        yield {one: self.found[first[one.content]] for one in items if one.content in first}

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All texts with their vectors, `rows` at a time."""
        for some in cut(self.rows.items(), rows):
            yield [one.content for one, _ in some], np.stack([vector for _, vector in some])


class TransformedEncodings(Wrapper):
    """Vectors of an encoder, transformed by what is fitted on all that is encoded at once.

    A run encodes the items of all its tests at once, so the fit is on those; the same test in
    another run gives other numbers. Name, notes and fingerprint say so.
    """

    def __init__(self, source: VectorSource, steps: tuple[Step, ...]) -> None:
        super().__init__(source)
        self.steps = steps
        self._fitted: TransformedSource | None = None
        self._growth: float | None = None
        self._given: float | None = None

    @property
    def transform(self) -> str:
        """The transforms as a source string writes them."""
        return ",".join(step.text for step in self.steps)

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return with_option(self.source.name, f"transform={self.transform}")

    @property
    def encoding(self) -> Encoding:
        """That of the source, with the rounding error that the transform leaves."""
        encoding = cast("ContextualSource", self.source).encoding
        if self._growth is None:
            return encoding
        given = encoding.roundoff or self._given
        return encoding.model_copy(update={"roundoff": given and given * self._growth})

    @property
    def fingerprint(self) -> str:
        """That of the source and the transforms; once something is encoded, of its texts too."""
        if self._fitted is not None:
            return self._fitted.fingerprint
        return f"{self.source.fingerprint};transform={self.transform}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the source, and one on the transform."""
        return super().notes if self._fitted is None else self._fitted.notes

    def answers(self, items: Collection[Item], tell: Tell | None = None) -> dict[Item, Found]:
        """Encode items, fit the transform on them, and transform them."""
        texts = EncodedTexts(self.source, items, tell)
        self._fitted = TransformedSource(texts, self.steps)
        rows = [vector for _, block in self._fitted.iter_chunks() for vector in block]
        vectors = list(texts.rows.values())
        first: dict[bytes, int] = {}  # texts that share a vector share its image, bit for bit
        rows = [rows[first.setdefault(v.tobytes(), i)] for i, v in enumerate(vectors)]
        if vectors:
            self._given = SINGLE if vectors[0].dtype == np.float32 else None
            self._growth = _growth(np.stack(vectors), np.stack(rows), self._fitted.gain)
        images = dict(zip(texts.rows, rows, strict=True))
        return {one: replace(f, vector=images.get(one)) for one, f in texts.found.items()}

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer all items at once: the transform is fitted on them."""
        yield self.answers(items)


def _growth(before: NDArray[np.floating], after: NDArray[np.floating], gain: float) -> float:
    """How many times larger a transform makes the rounding error of a vector, beside its length.

    A vector that is short when the mean is taken off keeps the error that it had when it was long.
    The median over vectors, 1 or more.
    """
    lengths = np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)
    left = lengths[1] > 0
    if not left.any():
        return 1.0
    return max(1.0, gain * float(np.median(lengths[0][left] / lengths[1][left])))


def with_transform(
    source: VectorSource, transform: str, name: str | None = None
) -> TransformedSource | DebiasedSource | TransformedEncodings:
    """Transform vectors: all that a source has, or all that it will encode at once."""
    steps = parse_transforms(transform)
    linear = tuple(step for step in steps if isinstance(step, Step))
    if is_contextual(source):
        if len(linear) < len(steps):
            raise SourceError(
                f"{source.name}: debiasing is of vectors of words, and this source encodes texts",
                got=transform,
                allowed="files and arrays of word vectors",
            )
        return TransformedEncodings(source, linear)
    mapped: Any = source
    for number, step in enumerate(steps, start=1):
        label = name if number == len(steps) else None
        if isinstance(step, Debiasing):
            mapped = DebiasedSource(mapped, step, label)
        else:  # one after another is fitted at once
            mapped = TransformedSource(mapped, (step,), label)
    return cast("TransformedSource | DebiasedSource", mapped)
