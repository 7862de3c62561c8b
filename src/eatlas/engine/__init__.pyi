from .execution import (
    execute as execute,
    results_of as results_of,
    run as run,
    warn_of_failures as warn_of_failures,
)
from .measuring import AnySource as AnySource, open_for as open_for
from .plan import (
    Job as Job,
    SourceLike as SourceLike,
    SourcesLike as SourcesLike,
    Watch as Watch,
    in_contexts as in_contexts,
    make_plan as make_plan,
    open_as as open_as,
    read as read,
)
from .store import Store as Store, open_store as open_store
