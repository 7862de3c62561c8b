"""``hf:`` with a model of images, such as ViT, DINOv2 or BEiT: its patches become one vector."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.encoders.encoder import Encoder, roundoff_of
from eatlas.encoders.images.batches import AT_ONCE, Images, answers_of
from eatlas.encoders.images.kinds import POOLS, Vision, vision_card
from eatlas.encoders.images.settings import (
    Pixels,
    image_encoding,
    preparing,
    read_settings,
    tensors,
)
from eatlas.encoders.loading import Array, Loaded, Model, in_halves, load, ran_out
from eatlas.encoders.model_config import ModelConfig
from eatlas.encoders.model_files import PROCESSOR, content_of, too_little
from eatlas.encoders.model_paths import NamedModel
from eatlas.encoders.options import POOLED, Layers, Options, parse_layers
from eatlas.encoders.shared_layers import SharedLayers
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Item, Kind

ALGORITHM = "images 1"
"""Part of every fingerprint; another number where the same options give other vectors."""
OF_TEXTS = ("level", "subword", "truncate")
"""Options that a model of images has no use for."""


class VisionSource(Encoder):
    """Vectors of images, computed by a transformer or another model when they are needed.

    Nothing heavy is imported and no weights are read before that.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        card: ModelConfig,
        vision: Vision,
        options: Options,
        layers: Layers,
        pool: str,
        shared: SharedLayers | None = None,
    ) -> None:
        super().__init__(name)
        self.path, self.card, self.vision = path, card, vision
        self.options, self.layers, self.pool = options, layers, pool
        self._shared = shared or SharedLayers((layers,))
        self._settings = read_settings(path)
        self._images = Images(name, self._settings)

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.card.dim

    @property
    def kinds(self) -> frozenset[Kind]:
        """Images alone."""
        return frozenset(("image",))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files, and all options that decide numbers."""
        said = (
            f"{self._content};{ALGORITHM};layer={self.layers};pool={self.pool}"
            f";seed={self.options.seed};precision={self.options.precision}"
        )
        return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"

    @cached_property
    def encoding(self) -> Encoding:
        """How an image becomes a vector, with every default spelled out."""
        return Encoding(
            model=self.name.removeprefix("hf:").partition("?")[0],
            architecture=self.card.architecture,
            level="image",
            layer=str(self.layers) if self.vision.layers else "",
            layers=self.card.top if self.vision.layers else None,
            pool=self.pool,
            weights=self.options.weights,
            weights_seed=self.options.seed,
            precision=self.options.precision,
            roundoff=roundoff_of(self.options.precision),
            images=image_encoding(self._settings),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the vectors, so far."""
        return (*self.options.notes, *self._images.notes)

    @property
    def alike(self) -> tuple[object, ...]:
        """What sources that can be computed in one pass have in common."""
        return str(self.path), replace(self.options, layer=""), self.pool

    def share(self, shared: SharedLayers) -> None:
        """Be computed in the same pass as others."""
        self._shared = shared

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,)."""
        left = set(items)
        if kept := self._shared.take(self.layers, left):
            self._images.note(kept)
            yield kept
        left -= kept.keys()
        if not left:
            return
        loaded = load(self._model)
        order = [self.layers, *(each for each in self._shared.layers if each != self.layers)]
        prepare = preparing(loaded.processor, loaded.takes)
        for several, remarks, inputs in self._images.batches(
            left, AT_ONCE[loaded.device.type], prepare
        ):
            rows = self._rows(loaded, inputs, order)
            answers = [
                answers_of(each, several, remarks, self.name, self.options.precision)
                for each in rows
            ]
            for layers, others in zip(order[1:], answers[1:], strict=True):
                self._shared.keep(layers, others)
            self._images.note(answers[0])
            yield answers[0]

    def recall(self, answers: Answers) -> None:
        """Take note of what there was to say of images in an earlier run."""
        self._images.note(answers)

    def _rows(self, loaded: Loaded, inputs: Pixels, order: list[Layers]) -> list[Array]:
        """Compute a batch, for each choice of layers."""
        count = len(next(iter(inputs.values())))

        def compute(rows: range) -> list[Array]:
            part = {name: array[rows.start : rows.stop] for name, array in inputs.items()}
            return pooled(loaded, part, order, self.card.top, self.pool, self.vision.before)

        try:
            parts = [computed for _, computed in in_halves(loaded, range(count), compute)]
        except (RuntimeError, MemoryError) as error:
            if isinstance(error, MemoryError) or ran_out(error):
                raise too_little(self.path, "more for one image") from error
            raise
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    @cached_property
    def _content(self) -> str:
        """Hash of all that decides the weights and how images are prepared."""
        return content_of(self.path, weights=self.options.weights, beside=PROCESSOR)

    @property
    def _model(self) -> Model:
        head: Any = "pooled" if self.pool == POOLED else "vision"
        return Model.of(self.path, self._content, self.options, self.card, head)


def pooled(
    loaded: Loaded, inputs: Pixels, order: list[Layers], top: int, how: str, before: int
) -> list[Array]:
    """Compute a batch of images."""
    import torch  # noqa: PLC0415

    needed = {number for each in order for number in each.numbers}
    with torch.inference_mode():
        below = needed != {top}
        out = loaded.module(**tensors(loaded, inputs), output_hidden_states=below)
        if how == POOLED:
            return [out.pooler_output.flatten(1).float().cpu().numpy()]
        states = {
            # the top as the model itself gives it, whatever it lists as its last hidden state
            number: (out.last_hidden_state if number == top else out.hidden_states[number]).float()
            for number in needed
        }
        found = []
        for each in order:
            several = torch.stack([_tokens(states[number]) for number in each.numbers])
            combined = several.sum(0) if each.combine == "sum" else several.mean(0)
            found.append(_pool(combined, how, before).cpu().numpy())
    return found


def _tokens(state: Any) -> Any:
    """A hidden state as (images, tokens, dim); a convolution has (images, dim, height, width)."""
    return state.flatten(2).transpose(1, 2) if state.ndim == 4 else state


def _pool(states: Any, how: str, before: int) -> Any:
    """Make one vector of the tokens of each image."""
    if how == "cls":
        return states[:, 0]
    patches = states if how == "mean-all" else states[:, before:]
    return patches.amax(1) if how == "max" else patches.mean(1)


def open_backbone(found: NamedModel) -> tuple[VisionSource, ...]:
    """Open a model of images: one source, or one for each layer with ``layer=all``."""
    card, vision = vision_card(found.path)
    for option in OF_TEXTS:
        if option in found.spec.options:
            raise SourceError(
                f"{found.where}: the option {option} is for models of texts, and this one takes "
                "images",
                got=f"{option}={found.spec.options[option]}",
                remedy=f"leave out {option}",
            )
    pool = pool_of(found.options, vision, found.where)
    several = layers_of(found.options, card, vision, pool, found.where)
    shared = SharedLayers(several)
    return tuple(
        VisionSource(one.text, found.path, card, vision, one.options, layers, pool, shared)
        for layers, one in found.by_layer(several)
    )


def layers_of(
    options: Options, card: ModelConfig, vision: Vision, pool: str, where: str
) -> tuple[Layers, ...]:
    """Read the options of layers for a model of images."""
    top = (Layers((card.top,)),)
    if vision.layers:
        several = parse_layers(options.layer, options.layers, card.top, where)
    elif options.layer == "-1" and options.layers is None:
        several = top
    else:
        raise SourceError(
            f"{where}: this model has no layers to choose from, for they differ in length",
            got=f"layer={options.layer}",
            allowed="layer=-1, the top",
        )
    if pool == POOLED and several != top:
        raise SourceError(
            f"{where}: the model pools its top layer alone",
            got=f"layer={options.layer}&pool={POOLED}",
            remedy=f"pool={' or pool='.join(one for one in vision.pools if one != POOLED)}",
        )
    return several


def pool_of(options: Options, vision: Vision, where: str) -> str:
    """How patches become one vector, by the options or the kind of model."""
    chosen = options.pool or vision.pool
    if chosen not in vision.pools:
        raise SourceError(
            f"{where}: images cannot be pooled so by this model",
            got=f"pool={chosen}",
            allowed=", ".join(f"{one} ({POOLS[one]})" for one in vision.pools),
        )
    return chosen
