"""The components of one vector, from text or from an array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError


def parse_components(fields: Sequence[bytes] | Sequence[str], where: str) -> NDArray[np.float32]:
    """Parse the components of one vector as float32.

    Raises
    ------
    SourceError
        If one of them is no number, or not finite; `where` says where it stands.
    """
    try:
        numbers = np.array([float(field) for field in fields])
    except ValueError:
        numbers = None
    if numbers is None or _holds_underscore(fields):
        wrong = next(field for field in fields if not is_number(field))
        text = wrong.decode("utf-8", "replace") if isinstance(wrong, bytes) else wrong
        raise SourceError(f"{where}: a component is not a number", got=repr(text[:60]))
    with np.errstate(over="ignore"):
        vector = numbers.astype(np.float32)
    check_finite(vector, where)
    return vector


def _holds_underscore(fields: Sequence[bytes] | Sequence[str]) -> bool:
    """Whether a field is like ``1_000``, which Python reads as a number and files do not mean."""
    if isinstance(fields[0], bytes):
        return b"_" in b" ".join(fields)  # type: ignore[arg-type]
    return "_" in " ".join(fields)  # type: ignore[arg-type]


def check_finite(vectors: NDArray[np.floating], where: str) -> None:
    """Refuse components that are not finite.

    Raises
    ------
    SourceError
        Naming the first of them; `where` says where it stands.
    """
    finite = np.isfinite(vectors)
    if not finite.all():
        raise SourceError(
            f"{where}: a component is not finite",
            got=str(vectors[~finite][0]),
            allowed="finite numbers",
        )


def is_number(field: bytes | str) -> bool:
    """Whether a field reads as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return not _holds_underscore([field])  # type: ignore[arg-type]
