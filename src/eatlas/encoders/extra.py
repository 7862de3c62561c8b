"""Packages that encoders need, and that come with an extra."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from eatlas.errors import SourceError


def require_extra(needed: Iterable[str], fault: str) -> None:
    """Refuse to go on without the packages of the extra ``hf``; `fault` says what cannot be done.

    Raises
    ------
    SourceError
        Naming those that are not installed.
    """
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise SourceError(
            fault, got=f"no {' and no '.join(missing)}", remedy="pip install 'eatlas[hf]'"
        )
