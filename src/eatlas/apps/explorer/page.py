"""The application of the page: its files, what it may ask for, and what may be taken along."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from eatlas.apps import serving
from eatlas.apps.explorer.board import (
    FIGURES,
    across_of,
    board_of,
    file_name,
    look_of,
    others_of,
    page_of,
)
from eatlas.apps.explorer.initial_lists import lists_of_file
from eatlas.apps.explorer.measuring import Explorer
from eatlas.apps.explorer.requests import Request
from eatlas.apps.serving import Answer, App, as_json
from eatlas.errors import EatlasError
from eatlas.present.rendering import TEMPLATES, served_style
from eatlas.present.text import clean
from eatlas.results.json_lines import to_json_line
from eatlas.stimuli import to_toml

EXTRA = "explore"
"""What is installed for this page."""
_FIGURE = re.compile(rf"({'|'.join(FIGURES)})-(single|double)\.(svg|pdf)")
_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}


def application(explorer: Explorer) -> App:
    """The application: page, files, views, lists of a file, downloads."""
    page, style = page_of(explorer), served_style("explore.css")
    script = (TEMPLATES / "explore.js").read_text("utf-8")
    acts: dict[str, Callable[[Request], Answer]] = {
        "/view": lambda request: Answer(board_of(explorer, request)),
        "/others": lambda request: Answer(others_of(explorer, request)),
        "/across": lambda request: Answer(across_of(explorer, request)),
        "/look": lambda request: Answer(look_of(explorer, request)),
        "/file": lambda request: as_json(lists_of_file(request.text)._asdict()),
        "/export": lambda request: export(explorer, request),
    }
    return serving.application(
        {
            "/": lambda: Answer(page),
            "/page.css": lambda: Answer(style, "text/css"),
            "/page.js": lambda: Answer(script, "text/javascript"),
        },
        {path: partial(_done, act) for path, act in acts.items()},
        lambda error: Answer(clean(str(error)), "text/plain", 422),
        extra=EXTRA,
        threads=True,
    )


def _done(act: Callable[[Request], Answer], body: bytes) -> Answer:
    return act(Request.read(body))


def export(explorer: Explorer, request: Request) -> Answer:
    """Make the file that a request names: the test, results that verify, the report, a figure."""
    name = file_name(explorer.tests_of(request)[0].id)
    if request.what in _EXPORTS:
        ending, media_type, make = _EXPORTS[request.what]
        return _download(f"{name}.{ending}", make(explorer, request).encode(), media_type)
    if found := _FIGURE.fullmatch(request.what):
        content = _figure(explorer, request, *found.groups())
        return _download(f"{name}-{request.what}", content, _TYPES[found[3]])
    raise EatlasError("There is no such export.")


def _download(name: str, content: bytes, media_type: str) -> Answer:
    disposition = {"content-disposition": f'attachment; filename="{name}"'}
    return Answer(content, media_type, headers=disposition)


def _toml(explorer: Explorer, request: Request) -> str:
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
    return "\n".join(lines) + "\n" + to_toml(tests)


def _results(explorer: Explorer, request: Request) -> str:
    """Results as eatlas run writes them."""
    results = explorer.whole(request)
    return "".join(to_json_line(one) + "\n" for one in (*results, *results.trends))


def _report(explorer: Explorer, request: Request) -> str:
    """The report of the same results."""
    from eatlas.present import report_html  # noqa: PLC0415  (when a report is wanted)

    return report_html(explorer.whole(request))


def _figure(explorer: Explorer, request: Request, kind: str, width: str, ending: str) -> bytes:
    """A drawing of the result that is shown, in the width of a column or of two."""
    from eatlas.present.drawings.plot import plot  # noqa: PLC0415  (needs the extra plots)

    drawn = plot(explorer.whole(request)[0], kind=kind, width=width)
    with tempfile.TemporaryDirectory(prefix="eatlas-") as folder:
        path = Path(folder) / f"figure.{ending}"
        drawn.save(path)
        return path.read_bytes()


_EXPORTS: dict[str, tuple[str, str, Callable[[Explorer, Request], str]]] = {
    "toml": ("toml", "application/toml", _toml),
    "results": ("jsonl", "application/jsonl", _results),
    "report": ("html", "text/html", _report),
}
"""Ending, media type and content of each file that is text."""
