"""Transforms of a source: remedies for anisotropy, fitted on all its vectors, and debiasing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError, nearest
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.debiasing import (
    METHODS,
    DebiasedSource,
    Debiasing,
    all_moments,
    parse_debiasing,
)
from eatlas.sources.interface import CHUNK, Answers, Found, Item, Tell, Vector
from eatlas.sources.source import Mapped, Source, Wrapper, forwarded
from eatlas.sources.spec import with_option
from eatlas.stats.inputs import SINGLE
from eatlas.stats.space import Affine, standardize, whiten, without_top

Array = NDArray[np.float64]

ALLOWED = (
    "center, standardize, whiten, all-but-the-top:K, hard-debias:SETS, soft-debias:SETS, "
    "double-hard:SETS, inlp:SETS; several in order with commas"
)
TOP = "all-but-the-top"
_STEP = re.compile(rf"center|standardize|whiten|{TOP}:[1-9][0-9]{{0,5}}")


def parse_transforms(text: str) -> tuple[str | Debiasing, ...]:
    """Read transforms as source strings write them: names of linear ones, and debiasing."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(parse_debiasing(part) or _parse_step(part.lower()) for part in parts)


def _parse_step(text: str) -> str:
    """Read one linear transform; each also subtracts the mean, and ``center`` does no more."""
    if _STEP.fullmatch(text):
        return text
    near = nearest(text.partition(":")[0], ["center", "standardize", "whiten", *METHODS])
    remedy = f"did you mean {near[0]}?" if near else None
    if text.startswith(TOP):
        remedy = f"{TOP} needs a number of components, a hundredth of the dimensions: {TOP}:3"
    raise SourceError("unknown transform", got=repr(text), allowed=ALLOWED, remedy=remedy)


def _matrix(step: str, covariance: Array) -> Array | None:
    """The matrix of a linear transform, by the covariance of the vectors."""
    if step == "center":
        return None
    if step.startswith(TOP):
        return without_top(covariance, int(step.partition(":")[2]))
    return standardize(covariance) if step == "standardize" else whiten(covariance)


class TransformedSource(Mapped):
    """A source whose vectors have been transformed.

    Vectors that are zero stay zero, and those that the transform takes to zero become exactly
    zero; both count as missing, with that reason. All vectors come in double precision, whatever
    the source holds: rounded to single, the last bits of a fit, which depend on the machine, would
    grow by nine digits where they turn a rounding.
    """

    def __init__(self, source: Any, steps: tuple[str, ...], name: str | None = None) -> None:
        if isinstance(source, TransformedSource):  # one pass over the vectors does for all steps
            source, steps = source.source, source.steps + steps
        super().__init__(source, name)
        self.steps = steps

    @property
    def own(self) -> str:
        """The transforms as a source string writes them."""
        return ",".join(self.steps)

    @property
    def fitted_on(self) -> int:
        """Number of vectors that the transform was fitted on."""
        number: int = self.fit[1]
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

    def mapped(
        self,
        words: list[str],  # noqa: ARG002
        rows: NDArray[np.floating],
        *,
        bulk: bool = False,
    ) -> NDArray[np.float64]:
        """Transform vectors that are, or might be, of the source."""
        return self.fit[0].rows(rows, bulk=bulk)

    @cached_property
    def fit(self) -> tuple[Affine, int]:
        """Fit the steps to the source's vectors: an affine map, and the number of vectors."""
        moments = all_moments(self.source)
        if not moments.n:  # as a decade of HistWords may be: every term is missing anyway
            return Affine(np.zeros(self.dim)), 0
        where = f"{self.source.name}: the transform {self.own}"
        # a covariance of no more rows than dimensions makes all whitened rows equally distant
        least = self.dim + 2 if "whiten" in self.steps else 2
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
                matrix = _matrix(step, covariance)
                covariance = Affine(moments.mean, matrix).covariance(covariance)
                affine = affine.then(matrix)
        except EatlasError as error:
            raise SourceError(
                f"{where}: {error.what}", got=error.got, allowed=error.allowed
            ) from error
        return affine, moments.n


class EncodedTexts(Source):
    """The vectors of some items of an encoder, as a source that can be read from end to end."""

    def __init__(self, source: Source, items: Collection[Item], tell: Tell | None = None) -> None:
        self.source = source
        self.items = sorted(set(items), key=lambda item: (item.content, item.span or (0, 0)))
        self.found = source.answers(self.items, tell)
        self.rows: dict[Item, Vector] = {
            item: answer.vector for item, answer in self.found.items() if answer.vector is not None
        }

    name = forwarded("source", "name")
    dim = forwarded("source", "dim")
    notes = forwarded("source", "notes")

    @property
    def expected(self) -> int:
        """How many items have a vector."""
        return len(self.rows)

    @property
    def fingerprint(self) -> str:
        """That of the source, and a hash of the items."""
        digest = hashlib.sha256()
        for item in self.items:
            digest.update(f"{item.sha256 or item.content}\0{item.span}\0".encode())
        return f"{self.source.fingerprint};texts={digest.hexdigest()[:16]}"

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer those items that were encoded."""
        yield {item: self.found[item] for item in items if item in self.found}

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All texts with their vectors, `rows` at a time."""
        rest = iter(self.rows.items())
        while some := list(islice(rest, rows)):
            yield [item.content for item, _ in some], np.stack([vector for _, vector in some])


class TransformedEncodings(Wrapper):
    """Vectors of an encoder, transformed by what is fitted on all that is encoded at once.

    A run encodes the items of all its tests at once, so the fit is on those; the same test in
    another run gives other numbers. Name, notes and fingerprint say so.
    """

    def __init__(self, source: Source, steps: tuple[str, ...]) -> None:
        super().__init__(source)
        self.transform = ",".join(steps)
        self._steps = steps
        self._fitted: TransformedSource | None = None
        self._encoding = self.source.encoding

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return with_option(self.source.name, f"transform={self.transform}")

    @property
    def encoding(self) -> Encoding | None:
        """That of the source, with the rounding error that the transform leaves."""
        return self._encoding if self._fitted else self.source.encoding

    @property
    def fingerprint(self) -> str:
        """That of the source and the transforms; once something is encoded, of its texts too."""
        if self._fitted is not None:
            return self._fitted.fingerprint
        return f"{self.source.fingerprint};transform={self.transform}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the source, and one on the transform."""
        return self.source.notes if self._fitted is None else self._fitted.notes

    def answers(self, items: Collection[Item], tell: Tell | None = None) -> dict[Item, Found]:
        """Encode items, fit the transform on them, and transform them."""
        texts = EncodedTexts(self.source, items, tell)
        self._fitted = fitted = TransformedSource(texts, self._steps)
        rows = [vector for _, block in fitted.iter_chunks() for vector in block]
        vectors = list(texts.rows.values())
        first: dict[bytes, int] = {}  # texts that share a vector share its image, bit for bit
        rows = [rows[first.setdefault(v.tobytes(), i)] for i, v in enumerate(vectors)]
        encoding = self.source.encoding
        if vectors and encoding is not None:
            single = SINGLE if vectors[0].dtype == np.float32 else None
            roundoff = encoding.roundoff or single
            if roundoff is not None:
                roundoff *= _growth(np.stack(vectors), np.stack(rows), fitted.fit[0].gain)
            encoding = encoding.model_copy(update={"roundoff": roundoff})
        self._encoding = encoding
        images = dict(zip(texts.rows, rows, strict=True))
        return {item: replace(f, vector=images.get(item)) for item, f in texts.found.items()}

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
    source: Source, transform: str, name: str | None = None
) -> TransformedSource | DebiasedSource | TransformedEncodings:
    """Transform vectors: all that a source has, or all that it will encode at once."""
    steps = parse_transforms(transform)
    linear = tuple(step for step in steps if isinstance(step, str))
    if source.encodes:
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
    transformed: TransformedSource | DebiasedSource = mapped
    return transformed
