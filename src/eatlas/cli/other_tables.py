"""Scans, diagnoses, designs and studies as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from os.path import commonprefix
from typing import TYPE_CHECKING

from rich.text import Text

from eatlas.cli.console import least_width, new_console, say, show, table_of
from eatlas.cli.messages import plain_line
from eatlas.errors import listed
from eatlas.present.diagnosis import readings, verdict
from eatlas.present.numbers import count, effect, level_of, number_of, p_value, percent
from eatlas.present.rendering import lines
from eatlas.present.text import one_line
from eatlas.results.diagnosis import Diagnosis
from eatlas.results.effects import shown
from eatlas.results.inference import Power
from eatlas.results.scan import SIDES, ScanResult

if TYPE_CHECKING:
    from eatlas.apps.studies import Prepared
    from eatlas.apps.studies.record import StudyRecord

HEADS, ALIGN = ("d", "diff.", "p", "maxT", "BY"), "lrrrrr"
SORTED = {
    "effect_size": "Sorted by d (--sort difference finds the strongest associations).",
    "difference": "Sorted by diff., the strength of an association.",
    "p": "Sorted by p.",
}
"""What the order of the lists means."""
COLUMNS = (
    "d is the effect size, above 0 towards A; diff. is the difference of the mean cosines with A "
    "and with B; p is two-sided; maxT and BY are p adjusted for all words. The place in the source "
    "stands for frequency, as in GloVe, word2vec and fastText files."
)
ABOUT_DIAGNOSES = (
    "Mean cosine: of two texts; IsoScore: 1 where all directions vary alike; top component and "
    "loudest dimension: share of variance and of squared length. One source alone is shown with "
    "every figure."
)
SIGNS = {None: ("",), False: ("fine", "green"), True: ("doubtful", "bold red")}
WIDTH = 110
"""Columns above which lines of sentences are hard to follow."""


def print_scan(result: ScanResult) -> None:
    """Print what was tested, lists by band, then sentences on all words together."""
    console, names, alpha = new_console(), result.concepts, result.family.alpha
    test = "" if result.test is None else f", the attributes of {result.test}"
    say(
        console,
        f"{result.signature} of {number_of(result.vocabulary.tested, 'word')} of {result.source}: "
        f"{names.A} (A) against {names.B} (B){test}",
    )
    for number, band in enumerate(result.bands):
        lean = [percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B)]
        say(
            console,
            f"\nWords {band.band.label} of the source ({count(band.words)}: {lean[0]} lean to A, "
            f"{lean[1]} to B; below {alpha:g} by maxT: A {count(band.max_t.A)}, "
            f"B {count(band.max_t.B)})",
        )
        tops, rows = result.tops[2 * number : 2 * number + 2], []
        heads = [(f"{top.side}: {names[top.side]}", *HEADS) for top in tops]
        for top in tops:
            cells = []
            for word in top.words:
                level, ps = word.level2, (word.level2.p.two_sided, word.p_max_t, word.p_by)
                sizes = effect(level.effect_size), effect(level.difference, 3)
                cells.append((plain_line(word.word), *sizes, *(p_value(p, alpha) for p in ps)))
            rows.append(cells)
        # both sides beside each other, or one below the other where that is too wide
        together = [(*a, *b) for a, b in zip_longest(*rows, fillvalue=("",) * len(ALIGN))]
        both = table_of(sum(heads, ()), together, 2 * ALIGN, folds=False)
        if least_width(both, console) <= console.width:
            show(console, both)
        else:
            for head, words in zip(heads, rows, strict=True):
                show(console, table_of(head, words, ALIGN, folds=False))
    say(console, f"\n{SORTED[result.sort]} {COLUMNS}")
    if flagged := result.vocabulary.attributes:
        are = "is" if flagged == 1 else "are"
        say(console, f"{number_of(flagged, 'attribute word')} {are} in no list and no family.")
    missing = [
        f"Missing attributes of {names[side]}: {listed(group.missing, 100)}."
        for side in SIDES
        if (group := result.coverage[side]).missing
    ]
    for text in ("", *lines("scan", family=result.family), *missing, *result.warnings):
        say(console, str(text))


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print the verdict, a row for each figure with what it means, and what passes a limit."""
    console = new_console()
    console.width = min(console.width, WIDTH)
    zero = f"; {diagnosis.zero:,} zero vectors left out" if diagnosis.zero else ""
    size = f"{diagnosis.vectors:,} vectors of {diagnosis.dim} components{zero}"
    say(console, f"{one_line(diagnosis.source)}: {size}", "bold")
    say(console, f"{verdict(diagnosis)}\n")
    rows: list[tuple[str | Text, ...]] = []
    for reading in readings(diagnosis):
        head, sign = Text(reading.figure, "bold"), SIGNS[reading.doubtful]
        rows += [(head, reading.value, Text(*sign), one_line(reading.meaning)), ()]
    table = table_of(("Figure", "Value", "", "What it means"), rows, "llll", folds=False)
    for column in table.columns[0], table.columns[1], table.columns[3]:
        column.no_wrap, column.overflow = False, "fold"
    show(console, table, least=False)
    for warning in diagnosis.warnings:
        say(console, str(warning), head="WARNING: ")


def print_diagnoses(diagnoses: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    console = new_console()
    begin = commonprefix([each.source for each in diagnoses])  # noqa: RUF071  (characters)
    shared = begin[: max(begin.rfind("?"), begin.rfind("&")) + 1]
    heads = (
        "" if shared else "Source", "mean cosine", "sd", "IsoScore", "top\ncomponent",
        "loudest\ndimension", "",
    )  # fmt: skip
    rows = [
        (
            one_line(each.source[len(shared) :]),
            f"{each.mean_cosine:.3f}",
            f"{each.sd_cosine:.3f}",
            "–" if each.iso_score is None else f"{each.iso_score:.3f}",
            "–" if each.variance is None else f"{each.variance.top1:.0%}",
            f"{each.loudest.dimension}: {each.loudest.length:.0%}",
            Text(*SIGNS[any(reading.doubtful for reading in readings(each))]),
        )
        for each in diagnoses
    ]
    sizes = sorted({each.vectors for each in diagnoses})
    spread = f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    of = f"{one_line(shared.rstrip('?&'))}: " if shared else ""
    say(console, f"{of}{len(diagnoses)} sources, {spread} vectors of each\n", "bold")
    show(console, table_of(heads, rows, "lrrrrrl"))
    say(console, ABOUT_DIAGNOSES, "dim")


Design = tuple[str, dict[str, int], Power]
"""Name, sizes by role, and what they can find."""


def print_powers(designs: Sequence[Design]) -> None:
    """Print a row for each design: at both levels its sizes, smallest p, smallest d and power."""
    first, rows = designs[0][2], []
    heads = ["Test"]
    for number, what in ((1, "X v Y"), (2, "A v B")):
        heads += [f"Level {number}\n{what}", "smallest\np", "smallest\nd"]
        heads += [] if first.d is None else [f"power at\nd = {first.d:g}"]
    for name, _, power in designs:
        cells = [name]
        for place, level in (("level1", power.level1), ("level2", power.level2)):
            if level is None:
                cells += ["", "", ""]
            else:
                d = "none" if level.smallest_d is None else effect(level.smallest_d)
                cells += [f"{level.n[0]} v {level.n[1]}", p_value(level.min_p, power.alpha), d]
            if first.d is not None:
                chance = (power.chance or {}).get(place)
                cells.append("" if chance is None else percent(chance))
        rows.append(cells)
    needed = ", ".join(f"d = {d}: {n}" for d, n in (first.terms_needed or {}).items())
    below = (
        f"Smallest d: found with a power of {first.power:g} by the {first.tail.replace('_', '-')} "
        f"p < {level_of(first.alpha)}; none where no p-value of the design is that small. Normal "
        "scores; the terms of the other side as given. Terms needed in each of two groups: "
        f"{needed}."
    )
    if any(power.unit == "stimulus" for *_, power in designs):
        below += " In tests of sentences the sizes are those of stimuli."
    console = new_console()
    show(console, table_of(heads, rows))
    say(console, below, "dim")


def print_plan(prepared: Prepared) -> None:
    """Print the choices of a plan, and what it takes to do it."""
    console = new_console()
    if prepared.plan.study.title:
        say(console, prepared.plan.study.title, "bold")
    choices = prepared.plan.alternatives().items()
    rows = [(name, f"{len(labels)}", ", ".join(labels)) for name, labels in choices]
    table = table_of(("Choice", "alternatives", ""), rows, "lrl")
    table.columns[-1].no_wrap = False
    show(console, table)
    skipped = f", and {len(prepared.misfits):,} are skipped" if prepared.misfits else ""
    words, texts = prepared.cost()
    say(
        console,
        f"\n{number_of(len(prepared.jobs), 'specification')}{skipped}; "
        f"{count(words)} words to look up, {count(texts)} texts to encode",
    )


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    from eatlas.apps.studies.page import share  # noqa: PLC0415

    console = new_console()
    if record.title:
        say(console, record.title, "bold")
    heads = (
        "Choice", "number", "median d", "least", "greatest", "significant", "most frequent pattern",
    )  # fmt: skip
    rows = [
        (
            f"{row['choice']}: {row['label']}" if row["choice"] else "all specifications",
            f"{row['number']:,}",
            *(shown(row[name]) for name in ("median", "least", "greatest")),
            share(row["significant"]),
            f"{row['pattern']} {share(row['share'])}" if row["pattern"] else "",
        )
        for row in record.summaries()
    ]
    show(console, table_of(heads, rows, "lrrrrrl"))
