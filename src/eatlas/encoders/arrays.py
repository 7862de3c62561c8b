"""What other programs hand over as vectors, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, described

ALLOWED = "an array of shape (number of texts, number of components): numpy, torch, list of lists"
_SHOWN = 60


def as_rows(given: Any, texts: Sequence[str], where: str) -> NDArray[np.floating]:
    """Return one finite vector for each text, as an array of its own.

    Parameters
    ----------
    given : array_like, shape (n, d)
        numpy array, torch tensor on any device, list of lists, frame.
    texts : sequence of str, length n
    where : str
        Names the source in an error.

    Returns
    -------
    array, shape (n, d)
        float32 where float32 or less was given, else float64.

    Raises
    ------
    SourceError
        If it has another shape, or holds what is no finite number.
    """
    array = _as_array(given, where)
    if array.ndim != 2 or len(array) != len(texts) or not array.shape[1]:
        raise SourceError(
            f"{where}: what came back for {_count(len(texts))} is not one vector for each",
            got=f"an array of shape {array.shape}",
            allowed=ALLOWED,
        )
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        bad = array[row][~np.isfinite(array[row])][0]
        raise SourceError(
            f"{where}: the vector of a text has a component that is not finite: "
            f"{shortened(texts[row])!r}",
            got=str(bad),
            allowed="finite numbers",
        )
    return array


def shortened(text: str) -> str:
    """A text for a message.

    Examples
    --------
    >>> shortened("a " * 100)[-5:]
    'a ...'
    """
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _as_array(given: Any, where: str) -> NDArray[np.floating]:
    try:
        array = np.asarray(_on_this_machine(given))
    except (TypeError, ValueError, RuntimeError) as error:
        raise SourceError(
            f"{where}: what came back is no array of vectors",
            got=f"{described(given)}: {error}",
            allowed=ALLOWED,
        ) from error
    if array.dtype.kind not in "fiub":
        raise SourceError(
            f"{where}: what came back is no array of numbers",
            got=f"{described(given)}, of type {array.dtype}",
            allowed=ALLOWED,
        )
    single = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    return np.array(array, np.float32 if single else np.float64)


def _on_this_machine(given: Any) -> Any:
    """A torch tensor may lie on a GPU, have a gradient, or numbers of a type that numpy lacks."""
    if not hasattr(given, "detach"):
        return given
    tensor = given.detach().cpu()
    try:
        return tensor.numpy()
    except TypeError:  # bfloat16
        return tensor.float().numpy()


def _count(n: int) -> str:
    return "1 text" if n == 1 else f"{n:,} texts"
