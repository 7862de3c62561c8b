"""Debiasing as a transform of a source: hard, soft, double-hard, and null-space projection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.kernels.cosines import unit_rows
from eatlas.sources.bias_sets import (
    ALLOWED,
    FAMILIES,
    BiasSets,
    bias_sets,
    case_forms,
    looked_up,
    most_biased,
    whole,
    within,
)
from eatlas.sources.interface import CHUNK, Vector, VectorSource, usable
from eatlas.sources.mapped import Mapped, moments_of
from eatlas.sources.source import Source
from eatlas.stats.space import (
    Affine,
    Moments,
    agreement,
    bias_subspace,
    equalize,
    in_subspace,
    k_means,
    neutralize,
    null_space,
    soften,
    unit_or_zero,
)

Array = NDArray[np.float64]

SOFT, WEIGHT = "soft-debias", 0.2
"""The papers' lambda."""
BIASED = 500
"""Most biased words of each group on which double-hard debiasing clusters: Wang et al. (2020)."""
TRAINED_ON = 7_500
"""Words of each class that INLP learns from: Ravfogel et al. (2020), of 150,000."""
TRIED = 20
"""First principal components of which double-hard debiasing drops one, as its authors' code."""
CLEAR = 2
"""Standard errors by which the best component is to differ from the next: else a remark says so."""
_TEXT = re.compile(r"(?P<method>[^:]*)(?::(?P<sets>.*?))?(?::(?P<weight>\d+(?:\.\d+)?))?")


@dataclass(frozen=True)
class Debiasing:
    """A method with its word sets, and its weight if it has one."""

    text: str
    """As a source string writes it."""
    method: str
    sets: BiasSets
    weight: float


def parse_debiasing(text: str) -> Debiasing | None:
    """Read one debiasing transform; None where the text names another transform."""
    found = _TEXT.fullmatch(text)
    method = found["method"].lower() if found else ""
    if found is None or method not in METHODS:
        return None
    if not found["sets"]:
        raise SourceError(
            f"{method} needs the word sets that define the bias",
            got=repr(text),
            allowed=f"{method}:SETS, with {ALLOWED}",
        )
    if found["weight"] is not None and method != SOFT:
        raise SourceError(
            f"{method} takes no weight", got=repr(text), allowed=f"{method}:{found['sets']}"
        )
    weight = float(found["weight"] or WEIGHT)
    sets = bias_sets(found["sets"])
    if method == "double-hard" and len(sets.groups) != 2:
        raise SourceError(
            "double-hard debiasing is defined for two groups",
            got=f"{found['sets']}, of {len(sets.groups)}: {', '.join(sets.groups)}",
            remedy=f"hard-debias:{found['sets']}",
        )
    name = found["sets"].lower() if found["sets"].lower() in FAMILIES else found["sets"]
    shown = f"{method}:{name}" + (f":{weight:g}" if method == SOFT else "")
    return Debiasing(shown, method, sets, weight)


@dataclass(frozen=True)
class _Fit:
    """What debiasing does to vectors: a linear map of all, then what depends on the word."""

    remarks: tuple[str, ...]
    affine: Affine | None = None
    of_unit: bool = True
    """Whether vectors are made unit length before the linear map."""
    basis: Array | None = None
    spared: frozenset[str] = frozenset()
    placed: Mapping[str, Array] = field(default_factory=dict)
    """Vectors of words that are equalized."""

    def rows(self, words: Sequence[str], rows: Array, *, bulk: bool = False) -> Array:
        """Map the vectors of words to unit vectors, shape (n, d); zeros stay zeros."""
        if self.of_unit:
            rows = unit_or_zero(rows)
        if self.affine is not None:
            rows = unit_or_zero(self.affine.rows(rows, bulk=bulk))
        if self.basis is None:
            return rows
        neutral = np.fromiter((word not in self.spared for word in words), bool, len(words))
        rows[neutral] = neutralize(rows[neutral], self.basis)
        for i, word in enumerate(words):
            if word in self.placed:
                rows[i] = self.placed[word]
        return rows


class DebiasedSource(Mapped):
    """A source of words from whose vectors a bias is taken out.

    All vectors come as unit vectors in double precision; what is within the bias subspace alone
    becomes zero and counts as missing, with that reason. Every word of a set is looked up as the
    case rule ``auto`` does; specific words and equality sets in every case form that the source
    has. Equality sets are made of the vectors as they were, so their order does not matter.
    """

    def __init__(self, source: VectorSource, step: Debiasing, name: str | None = None) -> None:
        super().__init__(source, name)
        self.step = step

    @property
    def own(self) -> str:
        """The transform as a source string writes it."""
        return self.step.text

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the source, the transform, and a hash of its word sets."""
        sets = self.step.sets.sha256[:16]
        return f"{self.source.fingerprint};transform={self.own};sets={sets}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source, and what was done to which words."""
        return (*self.source.notes, *self._fit.remarks)

    @property
    def basis(self) -> Array | None:
        """Orthonormal rows that neutralized words have no part in; None of a linear map alone."""
        return self._fit.basis

    @property
    def spared(self) -> frozenset[str]:
        """Words that keep the bias, in every case form."""
        return case_forms(self.step.sets.specific)

    def transform_all(self, found: Mapping[str, Vector]) -> dict[str, Vector]:
        """Debias vectors, by their words."""
        if not found:
            return {}
        rows = np.stack([np.asarray(vector, np.float64) for vector in found.values()])
        return dict(zip(found, self._fit.rows(list(found), rows), strict=True))

    def iter_chunks(self, rows: int = CHUNK) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their debiased vectors, `rows` at a time."""
        for words, vectors in super().iter_chunks(rows):
            usable_rows = usable(vectors, words, self.source.name).astype(np.float64)
            yield words, self._fit.rows(words, usable_rows, bulk=True)

    @cached_property
    def _fit(self) -> _Fit:
        method = METHODS[self.step.method]
        try:
            return method(self.source, self.step)
        except SourceError:
            raise
        except EatlasError as error:
            raise within(f"{self.source.name}: the transform {self.own}", error) from error


def _hard(source: Source, step: Debiasing, before: _Fit | None = None) -> _Fit:
    """Neutralize and equalize; `before` says what was done to all vectors."""
    done = before or _Fit(())
    found = looked_up(source, step.sets, done.rows)
    basis = bias_subspace(found.defining, step.sets.components)
    placed: dict[str, Array] = {}
    equalized = 0
    for keys, rows in found.equalize.items():
        equal = equalize(rows, basis)
        if equal is not None:
            equalized += 1
            placed |= zip(keys, equal, strict=True)
    subspace = "direction was" if len(basis) == 1 else f"subspace of {len(basis)} dimensions was"
    sets = "set was" if equalized == 1 else "sets were"
    remarks = (
        *done.remarks,
        f"Vectors debiased by {step.text} ({_CITED[step.method]}): the bias {subspace} removed "
        f"from all words but specific ones; {equalized} equality {sets} equalized. Measures along "
        "other directions need not change.",
        *found.remarks,
    )
    return _Fit(remarks, done.affine, done.of_unit, basis, found.spared, placed)


def _soft(source: Source, step: Debiasing) -> _Fit:
    """Find the linear map that trades bias against all dot products."""
    found = looked_up(source, step.sets)
    basis = bias_subspace(found.defining, step.sets.components)
    every, neutral = Moments(source.dim), Moments(source.dim)
    for words, rows in whole(source):
        unit = unit_or_zero(rows)
        every.add(unit)
        neutral.add(unit[np.fromiter((word not in found.spared for word in words), bool)])
    matrix = soften(every.products, neutral.products, basis, step.weight)
    left = np.trace(basis @ matrix @ neutral.products @ matrix @ basis.T)
    share = float(left / np.trace(basis @ neutral.products @ basis.T))
    return _Fit(
        (
            f"Vectors debiased by {step.text} ({_CITED[SOFT]}): neutral words keep "
            f"{share:.1%} of their squared length within the bias subspace.",
            *found.remarks,
        ),
        Affine(np.zeros(source.dim), matrix),
    )


def _double_hard(source: Source, step: Debiasing) -> _Fit:
    """Drop the principal component without which hard debiasing leaves clusters least alike.

    As the authors choose it: words ranked by the first pair, nothing scaled before the clusters.
    """
    if source.dim < 3:
        raise EatlasError(
            "double-hard debiasing chooses among the principal components",
            got=f"vectors of {source.dim} dimension{'s' * (source.dim > 1)}",
            allowed="3 dimensions or more",
        )
    moments = moments_of(source)
    pairs = looked_up(source, step.sets, lambda _, rows: rows).defining
    sets = looked_up(source, step.sets)
    words, labels = most_biased(source, replace(sets, defining=sets.defining[:1]), BIASED)
    vectors = source.lookup(words)
    rows = np.stack([np.asarray(vectors[word], np.float64) for word in words])
    _, axes = np.linalg.eigh(moments.covariance())
    maps, accuracies = [], []
    for axis in axes.T[: -min(TRIED, source.dim - 1) - 1 : -1]:
        matrix = np.eye(source.dim) - np.outer(axis, axis)
        basis = bias_subspace([pair @ matrix for pair in pairs], 1)
        image = (rows - moments.mean) @ matrix
        clusters = k_means(image - in_subspace(image, basis), 2, np.random.default_rng(0))
        maps.append(Affine(moments.mean, matrix))
        accuracies.append(agreement(labels, clusters, 2))
    first, second = np.argsort(accuracies, kind="stable")[:2]
    best, next_best = accuracies[first], accuracies[second]
    remarks = [
        f"Of the first {len(maps)} principal components, number {first + 1} was dropped. Without "
        f"it, {best:.1%} of the {len(words):,} most biased words cluster by group after hard "
        f"debiasing, against {next_best:.1%} to {max(accuracies):.1%} without another one."
    ]
    error = np.sqrt((best * (1 - best) + next_best * (1 - next_best)) / len(words))
    if next_best - best < CLEAR * error:
        remarks.append(
            f"{step.text}: component {first + 1} is not clearly better than component "
            f"{second + 1} ({best:.1%} and {next_best:.1%}, less than {CLEAR} standard errors "
            "apart), so which one was dropped may be chance."
        )
    return _hard(source, step, _Fit(tuple(remarks), maps[first], of_unit=False))


def _inlp(source: Source, step: Debiasing) -> _Fit:
    """Project onto what no linear classifier can tell the groups by."""
    found = looked_up(source, step.sets)
    words, labels = most_biased(source, found, TRAINED_ON, neutral=True)
    vectors = source.lookup(words)
    rows = unit_rows(np.stack([vectors[word] for word in words]))
    projection, accuracies = null_space(rows, labels)
    left = round(float(np.trace(projection)))
    remark = (
        f"Vectors debiased by {step.text} ({_CITED['inlp']}): {len(accuracies) - 1} linear "
        f"classifiers of {len(words):,} words removed {source.dim - left} of {source.dim} "
        f"dimensions; accuracy on words held out fell from {accuracies[0]:.1%} to "
        f"{accuracies[-1]:.1%}."
    )
    return _Fit((remark, *found.remarks), Affine(np.zeros(source.dim), projection))


METHODS: dict[str, Callable[[Source, Debiasing], _Fit]] = {
    "hard-debias": _hard,
    SOFT: _soft,
    "double-hard": _double_hard,
    "inlp": _inlp,
}
_CITED = {
    "hard-debias": "Bolukbasi et al. 2016, Manzini et al. 2019",
    SOFT: "Bolukbasi et al. 2016, Manzini et al. 2019",
    "double-hard": "Wang et al. 2020",
    "inlp": "Ravfogel et al. 2020",
}
