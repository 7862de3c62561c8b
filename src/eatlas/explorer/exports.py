"""What may be taken along: the test, results that verify, the report, figures for print."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from eatlas.errors import EatlasError
from eatlas.explorer.board import FIGURES, file_name
from eatlas.explorer.measuring import Explorer
from eatlas.explorer.requests import Request
from eatlas.results.files import to_json_line
from eatlas.stimuli import to_toml

_FIGURE = re.compile(rf"({'|'.join(FIGURES)})-(single|double)\.(svg|pdf)")
_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}


class File(NamedTuple):
    """A download."""

    name: str
    media_type: str
    content: bytes


def export(explorer: Explorer, request: Request) -> File:
    """Make the file that a request names.

    Raises
    ------
    EatlasError
        If there is no such export, or nothing could be measured.
    """
    if request.what in _EXPORTS:
        return _EXPORTS[request.what](explorer, request)
    if found := _FIGURE.fullmatch(request.what):
        return _figure(explorer, request, *found.groups())
    raise EatlasError("There is no such export.")


def _toml(explorer: Explorer, request: Request) -> File:
    """The test of the words, then the one before any change."""
    tests = explorer.tests_of(request)
    lines = ["# Written by eatlas explore."]
    lists = explorer.lists(request)
    n = explorer.explored(request, lists)
    if n:
        lines.append(
            f"# {n:,} lists were looked at: p-values of the words below describe them, and are no "
            "evidence of a discovery."
        )
    lines += [f"# Changed: {' '.join(change.split())}." for change in lists.changes]
    text = "\n".join(lines) + "\n" + to_toml(tests)
    return File(f"{_name(explorer, request)}.toml", "application/toml", text.encode())


def _results(explorer: Explorer, request: Request) -> File:
    """Results as eatlas run writes them."""
    results = explorer.whole(request)
    text = "".join(to_json_line(one) + "\n" for one in (*results, *results.trends))
    return File(f"{_name(explorer, request)}.jsonl", "application/jsonl", text.encode())


def _report(explorer: Explorer, request: Request) -> File:
    """The report of the same results."""
    from eatlas.present import report_html  # noqa: PLC0415  (when a report is wanted)

    page = report_html(explorer.whole(request))
    return File(f"{_name(explorer, request)}.html", "text/html", page.encode())


def _figure(explorer: Explorer, request: Request, kind: str, width: str, ending: str) -> File:
    """A chart of the result that is shown, in the width of a column or of two."""
    from eatlas.present.charts import plot  # noqa: PLC0415  (needs the extra plots)

    drawn = plot(explorer.whole(request)[0], kind=cast("Any", kind), width=width)
    name = f"{_name(explorer, request)}-{kind}-{width}.{ending}"
    with tempfile.TemporaryDirectory(prefix="eatlas-") as folder:
        path = Path(folder) / f"figure.{ending}"
        drawn.save(path)
        return File(name, _TYPES[ending], path.read_bytes())


def _name(explorer: Explorer, request: Request) -> str:
    return file_name(explorer.tests_of(request)[0].id)


_EXPORTS: dict[str, Callable[[Explorer, Request], File]] = {
    "toml": _toml,
    "results": _results,
    "report": _report,
}
