"""Debiasing: word sets that define a bias, and what four methods do to vectors."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import EatlasError, SourceError, listed, nearest
from eatlas.kernels.cosines import Moments, unit_rows
from eatlas.notes import Note
from eatlas.paths import is_file
from eatlas.sources.coverage import spellings
from eatlas.sources.source import Source, rows_of
from eatlas.stats.space import (
    Affine,
    bias_subspace,
    clusters_by_group,
    equalize,
    in_subspace,
    neutralize,
    null_space,
    products_of,
    soften,
    unit_or_zero,
    with_rows,
)

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

FAMILIES = ("gender", "race", "religion")
"""Sets of published papers, which come with the package."""
ALLOWED = f"{', '.join(FAMILIES)}, or a TOML file of sets"
_KEYS = "schema = 1, title, citation, notes, groups, defining, equalize, specific"
FREQUENT = 50_000
"""Words, first in the source, among which the most biased are sought: Gonen and Goldberg (2019)."""
SHARE, FEWEST = 0.15, 10
"""Of all words at most, and words at least: lists of the most biased must not be of all."""
SHOWN = 10
SOFT, WEIGHT = "soft-debias", 0.2
"""The papers' lambda."""
BIASED = 500
"""Most biased words of each group on which double-hard debiasing clusters: Wang et al. (2020)."""
TRAINED_ON = 7_500
"""Words of each class that INLP learns from: Ravfogel et al. (2020), of 150,000."""
TRIED = 20
"""First principal components of which double-hard debiasing drops one, as its authors' code."""
_TEXT = re.compile(r"(?P<method>[^:]*)(?::(?P<sets>.*?))?(?::(?P<weight>\d+(?:\.\d+)?))?")


# --- word sets ------------------------------------------------------------------------------------

Word = Annotated[str, StringConstraints(pattern=r"\S")]
Words = tuple[Word, ...]


class BiasSets(BaseModel):
    """Words that define a bias between groups, as a TOML file states them.

    Examples
    --------
    >>> sets = bias_sets("religion")
    >>> sets.groups, len(sets.defining), sets.defining[1]
    (('Judaism', 'Christianity', 'Islam'), 5, ('jew', 'christian', 'muslim'))
    """

    model_config = ConfigDict(extra="forbid")
    version: Literal[1] = Field(alias="schema")
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    groups: Words = Field(min_length=2)
    """Names of two or more groups."""
    defining: tuple[Words, ...] = Field(min_length=1)
    """Defining sets: a word for each group."""
    equalize: tuple[Words, ...] | None = None
    """Sets of a word for each group that are to differ in the bias alone; default the defining."""
    specific: frozenset[Word] | None = None
    """Words that keep the bias, because it is their meaning; default those of all sets."""

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
        path = Path(str(resources.files("eatlas.sources") / "data" / f"bias-{name.lower()}.toml"))
    elif not is_file(name):
        near = nearest(name, FAMILIES)
        raise SourceError(
            f"there are no word sets called {name!r}",
            allowed=ALLOWED,
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    content = toml_bytes(path, SourceError)
    try:
        return BiasSets.model_validate(read_toml(content, name, SourceError))
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            key = ".".join(map(str, fault["loc"]))
            text = fault["msg"].removeprefix("Value error, ")
            faults.append(f"{name}: key {key}: {text}" if key else f"{name}: key {text}")
        raise SourceError("\n".join(faults), allowed=_KEYS) from error


def case_forms(words: Iterable[str]) -> frozenset[str]:
    """Words as they are written, and in every case form of the rule ``auto``."""
    return frozenset(form for word in words for form in spellings(word, "auto"))


# --- sets and leanings in a source ----------------------------------------------------------------


@dataclass(frozen=True)
class FoundSets:
    """Word sets as the vectors of a source."""

    defining: list[Array]
    """Rows of each defining set that is complete."""
    equalize: dict[Words, Array]
    """Keys of the source and rows of each complete set, in every case form."""
    spared: frozenset[str]
    """Keys that keep the bias."""
    notes: tuple[Note, ...] = ()

    @property
    def directions(self) -> Array:
        """Unit direction of each group: the mean of its words, less that of their sets."""
        return directions_of(self.defining)


def directions_of(sets: Sequence[Array]) -> Array:
    """Unit direction of each group, from sets with a row for each."""
    return unit_or_zero(np.mean([rows - rows.mean(axis=0) for rows in sets], axis=0))


def find_sets(
    source: Source, sets: BiasSets, prepare: Callable[[Array], Array] = unit_rows
) -> FoundSets:
    """Find the vectors of sets, each word by the case rule ``auto``, and prepare them."""
    equal = sets.equalize or ()
    every = (word for words in (*sets.defining, *equal) for word in words)
    vectors = {word: v for word, v in source.lookup(case_forms(every)).items() if v.any()}
    rows = prepare(np.array([*vectors.values()], np.float64)) if vectors else ()
    row_of = dict(zip(vectors, rows, strict=True))
    defining, lost = [], list[str]()
    for words in sets.defining:
        keys = [next((s for s in spellings(w, "auto") if s in row_of), None) for w in words]
        if None not in keys:
            defining.append(np.stack([row_of[key] for key in keys if key is not None]))
        lost += [word for word, key in zip(words, keys, strict=True) if key is None]
    if not defining:
        raise EatlasError(
            "no defining set has a word for each group",
            got=f"without a vector: {listed(lost, SHOWN)}",
            allowed=f"one set or more with a word for each of {', '.join(sets.groups)}",
        )
    values = {"used": len(defining), "of": len(sets.defining), "lost": [*dict.fromkeys(lost)]}
    notes = (Note("debias.lost", values={**values, "most": SHOWN}),) if lost else ()
    forms = sorted(
        {tuple(map(f, words)) for words in equal for f in (str, str.lower, str.title, str.upper)}
    )
    complete = {
        keys: np.stack([row_of[k] for k in keys]) for keys in forms if row_of.keys() >= {*keys}
    }
    return FoundSets(defining, complete, case_forms(sets.specific or ()), notes)


def frequent_rows(source: Source, spared: frozenset[str]) -> tuple[list[str], Array]:
    """Frequent words of letters alone that do not keep the bias, and their vectors."""
    taken: dict[str, Array] = {}
    seen = 0
    for words, rows in rows_of(source):
        for word, row in zip(words[: FREQUENT - seen], rows, strict=False):
            if word.isalpha() and word not in spared and row.any():
                taken.setdefault(word, row)
        seen += len(words)
        if seen >= FREQUENT:
            break
    return [*taken], np.array([*taken.values()]).reshape(len(taken), source.dim)


def all_moments(source: Source) -> Moments:
    """Mean and scatter of all vectors of a source that are not zero, in one pass."""
    moments = Moments(0, np.zeros(source.dim), np.zeros((source.dim, source.dim)))
    for _, rows in rows_of(source):
        there = rows.any(axis=1)
        if there.any():
            moments = with_rows(moments if moments.n else None, rows[there])
    return moments


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


class Fit(NamedTuple):
    """What a transform does to the vectors of a source."""

    map: Callable[[Sequence[str], Array, bool], Array]
    """From words, their vectors of shape (n, d), and whether they are many, to other vectors."""
    notes: tuple[Note, ...]
    mark: str
    """What the fingerprint says of it."""
    gain: float = 1.0
    """How many times longer a small random difference of two vectors becomes, on average."""


@dataclass(frozen=True)
class Debiased:
    """A linear map of all vectors, then what depends on the word; unit vectors come of it."""

    affine: Affine | None = None
    of_unit: bool = True
    """Whether vectors are made unit length before the linear map."""
    basis: Array | None = None
    """Orthonormal rows that neutralized words have no part in."""
    spared: frozenset[str] = frozenset()
    equalized: Mapping[str, Array] = field(default_factory=dict)
    """Vectors of words that are equalized."""

    def linear(self, rows: Array, bulk: bool = False) -> Array:  # noqa: FBT001, FBT002
        """What is done whatever the word."""
        if self.of_unit:
            rows = unit_or_zero(rows)
        return rows if self.affine is None else unit_or_zero(self.affine.rows(rows, bulk=bulk))

    def __call__(self, words: Sequence[str], rows: Array, bulk: bool) -> Array:  # noqa: FBT001
        """Map the vectors of words; zeros stay zeros."""
        rows = self.linear(rows, bulk)
        if self.basis is None:
            return rows
        neutral = np.fromiter((word not in self.spared for word in words), bool, len(words))
        rows[neutral] = neutralize(rows[neutral], self.basis)
        for i, word in enumerate(words):
            if word in self.equalized:
                rows[i] = self.equalized[word]
        return rows


@dataclass(frozen=True)
class Debiasing:
    """A method with its word sets, and its weight if it has one."""

    text: str
    """As a source string writes it."""
    method: str
    sets: BiasSets
    weight: float

    def fit(self, source: Source) -> Fit:
        """Fit the method to all vectors of a source of words."""
        debiased, notes = METHODS[self.method][0](source, self)
        return Fit(debiased, notes, f"sets={self.sets.sha256[:16]}")

    @property
    def named(self) -> dict[str, Any]:
        """What notes call it, and cite."""
        return {"by": self.text, "cited": METHODS[self.method][1]}


def parse_debiasing(text: str) -> Debiasing | None:
    """Read one debiasing transform; None where the text names another transform."""
    parts = _TEXT.fullmatch(text)
    method = parts["method"].lower() if parts else ""
    if parts is None or method not in METHODS:
        return None
    name, weight = parts["sets"], parts["weight"]
    if not name or (weight is not None and method != SOFT):
        raise SourceError(
            f"{method} takes no weight" if name else f"{method} needs word sets",
            got=repr(text),
            allowed=f"{method}:SETS, with {ALLOWED}",
        )
    sets = bias_sets(name)
    if method == "double-hard" and len(sets.groups) != 2:
        raise SourceError(
            "double-hard debiasing is defined for two groups",
            got=f"{name}, of {len(sets.groups)}: {', '.join(sets.groups)}",
            remedy=f"hard-debias:{name}",
        )
    shown = f"{method}:{name.lower() if name.lower() in FAMILIES else name}"
    value = float(weight or WEIGHT)
    return Debiasing(f"{shown}:{value:g}" if method == SOFT else shown, method, sets, value)


Result = tuple[Debiased, tuple[Note, ...]]


def _hard(source: Source, step: Debiasing, before: Debiased = Debiased()) -> Result:
    """Neutralize and equalize; `before` says what was done to all vectors."""
    found = find_sets(source, step.sets, before.linear)
    basis = bias_subspace(found.defining, len(step.sets.groups) - 1)
    pairs = ((keys, equalize(rows, basis)) for keys, rows in found.equalize.items())
    equal = {keys: rows for keys, rows in pairs if rows is not None}
    rows_by_key = {
        key: row for keys, rows in equal.items() for key, row in zip(keys, rows, strict=True)
    }
    values = {**step.named, "dimensions": len(basis), "equalized": len(equal)}
    note = Note("debias.hard", values=values)
    debiased = replace(before, basis=basis, spared=found.spared, equalized=rows_by_key)
    return debiased, (note, *found.notes)


def _soft(source: Source, step: Debiasing) -> Result:
    """Find the linear map that trades bias against all dot products."""
    found = find_sets(source, step.sets)
    basis = bias_subspace(found.defining, len(step.sets.groups) - 1)
    every: Moments | None = None
    neutral: Moments | None = None
    for words, rows in rows_of(source):
        unit = unit_or_zero(rows)
        every = with_rows(every, unit)
        ours = unit[np.fromiter((word not in found.spared for word in words), bool)]
        neutral = with_rows(neutral, ours) if len(ours) else neutral
    if every is None or neutral is None:
        raise EatlasError("there are no words but specific ones")
    products = products_of(neutral)
    matrix = soften(products_of(every), products, basis, step.weight)
    left = np.trace(basis @ matrix @ products @ matrix @ basis.T)
    share = float(left / np.trace(basis @ products @ basis.T))
    note = Note("debias.soft", values={**step.named, "share": share})
    return Debiased(Affine(np.zeros(source.dim), matrix)), (note, *found.notes)


def _double_hard(source: Source, step: Debiasing) -> Result:
    """Drop the principal component without which hard debiasing leaves clusters least alike.

    As the authors choose it: words ranked by the first pair, nothing scaled before the clusters.
    """
    if source.dim < 3:
        raise EatlasError(
            "double-hard debiasing chooses among the principal components",
            got=f"vectors of {source.dim} dimension{'s' * (source.dim > 1)}",
            allowed="3 dimensions or more",
        )
    pairs = find_sets(source, step.sets, lambda rows: rows).defining
    first = directions_of(find_sets(source, step.sets).defining[:1])
    _, rows = frequent_rows(source, case_forms(step.sets.specific or ()))
    chosen, labels = most_biased(unit_rows(rows) @ first.T, BIASED)
    moments = all_moments(source)
    axes = np.linalg.eigh(moments.scatter)[1].T
    maps, shares = [], []
    for axis in axes[: -min(TRIED, source.dim - 1) - 1 : -1]:
        matrix = np.eye(source.dim) - np.outer(axis, axis)
        basis = bias_subspace([pair @ matrix for pair in pairs], 1)
        image = (rows[chosen] - moments.mean) @ matrix
        maps.append(Affine(moments.mean, matrix))
        shares.append(clusters_by_group(image - in_subspace(image, basis), labels))
    order = np.argsort(shares, kind="stable")
    best, next_best, worst = (shares[i] for i in (order[0], order[1], order[-1]))
    values = {"of": len(maps), "number": int(order[0]) + 1, "words": len(chosen)}
    note = Note("debias.component", values={**values, "best": best, "others": [next_best, worst]})
    debiased, notes = _hard(source, step, Debiased(maps[order[0]], of_unit=False))
    return debiased, (note, *notes)


def _inlp(source: Source, step: Debiasing) -> Result:
    """Project onto what no linear classifier can tell the groups by."""
    found = find_sets(source, step.sets)
    _, rows = frequent_rows(source, found.spared)
    rows = unit_rows(rows)
    leans = rows @ found.directions.T
    chosen, labels = most_biased(leans, TRAINED_ON)
    k, n = leans.shape[1], len(chosen) // leans.shape[1]
    rest = np.setdiff1d(np.arange(len(rows)), chosen)
    neutral = rest[np.argsort(np.abs(leans[rest]).max(axis=1), kind="stable")[:n]]
    chosen, labels = np.append(chosen, neutral), np.append(labels, np.full(len(neutral), k))
    projection, accuracies = null_space(rows[chosen], labels)
    left = round(float(np.trace(projection)))
    values: dict[str, Any] = {
        "classifiers": len(accuracies) - 1,
        "words": len(chosen),
        "of": source.dim,
    }
    values |= {"removed": source.dim - left, "accuracies": [accuracies[0], accuracies[-1]]}
    note = Note("debias.inlp", values={**step.named, **values})
    return Debiased(Affine(np.zeros(source.dim), projection)), (note, *found.notes)


_HARD = "Bolukbasi et al. 2016, Manzini et al. 2019"
METHODS: dict[str, tuple[Callable[[Source, Debiasing], Result], str]] = {
    "hard-debias": (_hard, _HARD),
    SOFT: (_soft, _HARD),
    "double-hard": (_double_hard, "Wang et al. 2020"),
    "inlp": (_inlp, "Ravfogel et al. 2020"),
}
"""By name, how each is fitted and what to cite."""
