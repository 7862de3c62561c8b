"""Words of one group that are nearly one word, which intervals take for separate draws."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import Coverage

CLOSE = 0.9
"""Cosine of two words, once the mean of all words of the test is taken out: of the ten tests of
Caliskan et al. on the bundled vectors, prison and jail, violin and cello, awful, horrible and
terrible reach it."""
MANY = 1_000
"""Words of a group that are looked at, at most."""
TOLD = "are nearly one word"
"""How the remark is known."""


def close_words(rows: Mapping[str, NDArray[np.float64]], coverage: Coverage) -> Iterator[str]:
    """Say which words of a group are nearly one, but for those that share a cluster.

    Parameters
    ----------
    rows : mapping of str to array, shape (words, d)
        Unit vectors by role, in the order of the used terms.
    coverage : Coverage
    """
    centre = np.concatenate(list(rows.values())).mean(axis=0)
    for role, vectors in rows.items():
        group = coverage.group(role)
        if not 2 <= len(vectors) <= MANY or len(group.used) != len(vectors):
            continue
        away = vectors - centre
        length = np.linalg.norm(away, axis=1, keepdims=True)
        unit = away / np.where(length > 0, length, 1.0)
        cosines = np.triu(unit @ unit.T, k=1)
        pairs = [
            (group.used[i], group.used[j], float(cosines[i, j]))
            for i, j in np.argwhere(cosines >= CLOSE).tolist()
            if cosines[i, j] < 1 - 1e-9  # one vector under two names is remarked on elsewhere
            and group.cluster.get(group.used[i], 0) != group.cluster.get(group.used[j], 1)
        ]
        if pairs:
            one, other, cosine = max(pairs, key=lambda pair: pair[2])
            more = f", and {len(pairs) - 1} more pairs" if len(pairs) > 2 else ""
            more = ", and another pair" if len(pairs) == 2 else more
            yield (
                f"{role}: {one} and {other} {TOLD} (cosine {cosine:.2f} without what all words of "
                f"the test share{more}), and intervals take them for separate draws; clusters = "
                f"{json.dumps([[one, other]], ensure_ascii=False)} in the test draws them together."
            )
