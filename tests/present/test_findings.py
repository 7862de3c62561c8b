"""The sentence of each finding, the title of a page, and what sources and settings are called."""

import pytest
from tests.present.records import ml_eat

from eatlas.numbers import goes
from eatlas.present.sentences import headline, title
from eatlas.results.settings import Settings


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("A-Uniform", "Both Flowers and Insects go with Pleasant"),
        ("AB-Divergent", "Flowers go with Pleasant; Insects with Unpleasant"),
        ("AX-Singular", "Flowers go with Pleasant; Insects with neither"),
        ("BY-Singular", "Insects go with Unpleasant; Flowers with neither"),
        (
            "Non-Directional",
            "Flowers go with Pleasant more than Insects; alone, neither shows an association",
        ),
    ],
)
def test_each_pattern_has_its_sentence(label, said):
    assert headline(ml_eat(label)) == said


@pytest.mark.parametrize(
    ("name", "verb"),
    [("Math", "goes"), ("Physics", "goes"), ("Men", "go"), ("Happiness", "goes"), ("", "goes")],
)
def test_verbs_agree(name, verb):
    assert goes(name) == verb


def test_titles_count_what_was_found():
    given = [ml_eat(), ml_eat("Non-Directional", test="two")]
    settings = Settings.among(given)
    assert (
        title(given, settings) == "What some-vectors associates: 1 of 2 tests shows an association"
    )
    both = [ml_eat(source="a.txt"), ml_eat(source="b.txt")]
    assert title(both, Settings.among(both)).startswith("What 2 sources associate: 2 of 2 results")
