"""A key of an endpoint: read from the environment, and hidden wherever a text might show it."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from urllib.parse import quote, quote_plus

from eatlas.errors import EatlasError, SourceError

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
PART = 6
"""Characters of a key that stand together are hidden from so many on."""
HIDDEN = "***"
READ, SHOWN = 4000, 600
"""Characters of a message that are looked at, and that are shown."""


class Secret:
    """A key, or none.

    Parameters
    ----------
    value : str or None

    Examples
    --------
    >>> Secret("sk-0123456789").hide("wrong key sk-012345...")
    'wrong key ***...'
    """

    def __init__(self, value: str | None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN if self.value else None})"

    def hide(self, text: str) -> str:
        """A text without the key, without parts of it, and without what it is written as."""
        found = [False] * len(text)
        for size, parts in self._parts:
            for start in range(len(text) - size + 1):
                if text[start : start + size] in parts:
                    found[start : start + size] = [True] * size
        shown, before = [], False
        for char, hidden in zip(text, found, strict=True):
            if not hidden:
                shown.append(char)
            elif not before:
                shown.append(HIDDEN)
            before = hidden
        return "".join(shown)

    @cached_property
    def _parts(self) -> Sequence[tuple[int, frozenset[str]]]:
        """Parts of one length, from each way to write the key."""
        if not self.value:
            return ()
        size = min(PART, len(self.value))
        ways = {
            self.value,
            repr(self.value)[1:-1],
            json.dumps(self.value)[1:-1],
            quote(self.value, safe=""),
            quote_plus(self.value),
        }
        raw = self.value.encode()
        for shift in range(3):  # where it stands in a longer text decides how base64 writes it
            # the first and last letters also hold bits of what stands beside the key
            ways.add(base64.b64encode(b" " * shift + raw).decode()[2 if shift else 0 : -4])
        parts = {way[i : i + size] for way in ways for i in range(len(way) - size + 1)}
        return ((size, frozenset(parts)),)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Let no message of an error show the key, nor the errors that led to it."""
        try:
            yield
        except EatlasError as error:
            # cut after it is hidden: half a key at the end would not be known
            parts = (error.what, error.got, error.allowed, error.remedy)
            shown = [None if one is None else self.hide(one[:READ])[:SHOWN] for one in parts]
            what, got, allowed, remedy = shown
            raise type(error)(what or "", got=got, allowed=allowed, remedy=remedy) from None


def secret_of_environment() -> Secret:
    """The first key that is set, without spaces and ends of lines around it.

    Raises
    ------
    SourceError
        If it holds what no key can hold; the message does not show it.
    """
    for name in KEYS:
        value = os.environ.get(name, "").strip()
        if not value:
            continue
        bad = next((i for i, c in enumerate(value) if not ("!" <= c <= "~")), None)
        if bad is not None:
            raise SourceError(
                f"{name}: this is no key",
                got=f"a space, a control character or a letter beyond ASCII in place {bad + 1} of "
                f"{len(value)}",
                allowed="one line of ASCII letters, digits and signs",
            )
        return Secret(value)
    return Secret(None)
