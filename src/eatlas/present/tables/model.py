"""What a table holds, before any markup."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one group stand under a common head."""

    title: str
    group: str = ""
    number: bool = False
    """Numbers stand on the right, names on the left."""


@dataclass(frozen=True)
class Cell:
    """Lines of text below each other."""

    lines: tuple[str, ...]
    star: bool = False
    """Whether the first line is significant."""
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under columns, with a caption above and notes below."""

    id: str
    """A short name for references."""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = field(default=())

    def groups(self) -> list[tuple[str, int]]:
        """Heads over several columns, each with their number."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = column.group, found[-1][1] + 1
            else:
                found.append((column.group, 1))
        return found
