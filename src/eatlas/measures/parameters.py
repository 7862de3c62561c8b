"""Parameters of measures: what each may be, and when a signature names it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may have, in words and as a test."""

    text: str
    includes: Callable[[Any], bool]


def choice(literal: Any) -> Allowed:
    """One of the values of a ``Literal`` type."""
    values = get_args(literal)
    return Allowed(" or ".join(values), lambda value: value in values)


def whole(least: int, *words: str) -> Allowed:
    """A whole number from `least`, or one of some words."""
    text = ", or ".join([f"a whole number from {least}", *words])
    return Allowed(text, lambda value: value in words or (type(value) is int and value >= least))


def is_number(value: object) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


SHARE = Allowed("a number between 0 and 1", lambda value: is_number(value) and 0 < value < 1)
FROM_0 = Allowed("a number from 0", lambda value: is_number(value) and value >= 0)
FLAG = Allowed("true or false", lambda value: isinstance(value, bool))


def parameter(default: Any, allowed: Any = None, *, optional: bool = False) -> Any:
    """Declare a parameter of a measure.

    Parameters
    ----------
    default : object
    allowed : Allowed or Literal type, optional
        The values that it may have; others are refused.
    optional : bool
        Whether signatures name it only where it has another value than its default.
    """
    if not isinstance(allowed, Allowed | None):
        allowed = choice(allowed)
    return field(default=default, metadata={"allowed": allowed, "optional": optional})
