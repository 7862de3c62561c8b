"""The nine EAT patterns: what two level 2 associations say together.

Wolfe, Hiniker and Howe (2024), section "EAT Patterns" and Figure 2.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.results.levels import Attribute, Direction, Label, Level, Level2, Pattern
from eatlas.stats.bootstrap import PatternRule, TailRule

NO_PATTERN: Final = "Non-Directional"

_OF_SIGN: dict[int, Attribute | None] = {1: "A", 0: None, -1: "B"}
SIGNS = tuple(product((1, 0, -1), (1, 0, -1)))
"""Signs of the associations of X and of Y, of the nine patterns: 1 for A, -1 for B, 0 for none."""


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


def label_of(x: int, y: int) -> Label:
    """Name the pattern of the signs of two associations: 1 for A, -1 for B, 0 for none."""
    return eat_pattern(_OF_SIGN[x], _OF_SIGN[y])[0]


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
    return _OF_SIGN[1 if d > 0 else -1]


def association_of(
    level: Level, rule: TailRule, *, alpha: float, threshold: float
) -> Attribute | None:
    """Apply :func:`associated_with` to a level 2 under one rule for the tail."""
    sign_tail = "greater" if (level.effect_size or 0) > 0 else "less"
    p = level.p["two_sided" if rule == "two-sided" else sign_tail]
    return associated_with(level.effect_size, p, alpha=alpha, threshold=threshold)


def pattern_of(level2: Level2, rule: PatternRule) -> Pattern:
    """Find the pattern of two level 2 associations, under a rule and under the two-sided one."""

    def associations(tail: TailRule) -> dict[str, Attribute | None]:
        limits = {"alpha": rule.alpha, "threshold": rule.threshold}
        return {role: association_of(level, tail, **limits) for role, level in level2.items()}

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
    """Share of draws with each of the nine patterns; 1 is an association with A, -1 with B."""
    counts = Counter(zip(x.tolist(), y.tolist(), strict=True))
    return {label_of(*signs): round(counts[signs] / len(x), 6) for signs in SIGNS}
