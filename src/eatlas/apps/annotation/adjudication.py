"""One label for each context: by majority, with ties for a person to decide; what follows."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.apps.annotation.items import Given, Items, unknown_label
from eatlas.apps.annotation.sheets import label_rows, require_unlabelled
from eatlas.corpora import Contexts, load_contexts
from eatlas.csv_cells import marked
from eatlas.errors import SourceError
from eatlas.sources.counts import CountTable
from eatlas.writing import atomic_file


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
            If no context has a label, or the file cannot be written.
        """
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
