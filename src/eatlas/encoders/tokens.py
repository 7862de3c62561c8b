"""From texts to tokens, and from the characters of a stimulus to its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eatlas.errors import SourceError
from eatlas.sources.passages import Unknown

_MARKS = "\u2581\u0120 "
"""What SentencePiece and byte-level tokenizers write for a space. A piece of nothing else stands
before a word, not in it, even where its offsets say the word's first character."""
SHOWN = 60


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text, special ones included."""

    ids: Sequence[int]
    types: Sequence[int]
    """Segment of each token, for models that tell segments apart."""
    special: Sequence[int]
    """1 for a token that the tokenizer added, such as [CLS]; one that the text spells has 0."""
    pieces: Sequence[str]
    offsets: Sequence[tuple[int, int]] | None
    """Characters of the text behind each token; None where the tokenizer does not tell."""
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


def tokenize(tokenizer: Any, texts: Sequence[str]) -> list[Tokens]:
    """Tokenise texts as the tokenizer does by itself, without a limit."""
    return _tokenize(tokenizer, list(texts))


def tokenize_cut(tokenizer: Any, text: str, limit: int) -> Tokens:
    """Tokenise a text up to a number of tokens, special ones included."""
    return _tokenize(tokenizer, [text], limit)[0]


def _tokenize(tokenizer: Any, texts: list[str], limit: int | None = None) -> list[Tokens]:
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
    """Refuse a tokenizer that does not tell which characters a token stands for.

    Raises
    ------
    SourceError
        Saying so; the place of a stimulus among the tokens would be a guess.
    """
    if tokenizer.is_fast:
        return
    raise SourceError(
        f"{where}: the tokenizer does not say which characters a token stands for, so the pieces "
        "of a stimulus cannot be told",
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
