"""How often the interval of a trend's slope holds the slope, and how often a trend is found.

    python benchmarks/trend_interval.py [--series 400]

Tables of associations of 24, 18 or 10 periods: words differ, each has a slope of its own, and the
documents of each period add noise to single words and to all words of a group. The effect size of
all words that could be in the test follows a straight line and a drift: an autoregressive series
with the coefficient `phi` that belongs to the history of these periods. The interval is about the
slope of that history; the slope of the line alone is in the next column.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from eatlas.stats.trend import (
    WordTable,
    resample_words,
    slope_interval,
    theil_sen,
    trend,
    variance_over_noise,
    variance_over_words,
)

SPREAD = 0.1
"""Standard deviation of the associations of words: all other sizes are in units of it."""
PAIRS = 0.3
"""Of single pairs of words."""


class Design(NamedTuple):
    """A series, in units of the spread between words; d is about a difference in these units."""

    periods: int = 24
    words: int = 8
    rise: float = 0.0
    """Of d, from the first period to the last."""
    drift: float = 0.0
    phi: float = 0.6
    slopes: float = 0.5
    """Between words, of what they rise from the first period to the last."""
    own: float = 0.5
    """Noise that documents bring to single words."""
    common: float = 0.2
    """Noise that documents bring to the difference of groups."""
    over: str = "both"


DESIGNS = (
    Design(),
    Design(drift=0.3),
    Design(drift=0.3, phi=0.9),
    Design(rise=1, drift=0.3),
    Design(rise=2, drift=0.3),
    Design(rise=1, drift=0.3, slopes=1),
    Design(rise=1, drift=0.3, own=1),
    Design(18, rise=1, drift=0.3, own=0, common=0, over="words"),
    Design(18, rise=1, drift=0.3, over="documents"),
    Design(10, 5, rise=1, drift=0.3),
)


def autoregression(design, rng):
    """A stationary series of standard deviation 1."""
    series = rng.standard_normal(design.periods)
    for k in range(1, design.periods):
        series[k] = design.phi * series[k - 1] + np.sqrt(1 - design.phi**2) * series[k]
    return series


def history(design, rng):
    """Tables of the periods, standard errors over documents, and three slopes.

    The slopes are of the line, of the history (all words, all documents), and of these words.
    """
    n, times = design.words, np.linspace(-0.5, 0.5, design.periods)
    signs = np.repeat([0.5, -0.5], n)
    targets, attributes = rng.normal(0, SPREAD, (2, 2 * n))
    own_slopes = rng.normal(0, SPREAD * design.slopes, (2, 2 * n))
    pairs = rng.normal(0, SPREAD * PAIRS, (2 * n, 2 * n))
    line = SPREAD * design.rise * times
    gaps = line + SPREAD * design.drift * autoregression(design, rng)

    def d_of_all_words(gaps):
        slopes = SPREAD * design.slopes * times
        return gaps / np.sqrt(SPREAD**2 + slopes**2 + gaps**2 / 4)

    tables, these = [], []
    everything = {role: np.arange(n) for role in "XYAB"}
    for time, gap in zip(times, gaps, strict=True):
        score = targets + own_slopes[0] * time + gap * signs
        noise = rng.normal(0, SPREAD * design.own, 2 * n)
        noise += rng.normal(0, SPREAD * design.common) * signs
        toward = np.outer(signs, attributes + own_slopes[1] * time)
        tables.append(WordTable(np.outer(score + noise, signs) + toward + pairs, everything))
        whole = (np.outer(score, signs) + toward + pairs) @ (2 * signs / n)
        these.append((whole[:n].mean() - whole[n:].mean()) / whole.std(ddof=1))
    error = np.hypot(design.own * np.sqrt(2 / n), design.common) / np.hypot(1, design.own)
    steps = np.arange(design.periods, dtype=float)
    slopes = [
        theil_sen(steps, d) for d in (d_of_all_words(line), d_of_all_words(gaps), np.array(these))
    ]
    return tables, np.full(design.periods, error), slopes


def run(design, rng):
    """The interval of one series, what it should hold, and the p-value of the trend."""
    tables, errors, (line, of_history, of_these) = history(design, rng)
    n, steps = design.words, np.arange(design.periods, dtype=float)
    signs = np.repeat([1 / n, -1 / n], n)
    scores = [table.values @ signs for table in tables]
    sizes = np.array([(s[:n].mean() - s[n:].mean()) / s.std(ddof=1) for s in scores])
    slope, over_words, over_noise = float(theil_sen(steps, sizes)), 0.0, 0.0
    if design.over != "documents":
        samples = resample_words(tables, dict.fromkeys("XYAB", n), 0, ddof=1, rng=rng)
        over_words = variance_over_words(steps, samples, n)
    if design.over != "words":
        over_noise = variance_over_noise(steps, sizes, errors, rng)
    ends = slope_interval(slope, over_words, over_noise, 2 * n - 2, 0.95)
    target = of_these if design.over == "documents" else of_history
    return ends, target, line, trend(steps, sizes, rng=rng)["p"]["p"]


def simulate(design, series, seed=0):
    """Coverage of the slope, coverage of the line, mean width, shares without 0 and of p <= .05."""
    found = [run(design, np.random.default_rng([seed, k])) for k in range(series)]
    low, high = np.array([ends for ends, *_ in found]).T
    target, line, p = np.array([numbers for _, *numbers in found]).T
    held = [np.mean((low <= aim) & (aim <= high)) for aim in (target, line)]
    return *held, np.mean(high - low), np.mean((low > 0) | (high < 0)), np.mean(p <= 0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--series", type=int, default=400)
    series = parser.parse_args().series
    print(
        "| periods | words | rise | drift, phi | slopes | noise | over | coverage | of the line "
        "| width | without 0 | p ≤ .05 |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for design in DESIGNS:
        held, of_line, width, apart, significant = simulate(design, series)
        drift = f"{design.drift:g}, {design.phi:g}" if design.drift else "0"
        print(
            f"| {design.periods} | {design.words} | {design.rise:g} | {drift} | {design.slopes:g} "
            f"| {design.own:g}, {design.common:g} | {design.over} | {held:.3f} | {of_line:.3f} "
            f"| {width:.3f} | {apart:.2f} | {significant:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
