"""Remedies for anisotropy: maps that are fitted on all vectors of a source, and give a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.nearest import nearest
from eatlas.sources.protocol import CHUNK, Vector, VectorSource
from eatlas.sources.series import period_of
from eatlas.sources.spec import with_option
from eatlas.sources.whole import ListedSource, require_whole, usable
from eatlas.stats.moments import Affine, Moments, standardize, whiten, without_top

Array = NDArray[np.float64]

ALLOWED = "center, standardize, whiten, all-but-the-top:K; several in order with commas"
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


def parse_transforms(text: str) -> tuple[Step, ...]:
    """Read transforms as source strings write them.

    Raises
    ------
    SourceError
        If one of them is unknown, or lacks its number.

    Examples
    --------
    >>> [step.text for step in parse_transforms("center,all-but-the-top:2")]
    ['center', 'all-but-the-top:2']
    """
    return tuple(_parse_step(part.strip().lower()) for part in text.split(","))


def _parse_step(text: str) -> Step:
    if text in _PLAIN:
        # a covariance of no more rows than dimensions makes all whitened rows equally distant
        least = (lambda dim: dim + 2) if text == "whiten" else (lambda _: 2)
        return Step(text, _PLAIN[text], least)
    found = _WITH_NUMBER.fullmatch(text)
    if found is None:
        raise SourceError(
            "unknown transform",
            got=repr(text),
            allowed=ALLOWED,
            remedy=_remedy(text),
        )
    k = int(found[1])
    return Step(text, lambda covariance: without_top(covariance, k), lambda _: 2)


def _remedy(text: str) -> str | None:
    if text.startswith(TOP):
        return f"{TOP} needs a number of components, about a hundredth of the dimensions: {TOP}:3"
    near = nearest(text, [*_PLAIN, TOP])
    return f"did you mean {near[0]}?" if near else None


class TransformedSource:
    """A source whose vectors have been transformed.

    Parameters
    ----------
    source : VectorSource
        Must be readable from end to end: the transform is fitted on all its vectors that are not
        zero, in one pass, when the first vector or the fingerprint is asked for.
    steps : tuple of Step
        In the order in which they are done.
    name : str, optional
        What names the source in results; by default the name of `source` with ``?transform=...``.

    Raises
    ------
    SourceError
        If the source cannot be read from end to end, or has too few vectors or components.

    Notes
    -----
    Vectors that are zero stay zero, and those that the transform takes to zero become exactly
    zero; both count as missing, with that reason. All vectors come in double precision, whatever
    the source holds: rounded to single, the last bits of a fit, which depend on the machine, would
    grow by nine digits where they turn a rounding.
    """

    def __init__(
        self, source: VectorSource, steps: tuple[Step, ...], name: str | None = None
    ) -> None:
        base: VectorSource = source
        before: tuple[Step, ...] = ()
        if isinstance(source, TransformedSource):  # one pass over the vectors does for all steps
            base, before = source.source, source.steps
        self.source: ListedSource = require_whole(base, "a transform is fitted on all vectors")
        self.steps: tuple[Step, ...] = before + steps
        self._name = name

    @property
    def transform(self) -> str:
        """The transforms as a source string writes them."""
        return ",".join(step.text for step in self.steps)

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return self._name or with_option(self.source.name, f"transform={self.transform}")

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.source.dim

    @property
    def period(self) -> int | None:
        """Year of the source, in a series."""
        return period_of(self.source)

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
        return f"{self.source.fingerprint};transform={self.transform};fitted_on={self.fitted_on}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source, and one on the transform."""
        return (
            *self.source.notes,
            f"Vectors transformed by {self.transform}, fitted on {self.fitted_on:,} vectors "
            f"of {self.source.name}.",
        )

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the transformed vectors of those keys that have one."""
        return self.transform_all(self.source.lookup(keys))

    def transform_all(self, found: Mapping[str, Vector]) -> dict[str, Vector]:
        """Transform vectors that are, or might be, of the source."""
        if not found:
            return {}
        rows = self._affine.rows(np.stack([np.asarray(v, np.float64) for v in found.values()]))
        return dict(zip(found, rows, strict=True))

    @property
    def expected(self) -> int | None:
        """How many words there are, where the source that is transformed says it."""
        count: int | None = getattr(self.source, "expected", None)
        return count

    def iter_chunks(self, rows: int = CHUNK) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their transformed vectors, `rows` at a time."""
        for words, vectors in self.source.iter_chunks(rows):
            yield words, self._affine.rows(usable(vectors, words, self.source.name), bulk=True)

    @property
    def _affine(self) -> Affine:
        return self._fit[0]

    @cached_property
    def _fit(self) -> tuple[Affine, int]:
        moments = self._moments()
        if not moments.n:  # as a decade of HistWords may be: every term is missing anyway
            return Affine(np.zeros(self.dim)), 0
        where = f"{self.source.name}: the transform {self.transform}"
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

    def _moments(self) -> Moments:
        moments: Moments | None = None
        for words, vectors in self.source.iter_chunks():
            rows = usable(vectors, words, self.source.name)
            rows = rows[rows.any(axis=1)]
            if moments is None and len(rows):
                moments = Moments(self.dim, pivot=rows.mean(axis=0, dtype=np.float64))
            if moments is not None:
                moments.add(rows)
        return moments or Moments(self.dim)
