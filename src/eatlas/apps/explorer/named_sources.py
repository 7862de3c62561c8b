"""The sources that the page may use: each word looked up once, and where it is on the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from eatlas import kernels
from eatlas.apps.explorer.lists import Lists
from eatlas.errors import EatlasError, SourceError
from eatlas.results.settings import source_name
from eatlas.sources import CaseRule, VectorSource, is_contextual, period_of, spellings
from eatlas.sources.coverage import (
    Embedded,
    embed_concepts,
    embed_groups,
    is_common_word,
    needed_items,
    needed_of,
)
from eatlas.sources.interface import Item, word_alone
from eatlas.sources.naming import open_named
from eatlas.sources.snapshot import Snapshot
from eatlas.stimuli import ROLES, TARGETS, Concept, Test

CASE: CaseRule = "auto"
"""As eatlas run looks words up."""


@dataclass
class NamedSource:
    """A source, and the vectors that were looked up so far."""

    spec: str
    """What the command line says of it, with a name before it where it has one; empty for vectors
    in memory."""
    source: VectorSource
    name: str
    """What a person calls it."""
    given: str = ""
    """The name that results know it by; empty where that is its source string."""
    file: Path | None = None
    """The file or folder that it reads, where it names one."""
    _state: tuple[int, ...] | None = None
    _known: Snapshot | None = field(default=None, repr=False)
    _requested: set[Item] = field(default_factory=set, repr=False)

    def with_words(self, words: Iterable[str]) -> Snapshot:
        """The vectors of these words, and of all that were looked up before; as :meth:`holding`."""
        return self.holding({word_alone(key) for one in words for key in spellings(one, self.case)})

    def with_tests(self, tests: Iterable[Test]) -> Snapshot:
        """The vectors of what these tests need, sentences included; as :meth:`holding`."""
        return self.holding(needed_items(self.source, tests, (), self.case))

    def holding(self, wanted: Set[Item]) -> Snapshot:
        """The vectors of these words or sentences, and of all that were looked up before."""
        self.require_unchanged()
        new = wanted - self._requested
        if self._known is None or new:
            found = Snapshot.of(self.source, new)
            kept = {} if self._known is None else dict(self._known.found)
            self._known = replace(found, found={**kept, **found.found})
            self._requested |= new
        return self.called(self._known)

    def called(self, known: Snapshot) -> Snapshot:
        """What was looked up under the name that results know the source by."""
        return known.renamed(self.given) if self.given else known

    @property
    def source_from(self) -> str:
        """Its source string, where results know it by a name."""
        return self.source.name if self.given else ""

    @property
    def case(self) -> CaseRule:
        """How words are looked up; an encoder takes them as they are written."""
        return "exact" if is_contextual(self.source) else CASE

    def embedded(self, groups: dict[str, tuple[str, ...]]) -> Embedded:
        """Vectors of the words of groups, with an account of those that are missing."""
        known = self.with_words({word for words in groups.values() for word in words})
        return embed_groups(groups, known, self.case)

    def embedded_concepts(self, concepts: Mapping[str, Concept]) -> Embedded:
        """The same of concepts, whose terms may be sentences."""
        items = needed_of(self.source, concepts.values(), self.case)
        return embed_concepts(concepts, self.holding(items), self.case)

    def require_unchanged(self) -> None:
        """Refuse a file that vanished, or that is another one by now."""
        if self.file is None:
            return
        now = _state(self.file)
        if now is None:
            raise EatlasError(
                f"The file of {self.name} no longer exists: {self.file}. Nothing is shown, because "
                "its vectors cannot be checked any more. Put it back, or start eatlas explore "
                "again with another source."
            )
        if now != self._state:
            raise EatlasError(
                f"The file of {self.name} was changed while it was explored: {self.file}. Start "
                "eatlas explore again."
            )


def named_sources(vectors: Any) -> tuple[NamedSource, ...]:
    """Open sources, some of them with names; a model of several layers gives one for each."""
    found: list[NamedSource] = []
    for one in open_named(vectors):
        spec, name = one.spec
        text = str(spec) if isinstance(spec, str | Path) else ""
        file = _file_of(text)
        year = period_of(one.source)
        called = (one.name or source_name(one.source.name)) + ("" if year is None else f", {year}")
        whole = f"{name}={text}" if name and text else text
        state = None if file is None else _state(file)
        found.append(NamedSource(whole, one.source, called, one.name, file, state))
    if not found:
        raise SourceError("no vectors were chosen", allowed="a file, a name, or vectors in memory")
    called_so = Counter(made.name for made in found)
    for made in found:
        if called_so[made.name] > 1:
            made.name = made.given or made.source.name
    same = [name for name, n in Counter(made.name for made in found).items() if n > 1]
    if same:
        raise SourceError(
            f"two sources have the name {same[0]!r}, so they could not be distinguished",
            remedy="name them: --vectors NAME=SOURCE; in Python vectors={NAME: SOURCE, ...}",
        )
    return tuple(found)


def _file_of(spec: str) -> Path | None:
    """The file or folder that a source names, with options behind it."""
    for text in (spec, spec.partition("?")[0].partition("#")[0]):
        if text and (path := Path(text)).exists():
            return path
    return None


def _state(path: Path) -> tuple[int, ...] | None:
    """What tells a file from another one; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


Point = tuple[float, float]
"""Mean cosine with A, and with B."""
Missing = dict[str, dict[str, str]]
"""Why words have no vector, by role and word."""
DECIMALS = 12
"""Kept of a mean cosine: the last bits are rounding, and no distance on a map."""


class Placed(NamedTuple):
    """What is known of the words of four groups, by role and word."""

    missing: Missing
    at: dict[tuple[str, str], Point]
    common: frozenset[tuple[str, str]]
    """Names that were found as a common word, such as Bill as bill."""


NOWHERE = Placed({}, {}, frozenset())
"""Of words that could not be looked up."""


def placed(lists: Lists, source: NamedSource) -> Placed:
    """What is missing, and places; those of a word in sentences are the means of its sentences."""
    groups = lists.groups
    concepts = {role: lists.concept(role, group.words) for role, group in groups.items()}
    found = source.embedded_concepts(concepts)
    about = {role: concept.stimulus_of for role, concept in concepts.items()}
    names = {
        role: [about[role].get(term, term) for term in found.coverage[role].used] for role in ROLES
    }
    missing: Missing = {
        role: {
            word: why
            for term, why in found.coverage[role].reasons.items()
            if (word := about[role].get(term, term)) not in names[role]
        }
        for role in ROLES
    }
    rows = {
        role: kernels.unit_rows(vectors) if len(vectors) else vectors
        for role, vectors in found.vectors.items()
    }
    on = {
        role: [i for i, w in enumerate(names[role]) if w not in groups[role].off] for role in "AB"
    }
    common = frozenset(
        (role, term)
        for role in ROLES
        for term, key in found.keys[role].items()
        if is_common_word(term, key)
    )
    if not all(on.values()):
        return Placed(missing, {}, common)
    means = [kernels.mean_row(rows[role][chosen]) for role, chosen in on.items()]
    pairs: dict[tuple[str, str], list[Point]] = {}
    for role in TARGETS:
        a, b = (kernels.associations(rows[role], mean).tolist() for mean in means)
        for word, both in zip(names[role], zip(a, b, strict=True), strict=True):
            pairs.setdefault((role, word), []).append(both)
    at = {key: mean_place(several) for key, several in pairs.items()}
    return Placed(missing, at, common)


def mean_place(places: Sequence[Point]) -> Point:
    """The mean of the places of the sentences of a word.

    >>> mean_place([(0.5, 1.0), (1.5, 2.0)])
    (1.0, 1.5)
    """
    a, b = (round(sum(values) / len(places), DECIMALS) for values in zip(*places, strict=True))
    return a, b
