"""Parameters that measures of association share, and what associates a target with an attribute.

Every function here is a dot product of rows that stand for the terms, so that levels 1 to 3 are
computed alike: cosine takes unit vectors, projection takes their coordinates along one direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError, SourceError
from eatlas.measures.base import (
    FROM_0,
    SHARE,
    Allowed,
    AssociationMeasure,
    Input,
    Needs,
    Wish,
    is_number,
    parameter,
    whole,
)
from eatlas.measures.inference import SmallestEffect
from eatlas.measures.patterns import TailRule
from eatlas.measures.resampling import RESAMPLES, Bootstrap
from eatlas.measures.rows import Array
from eatlas.notes import Note
from eatlas.results.inference import SesoiUnit
from eatlas.results.parts import Coverage
from eatlas.stats.bootstrap import Over, PatternRule
from eatlas.stats.shares import LARGEST_SCALE

Association = Literal["cosine", "projection"]
_DIRECTION = Allowed("a text of defining pairs", lambda value: isinstance(value, str))
LEAST_LISTS = 100
"""Random lists to compare a test with: with fewer no p below .01 can be seen."""
_FREQUENCY = Allowed(
    f"auto, off, or a whole number from {LEAST_LISTS}", whole(LEAST_LISTS, "auto", "off").includes
)


OF_MODEL = "model"
"""The scale that a source states."""
SCALE = Allowed(
    f"model, or a number above 0 and up to {LARGEST_SCALE:g}",
    lambda value: value == OF_MODEL or (is_number(value) and 0 < value <= LARGEST_SCALE),
)


def scale_of(wanted: float | str, encoding: Any, source: str, measure: str) -> float:
    """The logit scale: that of a signature, or that which a source states."""
    if wanted != OF_MODEL:
        return float(wanted)
    stated: float | None = None if encoding is None else encoding.logit_scale
    if stated is None:
        raise SourceError(
            f"{source} states no logit scale, so that its cosines are not probabilities",
            got="vectors that were not trained to classify by a softmax"
            if encoding is None
            else f"a model of the class {encoding.architecture}",
            allowed=f"two-tower models such as clip:NAME for {measure}",
            remedy="state a scale to read them so nevertheless: "
            f"{measure}(scale=100{', soa=softmax' * (measure == 'divdist')}), as CLIP's",
        )
    return stated


def magnified(given: Input, scale: float) -> Input:
    """The same input, its rounding by as much larger as the softmax makes it.

    A share p moves by at most ``scale p (1 - p)`` times a change of a cosine, and twice that where
    all cosines change.
    """
    factor = max(scale / 2, 1.0)
    if given.precision is None:
        return replace(given, magnified=factor)
    return replace(given, precision=given.precision * factor)


def remarks_on(given: Input, scale: float, groups: Sequence[str]) -> list[Note]:
    """What a reader must know of the scale and of the sizes of the groups of labels."""
    notes, encoding = [], given.head["encoding"]
    stated = None if encoding is None else encoding.logit_scale
    if stated is None:
        notes.append(Note("shares.scale-by-hand", "logit_scale", {"scale": scale}))
    elif stated != scale:
        values = {"scale": scale, "of_model": stated}
        notes.append(Note("shares.scale-differs", "logit_scale", values))
    if encoding is not None and encoding.logit_bias is not None:
        notes.append(Note("shares.sigmoid"))
    sizes = {group: len(given.coverage[group].stimuli) for group in groups}
    if len(set(sizes.values())) > 1:
        notes.append(Note("shares.labels", values={"labels": sizes}))
    return notes


def defining_pairs(direction: str) -> tuple[tuple[str, str], ...]:
    """Read the defining pairs of a direction, such as ``she/he;woman/man``."""
    pairs = tuple(
        tuple(term.strip() for term in pair.split("/")) for pair in direction.strip(" ;").split(";")
    )
    if not all(len(pair) == 2 and all(pair) and pair[0] != pair[1] for pair in pairs):
        raise SignatureError(
            "the direction cannot be read",
            got=repr(direction),
            allowed='pairs of two different terms, such as "she/he;woman/man"',
        )
    return tuple((pair[0], pair[1]) for pair in pairs)


def external_direction(pairs: tuple[tuple[str, str], ...], words: Mapping[str, Array]) -> Array:
    """Direction of defining pairs, which does not depend on the terms of any test."""
    unit = kernels.unit_rows(np.array([words[term] for pair in pairs for term in pair]))
    direction = kernels.pair_direction(unit[0::2], unit[1::2])
    if np.any(direction):
        return direction
    raise CoverageError(
        "there is no direction to project on",
        got="the terms of each defining pair coincide",
        remedy="name defining pairs that differ, or use association=cosine",
    )


@dataclass(frozen=True)
class PatternMeasure(AssociationMeasure):
    """A measure that says which of two associations at level 2 are there.

    Parameters
    ----------
    tail, threshold
        As in :class:`eatlas.MLEAT`.
    """

    tail: TailRule = parameter("directional", TailRule)
    threshold: float = parameter(0.2, FROM_0)

    @property
    def rule(self) -> PatternRule:
        """When a target counts as associated."""
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)


@dataclass(frozen=True)
class ResampledMeasure(AssociationMeasure):
    """A measure whose findings are resampled.

    Parameters
    ----------
    resamples, over, confidence
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    resamples: int | Literal["auto"] = parameter("auto", RESAMPLES, optional=True)
    over: Over = parameter("both", Over, optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    @property
    def bootstrap(self) -> Bootstrap:
        """What is resampled."""
        return Bootstrap(self.resamples, self.over, self.confidence, self.ddof)


@dataclass(frozen=True)
class LevelsMeasure(ResampledMeasure):
    """A measure of levels of association, which may be smaller than what matters.

    Parameters
    ----------
    sesoi, sesoi_unit
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    sesoi: float = parameter(0.0, optional=True)
    sesoi_unit: SesoiUnit = parameter("d", SesoiUnit, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.smallest.check(self)

    @property
    def smallest(self) -> SmallestEffect:
        """The smallest effect size of interest."""
        return SmallestEffect(self.sesoi, self.sesoi_unit, self.alpha)


@dataclass(frozen=True)
class TwoTargetMeasure(LevelsMeasure):
    """A measure of two target groups by their vectors.

    Parameters
    ----------
    association, direction, frequency
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    association: Association = parameter("cosine", Association, optional=True)
    direction: str = parameter("", _DIRECTION, optional=True)
    frequency: int | str = parameter("auto", _FREQUENCY, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.association == "cosine":
            allowed = "no direction, or association=projection"
            self.check("direction", Allowed(allowed, lambda direction: not direction))
        elif not self.direction:
            raise SignatureError(
                f"{self.name}: a projection needs the pairs that name its direction",
                got="association=projection without direction",
                allowed='defining pairs, such as direction="she/he;woman/man"',
            )
        else:
            defining_pairs(self.direction)

    @property
    def needs(self) -> Needs:
        """The terms of the defining pairs; and random words, as `frequency` says."""
        pairs = defining_pairs(self.direction) if self.direction else ()
        ranks: dict[Any, Wish | None] = {"off": None, "auto": "cheap"}
        words = tuple(term for pair in pairs for term in pair)
        return Needs(words=words, ranks=ranks.get(self.frequency, "always"))

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Unit rows, or their coordinates along a direction."""
        given = super().arranged(vectors, coverage, words)
        if self.association == "cosine":
            return given
        unit = given["rows"]
        direction = external_direction(defining_pairs(self.direction), words)
        return {
            "rows": {role: kernels.coordinates(unit[role], direction) for role in unit},
            "unit": unit,
        }
