"""From texts to tokens, to batches of them, and to vectors of tokens that are pooled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.encoder import require_finite, shown
from eatlas.encoders.loading import Array, Loaded, ModelSource, load
from eatlas.encoders.options import Layers, Options
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.interface import Answers, Found, Item, Read, Unknown, cut

_MARKS = "\u2581\u0120 "
"""What SentencePiece and byte-level tokenizers write for a space. A piece of nothing else
precedes a word, is not in it, even where its offsets say the word's first character."""


BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens of a batch."""
CUT_OFF = "the text is longer than the model takes, and was cut before the end of the stimulus"


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text, special ones included."""

    ids: Sequence[int]
    types: Sequence[int]
    """Segment of each token, for models that distinguish segments."""
    special: Sequence[int]
    """1 for a token that the tokenizer added, such as [CLS]; one that the text spells has 0."""
    pieces: Sequence[str]
    offsets: Sequence[tuple[int, int]] | None
    """Characters of the text behind each token; None where the tokenizer does not give them."""
    cut: bool = False
    """Whether the text went on."""

    @property
    def of_text(self) -> list[int]:
        """Places of the tokens that stand for the text."""
        return [i for i, special in enumerate(self.special) if not special]

    def of_span(self, span: tuple[int, int]) -> list[int]:
        """Places of the tokens that hold a character of a span; there may be none.

        A token that begins with a space, as those of GPT-2 do, belongs to the word behind it.
        """
        start, end = span
        return [
            i
            for i, (first, last) in enumerate(self.offsets or ())
            if first < end and start < last and not self.special[i] and self.pieces[i].strip(_MARKS)
        ]


def tokenize(tokenizer: Any, texts: list[str], limit: int | None = None) -> list[Tokens]:
    """Tokenise texts as the tokenizer does by itself, or cut to so many tokens in all."""
    limits: dict[str, Any] = {} if limit is None else {"truncation": True, "max_length": limit}
    encoded = tokenizer(
        texts,
        return_attention_mask=False,
        return_special_tokens_mask=True,
        return_offsets_mapping=tokenizer.is_fast,
        verbose=False,
        **limits,
    )
    cut = limit is not None
    if tokenizer.is_fast:
        return [
            Tokens(
                encoding.ids,
                encoding.type_ids,
                encoding.special_tokens_mask,
                encoding.tokens,
                encoding.offsets,
                cut,
            )
            for encoding in encoded.encodings
        ]
    return [
        Tokens(
            ids=ids,
            types=encoded.get("token_type_ids", {i: [0] * len(ids)})[i],
            special=encoded["special_tokens_mask"][i],
            pieces=tokenizer.convert_ids_to_tokens(ids),
            offsets=None,
            cut=cut,
        )
        for i, ids in enumerate(encoded["input_ids"])
    ]


def need_offsets(tokenizer: Any, label: str) -> None:
    """Refuse a tokenizer that does not tell which characters a token stands for."""
    if tokenizer.is_fast:
        return
    raise SourceError(
        f"{label}: the tokenizer does not report the characters of a token, so the tokens of "
        "a stimulus cannot be found",
        got=type(tokenizer).__name__,
        allowed="level=sentence with this model, or a model with a fast tokenizer (tokenizer.json)",
    )


def unknown_of(tokenizer: Any, text: str, ids: Sequence[int]) -> Unknown:
    """How much of a text a tokenizer takes for its piece of all that it does not know."""
    piece = tokenizer.unk_token_id
    if piece is None or piece not in ids or tokenizer.unk_token in text:
        return ""
    special = tokenizer.get_special_tokens_mask(list(ids), already_has_special_tokens=True)
    readable = [
        number for number, mark in zip(ids, special, strict=True) if number != piece and not mark
    ]
    return "part" if readable else "all"


@dataclass(frozen=True)
class Text:
    """One text as tokens, and the items that need the same tokens of it, together."""

    text: str
    tokens: Tokens
    needed: Mapping[tuple[int, ...], tuple[Item, ...]]
    """By places of tokens."""
    lost: tuple[Item, ...] = ()
    """Those whose stimulus lies, in whole or in part, behind the place where the text was cut."""

    @property
    def ids(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the model is given: numbers of the tokens, and their segments."""
        return tuple(self.tokens.ids), tuple(self.tokens.types)

    def reads(self, tokenizer: Any, *, whole: bool) -> dict[Item, Read]:
        """What the model reads of each item that it needs.

        With `whole` a vector stands for the text, else for the stimulus.
        """
        piece = tokenizer.unk_token_id
        known = piece is None or tokenizer.unk_token in self.text
        places = (
            set() if known else {i for i, number in enumerate(self.tokens.ids) if number == piece}
        )
        return {
            item: Read(f"{self.ids} {chosen}", self._unknown(item, places, whole), self.tokens.cut)
            for chosen, several in self.needed.items()
            for item in several
        }

    def _unknown(self, item: Item, places: set[int], whole: bool) -> Unknown:  # noqa: FBT001
        """How much of an item is at places of pieces that the tokenizer does not know."""
        span = item.span if self.tokens.offsets is not None else None
        stimulus = self.tokens.of_text if span is None else self.tokens.of_span(span)
        if not places:
            return ""
        if stimulus and places.issuperset(stimulus):
            return "all"
        return "part" if places.intersection(self.tokens.of_text if whole else stimulus) else ""


def of_different_tokens(texts: Iterable[Text]) -> list[Text]:
    """Put texts of the same tokens together, so that the model computes them once.

    The longest come first; the order depends on the tokens alone.
    """
    grouped: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Text]] = defaultdict(list)
    for each in texts:
        grouped[each.ids].append(each)
    together = []
    for ids in sorted(grouped, key=lambda ids: (-len(ids[0]), ids)):
        needed: dict[tuple[int, ...], tuple[Item, ...]] = defaultdict(tuple)
        for each in grouped[ids]:
            for places, items in each.needed.items():
                needed[places] += items
        first = grouped[ids][0]
        together.append(Text(first.text, first.tokens, needed))
    return together


class TextReader(ModelSource):
    """A source that reads texts as tokens: texts of the same tokens share one vector."""

    shares = True
    method = "mean-all"
    """How tokens become one vector; a model of texts and images pools by itself."""
    whole = True
    """Whether a vector stands for the text, else for the stimulus."""

    @cached_property
    def cut(self) -> set[str]:
        """Texts that were cut."""
        return set()

    def read(
        self, loaded: Loaded, items: Collection[Item]
    ) -> tuple[list[Text], dict[Item, Read], Answers]:
        """Texts of different tokens, what is read of each item, and those cut off in a text."""
        texts = prepare(loaded, items, self.options, self.method, self.name)
        self.cut.update(text.text for text in texts if text.needed and text.tokens.cut)
        reads: dict[Item, Read] = {}
        for text in texts:
            reads |= text.reads(loaded.tokenizer, whole=self.whole)
        lost = {item: Found(None, CUT_OFF) for text in texts for item in text.lost}
        return of_different_tokens(text for text in texts if text.needed), reads, lost

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens behind the vector of each item: items of the same share it."""
        return self.read(load(self._model), items)[1]

    def checked_texts(
        self, vectors: Array, items: Sequence[Collection[Item]], reads: Mapping[Item, Read]
    ) -> Answers:
        """For each item the vector of its text, once all are finite."""
        require_finite(vectors, items, self.name, self.options.precision)
        return {
            item: Found(vector, unknown=reads[item].unknown, cut=reads[item].cut)
            for vector, several in zip(vectors, items, strict=True)
            for item in several
        }

    def recall(self, answers: Answers) -> None:
        """Take note of texts that were cut in an earlier run."""
        self.cut.update(item.content for item, answer in answers.items() if answer.cut)

    def notes_on_cuts(self) -> Iterator[Note]:
        """Say which texts were cut."""
        if self.cut:
            values = {"count": len(self.cut), "such": shown(min(self.cut))}
            yield Note("source.cut", values=values)


def prepare(
    loaded: Loaded, items: Collection[Item], options: Options, pool: str, label: str
) -> list[Text]:
    """Tokenise each text once, and find the tokens that are needed of it."""
    if options.level == "word":
        need_offsets(loaded.tokenizer, label)
    grouped: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        grouped[item.content].append(item)
    prepared = []
    for text, tokens in zip(grouped, tokenize(loaded.tokenizer, list(grouped)), strict=True):
        fitting = _fitting(loaded, text, tokens, label, cut=options.truncate)
        needed = defaultdict(list)
        lost = {item for item in grouped[text] if _lost(item, tokens, fitting, options)}
        for item in grouped[text]:
            if item not in lost:
                needed[_places(loaded, item, fitting, options, pool, label)].append(item)
        prepared.append(Text(text, fitting, {k: tuple(v) for k, v in needed.items()}, tuple(lost)))
    return prepared


def _lost(item: Item, whole: Tokens, fitting: Tokens, options: Options) -> bool:
    """Whether a text was cut within the stimulus, or before it.

    A vector of the whole text needs no more than a part of the stimulus: the stimulus may be the
    text.
    """
    if item.span is None or not fitting.cut:
        return False
    there, all_of_it = len(fitting.of_span(item.span)), len(whole.of_span(item.span))
    return there < all_of_it if options.level == "word" else not there and all_of_it > 0


def _fitting(loaded: Loaded, text: str, tokens: Tokens, label: str, *, cut: bool) -> Tokens:
    """Return the tokens of a text, cut to the limit of the model where that is chosen."""
    limit = loaded.limit
    if limit is None or len(tokens.ids) <= limit:
        return tokens
    if cut:
        return tokenize(loaded.tokenizer, [text], limit)[0]
    raise SourceError(
        f"{label}: a text is longer than the model takes: {shown(text)}",
        got=f"{len(tokens.ids):,} tokens",
        allowed=f"up to {limit:,} tokens, special ones included",
        remedy="shorten it, or add truncate=yes, which cuts it and warns; a --window in words "
        "keeps contexts short",
    )


def _places(
    loaded: Loaded, item: Item, tokens: Tokens, options: Options, pool: str, label: str
) -> tuple[int, ...]:
    """Places of the tokens from which the vector of an item is pooled."""
    if options.level == "word":
        places = _of_stimulus(item, tokens, label)
    elif pool == "cls":
        places = _cls(loaded, tokens, label)
    elif pool.endswith("-all"):
        places = list(range(len(tokens.ids))) if tokens.of_text else []
    else:
        places = tokens.of_text
    if not places:
        raise SourceError(
            f"{label}: a text has no token: {shown(item.text)}", allowed="a text of words"
        )
    some = {"first": places[:1], "last": places[-1:], "last-all": places[-1:]}
    return tuple(some.get(pool, places))


def _of_stimulus(item: Item, tokens: Tokens, label: str) -> list[int]:
    """Places of the tokens of a stimulus."""
    if item.span is None:
        raise SourceError(
            f"{label}: at level word a vector belongs to the stimulus in a text, and this "
            f"text has no stimulus: {shown(item.text)}",
            remedy="level=sentence, or give the stimulus' span in the test file",
        )
    places = tokens.of_span(item.span)
    if places:
        return places
    raise SourceError(
        f"{label}: no token belongs to the stimulus {item.stimulus!r} in {shown(item.text)}",
        got=" ".join(tokens.pieces[:20]),
    )


def _cls(loaded: Loaded, tokens: Tokens, label: str) -> list[int]:
    """Place of the token that stands for the whole text; XLNet has it at the end."""
    number = loaded.tokenizer.cls_token_id
    places = [i for i, each in enumerate(tokens.ids) if each == number and tokens.special[i]]
    if places:
        return places[:1]
    raise SourceError(
        f"{label}: the tokenizer of this model adds no [CLS] token",
        got=" ".join(tokens.pieces[:20]),
        allowed="pool=mean, first, last or max",
    )


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Put texts of one length into batches of at most `budget` tokens.

    Nothing is padded: in a batch of several lengths sums would be taken over zeros too, in another
    order, and change their last bits with the texts that are beside a text. The longest texts come
    first, so that memory runs out at once or not at all. A text longer than the budget is a batch
    of its own.
    """
    for length, same in groupby(
        sorted(range(len(lengths)), key=lambda i: -lengths[i]), lengths.__getitem__
    ):
        yield from cut(same, max(1, budget // length))


def text_inputs(
    loaded: Loaded, texts: Sequence[Tokens], width: int | None = None
) -> dict[str, NDArray[np.int64]]:
    """Texts of one number of tokens as arrays; or padded to `width` and read without a mask."""
    ids = [list(text.ids) for text in texts]
    if width:
        padding = loaded.tokenizer.pad_token_id
        padding = padding if isinstance(padding, int) else 0
        on_left = loaded.tokenizer.padding_side == "left"
        fill = [[padding] * (width - len(text)) for text in ids]
        padded = [f + text if on_left else text + f for f, text in zip(fill, ids, strict=True)]
        return {"input_ids": np.array(padded, np.int64)}
    inputs = {"input_ids": np.array(ids, np.int64)}
    inputs["attention_mask"] = np.ones_like(inputs["input_ids"])
    types = np.array([text.types for text in texts], np.int64)
    # zeros are what a model takes by itself, and GPT-2 would add the vector of word 0
    if types.any() and "token_type_ids" in loaded.tokenizer.model_input_names:
        inputs["token_type_ids"] = types
    return {name: array for name, array in inputs.items() if name in loaded.takes}


def tensors(loaded: Loaded, inputs: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Arrays as tensors where the model computes, pixels in the numbers that it computes with."""
    import torch  # noqa: PLC0415

    on_device = {name: torch.from_numpy(a).to(loaded.device) for name, a in inputs.items()}
    return {
        name: tensor.to(loaded.module.dtype) if tensor.is_floating_point() else tensor
        for name, tensor in on_device.items()
    }


def pooled_vectors(
    loaded: Loaded,
    texts: Sequence[Text],
    layers: Sequence[Layers],
    top: int,
    method: str,
    rows: range,
) -> list[Array]:
    """Vectors of what is needed of some rows of a batch, one array for each layer."""
    import torch  # noqa: PLC0415

    texts = [texts[row] for row in rows]
    inputs = tensors(loaded, text_inputs(loaded, [text.tokens for text in texts]))
    width = inputs["input_ids"].shape[1]
    places = [(row, tokens) for row, text in enumerate(texts) for tokens in text.needed]
    flat = [row * width + token for row, tokens in places for token in tokens]
    index = torch.tensor(flat, device=loaded.device)
    needed = sorted({number for each in layers for number in each.numbers})
    with torch.inference_mode():
        out = loaded.module(**inputs, output_hidden_states=needed != [top])
        taken = {}
        for number in needed:
            # the top as the model itself gives it, whatever it lists as its last hidden state
            hidden = out.last_hidden_state if number == top else out.hidden_states[number]
            vectors = hidden.reshape(-1, hidden.shape[-1]).index_select(0, index)
            taken[number] = vectors.float().cpu().numpy()
    sizes = [len(tokens) for _, tokens in places]
    return [
        pool(_combined([taken[number] for number in each.numbers], each.combine), sizes, method)
        for each in layers
    ]


def _combined(several: list[Array], how: str) -> Array:
    if len(several) == 1:
        return several[0]
    stacked = np.stack(several)
    combined: Array = stacked.sum(axis=0) if how == "sum" else stacked.mean(axis=0)
    return combined


def pool(rows: Array, sizes: Sequence[int], how: str) -> Array:
    """Pool consecutive rows: the first ``sizes[0]``, the next ``sizes[1]``, ..."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    if how in {"max", "max-all"}:
        largest: Array = np.maximum.reduceat(rows, starts, axis=0)
        return largest
    if how not in {"mean", "mean-all"} and max(sizes) > 1:
        raise ValueError(f"no rule combines several tokens by {how}")
    sums: Array = np.add.reduceat(rows, starts, axis=0)
    return sums / np.asarray(sizes, np.float32)[:, np.newaxis]
