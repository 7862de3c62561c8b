"""An exact interval for a proportion, such as a p-value that was sampled."""

from __future__ import annotations

from eatlas.stats.incomplete_beta import beta_quantile
from eatlas.stats.inputs import open_unit, whole


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers with at least the stated probability.

    Parameters
    ----------
    successes : int
        0 to `trials`.
    trials : int
        1 or more.
    level : float
        Confidence, in (0, 1).

    Returns
    -------
    low, high : float
        With ``t = (1 - level) / 2``, `low` solves ``P(X >= successes) = t`` and `high` solves
        ``P(X <= successes) = t`` for X binomial; low is 0 at no success, high is 1 at no failure.

    Raises
    ------
    EatlasError
        For counts or a level outside these ranges.

    Notes
    -----
    Clopper and Pearson (1934), Biometrika 26: low is the `t` quantile of
    Beta(successes, failures + 1), high the ``1 - t`` quantile of Beta(successes + 1, failures).

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 6)  # 1 - 0.025 ** (1 / 10)
    (0.0, 0.308497)
    """
    trials = whole(trials, "trials", 1)
    successes = whole(successes, "successes", 0, trials)
    tail, failures = (1 - open_unit(level)) / 2, trials - successes
    low = beta_quantile(tail, successes, failures + 1)[0] if successes else 0.0
    # the upper end from the other side: 1 minus a number near 1 would lose a small p
    high = beta_quantile(tail, failures, successes + 1)[1] if failures else 1.0
    return low, high
