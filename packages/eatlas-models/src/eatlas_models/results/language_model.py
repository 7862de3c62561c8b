"""What results of language models have in common."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from eatlas.results.base import AssociationResult
from eatlas.results.parts import Record, is_empty, is_none


class LanguageModelRecord(Record):
    """The language model behind log-probabilities or answers."""

    model: str
    """What was requested, such as a name on a hub or a folder."""
    architecture: str
    """Class of the model, such as BertForMaskedLM."""
    kind: Literal["masked", "causal", "chat"]
    """Whether it fills masks, continues a text, or answers."""
    vocabulary: int | None = Field(default=None, exclude_if=is_none)
    """Number of pieces that it distinguishes; None of a served one, which does not say."""
    precision: str = ""
    """Type of the numbers that the model computes with, such as float32."""
    roundoff: float | None = Field(default=None, exclude_if=is_empty)
    """Rounding error of a log-ratio, relative to the greatest of all; ties are judged by it."""


class LanguageModelResult(AssociationResult):
    """A result of a measure of a language model: what every such record has.

    A record of such a measure derives from this class too, behind that of its levels or groups, as
    in ``class MyResult(ThreeLevelResult, LanguageModelResult)``.
    """

    subject: ClassVar[str] = "model's predictions"
    hashed: ClassVar[str] = "log-ratios"

    language_model: LanguageModelRecord | None = Field(default=None, exclude_if=is_none)
    """The model behind log-probabilities or answers."""
    direction: str | None = Field(default=None, exclude_if=is_none)
    """What is conditioned on what in a log-ratio."""
    templates: tuple[str, ...] | None = Field(default=None, exclude_if=is_none)
    """Sentences with places for a target and an attribute, or questions."""
    sentences: tuple[tuple[int, ...], ...] | None = Field(default=None, exclude_if=is_none)
    """How many sentences of a corpus hold each pair."""

    @property
    def view(self) -> str:
        """The probabilities of a language model."""
        return "models"

    @property
    def of_model(self) -> bool:
        """Where the model is known."""
        return self.language_model is not None or super().of_model

    @property
    def cased(self) -> bool:
        """Terms are looked up by a rule of case only where no model reads them."""
        return self.language_model is None
