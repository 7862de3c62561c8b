"""Debiasing as a transform: word sets that define a bias, hard, soft, double-hard, null space."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import EatlasError, SourceError, StimulusError, listed, nearest
from eatlas.kernels.cosines import associations, unit_rows
from eatlas.notes import Note
from eatlas.paths import is_file, is_there
from eatlas.sources.coverage import spellings
from eatlas.sources.interface import usable
from eatlas.sources.source import Mapped, Source
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
from eatlas.stimuli import GroupsTest, built_in_tests, load_tests
from eatlas.untrusted import require_trust

FAMILIES = ("gender", "race", "religion")
"""Sets of published papers, which come with the package."""
ALLOWED = f"{', '.join(FAMILIES)}, a TOML file of sets, or a test of groups"
_KEYS = "schema = 1, title, citation, notes, groups, defining, equalize, specific"
FREQUENT = 50_000
"""Words, first in the source, among which the most biased are sought: Gonen and Goldberg (2019)."""
SHARE = 0.15
"""Of all words at most, where a source has fewer: lists of the most biased must not be of all."""
FEWEST = 10
SHOWN = 10
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

Word = Annotated[str, StringConstraints(pattern=r"\S")]
Words = tuple[Word, ...]
Array = NDArray[np.float64]
Map = Callable[[list[str], Array], Array]


# --- word sets ------------------------------------------------------------------------------------


class BiasSets(BaseModel):
    """Words that define a bias between groups, as a TOML file states them.

    Examples
    --------
    >>> sets = bias_sets("religion")
    >>> sets.groups, len(sets.defining), sets.defining[1]
    (('Judaism', 'Christianity', 'Islam'), 5, (('jew',), ('christian',), ('muslim',)))
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    version: Literal[1] = Field(alias="schema")
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    groups: Words = Field(min_length=2)
    """Names of two or more groups."""
    defining: tuple[tuple[Words, ...], ...] = Field(min_length=1)
    """Defining sets: for each group one word, or several that stand for it together."""
    equalize: tuple[Words, ...] = ()
    """Sets of a word for each group that are to differ in the bias alone; default the defining."""
    specific: frozenset[Word] = frozenset()
    """Words that keep the bias, because it is their meaning; default those of all sets."""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, data: dict[str, Any]) -> dict[str, Any]:
        sets = data.get("equalize", data.get("defining", ()))
        if isinstance(sets, list):  # those of the same letters once, as all are sought in capitals
            sets = [*{str(words).lower(): words for words in sets}.values()]
            lists = (
                words for words in (*data.get("defining", ()), *sets) if isinstance(words, list)
            )
            data = {"specific": [word for words in lists for word in words], **data}
        return {**data, "equalize": sets}

    @field_validator("defining", mode="before")
    @classmethod
    def _one_word_a_cell(cls, sets: Any) -> Any:
        if not isinstance(sets, list):
            return sets
        return [[(w,) if isinstance(w, str) else w for w in words] for words in sets]

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        """Each set has a word for each group; no word stands for two, or is equalized twice."""
        for key, sets in (("defining", self.defining), ("equalize", self.equalize)):
            for words in sets:
                if len(words) != len(self.groups):
                    raise ValueError(f"{key}: {words} (allowed: a word for each of {self.groups})")
        group_of: dict[str, str] = {}
        for cells in self.defining:
            for cell, group in zip(cells, self.groups, strict=True):
                if any(group_of.setdefault(word.lower(), group) != group for word in cell):
                    raise ValueError(f"defining: a word of {cell} stands for two groups")
        set_of: dict[str, Words] = {}
        for words in self.equalize:
            lower = tuple(word.lower() for word in words)
            if len(set(lower)) < len(lower):
                raise ValueError(f"equalize: a word of {words} occurs twice in one set")
            if any(set_of.setdefault(word, lower) != lower for word in lower):
                raise ValueError(
                    f"equalize: a word of {words} is in two sets, and can be equalized in only one "
                    "(default: the defining sets; equalize = [] means none)"
                )
        return self

    @property
    def sha256(self) -> str:
        """Hash of the words, by the part they play."""
        parts = (self.groups, self.defining, self.equalize, sorted(self.specific))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def components(self) -> int:
        """Dimensions of the bias subspace: k groups differ in k - 1."""
        return len(self.groups) - 1


def bias_sets(name: str) -> BiasSets:
    """Find sets by name.

    Parameters
    ----------
    name : str
        ``gender``, ``race`` or ``religion``; else the path of a TOML file of sets; else what names
        one test of groups: its pairs define the bias, or the means of its groups where it has
        none, and its words keep it.

    Raises
    ------
    SourceError
        If there are no such sets, or they are not well formed; every fault is named.
    """
    if name.lower() in FAMILIES:
        file = resources.files("eatlas.sources") / "data" / f"bias-{name.lower()}.toml"
        return _parsed(read_toml(file.read_bytes(), file.name, SourceError), file.name)
    if is_file(name):
        data = read_toml(toml_bytes(Path(name), SourceError), name, SourceError)
        if "test" not in data:
            return _parsed(data, name)
    elif name not in {test.id for test in built_in_tests(sentences=False)}:
        require_trust(f"look for word sets called {name} in what installed packages register")
    try:
        tests = load_tests(name)
    except StimulusError as error:
        near = nearest(name, FAMILIES)
        raise SourceError(
            f"there are no word sets called {name!r}",
            got=error.what.splitlines()[0] if is_there(name) else None,
            allowed=ALLOWED,
            remedy=f"did you mean {near[0]}?" if near else None,
        ) from error
    if len(tests) != 1 or not isinstance(tests[0], GroupsTest):
        raise SourceError(
            f"{name}: one test of groups is needed",
            got=listed((test.id for test in tests), 6),
            allowed=ALLOWED,
        )
    return _of_test(tests[0])


def _of_test(test: GroupsTest) -> BiasSets:
    """Take the pairs of a test; without any, the mean of each group's words stands for it."""
    once = len({word.lower() for pair in test.pairs for word in pair})
    apart = once == len(test.pairs) * len(test.groups)
    whole_groups = tuple(group.terms for group in test.groups)
    return BiasSets(
        schema=1,
        groups=tuple(group.name for group in test.groups),
        defining=tuple(tuple((word,) for word in pair) for pair in test.pairs) or (whole_groups,),
        equalize=test.pairs if apart else (),
        specific=frozenset(word for words in whole_groups for word in words),
        citation=test.citation or "",
        notes=(f"The {'pairs' if test.pairs else 'means of the groups'} of the test {test.id}.",),
    )


def _parsed(data: dict[str, Any], where: str) -> BiasSets:
    """Make sets of a TOML file."""
    try:
        return BiasSets.model_validate(data)
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            key = ".".join(map(str, fault["loc"]))
            text = fault["msg"].removeprefix("Value error, ")
            faults.append(f"{where}: key {key}: {text}" if key else f"{where}: key {text}")
        raise SourceError("\n".join(faults), allowed=_KEYS) from error


def case_forms(words: Collection[str]) -> frozenset[str]:
    """Words as they are written, and in every case form of the rule ``auto``."""
    return frozenset(form for word in words for form in spellings(word, "auto"))


# --- sets and leanings in a source ----------------------------------------------------------------


@dataclass(frozen=True)
class FoundSets:
    """Word sets as the vectors of a source."""

    defining: list[Array]
    """Unit rows of each defining set that is complete."""
    equalize: dict[Words, Array]
    """Keys of the source and unit rows of each complete set, in every case form."""
    spared: frozenset[str]
    """Keys that keep the bias."""
    remarks: tuple[Note, ...]

    @property
    def group_directions(self) -> Array:
        """Unit direction of each group: the mean of its words, less that of their sets."""
        return unit_or_zero(np.mean([rows - rows.mean(axis=0) for rows in self.defining], axis=0))


def looked_up(source: Source, sets: BiasSets, done: Map | None = None) -> FoundSets:
    """Find the vectors of sets, each word by the case rule ``auto``; `done` maps them first."""
    every = (*(cell for cells in sets.defining for cell in cells), *sets.equalize)
    wanted = case_forms({word for words in every for word in words})
    vectors = {word: v for word, v in source.lookup(wanted).items() if v.any()}
    unit: dict[str, Array] = {}
    if vectors:
        rows = np.stack([*vectors.values()]).astype(np.float64)
        rows = unit_rows(rows) if done is None else done([*vectors], rows)
        unit = dict(zip(vectors, rows, strict=True))

    def mean_of(cell: Words) -> Array | None:
        keys = [next((s for s in spellings(word, "auto") if s in unit), None) for word in cell]
        hits = [unit[key] for key in keys if key is not None]
        return np.mean(hits, axis=0) if hits else None

    defining, lost = [], list[str]()
    for cells in sets.defining:
        means = [mean_of(cell) for cell in cells]
        present = [mean for mean in means if mean is not None]
        if len(present) == len(means):
            defining.append(np.stack(present))
        else:
            missing = [cell for cell, mean in zip(cells, means, strict=True) if mean is None]
            lost.append(", ".join(word for cell in missing for word in cell[:SHOWN]))
    if not defining:
        raise EatlasError(
            "no defining set has a word for each group",
            got=f"without a vector: {listed(lost, SHOWN)}",
            allowed=f"one set or more with a word for each of {', '.join(sets.groups)}",
        )
    words = list(dict.fromkeys(lost))
    values = {"used": len(defining), "of": len(sets.defining), "lost": words, "most": SHOWN}
    remarks = (Note("debias.lost", values=values),)
    forms = {
        tuple(form(word) for word in words)
        for words in sets.equalize
        for form in (str, str.lower, str.title, str.upper)
    }
    equal = {
        keys: np.stack([unit[key] for key in keys])
        for keys in sorted(forms)
        if all(key in unit for key in keys)
    }
    return FoundSets(defining, equal, case_forms(sets.specific), remarks if lost else ())


def most_biased(
    source: Source, sets: FoundSets, most: int, *, neutral: bool = False
) -> tuple[list[str], NDArray[np.int64]]:
    """Find the words nearest to the direction of each group, and their groups' numbers."""
    words, leans = leanings(source, sets.group_directions, sets.spared)
    chosen, labels = most_of_each(leans, most)
    if neutral:
        k, n = leans.shape[1], len(chosen) // leans.shape[1]
        rest = np.setdiff1d(np.arange(len(words)), chosen)
        least = rest[np.argsort(np.abs(leans[rest]).max(axis=1), kind="stable")[:n]]
        chosen, labels = np.append(chosen, least), np.append(labels, np.full(len(least), k))
    return [words[int(i)] for i in chosen], labels


def most_of_each(leans: Array, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the rows that lean most to each column, the same number for all."""
    k = leans.shape[1]
    nearest_group = np.argmax(leans, axis=1) if len(leans) else np.zeros(0, np.int64)
    n = min(most, int(SHARE * len(leans)), *np.bincount(nearest_group, minlength=k).tolist())
    if n < FEWEST:
        raise EatlasError(
            "there are too few words to learn from",
            got=f"{n} most biased words of a group, of {len(leans):,} words",
            allowed=f"{FEWEST} or more of each group, {SHARE:.0%} of all words at most",
        )
    chosen = []
    for i in range(k):
        mine = np.flatnonzero(nearest_group == i)
        chosen.append(mine[np.argsort(-leans[mine, i], kind="stable")[:n]])
    return np.concatenate(chosen), np.repeat(np.arange(k), n)


def leanings(source: Source, directions: Array, spared: Collection[str]) -> tuple[list[str], Array]:
    """Cosine of each frequent word with the direction of each group."""
    taken: dict[str, Array] = {}
    seen = 0
    for words, rows in whole(source):
        for word, row in zip(words[: FREQUENT - seen], rows, strict=False):
            if word.isalpha() and word not in spared and row.any():
                taken.setdefault(word, row)
        seen += len(words)
        if seen >= FREQUENT:
            break
    if not taken:
        return [], np.empty((0, len(directions)))
    unit = unit_rows(np.stack([*taken.values()]))
    return [*taken], np.stack([associations(unit, one) for one in directions], axis=1)


def whole(source: Source) -> Iterator[tuple[list[str], Array]]:
    """All words and vectors of a source, in double precision."""
    source.require_listed("a bias is sought in all vectors")
    for words, vectors in source.iter_chunks():
        yield words, usable(vectors, words, source.name).astype(np.float64)


def all_moments(source: Source) -> Moments:
    """Mean and covariance of all vectors of a source that are not zero, in one pass."""
    moments: Moments | None = None
    for words, vectors in source.iter_chunks():
        rows = usable(vectors, words, source.name)
        rows = rows[rows.any(axis=1)]
        if moments is None and len(rows):
            # a pivot among the rows keeps the digits of a covariance far from the origin
            moments = Moments(source.dim, pivot=rows.mean(axis=0, dtype=np.float64))
        if moments is not None:
            moments.add(rows)
    return moments or Moments(source.dim)


def within(where: str, error: EatlasError) -> SourceError:
    """Say where an error arose."""
    return SourceError(
        f"{where}: {error.what}", got=error.got, allowed=error.allowed, remedy=error.remedy
    )


# --- the transform --------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class _Fit:
    """What debiasing does to vectors: a linear map of all, then what depends on the word."""

    remarks: tuple[Note, ...]
    affine: Affine | None = None
    of_unit: bool = True
    """Whether vectors are made unit length before the linear map."""
    basis: Array | None = None
    spared: frozenset[str] = frozenset()
    equalized: Mapping[str, Array] = field(default_factory=dict)
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
            if word in self.equalized:
                rows[i] = self.equalized[word]
        return rows


class DebiasedSource(Mapped):
    """A source of words from whose vectors a bias is taken out.

    All vectors come as unit vectors in double precision; what is within the bias subspace alone
    becomes zero and counts as missing, with that reason. Every word of a set is looked up as the
    case rule ``auto`` does; specific words and equality sets in every case form that the source
    has. Equality sets are made of the vectors as they were, so their order does not matter.
    """

    def __init__(self, source: Source, step: Debiasing, name: str | None = None) -> None:
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
    def notes(self) -> tuple[Note, ...]:
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

    def mapped(
        self, words: list[str], rows: NDArray[np.floating], *, bulk: bool = False
    ) -> NDArray[np.float64]:
        """Debias vectors, by their words."""
        return self._fit.rows(words, rows.astype(np.float64), bulk=bulk)

    @cached_property
    def _fit(self) -> _Fit:
        try:
            return METHODS[self.step.method](self.source, self.step)
        except SourceError:
            raise
        except EatlasError as error:
            raise within(f"{self.source.name}: the transform {self.own}", error) from error


def _hard(source: Source, step: Debiasing, before: _Fit | None = None) -> _Fit:
    """Neutralize and equalize; `before` says what was done to all vectors."""
    done = before or _Fit(())
    found = looked_up(source, step.sets, done.rows)
    basis = bias_subspace(found.defining, step.sets.components)
    pairs = ((keys, equalize(rows, basis)) for keys, rows in found.equalize.items())
    equal = {keys: rows for keys, rows in pairs if rows is not None}
    vectors = {
        key: row for keys, rows in equal.items() for key, row in zip(keys, rows, strict=True)
    }
    values = {"by": step.text, "cited": _CITED[step.method], "dimensions": len(basis)}
    note = Note("debias.hard", values={**values, "equalized": len(equal)})
    remarks = (*done.remarks, note, *found.remarks)
    return _Fit(remarks, done.affine, done.of_unit, basis, found.spared, vectors)


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
    note = Note("debias.soft", values={"by": step.text, "cited": _CITED[SOFT], "share": share})
    return _Fit((note, *found.remarks), Affine(np.zeros(source.dim), matrix))


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
    moments = all_moments(source)
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
    values: dict[str, Any] = {
        "of": len(maps),
        "number": int(first) + 1,
        "words": len(words),
        "best": float(best),
        "others": [float(next_best), float(max(accuracies))],
    }
    remarks = [Note("debias.component", values=values)]
    error = np.sqrt((best * (1 - best) + next_best * (1 - next_best)) / len(words))
    if next_best - best < CLEAR * error:
        components = [int(first) + 1, int(second) + 1]
        values = {"by": step.text, "components": components, "errors": CLEAR}
        values |= {"shares": [float(best), float(next_best)]}
        remarks.append(Note("debias.component-by-chance", values=values))
    return _hard(source, step, _Fit(tuple(remarks), maps[first], of_unit=False))


def _inlp(source: Source, step: Debiasing) -> _Fit:
    """Project onto what no linear classifier can tell the groups by."""
    found = looked_up(source, step.sets)
    words, labels = most_biased(source, found, TRAINED_ON, neutral=True)
    vectors = source.lookup(words)
    rows = unit_rows(np.stack([vectors[word] for word in words]))
    projection, accuracies = null_space(rows, labels)
    left = round(float(np.trace(projection)))
    values = {"by": step.text, "cited": _CITED["inlp"], "classifiers": len(accuracies) - 1}
    values |= {"words": len(words), "removed": source.dim - left, "of": source.dim}
    values |= {"accuracies": [float(accuracies[0]), float(accuracies[-1])]}
    note = Note("debias.inlp", values=values)
    return _Fit((note, *found.remarks), Affine(np.zeros(source.dim), projection))


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
