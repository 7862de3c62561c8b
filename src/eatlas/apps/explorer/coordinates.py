"""Where words are on the map: their mean cosines with both attributes, and which have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eatlas import kernels
from eatlas.apps.explorer.lists import Lists
from eatlas.apps.explorer.named_sources import NamedSource
from eatlas.sources.coverage import is_common_word
from eatlas.stimuli import ROLES, TARGETS

Point = tuple[float, float]
"""Mean cosine with A, and with B."""
Missing = dict[str, dict[str, str]]
"""Why words have no vector, by role and word."""
DECIMALS = 12
"""Kept of a mean cosine: the last bits are rounding, and no distance on a map."""


class Placed(NamedTuple):
    """What is known of the words of four groups, by role and word."""

    missing: Missing
    at: dict[tuple[str, str], Point]
    common: frozenset[tuple[str, str]]
    """Names that were found as a common word, such as Bill as bill."""


NOWHERE = Placed({}, {}, frozenset())
"""Of words that could not be looked up."""


def placed(lists: Lists, source: NamedSource) -> Placed:
    """What is missing, and places; those of a word in sentences are the means of its sentences."""
    groups = lists.groups
    concepts = {role: lists.concept(role, group.words) for role, group in groups.items()}
    found = source.embedded_concepts(concepts)
    about = {role: concept.stimulus_of for role, concept in concepts.items()}
    names = {
        role: [about[role].get(term, term) for term in found.coverage[role].used] for role in ROLES
    }
    missing: Missing = {
        role: {
            word: why
            for term, why in found.coverage[role].reasons.items()
            if (word := about[role].get(term, term)) not in names[role]
        }
        for role in ROLES
    }
    rows = {
        role: kernels.unit_rows(vectors) if len(vectors) else vectors
        for role, vectors in found.vectors.items()
    }
    on = {
        role: [i for i, w in enumerate(names[role]) if w not in groups[role].off] for role in "AB"
    }
    common = frozenset(
        (role, term)
        for role in ROLES
        for term, key in found.keys[role].items()
        if is_common_word(term, key)
    )
    if not all(on.values()):
        return Placed(missing, {}, common)
    means = [kernels.mean_row(rows[role][chosen]) for role, chosen in on.items()]
    pairs: dict[tuple[str, str], list[Point]] = {}
    for role in TARGETS:
        a, b = (kernels.associations(rows[role], mean).tolist() for mean in means)
        for word, both in zip(names[role], zip(a, b, strict=True), strict=True):
            pairs.setdefault((role, word), []).append(both)
    at = {key: mean_place(several) for key, several in pairs.items()}
    return Placed(missing, at, common)


def mean_place(places: Sequence[Point]) -> Point:
    """The mean of the places of the sentences of a word.

    >>> mean_place([(0.5, 1.0), (1.5, 2.0)])
    (1.0, 1.5)
    """
    a, b = (round(sum(values) / len(places), DECIMALS) for values in zip(*places, strict=True))
    return a, b
