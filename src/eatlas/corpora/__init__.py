"""Texts as a source: contexts of stimuli, sampled from corpora, and counts of associations.

From bytes to contexts: :mod:`files` divides a corpus, :mod:`reading` makes texts of it,
:mod:`matching` finds stimuli in them (:mod:`kernels` is compiled), :mod:`sampling` chooses
contexts, a :mod:`record` says how, and makes tests of sentences of them; :mod:`storing` and
:mod:`loading` are their files. :mod:`counts` counts associations without vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.corpora.attaching import with_contexts, with_pairs
    from eatlas.corpora.counts import helm_counts, helm_representation
    from eatlas.corpora.loading import ContextsAtHand, load_contexts, load_either, load_pairs
    from eatlas.corpora.record import Context, Contexts, Count, PairContext, PairCount, Pairs
    from eatlas.corpora.sampling import find_contexts, find_pairs
    from eatlas.corpora.storing import about_of

__all__ = [  # noqa: RUF022  (as they are told)
    "find_contexts", "find_pairs", "load_contexts", "load_pairs", "load_either", "with_contexts",
    "with_pairs", "Contexts", "Context", "Count", "Pairs", "PairContext", "PairCount",
    "ContextsAtHand", "about_of", "helm_counts", "helm_representation",
]  # fmt: skip

__getattr__ = attributes(
    __name__,
    {
        "eatlas.corpora.attaching": "with_contexts with_pairs",
        "eatlas.corpora.counts": "helm_counts helm_representation",
        "eatlas.corpora.loading": "ContextsAtHand load_contexts load_either load_pairs",
        "eatlas.corpora.record": "Context Contexts Count PairContext PairCount Pairs",
        "eatlas.corpora.sampling": "find_contexts find_pairs",
        "eatlas.corpora.storing": "about_of",
    },
)
