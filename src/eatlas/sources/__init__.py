"""Where vectors come from, and how terms find them."""

from eatlas.sources.cbow import CBOWSource
from eatlas.sources.coverage import CaseRule, Embedded, all_keys, embed, spellings
from eatlas.sources.memory import ArraySource
from eatlas.sources.opening import named_sources, open_sources, open_vectors
from eatlas.sources.passages import ContextualSource, Passage, Tell, is_contextual
from eatlas.sources.prompts import PromptedSource, prompted
from eatlas.sources.protocol import ChunkedSource, VectorSource
from eatlas.sources.series import PeriodSource, period_of
from eatlas.sources.snapshot import EncodedSnapshot, Snapshot, ask

__all__ = [
    "ArraySource",
    "CBOWSource",
    "CaseRule",
    "ChunkedSource",
    "ContextualSource",
    "Embedded",
    "EncodedSnapshot",
    "Passage",
    "PeriodSource",
    "PromptedSource",
    "Snapshot",
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
