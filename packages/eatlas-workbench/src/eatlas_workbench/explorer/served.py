"""The explorer as an application, and from Python: served in the background until it is closed."""

from __future__ import annotations

import re
import tempfile
import webbrowser
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.errors import EatlasError, SourceError, UntrustedSourceError
from eatlas.plugins import absent
from eatlas.present import report_html
from eatlas.present.drawings.plot import plot
from eatlas.present.text import clean
from eatlas.results import AssociationResult, is_result
from eatlas.results.json_lines import to_json_line
from eatlas.sources import open_sources
from eatlas.stimuli import load_tests, to_toml
from eatlas.untrusted import data_only, list_trusted
from eatlas_workbench.explorer.measuring import (
    DEFAULT_MEASURE,
    Explorer,
    Request,
    lists_of_file,
    plain_name,
)
from eatlas_workbench.explorer.page import (
    FIGURES,
    across_of,
    board_of,
    file_name,
    look_of,
    others_of,
    page_of,
)
from eatlas_workbench.serving import App, PageAnswer, Served, as_json

if TYPE_CHECKING:
    from eatlas_vocabulary.results.themes import ThemesResult

LARGEST = 256 << 10
"""Bytes of the body of a request."""
_FIGURE = re.compile(rf"({'|'.join(FIGURES)})-(single|double)\.(svg|pdf)")
_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
_NAMED = "hand the vectors over: eatlas.explore(results, vectors=...)"


def application(explorer: Explorer) -> App:
    """The application: the page, its views, lists of a file, downloads."""
    page = page_of(explorer)
    return App(
        name="explore",
        page=lambda: page,
        request=Request,
        acts={
            "view": lambda request: PageAnswer(board_of(explorer, request)),
            "others": lambda request: PageAnswer(others_of(explorer, request)),
            "across": lambda request: PageAnswer(across_of(explorer, request)),
            "look": lambda request: PageAnswer(look_of(explorer, request)),
            "file": lambda request: as_json(lists_of_file(request.text)),
            "export": lambda request: export(explorer, request),
        },
        scripts=("cards.js", "claims.js"),
        refused=lambda error: PageAnswer(clean(str(error)), "text/plain", 422),
        largest=LARGEST,
    )


def export(explorer: Explorer, request: Request) -> PageAnswer:
    """Make the file that a request names: the test, results that verify, the report, a figure."""
    tests, what = explorer.tests_of(request), request.what
    name = file_name(tests[0].id)
    if what == "toml":
        return PageAnswer(to_toml(tests), "application/toml", filename=f"{name}.toml")
    if what == "results":
        results = explorer.whole(request)
        lines = "".join(to_json_line(result) + "\n" for result in (*results, *results.trends))
        return PageAnswer(lines, "application/jsonl", filename=f"{name}.jsonl")
    if what == "report":
        return PageAnswer(report_html(explorer.whole(request)), filename=f"{name}.html")
    figure = _FIGURE.fullmatch(what)
    if figure is None:
        raise EatlasError("There is no such export.")
    kind, width, ending = figure.groups()
    drawing = plot(explorer.whole(request)[0], kind=kind, width=width)
    with tempfile.TemporaryDirectory(prefix="eatlas-") as folder:
        path = Path(folder) / f"figure.{ending}"
        drawing.save(path)
        return PageAnswer(path.read_bytes(), _TYPES[ending], filename=f"{name}-{what}")


class ExplorerPage(Served):
    """A page of the explorer; what :func:`eatlas.explore` returns. A context manager."""

    def __init__(self, explorer: Explorer, port: int) -> None:
        self._explorer = explorer
        super().__init__(application(explorer), port)

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


def explore(
    tests: Any = None,
    vectors: Any = None,
    measure: str | None = None,
    *,
    themes: ThemesResult | str | Path | None = None,
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
        or a mapping of four lists by name. Of results, such as the ones from :func:`eatlas.run`,
        their tests. By default the ten of ``caliskan``, or of `themes` the strongest one.
    vectors : what :func:`eatlas.run` takes, optional
        Sources to choose from, some of them with names; the page opens no others. By default the
        sources of the results and `themes`, or else ``glove-sample``.
    measure : str, optional
        ML-EAT or WEAT, such as ``"ml-eat(tail=two-sided)"``. By default the measure of the results,
        or else ``ml-eat``.
    themes : ThemesResult or path, optional
        Themes of :func:`eatlas.scan`, or a file of them: their words are offered as lists. The test
        of the strongest theme is there to begin with, its Y the theme most strongly associated with
        the other group, and A and B the words that the search used: what it held out is not shown.
        The count of lists that were looked at has all themes in it.
    port : int
        0 for a free one.
    open : bool, default False
        Open the page in the browser.
    trust : str or iterable of str
        Sources that results name and that may do more than read data, such as
        ``"py:module:function"``; others are refused. Sources in `vectors` are always trusted.

    Returns
    -------
    ExplorerPage
        With its address; to be closed, or used in a ``with`` block.

    Raises
    ------
    EatlasError
        If none of the tests can be explored, a source cannot be opened or differs from the source
        of the results, or the address cannot be used.

    Examples
    --------
    >>> import eatlas
    >>> with eatlas.explore("weat-6") as page:
    ...     print(page.address[:17], page.looked_at("weat-6"))
    http://127.0.0.1: 0
    """
    several = [tests] if isinstance(tests, str) or not isinstance(tests, Sequence) else tests
    results = list(several) if several and all(map(is_result, several)) else []
    scan = _load_themes(themes) if isinstance(themes, str | Path) else themes
    if asked := next((r for r in results if r.view == "answers"), None):
        raise EatlasError(
            "the explorer shows results on vectors, not answers of a model",
            got=asked.signature,
            allowed="results of ml-eat or weat",
            remedy="use eatlas ask to prompt the model about changed words",
        )
    records = [*results, *filter(None, [scan])]
    named = [record.source_string for record in records if vectors is None]
    trusted = list_trusted(trust, named, "no source is taken from results")
    if records and vectors is None:
        vectors = _vectors_of(records, trusted)
    if results:
        signatures = {
            result.signature for result in results if result.measure in {"ml-eat", "weat"}
        }
        measure = signatures.pop() if measure is None and len(signatures) == 1 else measure
        tests = [result.to_test() for result in results]
    if scan is not None:
        strongest = scan.tests(top=1, of_searched_words=True)
        tests = [*([] if tests is None else load_tests(tests)), *strongest]
    explorer = Explorer.of(
        "caliskan" if tests is None else tests,
        "glove-sample" if vectors is None else vectors,
        measure or DEFAULT_MEASURE,
        scan,
    )
    page = ExplorerPage(explorer, port)
    if open:
        webbrowser.open(page.address)
    return page


def _load_themes(path: str | Path) -> ThemesResult:
    """Read a file of themes, if the package is installed that has them."""
    try:
        from eatlas_vocabulary.results.themes import read_themes  # noqa: PLC0415  (may not be installed)
    except ModuleNotFoundError as error:
        raise absent("verifiers", "themes") or error from error
    return read_themes(path)


def _vectors_of(
    results: Iterable[AssociationResult | ThemesResult], trusted: Collection[str]
) -> list[Any]:
    """The source strings of results, with the names that the results have for them."""
    vectors: dict[str, Any] = {}
    for result in results:
        text, name = result.source_string, result.source
        if name in vectors:
            continue
        try:
            with data_only(text, trusted):
                prints = [source.fingerprint for source in open_sources(text)]
        except UntrustedSourceError:
            raise
        except EatlasError as error:
            raise SourceError(
                f"the source of {result.test or 'the themes'} cannot be opened again: {error.what}",
                got=text,
                remedy=_NAMED,
            ) from error
        if result.provenance.source_fingerprint not in prints:
            raise SourceError(
                f"{text} has different vectors from the results",
                got=", ".join(prints),
                allowed=result.provenance.source_fingerprint,
                remedy=f"run the tests again, or {_NAMED}",
            )
        vectors[name] = {plain_name(name): text} if result.source_from else text
    return list(vectors.values())
