"""Results of images speak of images; those of models that were not trained say so first."""

import re
from html import unescape

import pytest
from tests.present.records import ml_eat, weat
from tests.present.test_thumbnails import images_of

import eatlas
from eatlas.notes import Note
from eatlas.numbers import number_of
from eatlas.present import report_html
from eatlas.present.effects import levels_of, unit_of
from eatlas.present.findings import findings_of, title
from eatlas.present.sentences import limits, statements
from eatlas.results.settings import Settings

OF_WORDS = re.compile(r"\\b(?:word|term)s?\\b")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    test, vectors = images_of(tmp_path_factory.mktemp("set"))
    return eatlas.run(test, vectors, ["ml-eat(resamples=50)", "sc-eat"])


def test_groups_are_called_what_they_are_made_of(pictures):
    result = pictures[0]
    assert [unit_of(result, roles) for roles in ("XY", "AB", "XYAB")] == [
        "image", "term", "stimulus",
    ]  # fmt: skip
    assert unit_of(ml_eat(), "XY", "word") == "word"
    assert [number_of(n, "stimulus") for n in (1, 2)] == ["1 stimulus", "2 stimuli"]


def test_what_is_said_of_images(pictures):
    result = pictures[0]
    about = dict(statements(result, levels_of(result)))
    assert "Single stimuli." in about
    assert "assigned to the 8 target images at random" in about["These words."]
    assert (
        "Targets and attributes vary together (a crossed test): level 1: t(" in about["New words."]
    )
    lines = limits(result, result.finding)
    assert not OF_WORDS.search(" ".join(lines))
    assert any("4 images" in line or "of 4 are nearer" in line for line in lines)
    assert re.search(r"of 8 images", pictures[1].finding.sentence)


def test_a_page_has_no_ranks_where_no_word_has_one(pictures):
    assert "Ranks of the words in" not in report_html(pictures[:1])
    text = unescape(re.sub("<[^>]+>", " ", report_html(eatlas.run(tests="weat-9")[:1])))
    assert "Ranks of the words in" in text


def test_random_weights_are_named_first():
    note = (Note("source.random-weights", values={"seed": 7}),)
    random = weat(warnings=note)
    sentence = weat().finding.sentence
    assert random.finding.sentence == f"Randomly initialised weights: {sentence}"
    results = [random]
    named = title(results, findings_of(results), Settings.from_results(results))
    assert named == f"some-vectors: Randomly initialised weights: {sentence}".removesuffix(".")
