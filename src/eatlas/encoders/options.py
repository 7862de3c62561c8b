"""What a source string of the kind ``hf:`` may request, parsed and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.sources.spec import check_options

Level = Literal["sentence", "word"]
Weights = Literal["trained", "random"]

OPTIONS = {
    "level": "what a vector stands for: the whole text, or the stimulus in it",
    "layer": "one layer, a range such as -4..-1, several such as 1,2,3, or all",
    "layers": "how several layers become one vector",
    "pool": "how the tokens of a text become one vector, at level sentence",
    "subword": "how the pieces of a stimulus become one vector, at level word",
    "weights": "trained, or random as a control",
    "seed": "of random weights",
    "precision": "type of the numbers that the model computes with",
    "device": "where it computes",
    "truncate": "whether a text that is too long is cut",
    "trust_remote_code": "whether code that comes with the model may run",
    "revision": "branch, tag or commit of a model on the hub",
}
POOLS = {
    "cls": "the token that stands for the whole text, such as [CLS]",
    "mean": "the mean of the tokens",
    "first": "the first token",
    "last": "the last token",
    "max": "the maximum of the tokens",
    "mean-all": "the mean of all tokens, special ones included",
    "last-all": "the last of all tokens, special ones included",
    "max-all": "the maximum of all tokens, special ones included",
}
"""How the tokens of a text become one vector, in words. Those with ``-all`` take the special tokens
too, as sentence-transformers does."""
POOLED = "pooled"
"""As a model of images itself pools its patches."""
POOLS_OF_IMAGES = {
    "cls": "the token that stands for the whole image",
    "mean": "the mean of the patches",
    "max": "the maximum of the patches",
    "mean-all": "the mean of all tokens, special ones included",
    POOLED: "as the model itself pools",
}
"""How the patches of an image become one vector, in words."""
EVERY = "all"
_ONE = re.compile(r"-?\d{1,4}", re.ASCII)
_RANGE = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})", re.ASCII)


class Values(NamedTuple):
    """What an option may be."""

    pattern: str
    words: str

    @classmethod
    def of(cls, *names: str) -> Values:
        """One of some names."""
        return cls("|".join(map(re.escape, names)), ", ".join(names))


VALUES = {
    "level": Values.of("sentence", "word"),
    "layers": Values.of("mean", "sum"),
    "pool": Values.of(*POOLS, POOLED),
    "subword": Values.of("mean", "first", "last"),
    "weights": Values.of("trained", "random"),
    "precision": Values.of("float32", "bfloat16", "float16"),
    "truncate": Values.of("no", "yes"),
    "trust_remote_code": Values.of("no", "yes"),
    "seed": Values(r"\d{1,18}", "a whole number from 0"),
    "device": Values(r"auto|cpu|mps|cuda(:\d{1,3})?", "auto, cpu, cuda, cuda:NUMBER, mps"),
}
"""What is allowed; a layer is read with the model's own numbers."""


@dataclass(frozen=True)
class Options:
    """The choices of a source string; None where the model's family decides."""

    level: Level = "sentence"
    layer: str = "-1"
    layers: str | None = None
    pool: str | None = None
    subword: str | None = None
    weights: Weights = "trained"
    seed: int | None = None
    precision: str = "float32"
    device: str = "auto"
    truncate: bool = False
    trust: bool = False
    revision: str = "main"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about a model with these options."""
        if self.weights != "random":
            return ()
        return (Note("source.random-weights", values={"seed": self.seed}),)


_TEXTS = (
    "level",
    "layer",
    "layers",
    "pool",
    "subword",
    "weights",
    "precision",
    "device",
    "revision",
)


def parse(options: Mapping[str, str], label: str) -> Options:
    """Check the options of a source string; `label` names it in an error."""
    check_options(options, OPTIONS, label)
    check_values(options, VALUES, label)
    seed = int(options.get("seed", 0)) if options.get("weights") == "random" else None
    if seed is None and "seed" in options:
        raise SourceError(
            f"{label}: a seed is for random weights, and these are trained",
            remedy="add weights=random, or leave out the seed",
        )
    truncate, trust = (options.get(key) == "yes" for key in ("truncate", "trust_remote_code"))
    texts: dict[str, Any] = {key: options[key] for key in _TEXTS if key in options}
    return Options(**texts, seed=seed, truncate=truncate, trust=trust)


def check_values(options: Mapping[str, str], allowed: Mapping[str, Values], label: str) -> None:
    """Refuse an option that has a value which is not allowed."""
    for key, values in allowed.items():
        if key in options and not re.fullmatch(values.pattern, options[key], re.ASCII):
            raise not_allowed(label, key, options[key], values.words)


def not_allowed(label: str, key: str, got: str, allowed: str) -> SourceError:
    """Say that an option has a value which it cannot have."""
    return SourceError(
        f"{label}: the option {key} cannot have this value", got=f"{key}={got}", allowed=allowed
    )


@dataclass(frozen=True)
class Layers:
    """Layers by number, 0 for the embeddings, and how several become one."""

    numbers: tuple[int, ...]
    combine: str = ""

    def __str__(self) -> str:
        listed = ",".join(map(str, self.numbers))
        return f"{self.combine}({listed})" if self.combine else listed


def parse_layers(text: str, combine: str | None, top: int, label: str) -> tuple[Layers, ...]:
    """Read the options ``layer`` and ``layers`` for a model whose top layer is number `top`."""
    if text == EVERY:
        _none_to_combine(combine, "every layer is taken by itself", label)
        return tuple(Layers((number,)) for number in range(top + 1))
    numbers = tuple(dict.fromkeys(n for part in text.split(",") for n in _part(part, top, label)))
    if len(numbers) > 1:
        return (Layers(numbers, combine or "mean"),)
    _none_to_combine(combine, "one layer is taken", label)
    return (Layers(numbers),)


def _part(text: str, top: int, label: str) -> range:
    """Read one part of the option ``layer``: a number or a range."""
    ends = _RANGE.fullmatch(text.strip())
    if ends:
        first, last = (_number(each, top, label) for each in ends.groups())
        if first <= last:
            return range(first, last + 1)
    elif _ONE.fullmatch(text.strip()):
        number = _number(text.strip(), top, label)
        return range(number, number + 1)
    allowed = "a number, a range from a lower to a higher layer such as -4..-1, several such as"
    raise not_allowed(label, "layer", text, f"{allowed} 1,2,3, or all")


def _number(text: str, top: int, label: str) -> int:
    number = int(text)
    if -top - 1 <= number <= top:
        return number % (top + 1)
    raise SourceError(
        f"{label}: the model has no such layer",
        got=f"layer={text}",
        allowed=f"0 (the embeddings) to {top} (the top), or -1 (the top) to {-top - 1}",
    )


def _none_to_combine(combine: str | None, why: str, label: str) -> None:
    if combine is not None:
        raise SourceError(
            f"{label}: there is nothing to combine, {why}",
            got=f"layers={combine}",
            remedy="leave out layers, or name several: layer=-4..-1",
        )
