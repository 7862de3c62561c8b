"""The public way to a transformed source."""

from __future__ import annotations

from typing import Any

from eatlas.sources.opening import open_vectors
from eatlas.sources.transforms import TransformedEncodings, TransformedSource, with_transform


def transformed(source: Any, transform: str) -> TransformedSource | TransformedEncodings:
    """Transform all vectors of a source, as a remedy for anisotropy.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        The transform is fitted on all its vectors but zeros, so it must be readable from end to
        end; or it encodes texts, and the fit is on all that are encoded at once, as in a run.
    transform : str
        ``center`` subtracts the mean; ``standardize`` also divides each dimension by its standard
        deviation; ``all-but-the-top:K`` also removes the first K principal components (Mu and
        Viswanath 2018); ``whiten`` also gives all directions the same variance. Several with
        commas, done in that order. The same as ``?transform=`` in a source string.

    Returns
    -------
    VectorSource
        Its name, notes and fingerprint say what was done, and on how many vectors it was fitted.

    Raises
    ------
    SourceError
        If the transform is unknown or the source cannot be listed; on first use, if there are too
        few vectors, or nothing would be left of them.

    Examples
    --------
    >>> import eatlas
    >>> source = eatlas.transformed({"up": [2.0, 1.0], "down": [0.0, 1.0]}, "center")
    >>> source.lookup(["up"])["up"].tolist(), source.fitted_on
    ([1.0, 0.0], 2)
    """
    return with_transform(open_vectors(source), transform)
