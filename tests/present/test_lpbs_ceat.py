"""What the page says of LPBS over draws of sentences."""

from __future__ import annotations

import re

import pytest
from tests.present.test_contexts import words_of
from tests.present.test_lpbs import TEST, Model

from eatlas import LPBSCEAT
from eatlas.present.numbers import effect, percent
from eatlas.present.page import report_html
from eatlas.present.sentences import sentence, statement

TWO = "{target} is {attribute}.; Here {target} is {attribute}."


@pytest.fixture(scope="module")
def result():
    return LPBSCEAT(templates=TWO, n=150)(TEST, Model())


@pytest.fixture(scope="module")
def words(result):
    page = re.sub(r"(?s)<(script|style).*?</\1>", "", report_html([result]))
    return words_of(page)


def test_it_speaks_of_sentences_and_log_ratios_and_never_of_vectors(words):
    assert "Over draws of sentences 150 draws of one sentence for each pair of a target" in words
    assert (
        "Share of 150 draws of sentences that show each of the nine patterns; those that none shows are left out."
        in words
    )
    assert "Other sentences." in words
    assert "The map of the terms" in words
    assert "Level 3: the mean log-ratios of target terms with attribute terms" in words
    assert "Level 3: the mean log-ratios" in words
    assert "Variance of associations: between sentences of the same pairs" in words
    for wrong in ("cosine", "vector", "context"):
        assert wrong not in words


def test_all_four_effect_sizes_have_a_row_of_draws(words, result):
    table = words[words.index("Over draws of sentences") :]
    for title in ("Level 1", "Level 2, X", "Level 2, Y", "Over attributes"):
        assert title in table
    combined = result.draws.over_attributes.combined
    assert effect(combined.effect_size) in table
    assert "the mean LPBS of the draws is d = " in sentence(result)


def test_the_statement_names_shares_and_variance(result):
    said = statement("contexts", result)
    assert "In 150 draws of one sentence for each pair of a target and an attribute, the" in said
    shares = result.draws.level1.shares
    assert f"{percent(shares.contexts)} is between sentences of the same pairs" in said
