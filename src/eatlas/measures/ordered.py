"""The rows of a test in an order that does not depend on how its terms are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.stimuli import Stimuli
from eatlas.results.parts import Coverage, GroupCoverage


@dataclass(frozen=True)
class Ordered:
    """Rows sorted by stimulus, and by term within a stimulus.

    What is drawn or summed in this order is the same to the last bit whatever the order of terms
    in the test.
    """

    rows: dict[str, NDArray[np.float64]]
    """By role, shape (terms, d)."""
    stimuli: dict[str, Stimuli]
    """Which rows belong to one stimulus."""
    names: dict[str, tuple[str, ...]]
    """The stimuli with a vector, sorted."""
    places: dict[str, list[int]]
    """Place among them of each stimulus, in the order in which the coverage first uses them."""

    @classmethod
    def by_cluster(cls, rows: Mapping[str, NDArray[np.float64]], coverage: Coverage) -> Ordered:
        """Sort the rows of tests of words, with clusters of words in place of stimuli."""
        of = {
            role: coverage.group(role).model_copy(update={"stimulus": coverage.group(role).cluster})
            for role in rows
        }
        return cls.of(rows, Coverage(**of))

    @classmethod
    def of(cls, rows: Mapping[str, NDArray[np.float64]], coverage: Coverage) -> Ordered:
        """Sort the rows of all groups.

        Parameters
        ----------
        rows : mapping of str to array, shape (terms, d)
            In the order of the used terms of the coverage.
        coverage : Coverage
        """
        groups = {role: _sorted(coverage.group(role)) for role in rows}
        names = {role: tuple(sorted(coverage.group(role).stimuli)) for role in rows}
        place = {role: {name: i for i, name in enumerate(names[role])} for role in rows}
        stimuli = {
            role: _stimuli(
                [place[role][stimulus] for stimulus, _, _ in groups[role]], len(names[role])
            )
            for role in rows
        }
        return cls(
            {role: rows[role][[i for _, _, i in groups[role]]] for role in rows},
            stimuli,
            names,
            {role: [place[role][one] for one in coverage.group(role).stimuli] for role in rows},
        )


def _sorted(group: GroupCoverage) -> list[tuple[str, str, int]]:
    """Stimulus, term and place of each row."""
    terms = enumerate(group.used)
    return sorted((group.stimulus.get(term, term), term, i) for i, term in terms)


def _stimuli(of: list[int], many: int) -> Stimuli:
    places = np.array(of, np.intp)
    return Stimuli(places, np.bincount(places, minlength=many))
