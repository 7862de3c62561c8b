"""Openers of the encoders that a source string names by a scheme, each with a cache.

``sources.schemes`` names them; a module is imported when a source string has its scheme.
"""

from __future__ import annotations

from eatlas.encoders import endpoint, hf, sentence_model
from eatlas.encoders.cache.option import keeping

open_hf = keeping(hf.open_hf)
open_st = keeping(sentence_model.open_st)
open_endpoint = keeping(endpoint.open_endpoint)
