"""A scan in plain words: what each way of judging all words together can do, and what it found."""

from __future__ import annotations

from eatlas.present.rendering import lines
from eatlas.results.scan import ScanResult


def explain(result: ScanResult) -> tuple[str, ...]:
    """Sentences on the p-values of a scan, one a line.

    Examples
    --------
    >>> import eatlas
    >>> for line in explain(eatlas.scan("glove-sample", "weat-7", first=1000))[1:3]:
    ...     print(line)
    Unadjusted: 64 of 992 words are below .05 (A 64, B 0); with no association at all, about 49 \
would be. All words share the attributes, so that number varies more than that of separate tests.
    Holm asks of the smallest p to be below 5.0e-5 (.05 / 992). No p of this design is: Holm, like \
Bonferroni, can reject no word here, however strong its association.
    """
    return tuple(lines("scan", family=result.family))
