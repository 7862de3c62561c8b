"""A language model that is in memory already."""

from __future__ import annotations

import hashlib
from typing import Any

from eatlas.encoders.language.kinds import kind_of_class, require_mask
from eatlas.encoders.language.models import Loaded, MaskedLM, TransformerLM
from eatlas.encoders.loading import NO_LIMIT
from eatlas.errors import SourceError, described


def language_model(model: Any, tokenizer: Any, *, name: str) -> TransformerLM:
    """Take a language model of transformers as a source of log-probabilities.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With a head that predicts pieces: ``AutoModelForMaskedLM`` or ``AutoModelForCausalLM``.
    tokenizer : transformers.PreTrainedTokenizerFast
        A fast one, which says where its pieces stand in a text.
    name : str
        What names the source in results.

    Returns
    -------
    TransformerLM
        A masked language model where the model's class is one, else a causal one.

    Raises
    ------
    SourceError
        If the model has no such head, or is a masked one and the tokenizer has no mask.

    Examples
    --------
    >>> language_model(object(), None, name="mine")
    Traceback (most recent call last):
    ...
    eatlas.errors.SourceError: mine: this is no language model of transformers
      got: object
      allowed: AutoModelForMaskedLM or AutoModelForCausalLM
    """
    kind = kind_of_class(type(model).__name__)
    if kind is None:
        raise SourceError(
            f"{name}: this is no language model of transformers",
            got=described(model),
            allowed="AutoModelForMaskedLM or AutoModelForCausalLM",
        )
    if kind is MaskedLM:
        require_mask(tokenizer, name)
    said = tokenizer.model_max_length
    loaded = Loaded(model, tokenizer, said if said < NO_LIMIT else None)
    return kind(lambda: loaded, name, _fingerprint(model, tokenizer))


def _fingerprint(model: Any, tokenizer: Any) -> str:
    """Hash of all weights and of how texts are cut."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    digest = hashlib.sha256(type(model).__name__.encode())
    for key, weights in sorted(model.state_dict().items()):
        digest.update(f"{key}{tuple(weights.shape)}{weights.dtype}".encode())
        digest.update(weights.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    backend = getattr(tokenizer, "backend_tokenizer", None)
    digest.update(b"" if backend is None else backend.to_str().encode())
    return f"sha256:{digest.hexdigest()}"
