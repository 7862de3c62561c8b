"""What somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return the known names nearest to a name, best first; capitals make no difference.

    Examples
    --------
    >>> nearest("WEAT-66", ["weat-6", "weat-7", "sc-eat"])
    ['weat-6']
    """
    folded = {one.casefold(): one for one in known}
    return [folded[hit] for hit in difflib.get_close_matches(name.casefold(), folded, n=count)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the nearest known name, as the end of a sentence; empty if none is near."""
    near = nearest(name, known)
    return f"; did you mean {near[0]}?" if near else ""
