"""The nine EAT patterns: what two level 2 associations say together.

Wolfe, Hiniker and Howe (2024), section "EAT Patterns" and Figure 2.
"""

from __future__ import annotations

from typing import Literal

from eatlas.results.ml_eat import Attribute, Direction, Label
from eatlas.results.parts import Level

TailRule = Literal["directional", "two-sided"]

_LABELS: dict[tuple[Attribute | None, Attribute | None], tuple[Label, Direction]] = {
    ("A", "B"): ("AB-Divergent", "Divergent"),
    ("B", "A"): ("BA-Divergent", "Divergent"),
    ("A", "A"): ("A-Uniform", "Uniform"),
    ("B", "B"): ("B-Uniform", "Uniform"),
    ("A", None): ("AX-Singular", "Singular"),
    ("B", None): ("BX-Singular", "Singular"),
    (None, "A"): ("AY-Singular", "Singular"),
    (None, "B"): ("BY-Singular", "Singular"),
    (None, None): ("Non-Directional", "Non-Directional"),
}


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
    return _LABELS[x, y]


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


def association_of(
    level: Level, rule: TailRule, *, alpha: float, threshold: float
) -> Attribute | None:
    """Apply :func:`associated_with` to a level 2 under one rule for the tail."""
    sign_tail = "greater" if (level.effect_size or 0) > 0 else "less"
    p = level.p.tail("two_sided" if rule == "two-sided" else sign_tail)
    return associated_with(level.effect_size, p, alpha=alpha, threshold=threshold)
