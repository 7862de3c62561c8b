"""The table of predictive validity: measures by their correlation with a census.

Bommasani and Liang (2022), Table 5, from the measure cards of several measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from eatlas.errors import ResultsError, did_you_mean, join_names
from eatlas.numbers import UNDEFINED, count, effect, level_of
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.tables import FORMATS, MARKUP, csv_text
from eatlas.present.text import one_line
from eatlas.results.json_lines import has_schema
from eatlas.results.settings import source_name
from eatlas_workbench.cards.evidence import Card, Evidence, Figure

HEADS = {"census-decades": "Diachronic", "census-year": "Contemporary"}
"""What the paper calls each study, in the order of its columns."""
RHO = "rho, size of bias"
"""The figure of a study that the paper prints."""
DECIMALS, ALPHA = 3, 0.05
"""As printed; bold is p of alpha or less."""
CAPTION = (
    "Predictive validity: Spearman correlation of the size of bias with that of a census, of means "
    "by period (diachronic) and over occupations (contemporary)."
)
REMEDY = "eatlas protocol MEASURE --criterion predictive --census census --out DIR makes a card"
Place = tuple[str, str]
"""A study, and the source and groups that it was run on: a column."""


def is_card(path: Path) -> bool:
    """Whether a file is a measure card, by its first characters."""
    return has_schema(path, "card")


def census_table(cards: Iterable[Card], format: str = "markdown") -> str:  # noqa: A002
    r"""Write the correlations of several measures with a census as one table.

    Parameters
    ----------
    cards : iterable of Card
        What :func:`eatlas.protocol` returns, or :func:`eatlas.read_card` reads, with the studies of
        a census: ``criteria=["predictive"], census="census"``.
    format : {"latex", "markdown", "html-table", "csv"}

    Returns
    -------
    str
        A row for each measure, and a column for each source and groups of each study; bold is
        p <= .05. CSV has a row for each number, with its n and p.

    Raises
    ------
    ResultsError
        If the format is unknown, no census study was run, or two cards have the same measure and
        source.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> census = pathlib.Path(tempfile.mkdtemp()) / "shares.csv"
    >>> women = {"nurse": 0.9, "dancer": 0.8, "teacher": 0.7, "lawyer": 0.4, "pilot": 0.1}
    >>> rows = [f"{job},{share},{1 - share:.1f}" for job, share in women.items()]
    >>> _ = census.write_text("\n".join(["occupation,Female,Male", *rows]))
    >>> cards = [
    ...     eatlas.protocol(measure, criteria=["predictive"], census=census)
    ...     for measure in ("divdist", "semaxis")
    ... ]
    >>> print("\n".join(eatlas.census_table(cards).splitlines()[2:6]))
    | Measure | Contemporary<br>Female/Male |
    | --- | ---: |
    | DivDist | 0.667 |
    | SemAxis | 0.308 |
    """
    if format not in FORMATS:
        raise ResultsError(
            f"there is no table in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    rows = _rows(list(cards))
    if format == "csv":
        return csv_text(list(_csv_rows(rows)))
    return MARKUP[format]([_table(rows)])


Rows = dict[tuple[str, str], dict[Place, Evidence]]
"""By title and signature of a measure: what each study of a census found."""


def _rows(cards: Sequence[Card]) -> Rows:
    """The studies of a census on some cards, by measure."""
    rows: Rows = {}
    for card in cards:
        row = rows.setdefault((card.title, card.signature), {})
        for found in card.of("predictive"):
            if found.study not in HEADS or not found.source:
                continue
            place = found.study, found.source
            if place in row:
                raise ResultsError(
                    "two cards have the same measure and source",
                    got=f"{card.signature} on {found.source}",
                    remedy="remove one of them",
                )
            row[place] = found
    if not any(found.ran for row in rows.values() for found in row.values()):
        raise ResultsError(
            "these cards contain no census study", got=f"{len(cards)} cards", remedy=REMEDY
        )
    return rows


def _places(rows: Rows) -> list[Place]:
    """The columns: studies in the paper's order, sources in that of the cards."""
    every = dict.fromkeys(place for row in rows.values() for place in row)
    return sorted(every, key=lambda place: [*HEADS].index(place[0]))


def _rho(found: Evidence | None) -> Figure | None:
    """The correlation of the size of bias; None where it is not defined."""
    figures = {} if found is None else {figure.name: figure for figure in found.figures}
    rho = figures.get(RHO)
    return rho if rho is not None and rho.value is not None else None


def _table(rows: Rows) -> Table:
    """Measures by studies and groups."""
    places, titles = _places(rows), Counter(title for title, _ in rows)
    sources = {study: _sources(places, study) for study in HEADS}
    columns = [Column("Measure")]
    for study, source in places:
        name, groups = _parts(source)
        shown = groups if len(sources[study]) == 1 else f"{name}: {groups}"
        columns.append(Column(one_line(shown), HEADS[study], number=True))
    body = tuple(
        (
            Cell((title if titles[title] == 1 else signature,)),
            *(_cell(_rho(row.get(place))) for place in places),
        )
        for (title, signature), row in rows.items()
    )
    return Table("census", tuple(columns), body, CAPTION, tuple(_notes(rows, places)))


def _parts(source: str) -> tuple[str, str]:
    """The source of a study without its path, and the groups that it was run with."""
    name, _, groups = source.rpartition(", ")
    return source_name(name), groups


def _sources(places: Sequence[Place], study: str) -> list[str]:
    """The sources of a study."""
    return list(dict.fromkeys(_parts(source)[0] for own, source in places if own == study))


def _cell(rho: Figure | None) -> Cell:
    """A correlation, bold if it is significant."""
    if rho is None:
        return Cell((UNDEFINED,))
    return Cell((effect(rho.value, DECIMALS),), strong=rho.p is not None and rho.p <= ALPHA)


def _notes(rows: Rows, places: Sequence[Place]) -> Iterator[str]:
    """Over how many things each column correlates, and what is bold."""
    for study, head in HEADS.items():
        found = [_rho(row.get(p)) for row in rows.values() for p in places if p[0] == study]
        known = [rho for rho in found if rho is not None]
        if known:
            sizes = sorted({rho.n or 0 for rho in known})
            n = " to ".join(map(count, dict.fromkeys((sizes[0], sizes[-1]))))
            tests = join_names(list(dict.fromkeys(rho.test for rho in known if rho.test)))
            of = f"{head} ({join_names(_sources(places, study))})"
            yield f"{of}: n = {n} {known[0].of}{f'; p: {tests}' * bool(tests)}."
    yield f"Bold: p ≤ {level_of(ALPHA)}, not adjusted for the number of correlations."
    if any(_rho(row.get(place)) is None for row in rows.values() for place in places):
        yield f"{UNDEFINED}: the measure has no size of bias for these groups, or was not run."


def _csv_rows(rows: Rows) -> Iterator[dict[str, Any]]:
    """A row for each correlation of each measure."""
    for (title, signature), row in rows.items():
        for (study, source), found in row.items():
            for figure in found.figures:
                if figure.name.startswith("rho, "):
                    yield {
                        "measure": title, "signature": signature, "study": study, "source": source,
                        "view": figure.name.removeprefix("rho, "), "rho": figure.value,
                        "low": figure.low, "high": figure.high, "n": figure.n, "of": figure.of,
                        "p": figure.p,
                    }  # fmt: skip
