"""``hf:``: vectors of texts from a transformer."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from eatlas.encoders.asked import Asked, by_text, of_different_tokens, prepare
from eatlas.encoders.batches import batches
from eatlas.encoders.card import Card
from eatlas.encoders.declared import Declared, prompt_note
from eatlas.encoders.files import content_of
from eatlas.encoders.forward import halved_where_memory_ends
from eatlas.encoders.layers import Layers
from eatlas.encoders.loading import Loaded, Model, load, ran_out
from eatlas.encoders.marks import marked, unknown_in, was_cut
from eatlas.encoders.memory import too_little
from eatlas.encoders.options import Options
from eatlas.encoders.pooling import NAMES, Array, pool
from eatlas.encoders.rounding import roundoff_of
from eatlas.encoders.tokens import shown
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.passages import Passage, Tell, Unknown, gathered, words_alone
from eatlas.sources.protocol import Vector

BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens of a batch."""
CUT_OFF = "the text is longer than the model takes, and was cut before the end of the stimulus"
ALGORITHM = "1"
"""Part of every fingerprint; another number where the same options give other vectors."""


@dataclass
class SharedLayers:
    """Layers that are computed in one pass and asked for one after the other."""

    layers: tuple[Layers, ...]
    waiting: dict[Layers, dict[Passage, Vector]] = field(default_factory=dict)
    """Vectors that came with another layer's; handed over when their layer is asked."""
    cut: set[str] = field(default_factory=set)
    """Texts that were cut, whichever layer was asked."""

    def keep(self, layers: Layers, vectors: Mapping[Passage, Vector]) -> None:
        """Keep the vectors of a layer until it is asked."""
        self.waiting.setdefault(layers, {}).update(vectors)

    def take(self, layers: Layers, passages: Collection[Passage]) -> dict[Passage, Vector]:
        """Hand over what is kept of a layer, and let go of it."""
        kept = self.waiting.pop(layers, {})
        return {one: kept[one] for one in passages if one in kept}


class TransformerSource:
    """Vectors of passages, computed by a transformer when they are asked for.

    Nothing heavy is imported and no weights are read before that.

    Parameters
    ----------
    name : str
        What names the source in results.
    path : Path
        Folder of the model, or a GGUF file.
    card : Card
        What its files say.
    options : Options
    layers : Layers
    method : str
        How tokens become one vector: of a text, or of a stimulus at level ``word``.
    shared : SharedLayers, optional
        The sources that are computed in the same pass.
    said : Declared, optional
        What the model says of how a text becomes a vector.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        card: Card,
        options: Options,
        layers: Layers,
        method: str,
        shared: SharedLayers | None = None,
        said: Declared | None = None,
    ) -> None:
        self.name, self.path, self.card = name, path, card
        self.options, self.layers, self.method = options, layers, method
        self._shared, self._said = shared, said or Declared()
        self._cut: set[str] = set() if shared is None else shared.cut
        self._lost: set[Passage] = set()
        self._unknown: dict[Passage, Unknown] = {}

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
        notes = []
        if self.options.weights == "random":
            notes.append(
                f"The model's weights are random (seed {self.options.seed}): a control. What is "
                "found with them is an artefact."
            )
        notes += self._without_effect()
        notes += self._own_ways()
        if self._cut:
            notes.append(
                f"{len(self._cut):,} texts were longer than the model takes and were cut, such as "
                f"{shown(min(self._cut))}."
            )
        return tuple(notes)

    def _own_ways(self) -> Iterator[str]:
        """What the model says of pooling and prompts, where the user did not choose."""
        said, folder = self._said, self.name.removeprefix("hf:").partition("?")[0]
        if self.options.level != "sentence":
            return
        if self.options.pool is None and said.pool is not None:
            yield (
                f"Texts are pooled as the model says ({said.by}): {NAMES[said.pool]} "
                f"(pool={said.pool})."
            )
        yield from prompt_note(
            said,
            put="",
            how=f"st:{folder}?prefix=... puts one there; in tests of words, so does --prompt.",
        )

    def _without_effect(self) -> Iterator[str]:
        """What was asked for and changes nothing at this level."""
        pool, subword = self.options.pool, self.options.subword
        if self.options.level == "word" and pool is not None:
            yield (
                f"pool={pool} changes nothing here: at level word a vector stands for the "
                f"stimulus, and subword, here {self.method}, says how its pieces become one; pool "
                "is for level=sentence."
            )
        if self.options.level == "sentence" and subword is not None:
            yield (
                f"subword={subword} changes nothing here: at level sentence a vector stands for "
                f"the whole text, and pool, here {self.method}, says how its tokens become one; "
                "subword is for level=word."
            )

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Return the vector of every passage, float32, shape (dim,).

        Where texts that are too long are cut, those that lose their stimulus have none.

        Raises
        ------
        SourceError
            If the model cannot be loaded, a text is too long, a stimulus is no token of it, or a
            vector is not finite.
        """
        every = set(passages)
        return gathered(self.encode_batches(every), len(every), tell)

    def encode_batches(self, passages: Collection[Passage]) -> Iterator[Mapping[Passage, Vector]]:
        """Hand out the vectors of passages as they are computed, each passage once.

        Yields
        ------
        mapping from Passage to array, shape (dim,)

        Raises
        ------
        SourceError
            As :meth:`encode`; faults of texts before the first batch.
        """
        left = set(passages)
        if self._shared is not None:
            kept = self._shared.take(self.layers, left)
            if kept:
                yield kept
            left -= kept.keys()
        if not left:
            return
        loaded = load(self._model)
        asked = of_different_tokens(self._prepared(loaded, left))
        order = [self.layers]
        if self._shared is not None:
            order += [each for each in self._shared.layers if each != self.layers]
        for rows in batches([len(each.tokens.ids) for each in asked], BUDGET[loaded.device.type]):
            yield from self._batch(loaded, [asked[row] for row in rows], order)

    def same(self, passages: Collection[Passage]) -> Mapping[Passage, str]:
        """Return the tokens behind the vector of each passage: passages of the same share it.

        Raises
        ------
        SourceError
            As :meth:`encode`.
        """
        return {
            one: f"{each.ids} {places}"
            for each in self._prepared(load(self._model), passages)
            for places, several in each.needed.items()
            for one in several
        }

    def _prepared(self, loaded: Loaded, passages: Collection[Passage]) -> list[Asked]:
        """Texts as tokens; what there is to tell of them is noted."""
        every = prepare(loaded, by_text(passages), self.options, self.method, self.name)
        self._lost |= {one for each in every for one in each.lost}
        asked = [each for each in every if each.needed]
        self._cut |= {each.text for each in asked if each.tokens.cut}
        for each in asked:
            self._unknown |= each.unknown(loaded.tokenizer, whole=self.options.level == "sentence")
        return asked

    @property
    def cuts(self) -> bool:
        """Whether long texts are cut, so that some have a vector for one stimulus alone."""
        return self.options.truncate

    def why_not(self, passage: Passage) -> str:
        """Whether the stimulus was cut off."""
        return CUT_OFF if passage in self._lost else ""

    def unknown(self, passage: Passage) -> Unknown:
        """How much of what the vector stands for the tokenizer does not know."""
        return self._unknown.get(passage, "")

    def mark_of(self, passage: Passage) -> str:
        """What a cache keeps with a vector: whether its text was cut, and what is unknown."""
        return marked(cut=passage.text in self._cut, unknown=self.unknown(passage))

    def recall(self, marks: Mapping[Passage, str]) -> None:
        """Take note of what was noted when vectors were computed."""
        self._cut |= {passage.text for passage, mark in marks.items() if was_cut(mark)}
        self._unknown |= {one: how for one, mark in marks.items() if (how := unknown_in(mark))}

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of words that stand alone."""
        return words_alone(self, keys)

    def _batch(
        self, loaded: Loaded, asked: list[Asked], order: list[Layers]
    ) -> Iterator[Mapping[Passage, Vector]]:
        texts = [each.tokens for each in asked]
        places = [(row, several) for row, each in enumerate(asked) for several in each.needed]
        try:
            for part, arrays in halved_where_memory_ends(
                loaded, texts, places, order, self.card.top
            ):
                passages = [asked[row].needed[tuple(several)] for row, several in part]
                sizes = [len(several) for _, several in part]
                pooled = [pool(rows, sizes, self.method) for rows in arrays]
                for layers, vectors in zip(order[1:], pooled[1:], strict=True):
                    self._keep(layers, self._given(vectors, passages))
                yield self._given(pooled[0], passages)
        except (RuntimeError, MemoryError) as error:
            if isinstance(error, MemoryError) or ran_out(error):
                longest = max(len(text.ids) for text in texts)
                raise too_little(self.path, f"more for a text of {longest} tokens") from error
            raise

    def _keep(self, layers: Layers, vectors: Mapping[Passage, Vector]) -> None:
        if self._shared is not None:
            self._shared.keep(layers, vectors)

    def _given(
        self, vectors: Array, passages: list[tuple[Passage, ...]]
    ) -> Mapping[Passage, Vector]:
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            text = passages[int(np.argmin(finite))][0].text
            raise SourceError(
                f"{self.name}: the vector of a text is not finite: {shown(text)}",
                got=f"numbers beyond the range of {self.options.precision}",
                remedy=None if self.options.precision == "float32" else "precision=float32",
            )
        return {
            one: vector
            for vector, several in zip(vectors, passages, strict=True)
            for one in several
        }

    @cached_property
    def _content(self) -> str:
        """Hash of all that decides the weights and how texts are cut."""
        return content_of(self.path, weights=self.options.weights)

    @property
    def _model(self) -> Model:
        options = self.options
        return Model(
            self.path,
            self._content,
            options.seed,
            options.precision,
            options.device,
            options.trust,
            self.card,
        )
