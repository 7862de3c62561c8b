"""Scans, diagnoses, designs and studies as tables for a terminal."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os.path import commonprefix
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import PIPE_WIDTH, new_console, show, table_of, write
from eatlas.cli.messages import cleaned, plain_line
from eatlas.errors import listed
from eatlas.present.diagnosis import readings, verdict
from eatlas.present.numbers import count, effect, level_of, number_of, p_value, percent
from eatlas.present.summaries import explain
from eatlas.present.text import one_line
from eatlas.results.diagnosis import Diagnosis
from eatlas.results.effects import shown
from eatlas.results.inference import DesignPower, Power
from eatlas.results.scan import SIDES, ScanResult, TopList

if TYPE_CHECKING:
    from eatlas.apps.studies import Prepared
    from eatlas.apps.studies.record import StudyRecord

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
    """Lines of a scan: what was tested, the lists of each band, and what the p-values show."""
    names = result.concepts
    yield from _folded(
        f"{result.signature} of {number_of(result.vocabulary.tested, 'word')} of "
        f"{_safe(result.source)}: {names.A} (A) against {names.B} (B)"
        + ("" if result.test is None else f", the attributes of {result.test}"),
        width,
    )
    for i, band in enumerate(result.bands):
        lean = [percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B)]
        yield ""
        yield from _folded(
            f"Words {band.band.label} of the source ({count(band.words)}: "
            f"{lean[0]} lean to A, {lean[1]} to B; below {result.family.alpha:g} by maxT: "
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
    for sentence in (*explain(result), *_missing(result), *map(str, result.warnings)):
        yield from _folded(sentence, width)


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
    """The list of one side: a head and a row for each word, in columns."""
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
    head = (f"{found.side}: {result.concepts.name(found.side)}", *HEADS)
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


FINE, DOUBTFUL = "fine", "doubtful"
WIDTHS = (60, 110)
"""Columns below which sentences become towers, and above which lines are hard to follow."""


def print_diagnosis(found: Diagnosis) -> None:
    """Print the verdict, a table of all figures, and what passes a limit."""
    zero = f"; {found.zero:,} zero vectors left out" if found.zero else ""
    size = f"{found.vectors:,} vectors of {found.dim} components{zero}"
    _write(
        Text(f"{one_line(found.source)}: {size}", "bold"),
        Text(verdict(found)),
        "",
        _readings_table(found),
        *(Text.assemble(("WARNING: ", "bold"), str(warning)) for warning in found.warnings),
    )


def print_diagnoses(found: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    shared = _shared([one.source for one in found])
    heads = (
        "" if shared else "Source", "mean cosine", "sd", "IsoScore", "top\ncomponent",
        "loudest\ndimension", "",
    )  # fmt: skip
    rows = [
        (
            one_line(one.source[len(shared) :]),
            f"{one.mean_cosine:.3f}",
            f"{one.sd_cosine:.3f}",
            "–" if one.iso_score is None else f"{one.iso_score:.3f}",
            "–" if one.variance is None else f"{one.variance.top1:.0%}",
            f"{one.loudest.dimension}: {one.loudest.length:.0%}",
            _sign(doubtful=any(reading.doubtful for reading in readings(one))),
        )
        for one in found
    ]
    table = table_of(heads, rows, "lrrrrrl", folds=False)
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    sizes = sorted({one.vectors for one in found})
    spread = f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    vectors = f"{len(found)} sources, {spread} vectors of each"
    if shared:
        vectors = f"{one_line(shared.rstrip('?&'))}: {vectors}"
    about = "Mean cosine: of two texts; IsoScore: 1 where all directions vary alike; top component "
    about += "and loudest dimension: share of variance and of squared length. One source alone is "
    _write(Text(vectors, "bold"), "", table, Text(f"{about}shown with every figure.", "dim"))


def _shared(names: Sequence[str]) -> str:
    """What the source strings of one model begin with, up to the option in which they differ."""
    begin = commonprefix(names)  # noqa: RUF071  (characters, not folders)
    end = max(begin.rfind("?"), begin.rfind("&")) + 1
    return begin[:end]


def _write(*parts: Text | Table | str) -> None:
    write(_rendered(parts), sys.stdout.encoding or "utf-8")


def _rendered(parts: Sequence[Text | Table | str]) -> str:
    """Texts and tables as lines that a reader can follow, without blanks at their ends."""
    columns = shutil.get_terminal_size((WIDTHS[1], 0)).columns
    colours = sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        width=min(max(columns, WIDTHS[0]), WIDTHS[1]),
        force_terminal=colours,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for part in parts:
            console.print(cleaned(Text(part) if isinstance(part, str) else part))
    # rich fills lines up with blanks
    return "".join(
        chain.from_iterable((line.rstrip(), "\n") for line in captured.get().split("\n"))
    )


def _readings_table(found: Diagnosis) -> Table:
    """A row for each figure of a diagnosis: its value, whether it is fine, what it means."""
    rows: list[tuple[str | Text, ...]] = []
    for reading in readings(found):
        value = "\n".join(map(one_line, reading.value.split("\n")))
        sign, meaning = _sign(doubtful=reading.doubtful), one_line(reading.meaning)
        rows += [(Text(reading.figure, "bold"), value, sign, meaning), ()]
    table = table_of(("Figure", "Value", "", "What it means"), rows, "llll", folds=False)
    for column, ratio in zip(table.columns, (5, 5, None, 12), strict=True):
        column.ratio = ratio
        column.no_wrap, column.overflow = ratio is None, "fold"
    table.columns[2].min_width = len(DOUBTFUL)
    return table


def _sign(*, doubtful: bool | None) -> Text:
    if doubtful is None:
        return Text("")
    return Text(DOUBTFUL, "bold red") if doubtful else Text(FINE, "green")


Design = tuple[str, dict[str, int], Power]
"""Name, sizes by role, and what they can find."""


def print_powers(found: Sequence[Design]) -> None:
    """Print a row for each design, and what the columns are."""
    console = new_console()
    show(console, _powers_table(found))
    over_stimuli = any(one.unit == "stimulus" for *_, one in found)
    show(console, Text(_below(found[0][2], over_stimuli=over_stimuli), "dim"))


def _powers_table(found: Sequence[Design]) -> Table:
    """A row for each design: at both levels its sizes, smallest p, smallest d and power."""
    d, heads, rows = found[0][2].d, ["Test"], []
    for level, what in ((1, "X v Y"), (2, "A v B")):
        heads += [f"Level {level}\n{what}", "smallest\np", "smallest\nd"]
        heads += [] if d is None else [f"power at\nd = {d:g}"]
    for name, _, one in found:
        cells = [name]
        for place, found_there in (("level1", one.level1), ("level2", one.level2)):
            cells += _cells(found_there, one.alpha)
            if d is not None:
                chance = (one.chance or {}).get(place)
                cells.append("" if chance is None else percent(chance))
        rows.append(cells)
    return table_of(heads, rows)


def _cells(level: DesignPower | None, alpha: float) -> list[str]:
    if level is None:
        return ["", "", ""]
    d = "none" if level.smallest_d is None else effect(level.smallest_d)
    return [f"{level.n[0]} v {level.n[1]}", p_value(level.min_p, alpha), d]


def _below(one: Power, *, over_stimuli: bool) -> str:
    """What the columns are, and how many terms it takes."""
    tail = one.tail.replace("_", "-")
    needed = ", ".join(f"d = {d}: {n}" for d, n in (one.terms_needed or {}).items())
    return (
        f"Smallest d: found with a power of {one.power:g} by the {tail} p < {level_of(one.alpha)}; "
        "none where no p-value of the design is that small. Normal scores; the terms of the other "
        f"side as given. Terms needed in each of two groups: {needed}."
        + (" In tests of sentences the sizes are those of stimuli." if over_stimuli else "")
    )


def print_plan(prepared: Prepared) -> None:
    """Print the choices of a plan, and what it takes to do it."""
    console = new_console()
    if prepared.plan.study.title:
        show(console, Text(prepared.plan.study.title, style="bold"))
    choices = prepared.plan.alternatives().items()
    rows = [(name, f"{len(labels)}", ", ".join(labels)) for name, labels in choices]
    table = table_of(("Choice", "alternatives", ""), rows, "lrl")
    table.columns[-1].no_wrap = False
    show(console, table)
    skipped = f", and {len(prepared.misfits):,} are skipped" if prepared.misfits else ""
    words, texts = prepared.cost()
    line = (
        f"{number_of(len(prepared.requests), 'specification')}{skipped}; "
        f"{count(words)} words to look up, {count(texts)} texts to encode"
    )
    show(console, Text(f"\n{line}"))


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    from eatlas.apps.studies.record import summaries  # noqa: PLC0415

    console = new_console()
    if record.title:
        show(console, Text(record.title, style="bold"))
    heads = (
        "Choice", "number", "median d", "least", "greatest", "significant", "most frequent pattern",
    )  # fmt: skip
    rows = [
        (
            f"{one.choice}: {one.label}" if one.choice else "all specifications",
            f"{one.number:,}",
            *map(shown, (one.median, one.least, one.greatest)),
            _percent(one.significant),
            f"{one.pattern} {_percent(one.share)}" if one.pattern else "",
        )
        for one in summaries(record)
    ]
    show(console, table_of(heads, rows, "lrrrrrl"))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}%"
