"""Questions that a test file states: for all its association tests, some of them, or one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import eatlas
from eatlas.errors import StimulusError
from eatlas.stimuli.reading import parse_battery
from eatlas.stimuli.toml import to_toml

LISTS = """
X = { name = "Women", terms = ["Ivy", "Eve"] }
Y = { name = "Men", terms = ["Ben", "Bob"] }
A = { name = "Office", terms = ["lead", "plan"] }
B = { name = "Home", terms = ["cook", "wash"] }
"""
FILE = f"""schema = 1
[[test]]
id = "first"
OWN
{LISTS}
[[test]]
id = "second"
{LISTS}
[[test]]
id = "counted"
targets = {{ name = "Jobs", terms = ["nurse", "pilot"] }}
groups = [{{ name = "F", terms = ["she"] }}, {{ name = "M", terms = ["he"] }}]
"""
WHO = "Who should {attribute}: {first} or {second}?"
WHAT = "Which suits {target}: {first} or {second}?"


def read(questions: str, own: str = "") -> dict[str, tuple[str, ...]]:
    """Questions of the association tests of the file, which its own TOML has too."""
    battery = parse_battery((FILE.replace("OWN", own) + questions).encode(), "mine.toml", "mine")
    assert parse_battery(to_toml(battery.tests).encode(), "x.toml", "x").tests == battery.tests
    return {test.id: getattr(test, "questions", ()) for test in battery.tests[:2]}


def table(text: str, more: str = "") -> str:
    return f'[[question]]\ntext = "{text}"\n{more}\n'


def test_a_question_is_of_all_association_tests_or_of_those_that_it_names() -> None:
    other = WHO.replace("should", "could")
    assert read(table(WHO)) == {"first": (WHO,), "second": (WHO,)}
    assert read(table(WHO, 'tests = ["second"]')) == {"first": (), "second": (WHO,)}
    own = f'questions = ["{WHO}"]'
    assert read(table(other), own) == {"first": (WHO, other), "second": (other,)}
    assert read(table(WHAT, 'tests = ["second"]'), own) == {"first": (WHO,), "second": (WHAT,)}


def test_questions_leave_the_hash_of_the_stimuli_as_it_is() -> None:
    tests = [
        parse_battery((FILE.replace("OWN", "") + text).encode(), "mine.toml", "mine").tests
        for text in ("", table(WHO))
    ]
    for without, with_questions in zip(*tests, strict=True):
        assert without.stimuli_sha256 == with_questions.stimuli_sha256


@pytest.mark.parametrize(
    ("questions", "own", "parts"),
    [
        (table("Who, {first}?"), "", ("question", "number 1", "{second}", "{target}")),
        (table("Who: {first}, {second}?"), "", ("no place {target}",)),
        (table("{target}, {word}: {first}, {second}?"), "", ("{target}, {word}",)),
        ("", 'questions = ["Who, {first}?"]', ("test first", "question 1", "{second}")),
        ("", f'questions = ["{WHO}", "{WHAT}"]', ("about a target", "about an attribute")),
        ("", f'questions = ["{WHO}", "{WHO}"]', ("is there twice",)),
        (table(WHO) + table(WHO), "", ("test first", "is there twice")),
        (table(WHO) + table(WHAT), "", ("about a target", "about an attribute")),
        (table(WHO, 'tests = ["frist"]'), "", ("question 1", "'frist'", "did you mean first")),
        (table(WHO, 'tests = ["counted"]'), "", ("counted is of the kind groups", "second")),
        (table(WHO, "tests = []"), "", ("question.tests", "number 1")),
        (table(WHO, 'of = "first"'), "", ("question.of", "unknown key")),
        ('[[question]]\ntests = ["first"]', "", ("question.text", "required")),
        ('[question]\ntext = "x"', "", ("[question]", "[[question]]")),
    ],
)
def test_a_fault_is_named(questions: str, own: str, parts: Sequence[str]) -> None:
    with pytest.raises(StimulusError) as error:
        read(questions, own)
    assert all(part in str(error.value) for part in ("mine.toml", *parts))


def test_questions_beside_tests_of_groups_alone_are_refused() -> None:
    only = "schema = 1\n[[test]]\n" + FILE.rpartition("[[test]]\n")[2] + table(WHO)
    with pytest.raises(StimulusError, match="no association test that could use them"):
        parse_battery(only.encode(), "mine.toml", "mine")


# --- of results -----------------------------------------------------------------------------------


def answers(prompts: list[str]) -> list[str]:
    """The longer of two options, else the first."""
    options = [prompt.rstrip("?").rpartition(": ")[2].split(" or ") for prompt in prompts]
    return [max(two, key=len) for two in options]


def asked(folder: Path, questions: str, measure: str = "ask") -> eatlas.Results:
    path = folder / "mine.toml"
    text = f'schema = 1\n[[test]]\nid = "mine"\n{LISTS}'.replace("Eve", "Evelyn").replace(
        "plan", "calculate"
    )
    path.write_text(text + questions)
    return eatlas.run(path, answers, measure)


def test_a_result_gives_its_test_back_with_the_questions(tmp_path: Path) -> None:
    result = asked(tmp_path, table(WHO))["mine"]
    assert result.templates == (WHO,)
    (test,) = eatlas.load_tests(tmp_path / "mine.toml")
    assert result.to_test() == test
    named = asked(tmp_path, table(WHO), f'ask(templates="{WHAT}")')["mine"]
    assert named.templates == (WHAT,)
    assert named.to_test() == test.model_copy(update={"questions": ()})


def test_a_result_is_verified_with_its_questions(tmp_path: Path) -> None:
    results = asked(tmp_path, table(WHO))
    (same,) = eatlas.verify(results, vectors={"answers": answers})
    assert same.status == "same", same.details
    (given,) = eatlas.load_tests(tmp_path / "mine.toml")
    (same,) = eatlas.verify(results, vectors={"answers": answers}, tests=given)
    assert (same.status, same.against) == ("same", "given")
    other = given.model_copy(update={"questions": (WHO.replace("should", "could"),)})
    (differs,) = eatlas.verify(results, vectors={"answers": answers}, tests=other)
    assert differs.status == "differs"
    assert any(detail.startswith("templates: ") for detail in differs.details)
