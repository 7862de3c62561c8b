"""Texts as a source: contexts of stimuli, sampled from corpora, and counts of associations.

From bytes to contexts: :mod:`files` and :mod:`shards` divide a corpus, :mod:`reading` makes texts
of it, :mod:`matching` finds stimuli in them, :mod:`sampling` chooses contexts, :mod:`extraction`
does all that for tests, and a :mod:`record` says how. :mod:`writing` and :mod:`loading` are their
files; :mod:`attaching` makes tests of sentences of them. :mod:`spans` and :mod:`text_counts` count
associations without vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.corpora.attaching import with_contexts, with_pairs
    from eatlas.corpora.extraction import find_contexts, find_pairs, stimuli_of
    from eatlas.corpora.helm import helm_counts, helm_representation
    from eatlas.corpora.loading import ContextsAtHand, load_contexts, load_either, load_pairs
    from eatlas.corpora.matching import Rule
    from eatlas.corpora.record import Contexts, Pairs
    from eatlas.corpora.sampling import Context, Count, PairContext, PairCount, Window

__all__ = [
    "Context",
    "Contexts",
    "ContextsAtHand",
    "Count",
    "PairContext",
    "PairCount",
    "Pairs",
    "Rule",
    "Window",
    "find_contexts",
    "find_pairs",
    "helm_counts",
    "helm_representation",
    "load_contexts",
    "load_either",
    "load_pairs",
    "stimuli_of",
    "with_contexts",
    "with_pairs",
]

__getattr__ = attributes(
    __name__,
    {
        "eatlas.corpora.sampling": "Context Count PairContext PairCount Window",
        "eatlas.corpora.record": "Contexts Pairs",
        "eatlas.corpora.helm": "helm_counts helm_representation",
        "eatlas.corpora.loading": "ContextsAtHand load_contexts load_either load_pairs",
        "eatlas.corpora.matching": "Rule",
        "eatlas.corpora.extraction": "find_contexts find_pairs stimuli_of",
        "eatlas.corpora.attaching": "with_contexts with_pairs",
    },
)
