"""Models that see: of images alone, and of texts and images in one space."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from eatlas.encoders.images import (
    AT_ONCE,
    Picture,
    Pixels,
    ahead,
    image_encoding,
    open_pictures,
    read_settings,
    remarks_of,
    require_shape,
)
from eatlas.encoders.loading import Head, Loaded, in_halves
from eatlas.encoders.models import PADDED, PROCESSOR, NamedModel, logits_of
from eatlas.encoders.options import POOLED, Numbers, layer_name
from eatlas.encoders.transformer import (
    Array,
    Batch,
    ModelSource,
    batches,
    pooled,
    read_items,
    states_of,
    tensors,
    text_inputs,
)
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Found, Item, Kind, Read

Seen = list[tuple[Picture, Pixels]]


class SeeingSource(ModelSource):
    """What models share that take images."""

    beside = PROCESSOR

    def __init__(self, named: NamedModel, layers: Numbers = (), method: str = "") -> None:
        super().__init__(named, layers, method)
        self._settings = read_settings(named.path)

    def seen(self, items: Collection[Item], compute: Any) -> Iterator[list[Answers]]:
        """Decode images, those of the same bytes once, and have their vectors computed."""
        loaded, several = self.loaded, open_pictures(items)
        pictures = [picture for picture, _ in several.values()]
        for picture in pictures:
            require_shape(picture, self._settings)
        about = {
            item: Found(None, remarks=remarks_of(picture, self._settings))
            for picture, same in several.values()
            for item in same
        }
        for batch in ahead(pictures, AT_ONCE[loaded.device.type], loaded):
            for part, arrays in in_halves(batch, partial(compute, loaded), self.named):
                same = [several[picture.content][1] for picture, _ in part]
                yield [self.checked(rows, same, about) for rows in arrays]


def _together(seen: Seen) -> dict[str, Any]:
    """Inputs of several images as those of one batch."""
    return {name: np.concatenate([pixels[name] for _, pixels in seen]) for name in seen[0][1]}


class VisionSource(SeeingSource):
    """Vectors of images, computed by a transformer or another model of images."""

    kinds: frozenset[Kind] = frozenset(("image",))

    @property
    def head(self) -> Head:  # type: ignore[override]
        """Whether the model itself pools."""
        return "pooled" if self.method == POOLED else "vision"

    @cached_property
    def encoding(self) -> Encoding:
        """How an image becomes a vector, with every default spelled out."""
        layered = self.named.card.vision.layered
        return self.encoding_with(
            level="image",
            layer=layer_name(self.layers) if layered else "",
            layers=self.named.card.top if layered else None,
            pool=self.method,
            images=image_encoding(self._settings),
        )

    def in_batches(self, items: set[Item], order: list[Numbers]) -> Iterator[list[Answers]]:
        """Compute batch by batch; answers by layer, in order."""
        return self.seen(items, partial(self._computed, order))

    def _computed(self, order: list[Numbers], loaded: Loaded, seen: Seen) -> list[Array]:
        """Vectors of some images, one array for each choice of layers."""
        import torch  # noqa: PLC0415

        inputs = _together(seen)
        if self.method == POOLED:
            with torch.inference_mode():
                out = loaded.module(**tensors(loaded, inputs))
                return [out.pooler_output.flatten(1).float().cpu().numpy()]
        top, pool = self.named.card.top, self.method
        states = states_of(loaded, inputs, order, top)
        width = next(iter(states.values())).shape[1]
        first = 0 if pool in {"cls", "mean-all"} else self.named.card.vision.before
        patches = range(first, 1 if pool == "cls" else width)
        return pooled(states, order, pool, [[patches]] * len(seen))


class TowersSource(SeeingSource):
    """Vectors of texts and of images in the space that a two-tower model shares between them.

    They are those of ``get_text_features`` and ``get_image_features`` of transformers, not scaled
    to length 1.
    """

    head: Head = "towers"
    shares = True
    kinds: frozenset[Kind] = frozenset(("text", "image"))

    @cached_property
    def encoding(self) -> Encoding:
        """How texts and images become vectors, with every default spelled out."""
        card = self.named.card
        scale, bias = logits_of(self.named.path, card, self.options.random_seed)
        return self.encoding_with(
            level="sentence",
            pool="projected",
            projection=card.dim,
            logit_scale=scale,
            logit_bias=bias,
            images=image_encoding(self._settings),
        )

    @property
    def by_place(self) -> bool:
        """Where long texts are cut, so that some lose their stimulus alone."""
        return self.options.truncate

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens behind the vector of each text: texts of the same share it."""
        texts = [item for item in items if item.kind == "text"]
        return read_items(self.loaded, texts, self.name, self.options)[1] if texts else {}

    def in_batches(self, items: set[Item], order: list[Numbers]) -> Iterator[list[Answers]]:  # noqa: ARG002
        """Compute batch by batch: texts first."""
        images = {item for item in items if item.kind == "image"}
        if texts := items - images:
            wanted, _, about = read_items(self.loaded, texts, self.name, self.options)
            if lost := {item: answer for item, answer in about.items() if answer.reason}:
                yield [lost]
            loaded, width = self.loaded, PADDED.get(self.named.card.config.model_type)

            def of_texts(batch: Batch) -> Array:
                inputs = text_inputs(loaded, [ids for ids, _ in batch], width)
                return _features(loaded, "text", inputs)

            for batch in batches(wanted, loaded, width):
                for part, rows in in_halves(batch, of_texts, self.named):
                    several = [list(chain.from_iterable(needed.values())) for _, needed in part]
                    yield [self.checked(rows, several, about)]
        if images:
            yield from self.seen(
                images, lambda loaded, seen: [_features(loaded, "image", _together(seen))]
            )


def _features(loaded: Loaded, tower: str, inputs: Mapping[str, Any]) -> Array:
    """Vectors of one tower in the shared space."""
    import torch  # noqa: PLC0415

    features = getattr(loaded.module, f"get_{tower}_features", lambda **_: torch.empty(0))
    with torch.inference_mode():
        out = features(**tensors(loaded, inputs))
        vectors = getattr(out, "pooler_output", out)
    if vectors.ndim != 2:
        raise SourceError(
            f"{type(loaded.module).__name__}: this model has no space that texts and images share",
            got=f"{tower} features of shape {tuple(vectors.shape)}",
            allowed="two-tower models such as CLIP, SigLIP, ALIGN and AltCLIP",
        )
    array: Array = vectors.float().cpu().numpy()
    return array
