from .execution import (
    execute as execute,
    results_of as results_of,
    run as run,
    warn_of_failures as warn_of_failures,
)
from .jobs import AnySource as AnySource, Job as Job
from .plan import (
    SourceLike as SourceLike,
    SourcesLike as SourcesLike,
    StimulusContexts as StimulusContexts,
    Watch as Watch,
    in_contexts as in_contexts,
    make_plan as make_plan,
    open_as as open_as,
    open_contexts as open_contexts,
    read as read,
)
from .readers import (
    Lookup as Lookup,
    Reader as Reader,
    open_for as open_for,
    reader_of as reader_of,
    require_terms as require_terms,
)
from .store import Store as Store, open_store as open_store
