"""Asking a model for log-probabilities of pieces: each different input once, in even batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from eatlas.errors import SourceError

if TYPE_CHECKING:
    import torch

Input = tuple[int, ...]
"""Pieces of one text, as the model takes them."""
Ask = tuple[int, int]
"""Place whose prediction is read, and the piece whose log-probability is wanted, or ENDS."""
ENDS = -1
"""In the place of a piece: all pieces together that say that the word before them has ended."""
Step = tuple[Input, Ask]
"""One factor of a probability."""
T = TypeVar("T")
Logits = Callable[["torch.Tensor"], "torch.Tensor"]
"""From ids of shape (texts, pieces) to logits of shape (texts, pieces, vocabulary)."""

LOGITS = 2**25
"""Logits in memory at a time: 128 MB in single precision, 1,100 pieces of BERT's vocabulary."""


class Asks:
    """Inputs with what is asked about each; what two questions share is computed once."""

    def __init__(self) -> None:
        self._asked: dict[Input, dict[Ask, None]] = defaultdict(dict)

    def add(self, pieces: Input, place: int, piece: int) -> Step:
        """Ask for one piece at one place, and return the key of the answer."""
        self._asked[pieces][place, piece] = None
        return pieces, (place, piece)

    def __len__(self) -> int:
        """Texts that the model has to read."""
        return len(self._asked)

    def answered(
        self, logits: Logits, vocabulary: int, name: str, ends: Sequence[int] = ()
    ) -> Iterator[Mapping[Step, float]]:
        """Have the model read all inputs, batch by batch.

        Texts of one length are read together, so none is padded: what stands beside a text in a
        batch is no part of what the model sees. `ends` are the pieces that ENDS stands for.

        Yields
        ------
        mapping
            Every log-probability that is asked about the texts of a batch.

        Raises
        ------
        SourceError
            If a log-probability is not finite.
        """
        for batch in _batches(list(self._asked), vocabulary):
            asks = [(row, ask) for row, one in enumerate(batch) for ask in self._asked[one]]
            values = _log_probabilities(logits, batch, asks, ends)
            if not np.isfinite(values).all():
                raise SourceError(
                    f"{name}: the model computes log-probabilities that are not finite",
                    remedy="its weights may be damaged; half precision may overflow: open it in "
                    "single precision",
                )
            yield {(batch[row], ask): v for (row, ask), v in zip(asks, values, strict=True)}


class Waiting(Generic[T]):
    """Probabilities that wait for texts to be read.

    Parameters
    ----------
    steps : mapping
        The factors of each, one or more.
    """

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
    asks: Sequence[tuple[int, Ask]],
    ends: Sequence[int],
) -> list[float]:
    """Log-softmax of the asked places alone, in double precision: rare pieces stay finite."""
    import torch  # noqa: PLC0415  (seconds, and only language models need it)

    with torch.inference_mode():
        computed = logits(torch.tensor(batch, dtype=torch.long))
        places = list(dict.fromkeys((row, place) for row, (place, _) in asks))
        at = {where: i for i, where in enumerate(places)}
        rows, columns = (
            torch.tensor(index, device=computed.device) for index in zip(*places, strict=True)
        )
        chances = torch.log_softmax(computed[rows, columns].double(), dim=-1)
        which = torch.tensor([at[row, place] for row, (place, _) in asks], device=computed.device)
        pieces = torch.tensor([piece for _, (_, piece) in asks], device=computed.device)
        found = chances[which, pieces.clamp(min=0)]
        if ends and (asked := pieces == ENDS).any():
            together = chances[:, torch.tensor(ends, device=computed.device)].logsumexp(dim=-1)
            found[asked] = together[which[asked]]
        values: list[float] = found.tolist()
    return values
