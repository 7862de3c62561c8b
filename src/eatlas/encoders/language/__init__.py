"""Language models as sources of log-probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.encoders.language.opening import language_model, open_language_model
    from eatlas.encoders.language.questions import Answers, LanguageModel
    from eatlas.stimuli.sentences.questions import Answer, How, Kind, Question

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

__getattr__ = attributes(
    __name__,
    {
        "Answer": "eatlas.stimuli.sentences.questions",
        "Answers": "eatlas.encoders.language.questions",
        "How": "eatlas.stimuli.sentences.questions",
        "Kind": "eatlas.stimuli.sentences.questions",
        "LanguageModel": "eatlas.encoders.language.questions",
        "Question": "eatlas.stimuli.sentences.questions",
        "language_model": "eatlas.encoders.language.opening",
        "open_language_model": "eatlas.encoders.language.opening",
    },
)
