"""Kinds of sources that a source string names by what stands before its first colon."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from eatlas.sources.prompts import OPTION, prompted
from eatlas.sources.protocol import VectorSource
from eatlas.sources.spec import is_there, parse_file_spec, take_option

Opener = Callable[[str], tuple[VectorSource, ...]]
"""From a whole source string, its scheme and options included, to its sources: mostly one."""

SCHEMES: dict[str, Opener | str] = {
    "hf": "eatlas.encoders.hf:open_hf",
    "http": "eatlas.encoders.endpoint:open_endpoint",
    "https": "eatlas.encoders.endpoint:open_endpoint",
    "py": "eatlas.encoders.functions:open_py",
    "st": "eatlas.encoders.sentence_model:open_st",
}
"""By the scheme without its colon: an opener, or its place, imported when it is used."""


def load(place: str) -> Any:
    """Import what ``module:name`` names.

    Examples
    --------
    >>> load("eatlas.sources.schemes:load") is load
    True
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def opener_of(text: str) -> Opener | None:
    """Return what opens a source string that begins with a known scheme; an existing path wins.

    Examples
    --------
    >>> opener_of("vectors.txt") is None
    True
    """
    scheme, colon, _ = text.partition(":")
    opener = SCHEMES.get(scheme) if colon else None
    if opener is None or is_there(parse_file_spec(text).path):
        return None
    return partial(_open_with_prompt, load(opener) if isinstance(opener, str) else opener)


def _open_with_prompt(opener: Opener, text: str) -> tuple[VectorSource, ...]:
    """Open what encodes texts; a prompt is for all kinds of it alike."""
    plain, prompt = take_option(text, OPTION)
    sources = opener(plain)
    return sources if prompt is None else tuple(prompted(source, prompt) for source in sources)


def known_schemes() -> str:
    """Name the schemes, for a message."""
    return " or ".join(f"{scheme}:" for scheme in sorted(SCHEMES))
