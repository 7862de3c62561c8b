"""Scans, diagnoses, designs and studies as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from eatlas.cli.console import in_words, least_width, new_console, say, show, table_of
from eatlas.cli.messages import plain_line
from eatlas.errors import joined, listed
from eatlas.numbers import count, effect, level_of, number_of, p_value, percent
from eatlas.present.rendering import lines, phrase
from eatlas.present.text import one_line
from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    ISO_SCORE,
    LOUD_DIMENSION,
    LOUD_RATIO,
    MEAN_COSINE,
    Diagnosis,
    RankBand,
)
from eatlas.results.effects import shown
from eatlas.results.levels import Power
from eatlas.results.scan import SIDES, ScanResult
from eatlas.results.themes import Theme, ThemesResult, strength

if TYPE_CHECKING:
    from rich.console import Console

    from eatlas.apps.studies import Prepared
    from eatlas.apps.studies.record import StudyRecord

SORTED = {
    "effect_size": "Sorted by d (--sort difference finds the strongest associations).",
    "difference": "Sorted by diff., the strength of an association.",
    "p": "Sorted by p.",
}
"""What the order of the lists means."""
COLUMNS = (
    "d is the effect size, above 0 towards A; diff. is the difference of the mean cosines with A "
    "and with B; p is two-sided, of the word alone. maxT: p adjusted for all words, so that it is "
    "unlikely that any passes by chance (Westfall and Young; * below alpha). BY: so that few of "
    "those that pass do so by chance (Benjamini and Yekutieli). The place in the source stands for "
    "frequency, as in GloVe, word2vec and fastText files."
)
ABOUT_DIAGNOSES = (
    "Mean cosine: of two texts; IsoScore: 1 where all directions vary alike; top component and "
    "loudest dimension: share of variance and of squared length. One source alone is shown with "
    "every figure."
)
FIRST = ("themes.unadjusted", "themes.groups-made", "themes.from-a-scan")
"""Notes that come before the themes."""
TOWARDS = 12
"""Columns of a group's name; the role stands for longer ones."""
LEAST_THEME, MOST_THEME = 16, 60
"""Columns of a theme."""
SIGNS = {None: ("",), False: ("fine", "green"), True: ("doubtful", "bold red")}


def print_scan(result: ScanResult) -> None:
    """Print how many words are beyond chance, lists by band, and what each adjustment can do."""
    console, names, family = new_console(), result.concepts, result.family
    alpha, test = family.alpha, "" if result.test is None else f", the attributes of {result.test}"
    beyond, by = family.max_t, family.benjamini_yekutieli
    say(
        console,
        f"{result.source}: of {number_of(family.words, 'word')}, {count(beyond.total)} "
        f"{'is' if beyond.total == 1 else 'are'} associated beyond chance: {count(beyond.A)} with "
        f"{names.A}, {count(beyond.B)} with {names.B}",
        "bold",
        hang=2,
    )
    say(
        console,
        f"{in_words(result.signature)}; {names.A} (A) against {names.B} (B){test}. Beyond chance: "
        f"maxT below {level_of(alpha)}; {count(by.total)} by BY.",
        hang=2,
    )
    for number, band in enumerate(result.bands):
        lean = [percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B)]
        say(console, "")
        say(
            console,
            f"Words {band.band.label} of the source ({count(band.words)}: {lean[0]} lean to A, "
            f"{lean[1]} to B)",
            hang=2,
        )
        for top in result.tops[2 * number : 2 * number + 2]:
            passes = band.max_t[top.side]
            rows = []
            for word in top.words:
                level, ps = word.level2, (word.level2.p.two_sided, word.p_max_t, word.p_by)
                sizes = effect(level.effect_size), effect(level.difference, 3)
                style = "" if word.p_max_t < alpha else "dim"
                p, max_t, p_by = (p_value(p, alpha) for p in ps)
                max_t += "*" if word.p_max_t < alpha else " "
                cells = (plain_line(word.word), *sizes, p, max_t, p_by)
                rows.append([Text(cell, style) for cell in cells])
            many = count(passes) if passes else "none"
            head = f"{top.side}: {names[top.side]}, {many} beyond chance"
            show(console, table_of((head, "d", "diff.", "p", "maxT ", "BY"), rows))
    say(console, "")
    say(console, f"{SORTED[result.sort]} {COLUMNS}", "dim")
    if flagged := result.vocabulary.attributes:
        are = "is" if flagged == 1 else "are"
        say(console, f"{number_of(flagged, 'attribute word')} {are} in no list and no family.")
    missing = [
        f"Missing attributes of {names[side]}: {listed(group.missing, 100)}."
        for side in SIDES
        if (group := result.coverage[side]).missing
    ]
    for text in ("", *lines("scan", family=family), *missing, *result.warnings):
        say(console, str(text), hang=2)


def print_themes(result: ThemesResult, top: int) -> None:
    """Print how many themes are significant, the strongest, and what speaks against them."""
    console, names = new_console(), result.concepts
    themes, below, two = len(result.themes), len(result.found), len(names) == 2
    notes = {code: [n for n in result.warnings if n.code == code] for code in FIRST}
    for note in notes["themes.unadjusted"]:
        say(console, str(note), "bold red", hang=2)
    long = max(map(cell_len, names.values())) > TOWARDS
    called = {role: role if long else plain_line(name) for role, name in names.items()}
    groups = " or ".join(f"{names[role]}{f' ({role})' * long}" for role in names)
    verb = ("is" if two else "differs") if below == 1 else ("are" if two else "differ")
    more = f"significantly more associated with {groups}"
    made = f"{number_of(themes, 'word cluster')} (themes)"
    what = made if result.clustering else number_of(themes, "theme")
    say(
        console,
        f"{result.source}: of {what}, {count(below)} "
        f"{verb} {more if two else f'significantly between {len(names)} groups'}"
        f"{', adjusted for word frequency' if result.covariates else ''}",
        "bold",
        hang=2,
    )
    _say_phrase(console, "halves", result)
    if long and not two:
        say(console, "; ".join(f"{role}: {names[role]}" for role in names), hang=2)
    for note in notes["themes.groups-made"] + notes["themes.from-a-scan"]:
        say(console, str(note), hang=2)
    if top:
        chance = "" if below else ", none significant"
        first = f"; the first is the most extreme of {count(themes)} themes" * (themes > 1)
        large = ", so its d is likely too large" * (below > 0 and themes > 1)
        say(console, f"The strongest{chance}{first}{large}:", hang=2)
        _show_themes(console, result, called, sorted(result.themes, key=strength)[:top])
        say(console, _about_themes(result, called), "dim")
    _say_phrase(console, "units", result)
    for role, group in result.coverage.items():
        if group.missing:
            say(console, f"Missing words of {names[role]}: {listed(group.missing, 100)}.", hang=2)
    for note in result.warnings:
        if note.code not in FIRST:
            say(console, str(note), hang=2)


def _say_phrase(console: Console, macro: str, result: ThemesResult) -> None:
    """Print what a macro says of a search, if anything."""
    if text := phrase("themes", macro, result):
        say(console, text, hang=2)


def _about_themes(result: ThemesResult, called: Mapping[str, str]) -> str:
    """What the columns of the table mean."""
    two, level, again = len(called) == 2, f"{100 * (1 - result.alpha):g}%", ""
    if result.clustering is not None and (others := result.themes[0].other_counts):
        counts = joined([count(number) for number in others])
        again = (
            f"; again: in {result.clustering.repeats} more clusterings, and in those with {counts}"
        )
    return (
        f"d in standard deviations{', above 0 towards ' + called['A'] if two else ''}; "
        f"{f'{level} interval for all themes at once; ' * two}maxT: p "
        f"{'' if two else 'that any groups differ, '}adjusted for all themes, * "
        f"below {level_of(result.alpha)}{again}."
    )


def _show_themes(
    console: Console, result: ThemesResult, called: Mapping[str, str], themes: Sequence[Theme]
) -> None:
    """A line for each theme, with as many of its words as there is room for."""
    two = len(called) == 2
    heads, rows = ["theme", "towards" if two else "most > least", "d"], list[list[str]]()
    heads += [*["interval"] * two, "maxT ", *["again"] * (result.clustering is not None)]
    for theme in themes:
        most, least = (called[role] for role in theme.ends)
        row = [most if two else f"{most} > {least}", effect(theme.effect_size)]
        if two:
            row.append("[{}, {}]".format(*map(effect, theme.interval)) if theme.interval else "")
        star = "*" if theme.p_max_t < result.alpha else " "
        row.append(p_value(theme.p_max_t, result.alpha) + star)
        if result.clustering is not None and theme.stability is not None:
            repeats, others = result.clustering.repeats, (theme.other_counts or {}).values()
            row.append(f"{theme.stability * repeats:.0f}/{repeats}, {sum(others)}/{len(others)}")
        rows.append(row)
    beside = least_width(table_of(heads, [["", *row] for row in rows], "ll"), console)
    room = min(MOST_THEME, max(LEAST_THEME, console.width - beside + len(heads[0])))
    cells = []
    for row, theme in zip(rows, themes, strict=True):
        name = "" if theme.name == theme.central else plain_line(f"{theme.name}: ")
        label = ""
        for word in map(plain_line, theme.words):
            longer = f"{label}, {word}" if label else name + word
            if cell_len(longer) > room:
                break
            label = longer
        label = label or set_cell_size(plain_line(theme.name), room)
        style = "" if theme.p_max_t < result.alpha else "dim"
        cells.append([Text(text, style) for text in (label, *row)])
    show(console, table_of(heads, cells, "ll"))


Reading = tuple[str, str, str, bool | None]
"""A figure of a diagnosis, its value, what it means, and whether it passes its limit; None where it
has none, or is undefined."""


def readings(d: Diagnosis) -> list[Reading]:
    """Every figure of a diagnosis with what it means."""
    return [*_of_cosines(d), *_of_variance(d), *_of_dimensions(d)]


def _of_cosines(d: Diagnosis) -> Iterator[Reading]:
    """How near words are that have nothing in common."""
    yield (
        "Mean cosine of two words",
        f"{d.mean_cosine:.3f} (sd {d.sd_cosine:.3f})",
        "Over all pairs, whatever the words. 0: the vectors point in all directions alike; 1: "
        f"all in one. From {MEAN_COSINE} on, EAT patterns get lost; level 1 changes little.",
        d.mean_cosine >= MEAN_COSINE,
    )
    bands = [
        f"{_ranks(band)}: {band.mean_cosine:.3f}{', doubtful' * _doubtful(band)}"
        for band in d.bands
        if band.mean_cosine is not None
    ]
    if d.bands:  # the order of texts that were encoded says nothing
        yield (
            "The same by rank in the source",
            "\n".join(bands) or "too few vectors",
            "Words of the papers' tests are mostly among the first. Where bands differ, frequent "
            "and rare words are in different parts of the space, if the source is sorted by "
            "frequency.",
            None,
        )
    yield (
        "Level 3 sign of ML-EAT",
        "yes" if d.alike else "no",
        f"Yes where cosines are {ALIKE_MEAN} or more on average with a standard deviation of "
        f"{ALIKE_SD} or less, as in GPT-2 (Wolfe et al. 2024, Table 3).",
        d.alike,
    )


def _of_variance(d: Diagnosis) -> Iterator[Reading]:
    """How evenly directions vary."""
    score, too_low = d.iso_score, d.vectors < 10 * d.dim
    yield (
        "IsoScore",
        "undefined" if score is None else f"{score:.3f}",
        "1: the variance is spread evenly over all directions; 0: one has all. At "
        f"{ISO_SCORE} or less, patterns and level 1 get lost."
        + " With fewer than 10 vectors to a dimension it comes out too low."
        * too_low,
        None if score is None else score <= ISO_SCORE,
    )
    shares = [] if d.variance is None else [f"{share:.1%}" for _, share in d.variance]
    yield (
        "Variance in the top 1, 3, 10 components",
        ", ".join(shares) or "undefined",
        "Where a few components stand out, all-but-the-top:k removes them.",
        None,
    )


def _of_dimensions(d: Diagnosis) -> Iterator[Reading]:
    """What single dimensions do."""
    limit, loud = max(LOUD_DIMENSION, LOUD_RATIO / d.dim), d.loudest
    yield (
        "Loudest dimension",
        f"dimension {loud.dimension}: {loud.length:.1%} of the squared length",
        f"{1 / d.dim:.1%} if all were alike. From {limit:.0%} on, cosines follow it more than "
        "the others.",
        loud.loud,
    )
    rogues = [
        f"dimension {rogue.dimension}: {rogue.contribution:+.3f}"
        + ("" if rogue.share is None else f" ({rogue.share:.0%})")
        for rogue in d.rogue
    ]
    yield (
        "Rogue dimensions",
        "\n".join(rogues),
        "What single dimensions add to the mean cosine (Timkey and van Schijndel 2021). A "
        "large share matters only where the mean is large.",
        None,
    )


def _ranks(band: RankBand) -> str:
    return f"{band.first:,} to {band.last:,}"


def _doubtful(band: RankBand) -> bool:
    """A band of fewer than 100 words may pass the limit by chance."""
    mean = band.mean_cosine
    return mean is not None and mean >= MEAN_COSINE and band.last - band.first >= 99


def verdict(diagnosis: Diagnosis) -> str:
    """Whether cosines can be read in this space, in a sentence or two."""
    if passed := sum(doubtful is True for *_, doubtful in readings(diagnosis)):
        figures = "one figure passes its limit" if passed == 1 else f"{passed} pass their limits"
        return f"Cosines are doubtful here: {figures}."
    usable = "No figure passes its limit: cosines look usable here."
    alike = " and ".join(_ranks(band) for band in diagnosis.bands if _doubtful(band))
    if not alike:
        return usable
    return (
        f"{usable} Words {alike} of the source share a direction, though: the result of a test of "
        "such words warns of it."
    )


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print the verdict, a row for each figure with what it means, and what passes a limit."""
    console = new_console()
    zero = f"; {diagnosis.zero:,} zero vectors left out" if diagnosis.zero else ""
    size = f"{diagnosis.vectors:,} vectors of {diagnosis.dim} components{zero}"
    say(console, f"{one_line(diagnosis.source)}: {size}", "bold")
    say(console, f"{verdict(diagnosis)}\n")
    rows: list[tuple[str | Text, ...]] = []
    for figure, value, meaning, doubtful in readings(diagnosis):
        rows += [(Text(figure, "bold"), value, Text(*SIGNS[doubtful]), one_line(meaning)), ()]
    table = table_of(("Figure", "Value", "", "What it means"), rows, "llll")
    for column in table.columns[0], table.columns[1], table.columns[3]:
        column.min_width, column.no_wrap, column.overflow = None, False, "fold"
    show(console, table, folds=True)
    for warning in diagnosis.warnings:
        say(console, str(warning), head="WARNING: ")


def print_diagnoses(diagnoses: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    console = new_console()
    heads = ("Source", "mean cosine", "IsoScore", "top\ncomponent", "loudest\ndimension", "")
    rows = [
        (
            one_line(each.source),
            f"{each.mean_cosine:.3f}",
            "–" if each.iso_score is None else f"{each.iso_score:.3f}",
            "–" if each.variance is None else f"{each.variance.top1:.0%}",
            f"{each.loudest.dimension}: {each.loudest.length:.0%}",
            Text(*SIGNS[any(doubtful for *_, doubtful in readings(each))]),
        )
        for each in diagnoses
    ]
    show(console, table_of(heads, rows, "lrrrrl"))
    say(console, ABOUT_DIAGNOSES, "dim")


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
        f"Least d: found with a power of {first.power:g} by the {first.tail.replace('_', '-')} "
        f"p < {level_of(first.alpha)}; none where no p-value of the design is that small. Normal "
        "scores; the terms of the other side held fixed. Terms needed in each of two groups: "
        f"{needed}.{' In tests of sentences the sizes are those of stimuli.' * stimuli}",
        "dim",
    )


def print_plan(prepared: Prepared) -> None:
    """Print the choices of a plan, and what it takes to do it."""
    console = new_console()
    if prepared.plan.study.title:
        say(console, prepared.plan.study.title, "bold")
    choices = prepared.plan.alternatives().items()
    rows = [(name, f"{len(labels)}", ", ".join(labels)) for name, labels in choices]
    table = table_of(("Choice", "alternatives", ""), rows, "lrl")
    table.columns[-1].no_wrap = False
    show(console, table, folds=True)
    skipped = f", and {len(prepared.misfits):,} are skipped" if prepared.misfits else ""
    words, texts = prepared.cost()
    say(
        console,
        f"\n{number_of(len(prepared.jobs), 'specification')}{skipped}; "
        f"{count(words)} words to look up, {count(texts)} texts to encode",
    )


def print_study(record: StudyRecord) -> None:
    """Print what the alternatives of each choice do."""
    from eatlas.apps.studies.study import share  # noqa: PLC0415

    console = new_console()
    if record.title:
        say(console, record.title, "bold")
    heads = ("Choice", "n", "median\nd", "range of d", "p <\nalpha", "main pattern")
    rows: list[tuple[str, ...]] = []
    choice = ""
    for row in record.summaries():
        if row["choice"] != choice:
            choice = row["choice"]
            rows.append((choice,))
        rows.append((
            f"  {row['label']}" if choice else "all specifications",
            f"{row['number']:,}",
            shown(row["median"]),
            f"{shown(row['least'])} to {shown(row['greatest'])}",
            share(row["significant"]),
            f"{row['pattern']} {share(row['share'])}" if row["pattern"] else "",
        ))  # fmt: skip
    show(console, table_of(heads, rows, "lrrrrl"))
