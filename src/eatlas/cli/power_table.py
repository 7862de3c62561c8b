"""What designs can find, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from eatlas.cli.console import new_console, say, show, table_of
from eatlas.numbers import effect, level_of, p_value
from eatlas.results.levels import Power


def print_powers(designs: Sequence[tuple[str, Power]]) -> None:
    """Print a row for each design: at both levels its sizes, least p and least d."""
    first, rows = designs[0][1], []
    heads = ["Test"]
    for number, what in ((1, "X v Y"), (2, "A v B")):
        heads += [f"Level {number}\n{what}", "least\np", "least\nd"]
    for name, power in designs:
        cells = [name]
        for level in (power.level1, power.level2):
            if level is None:
                cells += ["", "", ""]
                continue
            d = "none" if level.smallest_d is None else effect(level.smallest_d)
            cells += [f"{level.n[0]} v {level.n[1]}", p_value(level.min_p, power.alpha), d]
        rows.append(cells)
    needed = ", ".join(f"d = {d}: {n}" for d, n in (first.terms_needed or {}).items())
    stimuli = any(power.unit == "stimulus" for _, power in designs)
    console = new_console()
    show(console, table_of(heads, rows))
    say(
        console,
        f"Least d: smallest d detectable with power {first.power:g} by the "
        f"{first.tail.replace('_', '-')} p < {level_of(first.alpha)}; none where no "
        "p-value of the design is that small. Normal scores; the terms of the other side held "
        f"fixed. Terms needed in each of two groups: {needed}."
        f"{' For tests of sentences, sizes count stimuli.' * stimuli}",
        "dim",
    )
