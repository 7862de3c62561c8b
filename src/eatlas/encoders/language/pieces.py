"""Where the pieces of a stimulus stand among those of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eatlas.encoders.language.questions import Span
from eatlas.errors import SourceError


@dataclass(frozen=True)
class Encoded:
    """A text as a model takes it."""

    text: str
    ids: tuple[int, ...]
    offsets: tuple[Span, ...]
    """Characters of each piece; (0, 0) for one that stands for none."""


class FaultError(Exception):
    """A stimulus that the tokenizer cannot stand for; the text says why."""


def encode(tokenizer: Any, texts: Sequence[str]) -> list[Encoded]:
    """Cut texts into pieces, with the tokenizer's own special pieces around them."""
    if not texts:
        return []
    cut = tokenizer(list(texts), return_offsets_mapping=True, verbose=False)
    return [
        Encoded(text, tuple(ids), tuple((int(a), int(b)) for a, b in offsets))
        for text, ids, offsets in zip(texts, cut["input_ids"], cut["offset_mapping"], strict=True)
    ]


def require_offsets(tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer that does not say where its pieces stand."""
    if not getattr(tokenizer, "is_fast", False):
        raise SourceError(
            f"{name}: the tokenizer does not say where its pieces stand in a text",
            got=type(tokenizer).__name__,
            allowed="a fast tokenizer, as a folder with tokenizer.json has",
            remedy="save the model with a fast tokenizer: AutoTokenizer.from_pretrained(...) "
            "and save_pretrained(...)",
        )


def places(tokenizer: Any, encoded: Encoded, span: Span) -> tuple[int, ...]:
    """Find the pieces of the stimulus at `span`.

    A space before the stimulus may belong to its first piece, or be a piece before it, which then
    is one of the word's own: without it, the model would be told how the word is cut. Nothing else
    of the text may belong to a piece.

    Raises
    ------
    FaultError
        If there are none, one reaches into the text beside the stimulus, one is a special token,
        or one stands for what the tokenizer does not know.
    """
    stimulus = encoded.text[slice(*span)]
    found = []
    for place, (start, end) in enumerate(encoded.offsets):
        first, last = _without_space(encoded.text, start, end)
        if first == last or last <= span[0] or first >= span[1]:
            continue
        if first < span[0] or last > span[1]:
            raise FaultError(
                f"the tokenizer joins it with what stands beside it, {encoded.text[first:last]!r}"
            )
        _require_ordinary(tokenizer, encoded.ids[place], stimulus)
        found.append(place)
    if not found:
        raise FaultError("the tokenizer leaves nothing of it")
    first = found[0]
    while first and _is_space(tokenizer, encoded, first - 1):
        first -= 1
    return tuple(range(first, found[-1] + 1))  # with the spaces between the words of a phrase


def _require_ordinary(tokenizer: Any, piece: int, stimulus: str) -> None:
    if piece == tokenizer.unk_token_id and stimulus.strip() != tokenizer.unk_token:
        # GPT-2's unknown token is its end of text, which no stimulus of words becomes
        raise FaultError("the tokenizer does not know it, or a part of it")
    if piece in tokenizer.all_special_ids:
        token = tokenizer.convert_ids_to_tokens(piece)
        raise FaultError(f"the tokenizer takes it, or a part of it, for the special token {token}")


def _is_space(tokenizer: Any, encoded: Encoded, place: int) -> bool:
    start, end = _without_space(encoded.text, *encoded.offsets[place])
    return start == end and encoded.ids[place] not in tokenizer.all_special_ids


def _without_space(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
