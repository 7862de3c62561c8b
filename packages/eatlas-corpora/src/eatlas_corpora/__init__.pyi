from .engine.embedding import embed as embed
from .engine.embedding_regression import embedding_regression as embedding_regression
from .engine.text import count_text as count_text
from .measures.ceat import CEAT as CEAT
from .measures.pmi import PMI as PMI
from .reading import (
    Contexts as Contexts,
    Pairs as Pairs,
    find_contexts as find_contexts,
    find_pairs as find_pairs,
    load_contexts as load_contexts,
    load_pairs as load_pairs,
    with_contexts as with_contexts,
)
