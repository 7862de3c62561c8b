"""Masked or causal: what a model is, and what is said where it is the other."""

from __future__ import annotations

from typing import Any

from eatlas.encoders.language.models import CausalLM, MaskedLM, TransformerLM
from eatlas.encoders.language.questions import Kind
from eatlas.errors import SourceError


def kind_of_class(architecture: str) -> type[TransformerLM] | None:
    """Tell what a class of transformers does; None where it is no language model.

    >>> kind_of_class("BertForMaskedLM").kind, kind_of_class("GPT2LMHeadModel").kind
    ('masked', 'causal')
    """
    if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
        return MaskedLM
    return CausalLM if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def require_mask(tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer that has no mask."""
    if tokenizer.mask_token_id is None:
        raise SourceError(
            f"{name}: the tokenizer has no mask token, so no word can be masked",
            got=type(tokenizer).__name__,
            allowed="a tokenizer with a mask token, as BERT's and RoBERTa's have",
            remedy="lpbs(model=causal) takes models without one",
        )


def not_of_kind(name: str, kind: Kind, got: str) -> SourceError:
    """Say that a model is of the other kind, and point to the measure for it."""
    if kind == "masked":
        return SourceError(
            f"{name}: the model has no mask token, so no word of a sentence can be masked",
            got=got,
            allowed="a masked language model, such as BERT or RoBERTa",
            remedy="lpbs(model=causal) takes causal models: the attribute given the target",
        )
    return SourceError(
        f"{name}: the model does not continue texts",
        got=got,
        allowed="a causal language model, such as GPT-2, OPT or BLOOM",
        remedy="lpbs(model=masked) takes masked models: the target given the attribute",
    )
