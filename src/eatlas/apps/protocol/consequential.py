"""Consequential validity: questions that only people can answer, and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from eatlas.apps.protocol.inputs import Context
from eatlas.apps.protocol.studies import ProtocolStudy
from eatlas.decoding import own_toml, read_toml, toml_bytes
from eatlas.errors import EatlasError, described, did_you_mean
from eatlas.results.evidence import Evidence, Figure, Table

OPEN = "open"
"""What a card says in place of an answer."""
DATA = "questionnaire.toml"


@dataclass(frozen=True)
class Question:
    """One question about the use of a measure."""

    id: str
    text: str


def questions() -> tuple[Question, ...]:
    """The questions, in the order in which they are put."""
    data = resources.files("eatlas.apps.protocol") / "data" / DATA
    return tuple(Question(**one) for one in own_toml(data)["question"])


def read_answers(path: Path) -> dict[str, str]:
    """Read answers by question from a TOML file: ``id = "answer"`` on its lines."""
    try:
        data = toml_bytes(path, EatlasError)
    except OSError as error:
        raise EatlasError(
            f"{path}: the answers cannot be read", got=error.strerror or str(error)
        ) from error
    values = read_toml(data, str(path), EatlasError)
    known = [one.id for one in questions()]
    for name, answer in values.items():
        if name not in known:
            raise EatlasError(
                f"{path}: there is no question {name!r}{did_you_mean(name, known)}",
                allowed=", ".join(known),
            )
        if not isinstance(answer, str):
            raise EatlasError(
                f"{path}: the answer to {name!r} is not text",
                got=described(answer),
                allowed=f'{name} = "a sentence"',
            )
    return {name: answer.strip() for name, answer in values.items() if answer.strip()}


def questionnaire(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The questions with the answers that were given; the others are open."""
    path = context.material.answers
    answers = {} if path is None else read_answers(path)
    put = questions()
    yield study.evidence(
        source="" if path is None else path.name,
        figures=[Figure(name="questions answered", value=len(answers), n=len(put), of="questions")],
        tables=[
            Table(
                title="Questions and answers",
                columns=("question", "id", "answer"),
                rows=[(one.text, one.id, answers.get(one.id, OPEN)) for one in put],
            )
        ],
        remarks=() if path else ("No answers were given by --answers, so every question is open.",),
    )
