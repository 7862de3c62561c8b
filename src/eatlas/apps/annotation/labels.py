"""Labels that people gave: read by annotator, their agreement, and one label for each context."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from eatlas.apps.annotation.journal import ENDING, SKIPPED, journal_of, name_of, replay
from eatlas.corpora import Contexts, load_contexts
from eatlas.csv_cells import marked
from eatlas.errors import EatlasError, SourceError
from eatlas.lazy import as_frame
from eatlas.notes import Note, warn
from eatlas.results.parts import Record
from eatlas.sources.counts import CountTable
from eatlas.stats.agreement import MISSING, Codes, Estimate, RaterAgreement, rater_agreement
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    import pandas as pd


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

        Targets without a labelled context have no row; one whose contexts are associated with
        none of the groups has zeros.

        Raises
        ------
        SourceError
            If no context has a label.
        """
        return CountTable(f"labels of {self.items.name}", self._rows())

    def _rows(self) -> dict[str, dict[str, int]]:
        rows: dict[str, dict[str, int]] = {}
        for one in sorted(self.items, key=lambda item: item.target):
            if label := self.labels.get(one.id):
                row = rows.setdefault(one.target, dict.fromkeys(self.items.groups, 0))
                if label in row:
                    row[label] += 1
        return rows

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
                cells = (int(row[group]) for group in self.items.groups)
                table.writerow([marked(target), *cells, totals[target]])

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
            for one in self.ties:
                votes = ", ".join(f"{label} {n}" for label, n in one.votes.items())
                cells = map(marked, (votes, one.target, one.text))
                table.writerow([one.item, "", *cells])

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
        given = load_contexts(contexts) if isinstance(contexts, str | Path) else contexts
        rows = set(given.rows)
        found = {self.items.by_id[item].context: label for item, label in self.labels.items()}
        if lost := [one for one in found if one not in rows]:
            raise SourceError(
                f"{given.name or 'the contexts'}: labelled contexts are not among them",
                got=f"{len(lost):,} of {len(found):,}, such as {lost[0].text!r}"[:200],
                allowed=f"the contexts that {self.items.name} was sampled from: "
                f"{self.items.provenance.get('contexts') or 'not recorded'}",
            )
        return Contexts(given.rows, given.counts, given.provenance, given.name, found)


def adjudicate(items: Items, given: Given, decisions: Any = None) -> Adjudicated:
    """Find the label of most annotators for each context; decisions go before it."""
    decided = _decisions(items, decisions)
    found: dict[str, str] = {}
    ties: list[Tie] = []
    for one in items:
        votes = Counter(some[one.id] for some in given.values() if one.id in some)
        ranked = [(label, votes[label]) for label in items.labels if votes[label]]
        ranked.sort(key=lambda vote: -vote[1])
        if one.id in decided:
            found[one.id] = decided[one.id]
        elif len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            ties.append(Tie(one.id, one.target, one.text, dict(ranked)))
        elif ranked:
            found[one.id] = ranked[0][0]
    return Adjudicated(items, found, tuple(ties), len(decided))


def _decisions(items: Items, decisions: Any) -> dict[str, str]:
    """Decisions by item, checked."""
    if decisions is None:
        return {}
    rows = (
        [(f"decision {item}", item, str(label)) for item, label in decisions.items()]
        if isinstance(decisions, Mapping)
        else [(where, item, label) for where, _, item, label in label_rows(Path(decisions))]
    )
    found: dict[str, str] = {}
    odd: dict[str, str] = {}
    for where, item, text in rows:
        label = items.label(text)
        if label is None:
            odd[where] = text
        elif item not in items.by_id or found.get(item, label) != label:
            raise SourceError(
                f"{where}: this decides nothing",
                got=f"{item}: {label}",
                allowed=f"an item of {items.name}, once",
            )
        else:
            found[item] = label
    if odd:
        raise unknown_label(items, odd)
    return found


MOST_RESAMPLES = 100_000
DECIMALS = 6
"""Kept of ends of intervals, whose own Monte Carlo error is larger by far."""


class Figure(Record):
    """A coefficient with a percentile interval over items; None where it is undefined."""

    value: float | None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, found: Estimate) -> Figure:
        """Take what the statistics found; NaN is None."""
        known = np.isfinite(found.value)
        ends = found.interval
        return cls(
            value=found.value if known else None,
            interval=(round(ends[0], DECIMALS), round(ends[1], DECIMALS))
            if known and ends is not None
            else None,
        )


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
        alpha, kappa = (
            "undefined" if one.value is None else f"{one.value:.3f}"
            for one in (self.alpha, self.kappa)
        )
        return f"<Agreement: alpha {alpha}, kappa {kappa}, {len(self.annotators)} annotators>"

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each coefficient: of all labels, of each label, of each pair."""
        return as_frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One row for each coefficient."""
        return [
            {
                "of": of,
                "coefficient": name,
                "value": one.value,
                "low": one.interval[0] if one.interval else None,
                "high": one.interval[1] if one.interval else None,
                "items": items,
            }
            for of, name, one, items in self._figures()
        ]

    def _figures(self) -> Iterator[tuple[str, str, Figure, int]]:
        """Rows of the table: what is compared, coefficient, value, number of items."""
        yield "all labels", "alpha", self.alpha, self.compared
        yield "all labels", "kappa", self.kappa, self.rated
        yield "all labels", "agreement", self.agreement, self.compared
        for label in self.labels:
            yield label.label, "alpha", label.alpha, self.compared
            yield label.label, "kappa", label.kappa, self.rated
        for pair in self.pairs:
            of = f"{pair.first} and {pair.second}"
            yield of, "kappa", pair.kappa, pair.items
            yield of, "agreement", pair.agreement, pair.items


def agreement_of(
    items: Items, given: Given, codes: Codes, *, resamples: int, confidence: float, seed: int
) -> Agreement:
    """Find the agreement of labels; `codes` has the place of each among the labels of the items."""
    if not 0 <= resamples <= MOST_RESAMPLES or not 0 < confidence < 1 or seed < 0:
        raise EatlasError(
            "the resamples are not usable",
            got=f"{resamples} resamples, confidence {confidence}, seed {seed}",
            allowed=f"0 to {MOST_RESAMPLES:,} resamples, confidence between 0 and 1, seed from 0",
        )
    names = tuple(given)
    found = rater_agreement(
        codes,
        len(items.labels),
        resamples=resamples,
        confidence=confidence,
        rng=np.random.default_rng(seed),
    )
    return Agreement(
        test=items.test,
        items=len(items),
        annotators={name: len(labels) for name, labels in given.items()},
        compared=found.items,
        raters=found.raters,
        rated=found.rated,
        alpha=Figure.of(found.alpha),
        kappa=Figure.of(found.kappa),
        agreement=Figure.of(found.observed),
        labels=tuple(
            LabelAgreement(
                label=label,
                given=one.labels,
                alpha=Figure.of(one.alpha),
                kappa=Figure.of(one.kappa),
            )
            for label, one in zip(items.labels, found.categories, strict=True)
        ),
        pairs=tuple(
            AnnotatorPair(
                first=names[one.first],
                second=names[one.second],
                items=one.items,
                agreement=Figure.of(one.observed),
                kappa=Figure.of(one.kappa),
            )
            for one in found.pairs
        ),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        undefined=tuple(_undefined(given, found)),
    )


def _undefined(given: Given, found: RaterAgreement) -> Iterator[str]:
    """Say what is not defined, and why."""
    names = tuple(given)
    if not found.items:
        whose = (
            f"{names[0]} labelled alone"
            if len(names) == 1
            else f"{', '.join(names)} labelled different contexts"
        )
        yield f"Undefined agreement: no context has two labels; {whose}."
        return
    if not np.isfinite(found.alpha.value):
        yield "Undefined alpha and kappa: all labels that can be compared are the same."
    apart = [
        f"{names[i]} and {names[j]}"
        for i, j in combinations(range(len(names)), 2)
        if not (given[names[i]].keys() & given[names[j]].keys())
    ]
    if apart:
        yield f"Undefined agreement of annotators without a context in common: {'; '.join(apart)}."


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
            warn(Note("undefined.agreement", values={"text": note}))
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
