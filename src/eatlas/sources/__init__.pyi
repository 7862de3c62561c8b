from .coverage import (
    CaseRule as CaseRule,
    Embedded as Embedded,
    embed as embed,
    embed_concepts as embed_concepts,
    is_common_word as is_common_word,
    spellings as spellings,
)
from .memory import ArraySource as ArraySource
from .opening import (
    Opened as Opened,
    VectorsLike as VectorsLike,
    is_by_name as is_by_name,
    model_and_tokenizer as model_and_tokenizer,
    sources_by_name as sources_by_name,
    open_named as open_named,
    open_sources as open_sources,
    open_vectors as open_vectors,
    specs_of as specs_of,
    transformed as transformed,
)
from .formats import PeriodSource as PeriodSource
from .prompts import (
    CBOWSource as CBOWSource,
    PromptSet as PromptSet,
    PromptedSource as PromptedSource,
    add_prompt as add_prompt,
)
from .source import (
    Found as Found,
    Item as Item,
    Tell as Tell,
    Snapshot as Snapshot,
    Source as Source,
    innermost as innermost,
    is_contextual as is_contextual,
    period_of as period_of,
)
from .spec import options_of as options_of, with_options as with_options
from .tables import (
    Counts as Counts,
    CountTable as CountTable,
    open_counts as open_counts,
    tables_of as tables_of,
)
