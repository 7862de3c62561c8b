"""Language models as sources of log-probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.encoders.encoder import LanguageModel, ModelSnapshot
    from eatlas.encoders.language.opening import language_model, open_language_model
    from eatlas.stimuli.sentences.pairs import Answer, How, Kind, Question

__all__ = [
    "Answer",
    "How",
    "Kind",
    "LanguageModel",
    "ModelSnapshot",
    "Question",
    "language_model",
    "open_language_model",
]

__getattr__ = attributes(
    __name__,
    {
        "eatlas.stimuli.sentences.pairs": "Answer How Kind Question",
        "eatlas.encoders.encoder": "LanguageModel ModelSnapshot",
        "eatlas.encoders.language.opening": "language_model open_language_model",
    },
)
