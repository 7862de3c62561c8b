"""One self-contained HTML page of many results: no network, no outside font, one small script."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from eatlas.errors import ResultsError, did_you_mean
from eatlas.present.drawings.eat_map import legend, symbols
from eatlas.present.effects import BOUNDS, OVER_SENTENCES
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import page_files, render
from eatlas.present.sections import Scales, Section, distinct, sections, source_of
from eatlas.present.sentences import title, wording
from eatlas.present.summaries import bibtex, in_brief, methods_paragraph
from eatlas.present.tables import FORMATS as TABLES
from eatlas.present.tables import report_table
from eatlas.present.thumbnails import Named, Thumbnails, located
from eatlas.results.levels import CELLS
from eatlas.results.parts import TAILS
from eatlas.results.settings import Settings, repeated
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    from eatlas.present.comparison import Series
    from eatlas.results import AssociationResult, TrendResult

OPEN_UP_TO = 40
"""Results whose details are open in the page; of more, they are packed until they are opened."""
KNOWN = ("ml-eat", "lpbs", "weat", "sc-eat")
"""Tables of the summary in their order; those of other packages follow."""
FIRST_ROWS = 150
"""Rows of a summary that are shown at once where details are packed. 1,000 rows take Chromium 2.5 s
of processor time, these 0.4 s; sorting and filtering take all rows into account."""
DOTS_UP_TO = 100_000
"""Cosines that a page draws one by one, at 7 bytes each."""
PACK = 16
"""Parts that are packed together: more of them shrink better, and take longer to open."""
OFTEN = 20
"""A tag that comes as often gets a letter."""
_TAG = re.compile("<[^>]*>")
_INDENT = re.compile(r"\n\s+")
_BETWEEN = re.compile(
    r"\n+(?=</?(?:table|thead|tbody|tr|td|th|div|p|h4|ul|li|dl|dt|dd|figure|details|summary)\b)"
    r"|(?<=</td>)\n|(?<=</tr>)\n|(?<=</th>)\n"
)
"""Ends of lines between blocks, which no reader sees."""
_PRIVATE = range(0xE000, 0xF900)
"""Letters that Unicode leaves to whoever needs some; texts hardly ever use them."""


def report_html(
    results: Iterable[AssociationResult],
    *,
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    images: Named | None = None,
) -> str:
    """Write results as one HTML page.

    Parameters
    ----------
    results : Results or iterable of results
        With ``Results``, jobs that failed are listed too, and trends over time are described.
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.
    images : path, list of paths, or mapping, optional
        Folders that hold the images of the tests, of which the page then has thumbnails; or their
        paths by the SHA-256 of their bytes. A file with other bytes is not shown.

    Returns
    -------
    str
        The page; it depends on nothing but the results, the images and the options.

    Raises
    ------
    ResultsError
        If an option has no such value.

    Examples
    --------
    >>> import eatlas
    >>> "BY-Singular" in report_html(eatlas.run(tests="weat-6"))
    True
    """
    given = list(results)
    declared = DeclaredFamily.of(given, family, adjust).of_several()
    faults = {"failures": tuple(getattr(results, "failures", ())), "damage": tuple(damage)}
    trends: tuple[TrendResult, ...] = tuple(getattr(results, "trends", ()))
    texts = {
        "family": declared,
        "methods": methods_paragraph(given, declared, trends),
        "bibtex": bibtex(given, declared, trends),
    }
    thumbnails = Thumbnails(located(images, given))
    shown = sections(given, declared, dots=_dots(given), thumbnails=thumbnails)
    settings = Settings.among(given)
    texts |= {
        "title": title(given, settings) if given else wording(given).heading,
        "kinds_named": distinct(one.measure.upper() for one in given),
        "names_in_full": settings.in_words(full=True),
    }
    series = _series(shown, trends, faults["failures"])
    brief = in_brief(shown, declared, series) if len(shown) > 1 else []
    return _rendered(shown, series, thumbnails=thumbnails, brief=brief, **faults, **texts)


def _rendered(shown: Sequence[Section], series: Sequence[Series], **texts: object) -> str:
    """The page of these sections, with the texts about all of them."""
    packed = len(shown) > OPEN_UP_TO
    later = Deferred()
    kept: dict[str, object] = {
        "scales": Scales.of(shown),
        "cells": CELLS,
        "tails": TAILS,
        "later": later,
    }
    kept |= {"known": KNOWN, "over_sentences": OVER_SENTENCES, "bounds": BOUNDS}
    in_series = {section.anchor for one in series for section in one.members}
    others = [section for section in shown if section.anchor not in in_series]

    def draw(template: str, **what: object) -> Markup | tuple[int, int]:
        html = _BETWEEN.sub("", _INDENT.sub("\n", render(template, **what, **kept)))
        return later.add(html) if packed else Markup(html)  # noqa: S704  (our own template)

    # in this order they are packed
    details = [draw("detail", section=section) for section in shown]
    years = [(one, draw("years", series=one)) for one in series]
    return render(
        "report",
        **kept,
        **_of_results(shown),
        details=details,
        series=years,
        **_beside(others, draw),
        packed=packed,
        first_rows=FIRST_ROWS,
        sections=shown,
        **texts,
        **page_files("cards.js", "report.js"),
    )


def _series(shown: Sequence[Section], *facts: Iterable[Any]) -> list[Series]:
    """Results that differ in their period alone, with trends and failures."""
    if not repeated(section.result for section in shown):
        return []
    from eatlas.present.comparison import series_of  # noqa: PLC0415  (most pages have none)

    return series_of(shown, *facts)


def _beside(others: Sequence[Section], draw: Callable[..., object]) -> dict[str, object]:
    """Settings of one test beside each other, drawn in this order."""
    if not repeated(section.result for section in others):
        return {"compared": []}
    from eatlas.present.comparison import comparisons, kinds, matrices  # noqa: PLC0415

    compared = [(one, draw("compared", comparison=one)) for one in comparisons(others)]
    return {
        "compared": [
            (kind, members, matrices(one for one, _ in members))
            for by, kind in kinds().items()
            if (members := [pair for pair in compared if pair[0].by == by])
        ],
    }


def _dots(given: Sequence[AssociationResult]) -> bool:
    """Whether the page has room for every single cosine."""
    kept = sum(len(rows) * len(rows[0]) for r in given if (rows := r.similarities))
    return len(given) <= OPEN_UP_TO and kept <= DOTS_UP_TO


def _of_results(shown: Sequence[Section]) -> dict[str, object]:
    """What the page says about its results as a whole."""
    results = [section.result for section in shown]
    maps = [result for result in results if result.pattern is not None]
    labels = [result.primary.label for result in maps]
    of_models = [result.language_model is not None for result in results]
    tests, sources = (
        distinct(r.test for r in results),
        {source_of(s.result): s.source_name for s in shown},
    )
    signatures: dict[str, set[str]] = {}
    for result in results:
        signatures.setdefault(result.measure, set()).add(result.signature)
    return {
        "with_maps": bool(labels),
        "only_groups": all(result.kind == "groups" for result in results),
        "intervals": _intervals(shown),
        "any_over_stimuli": any(result.primary.over_stimuli for result in results),
        "directional": any(result.rule.tail == "directional" for result in maps),
        "kinds": sorted({s.kind for s in shown}, key=_place),
        "legend": legend(labels),
        "found_labels": sorted(set(labels)),
        "symbols": symbols(
            undefined=any(s.map and "U" in (s.map.X.state, s.map.Y.state) for s in shown)
        ),
        "shares": any(result.unit == "share" for result in results),
        "lpbs": any(of_models),
        "only_lpbs": bool(of_models) and all(of_models),
        "words": wording(results),
        "tests": tests,
        "test_numbers": {test: number for number, test in enumerate(tests)},
        "sources": sources,
        "source_numbers": {source: number for number, source in enumerate(sources)},
        "signatures": distinct(r.signature for r in results),
        "several_signatures": {name: len(known) > 1 for name, known in signatures.items()},
        "versions": distinct(r.provenance.version for r in results),
        "stars": distinct(r.rule.meaning for r in results),
    }


def _place(kind: str) -> tuple[int, str]:
    """Where the table of a kind is in the summary."""
    return (KNOWN.index(kind) if kind in KNOWN else len(KNOWN)), kind


def _intervals(shown: Sequence[Section]) -> str:
    """Whether effect sizes have intervals: "all", "some" or, as with CEAT, "none"."""
    found = {bool(s.levels[0].interval) for s in shown if s.levels}
    return "some" if len(found) > 1 else "all" if True in found else "none"


_TEXTS = {"methods": methods_paragraph, "bibtex": bibtex}
"""What a manuscript takes over as it is."""
FORMATS = ("html", *TABLES, *_TEXTS)
"""The page, tables, and texts for a manuscript."""


def report_text(
    results: Iterable[AssociationResult],
    format: str = "html",  # noqa: A002  (as the command line calls it)
    *,
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    images: Named | None = None,
) -> str:
    """Write results as text in one of the formats; :func:`write_report` explains them.

    Raises
    ------
    ResultsError
        If an option has no such value, or there is nothing to put in a table.
    """
    if format == "html":
        return report_html(results, damage=damage, family=family, adjust=adjust, images=images)
    if format not in FORMATS:
        raise ResultsError(
            f"there is no report in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    if format not in _TEXTS:
        return report_table(results, format, family=family, adjust=adjust)
    given = list(results)
    trends = tuple(getattr(results, "trends", ()))
    return _TEXTS[format](given, DeclaredFamily.of(given, family, adjust), trends) + "\n"


def write_report(
    results: Iterable[AssociationResult],
    path: str | Path,
    *,
    format: str = "html",  # noqa: A002
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    images: Named | None = None,
) -> None:
    """Write results as one file, whole or not at all.

    Parameters
    ----------
    results : Results or iterable of results
        In a page, the jobs of ``Results`` that failed are listed too.
    path : path
    format : {"html", "latex", "longtable", "markdown", "html-table", "csv", "methods", "bibtex"}
        One self-contained page; tables for a manuscript, see :func:`eatlas.report.report_table`;
        the methods paragraph; or the BibTeX entries of all works that it cites.
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read; a page names it.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.
    images : path, list of paths, or mapping, optional
        Of a page: where the images of the tests lie, for thumbnails; see
        :func:`eatlas.report.report_html`.

    Raises
    ------
    ResultsError
        If the file cannot be written, an option has no such value, or there is nothing to put in
        a table.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     write_report(eatlas.run(tests="weat-6"), path)
    ...     "weat-6" in path.read_text(encoding="utf-8")
    True
    """
    how: dict[str, Any] = {"damage": damage, "family": family, "adjust": adjust}
    text = report_text(results, format, images=images, **how)
    with atomic_file(Path(path)) as file:
        file.write(text)


@dataclass
class Deferred:
    """Collects parts; each is known by its pack and its place therein."""

    parts: list[str] = field(default_factory=list)

    def add(self, html: str) -> tuple[int, int]:
        """Keep a part; return the numbers by which the script finds it."""
        self.parts.append(html)
        return divmod(len(self.parts) - 1, PACK)

    def packs(self) -> list[Markup]:
        """Pack all parts: first the letters with their tags, then the parts in their order.

        Each is Base64 of deflated JSON, fit for a page; nothing where there are no parts.
        """
        if not self.parts:
            return []
        letters = _letters(self.parts)
        short = [_TAG.sub(lambda m: letters.get(m[0], m[0]), part) for part in self.parts]
        packs = [short[start : start + PACK] for start in range(0, len(short), PACK)]
        return [packed({letter: tag for tag, letter in letters.items()}), *map(packed, packs)]


def _letters(parts: Sequence[str]) -> dict[str, str]:
    """A letter for each tag that comes often, none that any part uses itself."""
    counts = Counter(tag for part in parts for tag in _TAG.findall(part))
    used = set().union(*map(set, parts))
    free = (letter for code in _PRIVATE if (letter := chr(code)) not in used)
    often = (tag for tag, times in counts.most_common() if times >= OFTEN)
    return dict(zip(often, free, strict=False))


def packed(value: object) -> Markup:
    """A value as Base64 of deflated JSON, fit for a page."""
    text = json.dumps(value, ensure_ascii=False)
    return Markup(b64encode(zlib.compress(text.encode(), level=9)).decode())  # noqa: S704
