"""Tests of targets against groups can only be well formed, in Python and in a file."""

import pytest

from eatlas import Concept, load_tests
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


def test_the_hash_names_the_stimuli_the_groups_and_the_reference():
    one, test = make().stimuli_sha256, make()
    groups = tuple(Concept(name=g.name.upper(), terms=g.terms[::-1]) for g in test.groups)
    assert make(id="other", groups=groups).stimuli_sha256 == one
    assert make(reference={"Female": 0.5, "Male": 0.5}).stimuli_sha256 == one
    assert make(reference={"Female": 0.4, "Male": 0.6}).stimuli_sha256 != one
    assert make(groups=test.groups[::-1]).stimuli_sha256 != one
    assert make(targets=Concept(name="P", terms=("nurse",))).stimuli_sha256 != one


@pytest.mark.parametrize("reference", ['"uniform"', "{ Female = 0.25, Male = 0.75 }"])
def test_toml_round_trip(jobs, reference):
    jobs.write_text(TOML.replace("{ Female = 0.25, Male = 0.75 }", reference), encoding="utf-8")
    tests = load_tests(jobs)
    jobs.write_text(to_toml(tests), encoding="utf-8")
    assert load_tests(jobs) == tests
