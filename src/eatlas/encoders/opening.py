"""From ``hf:`` and ``clip:`` to sources: how tokens, or patches, become one vector."""

from __future__ import annotations

from dataclasses import replace

from eatlas.encoders.cache import keeping
from eatlas.encoders.models import CLIP, POOLS, NamedModel, find_model, require_no_use
from eatlas.encoders.options import EVERY, POOLED, parse_layers
from eatlas.encoders.sentence_model import ModelConventions, declared, prompt_note
from eatlas.encoders.transformer import ModelSource, TransformerSource
from eatlas.encoders.vision import TowersSource, VisionSource
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.spec import take_option, with_option

OF_IMAGES = ("cls", "mean", "max", "mean-all", POOLED)
"""How the patches of an image may become one vector."""


@keeping
def open_clip(text: str) -> tuple[ModelSource, ...]:
    """Open a two-tower model."""
    useless = ("level", "layer", "pool", "subword")
    return (TowersSource(find_model(text, CLIP, takes=("both",), useless=useless)),)


@keeping
def open_hf(text: str) -> tuple[ModelSource, ...]:
    """Open a transformer of texts or of images; with ``layer=all`` one source for each layer."""
    named = find_model(text, takes=("texts", "images"))
    each, card = [named], named.card
    if named.options.layer == EVERY and (card.takes == "texts" or card.vision.layered):
        plain, _ = take_option(text, "layer")
        each = [
            replace(
                named,
                text=with_option(plain, f"layer={number}"),
                options=named.options.model_copy(update={"layer": str(number)}),
            )
            for number in range(card.top + 1)
        ]
    return tuple(map(_open_vision if card.takes == "images" else _open_texts, each))


def _open_texts(named: NamedModel) -> TransformerSource:
    """Open a model of texts."""
    whole = named.options.level == "sentence"
    require_no_use(named.label, named.given, ["subword" if whole else "pool"])
    conventions = declared(named.path)
    method = _method(named, conventions)
    notes = []
    if whole and conventions.pool is not None and named.options.pool is None:
        notes.append(Note("source.pooling", values={"pool": conventions.pool}))
    if whole:
        notes += prompt_note(conventions, hint=f"st:{named.name}")
    layers = parse_layers(named.options.layer, named.card.top, named.label)
    return TransformerSource(named, layers, method, tuple(notes))


def _method(named: NamedModel, conventions: ModelConventions) -> str:
    """How tokens become one vector, by the options, the model's own files or its family."""
    options, label = named.options, named.label
    sentence = options.level == "sentence"
    chosen = options.pool if sentence else options.subword
    if chosen == POOLED:
        raise SourceError(f"{label}: texts cannot be pooled so", got=f"pool={POOLED}")
    if chosen is not None:
        return chosen
    if sentence and conventions.theirs:
        raise SourceError(
            f"{label}: the model has a pooling of its own that hf: does not do",
            got=conventions.theirs,
            allowed=f"st:{named.name}, which pools as the model declares; "
            "or a pooling of your choice: ?pool=mean, ?pool=cls",
            remedy="?pool=... leaves out what the model does after its transformer",
        )
    if sentence and conventions.pool is not None:
        return conventions.pool
    if not named.card.family:
        key = "pool" if sentence else "subword"
        raise SourceError(
            f"{label}: the kind of this model is not known, and so no default for {key}",
            got=f"model type {named.card.config.model_type!r}",
            remedy=f"say it: {key}=mean, for example",
        )
    return POOLS[named.card.family][not sentence]


def _open_vision(named: NamedModel) -> VisionSource:
    """Open a model of images."""
    vision, options, label = named.card.vision, named.options, named.label
    require_no_use(label, named.given, ("level", "subword", "truncate"))
    pools = [pool for pool in OF_IMAGES if vision.before or pool != "cls"]
    pool = options.pool or vision.pool
    if pool not in pools:
        raise SourceError(
            f"{label}: images cannot be pooled so by this model",
            got=f"pool={pool}",
            allowed=", ".join(pools),
        )
    layers = parse_layers(options.layer, named.card.top, label)
    top_alone = "these layers differ in length" if not vision.layered else ""
    if pool == POOLED:
        top_alone = f"pool={POOLED} is of the top layer"
    if top_alone and layers != (named.card.top,):
        raise SourceError(
            f"{label}: this model has no layers to choose from, for {top_alone}",
            got=f"layer={options.layer}",
            allowed="layer=-1, the top",
        )
    return VisionSource(named, layers, pool)
