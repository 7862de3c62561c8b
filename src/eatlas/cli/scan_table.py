"""A scan for a terminal: lists of the most associated words, and what the p-values can show."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator

from rich.cells import cell_len

from eatlas.cli.console import PIPE_WIDTH, write
from eatlas.cli.messages import plain_line
from eatlas.errors import listed
from eatlas.present.brief import explain
from eatlas.present.numbers import count, effect, number_of, p_value, percent
from eatlas.results.scan import SIDES, BandSummary, ScanResult, Side, TopList

HEADS = ("d", "diff.", "p", "maxT", "BY")
SORTED = {
    "effect_size": "Sorted by d (--sort difference finds the strongest associations).",
    "difference": "Sorted by diff., the strength of an association.",
    "p": "Sorted by p.",
}
"""What the order of the lists means."""
WORDS = (12, 28)
"""Least width of a column of words, and the greatest; a longer word takes what it needs."""
LEAST_WIDTH = 40
"""Lines of text are not folded narrower than this."""


def print_scan(result: ScanResult) -> None:
    """Print lists by band, then sentences on all words together."""
    width = shutil.get_terminal_size((PIPE_WIDTH, 0)).columns
    for line in _lines(result, width):
        write(f"{plain_line(line)}\n", sys.stdout.encoding or "utf-8")


def _lines(result: ScanResult, width: int) -> Iterator[str]:
    names = result.concepts
    yield from _folded(
        f"{result.signature} of {number_of(result.vocabulary.tested, 'word')} of "
        f"{_safe(result.source)}: {names.A} (A) against {names.B} (B)"
        + ("" if result.test is None else f", the attributes of {result.test}"),
        width,
    )
    for i, band in enumerate(result.bands):
        yield ""
        yield from _folded(
            f"Words {band.band.label} of the source ({count(band.words)}: {_lean(band)}; "
            f"below {result.family.alpha:g} by maxT: "
            f"A {count(band.max_t.A)}, B {count(band.max_t.B)})",
            width,
        )
        yield from _band(result, result.tops[2 * i : 2 * i + 2], width)
    yield ""
    yield from _folded(
        f"{SORTED[result.sort]} d is the effect size, above 0 towards A; diff. is the difference "
        "of the mean cosines with A and with B; p is two-sided; maxT and BY are p adjusted for all "
        "words. The place in the source stands for frequency, as in GloVe, word2vec and fastText "
        "files.",
        width,
    )
    flagged = result.vocabulary.attributes
    if flagged:
        yield from _folded(
            f"{number_of(flagged, 'attribute word')} {'is' if flagged == 1 else 'are'} in no list "
            "and no family.",
            width,
        )
    yield ""
    for sentence in (*explain(result), *_missing(result), *result.warnings):
        yield from _folded(sentence, width)


def _lean(band: BandSummary) -> str:
    shares = (percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B))
    return "{} lean to A, {} to B".format(*shares)


def _missing(result: ScanResult) -> Iterator[str]:
    for side in SIDES:
        group = result.coverage.group(side)
        if group.missing:
            names = listed(group.missing, 100)
            yield f"Missing attributes of {result.concepts.name(side)}: {names}."


def _band(result: ScanResult, lists: Iterable[TopList], width: int) -> Iterator[str]:
    """Both sides beside each other, or one below the other where that is too wide."""
    blocks = [_block(result, found) for found in lists]
    widest = [max(map(cell_len, block)) for block in blocks]
    if sum(widest) + 3 * len(blocks) - 1 <= width:
        height = max(map(len, blocks))
        filled = [block + [""] * (height - len(block)) for block in blocks]
        for row in zip(*filled, strict=True):
            cells = [_padded(cell, w) for cell, w in zip(row, widest, strict=True)]
            yield f"  {' │ '.join(cells)}".rstrip()
        return
    for block in blocks:
        yield from (f"  {line}" for line in block)


def _block(result: ScanResult, found: TopList) -> list[str]:
    alpha = result.family.alpha
    rows = [
        (
            _safe(word.word),
            effect(word.level2.effect_size),
            effect(word.level2.difference, 3),
            *(p_value(p, alpha) for p in (word.level2.p.two_sided, word.p_max_t, word.p_by)),
        )
        for word in found.words
    ]
    head = (_head(result, found.side), *HEADS)
    if not rows:
        return [head[0], "(no word)"]
    widths = [max(cell_len(row[i]) for row in (head, *rows)) for i in range(1, len(head))]
    longest = max(cell_len(row[0]) for row in (head, *rows))
    first = max(WORDS[0], min(WORDS[1], longest))
    return [
        _padded(row[0], first)
        + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], widths, strict=True))
        for row in (head, *rows)
    ]


def _head(result: ScanResult, side: Side) -> str:
    return f"{side}: {result.concepts.name(side)}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _safe(word: str) -> str:
    """A word of any vocabulary without what would disturb a terminal."""
    return word if word.isprintable() else word.encode("unicode_escape").decode("ascii")


def _folded(text: str, width: int) -> list[str]:
    """Lines of a terminal's width; a pipe gets one line."""
    if not sys.stdout.isatty():
        return [text]
    wide = max(LEAST_WIDTH, width)
    return textwrap.wrap(text, wide, break_long_words=False, break_on_hyphens=False) or [""]
