"""How long a scan will take: some of its words are measured, and the time is taken."""

from __future__ import annotations

import time
from dataclasses import dataclass

from eatlas.engine.scan.chunk import measure_chunk
from eatlas.engine.scan.perform import THREADS
from eatlas.engine.scan.plan import ScanPlan
from eatlas.processors import processors
from eatlas.stats.permutation.batch_inversion import MOST_SCORES

TRIALS, ALONE = (128, 2048), (4,)
"""Words of a trial, together and one by one: of few that are measured together, time says little.
The next trial is larger while one takes no time to speak of."""
ENOUGH = 0.2
"""Seconds of a trial that tells the time."""


@dataclass(frozen=True)
class Estimate:
    """The time that the words of a scan will take."""

    each: float
    """Seconds for a word, with all threads at work."""
    words: int | None
    """Words that will be read; None where the source does not know."""

    @property
    def seconds(self) -> float | None:
        """Seconds for all words; None where nobody knows how many there are."""
        return None if self.words is None else self.each * self.words


def estimate(plan: ScanPlan) -> Estimate:
    """Measure the first words of a scan, after compiled code has been loaded, and time it."""
    words, vectors = next(plan.chunks(), ([], None))
    if vectors is None or not words:
        return Estimate(0.0, plan.expected)
    trials = TRIALS if sum(plan.found.sizes) <= MOST_SCORES else ALONE
    measure_chunk(plan, 0, words[: trials[0]], vectors[: trials[0]], _go_on)
    took, some = 0.0, 1
    for trial in trials:
        some = min(trial, len(words))
        begun = time.perf_counter()
        measure_chunk(plan, 0, words[:some], vectors[:some], _go_on)
        took = time.perf_counter() - begun
        if took > ENOUGH or some == len(words):
            break
    return Estimate(took / some / min(THREADS, processors()), plan.expected)


def _go_on() -> None:
    """Stop nothing."""
