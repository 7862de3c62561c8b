"""Texts that a model writes: which, of what, and what can be done with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import eatlas

STORY = "Write a story about a {target}."
TEST = eatlas.GroupsTest(
    id="jobs",
    targets={"Jobs": ["nurse", "pilot", "clerk"]},
    groups={"Female": ["she", "her"], "Male": ["he", "his"]},
    reference="uniform",
)
SHE = {"nurse": 8, "pilot": 1, "clerk": 5}
"""Stories about women, of ten."""


def story(prompts: list[str]) -> list[str]:
    """The first stories of each target are about women."""
    told: dict[str, int] = {}
    texts = []
    for prompt in prompts:
        target = prompt.removeprefix("Write a story about a ").rstrip(".")
        told[target] = told.get(target, 0) + 1
        who = "She" if told[target] <= SHE.get(target, 0) else "He"
        texts.append(f"The {target} came home late. {who} was tired. It rained.")
    return texts


def test_each_target_has_its_texts_in_order() -> None:
    texts = eatlas.generate(story, STORY, TEST, n=2)
    assert [(text.target, text.draw) for text in texts] == [
        (target, draw) for target in TEST.targets.terms for draw in (1, 2)
    ]
    assert {text.group for text in texts} == {"Jobs"}
    assert {text.model for text in texts} == {"story"}
    assert texts[0].prompt == "Write a story about a nurse."
    assert texts[0].text.startswith("The nurse came home")


@pytest.mark.parametrize(
    ("targets", "groups"),
    [
        (eatlas.load_tests("weat-6"), {"Male names", "Female names"}),
        (eatlas.load_tests("weat-6")[0], {"Male names", "Female names"}),
        ({"Jobs": ["nurse"], "Others": ("aunt",)}, {"Jobs", "Others"}),
        (["nurse", "pilot"], {""}),
        ("nurse", {""}),
    ],
)
def test_targets_and_their_groups(targets: Any, groups: set[str]) -> None:
    texts = eatlas.generate(story, "About {target}.", targets, n=1)
    assert {text.group for text in texts} == groups


def test_articles_are_those_of_english() -> None:
    words = ["architect", "nurse", "honest broker", "university"]
    texts = eatlas.generate(story, "About {a target}: the {target}.", words, n=1)
    assert [text.prompt for text in texts] == [
        "About an architect: the architect.",
        "About a nurse: the nurse.",
        "About an honest broker: the honest broker.",
        "About a university: the university.",
    ]


def test_a_file_has_a_text_a_line_and_earlier_texts_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    texts = eatlas.generate(story, STORY, ["nurse"], n=2, out=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["text"] for line in lines] == [text.text for text in texts]
    assert list(lines[0]) == ["text", "target", "group", "prompt", "model", "draw", "date"]
    eatlas.generate(story, STORY, ["nurse"], n=3, out=path)  # nothing is lost
    assert [file.name for file in tmp_path.iterdir()] == ["stories.jsonl"]
    eatlas.generate(story, STORY, ["pilot"], n=1, out=path)
    assert len((tmp_path / "stories-1.jsonl").read_text().splitlines()) == 3
    assert len(path.read_text().splitlines()) == 1


def test_divdist_counts_what_the_model_wrote(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    eatlas.generate(story, STORY, TEST, n=10, out=path)
    counts = eatlas.count_text(path, TEST)
    for target, female in SHE.items():
        assert counts.counts(target) == {"female": female, "male": 10 - female}
    result = eatlas.run(TEST, counts, "divdist(soa=counts)")["jobs"]
    biases = {row.term: row.distribution[0] for row in result.by_target or ()}
    assert biases == {target: pytest.approx(female / 10) for target, female in SHE.items()}


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"template": "Write a story."}, ("no placeholder {target}", "story about a {target}")),
        ({"template": "{target} and {first}"}, ("placeholders other than", "{target} and {first}")),
        ({"template": 3}, ("no placeholder {target}", "3")),
        ({"n": 0}, ("n is not usable", "0")),
        ({"tokens": 0}, ("tokens is not usable",)),
        ({"temperature": -1.0}, ("temperature", "-1.0")),
        ({"temperature": float("nan")}, ("temperature", "nan")),
        ({"targets": []}, ("not a set of targets", "words by the name of their group")),
        ({"targets": 3}, ("not a set of targets", "3")),
        ({"targets": [""]}, ("term 1", "at least 1 character")),
        ({"targets": ["nurs*"]}, ("nurs*", "is a wildcard, not a word")),
        ({"targets": {"F": ["a"], "M": ["a"]}}, ("'a' is in two groups", "'F' and 'M'")),
        ({"targets": eatlas.load_tests("sent-weat-6")}, ("already sentences", "in X")),
        ({"model": [story, lambda texts: texts]}, ("one model", "2 models")),
        ({"out": "stories.txt"}, ("texts cannot be written", ".txt", ".jsonl")),
        ({"out": "file/stories.jsonl"}, ("cannot be written", "Not a directory")),
    ],
)
def test_a_mistake_is_named_before_anything_is_asked(
    arguments: dict[str, Any],
    parts: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()

    def model(prompts: list[str]) -> list[str]:
        raise AssertionError(prompts)

    every = {"model": model, "template": STORY, "targets": ["nurse"], "n": 1, **arguments}
    with pytest.raises(eatlas.EatlasError) as error:
        eatlas.generate(**every)
    assert all(part in str(error.value) for part in parts), error.value
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
