"""Two records of one result, and where they differ by more than machines do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

RELATIVE = 1e-9
"""Machines add cosines in different orders (BLAS, SIMD), which changes their last bits. With every
component of the vectors of the ten Caliskan tests changed by one unit in the last place, six times,
the stated error of an inversion moved most, by 2e-11; p-values moved by 2e-14, scores by 9e-13."""
NOUGHT = 1e-14
"""A difference that should be 0 is as large as its rounding error, so no relative bound fits. In
the same trial no score moved by more than 2.3e-16 and no effect size by more than 2.6e-15."""
ROUNDED = {
    "uncertainty": 1e-3,
    "patterns": 1e-3,
    "kept": 2e-4,
    "influence": 2e-6,
    "similarities": 2e-6,
    "diagnosis": 2e-6,
    "matched": 2e-6,
}
"""Parts that a result keeps to six decimals, where the last bit of a number can turn the last
digit. One of some thousand resamples, or of random lists, may also fall on the other side of a
threshold, which moves a share or the end of an interval by less than 1e-3."""


@dataclass(frozen=True)
class Tolerance:
    """How far two computations of one number may be apart."""

    relative: float
    nought: float
    """Absolute; for all but p-values and their stated errors."""
    p: float
    """Relative, of p-values."""
    stated: float
    """Relative, of the error that is stated for a p-value."""
    count: float
    """Relative, of counted relabellings."""


LOOKED_UP = Tolerance(RELATIVE, NOUGHT, p=RELATIVE, stated=RELATIVE, count=0.0)
ENCODED = Tolerance(1e-6, 1e-6, p=1e-2, stated=0.5, count=1e-2)
"""Vectors that a model computes in single precision depend on the number of threads, the processor,
the library's kernels, and the texts of a batch. sent-weat-6 by MiniLM with one and two threads,
with and without mkldnn, in batches of 16 to 2,048 tokens: no score moved by more than 1.1e-7, no
effect size by more than 8e-8; p-values by 9e-6 of their size (the smallest most, 7e-16), those
of a tiny model of random weights, whose scores hardly differ, by 2.5e-3. The error
that is stated of a p-value moves most, in sent-weat-7 by 6e-3 of its size, and decides nothing."""
ANSWERED = Tolerance(2e-5, 2e-5, p=1e-2, stated=0.5, count=1e-2)
"""Log-probabilities that a model computes in single precision, some tens of nats large, likewise
depend on what else was asked, which the cache changes: those of a tiny BERT moved by up to 1e-5."""
CROSSED = {"t": 1e-4, "df": 1e-4, "p_greater": 1e-3, "p_less": 1e-3, "p_two_sided": 1e-3}
"""Relative, of the crossed tests of computed vectors, which divide by a standard error that is
small where all cosines are alike. With noise of two units in the last place in vectors whose mean
cosine is 0, .9 and .9999, t moved by 4e-7, 2e-6 and 4e-5 of its size, p by 1e-6, 1e-6 and 8e-5."""
OF_THE_PROGRAM = "provenance.version"
COMPUTED = ";transform="
"""In a fingerprint: the vectors are computed, and the last bits of their hash are the machine's."""
SHOWN = 80


def differences(old: Any, new: Any) -> Iterator[str]:
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
    tolerance = LOOKED_UP
    if isinstance(old, Mapping) and old.get("encoding"):
        tolerance = ENCODED
    elif isinstance(old, Mapping) and old.get("language_model"):
        tolerance = ANSWERED
    yield from _differences(old, new, "", tolerance)


def lacking(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Parts of a record that another lacks.

    Parameters
    ----------
    old, new : dict
        What ``to_dict()`` of results gives.

    Yields
    ------
    path : str
    value
        What `new` holds there; never None or empty, which says nothing.

    Examples
    --------
    >>> list(lacking({"p": {"less": 0.1}}, {"p": {"less": 0.1, "total": 70}, "notes": []}))
    [('p.total', 70)]
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in new.items():
            place = f"{path}.{key}" if path else str(key)
            if key in old:
                yield from lacking(old[key], value, place)
            elif value not in (None, "", [], {}, (), False):
                yield place, value
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from lacking(one, other, f"{path}[{i}]")


def _differences(old: Any, new: Any, path: str, tolerance: Tolerance) -> Iterator[str]:
    if path == OF_THE_PROGRAM or old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            if key == "vectors_sha256" and _computed_alike(old, new, tolerance):
                continue
            place = f"{path}.{key}" if path else str(key)
            yield from _differences(value, new.get(key), place, tolerance)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{path}[{i}]", tolerance)
    elif not _near(old, new, path.replace("[", ".").split("."), tolerance):
        yield f"{path}: {shortly(old)} in the file, {shortly(new)} now"


def _computed_alike(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: Tolerance) -> bool:
    """Whether both vectors were computed in the same way from the same source."""
    fingerprint = str(old.get("source_fingerprint"))
    computed = tolerance is not LOOKED_UP or COMPUTED in fingerprint
    return computed and fingerprint == new.get("source_fingerprint")


def _near(old: Any, new: Any, keys: list[str], tolerance: Tolerance) -> bool:
    """Whether two numbers differ by no more than another machine's arithmetic explains."""
    if "count" in keys and isinstance(old, int) and isinstance(new, int):
        return abs(old - new) <= tolerance.count * max(old, new)
    if not (isinstance(old, float) and isinstance(new, float)):
        return False
    rounded = next((bound for part, bound in ROUNDED.items() if part in keys), None)
    if rounded is not None:
        return abs(old - new) <= max(rounded, tolerance.nought)
    if "generalisation" in keys and keys[-1] in CROSSED:
        computed = tolerance is not LOOKED_UP
        relative = CROSSED[keys[-1]] if computed else tolerance.relative
        return math.isclose(old, new, rel_tol=relative, abs_tol=NOUGHT if keys[-1] == "t" else 0.0)
    if "p" in keys:  # a p-value is never 0 and may be smaller than any rounding error of a mean
        relative = tolerance.stated if "rel_err" in keys else tolerance.p
        return math.isclose(old, new, rel_tol=relative)
    return math.isclose(old, new, rel_tol=tolerance.relative, abs_tol=tolerance.nought)


def shortly(value: Any) -> str:
    """A value as it is written, cut where it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
