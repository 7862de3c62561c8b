"""One self-contained HTML page of many results: no network, no script, no outside font."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from eatlas.report import numerals
from eatlas.report.sections import distinct, effect_bar, legend, sections
from eatlas.report.text import clean
from eatlas.results import AssociationResult
from eatlas.results.files import atomic_file
from eatlas.results.ml_eat import CELLS
from eatlas.results.parts import TAILS

if TYPE_CHECKING:
    from jinja2 import Template

    from eatlas.errors import ResultsError

TEMPLATES = Path(__file__).parent / "templates"


def report_html(
    results: Iterable[AssociationResult], *, damage: Iterable[ResultsError] = ()
) -> str:
    """Write results as one HTML page.

    Parameters
    ----------
    results : Results or iterable of results
        With ``Results``, jobs that failed are listed too.
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read.

    Returns
    -------
    str
        The page; it depends on nothing but the results.

    Examples
    --------
    >>> import eatlas
    >>> "BY-Singular" in report_html(eatlas.run(tests="weat-6"))
    True
    """
    failures = tuple(getattr(results, "failures", ()))
    shown = sections(results)
    return _template().render(
        sections=shown,
        failures=failures,
        damage=tuple(damage),
        with_maps=any(s.map for s in shown),
        legend=legend(shown),
        sources=distinct(s.result.source for s in shown),
        signatures=distinct(s.result.signature for s in shown),
        versions=distinct(s.result.provenance.version for s in shown),
        stars=distinct(s.rule.meaning for s in shown),
        cells=CELLS,
        tails=TAILS,
        css=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
    )


def write_report(
    results: Iterable[AssociationResult],
    path: str | Path,
    *,
    damage: Iterable[ResultsError] = (),
) -> None:
    """Write results as one self-contained HTML file, whole or not at all.

    Parameters
    ----------
    results : Results or iterable of results
    path : path
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read.

    Raises
    ------
    ResultsError
        If the file cannot be written.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     write_report(eatlas.run(tests="weat-6"), path)
    ...     "weat-6" in path.read_text(encoding="utf-8")
    True
    """
    page = report_html(results, damage=damage)
    with atomic_file(Path(path)) as file:
        file.write(page)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  (40 ms)

    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    env.filters |= {
        "effect": numerals.effect,
        "p": numerals.p_value,
        "count": numerals.count,
        "number_of": numerals.number_of,
        "level_of": numerals.level_of,
        "evidence": numerals.evidence,
        "unbroken": _unbroken,
        "bar": effect_bar,
    }
    return env.get_template("report.html.j2")


def _unbroken(text: str) -> str:
    """Keep each "d = 1.17" on one line."""
    return re.sub(r"(\bd|\bp|error) ([=<>≤]) ", "\\1\N{NO-BREAK SPACE}\\2\N{NO-BREAK SPACE}", text)


def _safe(value: object) -> object:
    """Clean a text that a result brought along; markup of ours is clean already."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
