"""All stimuli in one table of transitions between bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.spelling import Rule, Symbol

NOTHING = -1


@dataclass(frozen=True)
class Automaton:
    """What the compiled loop walks through, byte by byte of UTF-8, from state 0.

    Every spelling ends in a state of its own, which spellings of several stimuli may share.
    """

    next: NDArray[np.int32]
    """The state after a byte, shape (states, 256); -1 where no stimulus goes on so."""
    final: NDArray[np.int32]
    """Shape (states,): the number of what ends in a state, or -1."""
    endings: tuple[tuple[int, ...], ...]
    """The stimuli of each such number, without repetition."""


class _Building:
    """States by the way that leads to them."""

    def __init__(self) -> None:
        self.rows = [np.full(256, NOTHING, np.int32)]
        self.children: dict[tuple[int, str], int] = {}
        self.between: dict[tuple[int, bytes], int] = {}

    def child(self, state: int, symbol: Symbol) -> int:
        if (state, symbol.name) not in self.children:
            child = self._new()
            self.children[state, symbol.name] = child
            for character in symbol.repeats:
                self._lead(child, character, child)
        child = self.children[state, symbol.name]
        for character in symbol.characters:
            self._lead(state, character, child)
        return child

    def _lead(self, state: int, character: str, child: int) -> None:
        *some, last = character.encode()
        at, way = state, b""
        for byte in some:
            way += bytes([byte])
            if (state, way) not in self.between:
                self.between[state, way] = self._new()
                self.rows[at][byte] = self.between[state, way]
            at = self.between[state, way]
        self.rows[at][last] = child

    def _new(self) -> int:
        self.rows.append(np.full(256, NOTHING, np.int32))
        return len(self.rows) - 1


def build(stimuli: Iterable[str], rule: Rule) -> Automaton:
    """Put stimuli into an automaton; the number of a stimulus is its place among them."""
    building = _Building()
    ends: dict[int, dict[int, None]] = {}
    for number, stimulus in enumerate(stimuli):
        for spelling in rule.written(stimulus):
            state = 0
            for symbol in rule.symbols(spelling):
                state = building.child(state, symbol)
            ends.setdefault(state, {})[number] = None
    table = np.stack(building.rows)
    final = np.full(len(table), NOTHING, np.int32)
    endings: dict[tuple[int, ...], int] = {}
    for state, numbers in ends.items():
        final[state] = endings.setdefault(tuple(numbers), len(endings))
    return Automaton(table, final, tuple(endings))
