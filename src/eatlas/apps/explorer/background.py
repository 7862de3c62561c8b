"""The page from Python: served in the background until it is closed."""

from __future__ import annotations

import webbrowser
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any, Self

from eatlas.apps.explorer.measuring import DEFAULT_MEASURE, Explorer
from eatlas.apps.explorer.page import EXTRA, application
from eatlas.apps.explorer.requests import LARGEST
from eatlas.apps.serving import Served
from eatlas.engine.plan import DEFAULT_TESTS, DEFAULT_VECTORS
from eatlas.engine.verify import rebuilt_test
from eatlas.errors import EatlasError, SourceError, UntrustedSourceError
from eatlas.results import AssociationResult, is_result
from eatlas.sources import open_sources
from eatlas.stimuli import Test, load_tests
from eatlas.untrusted import data_only, trusted_among


class ExplorerPage:
    """A page of the explorer; what :func:`eatlas.explore` returns. A context manager."""

    def __init__(self, explorer: Explorer, host: str, port: int) -> None:
        self._explorer = explorer
        self._served = Served(
            application(explorer), host=host, port=port, largest=LARGEST, extra=EXTRA
        )

    @property
    def address(self) -> str:
        """What a browser on this machine opens; its token lets nobody else in."""
        return self._served.address

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

    def wait(self) -> None:
        """Serve the page until Ctrl-C, as the end of a script."""
        self._served.wait()

    def close(self) -> None:
        """End the page."""
        self._served.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._served.open:
            return "<ExplorerPage, closed>"
        return f"<ExplorerPage {self.address}: open it in a browser on this machine>"

    def _repr_html_(self) -> str:
        """The address as a link, in notebooks."""
        if not self._served.open:
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
    results = _results(tests)
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


def _results(given: Any) -> tuple[AssociationResult, ...]:
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
