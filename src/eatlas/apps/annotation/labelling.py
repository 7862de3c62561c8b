"""The page of labels from Python: served in the background, read back at any time."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from eatlas.apps.annotation.items import Items, load_items
from eatlas.apps.annotation.journal import SKIPPED, Journal, journal_of
from eatlas.apps.annotation.labels import Labels
from eatlas.apps.annotation.page import application
from eatlas.apps.serving import Served
from eatlas.errors import SourceError
from eatlas.writing import require_other_file


class LabelPage:
    """A page on which people label; what :func:`eatlas.serve_items` returns. A context manager."""

    def __init__(self, journal: Journal, guide: str, host: str, port: int) -> None:
        self._journal = journal
        self._served = Served(application(journal, guide), host=host, port=port)

    @property
    def address(self) -> str:
        """What a browser on this machine opens; its token lets nobody else in."""
        return self._served.address

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
        self._served.close()
        self._journal.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {n:,}" for name, n in self.done.items()) or "nothing"
        if not self._served.open:
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
