"""Beyond the p-values of a test: other words, and power."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eatlas.errors import EatlasError, described, require_whole
from eatlas.measures.base import Array, Input
from eatlas.measures.levels import MOST_CELLS
from eatlas.measures.units import TestUnits
from eatlas.notes import Note
from eatlas.results.levels import (
    CrossedLevel,
    CrossedLevel2,
    DesignPower,
    Generalisation,
    Power,
    Unit,
)
from eatlas.results.parts import finite
from eatlas.stats.designs import (
    TAILS,
    chance_of_rejection,
    require_alpha,
    shift_of_d,
    smallest_effect,
    smallest_p,
    terms_needed,
)
from eatlas.stats.facets import Facet, contrast_test
from eatlas.stats.inputs import least_spread
from eatlas.stimuli import ROLES, AssociationTest, GroupsTest, load_tests
from eatlas.stimuli.concepts import refuse_wildcards

__all__ = ["power"]

Sizes = tuple[int, int, int, int]
"""Terms of X, Y, A and B."""
Design = tuple[int, int] | None
"""Sizes of two groups whose labels are permuted."""
VARIANCES = ("targets", "attributes", "residual")
"""Fields of the variance of a crossed test, by sets of facets."""
CONFIDENCE = 0.95
"""Of intervals, in measures without such a parameter."""
TWO = 2
"""Terms that a group must have to speak for others."""
EFFECTS = (0.5, 0.8, 1.2)
"""Effect sizes with a required number of terms: Cohen's medium and large, and a WEAT's."""


class FacetTable(NamedTuple):
    """Associations of targets (X, then Y) and attributes (A, then B), with further facets."""

    values: Array
    facets: tuple[str, ...] = ()
    """A word for each further axis, such as ``questions``."""


def generalise(
    table: FacetTable,
    sizes: Sizes,
    *,
    notes: list[Note],
    confidence: float = CONFIDENCE,
    unit: Unit = "term",
    level2: bool = True,
    scale: float = 1.0,
    precision: float | None = None,
) -> Generalisation:
    """Crossed tests of a table of associations, for other units of all its facets."""
    values, facets = table
    n_x, n_y, *attributes = sizes
    if min(attributes) < TWO:
        reason = "a group of one attribute has no information about other attributes"
        return no_generalisation(reason, confidence, unit)
    rows: dict[str, tuple[slice, tuple[int, ...]]] = {"level1": (slice(None), (n_x, n_y))}
    if level2:
        rows |= {"level2.X": (slice(n_x), (n_x,)), "level2.Y": (slice(n_x, None), (n_y,))}
    further = [Facet.of_groups([count]) for count in values.shape[2:]]
    levels: dict[str, CrossedLevel] = {}
    undefined: list[str] = []
    for place, (part, of_targets) in rows.items():
        if min(of_targets) < TWO:
            continue
        crossed = contrast_test(
            values[part],
            [Facet.of_groups(of_targets), Facet.of_groups(attributes), *further],
            level=confidence,
            scale=scale,
            precision=precision,
        )
        fields = crossed._asdict()
        variances = fields.pop("variances")
        fields |= zip(VARIANCES, (variances[axes] for axes in ((0,), (1,), (0, 1))), strict=True)
        levels[place] = CrossedLevel(
            **{name: finite(value) for name, value in fields.items()},
            facets={name: variances[axis,] for axis, name in enumerate(facets, start=2)},
        )
        # without a difference the effect size is undefined, which another note says
        if math.isnan(crossed.t) and abs(crossed.difference) > least_spread(scale, precision):
            undefined.append(place)
    if undefined:
        notes.append(Note("undefined.crossed", "generalisation", {"levels": undefined}))
    both = CrossedLevel2(X=levels.get("level2.X"), Y=levels.get("level2.Y")) if level2 else None
    return Generalisation(
        unit=unit,
        confidence=confidence,
        facets=facets,
        level1=levels.get("level1"),
        level2=both,
    )


def no_generalisation(reason: str, confidence: float, unit: Unit = "term") -> Generalisation:
    """Say why there is no crossed test."""
    return Generalisation(unit=unit, confidence=confidence, level1=None, level2=None, reason=reason)


def generalise_input(
    given: Input,
    table: FacetTable | None,
    units: TestUnits | None,
    notes: list[Note],
    confidence: float,
    *,
    sentences: bool,
    level2: bool,
) -> Generalisation:
    """Whether other targets and other attributes would show it, and others of further facets.

    `table` has the associations of all pairs of units; None of too many.
    """
    unit: Unit = "stimulus" if sentences else "term"
    if table is None or units is None:
        return no_generalisation(
            f"the pairs of terms are more than {MOST_CELLS:,}", confidence, unit
        )
    x, y, a, b = (units.sizes[role] for role in ROLES)
    return generalise(
        table,
        (x, y, a, b),
        confidence=confidence,
        notes=notes,
        unit=unit,
        level2=level2,
        scale=given.magnitude,
        precision=given.precision,
    )


def design_power(
    level1: Design,
    level2: Design,
    *,
    alpha: float,
    wanted: float = 0.8,
    tail: str = "two_sided",
    unit: Unit = "term",
) -> Power:
    """What groups of these sizes can find."""
    designs: dict[str, DesignPower | None] = {}
    for place, n in (("level1", level1), ("level2", level2)):
        d = None
        if n is not None and sum(n) > TWO:
            d = smallest_effect(*n, power=wanted, alpha=alpha, tail=tail)
        designs[place] = n and DesignPower(n=n, min_p=smallest_p(*n, tail), smallest_d=d)
    return Power(power=wanted, alpha=alpha, tail=tail, unit=unit, **designs)


def power(
    design: AssociationTest | str | Sequence[int] | None = None,
    *,
    d: float | None = None,
    wanted: float = 0.8,
    alpha: float = 0.05,
    tail: str = "two_sided",
) -> Power:
    """What a design can find: the smallest effect size, and how likely a stated one is found.

    Parameters
    ----------
    design : AssociationTest, str or sequence of int, optional
        A test or the id of one; or sizes of X and Y, or of X, Y, A and B. Nothing, to ask for the
        number of terms alone. A result has the same in its field `power`.
    d : float, optional
        A true effect size, for its chance of being found at each level.
    wanted : float, default 0.8
        Power that the smallest effect size has.
    alpha : float, default 0.05
        Significance level.
    tail : {"two_sided", "greater", "less"}
        The p-value that is compared with alpha.

    Returns
    -------
    Power
        ``level1.smallest_d`` and ``level2.smallest_d``, None where the design cannot reach alpha;
        ``power_at_d``; ``terms_needed`` for each of two groups of one size.

    Raises
    ------
    EatlasError
        If `design` is nothing that has sizes, or a number is out of its range.

    Notes
    -----
    Normal scores of one variance within the groups, and the terms of the other side held fixed. In
    tests of sentences, sizes count stimuli.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.power((8, 8, 25, 25), d=0.8)
    >>> round(found.level1.smallest_d, 2), round(found.level2.smallest_d, 2)
    (1.2, 0.75)
    >>> round(found.power_at_d["level1"], 2), found.terms_needed["0.8"]
    (0.37, 22)
    """
    alpha = require_alpha(alpha)
    wanted = require_alpha(wanted, "power", above=alpha)
    if tail not in TAILS:
        raise EatlasError("unknown tail", got=repr(tail), allowed=", ".join(TAILS))
    level1, level2, unit = _designs(design)
    one_sided = "two_sided" if tail == "two_sided" else "greater"
    stated = [abs(d)] if d and abs(d) < 2 else []
    more: dict[str, Any] = {
        "terms_needed": {
            f"{size:g}": terms_needed(size, power=wanted, alpha=alpha, tail=one_sided)
            for size in sorted({*EFFECTS, *stated})
        }
    }
    if d is not None:
        more["d"] = float(d)
        more["power_at_d"] = {
            name: chance_of_rejection(*n, shift_of_d(d, *n), alpha=alpha, tail=tail)
            for name, n in (("level1", level1), ("level2", level2))
            if n is not None
        }
    power = design_power(level1, level2, alpha=alpha, wanted=wanted, tail=tail, unit=unit)
    return power.model_copy(update=more)


def _designs(design: Any) -> tuple[Design, Design, Unit]:
    """Sizes of the groups that are permuted at levels 1 and 2."""
    if design is None:
        return None, None, "term"
    if isinstance(design, str):
        tests = load_tests(design)
        if len(tests) != 1:
            raise EatlasError(
                "power is computed for one test",
                got=f"{design!r}, which has {len(tests)}",
                remedy="choose one of them; eatlas tests power takes several",
            )
        (design,) = tests
    if isinstance(design, AssociationTest):
        refuse_wildcards(design.concepts, f"test {design.id}, ")
        stimuli = [len(set(design.concept(role).stimulus_of.values())) for role in ROLES]
        words = [len(design.concept(role).terms) for role in ROLES]
        x, y, a, b = (n or m for n, m in zip(stimuli, words, strict=True))
        return (x, y), (a, b), "stimulus" if any(stimuli) else "term"
    if not isinstance(design, list | tuple | np.ndarray) or len(design) not in (2, 4):
        of_groups = isinstance(design, GroupsTest)
        raise EatlasError(
            "power needs a test, or sizes of groups",
            got=f"{design.id}, a test of the kind {design.kind}"
            if of_groups
            else described(design),
            allowed="a test of X and Y; two whole numbers (X, Y), or four (X, Y, A, B), from 1",
            remedy="eatlas tests list shows the kind of each test" if of_groups else None,
        )
    n = [require_whole("a size", size, 1) for size in design]
    return (n[0], n[1]), (n[2], n[3]) if len(n) == 4 else None, "term"
