"""What table, report, tables for papers and methods say of frequency and of random topics."""

import re
from dataclasses import replace
from html import unescape

import pytest
from tests.measures.test_frequency import APART, random_test
from tests.present.records import ml_eat

import eatlas
from eatlas.present import report_html
from eatlas.present.drawings.svg import Axis, Scales
from eatlas.present.effects import chance_line, chance_range
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
    for result in results:
        assert (
            text.count(chance_line(result.effect("level1"))) == 2
        )  # with the questions, and below
    assert "Median ranks of the words in GloVe 6B: Mental 14,498, Physical 3,506" in text
    assert "impermanent (156,675)" in text
    low, high = chance_range(results[1].effect("level1"))
    assert f"[{low:.2f}, {high:.2f}]".replace("-", "−") in text


def test_what_is_not_known_is_said():
    (single,) = eatlas.run(tests="weat-9", measures="sc-eat")
    assert statement("frequency", single).endswith(
        "Not compared with random topics: sc-eat is not computed for random topics."
    )
    off = eatlas.run(tests="weat-9", measures="ml-eat(resamples=0,adjust=none)", frequency="off")
    assert statement("frequency", off[0]) == "Not known: the option frequency is off."
    html = report_html(off)
    assert "What do random topics show?" not in html
    assert "Not known: the option frequency is off." in plain(html)


def test_the_observed_mark_is_on_the_range_of_random_topics():
    """The range is in units of d: 0.1 of cosine are 0.5 of it here."""
    known = MatchedLevel(
        p_greater=0.5, p_less=0.5, p_two_sided=1, quantiles=(-0.2, -0.1, 0, 0.1, 0.2)
    )
    scales = Scales(Axis.of_effects([], 8, 168))
    shown = replace(ml_eat(d=0.5).effect("level1"), difference=0.1, matched=known)
    assert chance_range(shown) == (-1, 1)
    drawn = scales.random(shown)
    assert 'd="M48 5H128v6H48z" class="b"' in drawn
    assert 'class="m"' in drawn
    beyond = known.model_copy(update={"p_two_sided": 0.01})
    assert 'class="m on"' in scales.random(replace(shown, matched=beyond))
    assert chance_range(replace(shown, d=0.0, difference=0.0)) == (0, 0)


@pytest.mark.parametrize(
    ("p", "share"),
    [(0.00004, "fewer than 0.1%"), (0.0014, "0.1%"), (0.0443, "4.4%"), (0.23, "23%"), (1, "100%")],
)
def test_the_line_says_how_many_topics_differ_as_much(p, share):
    known = MatchedLevel(p_greater=p, p_less=1, p_two_sided=p, quantiles=(0, 0, 0, 0, 0))
    result = ml_eat(d=0.5)
    assert chance_line(result.effect("level1")) == ""
    level1, x = (replace(result.effect(of), matched=known) for of in ("level1", "level2.X"))
    assert chance_line(level1) == (
        f"Among pairs of random topics as near to each other, {share} differ as much."
    )
    assert chance_line(x) == (
        f"Among random topics against pairs as near to each other, {share} differ as much."
    )
