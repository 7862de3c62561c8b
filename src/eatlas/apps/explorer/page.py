"""The page as an application, and from Python: served in the background until it is closed."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

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
from eatlas.apps.explorer.lists import LARGEST, Request, lists_of_file
from eatlas.apps.explorer.measuring import DEFAULT_MEASURE, Explorer
from eatlas.apps.serving import Answer, App, Served, as_json
from eatlas.engine.plan import DEFAULT_TESTS, DEFAULT_VECTORS
from eatlas.engine.verify import rebuilt_test
from eatlas.errors import EatlasError, SourceError, UntrustedSourceError
from eatlas.present.rendering import TEMPLATES, served_style
from eatlas.present.text import clean
from eatlas.results import AssociationResult, is_result
from eatlas.results.json_lines import to_json_line
from eatlas.sources import open_sources
from eatlas.stimuli import Test, load_tests, to_toml
from eatlas.untrusted import data_only, trusted_among

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


class ExplorerPage(Served):
    """A page of the explorer; what :func:`eatlas.explore` returns. A context manager."""

    def __init__(self, explorer: Explorer, host: str, port: int) -> None:
        self._explorer = explorer
        super().__init__(application(explorer), host=host, port=port, largest=LARGEST, extra=EXTRA)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Tests that cannot be explored, each with the reason."""
        return self._explorer.left_out

    def looked_at(self, test: str) -> int:
        """Return the number of lists of a test that were looked at so far.

        Parameters
        ----------
        test : str
            Its id; empty for pasted lists.
        """
        return self._explorer.looked_at(test)

    def __repr__(self) -> str:
        if not self.open:
            return "<ExplorerPage, closed>"
        return f"<ExplorerPage {self.address}: open it in a browser on this machine>"

    def _repr_html_(self) -> str:
        """The address as a link, in notebooks."""
        if not self.open:
            return escape(repr(self))
        return (
            f'<a href="{escape(self.address)}" target="_blank" rel="noopener">eatlas explore</a>, '
            "on the machine that runs this notebook"
        )


def explore(
    tests: Any = None,
    vectors: Any = None,
    measure: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    open: bool = False,  # noqa: A002  (what others call it)
    trust: str | Iterable[str] = (),
) -> ExplorerPage:
    """Serve a page that shows what happens to a finding when its words change.

    The page is served in the background, until it is closed or Python ends: a notebook goes on. A
    script ends with ``.wait()``, which serves it until Ctrl-C.

    Parameters
    ----------
    tests : what :func:`eatlas.load_tests` takes, or results, optional
        Tests of four lists of words: ids, batteries, TOML files, an :class:`eatlas.AssociationTest`
        or a mapping of four lists by name. Of results, such as those of :func:`eatlas.run`, their
        tests. By default the ten of ``caliskan``.
    vectors : what :func:`eatlas.run` takes, optional
        Sources to choose from, some of them with names; the page opens no others. By default those
        of the results, or else ``glove-sample``.
    measure : str, optional
        ML-EAT or WEAT, such as ``"ml-eat(tail=two-sided)"``. By default that of the results, or
        else ``ml-eat``.
    host : {"127.0.0.1", "::1"}
        The loopback address: the page is for this machine alone.
    port : int
        0 for a free one.
    open : bool, default False
        Open the page in the browser.
    trust : str or iterable of str
        Sources that results name and that may do more than read data, such as
        ``"py:module:function"``; others are refused. Those of `vectors` are yours.

    Returns
    -------
    ExplorerPage
        With its address; to be closed, or used in a ``with`` block.

    Raises
    ------
    EatlasError
        If none of the tests can be explored, a source cannot be opened, or is another one than that
        of the results; if the address cannot be used or the extra ``explore`` is not installed.

    Examples
    --------
    >>> import eatlas
    >>> with eatlas.explore("weat-6") as page:
    ...     print(page.address[:17], page.looked_at("weat-6"))
    http://127.0.0.1: 0
    """
    results = _in_place_of_tests(tests)
    if results:
        tests = [_test_of(one) for one in results]
        measure = measure or _measure_of(results)
        named = () if vectors is not None else [one.source_string for one in results]
        trusted = trusted_among(trust, named, "no source is taken from results")
        vectors = _vectors_of(results, trusted) if vectors is None else vectors
        explorer = Explorer.of(tests, vectors, measure)
    else:
        trusted_among(trust, (), "no source is taken from results")
        explorer = Explorer.of(
            DEFAULT_TESTS if tests is None else tests,
            DEFAULT_VECTORS if vectors is None else vectors,
            measure or DEFAULT_MEASURE,
        )
    page = ExplorerPage(explorer, host, port)
    if open:
        webbrowser.open(page.address)
    return page


def _in_place_of_tests(given: Any) -> tuple[AssociationResult, ...]:
    """Results that were handed over in place of tests; empty where these are tests."""
    if is_result(given):
        return (given,)
    if isinstance(given, str) or not isinstance(given, Sequence):
        return ()
    found = tuple(one for one in given if is_result(one))
    if found and len(found) < len(given):
        raise EatlasError(
            "these are results and tests",
            got=f"{len(found)} of {len(given)} are results",
            allowed="results of earlier runs, or tests",
        )
    if not given and hasattr(given, "failures"):
        raise EatlasError("there is no result to explore", got="0 results")
    return found


def _test_of(result: AssociationResult) -> Test:
    """The test of a result: that of the battery where it has the same words."""
    test = rebuilt_test(result)
    try:
        (known,) = load_tests(test.id)
    except (EatlasError, ValueError):  # no such test, or a battery of several
        return test
    return known if known.stimuli_sha256 == test.stimuli_sha256 else test


def _measure_of(results: Iterable[AssociationResult]) -> str:
    """The measure of results, where they have one that is explored."""
    found = {one.signature for one in results if one.measure in Explorer.measures}
    return found.pop() if len(found) == 1 else DEFAULT_MEASURE


def _vectors_of(results: Iterable[AssociationResult], trusted: Collection[str]) -> list[Any]:
    """The source strings of results, with the names that the results have for them."""
    found: dict[str, Any] = {}
    for one in results:
        text = one.source_string
        if one.source in found:
            continue
        try:
            with data_only(text, trusted):
                prints = [source.fingerprint for source in open_sources(text)]
        except EatlasError as error:
            strange = isinstance(error, UntrustedSourceError)
            raise (UntrustedSourceError if strange else SourceError)(
                f"the source of {one.test} cannot be opened again: {error.what}",
                got=text,
                remedy=_TRUSTED if strange else _NAMED,
            ) from error
        if one.provenance.source_fingerprint not in prints:
            raise SourceError(
                f"{text} has other vectors than those of the results",
                got=", ".join(prints),
                allowed=one.provenance.source_fingerprint,
                remedy=f"run the tests again, or {_NAMED}",
            )
        # a layer of a model that has a name is called by both, as in base?layer=3
        name = one.source.replace("?", " ").replace("=", " ").replace("&", " ")
        found[one.source] = {name: text} if one.source_from else text
    return list(found.values())


_NAMED = "hand the vectors over: eatlas.explore(results, vectors=...)"
_TRUSTED = f"if you trust the source: eatlas.explore(results, trust=...); or {_NAMED}"
