"""Sentences of earlier versions, as they are worded today."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Formatter

from eatlas.decoding import own_toml

Part = tuple[str, str | None]
"""Literal text, and the name of what follows it; None at the end."""


def current(text: str) -> str:
    """A sentence of a result in the wording of this version.

    Numbers and names of the sentence are kept, so that a sentence about other numbers is another
    one. What no earlier version wrote is returned as it is.
    """
    for old, new in _wordings():
        values = _values(old, text)
        if values is not None:
            return new.format_map(values)
    return text


@cache
def _wordings() -> tuple[tuple[tuple[Part, ...], str], ...]:
    """Retired templates in parts, each with the template of today; the first that fits counts."""
    data = resources.files("eatlas.engine") / "data" / "retired_wordings.toml"
    table = own_toml(data)["wording"]
    return tuple((tuple(_parts(one["old"])), one["new"]) for one in table)


def _parts(template: str) -> list[Part]:
    parts = [(literal, name) for literal, name, _, _ in Formatter().parse(template)]
    return [*parts, ("", None)] if parts[-1][1] is not None else parts


def _values(parts: tuple[Part, ...], text: str) -> dict[str, str] | None:
    """What a text has in the places of a template; None where it does not fit.

    Each place ends where the next literal begins first, so that the time is linear in the length
    of a text, which may be any file's.
    """
    values: dict[str, str] = {}
    (first, name), *rest = parts
    if not text.startswith(first):
        return None
    position = len(first)
    for literal, following in rest:
        if name is None:
            break
        last = following is None
        end = len(text) - len(literal) if last else text.find(literal, position)
        if end < position or not text.startswith(literal, end):
            return None
        values[name] = text[position:end]
        position, name = end + len(literal), following
    return values if position == len(text) else None
