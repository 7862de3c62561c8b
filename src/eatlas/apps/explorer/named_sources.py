"""The sources that the page may use: opened once, each word looked up once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasError, SourceError
from eatlas.results.settings import source_name
from eatlas.sources import CaseRule, VectorSource, is_contextual, period_of, spellings
from eatlas.sources.coverage import (
    Embedded,
    embed_concepts,
    embed_groups,
    needed_items,
    needed_of,
)
from eatlas.sources.interface import Item, word_alone
from eatlas.sources.naming import open_named
from eatlas.sources.snapshot import Snapshot
from eatlas.stimuli import Concept, Test

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
