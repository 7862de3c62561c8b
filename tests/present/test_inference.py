"""New words, adjustment and power as reports, tables and methods say them."""

import pytest

import eatlas
from eatlas.present.sentences import statement


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-3", "weat-6"], measures="ml-eat(resamples=0)", frequency="off")


def test_statements_of_a_result(results):
    names, careers = results
    assert statement("new_words", names) == (
        "Targets and attributes vary together (a crossed test): level 1: t(44.0) = 1.56, two-sided "
        "p = .13; European American names: t(40.6) = 2.07, two-sided p = .045; African American "
        "names: t(35.4) = 1.02, two-sided p = .32."
    )
    assert statement("adjusted", careers).startswith(
        "Level 1: d = 2.37 [0.70, 4.08], two-sided p = .011 (df 9.1; 76% shared); Male names: "
    )
    assert statement("design", careers) == (
        "With a power of 0.8 at two-sided p < .05, it finds effect sizes from 1.20 at level 1 "
        "(8 v 8) and 1.20 at level 2 (8 v 8) on. It easily misses smaller ones."
    )
