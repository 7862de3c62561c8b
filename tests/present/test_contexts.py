"""What the report says of draws of contexts."""

import re
import warnings

import numpy as np
import pytest
from tests.inputs import make_sentences

import eatlas
from eatlas.errors import EatlasWarning
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import effect, percent
from eatlas.present.sentences import statement
from eatlas.present.summaries import bibtex, methods_paragraph


@pytest.fixture(scope="module")
def result():
    test = make_sentences(dict.fromkeys("XYAB", (4, 3, 5, 1)))
    rng = np.random.default_rng(5)
    vectors = {text: rng.normal(size=40) for text in test.terms}
    return eatlas.CEAT(n=150)(test, vectors)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    eatlas.write_report([result], path)
    return path.read_text(encoding="utf-8")


def words_of(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_statement_names_shares_and_variance(result):
    said = statement("contexts", result)
    own = result.draws.patterns[result.pattern.label]
    assert f"the pattern is {result.pattern.label} in {percent(own)}" in said
    shares = result.draws.level1.shares
    assert f"{percent(shares.contexts)} is between contexts of one stimulus" in said
    low, high = result.draws.level1.quantiles[0], result.draws.level1.quantiles[4]
    assert f"between {effect(low)} and {effect(high)}" in said


def test_one_context_each_says_nothing_of_variance_between_contexts():
    test = make_sentences(dict.fromkeys("XYAB", (1, 1, 1, 1)))
    vectors = {text: np.random.default_rng(len(text)).normal(size=9) for text in test.terms}
    rng = np.random.default_rng(2)
    vectors = {text: rng.normal(size=40) for text in vectors}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)
        said = statement("contexts", eatlas.CEAT(n=4)(test, vectors))
    assert "variance" not in said
    assert said.endswith(".")


def test_the_page_has_draws_patterns_and_stimuli(page, result):
    words = words_of(page)
    assert "Over draws of contexts 150 draws of one context for each stimulus" in words
    combined = result.draws.level1.combined
    assert effect(combined.effect_size) in words
    assert (
        "Share of 150 draws of contexts that show each of the nine patterns; those that none shows are left out."
        in words
    )
    assert "13 contexts of 4 stimuli" in words
    assert "x0 (4)" in words
    assert "x0 0." not in words
    assert "Each target stimulus is at its mean cosine" in words


def test_the_methods_paragraph_and_the_references_name_it(result):
    said = methods_paragraph([result])
    assert "Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021)" in said
    assert "150 draws of one context for each stimulus" in said
    assert "guo2021detecting" in bibtex([result], DeclaredFamily.of([result]))
