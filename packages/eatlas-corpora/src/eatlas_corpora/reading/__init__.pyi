from . import kernels as kernels, local_kernels as local_kernels
from .attaching import with_contexts as with_contexts, with_pairs as with_pairs
from .counts import helm_counts as helm_counts, helm_representation as helm_representation
from .record import (
    Context as Context,
    Contexts as Contexts,
    ContextsAtHand as ContextsAtHand,
    Count as Count,
    PairContext as PairContext,
    PairCount as PairCount,
    Pairs as Pairs,
    load_contexts as load_contexts,
    load_either as load_either,
    load_pairs as load_pairs,
)
from .sampling import find_contexts as find_contexts, find_pairs as find_pairs
from .storing import about_of as about_of
