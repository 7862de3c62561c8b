"""Where vectors come from, and how terms find them."""

from eatlas.sources.cbow import CBOWSource
from eatlas.sources.coverage import CaseRule, Embedded, all_keys, embed, spellings
from eatlas.sources.memory import ArraySource
from eatlas.sources.opening import named_sources, open_sources, open_vectors
from eatlas.sources.prompts import PromptedSource, prompted
from eatlas.sources.protocol import ChunkedSource, VectorSource
from eatlas.sources.series import PeriodSource, period_of
from eatlas.sources.snapshot import Snapshot, ask
from eatlas.sources.source import (
    ContextualSource,
    Found,
    Item,
    Passage,
    Source,
    SourceFacts,
    Tell,
    is_contextual,
)

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
    "all_keys",
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
