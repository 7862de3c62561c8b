"""Word sets that define a bias, of papers, files or tests, and what a source has of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
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
    model_validator,
)

from eatlas.decoding import read_toml, toml_bytes
from eatlas.errors import EatlasError, SourceError, StimulusError, listed, nearest
from eatlas.kernels.cosines import associations, unit_rows
from eatlas.paths import is_there
from eatlas.sources.coverage import spellings
from eatlas.sources.interface import usable
from eatlas.sources.source import Source, require_whole
from eatlas.stats.space import unit_or_zero
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

Words = tuple[str, ...]
Array = NDArray[np.float64]
Map = Callable[[list[str], Array], Array]


@dataclass(frozen=True)
class BiasSets:
    """Words that define a bias between groups.

    Parameters
    ----------
    groups : tuple of str
        Names of two or more groups.
    defining : tuple
        Defining sets: for each group one word, or several that stand for it together.
    equalize : tuple
        Sets of words, one for each group, that are to differ in the bias alone.
    specific : frozenset of str
        Words that keep the bias, because it is their meaning.
    citation : str
    notes : tuple of str

    Examples
    --------
    >>> sets = bias_sets("religion")
    >>> sets.groups, len(sets.defining), sets.defining[1]
    (('Judaism', 'Christianity', 'Islam'), 5, (('jew',), ('christian',), ('muslim',)))
    """

    groups: Words
    defining: tuple[tuple[Words, ...], ...]
    equalize: tuple[Words, ...]
    specific: frozenset[str]
    citation: str = ""
    notes: tuple[str, ...] = ()

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
        return _parsed(file.read_bytes(), file.name)
    if is_there(name) and Path(name).is_file():
        try:
            data = toml_bytes(Path(name), SourceError)
        except OSError as error:
            raise SourceError(
                f"{name}: the file of word sets cannot be read", got=error.strerror or str(error)
            ) from error
        if "test" not in read_toml(data, name, SourceError):
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
    return _of_test(tests, name)


def _of_test(tests: Sequence[Any], name: str) -> BiasSets:
    """Take the pairs of a test; without any, the mean of each group's words stands for it."""
    of_groups = [one for one in tests if isinstance(one, GroupsTest)]
    if len(tests) != 1 or not of_groups:
        raise SourceError(
            f"{name}: one test of groups is needed",
            got=listed((one.id for one in tests), 6),
            allowed=ALLOWED,
        )
    (test,) = of_groups
    once = len({word.lower() for pair in test.pairs for word in pair})
    apart = once == len(test.pairs) * len(test.groups)
    whole_groups = tuple(group.terms for group in test.groups)
    return BiasSets(
        groups=tuple(group.name for group in test.groups),
        defining=tuple(tuple((word,) for word in pair) for pair in test.pairs) or (whole_groups,),
        equalize=test.pairs if apart else (),
        specific=frozenset(word for words in whole_groups for word in words),
        citation=test.citation or "",
        notes=(f"The {'pairs' if test.pairs else 'means of the groups'} of the test {test.id}.",),
    )


Word = Annotated[str, StringConstraints(pattern=r"\S")]


class _File(BaseModel):
    """A TOML file of sets."""

    model_config = ConfigDict(extra="forbid", strict=True)
    version: Literal[1] = Field(alias="schema")
    title: str = ""
    citation: str = ""
    notes: list[str] = []
    groups: list[Word] = Field(min_length=2)
    defining: list[list[Word]] = Field(min_length=1)
    equalize: list[list[Word]] | None = None
    specific: list[Word] | None = None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        """Each set has a word for each group; no word stands for two, or is equalized twice."""
        for key, sets in (("defining", self.defining), ("equalize", self.equalize or [])):
            for words in sets:
                if len(words) != len(self.groups):
                    raise ValueError(f"{key}: {words} (allowed: a word for each of {self.groups})")
        group_of: dict[str, str] = {}
        for words in self.defining:
            for word, group in zip(words, self.groups, strict=True):
                if group_of.setdefault(word.lower(), group) != group:
                    raise ValueError(f"defining: {word!r} stands for two groups")
        set_of: dict[str, Words] = {}
        for lower in self.equalized():
            if any(set_of.setdefault(word, lower) != lower for word in lower):
                raise ValueError(
                    f"equalize: a word of {lower} is in two sets, and can be equalized in only one "
                    "(default: the defining sets; equalize = [] means none)"
                )
            if len(set(lower)) < len(lower):
                raise ValueError(f"equalize: a word of {lower} occurs twice in one set")
        return self

    def equalized(self) -> dict[Words, Words]:
        """Equality sets by their letters, since every set is also looked for in capitals."""
        sets = self.defining if self.equalize is None else self.equalize
        return {tuple(word.lower() for word in words): tuple(words) for words in sets}


def _parsed(data: bytes, where: str) -> BiasSets:
    """Make sets of a TOML file."""
    try:
        file = _File.model_validate(read_toml(data, where, SourceError))
    except ValidationError as error:
        faults = []
        for fault in error.errors():
            key = ".".join(map(str, fault["loc"]))
            said = f"{key}: {fault['msg']}" if key else fault["msg"].removeprefix("Value error, ")
            faults.append(f"{where}: key {said}")
        raise SourceError("\n".join(faults), allowed=_KEYS) from error
    equalize = tuple(file.equalized().values())
    in_sets = {word for words in (*file.defining, *equalize) for word in words}
    return BiasSets(
        groups=tuple(file.groups),
        defining=tuple(tuple((word,) for word in words) for words in file.defining),
        equalize=equalize,
        specific=frozenset(in_sets if file.specific is None else file.specific),
        citation=file.citation,
        notes=tuple(file.notes),
    )


@dataclass(frozen=True)
class FoundSets:
    """Word sets as the vectors of a source."""

    defining: list[Array]
    """Unit rows of each defining set that is complete."""
    equalize: dict[Words, Array]
    """Keys of the source and unit rows of each complete set, in every case form."""
    spared: frozenset[str]
    """Keys that keep the bias."""
    remarks: tuple[str, ...]

    @property
    def group_directions(self) -> Array:
        """Unit direction of each group: the mean of its words, less that of their sets."""
        return unit_or_zero(np.mean([one - one.mean(axis=0) for one in self.defining], axis=0))


def looked_up(source: Source, sets: BiasSets, done: Map | None = None) -> FoundSets:
    """Find the vectors of sets, each word by the case rule ``auto``."""
    cells = [cell for one in sets.defining for cell in one]
    wanted = case_forms({word for words in (*cells, *sets.equalize) for word in words})
    vectors = {w: v for w, v in source.lookup(wanted).items() if v.any()}
    unit: dict[str, Array] = {}
    if vectors:
        rows = np.stack([*vectors.values()]).astype(np.float64)
        unit |= zip(
            vectors, unit_rows(rows) if done is None else done([*vectors], rows), strict=True
        )

    def of_cell(cell: Words) -> Array | None:
        found = [next((s for s in spellings(word, "auto") if s in unit), None) for word in cell]
        hits = [unit[key] for key in found if key is not None]
        return np.mean(hits, axis=0) if hits else None

    defining, lost = [], list[str]()
    for one in sets.defining:
        parts = [of_cell(cell) for cell in one]
        there = [part for part in parts if part is not None]
        if len(there) == len(parts):
            defining.append(np.stack(there))
        else:
            missing = [cell for cell, part in zip(one, parts, strict=True) if part is None]
            lost.append(", ".join(word for cell in missing for word in cell[:SHOWN]))
    if not defining:
        raise EatlasError(
            "no defining set has a word for each group",
            got=f"without a vector: {listed(lost, SHOWN)}",
            allowed=f"one set or more with a word for each of {', '.join(sets.groups)}",
        )
    remarks = []
    if lost:
        remarks.append(
            f"{len(defining)} of {len(sets.defining)} defining sets were used; words without a "
            f"vector: {listed(dict.fromkeys(lost), SHOWN)}."
        )
    forms = {
        tuple(form(word) for word in one)
        for one in sets.equalize
        for form in (str, str.lower, str.title, str.upper)
    }
    equal = {
        keys: np.stack([unit[key] for key in keys])
        for keys in sorted(forms)
        if all(key in unit for key in keys)
    }
    return FoundSets(defining, equal, case_forms(sets.specific), tuple(remarks))


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
    nearest = np.argmax(leans, axis=1) if len(leans) else np.zeros(0, np.int64)
    n = min(most, int(SHARE * len(leans)), *np.bincount(nearest, minlength=k).tolist())
    if n < FEWEST:
        raise EatlasError(
            "there are too few words to learn from",
            got=f"{n} most biased words of a group, of {len(leans):,} words",
            allowed=f"{FEWEST} or more of each group, {SHARE:.0%} of all words at most",
        )
    chosen = []
    for i in range(k):
        mine = np.flatnonzero(nearest == i)
        chosen.append(mine[np.argsort(-leans[mine, i], kind="stable")[:n]])
    return np.concatenate(chosen), np.repeat(np.arange(k), n)


def leanings(source: Source, directions: Array, spared: Collection[str]) -> tuple[list[str], Array]:
    """Cosine of each frequent word with the direction of each group."""
    kept: dict[str, None] = {}
    leans: list[Array] = []
    seen = 0
    for words, rows in whole(source):
        some = words[: FREQUENT - seen]
        seen += len(some)
        taken = []
        for i, word in enumerate(some):
            if word.isalpha() and word not in spared and word not in kept and rows[i].any():
                kept[word] = None
                taken.append(i)
        if taken:
            unit = unit_rows(rows[taken])
            leans.append(np.stack([associations(unit, one) for one in directions], axis=1))
        if seen >= FREQUENT:
            break
    return list(kept), np.concatenate(leans) if leans else np.empty((0, len(directions)))


def case_forms(words: Collection[str]) -> frozenset[str]:
    """Words as they are written, and in every case form of the rule ``auto``."""
    return frozenset(form for word in words for form in spellings(word, "auto"))


def whole(source: Source) -> Iterator[tuple[list[str], Array]]:
    """All words and vectors of a source, in double precision."""
    for words, vectors in require_whole(source, "a bias is sought in all vectors").iter_chunks():
        yield words, usable(vectors, words, source.name).astype(np.float64)


def within(where: str, error: EatlasError) -> SourceError:
    """Say where an error arose."""
    parts = {"got": error.got, "allowed": error.allowed, "remedy": error.remedy}
    return SourceError(f"{where}: {error.what}", **parts)
