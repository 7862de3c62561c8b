"""Where vectors come from, and how terms find them.

:mod:`spec` reads a source string and :mod:`opening` opens what it names: a file (room `files`),
vectors in memory (:mod:`memory`), published ones (:mod:`published`, :mod:`fetching`),
or a model (room `eatlas.encoders`). Each is a :mod:`source`; :mod:`wrappers`,
:mod:`prompts`, :mod:`transforms` and :mod:`debiasing` make sources of sources. :mod:`coverage`
accounts for every term that is looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.sources.coverage import (
    CaseRule,
    Embedded,
    ask,
    embed,
    embed_concepts,
    is_common_word,
    spellings,
)
from eatlas.sources.interface import Found, Item, Tell
from eatlas.sources.memory import ArraySource
from eatlas.sources.opening import (
    Opened,
    VectorsLike,
    is_by_name,
    named_sources,
    open_named,
    open_sources,
    open_vectors,
    specs_of,
    transformed,
)
from eatlas.sources.source import Snapshot, Source, is_contextual, period_of
from eatlas.sources.spec import options_of, with_options
from eatlas.sources.wrappers import CBOWSource, PeriodSource

if TYPE_CHECKING:
    from eatlas.sources.counts import Counts, CountTable, open_counts, tables_of
    from eatlas.sources.prompts import PromptedSource, prompted

__all__ = [
    "ArraySource",
    "CBOWSource",
    "CaseRule",
    "CountTable",
    "Counts",
    "Embedded",
    "Found",
    "Item",
    "Opened",
    "PeriodSource",
    "PromptedSource",
    "Snapshot",
    "Source",
    "Tell",
    "VectorsLike",
    "ask",
    "embed",
    "embed_concepts",
    "is_by_name",
    "is_common_word",
    "is_contextual",
    "named_sources",
    "open_counts",
    "open_named",
    "open_sources",
    "open_vectors",
    "options_of",
    "period_of",
    "prompted",
    "specs_of",
    "spellings",
    "tables_of",
    "transformed",
    "with_options",
]

__getattr__ = attributes(
    __name__,
    {
        "eatlas.sources.counts": "CountTable Counts open_counts tables_of",
        "eatlas.sources.prompts": "PromptedSource prompted",
    },
)
