"""Language models as sources of log-probabilities."""

from eatlas.encoders.language.memory import language_model
from eatlas.encoders.language.opening import open_language_model
from eatlas.encoders.language.questions import (
    Answer,
    Answers,
    How,
    Kind,
    LanguageModel,
    Question,
)

__all__ = [
    "Answer",
    "Answers",
    "How",
    "Kind",
    "LanguageModel",
    "Question",
    "language_model",
    "open_language_model",
]
