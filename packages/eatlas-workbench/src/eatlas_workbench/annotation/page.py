"""The page on which people label contexts: its answers, and the same from Python."""

from __future__ import annotations

import shlex
import warnings
from functools import partial
from pathlib import Path
from statistics import median

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eatlas.errors import EatlasError, EatlasWarning, SourceError
from eatlas.numbers import effect, interval, number_of
from eatlas.present.rendering import render
from eatlas.present.text import clean
from eatlas_workbench.annotation.items import (
    SKIPPED,
    LabelJournal,
    journal_of,
    labels_by_annotator,
    load_items,
    name_of,
)
from eatlas_workbench.annotation.labels import Labels
from eatlas_workbench.serving import App, PageAnswer, Served, as_json

KEYS = 9
"""Groups that have a number key; the others have buttons."""


class LabelRequest(BaseModel):
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


def answer(journal: LabelJournal, act: str, request: LabelRequest) -> PageAnswer:
    """Do what a person does, and answer with what is shown then: a context, or the end."""
    items, name = journal.items, name_of(request.annotator)
    order = items.order_of(name)
    if act == "show" and request.at >= len(order):
        raise EatlasError("there is no such context", got=str(request.at)[:40])
    if act == "label":
        if request.choice is not None and request.choice >= len(items.labels):
            raise EatlasError("there is no such label", got=str(request.choice)[:40])
        label = None if request.choice is None else items.labels[request.choice]
        journal.label(name, request.item, label)
    undone = journal.undo(name) if act == "undo" else None
    labels = journal.labels_of(name)
    new = [i for i, item in enumerate(order) if item not in labels]
    skipped = [i for i, item in enumerate(order) if labels.get(item) == SKIPPED]
    at: int | None = request.at
    if act == "label":  # the next context without a label, else the next that was passed over
        before = order.index(request.item)
        at = next((i for i in new if i > before), new[0] if new else None)
        if at is None:
            at = next((i for i in skipped if i > before), None)
    elif undone is not None:
        at = order.index(undone)
    elif act != "show":
        at = new[0] if new else None
    elif request.skipped:
        at = skipped[0] if skipped else None
    view = {
        "annotator": clean(name),
        "total": len(order),
        "done": len(labels) - len(skipped),
        "skipped": len(skipped),
        "undo": bool(labels),
        "at": at,
    }
    if at is not None:
        item = items.by_id[order[at]]
        label = labels.get(item.id)
        view |= {
            "item": item.id,
            "before": clean(item.text[: item.start]),
            "word": clean(item.text[item.start : item.end]),
            "after": clean(item.text[item.end :]),
            "choice": items.labels.index(label) if label else None,
        }
    else:
        view["end"] = [clean(line) for line in ending(journal, name)]
    return as_json(view)


def ending(journal: LabelJournal, name: str) -> list[str]:
    """What a person learns at the end: how far people agree so far, and the time that it took."""
    lines, given = [], labels_by_annotator(journal.acts)
    if gaps := journal.seconds(name):
        minutes = max(1, round(sum(gaps) / 60))
        each = max(1.0, median(gaps))
        lines.append(
            f"It took {number_of(minutes, 'minute')} without pauses, {each:.0f} s a context "
            "(median)."
        )
    if not given:
        return lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)  # what matters is said below
        agreed = Labels(journal.items, given).agreement()
    alpha = agreed.alpha
    if alpha.value is not None:
        ends = f" {interval(alpha.interval, 3)}" if alpha.interval else ""
        lines.append(
            f"Agreement so far: Krippendorff’s alpha {effect(alpha.value, 3)}{ends}, on "
            f"{number_of(agreed.compared, 'context')} that two or more people labelled, of "
            f"{len(journal.items):,}."
        )
    elif agreed.compared:
        lines.append(
            f"Agreement so far: alpha is undefined, since all labels of the {agreed.compared:,} "
            "contexts that two or more people labelled are the same."
        )
    return [*lines, *filter(None, [agreed.doubt])]


def application(journal: LabelJournal, guide: str = "") -> App:
    """The application: the page and four acts."""
    items = journal.items
    return App(
        name="annotate",
        page=lambda: render(
            "annotate",
            test=items.test,
            groups=items.groups,
            choices=[
                *((group, str(i) if i <= KEYS else "") for i, group in enumerate(items.groups, 1)),
                ("None of them", "0"),
                ("Unclear", "b"),
            ],
            keys=KEYS,
            command=shlex.join(["eatlas", "annotate", "read", items.name]),
            people=journal.done.items(),
            items=len(items),
            targets=len(items.targets),
            guide=guide,
        ),
        request=LabelRequest,
        acts={act: partial(answer, journal, act) for act in ("begin", "show", "label", "undo")},
        refused=lambda error: as_json({"error": clean(str(error))}, 422),
    )


class LabelPage(Served):
    """A page on which people label; what :func:`eatlas.serve_items` returns. A context manager."""

    def __init__(self, journal: LabelJournal, guide: str, port: int) -> None:
        self.journal = journal
        """What people have done so far."""
        super().__init__(application(journal, guide), port)

    @property
    def done(self) -> dict[str, int]:
        """Contexts that each person has labelled so far."""
        return self.journal.done

    def labels(self) -> Labels:
        """Return the labels as they are now.

        Raises
        ------
        SourceError
            If there is no label yet.
        """
        items, given = self.journal.items, labels_by_annotator(self.journal.acts)
        if not given:
            remedy = f"open {self.address} in a browser"
            raise SourceError(f"{items.name}: nothing has been labelled yet", remedy=remedy)
        return Labels(items, given)

    def close(self) -> None:
        """End the page; the labels are on the disk already."""
        super().close()
        self.journal.close()

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {n:,}" for name, n in self.done.items()) or "nothing"
        where = self.address if self.open else "closed"
        return f"<LabelPage{'' if self.open else ','} {where}: labelled by {done}>"


def serve_items(items: str | Path, *, guide: str = "", port: int = 0) -> LabelPage:
    """Serve a page on which people label items, in the background, until it is closed.

    Every label is on the disk, in ITEMS.labels.jsonl, before the next context is shown; a later
    call continues from there.

    Parameters
    ----------
    items : str or path
        The file of items.
    guide : str
        Text that tells people how to label; the page shows it.
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
    >>> from eatlas_corpora.reading import Context
    >>> contexts = Contexts.of([Context("nurse", "The nurse said she was late.", 4, 9)])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "items.csv")
    ...     sample_items(contexts, "divdist-face-validity").write(path)
    ...     with serve_items(path) as page:
    ...         print(page.address[:17], page.done)
    http://127.0.0.1: {}
    """
    journal = LabelJournal(journal_of(Path(items)), load_items(items))
    try:
        return LabelPage(journal, guide, port)
    except BaseException:
        journal.close()
        raise
