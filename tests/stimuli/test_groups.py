"""Tests of targets against groups can only be well formed, in Python and in a file."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from eatlas import Concept, load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import GroupsTest, to_toml

TOML = """\
schema = 1
[[test]]
kind = "groups"
id = "jobs"
title = "Professions by gender"
targets = { name = "Professions", terms = ["nurse", "pilot", "judge"] }
groups = [
  { name = "Female", terms = ["she", "woman"] },
  { name = "Male", terms = ["he", "man", "him"] },
]
reference = { Female = 0.25, Male = 0.75 }
"""


def make(**changes) -> GroupsTest:
    fields = {
        "id": "jobs",
        "targets": Concept(name="Professions", terms=("nurse", "pilot", "judge")),
        "groups": (
            Concept(name="Female", terms=("she", "woman")),
            Concept(name="Male", terms=("he", "man", "him")),
        ),
        "reference": "uniform",
    }
    return GroupsTest(**(fields | changes))


@pytest.fixture
def jobs(tmp_path):
    path = tmp_path / "jobs.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


def test_a_file_loads(jobs):
    (test,) = load_tests(jobs)
    assert isinstance(test, GroupsTest)
    assert [(part, concept.name) for part, concept in test.parts] == [
        ("targets", "Professions"), ("group", "Female"), ("group", "Male"),
    ]  # fmt: skip
    assert test.terms == ("nurse", "pilot", "judge", "she", "woman", "he", "man", "him")
    assert test.label == "Professions: Female/Male"


def test_weights_stand_in_the_order_of_the_groups():
    assert make().weights == (0.5, 0.5)
    assert make(reference={"Male": 1, "Female": 0}).weights == (0, 1)
    assert make(reference={"Male": 0.75, "Female": 0.25}).weights == (0.25, 0.75)


def test_tests_are_frozen_and_can_be_hashed():
    test = make(reference={"Male": 0.75, "Female": 0.25})
    with pytest.raises(ValidationError, match="Instance is frozen"):
        test.reference = "uniform"
    assert hash(test) == hash(make(reference={"Female": 0.25, "Male": 0.75}))


def test_a_dump_makes_the_same_test():
    for test in (make(), make(reference={"Male": 0.75, "Female": 0.25})):
        assert GroupsTest.model_validate(test.model_dump()) == test
        assert GroupsTest.model_validate_json(test.model_dump_json()) == test


def test_the_hash_names_the_stimuli_the_groups_and_the_reference():
    one, test = make().stimuli_sha256, make()
    groups = tuple(Concept(name=g.name.upper(), terms=g.terms[::-1]) for g in test.groups)
    assert make(id="other", groups=groups).stimuli_sha256 == one
    assert make(reference={"Female": 0.5, "Male": 0.5}).stimuli_sha256 == one
    assert make(reference={"Female": 0.4, "Male": 0.6}).stimuli_sha256 != one
    assert make(groups=test.groups[::-1]).stimuli_sha256 != one
    assert make(targets=Concept(name="P", terms=("nurse",))).stimuli_sha256 != one


def test_a_target_may_stand_in_a_group():
    assert make(targets=Concept(name="Words", terms=("she", "nurse"))).terms[0] == "she"


@pytest.mark.parametrize("reference", ['"uniform"', "{ Female = 0.25, Male = 0.75 }"])
def test_toml_round_trip(jobs, reference):
    jobs.write_text(TOML.replace("{ Female = 0.25, Male = 0.75 }", reference), encoding="utf-8")
    tests = load_tests(jobs)
    jobs.write_text(to_toml(tests), encoding="utf-8")
    assert load_tests(jobs) == tests


def test_thirds_need_their_digits():
    groups = tuple(Concept(name=name, terms=(name.lower(),)) for name in ("A", "B", "C"))
    assert make(groups=groups, reference=dict.fromkeys("ABC", 1 / 3)).weights == (1 / 3,) * 3
    assert make(groups=groups, reference=dict.fromkeys("ABC", 0.3333333333)).weights[0] < 1 / 3
    with pytest.raises(StimulusError, match="the weights sum to 0.999, and not to 1"):
        make(groups=groups, reference=dict.fromkeys("ABC", 0.333))


def test_both_kinds_may_share_a_file(jobs, test_file):
    body = test_file.read_text(encoding="utf-8").split("\n", 1)[1]
    jobs.write_text(TOML + body, encoding="utf-8")
    assert [test.kind for test in load_tests(jobs)] == ["groups", "association"]


def test_the_example_in_the_docs(tmp_path):
    page = (Path(__file__).parents[2] / "docs/batteries.md").read_text(encoding="utf-8")
    path = tmp_path / "docs.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    (test,) = load_tests(path)
    assert test.label == "Professions: Female/Male"
    even = page.split("as in\n`reference = ")[1].split("`")[0]
    path.write_text(path.read_text("utf-8").replace('"uniform"', even), encoding="utf-8")
    assert load_tests(path)[0].weights == test.weights
