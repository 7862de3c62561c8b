"""Models that see: of images alone (``hf:``), and of texts and images in one space (``clip:``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import SharedLayers, require_finite
from eatlas.encoders.images import (
    AT_ONCE,
    ImageBatches,
    Pixels,
    image_encoding,
    preparing,
    read_settings,
)
from eatlas.encoders.loading import Array, Head, Loaded, ModelSource, in_halves, load
from eatlas.encoders.models import (
    CLIP,
    PADDED,
    PROCESSOR,
    Card,
    NamedModel,
    find_model,
    logits_of,
)
from eatlas.encoders.options import (
    OPTIONS,
    POOLED,
    POOLS_OF_IMAGES,
    Layers,
    Options,
    parse_layers,
)
from eatlas.encoders.tokens import BUDGET, TextReader, batches, tensors, text_inputs
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Kind, Read

OF_TEXTS = ("level", "subword", "truncate")
"""Options that a model of images has no use for."""
OF_TOWERS = (
    "weights", "seed", "precision", "device", "truncate", "trust_remote_code", "revision",
)  # fmt: skip


class SeeingSource(ModelSource):
    """What models share that take images."""

    beside = PROCESSOR

    def __init__(self, named: NamedModel) -> None:
        super().__init__(named)
        self._settings = read_settings(self.path)
        self._images = ImageBatches(self.name, self._settings)

    def recall(self, answers: Answers) -> None:
        """Take note of what there was to say of images in an earlier run."""
        self._images.note(answers)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the vectors, so far."""
        return (*self.options.notes, *self._images.notes)

    def _seen(
        self, loaded: Loaded, items: Collection[Item]
    ) -> Iterator[tuple[list[tuple[Item, ...]], list[tuple[str, ...]], Pixels]]:
        prepare = preparing(loaded.processor, loaded.takes)
        return self._images.batches(items, AT_ONCE[loaded.device.type], prepare)

    def _checked_images(
        self,
        vectors: Array,
        items: Sequence[tuple[Item, ...]],
        remarks: Sequence[tuple[str, ...]],
    ) -> dict[Item, Found]:
        """For each image a vector, once all are finite."""
        require_finite(vectors, items, self.name, self.options.precision)
        return {
            item: Found(vector, remarks=words)
            for vector, several, words in zip(vectors, items, remarks, strict=True)
            for item in several
        }

    def _rows(self, loaded: Loaded, inputs: Pixels, *how: Any) -> list[Array]:
        """Compute a batch; where memory does not suffice, its halves."""
        count = len(next(iter(inputs.values())))

        def compute(rows: range) -> list[Array]:
            part = {name: array[rows.start : rows.stop] for name, array in inputs.items()}
            return self._computed(loaded, tensors(loaded, part), *how)

        parts = [arrays for _, arrays in in_halves(loaded, range(count), compute, self.path)]
        return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]

    def _computed(self, loaded: Loaded, inputs: Mapping[str, Any], *how: Any) -> list[Array]:
        raise NotImplementedError


class VisionSource(SeeingSource):
    """Vectors of images, computed by a transformer or another model of images."""

    def __init__(
        self, named: NamedModel, layers: Layers, pool: str, shared: SharedLayers | None = None
    ) -> None:
        super().__init__(named)
        self.layers, self.pool = layers, pool
        self.shared = shared or SharedLayers((layers,))
        self.head: Head = "pooled" if pool == POOLED else "vision"

    @property
    def kinds(self) -> frozenset[Kind]:
        """Images alone."""
        return frozenset(("image",))

    @property
    def decides(self) -> str:
        """All options that decide numbers."""
        return (
            f"images 1;layer={self.layers};pool={self.pool}"
            f";seed={self.options.seed};precision={self.options.precision}"
        )

    @cached_property
    def encoding(self) -> Encoding:
        """How an image becomes a vector, with every default spelled out."""
        layered = self.card.vision.layers
        return self.encoding_with(
            level="image",
            layer=str(self.layers) if layered else "",
            layers=self.card.top if layered else None,
            pool=self.pool,
            images=image_encoding(self._settings),
        )

    @property
    def alike(self) -> tuple[object, ...]:
        """What sources that can be computed in one pass have in common."""
        return str(self.path), replace(self.options, layer=""), self.pool

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,)."""
        for answers in self.shared.answers(self.layers, items, self._in_batches):
            self._images.note(answers)
            yield answers

    def _in_batches(self, items: set[Item], order: list[Layers]) -> Iterator[list[Answers]]:
        loaded = load(self._model)
        for batch, remarks, inputs in self._seen(loaded, items):
            yield [
                self._checked_images(vectors, batch, remarks)
                for vectors in self._rows(loaded, inputs, order)
            ]

    def _computed(self, loaded: Loaded, inputs: Mapping[str, Any], *how: Any) -> list[Array]:
        """Vectors of the layers, in the order of `how`."""
        import torch  # noqa: PLC0415

        order: list[Layers] = how[0]
        top, before = self.card.top, self.card.vision.before
        needed = {number for layers in order for number in layers.numbers}
        with torch.inference_mode():
            out = loaded.module(**inputs, output_hidden_states=needed != {top})
            if self.pool == POOLED:
                return [out.pooler_output.flatten(1).float().cpu().numpy()]
            states = {
                # the top as the model gives it, whatever it lists as its last hidden state
                n: (out.last_hidden_state if n == top else out.hidden_states[n]).float()
                for n in needed
            }
            rows = []
            for layers in order:
                stacked = torch.stack([_tokens(states[number]) for number in layers.numbers])
                combined = stacked.sum(0) if layers.combine == "sum" else stacked.mean(0)
                rows.append(_pooled(combined, self.pool, before).cpu().numpy())
        return rows


def _tokens(state: Any) -> Any:
    """A hidden state as (images, tokens, dim); a convolution has (images, dim, height, width)."""
    return state.flatten(2).transpose(1, 2) if state.ndim == 4 else state


def _pooled(states: Any, how: str, before: int) -> Any:
    """Make one vector of the tokens of each image."""
    if how == "cls":
        return states[:, 0]
    patches = states if how == "mean-all" else states[:, before:]
    return patches.amax(1) if how == "max" else patches.mean(1)


def open_vision(named: NamedModel) -> tuple[VisionSource, ...]:
    """Open a model of images: one source, or one for each layer with ``layer=all``."""
    for option in OF_TEXTS:
        if option in named.spec.options:
            raise SourceError(
                f"{named.label}: the option {option} is for models of texts, and this one takes "
                "images",
                got=f"{option}={named.spec.options[option]}",
                remedy=f"leave out {option}",
            )
    vision = named.card.vision
    pool = named.options.pool or vision.pool
    if pool not in vision.pools:
        raise SourceError(
            f"{named.label}: images cannot be pooled so by this model",
            got=f"pool={pool}",
            allowed=", ".join(f"{how} ({POOLS_OF_IMAGES[how]})" for how in vision.pools),
        )
    choices = layers_of(named.options, named.card, pool, named.label)
    shared = SharedLayers(choices)
    return tuple(
        VisionSource(alone, layers, pool, shared) for layers, alone in named.by_layer(choices)
    )


def layers_of(options: Options, card: Card, pool: str, label: str) -> tuple[Layers, ...]:
    """Read the options of layers for a model of images."""
    top = (Layers((card.top,)),)
    if card.vision.layers:
        choices = parse_layers(options.layer, options.layers, card.top, label)
    elif options.layer == "-1" and options.layers is None:
        choices = top
    else:
        raise SourceError(
            f"{label}: this model has no layers to choose from, for they differ in length",
            got=f"layer={options.layer}",
            allowed="layer=-1, the top",
        )
    if pool == POOLED and choices != top:
        raise SourceError(
            f"{label}: the model pools its top layer alone",
            got=f"layer={options.layer}&pool={POOLED}",
            remedy=f"pool={' or pool='.join(how for how in card.vision.pools if how != POOLED)}",
        )
    return choices


# --- texts and images in one space ----------------------------------------------------------------


class TowersSource(TextReader, SeeingSource):
    """Vectors of texts and of images in the space that a two-tower model shares between them.

    They are those of ``get_text_features`` and ``get_image_features`` of transformers, not scaled
    to length 1.
    """

    head: Head = "towers"

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts and images."""
        return frozenset(("text", "image"))

    @property
    def decides(self) -> str:
        """All options that decide numbers."""
        return (
            f"towers 1;seed={self.options.seed}"
            f";precision={self.options.precision};truncate={self.options.truncate}"
        )

    @cached_property
    def encoding(self) -> Encoding:
        """How texts and images become vectors, with every default spelled out."""
        logits = logits_of(self.path, self.card, self.options.seed)
        return self.encoding_with(
            level="sentence",
            pool="projected",
            projection=self.dim,
            logit_scale=logits.scale,
            logit_bias=logits.bias,
            images=image_encoding(self._settings),
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the vectors, so far."""
        return (*super().notes, *self.notes_on_cuts())

    @property
    def by_place(self) -> bool:
        """Where long texts are cut, so that some lose their stimulus alone."""
        return self.options.truncate

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,): of texts first."""
        if texts := _of_kind(items, "text"):
            yield from self._of_texts(texts)
        if images := _of_kind(items, "image"):
            yield from self._of_images(images)

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens behind the vector of each text: texts of the same share it."""
        texts = _of_kind(items, "text")
        return super().same(texts) if texts else {}

    def recall(self, answers: Answers) -> None:
        """Take note of what there was to say of texts and images in an earlier run."""
        TextReader.recall(self, answers)
        self._images.note(answers)

    def _of_texts(self, items: Collection[Item]) -> Iterator[Answers]:
        loaded = load(self._model)
        texts, reads, lost = self.read(loaded, items)
        if lost:
            yield lost
        width = PADDED.get(self.card.model_type)
        lengths = [width or len(text.tokens.ids) for text in texts]
        for rows in batches(lengths, BUDGET[loaded.device.type]):
            batch = [texts[row] for row in rows]
            inputs = text_inputs(loaded, [text.tokens for text in batch], width)
            (vectors,) = self._rows(loaded, inputs, "get_text_features")
            needed = [list(chain.from_iterable(text.needed.values())) for text in batch]
            yield self.checked_texts(vectors, needed, reads)

    def _of_images(self, items: Collection[Item]) -> Iterator[Answers]:
        loaded = load(self._model)
        for batch, remarks, inputs in self._seen(loaded, items):
            (rows,) = self._rows(loaded, inputs, "get_image_features")
            answers = self._checked_images(rows, batch, remarks)
            self._images.note(answers)
            yield answers

    def _computed(self, loaded: Loaded, inputs: Mapping[str, Any], *how: Any) -> list[Array]:
        import torch  # noqa: PLC0415

        (tower,) = how
        with torch.inference_mode():
            out = getattr(loaded.module, tower)(**inputs)
            vectors = out if torch.is_tensor(out) else out.pooler_output
        if vectors.ndim != 2:
            raise SourceError(
                f"{type(loaded.module).__name__}: {tower} does not give one vector for each",
                got=f"an array of shape {tuple(vectors.shape)}",
                allowed="models such as CLIP, SigLIP, ALIGN and AltCLIP",
            )
        return [vectors.float().cpu().numpy()]


def _of_kind(items: Collection[Item], kind: Kind) -> set[Item]:
    return {item for item in items if item.kind == kind}


@keeping
def open_clip(text: str) -> tuple[TowersSource, ...]:
    """Open a two-tower model."""
    allowed = {name: OPTIONS[name] for name in OF_TOWERS}
    return (TowersSource(find_model(text, CLIP, allowed, takes=("both",))),)
