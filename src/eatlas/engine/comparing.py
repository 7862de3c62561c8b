"""Two records of one result, and where they differ by more than machines do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

RELATIVE = 1e-9
"""Machines add cosines in different orders (BLAS, SIMD), which changes their last bits. With every
component of the vectors of the ten Caliskan tests changed by one unit in the last place, six times,
the stated error of an inversion moved most, by 2e-11; p-values moved by 2e-14, scores by 9e-13."""
NOUGHT = 1e-14
"""A difference that should be 0 is as large as its rounding error, so no relative bound fits. In
the same trial no score moved by more than 2.3e-16 and no effect size by more than 2.6e-15."""
ROUNDED = {"uncertainty": 1e-3, "influence": 2e-6, "similarities": 2e-6, "diagnosis": 2e-6}
"""Parts that a result keeps to six decimals, where the last bit of a number can turn the last
digit. One of some thousand resamples may also fall on the other side of a threshold, which moves
a share or the end of an interval by less than 1e-3."""
OF_THE_PROGRAM = "provenance.version"
COMPUTED = ";transform="
"""In a fingerprint: the vectors are computed, and the last bits of their hash are the machine's."""
SHOWN = 80


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Say what differs between two records, as plain values.

    Parameters
    ----------
    old, new : dict
        What ``to_dict()`` of results gives. Keys that `old` lacks are left out.

    Examples
    --------
    >>> list(differences({"d": 1.5, "n": 8}, {"d": 1.5000000000000002, "n": 9}))
    ['n: 8 in the file, 9 now']
    """
    if path == OF_THE_PROGRAM or old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            if key == "vectors_sha256" and _computed_alike(old, new):
                continue
            yield from differences(value, new.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif not _near(old, new, path):
        yield f"{path}: {_short(old)} in the file, {_short(new)} now"


def _computed_alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether both vectors were computed in the same way from the same source."""
    fingerprint = str(old.get("source_fingerprint"))
    return COMPUTED in fingerprint and fingerprint == new.get("source_fingerprint")


def _near(old: Any, new: Any, path: str) -> bool:
    """Whether two numbers differ by no more than another machine's arithmetic explains."""
    if not (isinstance(old, float) and isinstance(new, float)):
        return False
    keys = path.replace("[", ".").split(".")
    if keys[0] in ROUNDED:
        return abs(old - new) <= ROUNDED[keys[0]]
    # a p-value is never 0 and may be smaller than any rounding error of a mean
    nought = 0.0 if "p" in keys else NOUGHT
    return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=nought)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
