"""Texts as a source: contexts of stimuli, sampled from corpora."""

from eatlas.sources.corpora.attaching import with_contexts
from eatlas.sources.corpora.extraction import find_contexts, stimuli_of
from eatlas.sources.corpora.record import Context, Contexts, Count
from eatlas.sources.corpora.spelling import Rule
from eatlas.sources.corpora.storing import load_contexts

__all__ = [
    "Context",
    "Contexts",
    "Count",
    "Rule",
    "find_contexts",
    "load_contexts",
    "stimuli_of",
    "with_contexts",
]
