"""``hf:``: from a source string to a transformer, and vectors of texts from it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, roundoff_of
from eatlas.encoders.images.backbone import VisionSource, open_backbone
from eatlas.encoders.loading import Loaded, Model, load, ran_out
from eatlas.encoders.model_config import ModelConfig
from eatlas.encoders.model_conventions import ModelConventions, declared, prompt_note
from eatlas.encoders.model_files import content_of, too_little
from eatlas.encoders.model_paths import SCHEME, find_model
from eatlas.encoders.options import (
    POOLS,
    Layers,
    Options,
    parse_layers,
    require_pool_of_texts,
)
from eatlas.encoders.pooling import halved_where_memory_ends, pool
from eatlas.encoders.shared_layers import SharedLayers
from eatlas.encoders.tokens import (
    Text,
    answers_of_texts,
    batches,
    of_different_tokens,
    prepare,
    shown,
)
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Read

BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens of a batch."""
CUT_OFF = "the text is longer than the model takes, and was cut before the end of the stimulus"
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other vectors."""


class TransformerSource(Encoder):
    """Vectors of texts, or of stimuli in texts, computed by a transformer when they are needed.

    Nothing heavy is imported and no weights are read before that.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        card: ModelConfig,
        options: Options,
        layers: Layers,
        method: str,
        said: ModelConventions,
        shared: SharedLayers | None = None,
    ) -> None:
        super().__init__(name)
        self.path, self.card, self.said = path, card, said
        self.options, self.layers, self.method = options, layers, method
        self._shared = shared or SharedLayers((layers,))

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.card.dim_of(self.layers.numbers[-1])

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files, and all options that decide numbers."""
        said = (
            f"{self._content};{ALGORITHM};level={self.options.level};layer={self.layers}"
            f";method={self.method};seed={self.options.seed}"
            f";precision={self.options.precision};truncate={self.options.truncate}"
        )
        return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"

    @cached_property
    def encoding(self) -> Encoding:
        """How a passage becomes a vector, with every default spelled out."""
        sentence = self.options.level == "sentence"
        return Encoding(
            model=self.name.removeprefix("hf:").partition("?")[0],
            architecture=self.card.architecture,
            level=self.options.level,
            layer=str(self.layers),
            layers=self.card.top,
            pool=self.method if sentence else "",
            subword="" if sentence else self.method,
            weights=self.options.weights,
            weights_seed=self.options.seed,
            precision=self.options.precision,
            roundoff=roundoff_of(self.options.precision),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the vectors, so far."""
        notes = [*self.options.notes]
        notes += self._without_effect()
        notes += self._own_ways()
        if cut := self._shared.cut:
            notes.append(
                f"{len(cut):,} texts were too long for the model and were cut, such as "
                f"{shown(min(cut))}."
            )
        return tuple(notes)

    def _own_ways(self) -> Iterator[str]:
        """What the model says of pooling and prompts, where the user did not choose."""
        said, folder = self.said, self.name.removeprefix("hf:").partition("?")[0]
        if self.options.level != "sentence":
            return
        if self.options.pool is None and said.pool is not None:
            yield (
                f"Pooling follows the model's files ({said.by}): {POOLS[said.pool]} "
                f"(pool={said.pool})."
            )
        yield from prompt_note(
            said,
            put="",
            how=f"st:{folder}?prefix=... puts one there; in tests of words, so does --prompt.",
        )

    def _without_effect(self) -> Iterator[str]:
        """Options that change nothing at this level."""
        pool, subword = self.options.pool, self.options.subword
        if self.options.level == "word" and pool is not None:
            yield (
                f"pool={pool} has no effect at level word, where subword, here {self.method}, "
                "combines the pieces of a stimulus; pool is for level=sentence."
            )
        if self.options.level == "sentence" and subword is not None:
            yield (
                f"subword={subword} has no effect at level sentence, where pool, here "
                f"{self.method}, combines the tokens of a text; subword is for level=word."
            )

    shares = True

    @property
    def by_place(self) -> bool:
        """At level ``word``; where long texts are cut, so that some lose one stimulus alone."""
        return super().by_place or self.options.truncate

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,).

        Where texts that are too long are cut, those that lose their stimulus have none.
        """
        left = set(items)
        kept = self._shared.take(self.layers, left)
        if kept:
            yield kept
        left -= kept.keys()
        if not left:
            return
        loaded = load(self._model)
        texts = self._prepared(loaded, left)
        if lost := {one: Found(None, CUT_OFF) for each in texts for one in each.lost}:
            yield lost
        reads = self._reads(loaded, texts)
        texts = of_different_tokens(each for each in texts if each.needed)
        for rows in batches([len(each.tokens.ids) for each in texts], BUDGET[loaded.device.type]):
            yield from self._batch(loaded, [texts[row] for row in rows], reads)

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens behind the vector of each item: items of the same share it."""
        loaded = load(self._model)
        return self._reads(loaded, self._prepared(loaded, items))

    def recall(self, answers: Answers) -> None:
        """Take note of texts that were cut in an earlier run."""
        self._shared.cut |= {one.content for one, found in answers.items() if found.cut}

    @property
    def alike(self) -> tuple[object, ...]:
        """What sources that can be computed in one pass have in common."""
        return str(self.path), replace(self.options, layer=""), self.method

    def share(self, shared: SharedLayers) -> None:
        """Be computed in the same pass as others."""
        self._shared = shared

    def _prepared(self, loaded: Loaded, items: Collection[Item]) -> list[Text]:
        """Texts as tokens; those that are cut and needed all the same are noted."""
        texts = prepare(loaded, items, self.options, self.method, self.name)
        self._shared.cut |= {each.text for each in texts if each.needed and each.tokens.cut}
        return texts

    def _reads(self, loaded: Loaded, texts: list[Text]) -> dict[Item, Read]:
        whole = self.options.level == "sentence"
        return {
            one: read
            for each in texts
            for one, read in each.reads(loaded.tokenizer, whole=whole).items()
        }

    def _batch(
        self, loaded: Loaded, texts: list[Text], reads: Mapping[Item, Read]
    ) -> Iterator[Answers]:
        """Compute one batch for this layer, and keep what comes with it for the others."""
        order = [self.layers, *(each for each in self._shared.layers if each != self.layers)]
        tokens = [each.tokens for each in texts]
        places = [(row, several) for row, each in enumerate(texts) for several in each.needed]
        try:
            for part, arrays in halved_where_memory_ends(
                loaded, tokens, places, order, self.card.top
            ):
                items = [texts[row].needed[tuple(several)] for row, several in part]
                sizes = [len(several) for _, several in part]
                answers = [
                    answers_of_texts(
                        pool(rows, sizes, self.method),
                        items,
                        reads,
                        self.name,
                        self.options.precision,
                    )
                    for rows in arrays
                ]
                for layers, others in zip(order[1:], answers[1:], strict=True):
                    self._shared.keep(layers, others)
                yield answers[0]
        except (RuntimeError, MemoryError) as error:
            if isinstance(error, MemoryError) or ran_out(error):
                longest = max(len(text.ids) for text in tokens)
                raise too_little(self.path, f"more for a text of {longest} tokens") from error
            raise

    @cached_property
    def _content(self) -> str:
        """Hash of all that decides the weights and how texts are cut."""
        return content_of(self.path, weights=self.options.weights)

    @property
    def _model(self) -> Model:
        return Model.of(self.path, self._content, self.options, self.card)


@keeping
def open_hf(text: str) -> tuple[TransformerSource | VisionSource, ...]:
    """Open a transformer of texts or of images."""
    found = find_model(text, takes=("texts", "images"))
    if found.takes == "images":
        return open_backbone(found)
    options, path, card = found.options, found.path, found.card
    said = declared(path, str(found.spec.path))
    method = _method(options, card, said, found.where)
    several = parse_layers(options.layer, options.layers, card.top, found.where)
    for layers in several:
        _require_one_dim(layers, card, found.where)
    shared = SharedLayers(several)
    return tuple(
        TransformerSource(one.text, path, card, one.options, layers, method, said, shared)
        for layers, one in found.by_layer(several)
    )


def _method(options: Options, card: ModelConfig, said: ModelConventions, where: str) -> str:
    """How tokens become one vector, by the options, the model's own files or its family."""
    sentence = options.level == "sentence"
    chosen = options.pool if sentence else options.subword
    if chosen is not None:
        require_pool_of_texts(chosen, where)
        return chosen
    if sentence and said.theirs:
        raise SourceError(
            f"{where}: the model has a pooling of its own that hf: does not do",
            got=said.theirs,
            allowed=f"st:{where.removeprefix(SCHEME)}, which pools as the model declares; "
            "or a pooling of your choice: ?pool=mean, ?pool=cls",
            remedy="?pool=... leaves out what the model does after its transformer",
        )
    if sentence and said.pool is not None:
        return said.pool
    if card.family is None:
        key = "pool" if sentence else "subword"
        raise SourceError(
            f"{where}: the kind of this model is not known, and so no default for {key}",
            got=f"model type {card.model_type!r}",
            remedy=f"say it: {key}=mean, for example",
        )
    return card.family.pool if sentence else card.family.subword


def _require_one_dim(layers: Layers, card: ModelConfig, where: str) -> None:
    dims = {card.dim_of(number) for number in layers.numbers}
    if len(dims) > 1:
        raise SourceError(
            f"{where}: these layers cannot be combined, for their vectors differ in length",
            got=f"layers {layers}: {' and '.join(map(str, sorted(dims)))} components",
            remedy="leave out the top layer",
        )
