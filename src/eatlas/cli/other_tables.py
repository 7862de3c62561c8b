"""Scans, diagnoses, designs and studies as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from os.path import commonprefix
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from eatlas.cli.console import least_width, new_console, show, table_of
from eatlas.cli.messages import plain_line
from eatlas.errors import listed
from eatlas.present.diagnosis import readings, verdict
from eatlas.present.numbers import count, effect, level_of, number_of, p_value, percent
from eatlas.present.rendering import lines
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
WIDTH = 110
"""Columns above which lines of sentences are hard to follow."""


def print_scan(result: ScanResult) -> None:
    """Print what was tested, lists by band, then sentences on all words together."""
    console, names, alpha = new_console(), result.concepts, result.family.alpha
    test = "" if result.test is None else f", the attributes of {result.test}"
    head = (
        f"{result.signature} of {number_of(result.vocabulary.tested, 'word')} of {result.source}: "
        f"{names.A} (A) against {names.B} (B){test}"
    )
    show(console, Text(head))
    for number, band in enumerate(result.bands):
        lean = [percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B)]
        head = (
            f"\nWords {band.band.label} of the source ({count(band.words)}: {lean[0]} lean to A, "
            f"{lean[1]} to B; below {alpha:g} by maxT: A {count(band.max_t.A)}, "
            f"B {count(band.max_t.B)})"
        )
        show(console, Text(head))
        _print_lists(console, result, result.tops[2 * number : 2 * number + 2])
    for sentence in _about_scan(result):
        show(console, Text(sentence))


def _print_lists(console: Console, result: ScanResult, lists: Sequence[TopList]) -> None:
    """Both sides beside each other, or one below the other where that is too wide."""
    heads, rows = [], []
    for top in lists:
        heads.append((f"{top.side}: {result.concepts[top.side]}", *HEADS))
        rows.append([
            (
                plain_line(word.word),
                effect(word.level2.effect_size),
                effect(word.level2.difference, 3),
                *(
                    p_value(p, result.family.alpha)
                    for p in (word.level2.p.two_sided, word.p_max_t, word.p_by)
                ),
            )
            for word in top.words
        ])  # fmt: skip
    align = "lrrrrr"
    empty = ("",) * len(align)
    together = [(*a, *b) for a, b in zip_longest(*rows, fillvalue=empty)]
    both = table_of(sum(heads, ()), together, 2 * align, folds=False)
    if least_width(both, console) <= console.width:
        show(console, both)
    else:
        for head, words in zip(heads, rows, strict=True):
            show(console, table_of(head, words, align, folds=False))


def _about_scan(result: ScanResult) -> Iterator[str]:
    """What the columns are, and what the p-values of all words show."""
    yield (
        f"\n{SORTED[result.sort]} d is the effect size, above 0 towards A; diff. is the difference "
        "of the mean cosines with A and with B; p is two-sided; maxT and BY are p adjusted for all "
        "words. The place in the source stands for frequency, as in GloVe, word2vec and fastText "
        "files."
    )
    if flagged := result.vocabulary.attributes:
        are = "is" if flagged == 1 else "are"
        yield f"{number_of(flagged, 'attribute word')} {are} in no list and no family."
    yield ""
    yield from lines("scan", family=result.family)
    for side in SIDES:
        if missing := result.coverage[side].missing:
            yield f"Missing attributes of {result.concepts[side]}: {listed(missing, 100)}."
    yield from map(str, result.warnings)


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print the verdict, a row for each figure with what it means, and what passes a limit."""
    console = new_console()
    console.width = min(console.width, WIDTH)
    zero = f"; {diagnosis.zero:,} zero vectors left out" if diagnosis.zero else ""
    size = f"{diagnosis.vectors:,} vectors of {diagnosis.dim} components{zero}"
    show(console, Text(f"{one_line(diagnosis.source)}: {size}", "bold"))
    show(console, Text(f"{verdict(diagnosis)}\n"))
    rows: list[tuple[str | Text, ...]] = []
    for reading in readings(diagnosis):
        sign = _sign(doubtful=reading.doubtful)
        rows += [(Text(reading.figure, "bold"), reading.value, sign, one_line(reading.meaning)), ()]
    table = table_of(("Figure", "Value", "", "What it means"), rows, "llll", folds=False)
    for column in table.columns[0], table.columns[1], table.columns[3]:
        column.no_wrap, column.overflow = False, "fold"
    show(console, table, least=False)
    for warning in diagnosis.warnings:
        show(console, Text.assemble(("WARNING: ", "bold"), str(warning)))


def print_diagnoses(diagnoses: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    console = new_console()
    begin = commonprefix([one.source for one in diagnoses])  # noqa: RUF071  (characters)
    shared = begin[: max(begin.rfind("?"), begin.rfind("&")) + 1]
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
        for one in diagnoses
    ]
    sizes = sorted({one.vectors for one in diagnoses})
    spread = f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    vectors = f"{len(diagnoses)} sources, {spread} vectors of each"
    if shared:
        vectors = f"{one_line(shared.rstrip('?&'))}: {vectors}"
    show(console, Text(f"{vectors}\n", "bold"))
    show(console, table_of(heads, rows, "lrrrrrl"))
    about = (
        "Mean cosine: of two texts; IsoScore: 1 where all directions vary alike; top component and "
        "loudest dimension: share of variance and of squared length. One source alone is shown "
        "with every figure."
    )
    show(console, Text(about, "dim"))


def _sign(*, doubtful: bool | None) -> Text:
    if doubtful is None:
        return Text("")
    return Text("doubtful", "bold red") if doubtful else Text("fine", "green")


Design = tuple[str, dict[str, int], Power]
"""Name, sizes by role, and what they can find."""


def print_powers(designs: Sequence[Design]) -> None:
    """Print a row for each design: at both levels its sizes, smallest p, smallest d and power."""
    console, first = new_console(), designs[0][2]
    d, heads, rows = first.d, ["Test"], []
    for number, what in ((1, "X v Y"), (2, "A v B")):
        heads += [f"Level {number}\n{what}", "smallest\np", "smallest\nd"]
        heads += [] if d is None else [f"power at\nd = {d:g}"]
    for name, _, one in designs:
        cells = [name]
        for place, level in (("level1", one.level1), ("level2", one.level2)):
            cells += _cells(level, one.alpha)
            if d is not None:
                chance = (one.chance or {}).get(place)
                cells.append("" if chance is None else percent(chance))
        rows.append(cells)
    show(console, table_of(heads, rows))
    needed = ", ".join(f"d = {d}: {n}" for d, n in (first.terms_needed or {}).items())
    below = (
        f"Smallest d: found with a power of {first.power:g} by the {first.tail.replace('_', '-')} "
        f"p < {level_of(first.alpha)}; none where no p-value of the design is that small. Normal "
        "scores; the terms of the other side as given. Terms needed in each of two groups: "
        f"{needed}."
    )
    if any(one.unit == "stimulus" for *_, one in designs):
        below += " In tests of sentences the sizes are those of stimuli."
    show(console, Text(below, "dim"))


def _cells(level: DesignPower | None, alpha: float) -> list[str]:
    if level is None:
        return ["", "", ""]
    d = "none" if level.smallest_d is None else effect(level.smallest_d)
    return [f"{level.n[0]} v {level.n[1]}", p_value(level.min_p, alpha), d]


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
