"""Measures by name, for what must know the others: the registry fills it in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol


class Kind(Protocol):
    """What is asked of a measure's class here."""

    name: ClassVar[str]
    kind: ClassVar[str]
    needed: ClassVar[str]
    minimum: ClassVar[Mapping[str, int]]


KNOWN: dict[str, type[Kind]] = {}
