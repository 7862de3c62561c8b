"""Counts of associations in a text: a table by target and group, and how it came about."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.parquet import pyarrow_of
from eatlas.corpora.spans import Search, Tally, WordFamily
from eatlas.corpora.writing import KEY, beside, require_ending
from eatlas.csv_cells import marked
from eatlas.lazy import as_frame
from eatlas.writing import atomic_file, atomic_files

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "eatlas/text/1"
TABLES = ("counts", (".csv", ".parquet"))
"""What is written, and the endings of its files."""
TERM, SPANS = "term", "spans"
"""Columns of the table before those of the groups."""
Cells = list[Any]


@dataclass(frozen=True, repr=False)
class TextCounts:
    """Spans of a text in which targets and groups are associated.

    A source of counts: ``eatlas.run(test, counts, "divdist(soa=counts)")`` takes it; the command
    line takes the file that :meth:`write` makes.

    Parameters
    ----------
    search : Search
        Targets, groups and spans.
    tally : Tally
    provenance : mapping
        Corpus with size and hash, options, version, and what could not be read.
    """

    search: Search
    tally: Tally
    provenance: Mapping[str, Any]

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets, in the order of the tests."""
        return self.search.targets

    @cached_property
    def spans(self) -> dict[str, int]:
        """Number of spans that mention each target."""
        width = self.search.firsts[1]
        return dict(zip(self.targets, self._rows[:, :width].sum(axis=1).tolist(), strict=True))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Targets that the text never mentions; their counts are undefined."""
        return tuple(term for term, spans in self.spans.items() if not spans)

    @property
    def documents(self) -> int:
        """Number of documents with a word in them."""
        return int(self.tally.totals[0])

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return int(self.tally.totals[1])

    @property
    def all_spans(self) -> int:
        """Number of spans, those without any target too."""
        return int(self.tally.totals[2])

    @property
    def tokens(self) -> int:
        """Number of words: what is between white space."""
        return int(self.tally.totals[3])

    @property
    def name(self) -> str:
        """What names the counts in results: the corpus and the span."""
        files = [Path(one["file"]).name for one in self.provenance["files"]]
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        return f"{files[0] if files else 'no file'}{more}, {_of_sentences(self.search)}"

    @property
    def fingerprint(self) -> str:
        """Hash of the counts."""
        said = json.dumps([self.targets, self.columns, self._rows.tolist()])
        return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the reader of a result."""
        lost = self.provenance["failed"]
        if not lost:
            return ()
        return (f"Parts of the text could not be read and are not counted: {len(lost)}.",)

    def counts(self, term: str) -> Mapping[str, float] | None:
        """Counts of a target by group; empty where the text never mentions it.

        Parameters
        ----------
        term : str
            Case makes no difference.

        Returns
        -------
        mapping or None
            From groups in lower case to numbers of spans; None if the term is no target.
        """
        place = self._places.get(term.casefold())
        if place is None:
            return None
        if not self.spans[self.targets[place]]:
            return {}
        row = self._rows[place]
        return {name.casefold(): int(row[at]) for name, at in self.columns}

    def to_frame(self) -> pd.DataFrame:
        """Tidy counts: a row for each target and outcome.

        Returns
        -------
        DataFrame
            Columns ``term``, ``family``, ``group`` (with the outcomes ``(none)`` and
            ``(several)``), ``spans`` (missing where the target was never seen), ``share`` of the
            spans that mention the target.
        """
        columns = ("term", "family", "group", "spans", "share")
        return as_frame(self._tidy(), columns).astype({"spans": "Int64"})

    def write(self, path: str | Path) -> None:
        """Write the table, and beside it (or within Parquet) how it came about.

        Parameters
        ----------
        path : str or path
            ``.csv`` or ``.parquet``. Columns: ``term``, ``spans`` that mention it, and one for each
            group. Cells of targets that were never seen are empty.

        Raises
        ------
        ResultsError
            If the name has another ending, or the file cannot be written.
        """
        path = Path(path)
        require_ending(path, *TABLES)
        head = [TERM, SPANS, *(name for name, _ in self.columns)]
        rows = list(self.rows())
        about = json.dumps(self.about(), ensure_ascii=False, indent=1)
        if path.suffix.lower() == ".parquet":
            with atomic_file(path, binary=True) as file:
                file.write(_parquet(path, head, rows, about))
            return
        with atomic_files() as new:
            table = csv.writer(new(path), lineterminator="\n")
            table.writerow([marked(one) for one in head])
            table.writerows([marked(term), *numbers] for term, *numbers in rows)
            new(beside(path)).write(about + "\n")

    def about(self) -> dict[str, Any]:
        """How the counts came about, with totals and all outcomes, as JSON takes it."""
        return {
            **self.provenance,
            "documents": self.documents,
            "sentences": self.sentences,
            "spans": self.all_spans,
            "tokens": self.tokens,
            "targets": len(self.targets),
            "unseen": list(self.unseen),
            "families": [
                {
                    "groups": dict(zip(family.names, map(list, family.words), strict=True)),
                    "outcomes": [*family.names, "(none)", "(several)"],
                    "counts": {
                        term: self._rows[k, first : first + len(family.names) + 2].tolist()
                        if self.spans[term]
                        else None
                        for k, term in enumerate(self.targets)
                    },
                }
                for first, family in self._families()
            ],
        }

    def __repr__(self) -> str:
        """What was counted, in short."""
        seen = len(self.targets) - len(self.unseen)
        return (
            f"<TextCounts: {seen:,} of {len(self.targets):,} targets in {self.all_spans:,} spans "
            f"of {self.documents:,} documents, {_of_sentences(self.search)}>"
        )

    @property
    def _rows(self) -> NDArray[np.int64]:
        return self.tally.table

    @cached_property
    def _places(self) -> dict[str, int]:
        return {term.casefold(): k for k, term in enumerate(self.targets)}

    def _families(self) -> Iterator[tuple[int, WordFamily]]:
        return zip(self.search.firsts, self.search.families, strict=False)

    @cached_property
    def columns(self) -> list[tuple[str, int]]:
        """Every group with its column of the tally; a group of several families has one."""
        found: dict[str, int] = {}
        for first, family in self._families():
            for at, name in enumerate(family.names, start=first):
                found.setdefault(name, at)
        return list(found.items())

    def rows(self) -> Iterator[Cells]:
        """Rows of the table: target, spans that mention it, and the count of each group."""
        columns = [at for _, at in self.columns]
        for term, row in zip(self.targets, self._rows.tolist(), strict=True):
            spans = self.spans[term]
            yield [term, spans or None, *(row[at] if spans else None for at in columns)]

    def _tidy(self) -> Iterator[Cells]:
        for first, family in self._families():
            for term, row in zip(self.targets, self._rows.tolist(), strict=True):
                spans = self.spans[term]
                for at, name in enumerate((*family.names, "(none)", "(several)"), start=first):
                    known = [row[at], row[at] / spans] if spans else [None, None]
                    yield [term, family.label, name, *known]


def _of_sentences(search: Search) -> str:
    """The spans in words."""
    kind = "sliding " if search.sliding else ""
    return f"{kind}spans of {search.span} sentence{'s' * (search.span != 1)}"


def _parquet(path: Path, head: list[str], rows: list[Cells], about: str) -> bytes:
    """Bytes of a Parquet file with the provenance in its metadata."""
    pa, parquet = pyarrow_of(path)
    columns = list(zip(*rows, strict=True)) or [()] * len(head)
    arrays = [
        pa.array(column, pa.string() if name == TERM else pa.int64())
        for name, column in zip(head, columns, strict=True)
    ]
    table = pa.table(arrays, names=head).replace_schema_metadata({KEY: about.encode()})
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()
