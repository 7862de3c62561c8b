"""``clip:``: texts and images in the one space of a two-tower model, such as CLIP or SigLIP."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, roundoff_of
from eatlas.encoders.images.batches import AT_ONCE, Images, answers_of
from eatlas.encoders.images.kinds import PADDED, logits_of
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
from eatlas.encoders.model_paths import CLIP, find_model
from eatlas.encoders.options import OPTIONS as OF_MODELS
from eatlas.encoders.options import Options
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
from eatlas.sources.interface import Answers, Found, Item, Kind, Read

ALGORITHM = "towers 1"
"""Part of every fingerprint; another number where the same options give other vectors."""
BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens of a batch."""
WHOLE = "mean-all"
"""A text is read as a whole; the model itself pools it."""
OPTIONS = {
    name: OF_MODELS[name]
    for name in (
        "weights", "seed", "precision", "device", "truncate", "trust_remote_code", "revision",
    )
}  # fmt: skip


class TowersSource(Encoder):
    """Vectors of texts and of images in the space that a two-tower model shares between them.

    They are those of ``get_text_features`` and ``get_image_features`` of transformers, not scaled
    to length 1. Nothing heavy is imported and no weights are read before they are needed.
    """

    shares = True

    def __init__(self, name: str, path: Path, card: ModelConfig, options: Options) -> None:
        super().__init__(name)
        self.path, self.card, self.options = path, card, options
        self._settings = read_settings(path)
        self._images = Images(name, self._settings)
        self._cut: set[str] = set()

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.card.dim

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts and images."""
        return frozenset(("text", "image"))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files, and all options that decide numbers."""
        said = (
            f"{self._content};{ALGORITHM};seed={self.options.seed}"
            f";precision={self.options.precision};truncate={self.options.truncate}"
        )
        return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"

    @cached_property
    def encoding(self) -> Encoding:
        """How texts and images become vectors, with every default spelled out."""
        logits = logits_of(self.path, self.card.model_type, self.options.seed)
        return Encoding(
            model=self.name.removeprefix(CLIP).partition("?")[0],
            architecture=self.card.architecture,
            level="sentence",
            pool="projected",
            weights=self.options.weights,
            weights_seed=self.options.seed,
            precision=self.options.precision,
            roundoff=roundoff_of(self.options.precision),
            projection=self.dim,
            logit_scale=logits.scale,
            logit_bias=logits.bias,
            images=image_encoding(self._settings),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the vectors, so far."""
        notes = [*self.options.notes, *self._images.notes]
        if cut := self._cut:
            notes.append(
                f"{len(cut):,} texts were too long for the model and were cut, such as "
                f"{shown(min(cut))}."
            )
        return tuple(notes)

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
        if not texts:
            return {}
        loaded = load(self._model)
        return _reads(loaded, self._prepared(loaded, texts))

    def recall(self, answers: Answers) -> None:
        """Take note of what there was to say of texts and images in an earlier run."""
        self._cut |= {one.content for one, found in answers.items() if found.cut}
        self._images.note(answers)

    def _of_texts(self, items: Collection[Item]) -> Iterator[Answers]:
        """Vectors of texts, in batches of similar length."""
        loaded = load(self._model)
        texts = self._prepared(loaded, items)
        if lost := {one: Found(None, CUT_OFF) for each in texts for one in each.lost}:
            yield lost
        reads = _reads(loaded, texts)
        texts = of_different_tokens(each for each in texts if each.needed)
        width = PADDED.get(self.card.model_type)
        lengths = [width or len(each.tokens.ids) for each in texts]
        for rows in batches(lengths, BUDGET[loaded.device.type]):
            some = [texts[row] for row in rows]
            inputs = _text_inputs(loaded, some, width)
            vectors = self._features(loaded, "get_text_features", inputs)
            needed = [list(chain.from_iterable(each.needed.values())) for each in some]
            yield answers_of_texts(vectors, needed, reads, self.name, self.options.precision)

    def _of_images(self, items: Collection[Item]) -> Iterator[Answers]:
        loaded = load(self._model)
        prepare_image = preparing(loaded.processor, loaded.takes)
        for several, remarks, inputs in self._images.batches(
            items, AT_ONCE[loaded.device.type], prepare_image
        ):
            rows = self._features(loaded, "get_image_features", inputs)
            answers = answers_of(rows, several, remarks, self.name, self.options.precision)
            self._images.note(answers)
            yield answers

    def _prepared(self, loaded: Loaded, items: Collection[Item]) -> list[Text]:
        """Texts as tokens; those that are cut and needed all the same are noted."""
        texts = prepare(loaded, items, self.options, WHOLE, self.name)
        self._cut |= {each.text for each in texts if each.needed and each.tokens.cut}
        return texts

    def _features(self, loaded: Loaded, tower: str, inputs: Pixels) -> Array:
        """Compute a batch in one tower."""
        count = len(next(iter(inputs.values())))

        def compute(rows: range) -> Array:
            part = {name: array[rows.start : rows.stop] for name, array in inputs.items()}
            return features(loaded, tower, part)

        try:
            parts = [computed for _, computed in in_halves(loaded, range(count), compute)]
        except (RuntimeError, MemoryError) as error:
            if isinstance(error, MemoryError) or ran_out(error):
                raise too_little(self.path, "more for one item") from error
            raise
        return np.concatenate(parts)

    @cached_property
    def _content(self) -> str:
        """Hash of all that decides the weights, and how texts and images are prepared."""
        return content_of(self.path, weights=self.options.weights, beside=PROCESSOR)

    @property
    def _model(self) -> Model:
        return Model.of(self.path, self._content, self.options, self.card, "towers")


CUT_OFF = "the text is longer than the model takes, and was cut before the end of the stimulus"


def features(loaded: Loaded, tower: str, inputs: Pixels) -> Array:
    """Compute a batch in one tower, projected to the shared space."""
    import torch  # noqa: PLC0415

    with torch.inference_mode():
        out = getattr(loaded.module, tower)(**tensors(loaded, inputs))
        vectors = out if torch.is_tensor(out) else out.pooler_output
    if vectors.ndim != 2:
        raise SourceError(
            f"{type(loaded.module).__name__}: {tower} does not give one vector for each",
            got=f"an array of shape {tuple(vectors.shape)}",
            allowed="models such as CLIP, SigLIP, ALIGN and AltCLIP",
        )
    rows: Array = vectors.float().cpu().numpy()
    return rows


def _of_kind(items: Collection[Item], kind: Kind) -> set[Item]:
    return {one for one in items if one.kind == kind}


def _reads(loaded: Loaded, texts: list[Text]) -> dict[Item, Read]:
    return {
        one: read
        for each in texts
        for one, read in each.reads(loaded.tokenizer, whole=True).items()
    }


def _text_inputs(loaded: Loaded, texts: list[Text], width: int | None) -> Pixels:
    """Texts of one number of tokens as arrays; or padded to `width` and read without a mask."""
    tokens = [each.tokens for each in texts]
    ids = np.full((len(tokens), width or len(tokens[0].ids)), _padding(loaded), np.int64)
    left = loaded.tokenizer.padding_side == "left"
    for row, each in enumerate(tokens):
        begin = len(ids[row]) - len(each.ids) if left else 0
        ids[row, begin : begin + len(each.ids)] = each.ids
    if width:
        return {"input_ids": ids}
    inputs: dict[str, Any] = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    types = np.array([each.types for each in tokens], np.int64)
    if types.any() and "token_type_ids" in loaded.tokenizer.model_input_names:
        inputs["token_type_ids"] = types
    return inputs


def _padding(loaded: Loaded) -> int:
    number = loaded.tokenizer.pad_token_id
    return number if isinstance(number, int) else 0


@keeping
def open_clip(text: str) -> tuple[TowersSource, ...]:
    """Open a two-tower model."""
    found = find_model(text, CLIP, OPTIONS, takes=("both",))
    return (TowersSource(text, found.path, found.card, found.options),)
