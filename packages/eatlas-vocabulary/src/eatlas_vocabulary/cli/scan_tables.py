"""Scans of a vocabulary as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from eatlas.cli.console import in_words, least_width, new_console, say, show, table_of
from eatlas.cli.messages import plain_line
from eatlas.errors import join_names, listing
from eatlas.numbers import count, effect, level_of, number_of, p_value, percent
from eatlas.present.rendering import lines, phrase
from eatlas_vocabulary.results.scan import SIDES, ScanResult
from eatlas_vocabulary.results.themes import Theme, ThemesResult, strength

SORTED = {
    "effect_size": "Sorted by d (--sort difference finds the strongest associations).",
    "difference": "Sorted by diff., the strength of an association.",
    "p": "Sorted by p.",
}
"""What the order of the lists means."""
COLUMNS = (
    "d is the effect size, above 0 towards A; diff. is the difference of the mean cosines with A "
    "and with B; p is two-sided, for the single word. maxT: p adjusted for all words, so that a "
    "single false finding is unlikely (Westfall and Young; * below alpha). BY: p adjusted so that "
    "few findings are false (Benjamini and Yekutieli). The position in the source stands for "
    "frequency, as in GloVe, word2vec and fastText files."
)
FIRST = ("themes.unadjusted", "themes.groups-made", "themes.from-a-scan")
"""Notes that come before the themes."""
TOWARDS = 12
"""Columns of a group's name; the role stands for longer ones."""
LEAST_THEME, MOST_THEME = 16, 60
"""Columns of a theme."""


def print_scan(result: ScanResult) -> None:
    """Print how many words are significant, lists by band, and what each adjustment can do."""
    console, names, family = new_console(), result.concepts, result.family
    alpha, test = family.alpha, "" if result.test is None else f", the attributes of {result.test}"
    beyond, by = family.max_t, family.benjamini_yekutieli
    say(
        console,
        f"{result.source}: {count(beyond.total)} of {number_of(family.words, 'word')} "
        f"{'is' if beyond.total == 1 else 'are'} significantly associated: {count(beyond.A)} with "
        f"{names.A}, {count(beyond.B)} with {names.B}",
        "bold",
        hang=2,
    )
    say(
        console,
        f"{in_words(result.signature)}; {names.A} (A) against {names.B} (B){test}. Significant: "
        f"maxT below {level_of(alpha)}; {count(by.total)} by BY.",
        hang=2,
    )
    for number, band in enumerate(result.bands):
        nearer = [percent(n / max(1, band.words)) for n in (band.leaning.A, band.leaning.B)]
        say(console, "")
        say(
            console,
            f"Words {band.band.label} of the source ({count(band.words)}: {nearer[0]} nearer to A, "
            f"{nearer[1]} to B)",
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
            head = f"{top.side}: {names[top.side]}, {many} significant"
            show(console, table_of((head, "d", "diff.", "p", "maxT ", "BY"), rows))
    say(console, "")
    say(console, f"{SORTED[result.sort]} {COLUMNS}", "dim")
    if flagged := result.vocabulary.attributes:
        are = "is" if flagged == 1 else "are"
        say(console, f"{number_of(flagged, 'attribute word')} {are} in no list and no family.")
    missing = [
        f"Missing attributes of {names[side]}: {listing(group.missing, 100)}."
        for side in SIDES
        if (group := result.coverage[side]).missing
    ]
    for text in ("", *lines("scan", family=family), *missing, *result.warnings):
        say(console, str(text), hang=2)


def print_themes(result: ThemesResult, top: int) -> None:
    """Print how many themes are significant, the strongest, and reasons for caution."""
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
        none = "" if below else ", none significant"
        first = f"; the first is the most extreme of {count(themes)} themes" * (themes > 1)
        large = ", so its d is likely too large" * (below > 0 and themes > 1)
        say(console, f"The strongest{none}{first}{large}:", hang=2)
        _show_themes(console, result, called, sorted(result.themes, key=strength)[:top])
        say(console, _themes_caption(result, called), "dim")
    _say_phrase(console, "units", result)
    for role, group in result.coverage.items():
        if group.missing:
            say(console, f"Missing words of {names[role]}: {listing(group.missing, 100)}.", hang=2)
    for note in result.warnings:
        if note.code not in FIRST:
            say(console, str(note), hang=2)


def _say_phrase(console: Console, macro: str, result: ThemesResult) -> None:
    """Print what a macro says of a search, if anything."""
    if text := phrase("themes", macro, result):
        say(console, text, hang=2)


def _themes_caption(result: ThemesResult, called: Mapping[str, str]) -> str:
    """What the columns of the table mean."""
    two, level, again = len(called) == 2, f"{100 * (1 - result.alpha):g}%", ""
    if result.clustering is not None and (others := result.themes[0].other_counts):
        counts = join_names([count(number) for number in others])
        again = (
            f"; again: in {result.clustering.repeats} more clusterings, and in those with {counts}"
        )
    return (
        f"d in standard deviations{', above 0 towards ' + called['A'] if two else ''}; "
        f"{f'{level} interval for all themes at once; ' * two}maxT: p "
        f"{'' if two else 'of a difference between any groups, '}adjusted for all themes, * "
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
