"""The page on which people label contexts: its answers, and the same from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from eatlas.apps import serving
from eatlas.apps.annotation.items import Item, Items, load_items
from eatlas.apps.annotation.journal import SKIPPED, Journal, Work, journal_of, name_of
from eatlas.apps.annotation.labels import Labels
from eatlas.apps.serving import Answer, App, Served, as_json, table_of
from eatlas.errors import EatlasError, SourceError
from eatlas.present.rendering import TEMPLATES, render, served_style
from eatlas.present.text import clean
from eatlas.writing import require_other_file

KEYS = 9
"""Groups that have a number key; the others have buttons."""
Act = Callable[[str, dict[str, Any]], dict[str, Any]]


class Labelling:
    """What the page may do: show a context, label it, pass over it, undo."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._orders: dict[str, tuple[Item, ...]] = {}

    @property
    def items(self) -> Items:
        """What is labelled."""
        return self.journal.items

    def begin(self, annotator: str, _: dict[str, Any]) -> dict[str, Any]:
        """Where a person goes on: the first context without a label."""
        return self._view(annotator, self._next(annotator, -1))

    def show(self, annotator: str, request: dict[str, Any]) -> dict[str, Any]:
        """The context at a place of a person's order, or the first that was passed over."""
        if request.get("skipped"):
            return self._view(annotator, self._first_skipped(annotator, -1))
        at = request.get("at")
        if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < len(self.items):
            raise EatlasError("there is no such context", got=repr(at)[:40])
        return self._view(annotator, at)

    def label(self, annotator: str, request: dict[str, Any]) -> dict[str, Any]:
        """Label a context, or pass over it; then the next one."""
        item, choice = request.get("item"), request.get("choice")
        labels = self.items.labels
        if choice is not None and (
            isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < len(labels)
        ):
            raise EatlasError("there is no such label", got=repr(choice)[:40])
        if not isinstance(item, str):
            raise EatlasError("there is no such context", got=repr(item)[:40])
        self.journal.label(annotator, item, None if choice is None else labels[choice])
        at = [one.id for one in self._order(annotator)].index(item)
        return self._view(annotator, self._next(annotator, at))

    def undo(self, annotator: str, _: dict[str, Any]) -> dict[str, Any]:
        """Take back the last act; then the context that it was about."""
        item = self.journal.undo(annotator)
        if item is None:
            return self.begin(annotator, {})
        at = [one.id for one in self._order(annotator)].index(item)
        return self._view(annotator, at)

    def people(self) -> list[tuple[str, int]]:
        """Annotators so far, and how many contexts each has labelled."""
        return [(name, work.done) for name, work in sorted(self.journal.work.items())]

    def _order(self, annotator: str) -> tuple[Item, ...]:
        name = name_of(annotator)
        if name not in self._orders:
            if len(self._orders) > 100:
                self._orders.clear()
            self._orders[name] = self.items.order_of(name)
        return self._orders[name]

    def _next(self, annotator: str, at: int) -> int | None:
        """The next context without a label, else the next that was passed over; None at the end."""
        order, labels = self._order(annotator), self.journal.of(annotator).labels
        open_ = [i for i, one in enumerate(order) if one.id not in labels]
        if open_:
            return next((i for i in open_ if i > at), open_[0])
        return self._first_skipped(annotator, at) if at >= 0 else None

    def _first_skipped(self, annotator: str, after: int) -> int | None:
        order, labels = self._order(annotator), self.journal.of(annotator).labels
        passed = (i for i, one in enumerate(order) if labels.get(one.id) == SKIPPED)
        return next((i for i in passed if i > after), None)

    def _view(self, annotator: str, at: int | None) -> dict[str, Any]:
        """All that the page shows of one context, or of the end."""
        name = name_of(annotator)
        work = self.journal.of(name)
        view: dict[str, Any] = {
            "annotator": clean(name),
            "total": len(self.items),
            "done": work.done,
            "skipped": sum(1 for one in work.labels.values() if one == SKIPPED),
            "undo": bool(work.acts),
            "at": at,
        }
        return view if at is None else view | self._shown(self._order(name)[at], work)

    def _shown(self, item: Item, work: Work) -> dict[str, Any]:
        before, word, after = map(clean, item.parts)
        label = work.labels.get(item.id)
        return {
            "item": item.id,
            "before": before,
            "word": word,
            "after": after,
            "choice": self.items.labels.index(label) if label else None,
        }


def page_of(labelling: Labelling, guide: str = "") -> str:
    """The page as HTML, for whoever opens it."""
    items = labelling.items
    return render(
        "annotate",
        test=items.test,
        labels=items.labels,
        keys=KEYS,
        people=labelling.people(),
        items=len(items),
        targets=len(items.targets),
        guide=guide,
    )


def application(journal: Journal, guide: str = "") -> App:
    """The application: the page, its two files, and four acts."""
    labelling = Labelling(journal)
    style, script = served_style("annotate.css"), (TEMPLATES / "annotate.js").read_text("utf-8")

    def done(act: Act, body: bytes) -> Answer:
        given = _given(body)
        return as_json(act(given["annotator"], given))

    acts = (labelling.begin, labelling.show, labelling.label, labelling.undo)
    return serving.application(
        {
            "/": lambda: Answer(page_of(labelling, guide)),
            "/page.css": lambda: Answer(style, "text/css"),
            "/page.js": lambda: Answer(script, "text/javascript"),
        },
        {f"/{act.__name__}": partial(done, act) for act in acts},
        lambda error: as_json({"error": clean(str(error))}, 422),
        extra="annotate",
    )


def _given(body: bytes) -> dict[str, Any]:
    """What a request of the page says."""
    given = table_of(body)
    if given is None or not isinstance(given.get("annotator"), str):
        raise EatlasError("this is not a request of the page")
    return given


class LabelPage(Served):
    """A page on which people label; what :func:`eatlas.serve_items` returns. A context manager."""

    def __init__(self, journal: Journal, guide: str, host: str, port: int) -> None:
        self._journal = journal
        super().__init__(application(journal, guide), host=host, port=port)

    @property
    def path(self) -> Path:
        """Where the labels are."""
        return self._journal.path

    @property
    def done(self) -> dict[str, int]:
        """Contexts that each person has labelled so far."""
        return {name: work.done for name, work in sorted(self._journal.work.items())}

    def labels(self) -> Labels:
        """Return the labels as they are now.

        Raises
        ------
        SourceError
            If nobody has labelled anything yet.
        """
        given = {
            name: {item: label for item, label in work.labels.items() if label != SKIPPED}
            for name, work in self._journal.work.items()
        }
        if not any(given.values()):
            raise SourceError(
                f"{self._journal.items.name}: there are no labels yet",
                got="no label on the page",
                remedy=f"open {self.address} in a browser",
            )
        return Labels(self._journal.items, {name: some for name, some in given.items() if some})

    def close(self) -> None:
        """End the page; the labels are on the disk already."""
        super().close()
        self._journal.__exit__(None, None, None)

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {n:,}" for name, n in self.done.items()) or "nothing"
        if not self.open:
            return f"<LabelPage, closed: labelled by {done}>"
        return f"<LabelPage {self.address}: labelled by {done}>"


def serve_items(
    items: Items | str | Path,
    labels: str | Path | None = None,
    *,
    guide: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
) -> LabelPage:
    """Serve a page on which people label items, in the background, until it is closed.

    Every label is on the disk before the next context is shown; a later call goes on where each
    person stopped.

    Parameters
    ----------
    items : Items, str or path
        What :func:`eatlas.sample_items` returned, or the file of it.
    labels : str or path, optional
        Where the labels go, a .jsonl file. By default ITEMS.labels.jsonl beside the items, which
        must be a file then.
    guide : str
        Text that tells people how to label; the page shows it.
    host : {"127.0.0.1", "::1"}
        The loopback address: the page is for this machine alone.
    port : int
        0 for a free one.

    Returns
    -------
    LabelPage
        With its address; to be closed, or used in a ``with`` block.

    Raises
    ------
    EatlasError
        If the items cannot be read, the labels are of other items or open elsewhere, the address
        cannot be used, or the extra ``annotate`` is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from eatlas import Contexts, sample_items, serve_items
    >>> from eatlas.corpora import Context
    >>> contexts = Contexts.of([Context("nurse", "The nurse said she was late.", 4, 9)])
    >>> items = sample_items(contexts, "divdist-face-validity")
    >>> with TemporaryDirectory() as folder:
    ...     with serve_items(items, Path(folder, "labels.jsonl")) as page:
    ...         print(page.address[:17], page.done)
    http://127.0.0.1: {}
    """
    known = items if isinstance(items, Items) else load_items(items)
    if labels is None:
        if isinstance(items, Items):
            raise SourceError(
                "there is no file for the labels",
                got="items in memory",
                allowed="the file of the items, or labels=FILE.jsonl",
            )
        labels = journal_of(Path(items))
    elif not isinstance(items, Items):
        require_other_file(Path(labels), [Path(items)])
    journal = Journal(Path(labels), known)
    try:
        return LabelPage(journal, guide, host, port)
    except BaseException:
        journal.__exit__(None, None, None)
        raise
