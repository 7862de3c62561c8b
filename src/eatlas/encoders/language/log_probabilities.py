"""Log-probabilities of pieces: the pieces of a stimulus, and their batches through a model."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from eatlas.errors import SourceError
from eatlas.stimuli.sentences.pairs import Span

if TYPE_CHECKING:
    import torch

Input = tuple[int, ...]
"""Pieces of one text, as the model takes them."""
Prediction = tuple[int, int]
"""Place whose prediction is read, and the piece whose log-probability is wanted, or ENDS."""
ENDS = -1
"""In the place of a piece: all pieces together that say that the word before them has ended."""
Step = tuple[Input, Prediction]
"""One factor of a probability."""
T = TypeVar("T")
Logits = Callable[["torch.Tensor"], "torch.Tensor"]
"""From ids of shape (texts, pieces) to logits of shape (texts, pieces, vocabulary)."""

LOGITS = 2**25
"""Logits in memory at a time: 128 MB in single precision, 1,100 pieces of BERT's vocabulary."""
SPACES = ("Ġ", "▁", "Ċ", "ĉ", "č")
"""How byte-level and SentencePiece tokenizers write the space, or line, that begins a piece."""
CONTINUED = "##"
"""How word-piece tokenizers write that a piece goes on with a word."""
CLOSED = "</w>"
"""How some tokenizers write that a word ends within a piece."""
JOINERS = frozenset("'’-_")
"""What words hold beside letters, digits and marks."""
UNREADABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Encoded:
    """A text as a model takes it."""

    text: str
    ids: tuple[int, ...]
    offsets: tuple[Span, ...]
    """Characters of each piece; (0, 0) for one without any."""


class FaultError(Exception):
    """A stimulus that the tokenizer cannot represent; the message says why."""


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
    """Refuse a tokenizer that does not give the characters of its pieces."""
    if not getattr(tokenizer, "is_fast", False):
        raise SourceError(
            f"{name}: the tokenizer does not give the characters of its pieces",
            got=type(tokenizer).__name__,
            allowed="a fast tokenizer, as a folder with tokenizer.json has",
            remedy="save the model with a fast tokenizer: AutoTokenizer.from_pretrained(...) "
            "and save_pretrained(...)",
        )


def places(tokenizer: Any, encoded: Encoded, span: Span) -> tuple[int, ...]:
    """Find the pieces of the stimulus at `span`.

    A space before the stimulus may belong to its first piece, or be a piece before it, which then
    is one of the word's own: without it, the model would see how the word is cut. Nothing else
    of the text may belong to a piece.
    """
    stimulus = encoded.text[slice(*span)]
    found = []
    for place, (start, end) in enumerate(encoded.offsets):
        first, last = _without_space(encoded.text, start, end)
        if first == last or last <= span[0] or first >= span[1]:
            continue
        if first < span[0] or last > span[1]:
            raise FaultError(
                f"the tokenizer joins it with the text beside it, {encoded.text[first:last]!r}"
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


def boundaries(tokenizer: Any) -> tuple[int, ...]:
    """Find the pieces that cannot go on with a word."""
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


class Predictions:
    """Inputs with the predictions needed of each; what two questions share is computed once."""

    def __init__(self) -> None:
        self._of_input: dict[Input, dict[Prediction, None]] = defaultdict(dict)

    def add(self, pieces: Input, place: int, piece: int) -> Step:
        """Add the prediction of one piece at one place, and return its key."""
        self._of_input[pieces][place, piece] = None
        return pieces, (place, piece)

    def __len__(self) -> int:
        """Texts that the model has to read."""
        return len(self._of_input)

    def answered(
        self, logits: Logits, vocabulary: int, name: str, ends: Sequence[int] = ()
    ) -> Iterator[Mapping[Step, float]]:
        """Have the model read all inputs, batch by batch.

        Texts of one length are read together, so none is padded: the other texts of a
        batch are no part of what the model sees. `ends` are the pieces that ENDS means.
        """
        for batch in _batches(list(self._of_input), vocabulary):
            needed = [(row, at) for row, one in enumerate(batch) for at in self._of_input[one]]
            values = _log_probabilities(logits, batch, needed, ends)
            if not np.isfinite(values).all():
                raise SourceError(
                    f"{name}: the model computes log-probabilities that are not finite",
                    remedy="its weights may be damaged; half precision may overflow: open it in "
                    "single precision",
                )
            yield {(batch[row], at): v for (row, at), v in zip(needed, values, strict=True)}


class Waiting(Generic[T]):
    """Probabilities that wait for texts to be read."""

    def __init__(self, steps: Mapping[T, Collection[Step]]) -> None:
        self._left: dict[T, int] = {}
        self._for: dict[Input, list[T]] = defaultdict(list)
        for one, factors in steps.items():
            needed = {pieces for pieces, _ in factors}
            self._left[one] = len(needed)
            for pieces in needed:
                self._for[pieces].append(one)

    def ready(self, read: Collection[Step]) -> list[T]:
        """Say which have all their factors now that some more texts were read, each text once."""
        ready = []
        for pieces in dict.fromkeys(pieces for pieces, _ in read):
            for one in self._for.pop(pieces):
                self._left[one] -= 1
                if not self._left[one]:
                    ready.append(one)
        return ready


def _batches(inputs: Sequence[Input], vocabulary: int) -> Iterator[list[Input]]:
    of_length: dict[int, list[Input]] = defaultdict(list)
    for one in inputs:
        of_length[len(one)].append(one)
    for length in sorted(of_length):
        rows = max(1, LOGITS // (vocabulary * length))
        same = of_length[length]
        for start in range(0, len(same), rows):
            yield same[start : start + rows]


def _log_probabilities(
    logits: Logits,
    batch: Sequence[Input],
    needed: Sequence[tuple[int, Prediction]],
    ends: Sequence[int],
) -> list[float]:
    """Log-softmax of the needed places alone, in double precision: rare pieces stay finite."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    with torch.inference_mode():
        computed = logits(torch.tensor(batch, dtype=torch.long))
        places = list(dict.fromkeys((row, place) for row, (place, _) in needed))
        at = {where: i for i, where in enumerate(places)}
        rows, columns = (
            torch.tensor(index, device=computed.device) for index in zip(*places, strict=True)
        )
        chances = torch.log_softmax(computed[rows, columns].double(), dim=-1)
        which = torch.tensor([at[row, place] for row, (place, _) in needed], device=computed.device)
        pieces = torch.tensor([piece for _, (_, piece) in needed], device=computed.device)
        found = chances[which, pieces.clamp(min=0)]
        if ends and (ending := pieces == ENDS).any():
            together = chances[:, torch.tensor(ends, device=computed.device)].logsumexp(dim=-1)
            found[ending] = together[which[ending]]
        values: list[float] = found.tolist()
    return values
