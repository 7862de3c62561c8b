"""Measures of language models pass the conformance kit."""

import pytest
from tests.measures.test_cat import BY_HAND, triples_of
from tests.measures.test_lpbs import Table, any_number, words
from tests.present.test_answers import TEMPLATES_OF_TARGETS, gardener, list_maker
from tests.present.test_answers import TEST as FLOWERS

import eatlas
from eatlas.testing import check_measure


@pytest.mark.parametrize(
    ("measure", "tests", "vectors"),
    [
        (eatlas.ZeroShot(scale=20, resamples=200), "weat-7", "glove-sample"),
        (eatlas.LPBS(resamples=200), words(4, 4, 4, 4), Table(any_number)),
        (eatlas.LPBSCEAT(n=20), words(4, 4, 4, 4), Table(any_number)),
        (eatlas.CAT(model="causal"), *triples_of(BY_HAND)),
        (eatlas.Ask(templates=TEMPLATES_OF_TARGETS, resamples=200), FLOWERS, gardener(0.1)),
        (eatlas.Assign(lists=6), FLOWERS, list_maker),
    ],
    ids=lambda one: getattr(one, "signature", ""),
)
def test_our_measures_keep_the_contract(measure, tests, vectors):
    check_measure(measure, tests, vectors)
