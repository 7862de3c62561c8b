"""Which pieces say that the word before them has ended."""

from __future__ import annotations

import unicodedata
from typing import Any

SPACES = ("Ġ", "▁", "Ċ", "ĉ", "č")
"""How byte-level and SentencePiece tokenizers write the space, or line, that begins a piece."""
CONTINUED = "##"
"""How word-piece tokenizers write that a piece goes on with a word."""
CLOSED = "</w>"
"""How some tokenizers write that a word ends within a piece."""
JOINERS = frozenset("'’-_")
"""What stands within words beside letters, digits and marks."""
UNREADABLE = "\N{REPLACEMENT CHARACTER}"


def boundaries(tokenizer: Any) -> tuple[int, ...]:
    """Find the pieces that cannot go on with a word.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerFast

    Returns
    -------
    tuple of int
        Pieces that begin with a space, or with anything but a letter, a digit, a mark, an
        apostrophe, a hyphen or an underscore; special ones, such as the end of a text; with word
        pieces, all that do not go on with a word. Pieces that are part of a character go on.
    """
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    special = set(tokenizer.all_special_ids)
    word_pieces = any(
        one and one.startswith(CONTINUED) and len(one) > 2 for one in pieces
    ) and not (any(one and one.startswith(SPACES) for one in pieces))
    found = []
    for place, piece in enumerate(pieces):
        if piece is None:
            continue
        if place in special:
            found.append(place)
        elif word_pieces:
            if not piece.startswith(CONTINUED):
                found.append(place)
        elif piece.startswith(SPACES) or not _goes_on(tokenizer, piece):
            found.append(place)
    return tuple(found)


def closes(tokenizer: Any, piece: int) -> bool:
    """Whether a piece itself says that its word ends."""
    return str(tokenizer.convert_ids_to_tokens(piece)).endswith(CLOSED)


def _goes_on(tokenizer: Any, piece: str) -> bool:
    """Whether a piece without a space in front can go on with a word."""
    first = str(tokenizer.convert_tokens_to_string([piece]))[:1]
    if not first or first in JOINERS or first == UNREADABLE:
        return True
    return unicodedata.category(first)[0] in "LNM"
