"""Where vectors come from, and how terms find them."""

from eatlas.sources.cbow import CBOWSource
from eatlas.sources.coverage import CaseRule, Embedded, all_keys, embed, spellings
from eatlas.sources.memory import ArraySource
from eatlas.sources.opening import named_sources, open_sources, open_vectors
from eatlas.sources.protocol import ChunkedSource, VectorSource
from eatlas.sources.series import PeriodSource, period_of
from eatlas.sources.snapshot import Snapshot

__all__ = [
    "ArraySource",
    "CBOWSource",
    "CaseRule",
    "ChunkedSource",
    "Embedded",
    "PeriodSource",
    "Snapshot",
    "VectorSource",
    "all_keys",
    "embed",
    "named_sources",
    "open_sources",
    "open_vectors",
    "period_of",
    "spellings",
]
