"""Record of how frequent the words of a test are, and of random words of the same frequencies."""

from __future__ import annotations

from typing import Any, ClassVar

from eatlas.results.parts import ByGroup, Probability, Record
from eatlas.stimuli.model import OPPOSITES, ROLES, TARGETS

PAIRS: dict[str, str] = {one: other for one, other in OPPOSITES}  # noqa: C416  (of names)
"""Groups that are compared: targets at level 1, attributes at level 2."""


class GroupRanks(Record):
    """Ranks of the words of one group in order of frequency; 1 is the most frequent word."""

    median: float | None
    """Of the words that have a rank; None where none has."""
    terms: dict[str, int | None]
    """By word as the test writes it; None for a word that is not listed."""


class Ranks(Record):
    """How frequent the words of a test are."""

    X: GroupRanks
    Y: GroupRanks
    A: GroupRanks
    B: GroupRanks
    vocabulary: str
    """In what the ranks are ranks: the source, or the list that comes with the package."""
    size: int
    """The lowest rank that a word can have there."""
    p_targets: Probability | None
    """That ranks of X and Y differ: Mann-Whitney, two-sided, normal approximation; None where a
    group has no rank."""
    p_attributes: Probability | None
    """The same of A and B."""

    def group(self, role: str) -> GroupRanks:
        """Return the ranks of one of X, Y, A, B."""
        found: GroupRanks = getattr(self, role)
        return found

    def medians(self) -> dict[str, float | None]:
        """The four medians, by role."""
        return {role: self.group(role).median for role in ROLES}


class MatchedLevel(Record):
    """One effect size among those of random words of the same frequencies."""

    p_greater: Probability
    """Share of the draws with d at least as great, with the observed one: (b + 1) / (B + 1)."""
    p_less: Probability
    p_two_sided: Probability
    """At least as far from the mean of all of them."""
    mean: float
    """Of the draws' effect sizes."""
    quantiles: tuple[float, float, float, float, float]
    """Of the draws' effect sizes: .025, .25, .5, .75, .975."""
    counts: tuple[int, ...]
    """Draws whose d lies in each of 40 steps of equal width."""
    ends: tuple[float, float]
    """Where the first step begins and the last one ends."""
    undefined: int = 0
    """Draws without an effect size; they count as at least as extreme."""

    def tail(self, name: str) -> float:
        """Return the p of one tail."""
        found: float = getattr(self, f"p_{name}")
        return found


class MatchedLevel2(ByGroup[MatchedLevel]):
    """The effect sizes of X and of Y."""

    names: ClassVar = TARGETS


class Matched(Record):
    """What random words of the frequencies of the test's words show in the test's place."""

    draws: int
    """Random lists."""
    near: int
    """Each word is drawn from so many on either side of the rank of the word it stands for."""
    words: int
    """Different words that the lists are made of."""
    level1: MatchedLevel | None
    """None where the effect size is undefined."""
    level2: MatchedLevel2 | None = None
    """None for a measure without a level 2, and where an effect size is undefined."""
    patterns: dict[str, float] | None = None
    """Share of the draws that show each EAT pattern, by the rule of the result."""


class Frequency(Record):
    """How frequent the words of a test are, and what words of these frequencies show by chance."""

    ranks: Ranks
    matched: Matched | None = None
    """None where random words cannot be drawn; `reason` says why."""
    reason: str = ""

    def columns(self, label: str | None = None) -> dict[str, Any]:
        """Columns of a table; `label` is the EAT pattern whose share is given."""
        found: dict[str, Any] = {
            f"median_rank_{role}": median for role, median in self.ranks.medians().items()
        }
        matched = self.matched
        if matched is None:
            return found
        levels = {"": matched.level1}
        if matched.level2 is not None:
            levels |= {f"_{role}": level for role, level in matched.level2.items()}
        for suffix, level in levels.items():
            for tail in ("greater", "less", "two_sided"):
                found[f"matched_p_{tail}{suffix}"] = None if level is None else level.tail(tail)
        if matched.patterns is not None:
            found["matched_pattern_share"] = None if label is None else matched.patterns.get(label)
        return found
