"""Themes of a vocabulary: the finding in a sentence, their page, tables and texts for a paper."""

from __future__ import annotations

from itertools import groupby

from eatlas.errors import join_names
from eatlas.numbers import count, effect, interval, number_of, p_value
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.drawings.kinds import SCREEN, Kind
from eatlas.present.rendering import page_files, phrase, render
from eatlas.present.sentences import wording
from eatlas.present.summaries import bibliography
from eatlas.present.tables import MARKUP, csv_text, layout_of
from eatlas.present.text import isolate
from eatlas_vocabulary.present.drawings.themes import Scale, chart
from eatlas_vocabulary.results.themes import LISTED, NAMED, Theme, ThemesResult, read_themes

FEW = 3
"""Themes that a title names."""
OPEN = 8
"""Themes beyond chance whose words are open in the page."""
WORDS, PAIRS = 40, 30
"""Words of a theme in the page, and pairs of groups."""
MADE = "themes.groups-made"
UNADJUSTED = "NOT adjusted for word frequency"
LOUD = ("themes.unadjusted", MADE, "themes.from-a-scan")
"""Notes without which no finding is read."""


def title(result: ThemesResult) -> str:
    """The finding in a sentence, with what limits it."""
    themes, names = result.found, group_names_in_quotes(result)
    made = any(note.code == MADE for note in result.warnings)
    if len(names) == 2:
        sizes = {role: sum(theme.ends[0] == role for theme in themes) for role in names}
        sides = [role for role in names if sizes[role]] or [*names]
        both = len(sides) == 2 and bool(themes)
        groups = " or ".join(names[r] + f" ({count(sizes[r])})" * both for r in sides)
        verb = "is" if len(themes) < 2 else "are"
        finding = f"{verb} significantly more associated with {groups}"
    else:
        groups = "clusters of names" if made else "groups"
        few = len(names) <= FEW + 1 and not made
        among = join_names([*names.values()]) if few else f"{len(names)} {groups}"
        finding = f"{'differs' if len(themes) < 2 else 'differ'} significantly between {among}"
    adjusted = "adjusted for word frequency" if result.covariates else UNADJUSTED
    of = number_of(len(result.themes), "theme")
    half = ", in half of the words of each group" * bool(result.held_out)
    parts = [f"{count(len(themes)) if themes else 'None'} of {of} {finding}, {adjusted}{half}"]
    rare = sum(theme.stability is not None and theme.stability < 0.5 for theme in themes)
    if len(themes) > FEW and rare and result.clustering:
        repeats = result.clustering.repeats
        parts.append(f"{count(rare)} of these in fewer than half of {repeats} other clusterings")
    if made:
        parts.append("clusters of names differ by construction")
    named = []
    for theme in themes if len(themes) <= FEW else ():
        text = again(result, theme)
        named.append(f"“{isolate(theme.name)}”" + f" (again in {text} clusterings)" * bool(text))
    return "; ".join(parts) + f": {'; '.join(named)}" * bool(named)


def again(result: ThemesResult, theme: Theme) -> str:
    """In how many other clusterings a finding returns; nothing of a user's themes."""
    if theme.stability is None or result.clustering is None:
        return ""
    repeats = result.clustering.repeats
    return f"{round(theme.stability * repeats)} of {repeats}"


def more(theme: Theme) -> list[str]:
    """The most central words, less those that a theme is called by."""
    first = NAMED if theme.name == theme.central else 0
    return [isolate(word) for word in theme.words[first:LISTED]]


def group_names_in_quotes(result: ThemesResult) -> dict[str, str]:
    """Names of the groups in a sentence: in quotes where some hold commas."""
    names = {role: isolate(name) for role, name in result.concepts.items()}
    listed = any("," in name for name in names.values())
    return {role: f"“{name}”" if listed else name for role, name in names.items()}


def themes_table(result: ThemesResult, columns: str = "wide") -> Table:
    """A row for each theme: narrow tables have no words."""
    two, rows = len(result.concepts) == 2, []
    wide, shown = columns == "wide", result.clustering is not None
    heads = [
        Column("Theme"), *[Column("Words")] * wide, Column("n", number=True),
        Column("Towards"), *[Column("Away from")] * (not two),
        Column("d", number=True), Column("p maxT", number=True),
        *[Column("Again", number=True)] * shown,
    ]  # fmt: skip
    for theme in result.themes:
        most, least = (isolate(result.concepts[role]) for role in theme.ends)
        beyond = theme.p_max_t < result.alpha
        d = (effect(theme.effect_size), *([interval(theme.interval)] if theme.interval else []))
        named = isolate(theme.name)
        rows.append((
            Cell((named,), strong=beyond),
            *[Cell((", ".join(more(theme)),))] * wide,
            Cell((count(theme.n),)), Cell((most,)), *[Cell((least,))] * (not two),
            Cell(d), Cell((p_value(theme.p_max_t, result.alpha),), star=beyond),
            *[Cell((again(result, theme),))] * shown,
        ))  # fmt: skip
    notes = (phrase("themes", "legend", result, group_names_in_quotes(result)),)
    return Table("themes", tuple(heads), tuple(rows), title(result), notes)


def themes_html(result: ThemesResult) -> str:
    """A search for themes as one self-contained page."""
    numbered = list(enumerate(result.themes, start=1))
    runs = groupby(numbered, key=lambda row: row[1].p_max_t < result.alpha)
    heading = title(result)
    return render(
        "themes",
        r=result,
        title=heading,
        scale=Scale.of(result),
        runs=[(beyond, list(rows)) for beyond, rows in runs],
        again=again,
        more=more,
        legend=phrase("themes", "legend", result, group_names_in_quotes(result)),
        halves=phrase("themes", "halves", result),
        units=phrase("themes", "units", result),
        methods=themes_methods(result),
        bibtex=themes_bibtex(result),
        table=themes_table(result),
        drawing=chart(result, SCREEN, heading).on_page,
        loud=LOUD,
        open=OPEN,
        few=LISTED,
        words_shown=WORDS,
        pairs_shown=PAIRS,
        words=wording([]),
        **page_files("cards.js", "report.js"),
    )


def themes_methods(result: ThemesResult) -> str:
    """The methods paragraph of a paper."""
    return phrase("themes", "methods", result, group_names_in_quotes(result))


def themes_bibtex(result: ThemesResult) -> str:
    """Entries of all works that the paragraph cites."""
    pairs, adjusted = any(theme.pairs for theme in result.themes), bool(result.covariates)
    by_error = pairs or len(result.concepts) == 2
    methods = {
        "themes": True,
        "k-means": result.clustering is not None,
        "residuals": adjusted,
        "residuals-by-error": adjusted and by_error,
        "adjusted": adjusted and by_error,
        "studentised": by_error and not adjusted,
        "holm": pairs,
        "glove-sample": "glove-sample" in (result.source, result.source_from),
    }
    used = {name for name, done in methods.items() if done}
    return bibliography(used, {result.provenance.citation}, [result.provenance.version])


def themes_text(result: ThemesResult, format: str, columns: str | None = None) -> str:  # noqa: A002
    """A search for themes in one of the formats of reports."""
    if format == "html":
        return themes_html(result)
    if format == "csv":
        return csv_text(result.rows())
    if format in MARKUP:
        return MARKUP[format]([themes_table(result, layout_of(format, columns))])
    return (themes_methods if format == "methods" else themes_bibtex)(result) + "\n"


def themes_drawing() -> Kind:
    """The kind of drawing of themes: their chart under what was found."""
    return Kind(
        lambda result, width: chart(result, width, title(result)),
        lambda _: False,
        "eatlas.scan(..., themes=...)",
        takes=lambda given: isinstance(given, ThemesResult),
        read=read_themes,
    )
