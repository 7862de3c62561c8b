"""Parts of one population whose documents are not alike: how often a difference is found.

    python benchmarks/parts_simulated.py [--runs 400]

Two parts of a corpus are drawn from one population of speakers, with another number of them, of
documents of each, and of contexts of a term in a document. The contexts of a term vary by speaker,
by document and from one to the next, and what all terms of X and Y have in common does too. Printed
is the share of p-values of a difference up to .05, which should be .03 to .07, that of 95%
intervals which hold the true difference, .93 to .97, and the mean difference; the same with no
contexts drawn down; and for the first part the share of intervals over units that hold the d of
endless documents. In the last rows the second part is another population.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np

from eatlas_corpora.engine import documents
from eatlas_corpora.sources.parts import CorpusParts, PartSource, PartsRecord
from eatlas_corpora.stats.local import ContextSums, LocalTest

D, WORDS, TERMS = 30, 8, 16
ALPHA = 0.05
OF_DOCUMENT, OF_CONTEXT = 2.0, 3.0
"""Standard deviations of the contexts of a term between documents, and within one."""
ALIKE = 0.5
"""Share of the variance between documents that is between speakers."""


class Part(NamedTuple):
    """Of how much a part is drawn."""

    speakers: int
    documents: int
    """Of a speaker."""
    contexts: float
    """Of a term in a document."""


DESIGNS = (
    (Part(40, 1, 3), Part(40, 1, 3)),
    (Part(40, 1, 0.6), Part(40, 1, 6)),
    (Part(30, 1, 1), Part(120, 1, 6)),
    (Part(120, 1, 1), Part(30, 1, 6)),
    (Part(12, 5, 1), Part(12, 5, 1)),
    (Part(8, 5, 0.6), Part(24, 5, 2)),
    (Part(8, 10, 2), Part(30, 3, 1)),
)


class World:
    """The population."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        rows = self.rng.normal(size=(2, WORDS, D))
        rows[0, :, 0] += 2
        rows[1, :, 0] -= 2
        self.attributes = rows / np.linalg.norm(rows, axis=2, keepdims=True)
        self.side = np.repeat([1.0, -1.0], WORDS)
        self.means = self.rng.normal(size=(TERMS, D))
        self.means[:, 0] += 0.8 * self.side

    @property
    def test(self) -> LocalTest:
        """A test of X and Y, whose terms have vectors of the part."""
        local = np.full((TERMS, D), np.nan)
        fixed = np.concatenate([local, *self.attributes])
        return LocalTest((WORDS, WORDS, WORDS, WORDS), fixed, 1)

    def draw(self, part: Part, *, by_document: bool, shift: float) -> ContextSums:
        """Contexts of a part; each speaker is a unit, or each document."""
        rng = self.rng
        speaker = np.repeat(np.arange(part.speakers), part.documents)
        number = len(speaker)
        shared = math.sqrt(ALIKE) if part.documents > 1 else 0.0
        own = math.sqrt(1 - shared**2)
        apart = shared * rng.normal(size=(part.speakers, TERMS, D))[speaker]
        apart += own * rng.normal(size=(number, TERMS, D))
        common = shared * rng.normal(size=part.speakers)[speaker] + own * rng.normal(size=number)
        means = self.means + OF_DOCUMENT * apart
        means[..., 0] += (common[:, None] + shift) * self.side
        document, term = np.nonzero(counts := rng.poisson(part.contexts, (number, TERMS)))
        times = counts[document, term]
        document, term = np.repeat(document, times), np.repeat(term, times)
        vectors = means[document, term] + OF_CONTEXT * rng.normal(size=(len(term), D))
        tier = np.minimum(rng.geometric(0.5, len(term)) - 1, 31)
        unit = document if by_document else speaker[document]
        ones, units = np.ones(len(term), np.int64), number if by_document else part.speakers
        return ContextSums(unit, term, tier, vectors.astype(np.float32), ones, (units, TERMS))

    def source(self, parts: list[ContextSums]) -> PartSource:
        """Two parts as a file has them."""
        columns = [
            np.column_stack([np.full(len(p.term), i), p.block, p.term, p.tier])
            for i, p in enumerate(parts)
        ]
        about = PartsRecord.model_construct(
            parts=("first", "second"), years=(), blocks=tuple(p.shape[0] for p in parts)
        )
        corpus = CorpusParts(
            tuple(map(str, range(2 * TERMS))), np.concatenate(columns).astype(np.int32),
            np.concatenate([p.sums for p in parts]), np.concatenate([p.counts for p in parts]),
            np.eye(D, dtype=np.float32), np.zeros((0, D), np.float32), about,
        )  # fmt: skip
        return PartSource("simulated", corpus, 1)

    def effect(self, shift: float = 0.0) -> float:
        """The effect size of endless documents."""
        rows = self.means.copy()
        rows[:, 0] += shift * self.side
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        scores = rows @ (self.attributes[0].mean(axis=0) - self.attributes[1].mean(axis=0))
        difference = scores[:WORDS].mean() - scores[WORDS:].mean()
        return float(difference / scores.std(ddof=1))


def rates(
    world: World,
    design: tuple[Part, Part],
    runs: int,
    *,
    by_document: bool = False,
    shift: float = 0.0,
) -> dict[str, float]:
    """Shares of rejections and of intervals that hold, and the mean difference."""
    terms, test, rng = [*range(2 * TERMS)], world.test, world.rng
    truth = world.effect(), world.effect(shift) - world.effect()
    found = []
    for _ in range(runs):
        moves = (0.0, shift)
        parts = [
            world.draw(part, by_document=by_document, shift=by)
            for part, by in zip(design, moves, strict=True)
        ]
        gap = documents._differences(test, world.source(parts), 0, terms, rng)[0]
        blocks = parts[0].blocks()
        weights = documents.bootstrap_blocks(blocks.number, documents.RESAMPLES, rng)
        drawn = documents._effects(test, blocks, weights)[:, 0]
        ends, _ = documents._interval(drawn, test.blocks_behind(blocks)[0])
        found.append((
            np.nan if gap.p is None else gap.p <= ALPHA,
            _holds(gap.interval, truth[1]),
            gap.difference,
            _holds(ends, truth[0]),
        ))  # fmt: skip
    names = ("rejected", "covered", "difference", "covered_first")
    return dict(zip(names, np.nanmean(np.array(found, float), axis=0).tolist(), strict=True))


def _holds(ends: tuple[float, float] | None, truth: float) -> float:
    """Whether an interval holds the truth; NaN where there is none."""
    return np.nan if ends is None else float(ends[0] <= truth <= ends[1])


def row(label: str, design: tuple[Part, Part], found: dict[str, float]) -> str:
    """A row of the table."""
    parts = " | ".join(f"{p.speakers} x {p.documents}, {p.contexts:g}" for p in design)
    return (
        f"| {label} | {parts} | {found['rejected']:.3f} | {found['covered']:.3f} | "
        f"{found['difference']:.2f} | {found['covered_first']:.3f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    documents.RESAMPLES, documents.RELABELLINGS = 300, 199
    world = World(8)
    draw = ContextSums.draw
    for design in DESIGNS:
        print(row("as given", design, rates(world, design, runs)), flush=True)
        by_document = rates(world, design, runs // 2, by_document=True)
        print(row("by documents", design, by_document), flush=True)
        ContextSums.draw = lambda sums, _most, _rng: sums  # type: ignore[method-assign]
        print(row("all contexts", design, rates(world, design, runs // 2)), flush=True)
        ContextSums.draw = draw  # type: ignore[method-assign]
    for shift in (1.0, 2.0):
        for design in (DESIGNS[0], DESIGNS[2], DESIGNS[5]):
            found = rates(world, design, runs // 2, shift=shift)
            print(row(f"moved by {shift:g}", design, found), flush=True)


if __name__ == "__main__":
    main()
