"""Files of questions to models that answer, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from eatlas.decoding import own_toml
from eatlas.errors import StimulusError
from eatlas.stimuli.languages import is_english, primary
from eatlas.stimuli.reading import file_bytes, toml_record
from eatlas.stimuli.records import Frozen
from eatlas_models.stimuli.asking import QuestionText
from eatlas_models.stimuli.assigning import AssignmentText

Kind = Literal["questions", "assignments"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class QuestionSets(Frozen):
    """A file of questions, by name."""

    questions: dict[str, tuple[QuestionText, ...]] = Field(default_factory=dict)
    assignments: dict[str, tuple[AssignmentText, ...]] = Field(default_factory=dict)
    """Prompts that give a list of words and two targets to assign them to."""

    def of(self, kind: Kind, where: str) -> dict[str, tuple[str, ...]]:
        """Lists of templates of one kind by name, of which there is one at least."""
        sets: dict[str, tuple[str, ...]] = getattr(self, kind)
        if not sets:
            raise StimulusError(
                f"{where}: there are no {kind}",
                got=", ".join(f"[{name}]" for name in KINDS if getattr(self, name)) or "nothing",
                allowed=f"a table [{kind}] with lists of texts by name",
            )
        return sets


@cache
def built_in_questions() -> QuestionSets:
    """Return the questions that come with eatlas."""
    data = resources.files("eatlas_models.stimuli") / "data" / "questions.toml"
    return toml_record(QuestionSets, data.read_bytes(), "questions.toml")


@cache
def _other_languages() -> dict[str, dict[str, tuple[str, ...]]]:
    """Questions by name, by the tag of a language that is not English."""
    file = resources.files("eatlas_models.stimuli") / "data" / "questions-other-languages.toml"
    return {
        language: {name: tuple(texts) for name, texts in sets.items()}
        for language, sets in own_toml(file).items()
    }


def questions_in(language: str) -> Mapping[str, tuple[str, ...]]:
    """Questions that come with eatlas for tests in a language, by name; none for most languages.

    >>> len(questions_in("pt-BR")["names"]), dict(questions_in("tr"))
    (8, {})
    """
    if is_english(language):
        return built_in_questions().questions
    return _other_languages().get(primary(language), {})


def languages_of_questions() -> tuple[str, ...]:
    """Tags of the languages that have questions, English first."""
    return ("en", *_other_languages())


def is_built_in(questions: tuple[str, ...]) -> bool:
    """Whether questions are those of a name, in any language."""
    return any(questions in questions_in(tag).values() for tag in languages_of_questions())


def read_questions(path: Path) -> QuestionSets:
    """Read a user's file of questions."""
    return toml_record(QuestionSets, file_bytes(path), str(path))
