"""The rule for associations keeps what the documentation says, over all relabellings.

Under the null hypothesis every relabelling of the scores is as likely as the observed one, so the
false-positive rate of a rule is the share of relabellings for which it sees an association.
"""

from itertools import combinations

import numpy as np
import pytest

from eatlas.measures.patterns import associated_with
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test

ALPHA = 0.05


def rates(scores: np.ndarray, n: int, threshold: float) -> tuple[float, float]:
    """Share of relabellings with an association: directional rule, two-sided rule."""
    found = []
    for chosen in combinations(range(scores.size), n):
        rest = [i for i in range(scores.size) if i not in chosen]
        relabelled = scores[[*chosen, *rest]]
        d, p = effect_size(relabelled, n)[1], permutation_test(relabelled, n)
        in_sign = p.greater.p if d > 0 else p.less.p
        limits = {"alpha": ALPHA, "threshold": threshold}
        directional = associated_with(d, in_sign, **limits)
        two_sided = associated_with(d, p.two_sided.p, **limits)
        found.append((directional is not None, two_sided is not None))
    first, second = np.mean(found, axis=0)
    return float(first), float(second)


@pytest.mark.parametrize(
    ("n", "m"),
    [
        pytest.param(5, 5, marks=pytest.mark.slow),
        (4, 6),
        pytest.param(3, 7, marks=pytest.mark.slow),
    ],
)
def test_two_sided_keeps_alpha_and_directional_has_twice(n, m):
    scores = np.random.default_rng(n).standard_normal(n + m)
    directional, two_sided = rates(scores, n, threshold=0.2)
    total = 252 if n == 5 else 210 if n == 4 else 120
    assert two_sided < ALPHA
    # the largest share below alpha that so few relabellings allow, in each of two tails
    one_tail = (np.ceil(ALPHA * total) - 1) / total
    assert directional == pytest.approx(2 * one_tail)


def test_the_threshold_only_takes_away():
    scores = np.random.default_rng(0).standard_normal(10)
    assert rates(scores, 5, threshold=1.9)[0] < rates(scores, 5, threshold=0.2)[0]
