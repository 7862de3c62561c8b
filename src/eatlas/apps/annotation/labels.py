"""Labels that people gave: read by annotator, their agreement, and one label for each context."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from eatlas.apps.annotation.items import (
    Given,
    Items,
    label_rows,
    load_items,
    require_unlabelled,
    unknown_label,
)
from eatlas.apps.annotation.journal import ENDING, journal_of, name_of, replay
from eatlas.corpora import Contexts, load_contexts
from eatlas.csv_cells import marked
from eatlas.errors import EatlasError, SourceError
from eatlas.lazy import as_frame
from eatlas.notes import Note, warn
from eatlas.results.parts import Record
from eatlas.sources import CountTable
from eatlas.stats.agreement import MISSING, Codes, Estimate, RaterAgreement, rater_agreement
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    import pandas as pd

MOST_RESAMPLES = 100_000
DECIMALS = 6
"""Kept of ends of intervals, whose own Monte Carlo error is larger by far."""


class Tie(NamedTuple):
    """A context on which annotators are split, so that no label has more votes than all others."""

    item: str
    target: str
    text: str
    votes: Mapping[str, int]
    """Labels by how often they were given."""


@dataclass(frozen=True, repr=False)
class Adjudicated:
    """One label for each context that has one; what :meth:`Labels.adjudicated` returns."""

    items: Items
    labels: Mapping[str, str]
    """By item: a group, or "none"."""
    ties: tuple[Tie, ...]
    """Without a label, and not counted."""
    decided: int = 0
    """Contexts whose label is a decision."""

    def __repr__(self) -> str:
        return f"<Adjudicated: {len(self.labels):,} contexts, {len(self.ties):,} ties>"

    @property
    def unlabelled(self) -> int:
        """Contexts that nobody labelled."""
        return len(self.items) - len(self.labels) - len(self.ties)

    def counts(self) -> CountTable:
        """Contexts of each target that are associated with each group (DivDist, section 4.1).

        Targets without a labelled context have no row; one whose contexts are associated with none
        of the groups has zeros.

        Raises
        ------
        SourceError
            If no context has a label.
        """
        rows: dict[str, dict[str, int]] = {}
        for item in sorted(self.items, key=lambda item: item.target):
            if label := self.labels.get(item.id):
                row = rows.setdefault(item.target, dict.fromkeys(self.items.groups, 0))
                if label in row:
                    row[label] += 1
        return CountTable(f"labels of {self.items.name}", rows)

    def write_counts(self, path: str | Path) -> None:
        """Write the counts as a table for ``soa=counts``: term, a column by group, and total.

        The total is of the labelled contexts, those of none of the groups included.

        Raises
        ------
        EatlasError
            If no context has a label, the file cannot be written, or people filled in labels there.
        """
        require_unlabelled(Path(path), any_table=True)
        rows = self.counts().rows
        totals = Counter(self.items.by_id[item].target for item in self.labels)
        with atomic_file(Path(path)) as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["term", *map(marked, self.items.groups), "total"])
            for target, row in rows.items():
                table.writerow([marked(target), *map(int, row.values()), totals[target]])

    def write_ties(self, path: str | Path) -> None:
        """Write the ties as a CSV file whose column ``label`` is filled in with decisions.

        Raises
        ------
        EatlasError
            If the file cannot be written, or people filled in decisions there.
        """
        require_unlabelled(Path(path))
        with atomic_file(Path(path)) as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["item", "label", "votes", "target", "text"])
            for tie in self.ties:
                votes = ", ".join(f"{label} {n}" for label, n in tie.votes.items())
                table.writerow([tie.item, "", *map(marked, (votes, tie.target, tie.text))])

    def labelled(self, contexts: Contexts | str | Path) -> Contexts:
        """Put the labels onto the contexts that were sampled from: training data for the probe.

        Parameters
        ----------
        contexts : Contexts, str or path
            What the items were sampled from; contexts that were not labelled stay without a label.

        Raises
        ------
        SourceError
            If the items are of other contexts.

        Notes
        -----
        ``eatlas run --contexts FILE --measure "divdist(soa=probe)"`` trains on these labels
        (DivDist, section 4.3) and counts what it predicts of all contexts.
        """
        if isinstance(contexts, str | Path):
            contexts = load_contexts(contexts)
        labels = {self.items.by_id[item].context: label for item, label in self.labels.items()}
        if lost := [context for context in labels if context not in set(contexts.rows)]:
            raise SourceError(
                f"{contexts.name or 'the contexts'}: labelled contexts are not among them",
                got=f"{len(lost):,} of {len(labels):,}, such as {lost[0].text!r}"[:200],
                allowed=f"the contexts that {self.items.name} was sampled from: "
                f"{self.items.provenance.get('contexts') or 'not recorded'}",
            )
        return replace(contexts, labels=labels)


class Figure(Record):
    """A coefficient with a percentile interval over items; None where it is undefined."""

    value: float | None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> Figure:
        """Take what the statistics found; NaN is None."""
        if not np.isfinite(estimate.value):
            return cls(value=None)
        ends = estimate.interval and tuple(round(end, DECIMALS) for end in estimate.interval)
        return cls(value=estimate.value, interval=ends)


class LabelAgreement(Record):
    """Agreement on one label against all others."""

    label: str
    given: int
    """How often it was given."""
    alpha: Figure
    kappa: Figure


class AnnotatorPair(Record):
    """Agreement of two annotators."""

    first: str
    second: str
    items: int
    """Contexts that both labelled."""
    agreement: Figure
    """Share of these with the same label."""
    kappa: Figure
    """Cohen's kappa."""


class Agreement(Record):
    """How far annotators agree; what :meth:`Labels.agreement` returns."""

    schema_version: Literal["eatlas/agreement/1"] = Field(
        default="eatlas/agreement/1", alias="schema"
    )
    test: str
    items: int
    """Contexts that were sampled."""
    annotators: dict[str, int]
    """Contexts that each labelled."""
    compared: int
    """Contexts with two labels or more, on which alpha and the agreement rest."""
    raters: int
    """Labels of each context on which Fleiss' kappa rests: as many as most contexts have; 0 if
    none has two."""
    rated: int
    """Contexts with exactly so many labels."""
    alpha: Figure
    """Krippendorff's alpha, nominal."""
    kappa: Figure
    """Fleiss' kappa."""
    agreement: Figure
    """Share of pairs of labels of one context that are the same."""
    labels: tuple[LabelAgreement, ...]
    pairs: tuple[AnnotatorPair, ...]
    resamples: int
    confidence: float
    seed: int
    undefined: tuple[str, ...] = ()
    """What is not defined, and why."""

    def __repr__(self) -> str:
        n, alpha, kappa = len(self.annotators), self.alpha.value, self.kappa.value
        if alpha is None or kappa is None:
            return f"<Agreement: alpha and kappa undefined, {n} annotators>"
        return f"<Agreement: alpha {alpha:.3f}, kappa {kappa:.3f}, {n} annotators>"

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each coefficient: of all labels, of each label, of each pair."""
        return as_frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One row for each coefficient."""
        figures = [
            ("all labels", "alpha", self.alpha, self.compared),
            ("all labels", "kappa", self.kappa, self.rated),
            ("all labels", "agreement", self.agreement, self.compared),
        ]
        for label in self.labels:
            figures.append((label.label, "alpha", label.alpha, self.compared))
            figures.append((label.label, "kappa", label.kappa, self.rated))
        for pair in self.pairs:
            both = f"{pair.first} and {pair.second}"
            figures.append((both, "kappa", pair.kappa, pair.items))
            figures.append((both, "agreement", pair.agreement, pair.items))
        rows = []
        for of, name, figure, n in figures:
            low, high = figure.interval or (None, None)
            rows.append({"of": of, "coefficient": name, "value": figure.value, "low": low,
                         "high": high, "items": n})  # fmt: skip
        return rows


def _undefined(given: Given, found: RaterAgreement) -> Iterator[Note]:
    """Say what is not defined, and why."""
    names = tuple(given)
    if not found.items:
        yield Note("undefined.agreement", values={"annotators": list(names)})
        return
    if not np.isfinite(found.alpha.value):
        yield Note("undefined.alpha")
    pairs = combinations(names, 2)
    apart = [f"{a} and {b}" for a, b in pairs if not given[a].keys() & given[b].keys()]
    if apart:
        yield Note("undefined.pairs", values={"pairs": apart})


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
        """Number of each label among ``items.labels``, shape (items, annotators); -1 for none."""
        number = {label: j for j, label in enumerate(self.items.labels)} | {"": MISSING}
        given = self.given.values()
        rows = [[number[labels.get(item.id, "")] for labels in given] for item in self.items]
        return np.array(rows, np.int64).reshape(len(self.items), len(self.given))

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
        if not 0 <= resamples <= MOST_RESAMPLES or not 0 < confidence < 1 or seed < 0:
            raise EatlasError(
                "the resamples are not usable",
                got=f"{resamples} resamples, confidence {confidence}, seed {seed}",
                allowed=f"0 to {MOST_RESAMPLES:,} resamples, confidence between 0 and 1, seed "
                "from 0",
            )
        rng = np.random.default_rng(seed)
        found = rater_agreement(
            self.codes, len(self.items.labels), resamples=resamples, confidence=confidence, rng=rng
        )
        undefined = tuple(_undefined(self.given, found))
        for note in undefined:
            warn(note)
        names, of = self.annotators, Figure.of
        return Agreement(
            test=self.items.test,
            items=len(self.items),
            annotators={name: len(labels) for name, labels in self.given.items()},
            compared=found.items,
            raters=found.raters,
            rated=found.rated,
            alpha=of(found.alpha),
            kappa=of(found.kappa),
            agreement=of(found.observed),
            labels=tuple(
                LabelAgreement(label=label, given=c.labels, alpha=of(c.alpha), kappa=of(c.kappa))
                for label, c in zip(self.items.labels, found.categories, strict=True)
            ),
            pairs=tuple(
                AnnotatorPair(first=names[p.first], second=names[p.second], items=p.items,
                              agreement=of(p.observed), kappa=of(p.kappa))
                for p in found.pairs
            ),
            resamples=resamples,
            confidence=confidence,
            seed=seed,
            undefined=tuple(map(str, undefined)),
        )  # fmt: skip

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
        decided = {} if decisions is None else _decisions(self.items, decisions)
        labels: dict[str, str] = {}
        ties: list[Tie] = []
        for item in self.items:
            votes = Counter(given[item.id] for given in self.given.values() if item.id in given)
            ranked = [(label, votes[label]) for label in self.items.labels if votes[label]]
            ranked.sort(key=lambda vote: -vote[1])
            if item.id in decided:
                labels[item.id] = decided[item.id]
            elif len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
                ties.append(Tie(item.id, item.target, item.text, dict(ranked)))
            elif ranked:
                labels[item.id] = ranked[0][0]
        return Adjudicated(self.items, labels, tuple(ties), len(decided))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each label: item, annotator, label, target and text."""
        rows = [
            (item, annotator, label, *self.items.by_id[item][1:3])
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
    sample = items if isinstance(items, Items) else load_items(items)
    if labels is None:
        page = None if isinstance(items, Items) else journal_of(Path(items))
        if page is None or not page.is_file():
            raise SourceError(
                f"{sample.name}: there are no labels",
                got=f"no file {page.name if page else 'of the page'} beside the items",
                allowed="files of labels: what eatlas annotate serve wrote, or CSV files",
                remedy="eatlas annotate read ITEMS LABELS...",
            )
        labels = page
    if isinstance(labels, Mapping):
        rows = _of_mapping(labels)
    else:
        paths = [labels] if isinstance(labels, str | Path) else labels
        rows = (row for path in paths for row in _of_file(Path(path), sample))
    given: dict[str, dict[str, str]] = {}
    for line, annotator, item, label in _usable(sample, rows):
        before = given.setdefault(annotator, {}).setdefault(item, label)
        if before != label:
            raise SourceError(
                f"{line}: {annotator} gave the item {item} two labels",
                got=f"{before} and {label}",
                remedy="give each person one label of an item, and each file of a person a "
                "name of its own",
            )
    if not given:
        raise SourceError(
            f"{sample.name}: there are no labels",
            got="no label in any file",
            allowed=f"{', '.join(sample.labels)} in the column label",
        )
    return Labels(sample, given)


Row = tuple[str, str, str, str]
"""Where it is written, annotator, item, label."""


def _usable(items: Items, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows with labels as the groups are written; refused are other items and other labels."""
    odd: dict[str, str] = {}
    for line, annotator, item, text in rows:
        if item not in items.by_id:
            raise SourceError(
                f"{line}: there is no such item",
                got=repr(item)[:60],
                allowed=f"an item of {items.name}",
                remedy="name the file of items that the labels were made for",
            )
        label = items.label(text)
        if label is None:
            odd[line] = text
        else:
            yield line, annotator, item, label
    if odd:
        raise unknown_label(items, odd)


def _decisions(items: Items, decisions: Any) -> dict[str, str]:
    """Decisions by item; of a file, whoever made them."""
    if isinstance(decisions, Mapping):
        rows = _of_mapping({"decision": decisions})
    else:
        rows = label_rows(Path(decisions))
    decided: dict[str, str] = {}
    for line, _, item, label in _usable(items, rows):
        if decided.setdefault(item, label) != label:
            raise SourceError(f"{line}: the item {item} is decided twice")
    return decided


def _of_mapping(labels: Mapping[str, Mapping[str, str]]) -> Iterator[Row]:
    for annotator, some in labels.items():
        for item, label in some.items():
            yield f"{annotator}, {item}", name_of(annotator), item, str(label)


def _of_file(path: Path, items: Items) -> Iterator[Row]:
    """Labels of a file; those of the page only as they are at the end."""
    if path.suffix.lower() == ".jsonl":
        for annotator, work in replay(path, items)[0].items():
            for item, label in work.given.items():
                yield str(path), annotator, item, label
    elif path.suffix.lower() in {".csv", ".tsv"}:
        for line, annotator, item, label in label_rows(path):
            yield line, name_of(annotator or path.stem), item, label
    else:
        raise SourceError(
            f"{path}: this is not a file of labels",
            got=path.suffix or "a name without ending",
            allowed=f".csv, .tsv, or {ENDING} of the page",
        )
