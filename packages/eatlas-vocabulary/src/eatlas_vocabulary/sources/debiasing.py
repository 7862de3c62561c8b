"""Debiasing: word sets that define a bias, and what three methods do to vectors."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, StringConstraints, model_validator

from eatlas.decoding import toml_bytes
from eatlas.errors import EatlasError, SourceError, listing, nearest
from eatlas.kernels.cosines import Moments, unit_rows
from eatlas.notes import Note
from eatlas.paths import is_file
from eatlas.sources.coverage import spellings
from eatlas.sources.frequency_order import is_candidate
from eatlas.sources.source import Source, rows_of
from eatlas.sources.spec import parse_toml
from eatlas.sources.transforms import Fit, Map, TransformedSource, TransformStep
from eatlas.stats.space import (
    Affine,
    with_rows,
)
from eatlas_vocabulary import stats
from eatlas_vocabulary.stats.debiasing import (
    bias_subspace,
    equalize,
    neutralize,
    soften,
    unit_or_zero,
)
from eatlas_vocabulary.stats.isotropy import products_of

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

FAMILIES = ("gender", "race", "religion")
"""Sets of published papers, which come with the package."""
ALLOWED = f"{', '.join(FAMILIES)}, or a TOML file of sets"
FREQUENT = 50_000
"""Words, first in the source, among which the most biased are sought: Gonen and Goldberg (2019)."""
SHARE, FEWEST = 0.15, 10
"""Of all words at most, and words at least: lists of the most biased must not be of all."""
SHOWN = 10
SOFT, WEIGHT = "soft-debias", 0.2
"""The papers' lambda."""
TRAINED_ON = 7_500
"""Words of each class that INLP learns from: Ravfogel et al. (2020), of 150,000."""
_HARD = "Bolukbasi et al. 2016, Manzini et al. 2019"

# --- word sets ------------------------------------------------------------------------------------

Word = Annotated[str, StringConstraints(pattern=r"\S")]
Words = tuple[Word, ...]


class BiasSets(BaseModel, extra="forbid"):
    """Words that define a bias between groups, as a TOML file states them.

    Examples
    --------
    >>> sets = bias_sets("religion")
    >>> sets.groups, len(sets.defining), sets.defining[1]
    (('Judaism', 'Christianity', 'Islam'), 5, ('jew', 'christian', 'muslim'))
    """

    version: Literal[1] = Field(alias="schema")
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    groups: Words = Field(min_length=2)
    """Names of two or more groups."""
    defining: tuple[Words, ...] = Field(min_length=1)
    """Defining sets: a word for each group."""
    equalize: tuple[Words, ...] | None = None
    """Sets of one word per group that should differ only in the bias; default: defining sets."""
    specific: frozenset[Word] | None = None
    """Words that keep the bias, because it is their meaning; default: words of all sets."""

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        """Each set has a word for each group; no word stands for two, or is equalized twice."""
        equal = self.defining if self.equalize is None else self.equalize
        # those of the same letters once, as all are sought in every case form
        self.equalize = tuple({str(words).lower(): words for words in equal}.values())
        sets = (*self.defining, *self.equalize)
        if wrong := [words for words in sets if len(words) != len(self.groups)]:
            raise ValueError(f"sets: {wrong[0]} (allowed: a word for each of {self.groups})")
        of_groups = [
            word
            for column in zip(*self.defining, strict=True)
            for word in {word.lower() for word in column}
        ]
        of_sets = [word.lower() for words in self.equalize for word in words]
        for key, words in (("defining", of_groups), ("equalize", of_sets)):
            if twice := sorted(word for word, n in Counter(words).items() if n > 1):
                raise ValueError(
                    f"{key}: {twice[0]!r} stands for two groups, or is in two sets to equalize "
                    "(default: the defining sets; equalize = [] means none)"
                )
        if self.specific is None:
            self.specific = frozenset(word for words in sets for word in words)
        return self

    @property
    def sha256(self) -> str:
        """Hash of the words, by the part they play."""
        parts = (self.groups, self.defining, self.equalize, sorted(self.specific or ()))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def spared(self) -> frozenset[str]:
        """Keys of a source that keep the bias."""
        return case_forms(self.specific or ())


def bias_sets(name: str) -> BiasSets:
    """Find sets by name.

    Parameters
    ----------
    name : str
        ``gender``, ``race`` or ``religion``, or the path of a TOML file of sets.

    Raises
    ------
    SourceError
        If there are no such sets, or they are not well formed; every fault is named.
    """
    path = Path(name)
    if name.lower() in FAMILIES:
        path = Path(
            str(resources.files("eatlas_vocabulary.sources") / "data" / f"bias-{name.lower()}.toml")
        )
    elif not is_file(name):
        near = nearest(name, FAMILIES)
        raise SourceError(
            f"there are no word sets called {name!r}",
            allowed=ALLOWED,
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    return parse_toml(toml_bytes(path, SourceError), name, BiasSets)


def case_forms(words: Iterable[str]) -> frozenset[str]:
    """Words as they are written, and in every case form of the rule ``auto``."""
    return frozenset(form for word in words for form in spellings(word, "auto"))


# --- sets and leanings in a source ----------------------------------------------------------------


def directions_of(sets: Sequence[Array]) -> Array:
    """Unit direction of each group: the mean of its words minus the mean of their sets."""
    return unit_or_zero(np.mean([rows - rows.mean(axis=0) for rows in sets], axis=0))


def find_sets(
    source: Source, sets: BiasSets
) -> tuple[list[Array], dict[Words, Array], tuple[Note, ...]]:
    """The unit vectors of sets: rows of each complete defining set, and of each to equalize.

    A word of a defining set is found by the case rule ``auto``; sets to equalize in every case
    form, by the keys of the source.
    """
    equal = sets.equalize or ()
    every = (word for words in (*sets.defining, *equal) for word in words)
    vectors = {word: v for word, v in source.lookup(case_forms(every)).items() if v.any()}
    rows = unit_rows(np.array([*vectors.values()], np.float64)) if vectors else ()
    row_of = dict(zip(vectors, rows, strict=True))
    defining, lost = [], list[str]()
    for words in sets.defining:
        keys = [next((s for s in spellings(w, "auto") if s in row_of), None) for w in words]
        if None not in keys:
            defining.append(np.stack([row_of[key] for key in keys if key is not None]))
        lost += [word for word, key in zip(words, keys, strict=True) if key is None]
    if not defining:
        raise EatlasError(
            "no defining set has a usable word for each group",
            got=f"without a vector: {listing(lost, SHOWN)}",
            allowed=f"one set or more with a word for each of {', '.join(sets.groups)}",
        )
    values = {"used": len(defining), "of": len(sets.defining), "lost": [*dict.fromkeys(lost)]}
    notes = (Note("debias.lost", values={**values, "most": SHOWN}),) if lost else ()
    forms = sorted(
        {tuple(map(f, words)) for words in equal for f in (str, str.lower, str.title, str.upper)}
    )
    complete = [keys for keys in forms if row_of.keys() >= {*keys}]
    return defining, {keys: np.stack([row_of[k] for k in keys]) for keys in complete}, notes


def frequent_rows(source: Source, spared: frozenset[str]) -> tuple[list[str], Array]:
    """Frequent words of letters alone that do not keep the bias, and their vectors."""
    taken: dict[str, Array] = {}
    seen = 0
    for words, rows in rows_of(source):
        for word, row in zip(words[: FREQUENT - seen], rows, strict=False):
            letters = word.isalpha() or (not word.isascii() and is_candidate(word))
            if letters and word not in spared and row.any():
                taken.setdefault(word, row)
        seen += len(words)
        if seen >= FREQUENT:
            break
    return [*taken], np.array([*taken.values()]).reshape(len(taken), source.dim)


def most_biased(leans: Array, most: int) -> tuple[NDArray[np.intp], Labels]:
    """The rows that lean most to each column, as many for each, and their columns."""
    k = leans.shape[1]
    group = np.argmax(leans, axis=1)
    n = min(most, int(SHARE * len(leans)), *np.bincount(group, minlength=k).tolist())
    if n < FEWEST:
        raise EatlasError(
            "there are too few words to learn from",
            got=f"{n} most biased words of a group, of {len(leans):,} words",
            allowed=f"{FEWEST} or more of each group, {SHARE:.0%} of all words at most",
        )
    own = np.where(group[:, None] == np.arange(k), leans, -np.inf)
    return np.argsort(-own, axis=0, kind="stable")[:n].T.ravel(), np.repeat(np.arange(k), n)


# --- methods --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DebiasingStep(TransformStep):
    """One debiasing transform of a source."""

    of_words: str = "debiasing"
    sets: BiasSets | None = None
    """The words that define the bias."""


@dataclass(frozen=True)
class HardDebiasing:
    """Unit vectors without a bias, but of words that mean it or are equalized; zeros stay zeros."""

    basis: Array
    """Orthonormal rows that neutral words have no part in."""
    spared: frozenset[str]
    equalized: Mapping[str, Array]

    def __call__(self, words: Sequence[str], rows: Array, bulk: bool) -> Array:  # noqa: ARG002, FBT001
        """Map the vectors of words."""
        rows = unit_or_zero(rows)
        neutral = np.fromiter((word not in self.spared for word in words), bool, len(words))
        rows[neutral] = neutralize(rows[neutral], self.basis)
        for i, word in enumerate(words):
            if word in self.equalized:
                rows[i] = self.equalized[word]
        return rows


def _linear(matrix: Array) -> Map:
    """Map unit vectors by a matrix, to unit vectors."""
    affine = Affine(np.zeros(len(matrix)), matrix)

    def apply_affine(_: Sequence[str], rows: Array, bulk: bool) -> Array:  # noqa: FBT001
        return unit_or_zero(affine.rows(unit_or_zero(rows), bulk=bulk))

    return apply_affine


def _hard(source: Source, text: str, sets: BiasSets, _: float) -> tuple[Map, tuple[Note, ...]]:
    """Neutralize and equalize."""
    defining, to_equalize, notes = find_sets(source, sets)
    basis = bias_subspace(defining, len(sets.groups) - 1)
    pairs = ((keys, equalize(rows, basis)) for keys, rows in to_equalize.items())
    equal = {keys: rows for keys, rows in pairs if rows is not None}
    equalized = {
        key: row for keys, rows in equal.items() for key, row in zip(keys, rows, strict=True)
    }
    values = {"by": text, "cited": _HARD, "dimensions": len(basis), "equalized": len(equal)}
    debiasing = HardDebiasing(basis, sets.spared, equalized)
    return debiasing, (Note("debias.hard", values=values), *notes)


def _soft(source: Source, text: str, sets: BiasSets, weight: float) -> tuple[Map, tuple[Note, ...]]:
    """Find the linear map that trades bias against all dot products."""
    defining, _, notes = find_sets(source, sets)
    basis, spared = bias_subspace(defining, len(sets.groups) - 1), sets.spared
    every: Moments | None = None
    neutral: Moments | None = None
    for words, rows in rows_of(source):
        unit = unit_or_zero(rows)
        every = with_rows(every, unit)
        ours = unit[np.fromiter((word not in spared for word in words), bool)]
        neutral = with_rows(neutral, ours) if len(ours) else neutral
    if every is None or neutral is None:
        raise EatlasError("all words are specific words of the word sets")
    products = products_of(neutral)
    matrix = soften(products_of(every), products, basis, weight)
    left = np.trace(basis @ matrix @ products @ matrix @ basis.T)
    share = float(left / np.trace(basis @ products @ basis.T))
    note = Note("debias.soft", values={"by": text, "cited": _HARD, "share": share})
    return _linear(matrix), (note, *notes)


def _inlp(source: Source, text: str, sets: BiasSets, _: float) -> tuple[Map, tuple[Note, ...]]:
    """Project onto what no linear classifier can tell the groups by."""
    defining, _equal, notes = find_sets(source, sets)
    _words, rows = frequent_rows(source, sets.spared)
    rows = unit_rows(rows)
    leans = rows @ directions_of(defining).T
    chosen, labels = most_biased(leans, TRAINED_ON)
    k, n = leans.shape[1], len(chosen) // leans.shape[1]
    rest = np.setdiff1d(np.arange(len(rows)), chosen)
    neutral = rest[np.argsort(np.abs(leans[rest]).max(axis=1), kind="stable")[:n]]
    chosen, labels = np.append(chosen, neutral), np.append(labels, np.full(len(neutral), k))
    projection, accuracies = stats.classifiers.null_space(rows[chosen], labels)
    removed = source.dim - round(float(np.trace(projection)))
    values: dict[str, Any] = {"by": text, "cited": "Ravfogel et al. 2020", "of": source.dim}
    values |= {"classifiers": len(accuracies) - 1, "words": len(chosen), "removed": removed}
    values["accuracies"] = [accuracies[0], accuracies[-1]]
    return _linear(projection), (Note("debias.inlp", values=values), *notes)


METHODS = {"hard-debias": _hard, SOFT: _soft, "inlp": _inlp}


def debiasing_step(text: str) -> DebiasingStep:
    """Read one debiasing transform, ``METHOD:SETS`` or ``soft-debias:SETS:WEIGHT``."""
    method, _, name = text.partition(":")
    method, weight = method.lower(), WEIGHT
    if method == SOFT and (parts := re.fullmatch(r"(.*):(\d+(?:\.\d+)?)", name)):
        name, weight = parts[1], float(parts[2])
    if not name:
        raise SourceError(
            f"{method} needs word sets", got=repr(text), allowed=f"{method}:SETS, with {ALLOWED}"
        )
    sets = bias_sets(name)
    shown = f"{method}:{name.lower() if name.lower() in FAMILIES else name}"
    shown += f":{weight:g}" if method == SOFT else ""

    def fit(source: Source) -> Fit:
        mapped, notes = METHODS[method](source, shown, sets, weight)
        return Fit(mapped, notes, f"sets={sets.sha256[:16]}")

    return DebiasingStep(shown, fit, sets=sets)


def require_transformed(source: Source, effect: str) -> TransformedSource:
    """Refuse a source without a transform, which could have no such effect."""
    if isinstance(source, TransformedSource):
        return source
    raise SourceError(
        f"{source.name}: these vectors were not transformed, so nothing could {effect}",
        allowed="a source with a transform: SOURCE?transform=hard-debias:gender",
    )
