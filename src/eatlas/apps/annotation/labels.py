"""Labels that people gave: read from the page's file and from spreadsheets, by annotator."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.apps.annotation.adjudication import Adjudicated, adjudicate
from eatlas.apps.annotation.agreement import Agreement, agreement_of
from eatlas.apps.annotation.items import Given, Items, load_items, unknown_label
from eatlas.apps.annotation.journal import ENDING, SKIPPED, journal_of, name_of, replay
from eatlas.apps.annotation.sheets import label_rows
from eatlas.errors import SourceError, UndefinedWarning
from eatlas.lazy import as_frame
from eatlas.stats.agreement import MISSING, Codes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Labels:
    """Labels by annotator and item; what :func:`eatlas.read_labels` returns."""

    items: Items
    given: Given
    """By annotator, then by item: a group, or "none"."""

    def __repr__(self) -> str:
        n = sum(map(len, self.given.values()))
        return f"<Labels: {n:,} of {len(self.items):,} contexts by {len(self.given)} annotators>"

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of those who labelled."""
        return tuple(self.given)

    @property
    def codes(self) -> Codes:
        """Place of each label among ``items.labels``, shape (items, annotators); -1 for none."""
        place = {label: j for j, label in enumerate(self.items.labels)}
        found = np.full((len(self.items), len(self.given)), MISSING, np.int64)
        for j, labels in enumerate(self.given.values()):
            for i, item in enumerate(self.items):
                if item.id in labels:
                    found[i, j] = place[labels[item.id]]
        return found

    def agreement(
        self, *, resamples: int = 1_000, confidence: float = 0.95, seed: int = 0
    ) -> Agreement:
        """Krippendorff's alpha, Fleiss' kappa, agreement by label and in pairs.

        Parameters
        ----------
        resamples : int, default 1000
            Bootstrap resamples of the items; 0 for no intervals.
        confidence : float, default 0.95
        seed : int, default 0
            Of the resamples.

        Returns
        -------
        Agreement
            What is not defined is None, with a note and an :class:`UndefinedWarning`.
        """
        found = agreement_of(
            self.items,
            self.given,
            self.codes,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
        )
        for note in found.undefined:
            warnings.warn(note, UndefinedWarning, stacklevel=2)
        return found

    def adjudicated(self, decisions: Any = None) -> Adjudicated:
        """One label for each context: that of most annotators, or a decision.

        Parameters
        ----------
        decisions : mapping, str or path, optional
            Labels by item that go before the majority: a mapping, or a CSV file with the columns
            ``item`` and ``label``, as :meth:`Adjudicated.write_ties` writes it.

        Raises
        ------
        SourceError
            If a decision is of no item or no label.
        """
        return adjudicate(self.items, self.given, decisions)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each label: item, annotator, label, target and text."""
        rows = [
            (item, annotator, label, self.items.by_id[item].target, self.items.by_id[item].text)
            for annotator, labels in self.given.items()
            for item, label in labels.items()
        ]
        return as_frame(rows, ("item", "annotator", "label", "target", "text"))


LabelsLike = str | Path | Iterable[str | Path] | Mapping[str, Mapping[str, str]]
"""Files of labels, or labels by annotator and item."""


def read_labels(items: Items | str | Path, labels: LabelsLike | None = None) -> Labels:
    """Read the labels that people gave to items.

    Parameters
    ----------
    items : Items, str or path
        What :func:`eatlas.sample_items` returned, or the file of it.
    labels : str, path, mapping, or several files, optional
        Files that the page wrote (.jsonl), and CSV files with the columns ``item`` and ``label``;
        the annotator is in a column ``annotator``, or else the file's name. A mapping goes from
        annotators to mappings from items to labels. By default the page's file beside the items.

    Returns
    -------
    Labels

    Raises
    ------
    SourceError
        If a file cannot be read, names no item of these, has a label that is none of the groups
        nor "none", or two labels of one annotator for one item.

    Examples
    --------
    >>> from eatlas import Contexts
    >>> from eatlas.apps.annotation import sample_items
    >>> from eatlas.corpora import Context
    >>> contexts = Contexts.of([Context("nurse", "The nurse said she was late.", 4, 9)])
    >>> items = sample_items(contexts, "divdist-face-validity")
    >>> item = items.rows[0].id
    >>> labels = read_labels(items, {"Anna": {item: "Female"}, "Ben": {item: "female"}})
    >>> labels.adjudicated().counts().rows
    {'nurse': {'Female': 1, 'Male': 0}}
    """
    at = Path(items) if isinstance(items, str | Path) else None
    known = items if isinstance(items, Items) else load_items(items)
    if isinstance(labels, Mapping):
        return _read(known, [_of_mapping(labels)])
    if labels is None:
        if at is None or not journal_of(at).is_file():
            raise SourceError(
                f"{known.name}: there are no labels",
                got="no file of the page beside the items"
                if at is None
                else f"no file {journal_of(at).name} beside the items",
                allowed="files of labels: what eatlas annotate serve wrote, or CSV files",
                remedy="eatlas annotate read ITEMS LABELS...",
            )
        labels = [journal_of(at)]
    paths = [labels] if isinstance(labels, str | Path) else list(labels)
    return _read(known, [_of_file(Path(path), known) for path in paths])


Row = tuple[str, str, str, str]
"""Where it is written, annotator, item, label."""


def _read(items: Items, sources: Sequence[Iterator[Row]]) -> Labels:
    """Join labels of several sources, and check them together."""
    given: dict[str, dict[str, str]] = {}
    odd: dict[str, str] = {}
    for source in sources:
        for where, annotator, item, text in source:
            if item not in items.by_id:
                raise SourceError(
                    f"{where}: there is no such item",
                    got=repr(item)[:60],
                    allowed=f"an item of {items.name}",
                    remedy="name the file of items that the labels were made for",
                )
            label = items.label(text)
            if label is None:
                odd[where] = text
                continue
            before = given.setdefault(annotator, {}).setdefault(item, label)
            if before != label:
                raise SourceError(
                    f"{where}: {annotator} gave the item {item} two labels",
                    got=f"{before} and {label}",
                    remedy="give each person one label of an item, and each file of a person a "
                    "name of its own",
                )
    if odd:
        raise unknown_label(items, odd)
    if not given:
        raise SourceError(
            f"{items.name}: there are no labels",
            got="no label in any file",
            allowed=f"{', '.join(items.labels)} in the column label",
        )
    return Labels(items, given)


def _of_mapping(labels: Mapping[str, Mapping[str, str]]) -> Iterator[Row]:
    for annotator, some in labels.items():
        for item, label in some.items():
            yield f"{annotator}, {item}", name_of(annotator), item, str(label)


def _of_file(path: Path, items: Items) -> Iterator[Row]:
    """Labels of a file; those of the page only as they are at the end."""
    if path.suffix.lower() == ".jsonl":
        work, _ = replay(path, items)
        for annotator, one in work.items():
            for item, label in one.labels.items():
                if label != SKIPPED:
                    yield str(path), annotator, item, label
        return
    if path.suffix.lower() not in {".csv", ".tsv"}:
        raise SourceError(
            f"{path}: this is not a file of labels",
            got=path.suffix or "a name without ending",
            allowed=f".csv, .tsv, or {ENDING} of the page",
        )
    for where, annotator, item, label in label_rows(path):
        yield where, name_of(annotator or path.stem), item, label
