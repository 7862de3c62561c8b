"""Texts as a source: contexts of stimuli, sampled from corpora, and counts of associations.

From bytes to contexts: :mod:`files` divides a corpus, :mod:`reading` makes texts of it,
:mod:`matching` finds stimuli in them (:mod:`kernels` is compiled), :mod:`sampling` chooses
contexts, a :mod:`record` says how, and makes tests of sentences of them; :mod:`storing` is their
files. :mod:`counts` counts associations without vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.corpora.attaching import with_contexts, with_pairs
    from eatlas.corpora.counts import helm_counts, helm_representation
    from eatlas.corpora.loading import ContextsAtHand, load_contexts, load_either, load_pairs
    from eatlas.corpora.matching import Rule
    from eatlas.corpora.record import (
        Context,
        Contexts,
        Count,
        PairContext,
        PairCount,
        Pairs,
        Window,
    )
    from eatlas.corpora.sampling import find_contexts, find_pairs, stimuli_of
    from eatlas.corpora.storing import about_of

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
    "about_of",
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
        "eatlas.corpora.attaching": "with_contexts with_pairs",
        "eatlas.corpora.counts": "helm_counts helm_representation",
        "eatlas.corpora.matching": "Rule",
        "eatlas.corpora.record": "Context Contexts Count PairContext PairCount Pairs Window",
        "eatlas.corpora.sampling": "find_contexts find_pairs stimuli_of",
        "eatlas.corpora.loading": "ContextsAtHand load_contexts load_either load_pairs",
        "eatlas.corpora.storing": "about_of",
    },
)
