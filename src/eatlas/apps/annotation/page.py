"""The page on which people label contexts: its answers, and the same from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eatlas.apps.annotation.items import Items, load_items
from eatlas.apps.annotation.journal import SKIPPED, Journal, journal_of, name_of
from eatlas.apps.annotation.labels import Labels
from eatlas.apps.serving import Answer, App, Served, as_json
from eatlas.errors import EatlasError, SourceError
from eatlas.present.rendering import render
from eatlas.present.text import clean
from eatlas.writing import require_other_file

KEYS = 9
"""Groups that have a number key; the others have buttons."""


class Request(BaseModel):
    """What the page sends: who does something, and about which context."""

    model_config = ConfigDict(strict=True)

    annotator: str
    item: str = ""
    choice: NonNegativeInt | None = None
    """Number of a label; None passes the context over."""
    at: NonNegativeInt = 0
    """Place of a context in the order of the person."""
    skipped: bool = False
    """Whether the first context that was passed over is meant."""


class Labelling:
    """What the page may do: show a context, label it, pass over it, undo."""

    def __init__(self, journal: Journal) -> None:
        self.journal, self.items = journal, journal.items
        self._orders: dict[str, list[str]] = {}

    def answer(self, do: Callable[[Request], int | None]) -> Callable[[Request], Answer]:
        """Let a request do something, and answer with what is shown then."""
        return lambda request: as_json(self._view(name_of(request.annotator), do(request)))

    def begin(self, request: Request) -> int | None:
        """Where a person goes on: the first context without a label."""
        return self._next(request.annotator, -1)

    def show(self, request: Request) -> int | None:
        """A place in a person's order, or that of the first context that was passed over."""
        if request.skipped:
            return self._first_skipped(request.annotator, -1)
        if request.at >= len(self.items):
            raise EatlasError("there is no such context", got=str(request.at)[:40])
        return request.at

    def label(self, request: Request) -> int | None:
        """Label a context, or pass over it; then the next one."""
        choice, labels = request.choice, self.items.labels
        if choice is not None and choice >= len(labels):
            raise EatlasError("there is no such label", got=str(choice)[:40])
        self.journal.label(
            request.annotator, request.item, None if choice is None else labels[choice]
        )
        return self._next(request.annotator, self._order(request.annotator).index(request.item))

    def undo(self, request: Request) -> int | None:
        """Take back the last act; then the context that it was about."""
        item = self.journal.undo(request.annotator)
        return self.begin(request) if item is None else self._order(request.annotator).index(item)

    def _order(self, annotator: str) -> list[str]:
        """Ids of the items in the order in which a person sees them."""
        name = name_of(annotator)
        if name not in self._orders:
            self._orders[name] = [item.id for item in self.items.order_of(name)]
        return self._orders[name]

    def _next(self, annotator: str, at: int) -> int | None:
        """The next context without a label, else the next that was passed over; None at the end."""
        order, labels = self._order(annotator), self.journal.of(annotator).labels
        left = [i for i, item in enumerate(order) if item not in labels]
        if left:
            return next((i for i in left if i > at), left[0])
        return self._first_skipped(annotator, at) if at >= 0 else None

    def _first_skipped(self, annotator: str, after: int) -> int | None:
        labels = self.journal.of(annotator).labels
        skipped = (i for i, id_ in enumerate(self._order(annotator)) if labels.get(id_) == SKIPPED)
        return next((i for i in skipped if i > after), None)

    def _view(self, name: str, at: int | None) -> dict[str, Any]:
        """All that the page shows of one context, or of the end."""
        work = self.journal.of(name)
        view = {
            "annotator": clean(name),
            "total": len(self.items),
            "done": work.done,
            "skipped": len(work.labels) - work.done,
            "undo": bool(work.acts),
            "at": at,
        }
        if at is None:
            return view
        item = self.items.by_id[self._order(name)[at]]
        before, word, after = map(clean, item.parts)
        label = work.labels.get(item.id)
        choice = self.items.labels.index(label) if label else None
        return view | {
            "item": item.id, "before": before, "word": word, "after": after, "choice": choice
        }  # fmt: skip


def page_of(journal: Journal, guide: str = "") -> str:
    """The page as HTML, for whoever opens it."""
    items = journal.items
    return render(
        "annotate",
        test=items.test,
        labels=items.labels,
        keys=KEYS,
        people=journal.done.items(),
        items=len(items),
        targets=len(items.targets),
        guide=guide,
    )


def application(journal: Journal, guide: str = "") -> App:
    """The application: the page and four acts."""
    labelling = Labelling(journal)
    acts = (labelling.begin, labelling.show, labelling.label, labelling.undo)
    return App(
        name="annotate",
        page=lambda: page_of(journal, guide),
        request=Request,
        acts={act.__name__: labelling.answer(act) for act in acts},
        refused=lambda error: as_json({"error": clean(str(error))}, 422),
    )


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
    def total(self) -> int:
        """Contexts to be labelled."""
        return len(self._journal.items)

    @property
    def done(self) -> dict[str, int]:
        """Contexts that each person has labelled so far."""
        return self._journal.done

    def labels(self) -> Labels:
        """Return the labels as they are now.

        Raises
        ------
        SourceError
            If nobody has labelled anything yet.
        """
        given = self._journal.given
        if not given:
            raise SourceError(
                f"{self._journal.items.name}: there are no labels yet",
                got="no label on the page",
                remedy=f"open {self.address} in a browser",
            )
        return Labels(self._journal.items, given)

    def close(self) -> None:
        """End the page; the labels are on the disk already."""
        super().close()
        self._journal.close()

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {n:,}" for name, n in self.done.items()) or "nothing"
        where = self.address if self.open else "closed"
        return f"<LabelPage{'' if self.open else ','} {where}: labelled by {done}>"


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
        If the items cannot be read, the labels are of other items or open elsewhere, or the address
        cannot be used.

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
    sample = items if isinstance(items, Items) else load_items(items)
    if isinstance(items, Items):
        if labels is None:
            raise SourceError(
                "there is no file for the labels",
                got="items in memory",
                allowed="the file of the items, or labels=FILE.jsonl",
            )
    else:
        labels = journal_of(Path(items)) if labels is None else labels
        require_other_file(Path(labels), [Path(items)])
    journal = Journal(Path(labels), sample)
    try:
        return LabelPage(journal, guide, host, port)
    except BaseException:
        journal.close()
        raise
