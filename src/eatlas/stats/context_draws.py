"""Which context of each stimulus belongs to which draw."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import whole

Replace = Literal["auto", "always"]
"""Whether a context may be drawn again."""


def draw_contexts(
    counts: Sequence[int],
    draws: int,
    streams: Sequence[np.random.Generator],
    *,
    replace: Replace = "auto",
) -> NDArray[np.int64]:
    """Draw one context of each stimulus, many times.

    Parameters
    ----------
    counts : sequence of int
        Contexts of each stimulus, 1 or more.
    draws : int
        1 or more.
    streams : sequence of numpy.random.Generator
        One for each stimulus, so that its contexts do not depend on the other stimuli.
    replace : {"auto", "always"}
        ``auto``: without replacement where a stimulus has a context for each draw, else with. So
        in the protocol of Guo and Caliskan (2021). ``always``: with replacement, as in their code.

    Returns
    -------
    array of int64, shape (draws, stimuli)
        Place of the context among those of its stimulus.

    Raises
    ------
    EatlasError
        For a stimulus without contexts, no draws, or another rule.

    Examples
    --------
    >>> streams = [np.random.default_rng(i) for i in range(2)]
    >>> chosen = draw_contexts([4, 2], 4, streams)
    >>> sorted(chosen[:, 0].tolist()), set(chosen[:, 1].tolist()) <= {0, 1}
    ([0, 1, 2, 3], True)
    """
    if replace not in get_args(Replace):
        raise EatlasError(
            "replace must say when a context may be drawn again",
            got=repr(replace),
            allowed=" or ".join(get_args(Replace)),
        )
    draws = whole(draws, "draws", 1)
    chosen = np.empty((draws, len(counts)), dtype=np.int64)
    for k, (count, numbers) in enumerate(zip(counts, streams, strict=True)):
        of = whole(count, "the number of contexts of a stimulus", 1)
        chosen[:, k] = draw_one(of, draws, numbers, replace)
    return chosen


def draw_one(
    count: int, draws: int, numbers: np.random.Generator, replace: Replace
) -> NDArray[np.int64]:
    """Draw contexts of one stimulus, by the rule of :func:`draw_contexts`, shape (draws,)."""
    if replace == "auto" and count >= draws:
        return numbers.permutation(count)[:draws]
    return numbers.integers(count, size=draws)


def stream(seed: int, key: str) -> np.random.Generator:
    """Random numbers that depend on a seed and a name alone.

    Examples
    --------
    >>> int(stream(0, "XY rose").integers(100)) == int(stream(0, "XY rose").integers(100))
    True
    """
    digest = hashlib.sha256(key.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8])])
