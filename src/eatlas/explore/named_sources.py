"""The sources of the command line: opened once, each word looked up once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from eatlas.errors import EatlasError
from eatlas.results.settings import source_name
from eatlas.sources import CaseRule, VectorSource, is_contextual, open_sources, period_of, spellings
from eatlas.sources.coverage import Embedded, embed_groups
from eatlas.sources.naming import distinct, names_under, specs_of
from eatlas.sources.protocol import Item, word_alone
from eatlas.sources.snapshot import Snapshot

CASE: CaseRule = "auto"
"""As eatlas run looks words up."""


@dataclass
class NamedSource:
    """A source of the command line, and the vectors that were looked up so far."""

    spec: str
    """What the command line says of it, with a name before it where it has one."""
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
    for spec, name in distinct(specs_of(list(specs), "")):
        file = _file_of(str(spec))
        state = None if file is None else _state(file)
        sources = open_sources(spec)
        under = names_under(name, [one.name for one in sources]) if name else [""] * len(sources)
        for source, given in zip(sources, under, strict=True):
            year = period_of(source)
            called = (given or source_name(source.name)) + ("" if year is None else f", {year}")
            whole = f"{name}={spec}" if name else str(spec)
            found.append(NamedSource(whole, source, called, given, file, state))
    names = [one.name for one in found]
    for one in found:
        if names.count(one.name) > 1:
            one.name = one.given or one.source.name
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
