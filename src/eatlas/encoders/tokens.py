"""From texts to tokens, to the tokens that a vector is made of, and to batches of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.loading import Array, Loaded
from eatlas.encoders.options import Options
from eatlas.errors import SourceError
from eatlas.sources.interface import Answers, Found, Item, Read, Unknown, cut

_MARKS = "\u2581\u0120 "
"""What SentencePiece and byte-level tokenizers write for a space. A piece of nothing else
precedes a word, is not in it, even where its offsets say the word's first character."""
SHOWN = 60


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
    kept: dict[str, Any] = {} if limit is None else {"truncation": True, "max_length": limit}
    given = tokenizer(
        texts,
        return_attention_mask=False,
        return_special_tokens_mask=True,
        return_offsets_mapping=tokenizer.is_fast,
        **kept,
    )
    cut = limit is not None
    if tokenizer.is_fast:
        return [
            Tokens(one.ids, one.type_ids, one.special_tokens_mask, one.tokens, one.offsets, cut)
            for one in given.encodings
        ]
    return [
        Tokens(
            ids=ids,
            types=given.get("token_type_ids", {i: [0] * len(ids)})[i],
            special=given["special_tokens_mask"][i],
            pieces=tokenizer.convert_ids_to_tokens(ids),
            offsets=None,
            cut=cut,
        )
        for i, ids in enumerate(given["input_ids"])
    ]


def need_offsets(tokenizer: Any, where: str) -> None:
    """Refuse a tokenizer that does not tell which characters a token stands for."""
    if tokenizer.is_fast:
        return
    raise SourceError(
        f"{where}: the tokenizer does not report the characters of a token, so the tokens of "
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
    known = [one for one, mark in zip(ids, special, strict=True) if one != piece and not mark]
    return "part" if known else "all"


def shown(text: str) -> str:
    """Begin a text in a message.

    >>> shown("a" * 100)[-5:]
    "aaa…'"
    """
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


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
        places = set() if known else {i for i, one in enumerate(self.tokens.ids) if one == piece}
        return {
            one: Read(f"{self.ids} {chosen}", self._unknown(one, places, whole), self.tokens.cut)
            for chosen, several in self.needed.items()
            for one in several
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


def prepare(
    loaded: Loaded, items: Collection[Item], options: Options, pool: str, where: str
) -> list[Text]:
    """Tokenise each text once, and find the tokens that are needed of it."""
    if options.level == "word":
        need_offsets(loaded.tokenizer, where)
    grouped: dict[str, list[Item]] = defaultdict(list)
    for one in items:
        grouped[one.content].append(one)
    prepared = []
    for text, tokens in zip(grouped, tokenize(loaded.tokenizer, list(grouped)), strict=True):
        fitting = _fitting(loaded, text, tokens, where, cut=options.truncate)
        needed = defaultdict(list)
        lost = {one for one in grouped[text] if _lost(one, tokens, fitting, options)}
        for one in grouped[text]:
            if one not in lost:
                needed[_places(loaded, one, fitting, options, pool, where)].append(one)
        prepared.append(Text(text, fitting, {k: tuple(v) for k, v in needed.items()}, tuple(lost)))
    return prepared


def _lost(one: Item, whole: Tokens, kept: Tokens, options: Options) -> bool:
    """Whether a text was cut within the stimulus, or before it.

    A vector of the whole text needs no more than a part of the stimulus: the stimulus may be the
    text.
    """
    if one.span is None or not kept.cut:
        return False
    there, all_of_it = len(kept.of_span(one.span)), len(whole.of_span(one.span))
    return there < all_of_it if options.level == "word" else not there and all_of_it > 0


def _fitting(loaded: Loaded, text: str, tokens: Tokens, where: str, *, cut: bool) -> Tokens:
    """Return the tokens of a text, cut to the limit of the model where that is chosen."""
    limit = loaded.limit
    if limit is None or len(tokens.ids) <= limit:
        return tokens
    if cut:
        return tokenize(loaded.tokenizer, [text], limit)[0]
    raise SourceError(
        f"{where}: a text is longer than the model takes: {shown(text)}",
        got=f"{len(tokens.ids):,} tokens",
        allowed=f"up to {limit:,} tokens, special ones included",
        remedy="shorten it, or add truncate=yes, which cuts it and warns; a --window in words "
        "keeps contexts short",
    )


def _places(
    loaded: Loaded, one: Item, tokens: Tokens, options: Options, pool: str, where: str
) -> tuple[int, ...]:
    """Places of the tokens from which the vector of an item is pooled."""
    if options.level == "word":
        found = _of_stimulus(one, tokens, where)
    elif pool == "cls":
        found = _cls(loaded, tokens, where)
    elif pool.endswith("-all"):
        found = list(range(len(tokens.ids))) if tokens.of_text else []
    else:
        found = tokens.of_text
    if not found:
        raise SourceError(
            f"{where}: a text has no token: {shown(one.text)}", allowed="a text of words"
        )
    some = {"first": found[:1], "last": found[-1:], "last-all": found[-1:]}
    return tuple(some.get(pool, found))


def _of_stimulus(one: Item, tokens: Tokens, where: str) -> list[int]:
    """Places of the tokens of a stimulus."""
    if one.span is None:
        raise SourceError(
            f"{where}: at level word a vector belongs to the stimulus in a text, and this "
            f"text has no stimulus: {shown(one.text)}",
            remedy="level=sentence, or give the stimulus' span in the test file",
        )
    found = tokens.of_span(one.span)
    if found:
        return found
    raise SourceError(
        f"{where}: no token belongs to the stimulus {one.stimulus!r} in {shown(one.text)}",
        got=" ".join(tokens.pieces[:20]),
    )


def _cls(loaded: Loaded, tokens: Tokens, where: str) -> list[int]:
    """Place of the token that stands for the whole text; XLNet has it at the end."""
    number = loaded.tokenizer.cls_token_id
    found = [i for i, each in enumerate(tokens.ids) if each == number and tokens.special[i]]
    if found:
        return found[:1]
    raise SourceError(
        f"{where}: the tokenizer of this model adds no [CLS] token",
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


def require_finite(
    vectors: NDArray[np.floating],
    items: Sequence[Collection[Item]],
    where: str,
    precision: str,
) -> None:
    """Refuse vectors that are not finite."""
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        one = next(iter(items[int(np.argmin(finite))]))
        name = shown(one.content) if one.kind == "text" else one.content
        raise SourceError(
            f"{where}: the vector of {'a text' if one.kind == 'text' else 'an image'} is not "
            f"finite: {name}",
            got=f"numbers beyond the range of {precision}",
            remedy=None if precision == "float32" else "precision=float32",
        )


def answers_of_texts(
    vectors: Array,
    items: Sequence[Collection[Item]],
    reads: Mapping[Item, Read],
    where: str,
    precision: str,
) -> Answers:
    """Return for each item the vector of its text, once all are finite."""
    require_finite(vectors, items, where, precision)
    return {
        one: Found(vector, unknown=reads[one].unknown, cut=reads[one].cut)
        for vector, several in zip(vectors, items, strict=True)
        for one in several
    }
