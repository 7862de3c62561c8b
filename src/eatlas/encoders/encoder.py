"""What encoders share: options, layers, calls in batches, checked vectors, rounding errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.source import Answers, Found, Item, Source, as_numpy, chunks_of
from eatlas.sources.spec import check_options

ALLOWED = "an array of shape (number of texts, number of components): numpy, torch, list of lists"
SHOWN = 60
ROUNDOFF = {"float64": None, "float32": 2.0**-24, "float16": 2.0**-14, "bfloat16": 2.0**-11}
"""Rounding error of a score, by the type of the numbers that the model computes with; None where it
is below what ties allow for anyway. With other kernels (AVX2, SSE) and threads scores of weat-6 by
MiniLM moved by up to 1.0 of 2^-24 in single precision, those by SmolLM2 in GGUF, which is computed
in single precision, by 1.2; by 1.1 of 2^-14 and 1.3 of 2^-11 in half precision: an eighth of the
unit roundoff, as kernels add in single precision and round what they hand on."""


K = TypeVar("K")
T = TypeVar("T", bound=BaseModel)
Numbers = tuple[int, ...]
"""Layers by number, 0 for the embeddings; the mean is taken of several."""
POOLED = "pooled"
"""As a model of images itself pools its patches."""
Pool = Literal[
    "cls", "mean", "mean-words", "first", "last", "max", "mean-all", "last-all", "max-all", "pooled"
]
EVERY = "all"
_LAYERS = re.compile(r"(-?\d{1,4})(?:\.\.(-?\d{1,4}))?", re.ASCII)


class Options(BaseModel):
    """The choices of ``hf:`` and ``clip:``; None where the model's family decides."""

    model_config = ConfigDict(frozen=True)

    level: Literal["sentence", "word"] = "sentence"
    """What a vector stands for: the whole text, or the stimulus in it."""
    layer: str = "-1"
    pool: Pool | None = None
    """How the tokens of a text, or the patches of an image, become one vector. Of a text ``mean``
    is over all tokens, as in sentence-transformers, and ``mean-words`` over its own; those with
    ``-all`` take the special tokens too."""
    subword: Literal["mean", "first", "last"] | None = None
    """How the pieces of a stimulus become one vector, at level word."""
    special_tokens: bool = True
    """Whether texts get the special tokens that the tokenizer adds, such as [CLS]."""
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
            allowed=first["msg"].removeprefix("Input should be "),
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


# --- vectors ------------------------------------------------------------------------------------


class Encoder(Source):
    """A source that computes vectors."""

    name = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """Number of components; where nothing has been encoded yet, a word is."""
        if self._dim is None:
            self._dim = len(self.lookup(["word"])["word"])
        return self._dim

    @property
    def size_text(self) -> str:
        """Dimensions, where something was encoded before: a repr asks no model."""
        return f"{self._dim} dimensions" if self._dim else ""

    def recall(self, answers: Answers) -> None:
        """Take note of answers, computed or kept."""
        for answer in answers.values():
            if answer.vector is not None:
                self._dim = len(answer.vector)

    def in_calls(
        self,
        items: Collection[Item],
        key: Callable[[Item], K],
        size: int,
        call: Callable[[list[K]], Any],
    ) -> Iterator[Answers]:
        """Encode items in calls of so many keys, the shortest first, each different one once.

        A key is what the encoder is given for an item, and `call` returns a row for each.
        """
        grouped: dict[K, list[Item]] = {}
        for item in sorted(items, key=shortest_first):
            grouped.setdefault(key(item), []).append(item)
        for keys in chunks_of(grouped, size):
            texts = [grouped[item][0].content for item in keys]
            rows = as_rows(call(keys), texts, self.name)
            if self._dim not in {None, rows.shape[1]}:
                raise SourceError(
                    f"{self.name}: two calls returned vectors of different lengths",
                    got=f"{rows.shape[1]} components",
                    allowed=f"{self._dim}, as in the first call",
                )
            self._dim = rows.shape[1]
            yield {
                item: Found(row) for k, row in zip(keys, rows, strict=True) for item in grouped[k]
            }


def shortest_first(item: Item) -> tuple[object, ...]:
    """Order of items that no hash changes."""
    return len(item.content), item.content, item.span or ()


def as_rows(returned: Any, texts: Sequence[str], label: str) -> NDArray[np.floating]:
    """Return one finite vector for each text, as an array of float32 or float64 of its own."""
    try:
        array = as_numpy(returned)
        shape, kind = array.shape, array.dtype
        if kind.kind not in "fiub" or len(shape) != 2 or shape[0] != len(texts) or not shape[1]:
            raise TypeError(f"an array of shape {shape} and type {kind}")
        single = kind.kind == "f" and kind.itemsize <= 4
        array = np.array(array, np.float32 if single else np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        count = f"{len(texts):,} text{'s' * (len(texts) > 1)}"
        raise SourceError(
            f"{label}: the function did not return one vector of numbers for each of {count}",
            got=str(error),
            allowed=ALLOWED,
        ) from error
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        raise SourceError(
            f"{label}: the vector of a text has a component that is not finite: "
            f"{excerpt(texts[row])}",
            got=str(array[row][~finite[row]][0]),
            allowed="finite numbers",
        )
    return array


def excerpt(text: str) -> str:
    """Begin a text in a message.

    >>> excerpt("a" * 100)[-5:]
    "aaa…'"
    """
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def require_extra(needed: Iterable[str], fault: str, extra: str = "hf") -> None:
    """Refuse to continue without the packages of an extra; `fault` says what cannot be done."""
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise SourceError(
            fault, got=f"no {' and no '.join(missing)}", remedy=f"pip install 'eatlas[{extra}]'"
        )


def roundoff_of(precision: str) -> float | None:
    """Unit roundoff of vectors; single precision where nothing is stated."""
    return ROUNDOFF.get(precision, ROUNDOFF["float32"])


@contextmanager
def wrap_errors(what: str, allowed: str | None = None, remedy: str | None = None) -> Iterator[None]:
    """Say as ours what a library raises."""
    try:
        yield
    except SourceError:
        raise
    except Exception as error:
        if "trust_remote_code" in str(error):
            remedy = "the model comes with code of its own; if you trust it: trust_remote_code=yes"
        got = first_line(error)
        raise SourceError(what, got=got, allowed=allowed, remedy=remedy) from error


def first_line(error: BaseException) -> str:
    """What a library says, in one line that advises nothing dangerous."""
    if "weights_only" in str(error):  # torch advises to read it all the same, which runs code
        return "the weights hold something else than numbers, which may be code; it is not read"
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
