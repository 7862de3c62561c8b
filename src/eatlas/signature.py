"""A measure as text: ``ML-EAT(alpha=0.05,ddof=1)`` parses, prints and compares.

This module only reads and writes; :mod:`eatlas.measures.registry` turns a name into a measure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from eatlas.errors import SignatureError

Value = bool | int | float | str

_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ITEM = re.compile(r"\s*(\w+)\s*=\s*(\"(?:[^\"\\]|\\.)*\"|[^,\"]+?)\s*(?:,|$)")
_BARE = re.compile(r"[A-Za-z_][\w.:/-]*")


@dataclass(frozen=True)
class Signature:
    """The name of a measure and its parameters, in one canonical order."""

    name: str
    params: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name.lower())
        object.__setattr__(self, "params", tuple(sorted(self.params)))

    def __str__(self) -> str:
        inside = ",".join(f"{key}={_show(value)}" for key, value in self.params)
        return f"{self.name.upper()}({inside})"

    def without(self, names: Collection[str]) -> Signature:
        """The same without some parameters."""
        return Signature(self.name, tuple(item for item in self.params if item[0] not in names))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature; a bare name means "all defaults"."""
        match = _CALL.fullmatch(text)
        if match is None:
            raise SignatureError(
                "the measure cannot be read",
                got=repr(text),
                allowed="NAME or NAME(key=value,...), for example ml-eat(alpha=0.01)",
            )
        return cls(match[1], _parse_params(text, match[2] or ""))


@lru_cache(maxsize=1_000)  # one signature stands in thousands of results
def _parse_params(text: str, inside: str) -> tuple[tuple[str, Value], ...]:
    """Names and values between the brackets of a signature, in their order."""
    params: dict[str, Value] = {}
    position = 0
    while inside[position:].strip():
        item = _ITEM.match(inside, position)
        try:
            value = None if item is None or item[1] in params else _parse_value(item[2])
        except ValueError:  # a backslash that begins no escape
            value = None
        if item is None or value is None:
            raise SignatureError(
                f"a parameter of the measure {text!r} cannot be read",
                got=inside[position:].strip(),
                allowed="key=value pairs separated by commas, each key once",
            )
        params[item[1]] = value
        position = item.end()
    return tuple(params.items())


def _parse_value(text: str) -> Value:
    """A value as a signature writes it: a text in quotes, a truth value, a number, or a word."""
    if text.startswith('"'):
        return str(json.loads(text, strict=False))  # ends of lines as they are
    lowered = text.lower()
    if lowered in {"true", "false"}:
        return lowered == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        looks_plain = _BARE.fullmatch(value) and _parse_value(value) == value
        return value if looks_plain else json.dumps(value, ensure_ascii=False)
    return repr(value)
