"""What a source string may do: anything that its writer could, or read data and nothing else.

Users trust what they write themselves. A source string out of a file is somebody else's: inside
:func:`data_only` it opens files and folders of data that are on this machine. Every place where a
source string would run code, send a request or load an installed package asks
:func:`require_trust` first, whatever precedes it in the string.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from eatlas.errors import UntrustedSourceError

_out_of_a_file: ContextVar[str | None] = ContextVar("_out_of_a_file", default=None)
_computed_afresh: ContextVar[bool] = ContextVar("_computed_afresh", default=False)


@contextmanager
def data_only(source: str) -> Iterator[None]:
    """Open what follows as a source string that a file names, not the user.

    Parameters
    ----------
    source : str
        The whole source string, as the file has it; messages repeat it.

    Examples
    --------
    >>> with data_only("py:module:function"):
    ...     require_trust("import the module module")
    Traceback (most recent call last):
    ...
    eatlas.errors.UntrustedSourceError: py:module:function: refused, as it would import the module \
module
      got: a source that a results file names, not you
      allowed: bundled vectors; files and folders of data that are here; published vectors that \
were fetched; local models of hf:, st: and clip: without code of their own
      remedy: if you trust it: --trust py:module:function; if the vectors are somewhere else: \
--vectors py:module:function=PATH
    """
    token = _out_of_a_file.set(source)
    try:
        yield
    finally:
        _out_of_a_file.reset(token)


def only_data() -> bool:
    """Whether a file named what is being opened, so that only data may be read."""
    return _out_of_a_file.get() is not None


def require_trust(would: str) -> None:
    """Refuse to continue where a file named the source.

    Parameters
    ----------
    would : str
        What opening the source would do, as a verb with its object.

    Raises
    ------
    UntrustedSourceError
        Inside :func:`data_only`.
    """
    source = _out_of_a_file.get()
    if source is None:
        return
    raise UntrustedSourceError(
        f"{source}: refused, as it would {would}",
        got="a source that a results file names, not you",
        allowed="bundled vectors; files and folders of data that are here; published vectors that "
        "were fetched; local models of hf:, st: and clip: without code of their own",
        remedy=f"if you trust it: --trust {shlex.quote(source)}; if the vectors are somewhere "
        f"else: --vectors {shlex.quote(f'{source}=PATH')}",
    )


@contextmanager
def computed_afresh() -> Iterator[None]:
    """Read no cache, no kept hash and no index: compute all that follows from the files."""
    token = _computed_afresh.set(True)
    try:
        yield
    finally:
        _computed_afresh.reset(token)


def computes_afresh() -> bool:
    """Whether nothing that was kept may be used."""
    return _computed_afresh.get()
