"""Other words and power as reports, tables and methods say them."""

import pytest

import eatlas
from eatlas.present.sentences import statement


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-3", "weat-6"], measures="ml-eat(resamples=0)", frequency="off")


def test_statements_of_a_result(results):
    names, careers = results
    assert statement("other_words", names) == (
        "With the spread of target terms and of attribute terms taken into account, the difference "
        "of cosines at level 1 is 0.039 [−0.020, 0.097], two-sided p = .19: other words may not "
        "show it. At level 2: p = .055 for European American names and p = .26 for African "
        "American names."
    )
    assert (
        "two-sided p = 3.9e-4: the effect is unlikely to be due to the choice of these words alone."
        in statement("other_words", careers)
    )
    assert statement("design", careers) == (
        "With a power of 0.8, at two-sided p < .05: effect sizes from 1.20 at level 1 (8 v 8) and "
        "1.20 at level 2 (8 v 8). Smaller ones are easily missed."
    )
