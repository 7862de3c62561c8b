"""``eatlas report FILE.csv``: the themes of a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from eatlas.errors import ResultsError, did_you_mean
from eatlas.present.report import TEXTS
from eatlas.present.tables import FORMATS as TABLES
from eatlas_vocabulary.present.themes import themes_text
from eatlas_vocabulary.results.themes import read_themes

FORMATS = ("html", *TABLES, *TEXTS)


def report_themes(paths: Sequence[Path], form: str, options: Mapping[str, object]) -> str:
    """Report one search for themes, as an entry point of ``eatlas.documents``."""
    if len(paths) > 1:
        raise ResultsError(
            "a report of themes takes one scan",
            got=", ".join(map(str, paths)),
            remedy="create a separate report for each file",
        )
    for option in options:
        if option != "--columns":
            raise ResultsError(
                f"{option} does not apply to themes",
                got=str(paths[0]),
                remedy="remove it: themes are adjusted together by maxT",
            )
    if form not in FORMATS:
        raise ResultsError(
            f"there is no report in the format {form!r}{did_you_mean(form, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    columns = options.get("--columns")
    return themes_text(read_themes(paths[0]), form, None if columns is None else str(columns))
