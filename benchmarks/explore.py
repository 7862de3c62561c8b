"""What a toggle of a word costs in ``eatlas explore``, beside a bare measurement.

Prints, for lists of several sizes: the request as the server answers it (words, map, levels, strip,
as HTML), the measurement alone, and ``eatlas.run`` of the same test. Each toggle gives lists that
were not measured before. Wall time and processor time, medians.

    python benchmarks/explore.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import eatlas
from eatlas_workbench.explorer import Explorer
from eatlas_workbench.explorer.measuring import Request
from eatlas_workbench.explorer.page import board_of, others_of

TESTS = ("weat-6", "weat-1", "weat-3")
TOGGLES = 9
QUICK = "ml-eat(resamples=0,frequency=off)"


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of wall time and of processor time."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)


def row(what: str, found: list[tuple[float, float]]) -> None:
    wall, cpu = (statistics.median(values) for values in zip(*found, strict=True))
    slowest = max(one for one, _ in found)
    print(f"  {what:<34} {wall:6.0f} ms wall, {cpu:6.0f} ms processor, slowest {slowest:.0f}")


def main() -> None:
    explorer = Explorer.of(list(TESTS), ["glove-sample"])
    vectors = eatlas.open_vectors("glove-sample")
    for name in TESTS:
        test = explorer.tests[name]
        print(f"{name}: {len(test.X.terms)} v {len(test.Y.terms)} targets")
        board_of(explorer, Request(test=name))  # the page was open already
        words = test.X.terms[:TOGGLES]
        requests = [Request(test=name, off={"X": (word,)}) for word in words]
        row(
            "toggle, answered with the page",
            [timed(lambda r=r: board_of(explorer, r)) for r in requests],
        )
        row(
            "other words, after a rest",
            [timed(lambda r=r: others_of(explorer, r)) for r in requests[:4]],
        )
        changed = [explorer.lists(request).test() for request in requests]
        # other words than before: eatlas keeps what it counted of the same scores
        fresh = [
            explorer.lists(Request(test=name, off={"Y": (word,)})).test()
            for word in test.Y.terms[:TOGGLES]
        ]
        row(
            "eatlas.run, without resamples",
            [timed(lambda t=t: eatlas.run(t, vectors, QUICK)) for t in fresh],
        )
        row(
            "eatlas.run, as it comes",
            [timed(lambda t=t: eatlas.run(t, vectors)) for t in changed[:4]],
        )
        again = Request(test=name, off={"X": (words[0],)})
        row(
            "toggle back to what was seen",
            [timed(lambda r=again: board_of(explorer, r)) for _ in range(5)],
        )


if __name__ == "__main__":
    main()
