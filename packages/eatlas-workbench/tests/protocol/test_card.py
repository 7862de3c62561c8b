"""A card as record, text and drawing: JSON there and back, numbers for people, nothing unescaped."""

from __future__ import annotations

import re

import jsonschema
import pytest
from tests.inputs import HALF, OF_HALF
from tests.present.reading import Page
from tests.protocol.cards import found

import eatlas
from eatlas.results.parts import schema_of
from eatlas_workbench.cards.card import (
    PROPERTIES,
    SIGNS,
    card_html,
    figure_text,
    glance,
    lines_of,
    marks,
    number,
    summary,
)
from eatlas_workbench.cards.evidence import (
    CRITERIA,
    Card,
    Drawing,
    Evidence,
    Figure,
    Mark,
    Table,
    criteria,
)
from eatlas_workbench.cards.outside import OPEN, questions
from eatlas_workbench.cards.running import STUDIES

HOSTILE = '<script>alert("x")</script>'


def evidence(**fields: object) -> Evidence:
    asked = {"criterion": "face", "study": "one", "title": "One", "question": "Is it?"}
    return Evidence(**asked, **fields)  # type: ignore[arg-type]


def card(*several: Evidence) -> Card:
    named = {"measure": "mine", "title": "Mine", "signature": "MINE()"}
    return Card(version="0", seed=0, evidence=several, **named)


def test_every_study_asks_a_question_and_has_a_function():
    assert tuple(criterion["id"] for criterion in criteria()) == CRITERIA
    studies = [study for criterion in criteria() for study in criterion["study"]]
    assert {study["id"] for study in studies} == set(STUDIES)
    assert len(studies) == len(STUDIES)
    assert all(study["question"].endswith("?") for study in studies)


def test_a_card_survives_json_and_keeps_its_schema(tmp_path):
    (tmp_path / "answers.toml").write_text('groups = "Others are in none."\nuse = "  "\n')
    made = eatlas.protocol(
        "semaxis", criteria=["face", "consequential"], answers=tmp_path / "answers.toml"
    )
    path = tmp_path / "card.json"
    path.write_text(made.to_json(), encoding="utf-8")
    assert eatlas.read_card(path) == made
    jsonschema.Draft202012Validator(schema_of(Card, "Card")).validate(made.to_dict())
    source, answers = made.given
    assert (source.value, source.sha256[:7]) == ("glove-sample", "sha256:")
    assert (answers.name, answers.value, len(answers.sha256)) == ("answers", "answers.toml", 64)
    assert {one.group for one in made.coverage} == {"Professions of Table 3", "Female", "Male"}
    assert repr(made) == "<Card of SEMAXIS(vectors=raw): 2 of 3 pieces of evidence in 8 criteria>"
    asked = made.of("consequential")[0]
    rows = {row[1]: row[2] for row in asked.tables[0].rows}
    assert (rows["groups"], rows["use"]) == ("Others are in none.", OPEN)
    assert (asked.figures[0].value, asked.figures[0].n) == (1, len(questions()))
    nothing = found("consequential", "mac")["questionnaire"]
    assert nothing.remarks == ("No answers were given by --answers, so every question is open.",)


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("{", "Expecting property name"),
        ("[1]", "Input should be a valid dictionary"),
        ('{"schema": "eatlas/card/99"}', "schema: Input should be 'eatlas/card/1'"),
        ('{"schema": "eatlas/card/1"}', "version: Field required"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_no_card_is_refused(tmp_path, text, got):
    path = tmp_path / "card.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(eatlas.EatlasError, match="the measure card cannot be read") as caught:
        eatlas.read_card(path)
    assert got in caught.value.got


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (True, "yes"), (False, "no"), ("word", "word"), (1234, "1,234"), (0.0, "0"),
     (2.0, "2"), (-0.126, "−0.13"), (0.0049, "4.9e−3"), (-3e-12, "−3.0e−12")],
)  # fmt: skip
def test_numbers_are_for_people(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "undefined"),
        ({"text": "no"}, "no"),
        ({"value": 0.5, "low": 0.25, "high": 0.75}, "0.50 [0.25, 0.75]"),
        ({"value": 0.006, "low": 0.0048, "high": 0.0072}, "0.006 [0.005, 0.007]"),
        ({"value": 3e-5, "low": -3e-6, "high": 6e-5}, "3.0e−5 [−3.0e−6, 6.0e−5]"),
        ({"value": 0.5, "n": 8, "of": "words", "p": 0.0078125}, "0.50 over 8 words, p = .0078"),
        ({"value": 0.5, "p": 1e-9}, "0.50, p = 1.0e-9"),
        ({"value": 0.5, "low": -1.0, "high": 0.9, "interval": "smallest and largest", "n": 4,
          "of": "others"}, "0.50, from −1.00 to 0.90 over 4 others"),
        ({"name": "share of signs", "value": 0.875, "low": 0.25, "high": 0.875, "n": 8,
          "of": "words"}, "7 of 8 words [25%, 88%]"),
        ({"name": "things that hold", "value": 3, "n": 5, "of": "things", "text": "2 do not"},
         "3 of 5 (2 do not)"),
    ],
)  # fmt: skip
def test_figures_say_what_is_known(fields, text):
    assert figure_text(Figure(**{"name": "rho"} | fields)) == text


def test_a_card_begins_with_what_held_what_did_not_and_what_was_not_run():
    signs = Figure(name=SIGNS, value=0.75, low=0.3, high=0.9, n=4, of="words")
    hold = Figure(name=PROPERTIES, value=1, n=2, of="properties", text="1 does not")
    spread = {"low": -0.5, "high": 0.9, "interval": "smallest and largest", "n": 3}
    median = Figure(name="median of Spearman's rho", value=0.8, of="others", **spread)
    rows = (("Order", "yes", "", None), ("Shift", "no", "different", None))
    checked = Table(columns=("property", "holds", "found", "difference"), rows=rows)
    made = card(
        evidence(figures=(signs,)),
        Evidence(criterion="content", study="s", title="S", question="Is it?", figures=(hold,),
                 tables=(checked,)),
        Evidence(criterion="convergent", study="o", title="O", question="Is it?",
                 figures=(median,)),
        Evidence(criterion="sensitivity", study="n", title="N", question="Is it?",
                 not_run="No source was given."),
    )  # fmt: skip
    assert summary(made) == (
        "Mine: signs agree for 3 of 4 words; 1 of 2 properties hold; 1 of 4 studies was not run"
    )
    drawn = glance(made)
    assert drawn.count('class="m on"') == 3 + 2  # and the key
    assert "One: 3 of 4, 0.30 to 0.90 (share)" in drawn
    assert "O: 0.80, −0.50 to 0.90 (range)" in drawn
    page = Page(card_html(made))
    assert page.text.count(summary(made)) == 2
    assert "1 of 4 studies not run, and why" in page.text
    assert "Properties that do not hold Shift" in " ".join(page.text.split())
    assert glance(card(evidence(not_run="No source was given."))) == ""


def test_marks_lie_where_their_numbers_are():
    points = (Mark(label="a", value=0.0), Mark(label="b", value=1.0, low=0.0, high=1.0),
              Mark(label="c", value=None))  # fmt: skip
    drawn = marks(Drawing(title="Two", axis="rho", low=-1.0, high=1.0, marks=points))
    starts = re.findall(r'<path d="M([\d.]+) [^>]*class="m on"', drawn)
    first, second = (float(x) + 3.8 for x in starts)  # the radius of a circle
    (ends,) = re.findall(r'<path d="M([\d.]+) \d+H([\d.]+)" class="i"', drawn)
    assert tuple(map(float, ends)) == pytest.approx((first, second))
    zero = re.search(r'<path d="M([\d.]+) [^>]*class="fig-zero"', drawn)
    assert float(zero[1]) == pytest.approx(first)
    assert "c: undefined" in drawn


def test_what_a_record_holds_is_escaped():
    mark = Mark(label=HOSTILE, value=1.0)
    one = evidence(
        source=HOSTILE,
        figures=(Figure(name=HOSTILE, text=HOSTILE),),
        tables=(Table(title=HOSTILE, columns=(HOSTILE,), rows=((HOSTILE,),)),),
        drawings=(Drawing(title=HOSTILE, axis=HOSTILE, marks=(mark,)),),
        remarks=(HOSTILE,),
        citation=HOSTILE,
    )
    page = card_html(card(one, evidence(not_run=HOSTILE)))
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert page.count("<script>") == 1


def test_lines_name_only_what_was_asked():
    assert list(lines_of(card(evidence(not_run="No source was given.")))) == [
        "Mine: 1 of 1 studies was not run",
        "MINE()",
        "",
        "Face validity: The measure passes basic sanity checks.",
        "  One: not run. No source was given.",
        "",
        "The verdict is the reader’s.",
    ]


def test_in_a_card(tmp_path):
    _, path = eatlas.write_card(eatlas.protocol("mac", criteria=["face"]), tmp_path)
    path.write_text(path.read_text().replace('"MAC', f'"{HALF}MAC'))
    with pytest.raises(eatlas.errors.ResultsError) as said:
        eatlas.read_card(path)
    assert said.value.got == OF_HALF
