"""Which layers of a model a vector comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eatlas.errors import SourceError

EVERY = "all"
_ONE = re.compile(r"-?\d{1,4}", re.ASCII)
_RANGE = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})", re.ASCII)


@dataclass(frozen=True)
class Layers:
    """Layers by number, 0 for the embeddings, and how several become one.

    Examples
    --------
    >>> str(Layers((12,))), str(Layers((11, 12), "mean"))
    ('12', 'mean(11,12)')
    """

    numbers: tuple[int, ...]
    combine: str = ""

    def __str__(self) -> str:
        listed = ",".join(map(str, self.numbers))
        return f"{self.combine}({listed})" if self.combine else listed


def parse_layers(text: str, combine: str | None, top: int, where: str) -> tuple[Layers, ...]:
    """Read the options ``layer`` and ``layers`` for a model whose top layer is number `top`.

    Returns
    -------
    tuple of Layers
        One, or for ``all`` every layer by itself.

    Raises
    ------
    SourceError
        If the text cannot be read, or the model has no such layer.

    Examples
    --------
    >>> [str(each) for each in parse_layers("-2..-1", None, 12, "hf:gpt2")]
    ['mean(11,12)']
    """
    if text == EVERY:
        _none_to_combine(combine, "every layer is taken by itself", where)
        return tuple(Layers((number,)) for number in range(top + 1))
    numbers = tuple(dict.fromkeys(n for part in text.split(",") for n in _part(part, top, where)))
    if len(numbers) > 1:
        return (Layers(numbers, combine or "mean"),)
    _none_to_combine(combine, "one layer is taken", where)
    return (Layers(numbers),)


def _part(text: str, top: int, where: str) -> range:
    found = _RANGE.fullmatch(text.strip())
    if found:
        first, last = (_number(each, top, where) for each in found.groups())
        if first <= last:
            return range(first, last + 1)
    elif _ONE.fullmatch(text.strip()):
        number = _number(text.strip(), top, where)
        return range(number, number + 1)
    raise SourceError(
        f"{where}: the option layer cannot have this value",
        got=f"layer={text}",
        allowed="a number, a range from a lower to a higher layer such as -4..-1, "
        "several such as 1,2,3, or all",
    )


def _number(text: str, top: int, where: str) -> int:
    number = int(text)
    if -top - 1 <= number <= top:
        return number % (top + 1)
    raise SourceError(
        f"{where}: the model has no such layer",
        got=f"layer={text}",
        allowed=f"0 (the embeddings) to {top} (the top), or -1 (the top) to {-top - 1}",
    )


def _none_to_combine(combine: str | None, why: str, where: str) -> None:
    if combine is not None:
        raise SourceError(
            f"{where}: there is nothing to combine, {why}",
            got=f"layers={combine}",
            remedy="leave out layers, or name several: layer=-4..-1",
        )
