"""The sources of the command line: opened once, each word looked up once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from eatlas.errors import EatlasError
from eatlas.results.settings import source_name
from eatlas.sources import CaseRule, VectorSource, is_contextual, open_sources, period_of, spellings
from eatlas.sources.coverage import Embedded, embed_groups
from eatlas.sources.protocol import Item, word_alone
from eatlas.sources.snapshot import Snapshot

CASE: CaseRule = "auto"
"""As eatlas run looks words up."""


@dataclass
class NamedSource:
    """A source of the command line, and the vectors that were looked up so far."""

    spec: str
    """As it was named."""
    source: VectorSource
    name: str
    """What a person calls it."""
    file: Path | None = None
    """The file or folder that it reads, where it names one."""
    _state: tuple[int, ...] | None = None
    _known: Snapshot | None = field(default=None, repr=False)
    _requested: set[Item] = field(default_factory=set, repr=False)

    def with_words(self, words: Iterable[str]) -> Snapshot:
        """The vectors of these words, and of all that were looked up before.

        Raises
        ------
        EatlasError
            If the file is gone or another one, or the source cannot be read.
        """
        self.require_unchanged()
        case = self.case
        wanted = {word_alone(key) for word in words for key in spellings(word, case)}
        new = wanted - self._requested
        if self._known is None or new:
            found = Snapshot.of(self.source, new)
            kept = {} if self._known is None else dict(self._known.found)
            self._known = replace(found, found={**kept, **found.found})
            self._requested |= new
        return self._known

    @property
    def case(self) -> CaseRule:
        """How words are looked up; an encoder takes them as they are written."""
        return "exact" if is_contextual(self.source) else CASE

    def embedded(self, groups: dict[str, tuple[str, ...]]) -> Embedded:
        """Vectors of the words of groups, with an account of those that are missing."""
        known = self.with_words({word for words in groups.values() for word in words})
        return embed_groups(groups, known, self.case)

    def require_unchanged(self) -> None:
        """Refuse a file that vanished, or that is another one by now.

        Raises
        ------
        EatlasError
            In one plain sentence.
        """
        if self.file is None:
            return
        now = _state(self.file)
        if now is None:
            raise EatlasError(
                f"The file of {self.name} is gone: {self.file}. Nothing is shown, because its "
                "vectors cannot be checked any more. Put it back, or start eatlas explore again "
                "with another source."
            )
        if now != self._state:
            raise EatlasError(
                f"The file of {self.name} was changed while it was explored: {self.file}. Start "
                "eatlas explore again."
            )


def named_sources(specs: Iterable[str]) -> tuple[NamedSource, ...]:
    """Open the sources of the command line; a model of several layers gives one for each.

    Raises
    ------
    EatlasError
        If one cannot be opened, or two could not be told apart.
    """
    found: list[NamedSource] = []
    for spec in dict.fromkeys(specs):
        file = _file_of(spec)
        for source in open_sources(spec):
            year = period_of(source)
            name = source_name(source.name) + ("" if year is None else f", {year}")
            found.append(
                NamedSource(spec, source, name, file, None if file is None else _state(file))
            )
    names = [one.name for one in found]
    for one in found:
        if names.count(one.name) > 1:
            one.name = one.source.name
    return tuple(found)


def _file_of(spec: str) -> Path | None:
    """The file or folder that a source names, with a name before it and options behind it."""
    bare = spec.partition("?")[0].partition("#")[0]
    for text in (spec, bare, bare.partition("=")[2]):
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
