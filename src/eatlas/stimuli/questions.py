"""Files of questions to models that answer, by name."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import Field

from eatlas.decoding import read_toml
from eatlas.errors import StimulusError
from eatlas.stimuli.asking import QuestionText
from eatlas.stimuli.reading import file_bytes, parsed, require_schema
from eatlas.stimuli.records import Frozen


class QuestionSets(Frozen):
    """A file of questions, by name."""

    questions: dict[str, tuple[QuestionText, ...]] = Field(min_length=1)
    assignments: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Prompts that give a list of words and two targets to assign them to."""


@cache
def built_in_questions() -> QuestionSets:
    """Return the questions that come with eatlas."""
    data = resources.files("eatlas.stimuli") / "data" / "questions.toml"
    return parse_questions(data.read_bytes(), "questions.toml")


def read_questions(path: Path) -> QuestionSets:
    """Read a user's file of questions."""
    return parse_questions(file_bytes(path), str(path))


def parse_questions(data: bytes, where: str) -> QuestionSets:
    """Parse a file of questions; `where` is its name, for messages."""
    content = require_schema(read_toml(data, where, StimulusError), where)
    return parsed(QuestionSets, content, where)
