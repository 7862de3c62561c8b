"""``hf:``: log-probabilities of a language model of transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial

from eatlas.encoders.families import DECODER
from eatlas.encoders.files import content_of
from eatlas.encoders.hf import Found, find_model
from eatlas.encoders.language.kinds import not_of_kind, require_mask
from eatlas.encoders.language.models import CausalLM, Loaded, MaskedLM, TransformerLM
from eatlas.encoders.language.pieces import require_offsets
from eatlas.encoders.language.questions import Kind
from eatlas.encoders.loading import Model, load, load_tokenizer
from eatlas.encoders.quiet import quiet
from eatlas.errors import SourceError

OF_VECTORS = ("level", "layer", "layers", "pool", "subword", "prompt", "truncate")
"""Options of ``hf:`` that say how a text becomes a vector."""
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other answers."""
_TYPES: dict[Kind, type[TransformerLM]] = {"masked": MaskedLM, "causal": CausalLM}


def open_hf_language_model(
    text: str, kind: Kind, is_known: Callable[[str], bool] = lambda _: False
) -> TransformerLM:
    """Open a transformer as a language model; its weights are read when it is asked.

    Parameters
    ----------
    text : str
        ``hf:`` and a folder, a GGUF file or a name on the hub, with options.
    kind : {"masked", "causal"}
    is_known : callable, optional
        From a fingerprint to whether a model with it has answered before, so that its tokenizer
        need not be looked at.

    Raises
    ------
    SourceError
        If an option cannot be, the model is not there or of the other kind, or its tokenizer
        cannot be used.
    """
    found = find_model(text)
    _require_options(found)
    _require_kind(found, kind)
    content = content_of(found.path, weights=found.options.weights)
    said = (
        f"{content};{ALGORITHM};{kind};precision={found.options.precision}"
        f";seed={found.options.seed}"
    )
    fingerprint = f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"
    model = Model(
        found.path, content, found.options.seed, found.options.precision, found.options.device,
        found.options.trust, found.card, head=kind,
    )  # fmt: skip
    # before any work; a causal model's tokenizer, slow in GGUF, can wait
    if kind == "masked" and not is_known(fingerprint):
        with quiet():
            tokenizer = load_tokenizer(model)
        require_offsets(tokenizer, found.where)
        require_mask(tokenizer, found.where)
    return _TYPES[kind](partial(_load, model), text, fingerprint, _notes(found))


def _load(model: Model) -> Loaded:
    loaded = load(model)
    return Loaded(loaded.module, loaded.tokenizer, loaded.limit)


def _notes(found: Found) -> tuple[str, ...]:
    if found.options.weights != "random":
        return ()
    return (
        f"The model's weights are random (seed {found.options.seed}): a control. What is found "
        "with them is an artefact.",
    )


def _require_options(found: Found) -> None:
    given = [name for name in OF_VECTORS if name in found.spec.options]
    if given:
        raise SourceError(
            f"{found.where}: the option {given[0]} is for vectors, and log-probabilities are asked",
            got=f"{given[0]}={found.spec.options[given[0]]}",
            allowed="weights, seed, precision, device, trust_remote_code, revision",
            remedy="leave it out",
        )


def _require_kind(found: Found, kind: Kind) -> None:
    """Refuse a model that is known to be of the other kind; what is not known is tried."""
    family = found.card.family
    if family is None:
        return
    causal = family == DECODER
    if causal != (kind == "causal"):
        raise not_of_kind(found.where, kind, found.card.architecture)
