"""The questionnaire: answers of a file, open questions, and what is refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

import eatlas
from eatlas.apps.protocol.people import OPEN, questions
from eatlas.errors import EatlasError


def test_open_questions_are_shown_as_open(tmp_path: Path) -> None:
    (empty,) = eatlas.protocol("mac", criteria=["consequential"]).evidence
    assert empty.figures[0].value == 0
    assert {row[2] for row in empty.tables[0].rows} == {OPEN}
    assert empty.remarks == (
        "No answers were given by --answers, so every question is open.",
    )  # fmt: skip
    path = tmp_path / "answers.toml"
    path.write_text('groups = "People of other genders are in none."\nuse = "  "\n')
    (found,) = eatlas.protocol("mac", criteria=["consequential"], answers=path).evidence
    answers = {row[1]: row[2] for row in found.tables[0].rows}
    assert answers["groups"] == "People of other genders are in none."
    assert answers["use"] == OPEN
    assert (found.figures[0].value, found.figures[0].n) == (1, len(questions()))
    card = eatlas.protocol("mac", criteria=["consequential"], answers=path)
    (given,) = (one for one in card.given if one.name == "answers")
    assert (given.value, len(given.sha256)) == ("answers.toml", 64)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "answers.toml: this is not TOML"),
        (".".join("a" * 20_000) + " = 1", "answers.toml: a key has too many parts"),
        ('grops = "All."', "there is no question 'grops'; did you mean groups?"),
        ("groups = 5", "the answer to 'groups' is not text"),
    ],
)
def test_bad_answers_are_refused_before_any_work(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(text)
    with pytest.raises(EatlasError, match=message.replace("?", r"\?")):
        eatlas.protocol("weat", answers=path)


def test_a_file_that_is_not_there_is_named_with_its_option(tmp_path: Path) -> None:
    with pytest.raises(EatlasError, match="--answers: there is no file"):
        eatlas.protocol("weat", answers=tmp_path / "none.toml")
    with pytest.raises(EatlasError, match="--counts: there is no file"):
        eatlas.protocol("weat", counts=[tmp_path])
