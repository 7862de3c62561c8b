"""Questions about a sentence with two stimuli, which a language model answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]
How = Literal["joint", "pll", "next", "ends"]
"""How the log-probability of a stimulus of several pieces is made of those of its pieces.

``joint``: all pieces are masked and filled in from left to right, the chain rule. ``pll``: one
piece is masked at a time while the others are shown, the pseudo-log-likelihood of Salazar et al.
(2020). ``next``: each piece after all that stands before it, for causal models. ``ends``: the
same, and that the word ends there, given that the word before it has ended (Pimentel and Meister
2024).
"""
Kind = Literal["masked", "causal"]


@dataclass(frozen=True, order=True)
class Question:
    """A question: how probable is a stimulus at its place in a text.

    Examples
    --------
    >>> asked = Question("Ivy is nice.", (0, 3), (7, 11), hidden=True)
    >>> asked.stimulus, asked.other_stimulus
    ('Ivy', 'nice')
    """

    text: str
    asked: Span
    """Characters of the stimulus that is scored, first and behind the last."""
    other: Span | None = None
    """Characters of the other stimulus; None where the text has none."""
    hidden: bool = False
    """Whether the other stimulus is masked too, one mask for each of its pieces."""
    how: How = "joint"

    @property
    def stimulus(self) -> str:
        """What is scored."""
        return self.text[slice(*self.asked)]

    @property
    def other_stimulus(self) -> str:
        """What stands at the other place; empty where there is none."""
        return "" if self.other is None else self.text[slice(*self.other)]


@dataclass(frozen=True)
class Answer:
    """The log-probability of a stimulus, or why there is none."""

    log_probability: float | None
    """Natural logarithm, at most 0, finite; summed over pieces."""
    pieces: int = 0
    """Pieces of the stimulus that was scored."""
    other_pieces: int = 0
    """Pieces of the other stimulus; 0 where there is none."""
    fault: str = ""
    """Why there is no log-probability."""
    at: Literal["asked", "other", "text", ""] = ""
    """The stimulus that is at fault, or the text, which is too long."""
