"""How long a scan takes is estimated from its first words."""

import pytest
from tests.engine.scan.vocabularies import concepts, vocabulary

from eatlas.engine.scan.plan import make_scan
from eatlas.engine.scan.scanning import TimeEstimate, estimate


@pytest.mark.parametrize("sizes", [(4, 4), (20, 20)])
def test_the_first_words_tell(sizes):
    plan = make_scan(vocabulary(200, *sizes, 15), concepts(*sizes), first=150)
    found = estimate(plan)
    assert found.words == 150
    assert found.each > 0
    assert found.seconds == 150 * found.each


def test_of_an_unknown_number_of_words_nobody_knows():
    assert TimeEstimate(0.1, None).seconds is None
