"""Records of a card: JSON there and back, the schema, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

import eatlas
from eatlas.apps.protocol.evidence import CRITERIA, Evidence, Figure, Table, json_schema
from eatlas.apps.protocol.running import FUNCTIONS
from eatlas.apps.protocol.studies import criteria
from eatlas.errors import ResultsError

ASKED = {"criterion": "face", "study": "one", "title": "One", "question": "Is it one?"}


def test_a_card_survives_json_and_keeps_its_schema(tmp_path: Path) -> None:
    card = eatlas.protocol("semaxis", criteria=["face"])
    path = tmp_path / "card.json"
    path.write_text(card.to_json(), encoding="utf-8")
    assert eatlas.read_card(path) == card
    jsonschema.Draft202012Validator(json_schema()).validate(json.loads(card.to_json()))
    (source,) = (one for one in card.given if one.name == "vectors")
    assert source.value == "glove-sample"
    assert source.sha256.startswith("sha256:")
    assert {one.group for one in card.coverage} == {"Professions of Table 3", "Female", "Male"}
    assert repr(card) == "<Card of SEMAXIS(vectors=raw): 1 of 2 pieces of evidence in 8 criteria>"


def test_what_was_not_run_has_no_figures() -> None:
    with pytest.raises(ValidationError, match="what was not run has no figures"):
        Evidence(**ASKED, not_run="Why.", figures=(Figure(name="rho", value=1.0),))
    with pytest.raises(ValidationError, match="one cell for each column"):
        Table(columns=("a", "b"), rows=((1,),))
    with pytest.raises(KeyError):
        Evidence(**ASKED).figure("rho")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not a measure card"),
        ("[1]", "not a measure card of a known version"),
        ('{"schema": "eatlas/card/99"}', "got: 'eatlas/card/99'"),
        ('{"schema": "eatlas/card/1"}', "the card is damaged at version"),
    ],
)
def test_a_file_that_is_no_card_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "card.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=message):
        eatlas.read_card(path)
    with pytest.raises(ResultsError, match="cannot be read"):
        eatlas.read_card(tmp_path / "none.json")


def test_every_study_asks_a_question_and_has_a_function() -> None:
    assert tuple(criterion.id for criterion in criteria()) == CRITERIA
    studies = [study for criterion in criteria() for study in criterion.studies]
    assert {study.id for study in studies} == set(FUNCTIONS)
    assert len(studies) == len(FUNCTIONS)
    assert all(study.question.endswith("?") for study in studies)
