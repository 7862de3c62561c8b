"""Nearest words of the terms of groups, which soften the poles of an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError
from eatlas.sources import CaseRule, Source
from eatlas.sources.coverage import embed
from eatlas.sources.source import rows_of
from eatlas.stimuli import Test
from eatlas.stimuli.kinds import OF_TARGETS

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Neighbours:
    """The nearest words of a word, the nearest first."""

    words: tuple[str, ...]
    total: Array
    """Sum of their vectors, shape (d,)."""


Nearest = Mapping[tuple[str, int], Neighbours]
"""By key of a word in the source, and how many neighbours there are."""


def find_nearest(
    source: Source, known: Source, wanted: Iterable[tuple[Test, int]], case: CaseRule
) -> Nearest:
    """Find words of a source with the highest cosine to each term of the groups of tests.

    Words of the groups are looked up in `known`; `source` is read once from end to end. A word is
    no neighbour of itself. Of equal cosines, the word that comes first is nearer.

    Raises
    ------
    SourceError
        If the source cannot list its words.
    CoverageError
        If it has too few words.
    """
    source.require_listed("nearest words are searched")
    rows: dict[str, Array] = {}
    counts: set[tuple[str, int]] = set()
    for test, count in wanted:
        embedded = embed(test, known, case)
        for group, of_terms in embedded.keys.items():
            if group != OF_TARGETS:
                rows |= dict(zip(of_terms.values(), embedded.vectors[group], strict=True))
                counts |= {(key, count) for key in of_terms.values()}
    if not rows:
        return {}
    most = max(count for _, count in counts)
    keys, units = list(rows), kernels.unit_rows(np.array(list(rows.values())))
    near = np.full((len(keys), most), -np.inf)
    words = np.full((len(keys), most), "", dtype=object)
    vectors = np.zeros((len(keys), most, units.shape[1]))
    for names, chunk in rows_of(source):
        lengths = np.linalg.norm(chunk, axis=1)
        cosines = units @ (chunk / np.where(lengths, lengths, 1.0)[:, None]).T
        cosines[:, lengths == 0] = -np.inf
        places = {name: place for place, name in enumerate(names)}
        for i, key in enumerate(keys):
            row = cosines[i]
            if key in places:
                row[places[key]] = -np.inf
            best = np.argsort(-row, kind="stable")[:most]
            together = np.concatenate([near[i], row[best]])
            order = np.argsort(-together, kind="stable")[:most]
            near[i] = together[order]
            words[i] = np.concatenate([words[i], np.array(names, dtype=object)[best]])[order]
            vectors[i] = np.concatenate([vectors[i], chunk[best]])[order]
    if np.isinf(near).any():
        raise CoverageError(
            f"{source.name} has too few words",
            got=f"fewer than {most} words besides a term of a group",
            remedy="use fewer neighbours, or a source with more words",
        )
    places = {key: i for i, key in enumerate(keys)}
    return {
        (key, count): Neighbours(
            tuple(words[places[key], :count].tolist()),
            vectors[places[key], :count].sum(axis=0),
        )
        for key, count in counts
    }


def soften(
    vectors: dict[str, Array], keys: Mapping[str, Mapping[str, str]], nearest: Nearest, count: int
) -> tuple[dict[str, Array], dict[str, tuple[str, ...]]]:
    """Vectors in which each term of a group is its mean with its neighbours; these by term."""
    softened, words = dict(vectors), dict[str, tuple[str, ...]]()
    for group, of_terms in keys.items():
        if group == OF_TARGETS:
            continue
        found = {term: nearest[key, count] for term, key in of_terms.items()}
        totals = np.array([near.total for near in found.values()])
        softened[group] = (vectors[group] + totals) / (count + 1)
        words |= {term: near.words for term, near in found.items()}
    return softened, words
