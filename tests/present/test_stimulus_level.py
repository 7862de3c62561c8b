"""Tests of sentences are read over stimuli, on the page, in tables, charts and the terminal."""

import warnings

import numpy as np
import pytest
from tests.inputs import make_sentences, make_vectors

import eatlas
from eatlas.cli.table import print_results
from eatlas.numbers import effect, p_value
from eatlas.present import report_html, report_table
from eatlas.present.drawings.eat_map import states
from eatlas.present.sentences import sentence
from eatlas.results import Results

COUNTS = {"X": (3, 2, 4, 3), "Y": (2, 5, 2, 4), "A": (2, 4, 2, 3), "B": (3, 3, 2, 2)}
MANY = dict.fromkeys("XYAB", (9, 9, 9, 9))


def measured(measure, counts=COUNTS, vectors=None):
    test = make_sentences(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return measure(test, vectors(test) if vectors else make_vectors(test))


def by_stimulus(test, seed=4):
    """Vectors in which the sentences of one stimulus are nearly alike."""
    rng = np.random.default_rng(seed)
    centres: dict[str, np.ndarray] = {}
    found = {}
    for role in "XYAB":
        for text in test.concept(role).terms:
            centre = centres.setdefault(text.split()[0], rng.standard_normal(6))
            found[text] = centre + 0.05 * rng.standard_normal(6)
    return found


@pytest.fixture(scope="module")
def apart():
    """A result that is significant over 36 sentences and not over 4 against 4 stimuli."""
    result = measured(eatlas.MLEAT(), MANY, by_stimulus)
    assert result.level1.p.two_sided < 0.001
    assert result.primary.level1.p.two_sided > 0.2
    assert result.pattern.label != result.primary.pattern.label == "Non-Directional"
    return result


def text_of(html: str) -> str:
    return " ".join(html.split()).replace("&#39;", "'").replace("\N{NO-BREAK SPACE}", " ")


def test_summary_sentence_and_map_are_over_stimuli(apart):
    d = apart.primary.level1.effect_size
    assert apart.summary().startswith(f"Non-Directional, d = {effect(d)}, ")
    assert apart.summary().endswith(", over stimuli")
    said = sentence(apart)
    assert said.startswith(
        "No significant difference between Flowers and Insects in their association with Pleasant or Unpleasant is shown."
    )
    assert f"Flowers against Insects, over stimuli: d = {effect(d)}, p = " in said
    assert states(apart) == ("N", "N")
    assert "* p &lt; .05 in the direction of d, over stimuli" in eatlas.plot(apart).drawn


@pytest.mark.parametrize("measure", [eatlas.MLEAT(), eatlas.WEAT()], ids=["ml-eat", "weat"])
def test_the_page_has_both_p_values_and_says_why_they_differ(measure):
    result = measured(measure)
    page = text_of(report_html([result]))
    rows = result.effects()
    assert len(rows) == (3 if measure.name == "ml-eat" else 1)
    for row in rows:
        assert f"{row.n[0]} v {row.n[1]}" in page
        assert p_value(row.p_of("two_sided"), 0.05) in page
    assert "were assigned to the 8 target stimuli at random" in page
    assert "Over their 25 sentences d is" in page
    assert "Influential stimuli" in page
    if measure.name == "ml-eat":
        assert "bootstrap samples of the stimuli" in page
    assert "In tests of sentences, the associations of" in page


@pytest.mark.parametrize("measure", [eatlas.MLEAT(), eatlas.WEAT()], ids=["ml-eat", "weat"])
def test_a_comparison_that_is_undefined_over_stimuli_is_said_to_be(measure, capsys):
    result = measured(measure, {**COUNTS, "Y": (9,)})
    assert result.level1.effect_size is not None
    assert result.primary.level1 is None
    assert (
        "Over stimuli the comparison of Flowers with Insects is undefined: all sentences of "
        "Insects are made of one stimulus." in sentence(result)
    )
    page = text_of(report_html([result]))
    assert "undefined: one group has a single stimulus" in page
    assert "Over stimuli level 1 is undefined" in page
    assert len(Results([result]).family()) == 0
    assert result.rows()[0]["effect_size"] is None
    print_results(Results([result]))
    printed = capsys.readouterr().out
    assert "d –; cannot be tested (too few words)" in printed
    assert effect(result.level1.effect_size) not in printed
    assert "level 1, Flowers against Insects: d = –" in eatlas.plot(result, "forest").alt
    assert "–" in result._repr_html_()
    for form in ("latex", "markdown", "html-table", "csv"):
        assert report_table([result], form)
