"""The page on which people label contexts: its answers, and the application."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from eatlas.apps import serving
from eatlas.apps.annotation.items import Item, Items
from eatlas.apps.annotation.journal import SKIPPED, Journal, Work, name_of
from eatlas.apps.serving import Answer, App, as_json, table_of
from eatlas.errors import EatlasError
from eatlas.present.rendering import TEMPLATES, render, served_style
from eatlas.present.text import clean

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
