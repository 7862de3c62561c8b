"""What could not be read of a corpus, counted and named by file and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

NAMED = 100
"""Damaged lines of a run that are named one by one in what is written; all are counted."""


@dataclass(frozen=True)
class Damage:
    """A line, or a row, that was skipped."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


Tell = Callable[[Damage], None]


@dataclass
class Account:
    """Counts of one file; `tell` is called with every damaged line."""

    file: str
    tell: Tell | None = None
    texts: int = 0
    """Texts that were looked through."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Texts left out although nothing was wrong with them, by reason."""
    damaged: int = 0
    named: list[Damage] = field(default_factory=list)
    """The first damaged lines."""

    def damage(self, line: int, why: str) -> None:
        """Count a damaged line and tell of it."""
        one = Damage(self.file, line, why)
        self.damaged += 1
        if len(self.named) < NAMED:
            self.named.append(one)
        if self.tell is not None:
            self.tell(one)
