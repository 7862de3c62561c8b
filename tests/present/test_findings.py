"""The sentence of each finding, the title of a page, and what sources and settings are called."""

import pytest
from tests.present.reading import Page
from tests.present.records import ml_eat

from eatlas.present import report_html
from eatlas.present.numbers import goes
from eatlas.present.sentences import headline, title
from eatlas.results.settings import Settings, source_name


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


def test_without_any_association_the_sentence_says_so():
    result = ml_eat("Non-Directional", d=0.1, greater=6000)
    assert (
        headline(result) == "No clear association of Flowers or Insects with Pleasant or Unpleasant"
    )


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


def test_settings_are_called_by_what_differs():
    given = [ml_eat(source=f"/data/{name}/vectors.txt") for name in ("one", "two")]
    settings = Settings.among(given)
    assert [settings.of(one) for one in given] == ["one/vectors.txt", "two/vectors.txt"]
    given = [ml_eat(source=f"/data/v.txt{tail}") for tail in ("", "?transform=center")]
    settings = Settings.among(given)
    assert settings.subject == "v.txt"
    assert [settings.named(one) for one in given] == [
        "test-1 (no transform)",
        "test-1 (transform center)",
    ]


def test_settings_are_a_matrix_with_what_differs():
    given = [
        ml_eat(label, test=test, source=f"/data/{source}.txt")
        for test, labels in (("one", ("AX-Singular", "A-Uniform")), ("two", ("A-Uniform",) * 2))
        for source, label in zip("ab", labels, strict=True)
    ]
    html = report_html(given)
    table = html[html.index('<table class="matrix">') :]
    text = " ".join(Page(table[: table.index("</table>") + 8]).text.split())
    assert text.startswith("ML-EAT : 2 tests, 2 sources. Test a.txt b.txt Differs one")
    assert "AX-Singular → A-Uniform" in text
    assert "/data/" not in text


def test_a_source_has_no_path():
    assert source_name("hf:/home/a/b/MiniLM?layer=3") == "MiniLM, layer 3"
    assert source_name("vectors.zip#inner/a.txt") == "vectors.zip, a.txt"
