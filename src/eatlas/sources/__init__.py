"""Where vectors come from, and how terms find them."""

from eatlas.sources.coverage import CaseRule, Embedded, embed, spellings
from eatlas.sources.interface import (
    ChunkedSource,
    ContextualSource,
    Found,
    Item,
    Passage,
    Tell,
    VectorSource,
)
from eatlas.sources.memory import ArraySource
from eatlas.sources.opening import named_sources, open_sources, open_vectors
from eatlas.sources.snapshot import Snapshot, ask
from eatlas.sources.source import Source, SourceFacts, is_contextual
from eatlas.sources.wrappers import CBOWSource, PeriodSource, PromptedSource, period_of, prompted

__all__ = [
    "ArraySource",
    "CBOWSource",
    "CaseRule",
    "ChunkedSource",
    "ContextualSource",
    "Embedded",
    "Found",
    "Item",
    "Passage",
    "PeriodSource",
    "PromptedSource",
    "Snapshot",
    "Source",
    "SourceFacts",
    "Tell",
    "VectorSource",
    "ask",
    "embed",
    "is_contextual",
    "named_sources",
    "open_sources",
    "open_vectors",
    "period_of",
    "prompted",
    "spellings",
]
