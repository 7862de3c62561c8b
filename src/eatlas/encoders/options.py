"""What source strings of encoders may request, and the layers of a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.spec import check_options

T = TypeVar("T", bound=BaseModel)
Numbers = tuple[int, ...]
"""Layers by number, 0 for the embeddings; the mean is taken of several."""
POOLED = "pooled"
"""As a model of images itself pools its patches."""
EVERY = "all"
_LAYERS = re.compile(r"(-?\d{1,4})(?:\.\.(-?\d{1,4}))?", re.ASCII)


class Options(BaseModel):
    """The choices of ``hf:`` and ``clip:``; None where the model's family decides."""

    model_config = ConfigDict(frozen=True)

    level: Literal["sentence", "word"] = "sentence"
    """What a vector stands for: the whole text, or the stimulus in it."""
    layer: str = "-1"
    pool: (
        Literal["cls", "mean", "first", "last", "max", "mean-all", "last-all", "max-all", "pooled"]
        | None
    ) = None
    """How the tokens of a text, or the patches of an image, become one vector. Those with ``-all``
    take the special tokens too, as sentence-transformers does."""
    subword: Literal["mean", "first", "last"] | None = None
    """How the pieces of a stimulus become one vector, at level word."""
    weights: Literal["trained", "random"] = "trained"
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|cuda(:[0-9]{1,3})?)$")
    truncate: bool = False
    trust_remote_code: bool = False
    revision: str = "main"

    @property
    def random_seed(self) -> int | None:
        """Seed of random weights; None of trained ones."""
        return (self.seed or 0) if self.weights == "random" else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about a model with these options."""
        if self.random_seed is None:
            return ()
        return (Note("source.random-weights", values={"seed": self.random_seed}),)


def read_options(kind: type[T], options: Mapping[str, str], label: str) -> T:
    """Check the options of a source string; `label` names it in an error."""
    check_options(options, dict.fromkeys(kind.model_fields, ""), label)
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise SourceError(
            f"{label}: the option {key} cannot have this value",
            got=f"{key}={options.get(key, '')}",
            allowed=first["msg"],
        ) from error


def parse_layers(text: str, top: int, label: str) -> Numbers:
    """Read the option ``layer`` for a model whose top layer is number `top`."""
    numbers: list[int] = []
    for part in text.split(","):
        match = _LAYERS.fullmatch(part.strip())
        ends = [int(end) for end in match.groups() if end] if match else []
        first, last = (ends[0] % (top + 1), ends[-1] % (top + 1)) if ends else (1, 0)
        if first > last or not all(-top - 1 <= end <= top for end in ends):
            raise SourceError(
                f"{label}: the model has no such layer",
                got=f"layer={text}",
                allowed=f"0 (the embeddings) to {top} (the top), or -1 (the top) to {-top - 1}; a "
                "range from a lower to a higher layer such as -4..-1, several such as 1,2,3, or "
                "all",
            )
        numbers += range(first, last + 1)
    return tuple(dict.fromkeys(numbers))


def layer_name(numbers: Numbers) -> str:
    """Name layers as results do.

    >>> layer_name((3,)), layer_name((3, 4))
    ('3', 'mean(3,4)')
    """
    listed = ",".join(map(str, numbers))
    return listed if len(numbers) == 1 else f"mean({listed})"
