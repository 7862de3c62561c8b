"""Records of how far the words of a test's lists hang together."""

from __future__ import annotations

from eatlas.results.parts import Record
from eatlas.results.uncertainty import Unit
from eatlas.stimuli.model import ROLES


class Coefficient(Record):
    """One coefficient and its interval over the terms of the other side; None where undefined."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        ends = "" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.2f}{ends}"


class GroupReliability(Record):
    """One group of terms."""

    terms: int
    raw_alpha: float | None
    """Cronbach's alpha of the similarities as they are. What all words have in common raises it:
    lists of random words have .7."""
    alpha: Coefficient
    """Of similarities centred between the two groups of a side; below 0 for words that are no more
    like one another than like those of the other group."""
    omega: Coefficient
    """Share of one common factor in the variance of the sum of these; low where a group has
    several."""


class Reliability(Record):
    """Reliability of the four groups of a test, and of the contrasts between them."""

    unit: Unit
    """Whether terms, or stimuli of sentences, are the items."""
    confidence: float
    X: GroupReliability
    Y: GroupReliability
    A: GroupReliability
    B: GroupReliability
    targets: Coefficient
    """Reliability of the difference between the mean profiles of X and Y over attributes: 0 or less
    for random words, 1 where the words of each group are all alike."""
    attributes: Coefficient
    """The same of A and B over targets."""

    def group(self, role: str) -> GroupReliability:
        """Return one of X, Y, A, B."""
        found: GroupReliability = getattr(self, role)
        return found

    def __str__(self) -> str:
        units = "terms" if self.unit == "term" else "stimuli"
        lines = [
            f"{role}: {one.terms} {units}, alpha {one.alpha}, omega {one.omega}, raw alpha "
            f"{'undefined' if one.raw_alpha is None else format(one.raw_alpha, '.2f')}"
            for role in ROLES
            for one in [self.group(role)]
        ]
        return "\n".join(
            [*lines, f"X and Y apart: {self.targets}", f"A and B apart: {self.attributes}"]
        )

    __repr__ = __str__
