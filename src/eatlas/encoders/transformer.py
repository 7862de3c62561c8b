"""``hf:``: from a source string to a transformer, and vectors of texts from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property, partial

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import SharedLayers
from eatlas.encoders.loading import in_halves, load
from eatlas.encoders.models import Card, NamedModel, find_model
from eatlas.encoders.options import POOLED, POOLS, Layers, not_allowed, parse_layers
from eatlas.encoders.sentence_model import ModelConventions, declared, prompt_note
from eatlas.encoders.tokens import (
    BUDGET,
    TextReader,
    batches,
    pooled_vectors,
)
from eatlas.encoders.vision import VisionSource, open_vision
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Item


class TransformerSource(TextReader):
    """Vectors of texts, or of stimuli in texts, computed by a transformer."""

    def __init__(
        self,
        named: NamedModel,
        layers: Layers,
        method: str,
        conventions: ModelConventions,
        shared: SharedLayers | None = None,
    ) -> None:
        super().__init__(named)
        self.layers, self.method, self.conventions = layers, method, conventions
        self.shared = shared or SharedLayers((layers,))
        self.whole = self.options.level == "sentence"

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.card.dim_of(self.layers.numbers[-1])

    @property
    def decides(self) -> str:
        """All options that decide numbers."""
        return (
            f"1;level={self.options.level};layer={self.layers}"
            f";method={self.method};seed={self.options.seed}"
            f";precision={self.options.precision};truncate={self.options.truncate}"
        )

    @cached_property
    def encoding(self) -> Encoding:
        """How a passage becomes a vector, with every default spelled out."""
        return self.encoding_with(
            level=self.options.level,
            layer=str(self.layers),
            layers=self.card.top,
            pool=self.method if self.whole else "",
            subword="" if self.whole else self.method,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the vectors, so far."""
        return (*self.options.notes, *self._notes_on_options(), *self.notes_on_cuts())

    def _notes_on_options(self) -> Iterator[Note]:
        """What the model says of pooling and prompts, and options that change nothing."""
        pool, subword, theirs = self.options.pool, self.options.subword, self.conventions
        if not self.whole:
            if pool is not None:
                yield Note("source.idle-pool", values={"pool": pool, "subword": self.method})
            return
        if subword is not None:
            yield Note("source.idle-subword", values={"subword": subword, "pool": self.method})
        if pool is None and theirs.pool is not None:
            values = {"by": theirs.by, "how": POOLS[theirs.pool], "pool": theirs.pool}
            yield Note("source.pooling", values=values)
        yield from prompt_note(theirs, hint=f"st:{self.named.name}")

    @property
    def by_place(self) -> bool:
        """At level ``word``; where long texts are cut, so that some lose one stimulus alone."""
        return super().by_place or self.options.truncate

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,).

        Where texts that are too long are cut, those that lose their stimulus have none.
        """
        return self.shared.answers(self.layers, items, self._in_batches)

    @property
    def alike(self) -> tuple[object, ...]:
        """What sources that can be computed in one pass have in common."""
        return str(self.path), replace(self.options, layer=""), self.method

    def _in_batches(self, items: set[Item], order: list[Layers]) -> Iterator[list[Answers]]:
        """Compute batch by batch; answers by layer, in order."""
        loaded = load(self._model)
        texts, reads, lost = self.read(loaded, items)
        if lost:
            yield [lost] * len(order)
        top, lengths = self.card.top, [len(text.tokens.ids) for text in texts]
        for numbers in batches(lengths, BUDGET[loaded.device.type]):
            batch = [texts[number] for number in numbers]
            compute = partial(pooled_vectors, loaded, batch, order, top, self.method)
            for rows, vectors in in_halves(loaded, range(len(batch)), compute, self.path):
                needed = [n for row in rows for n in batch[row].needed.values()]
                yield [self.checked_texts(layer, needed, reads) for layer in vectors]

    @property
    def cut(self) -> set[str]:
        """Texts that were cut, whichever layer was read."""
        return self.shared.cut


@keeping
def open_hf(text: str) -> tuple[TransformerSource | VisionSource, ...]:
    """Open a transformer of texts or of images."""
    named = find_model(text, takes=("texts", "images"))
    if named.card.takes == "images":
        return open_vision(named)
    conventions = declared(named.path, named.name)
    method = _method(named, conventions)
    options, card = named.options, named.card
    choices = parse_layers(options.layer, options.layers, card.top, named.label)
    for layers in choices:
        _require_one_dim(layers, card, named.label)
    shared = SharedLayers(choices)
    return tuple(
        TransformerSource(alone, layers, method, conventions, shared)
        for layers, alone in named.by_layer(choices)
    )


def _method(named: NamedModel, conventions: ModelConventions) -> str:
    """How tokens become one vector, by the options, the model's own files or its family."""
    options, family, label = named.options, named.card.family, named.label
    sentence = options.level == "sentence"
    chosen = options.pool if sentence else options.subword
    if chosen == POOLED:
        raise not_allowed(label, "pool", chosen, ", ".join(POOLS))
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
    if family is None:
        key = "pool" if sentence else "subword"
        raise SourceError(
            f"{label}: the kind of this model is not known, and so no default for {key}",
            got=f"model type {named.card.model_type!r}",
            remedy=f"say it: {key}=mean, for example",
        )
    return family.pool if sentence else family.subword


def _require_one_dim(layers: Layers, card: Card, label: str) -> None:
    dims = {card.dim_of(number) for number in layers.numbers}
    if len(dims) > 1:
        raise SourceError(
            f"{label}: these layers cannot be combined, for their vectors differ in length",
            got=f"layers {layers}: {' and '.join(map(str, sorted(dims)))} components",
            remedy="leave out the top layer",
        )
