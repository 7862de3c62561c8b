"""Associations as a two-tower model reads them: a softmax over cosines times a logit scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eatlas.errors import SourceError
from eatlas.measures.base import Allowed, Input, is_number
from eatlas.notes import Note
from eatlas.stats.shares import LARGEST_SCALE

OF_MODEL = "model"
"""The scale that a source states."""
SCALE = Allowed(
    f"model, or a number above 0 and up to {LARGEST_SCALE:g}",
    lambda value: value == OF_MODEL or (is_number(value) and 0 < value <= LARGEST_SCALE),
)


def scale_of(wanted: float | str, encoding: Any, source: str, measure: str) -> float:
    """The logit scale: from a signature, or from the source."""
    if wanted != OF_MODEL:
        return float(wanted)
    stated: float | None = None if encoding is None else encoding.logit_scale
    if stated is None:
        raise SourceError(
            f"{source} states no logit scale, so its cosines cannot become probabilities",
            got="vectors that were not trained to classify by a softmax"
            if encoding is None
            else f"a model of the class {encoding.architecture}",
            allowed=f"two-tower models such as clip:NAME for {measure}",
            remedy="to use them anyway, set a scale: "
            f"{measure}(scale=100{', soa=softmax' * (measure == 'divdist')}), as CLIP's",
        )
    return stated


def magnify_rounding(given: Input, scale: float) -> Input:
    """The same input, its rounding by as much larger as the softmax makes it.

    A proportion p moves by at most ``scale p (1 - p)`` times a change of a cosine, and twice that
    where all cosines change.
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
