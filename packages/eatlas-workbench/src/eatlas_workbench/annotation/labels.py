"""Labels that people gave: read by annotator, their agreement, and one label for each context."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eatlas.csv_cells import escape_cell
from eatlas.errors import SourceError, require_whole
from eatlas.lazy import as_frame
from eatlas.notes import Note, warn
from eatlas.numbers import number_of
from eatlas.results.parts import finite, finite_ends
from eatlas.sources import CountTable
from eatlas.writing import atomic_file
from eatlas_corpora.reading import Context, Contexts, load_contexts
from eatlas_workbench.annotation.items import (
    ENDING,
    NONE,
    UNCLEAR,
    Given,
    Items,
    Row,
    journal_of,
    label_rows,
    labels_by_annotator,
    load_items,
    name_of,
    replay,
    require_unlabelled,
    usable_labels,
)
from eatlas_workbench.stats.agreement import MISSING, Estimate, rater_agreement

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 30
"""Contexts with two labels, of which agreement begins to say something: of two people and three
labels, an interval of alpha near .7 is some .5 wide then."""
DECIMALS = 6
"""Kept of ends of intervals, whose own Monte Carlo error is larger by far."""


class Tie(NamedTuple):
    """A context on which annotators are split: no label has the most votes."""

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
    unclear: tuple[str, ...] = ()
    """Items that most annotators, or a decision, call unclear: without a label, not counted."""

    def __repr__(self) -> str:
        return f"<Adjudicated: {len(self.labels):,} contexts, {len(self.ties):,} ties>"

    @property
    def unlabelled(self) -> int:
        """Contexts without a label."""
        return len(self.items) - len(self.labels) - len(self.ties) - len(self.unclear)

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

        The total is of the labelled contexts, those of none of the groups included, and those that
        are unclear left out.

        Raises
        ------
        EatlasError
            If no context has a label, the file cannot be written, or it already contains labels.
        """
        require_unlabelled(Path(path), any_table=True)
        rows = self.counts().rows
        totals = Counter(self.items.by_id[item].target for item in self.labels)
        with atomic_file(Path(path)) as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["term", *map(escape_cell, self.items.groups), "total"])
            for target, row in rows.items():
                table.writerow([escape_cell(target), *map(int, row.values()), totals[target]])

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
                table.writerow([tie.item, "", *map(escape_cell, (votes, tie.target, tie.text))])

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
        by_id = self.items.by_id
        labels = {Context(*by_id[item][1:]): label for item, label in self.labels.items()}
        if lost := [context for context in labels if context not in set(contexts.rows)]:
            raise SourceError(
                f"{contexts.name or 'the contexts'}: some labelled contexts are missing",
                got=f"{len(lost):,} of {len(labels):,}, such as {lost[0].text!r}"[:200],
                allowed=f"the contexts that {self.items.name} was sampled from: "
                f"{self.items.provenance.get('contexts') or 'not recorded'}",
            )
        return replace(contexts, labels=labels)


class Figure(NamedTuple):
    """A coefficient with a percentile interval over items; None where it is undefined."""

    value: float | None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> Figure:
        """Take what the statistics found; NaN is None."""
        value, ends = finite(estimate[0]), estimate[1]
        undefined = value is None or ends is None
        return cls(value, None if undefined else finite_ends(ends or (), DECIMALS))


class LabelAgreement(NamedTuple):
    """Agreement on one label against all others."""

    label: str
    given: int
    """How often it was given."""
    alpha: Figure
    kappa: Figure


class AnnotatorPair(NamedTuple):
    """Agreement of two annotators."""

    first: str
    second: str
    items: int
    """Contexts that both labelled."""
    agreement: Figure
    """Proportion of these with the same label."""
    kappa: Figure
    """Cohen's kappa."""


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree; what :meth:`Labels.agreement` returns."""

    test: str
    items: int
    """Contexts that were sampled."""
    annotators: Mapping[str, int]
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
    """Proportion of pairs of labels of one context that are the same."""
    labels: tuple[LabelAgreement, ...]
    pairs: tuple[AnnotatorPair, ...]
    """All pairs of up to 20 annotators; of more the 190 with the most contexts in common."""
    undefined: tuple[str, ...] = ()
    """What is not defined, and why."""
    unclear: Mapping[str, int] = field(default_factory=dict)
    """Contexts that each annotator called unclear: no judgement, so no part of any coefficient."""

    @property
    def doubt(self) -> str:
        """Why the coefficients say little; empty where there are enough contexts."""
        if self.compared >= FEWEST:
            return ""
        if not self.compared:
            return "No context has the labels of two people: let a second person label them."
        return (
            f"{number_of(self.compared, 'context')} with two labels "
            f"{'is' if self.compared == 1 else 'are'} too few to say how far people agree: let two "
            f"people label {FEWEST} or more."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each coefficient: of all labels, of each label, of each pair."""
        rows = [("all labels", name, getattr(self, name), n)
                for name, n in (("alpha", self.compared), ("kappa", self.rated),
                                ("agreement", self.compared))]  # fmt: skip
        for label in self.labels:
            rows.append((label.label, "alpha", label.alpha, self.compared))
            rows.append((label.label, "kappa", label.kappa, self.rated))
        for pair in self.pairs:
            both = f"{pair.first} and {pair.second}"
            rows.append((both, "kappa", pair.kappa, pair.items))
            rows.append((both, "agreement", pair.agreement, pair.items))
        return as_frame(
            [(of, name, figure.value, *(figure.interval or (None, None)), n)
             for of, name, figure, n in rows],
            ("of", "coefficient", "value", "low", "high", "items"),
        )  # fmt: skip


@dataclass(frozen=True, repr=False)
class Labels:
    """Labels by annotator and item; what :func:`eatlas.read_labels` returns."""

    items: Items
    given: Given
    """By annotator, then by item: a group, "none" or "unclear"."""

    @cached_property
    def judged(self) -> Given:
        """The labels that are judgements, which "unclear" is not."""
        return {
            name: {item: label for item, label in labels.items() if label != UNCLEAR}
            for name, labels in self.given.items()
        }

    def __repr__(self) -> str:
        n = sum(map(len, self.given.values()))
        return f"<Labels: {n:,} of {len(self.items):,} contexts by {len(self.given)} annotators>"

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
        require_whole("resamples", resamples, 0)
        items, names, of = self.items, tuple(self.given), Figure.of
        chosen = (*items.groups, NONE)
        number = {label: j for j, label in enumerate(chosen)} | {"": MISSING}
        codes = [
            [number[labels.get(item.id, "")] for labels in self.judged.values()] for item in items
        ]
        agreed = rater_agreement(
            codes, len(chosen), resamples=resamples, confidence=confidence,
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        labels, pairs = agreed.pop("labels"), agreed.pop("pairs")
        undefined = tuple(self._note_undefined(agreed))
        for note in undefined:
            warn(note)
        if len(pairs) < (of_pairs := comb(len(names), 2)):
            warn(Note("run.annotator-pairs", values={"compared": len(pairs), "of": of_pairs}))
        return Agreement(
            test=items.test,
            items=len(items),
            annotators={name: len(labels) for name, labels in self.given.items()},
            **agreed | {name: of(agreed[name]) for name in ("alpha", "kappa", "agreement")},
            labels=tuple(
                LabelAgreement(label, times, of(alpha), of(kappa))
                for label, (times, alpha, kappa) in zip(chosen, labels, strict=True)
            ),
            pairs=tuple(
                AnnotatorPair(names[first], names[second], both, of(share), of(kappa))
                for first, second, both, share, kappa in pairs
            ),
            undefined=tuple(map(str, undefined)),
            unclear={
                name: len(labels) - len(self.judged[name])
                for name, labels in self.given.items()
                if len(labels) > len(self.judged[name])
            },
        )

    def _note_undefined(self, agreed: dict[str, Any]) -> Iterator[Note]:
        """Say what is not defined, and why."""
        if not agreed["compared"]:
            yield Note("undefined.agreement", values={"annotators": list(self.given)})
            return
        if not np.isfinite(agreed["alpha"][0]):
            yield Note("undefined.alpha")
        pairs = combinations(self.judged.items(), 2)
        apart = [f"{a} and {b}" for (a, of_a), (b, of_b) in pairs if not of_a.keys() & of_b.keys()]
        if apart:
            yield Note("undefined.pairs", values={"pairs": apart})

    def adjudicated(self, decisions: Any = None) -> Adjudicated:
        """One label for each context: the majority label, or a decision.

        "unclear" counts as a vote; where it is decided on, the context has no label.

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
        who = "the decision"
        if isinstance(decisions, str | Path):
            rows = (
                (line, who, item, label) for line, _, item, label in label_rows(Path(decisions))
            )
        else:
            rows = ((who, who, item, label) for item, label in (decisions or {}).items())
        decided = usable_labels(self.items, rows).get(who, {})
        labels: dict[str, str] = {}
        ties: list[Tie] = []
        unclear: list[str] = []
        for item in self.items:
            votes = Counter(given[item.id] for given in self.given.values() if item.id in given)
            ranked = [(label, votes[label]) for label in self.items.labels if votes[label]]
            ranked.sort(key=lambda vote: -vote[1])
            label = decided.get(item.id) or (ranked[0][0] if ranked else None)
            if item.id not in decided and len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
                ties.append(Tie(item.id, item.target, item.text, dict(ranked)))
            elif label == UNCLEAR:
                unclear.append(item.id)
            elif label is not None:
                labels[item.id] = label
        return Adjudicated(self.items, labels, tuple(ties), len(decided), tuple(unclear))

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
        annotators to mappings from items to labels. By default the page's file next to the items.

    Returns
    -------
    Labels

    Raises
    ------
    SourceError
        If a file cannot be read, names an unknown item, has a label other than the groups, "none"
        or "unclear", or has two labels of one annotator for one item.

    Examples
    --------
    >>> from eatlas import Contexts
    >>> from eatlas_workbench.annotation import sample_items
    >>> from eatlas_corpora.reading import Context
    >>> contexts = Contexts.of([Context("nurse", "The nurse said she was late.", 4, 9)])
    >>> items = sample_items(contexts, "divdist-face-validity")
    >>> item = items.rows[0].id
    >>> labels = read_labels(items, {"Anna": {item: "Female"}, "Ben": {item: "female"}})
    >>> labels.adjudicated().counts().rows
    {'nurse': {'Female': 1, 'Male': 0}}
    """
    sample = items if isinstance(items, Items) else load_items(items)
    if labels is None and not isinstance(items, Items):
        labels = [path] if (path := journal_of(Path(items))).is_file() else None
    if labels is None:
        raise SourceError(
            f"{sample.name}: there are no labels",
            got="no file of labels next to the items",
            allowed="files of labels: what eatlas annotate serve wrote, or CSV files",
            remedy="eatlas annotate read ITEMS LABELS...",
        )
    given = usable_labels(sample, _rows_of(labels, sample))
    if not given:
        raise SourceError(
            f"{sample.name}: there are no labels",
            got="no label in any file",
            allowed=f"{', '.join(sample.labels)} in the column label",
        )
    return Labels(sample, given)


def _rows_of(labels: LabelsLike, items: Items) -> Iterator[Row]:
    """Labels of a mapping or of files; labels of the page in their final state."""
    if isinstance(labels, Mapping):
        yield from _rows_of_mapping("", labels)
        return
    for path in map(Path, [labels] if isinstance(labels, str | Path) else labels):
        if path.suffix.lower() == ".jsonl":
            yield from _rows_of_mapping(f"{path}, ", labels_by_annotator(replay(path, items)[0]))
        elif path.suffix.lower() in {".csv", ".tsv"}:
            for line, annotator, item, label in label_rows(path):
                yield line, name_of(annotator or path.stem), item, label
        else:
            raise SourceError(
                f"{path}: not a file of labels",
                got=path.suffix or "a name without ending",
                allowed=f".csv, .tsv, or {ENDING} of the page",
            )


def _rows_of_mapping(source: str, labels: Mapping[str, Mapping[str, str]]) -> Iterator[Row]:
    for annotator, of_items in labels.items():
        for item, label in of_items.items():
            yield f"{source}{annotator}, {item}", name_of(annotator), item, str(label)
