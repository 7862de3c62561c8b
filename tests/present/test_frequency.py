"""What table, report, tables for papers and methods say of frequency and of random topics."""

import re
from html import unescape

import pytest
from tests.measures.test_frequency import APART, random_test
from tests.present.records import ml_eat

import eatlas
from eatlas.present import report_html
from eatlas.present.drawings.svg import Axis, Scales
from eatlas.present.sentences import statement
from eatlas.results.levels import MatchedLevel


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-5", "weat-9"], measures="ml-eat(resamples=100)")


@pytest.fixture(scope="module")
def chance():
    """A test of random words, whose pattern is that of frequency."""
    return eatlas.run(tests=random_test(0, APART), measures="ml-eat(resamples=100)")


def plain(html):
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def test_the_report_shows_the_null_and_says_it_in_a_sentence(results):
    html = report_html(results)
    text = plain(html)
    assert html.count("What do random topics show?") == 2
    assert html.count('class="fig random"') == 6
    matched = results[1].frequency.matched
    assert (
        "draws of random topics, as frequent and as coherent as the lists, "
        f"{matched.patterns['BY-Singular']:.0%} show BY-Singular too" in text
    )
    assert "random topics often differ as much (two-sided p =" in text
    assert "With these targets and random topics for attributes: two-sided p" in text
    assert "As attributes alone" in text
    assert "Median ranks of the words in GloVe 6B: Mental 14,498, Physical 3,506" in text
    assert "impermanent (156,675)" in text
    low, high = matched.level1.quantiles[0], matched.level1.quantiles[4]
    assert f"between {low:.2f} and {high:.2f}".replace("-", "−") in text


def test_what_is_not_known_is_said():
    (single,) = eatlas.run(tests="weat-9", measures="sc-eat")
    assert statement("frequency", single).endswith(
        "Not compared with random topics: sc-eat is not computed for random topics."
    )
    off = eatlas.run(tests="weat-9", measures="ml-eat(resamples=0,adjust=none)", frequency="off")
    assert statement("frequency", off[0]) == "Not known: frequency=off."
    html = report_html(off)
    assert "What do random topics show?" not in html
    assert "Not known: frequency=off." in plain(html)


def test_the_observed_mark_is_on_the_range_of_random_topics():
    null = MatchedLevel(
        p_greater=0.5, p_less=0.5, p_two_sided=1, mean=0, quantiles=(-1, -0.5, 0, 0.5, 1),
        counts=(1, 4, 2), ends=(-1.5, 1.5),
    )  # fmt: skip
    scales = Scales(Axis.of_effects([], 8, 168))
    shown = ml_eat(d=0.5).effect("level1")
    drawn = scales.random(shown, null)
    assert 'd="M48 5H128v6H48z" class="b"' in drawn
    assert 'class="m"' in drawn
    beyond = null.model_copy(update={"p_two_sided": 0.01})
    assert 'class="m on"' in scales.random(shown, beyond)
