"""Files of questions to models that answer, by name."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from eatlas.errors import StimulusError
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


def read_questions(path: Path) -> QuestionSets:
    """Read a user's file of questions."""
    return toml_record(QuestionSets, file_bytes(path), str(path))
