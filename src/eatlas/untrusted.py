"""What a source string may do: anything that its writer could, or read data and nothing else.

Users trust what they write themselves. A source string out of a file is somebody else's, be it of
results or of the plan of a study: inside :func:`data_only` it opens files and folders of data that
are on this machine. Every place where a source string would run code, send a request or load an
installed package asks :func:`require_trust` first, whatever precedes it in the string.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from eatlas.errors import SourceError, UntrustedSourceError

_out_of_a_file: ContextVar[str | None] = ContextVar("_out_of_a_file", default=None)
_computed_afresh: ContextVar[bool] = ContextVar("_computed_afresh", default=False)
_kept_answers: ContextVar[bool] = ContextVar("_kept_answers", default=False)


def list_trusted(trust: str | Iterable[str], named: Iterable[str], what: str) -> tuple[str, ...]:
    """List the sources of a file that the user trusts."""
    trusted = (trust,) if isinstance(trust, str) else tuple(trust)
    known = list(dict.fromkeys(named))
    for source in trusted:
        if source not in known:
            raise SourceError(
                f"trust: {what} with this name", got=source, allowed=", ".join(known) or None
            )
    return trusted


@contextmanager
def data_only(source: str, trusted: Collection[str] = ()) -> Iterator[None]:
    """Open what follows as a source string that a file names, not the user."""
    token = _out_of_a_file.set(None if source in trusted else source)
    try:
        yield
    finally:
        _out_of_a_file.reset(token)


def only_data() -> bool:
    """Whether a file named what is being opened, so that only data may be read."""
    return _out_of_a_file.get() is not None


def require_trust(would: str) -> None:
    """Refuse to continue where a file named the source."""
    source = _out_of_a_file.get()
    if source is None:
        return
    raise UntrustedSourceError(
        f"{source}: refused, as it would {would}",
        got="a source that a file names, not you",
        allowed="bundled vectors; files and folders of data that are here; published downloaded "
        "vectors; local models of hf:, st: and clip: without code of their own",
        remedy=f"if you trust it: --trust {shlex.quote(source)}",
    )


@contextmanager
def bypass_caches() -> Iterator[None]:
    """Read no cache, no kept hash and no index: compute all that follows from the files."""
    token = _computed_afresh.set(True)
    try:
        yield
    finally:
        _computed_afresh.reset(token)


def computes_afresh() -> bool:
    """Whether nothing that was stored may be used."""
    return _computed_afresh.get()


@contextmanager
def use_stored_answers() -> Iterator[None]:
    """Read answers of served models from the cache: a new answer may differ without an error.

    A model that a file names is then opened, and asked nothing.
    """
    token = _kept_answers.set(True)
    try:
        yield
    finally:
        _kept_answers.reset(token)


def takes_kept_answers() -> bool:
    """Whether answers that are stored are used, and where a file names the model no others."""
    return _kept_answers.get()
