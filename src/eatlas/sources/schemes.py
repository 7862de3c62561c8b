"""Kinds of sources that a source string names by what stands before its first colon."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from eatlas.sources.encoders.cache.option import keeping
from eatlas.sources.encoders.endpoint import open_endpoint
from eatlas.sources.encoders.functions import open_py
from eatlas.sources.encoders.hf import open_hf
from eatlas.sources.encoders.sentence_model import open_st
from eatlas.sources.prompts import OPTION, prompted
from eatlas.sources.protocol import VectorSource
from eatlas.sources.spec import is_there, parse_file_spec, take_option

Opener = Callable[[str], tuple[VectorSource, ...]]
"""From a whole source string, its scheme and options included, to its sources: mostly one."""

SCHEMES: dict[str, Opener] = {
    "hf": keeping(open_hf),
    "http": keeping(open_endpoint),
    "https": keeping(open_endpoint),
    "py": open_py,
    "st": keeping(open_st),
}
"""By the scheme without its colon; what is heavy is imported by the source, when it is used."""


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
    return partial(_open_with_prompt, opener)


def _open_with_prompt(opener: Opener, text: str) -> tuple[VectorSource, ...]:
    """Open what encodes texts; a prompt is for all kinds of it alike."""
    plain, prompt = take_option(text, OPTION)
    sources = opener(plain)
    return sources if prompt is None else tuple(prompted(source, prompt) for source in sources)


def known_schemes() -> str:
    """Name the schemes, for a message."""
    return " or ".join(f"{scheme}:" for scheme in sorted(SCHEMES))
