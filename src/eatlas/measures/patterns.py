"""EAT patterns: the nine of Wolfe, Hiniker and Howe (2024), section "EAT Patterns" and Figure 2."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.results.levels import (
    AdjustedLevel2,
    Attribute,
    Direction,
    Label,
    Level2,
    Pattern,
)
from eatlas.stats.bootstrap import PatternRule, TailRule

NO_PATTERN: Final = "Non-Directional"


def eat_pattern(x: Attribute | None, y: Attribute | None) -> tuple[Label, Direction]:
    """Name the pattern of two associations.

    Parameters
    ----------
    x, y : {"A", "B", None}
        The attribute that the target group X, and Y, is associated with.

    Returns
    -------
    label, direction : str

    Examples
    --------
    >>> eat_pattern(None, "B")
    ('BY-Singular', 'Singular')
    """
    if x and y:
        label, direction = (x, "Uniform") if x == y else (x + y, "Divergent")
    elif x or y:
        label, direction = f"{x}X" if x else f"{y}Y", "Singular"
    else:
        return NO_PATTERN, NO_PATTERN
    return cast("Label", f"{label}-{direction}"), cast("Direction", direction)


LABELS = {
    signs: eat_pattern(*({1: "A", 0: None, -1: "B"}[sign] for sign in signs))[0]
    for signs in product((1, 0, -1), (1, 0, -1))
}
"""The nine patterns by the signs of the associations of X and of Y: 1 with A, -1 with B, or 0."""


def associated_with(
    d: float | None, p_in_direction: float, *, alpha: float, threshold: float
) -> Attribute | None:
    """Decide which attribute a target group is associated with, if any.

    Parameters
    ----------
    d : float or None
        Level 2 effect size, None where it is undefined.
    p_in_direction : float
        The p-value of the tail of d's sign, or the two-sided one.
    alpha : float
        The p-value must be smaller.
    threshold : float
        The absolute value of d must be larger; 0.2 is Cohen's (1992) "small".

    Examples
    --------
    >>> associated_with(-1.39, 0.001, alpha=0.05, threshold=0.2)
    'B'
    """
    if d is None or abs(d) <= threshold or p_in_direction >= alpha:
        return None
    return "A" if d > 0 else "B"


def pattern_of(level2: Level2 | AdjustedLevel2, rule: PatternRule) -> Pattern:
    """Find the pattern of two level 2 associations, under a rule and under the two-sided one."""

    def associations(tail: TailRule) -> dict[str, Attribute | None]:
        attributes = {}
        for role, level in level2.items():
            d, limits = level.effect_size, {"alpha": rule.alpha, "threshold": rule.threshold}
            sign_tail = "greater" if (d or 0) > 0 else "less"
            p = level.p["two_sided" if tail == "two-sided" else sign_tail]
            attributes[role] = associated_with(d, p, **limits)
        return attributes

    chosen, two_sided = associations(rule.tail), associations("two-sided")
    label, direction = eat_pattern(*chosen.values())
    two_sided_label, two_sided_direction = eat_pattern(*two_sided.values())
    return Pattern(
        label=label,
        direction=direction,
        two_sided_label=two_sided_label,
        two_sided_direction=two_sided_direction,
        **chosen,
        alpha=rule.alpha,
        threshold=rule.threshold,
        tail=rule.tail,
    )


def pattern_shares(x: NDArray[np.int64], y: NDArray[np.int64]) -> dict[str, float]:
    """Proportion of samples with each of the nine patterns; 1 stands for A, -1 for B."""
    counts = Counter(zip(x.tolist(), y.tolist(), strict=True))
    return {label: round(counts[signs] / len(x), 6) for signs, label in LABELS.items()}
