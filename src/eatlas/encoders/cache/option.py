"""The option ``cache`` of a source string."""

from __future__ import annotations

from collections.abc import Callable

from eatlas.encoders.cache.cached import cached
from eatlas.errors import SourceError
from eatlas.sources.care import computes_afresh
from eatlas.sources.passages import is_contextual
from eatlas.sources.protocol import VectorSource
from eatlas.sources.spec import take_option

Opener = Callable[[str], tuple[VectorSource, ...]]


def keeping(opener: Opener) -> Opener:
    """Let a kind of encoders keep its vectors, unless a source string says ``cache=no``.

    The option is no part of the source's name: numbers are the same either way.
    """

    def open_some(text: str) -> tuple[VectorSource, ...]:
        plain, keep = take_cache(text)
        sources = opener(plain)
        if not keep or computes_afresh():
            return sources
        return tuple(cached(one) if is_contextual(one) else one for one in sources)

    return open_some


def take_cache(text: str) -> tuple[str, bool]:
    """Return a source string without the option, and whether what is computed is kept.

    >>> take_cache("hf:gpt2?cache=no&precision=float16")
    ('hf:gpt2?precision=float16', False)
    """
    plain, choice = take_option(text, "cache")
    if choice not in {None, "yes", "no"}:
        raise SourceError(f"{text}: the option cache", got=choice, allowed="yes or no")
    return plain, choice != "no"
