"""How well the probe of a DivDist predicts the groups of contexts."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from eatlas.results.parts import Part, is_empty


class Probe(Part):
    """How well a linear classifier distinguishes the groups, in contexts that it has not seen."""

    section: ClassVar[str] = "probe"

    folds: int
    contexts: dict[str, int]
    """Labelled contexts of each group, and of none."""
    accuracy: float
    """Proportion of contexts whose label is predicted, in folds that were held out."""
    balanced_accuracy: float
    """Mean of that proportion over labels."""
    majority: float
    """Proportion of the most frequent label, which a guess reaches."""
    control_accuracy: float
    """The same classifier trained and tested on shuffled labels."""
    labels: Literal["words", "people"] = Field("words", exclude_if=lambda value: value == "words")
    """Who labelled the contexts: the words of the groups in their texts, or people."""
    unlabelled: int = Field(0, ge=0, exclude_if=is_empty)
    """Contexts without a label, which a classifier of all labelled ones assigned."""
