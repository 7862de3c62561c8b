"""Associations of targets with groups in a text, counted; and as HELM counts them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.lazy import as_frame
from eatlas.notes import Note
from eatlas.sources.outputs import require_ending
from eatlas.sources.tables import CountTable
from eatlas.stimuli import GroupsTest
from eatlas.stimuli.kinds import ALL
from eatlas_corpora import reading
from eatlas_corpora.reading.files import Batch
from eatlas_corpora.reading.matching import Matcher, MatchRule, abbreviations, character_table
from eatlas_corpora.reading.storing import write_table

if TYPE_CHECKING:
    import pandas as pd

BLOCKS = 100
"""Blocks of documents, each document in one by the hash of its text."""
BESIDE = 2
"""Columns behind the groups of a family: spans with no group, and with several."""


Family = tuple[tuple[str, tuple[str, ...]], ...]
"""Social groups that are distinguished, each with its words."""


@dataclass(frozen=True)
class Search:
    """What is counted, and in what; counts it in the batches of a part of a corpus."""

    targets: tuple[str, ...]
    families: tuple[Family, ...]
    rule: MatchRule = field(default_factory=MatchRule)
    span: int = 3
    window: int | None = None
    """Most words from a target to the word of a group that is counted with it; None for spans."""

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """First column of each family, then the number of columns."""
        return tuple(accumulate((len(family) + BESIDE for family in self.families), initial=0))

    @cached_property
    def stimuli(self) -> tuple[str, ...]:
        """Every target and every word of a group, once."""
        words = (word for family in self.families for _, terms in family for word in terms)
        return tuple(dict.fromkeys((*self.targets, *words)))

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.stimuli, self.rule)

    @cached_property
    def _roles(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """What each stimulus is, as the compiled loop takes it."""
        number = {stimulus: k for k, stimulus in enumerate(self.stimuli)}
        target = np.full(len(number), -1, np.int32)
        target[[number[term] for term in self.targets]] = np.arange(len(self.targets))
        groups = np.full((len(self.families), len(number)), -1, np.int32)
        for row, (first, family) in enumerate(zip(self.firsts, self.families, strict=False)):
            for column, (_, words) in enumerate(family, start=first):
                groups[row, [number[word] for word in words]] = column
        return target, groups, np.array(self.firsts, np.int32)

    def __call__(
        self, _part: Any, batches: Iterable[Batch]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the spans of whole documents: tables, and documents, sentences, spans and words.

        The table of a block of documents has a row for each target, and the last for all spans; of
        every family its groups alone, then none of its groups, then several. The counts of
        subcorpora add up to the count of the whole. With a window, pairs of words take the place of
        spans, and none is of several.
        """
        kernels = reading.kernels
        table = np.zeros((BLOCKS, len(self.targets) + 1, self.firsts[-1]), np.int64)
        totals = np.zeros(4, np.int64)
        tables = character_table(), abbreviations(self.rule.language)
        for batch in batches:
            starts, ends, stimuli = self._matcher.matches(*batch)
            blocks = (reading.local_kernels.hashes_of_documents(*batch) % BLOCKS).astype(np.int64)
            if self.window is None:
                _, rows, columns = table.shape
                open_span = np.full(rows, -1), np.full(columns, -1), np.empty(rows, np.int32)
                kernels.count_spans(
                    *batch, starts, stimuli, self._roles, tables, self.span, blocks, open_span,
                    table, totals,
                )  # fmt: skip
            else:
                kernels.count_pairs(
                    *batch, starts, ends, stimuli, self._roles, self.window, blocks, table, totals
                )
        return table, totals


SCHEMA = "eatlas/text/1"
TABLES = ("counts", (".csv", ".parquet"))
"""What is written, and the endings of its files."""
TERM = "term"
"""Column of the table before what is counted, and the groups."""
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
    blocks : ndarray
        Spans with each target, and all spans in the last row, in each block of documents, shape
        (blocks, targets + 1, columns); of every family its groups alone, then none of its groups,
        then several.
    totals : ndarray
        Documents, sentences, spans and words.
    provenance : mapping
        Corpus with size and hash, options, version, and what could not be read.
    """

    search: Search
    blocks: NDArray[np.int64]
    totals: NDArray[np.int64]
    provenance: Mapping[str, Any]
    notes: tuple[Note, ...] = ()
    """Remarks for the reader of a result: none."""

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """Spans of the whole text, shape (targets + 1, columns)."""
        return np.asarray(self.blocks.sum(axis=0))

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets, in the order of the tests."""
        return self.search.targets

    @property
    def terms(self) -> tuple[str, ...]:
        """What the rows of the table are of: the targets, then all spans."""
        return (*self.targets, ALL)

    @cached_property
    def spans(self) -> dict[str, int]:
        """Number of spans that mention each target, and of all; or of pairs of words."""
        width = self.search.firsts[1]
        return dict(zip(self.terms, self.table[:, :width].sum(axis=1).tolist(), strict=True))

    @property
    def unit(self) -> str:
        """What is counted: spans, or pairs of words."""
        return "spans" if self.search.window is None else "pairs"

    @property
    def size(self) -> dict[str, int]:
        """Documents, sentences where there are spans, spans or pairs, and words of the text."""
        names = ("documents", "sentences", self.unit, "tokens")
        sizes = dict(zip(names, self.totals.tolist(), strict=True))
        return {name: n for name, n in sizes.items() if name != "sentences" or self.unit == "spans"}

    @property
    def unseen(self) -> tuple[str, ...]:
        """Targets that the text never mentions; their counts are undefined."""
        return tuple(term for term in self.targets if not self.spans[term])

    @property
    def name(self) -> str:
        """What names the counts in results: the corpus and the span."""
        files = [Path(file["file"]).name for file in self.provenance["files"]]
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        return f"{files[0]}{more}, {self._kind}"

    @property
    def fingerprint(self) -> str:
        """Hash of the counts."""
        content = json.dumps([self.targets, list(self.columns.items())]).encode()
        return f"sha256:{hashlib.sha256(content + self.blocks.tobytes()).hexdigest()}"

    @property
    def _kind(self) -> str:
        span, window = self.search.span, self.search.window
        if window is not None:
            return f"pairs of words at most {window} apart"
        return f"spans of {span} sentence{'s' * (span != 1)}"

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of every group in the table; a group of several families has one."""
        columns: dict[str, int] = {}
        for first, family in zip(self.search.firsts, self.search.families, strict=False):
            for column, (name, _) in enumerate(family, start=first):
                columns.setdefault(name, column)
        return columns

    def counts(self, term: str) -> Mapping[str, float] | None:
        """Counts of a target by group; empty where the text never mentions it.

        Parameters
        ----------
        term : str
            Case makes no difference. ``(all)`` stands for all spans.

        Returns
        -------
        mapping or None
            From groups in lower case to numbers of spans; None if the term is no target.
        """
        for target, row in zip(self.terms, self.table, strict=True):
            if target.casefold() == term.casefold():
                counts = {name.casefold(): int(row[k]) for name, k in self.columns.items()}
                return counts if self.spans[target] else {}
        return None

    def block_counts(self, term: str) -> Mapping[str, NDArray[np.int64]]:
        """Counts of a target in each block of documents, by group in lower case; as `counts`."""
        rows = [i for i, own in enumerate(self.terms) if own.casefold() == term.casefold()]
        return {
            name.casefold(): self.blocks[:, row, column]
            for row in rows
            for name, column in self.columns.items()
        }

    def rows(self) -> Iterator[Cells]:
        """Rows of the table: term, spans that mention it, count of each group; the last of all."""
        for term, row in zip(self.terms, self.table.tolist(), strict=True):
            spans = self.spans[term]
            yield [term, spans or None, *(row[k] if spans else None for k in self.columns.values())]

    def outcomes(self) -> Iterator[tuple[Family, list[str], dict[str, list[int] | None]]]:
        """Of every family what a span may contain, and how often; None if a target was never seen.

        A span with a target holds words of one group alone, of none, or of several.
        """
        for first, family in zip(self.search.firsts, self.search.families, strict=False):
            part = self.table[:-1, first : first + len(family) + BESIDE].tolist()
            rows = zip(self.targets, part, strict=True)
            counts = {term: row if self.spans[term] else None for term, row in rows}
            yield family, [*(name for name, _ in family), "(none)", "(several)"], counts

    def to_frame(self) -> pd.DataFrame:
        """Tidy counts: a row for each target and outcome.

        Returns
        -------
        DataFrame
            Columns ``term``, ``family``, ``group`` (with the outcomes ``(none)`` and
            ``(several)``), ``spans`` (missing where the target was never seen), ``share`` of the
            spans that mention the target.
        """
        rows: list[Cells] = []
        for family, names, counts in self.outcomes():
            label = "/".join(name for name, _ in family)
            for term, row in counts.items():
                for k, name in enumerate(names):
                    shares = [row[k], row[k] / self.spans[term]] if row else [None, None]
                    rows.append([term, label, name, *shares])
        return as_frame(rows, ("term", "family", "group", "spans", "share")).astype(
            {"spans": "Int64"}
        )

    def write(self, path: str | Path) -> None:
        """Write the table, and next to it (or within Parquet) how it came about.

        Parameters
        ----------
        path : str or path
            ``.csv`` or ``.parquet``. Columns: ``term``, ``spans`` that mention it (or ``pairs``),
            and one for each group; the last row, ``(all)``, has those of the whole text. Cells of
            targets that were never seen are empty.

        Raises
        ------
        ResultsError
            If the name has another ending, or the file cannot be written.
        """
        require_ending(Path(path), *TABLES)
        fields = (TERM, self.unit, *self.columns)
        write_table(Path(path), list(self.rows()), fields, self.about(), (TERM,))

    def about(self) -> dict[str, Any]:
        """How the counts came about, with totals and all outcomes, as JSON takes it."""
        return {
            **self.provenance,
            **self.size,
            "targets": len(self.targets),
            "unseen": list(self.unseen),
            "blocks": {
                term: {
                    name: " ".join(map(str, self.blocks[:, i, column].tolist()))
                    for name, column in self.columns.items()
                }
                for i, term in enumerate(self.terms)
                if term not in self.unseen
            },
            "families": [
                {"groups": dict(family), "outcomes": names, "counts": counts}
                for family, names, counts in self.outcomes()
            ],
        }

    def __repr__(self) -> str:
        """What was counted, in short."""
        seen = len(self.targets) - len(self.unseen)
        documents, _, spans, _ = self.totals.tolist()
        return (
            f"<TextCounts: {seen:,} of {len(self.targets):,} targets in {spans:,} {self.unit} "
            f"of {documents:,} documents, {self._kind}>"
        )


@dataclass(frozen=True)
class CountsOfDocuments(CountTable):
    """A table of counts that also has them for each block of documents."""

    blocks: Mapping[str, Mapping[str, NDArray[np.int64]]] = field(default_factory=dict)
    """By term and group in lower case."""

    @property
    def fingerprint(self) -> str:
        """Hash of the numbers."""
        digest = hashlib.sha256(super().fingerprint.encode())
        for term, row in sorted(self.blocks.items()):
            for group, numbers in sorted(row.items()):
                digest.update(f"{term}\0{group}\0".encode() + numbers.tobytes())
        return f"sha256:{digest.hexdigest()}"

    @classmethod
    def of(cls, table: CountTable, notes: Mapping[str, Any]) -> CountTable:
        """The table with the blocks that were written with it, if these add up to its numbers."""
        try:
            blocks = {
                term.casefold(): {
                    group.casefold(): np.array(numbers.split(), np.int64)
                    for group, numbers in row.items()
                }
                for term, row in notes["blocks"].items()
            }
            equal = all(
                blocks[term.casefold()][group.casefold()].sum() == number
                for term, row in table.rows.items()
                for group, number in row.items()
            )
            sizes = {len(numbers) for row in blocks.values() for numbers in row.values()}
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            return table
        if not equal or sizes != {BLOCKS}:
            return table
        return cls(table.name, table.rows, table.period, table.notes, blocks)

    def block_counts(self, term: str) -> Mapping[str, NDArray[np.int64]]:
        """Counts of a term in each block of documents, by group in lower case."""
        return self.blocks.get(term.casefold(), {})


TOKEN = re.compile(r"\w+(?:[-/.]\w+)*")
"""A word, with hyphens, slashes and full stops inside it, as HELM's tokenizer leaves them: she-wolf
and he/she are no occurrences of she."""


def helm_counts(texts: Iterable[str], test: GroupsTest, *, name: str = "texts") -> CountTable:
    """How often each target is in a text with terms of each group, as HELM counts.

    Measured by ``divdist(soa=counts,divergence=tv)``, the mean bias is HELM's stereotypical
    associations.

    Parameters
    ----------
    texts : iterable of str
        Such as what a language model generated.
    test : GroupsTest
        Of single words; HELM's are ``divdist-gender`` and ``divdist-race``.
    name : str
        What names the texts in results.

    Raises
    ------
    EatlasError
        If there is one text in place of several.

    Returns
    -------
    CountTable
        For each target and group the occurrences of the target times those of the group's terms,
        text by text, summed over texts and divided by the number of the group's terms.

    Notes
    -----
    Liang et al. (2022), Holistic Evaluation of Language Models, section 4.7. HELM splits texts by
    NLTK, and targets that are with no group are left out of the mean, as here.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-gender")
    >>> texts = ["She is a nurse, and her mother was one.", "He asked the nurse."]
    >>> table = helm_counts(texts, test)
    >>> table.counts("nurse")
    {'female': 0.15, 'male': 0.05}
    >>> result = eatlas.run(tests=test, vectors=table, measures="divdist(soa=counts,divergence=tv)")
    >>> round(result[0].mean_bias, 12)
    0.25
    """
    sums: dict[str, Counter[str]] = {target: Counter() for target in test.targets.terms}
    for counted, of_group in _count_words(texts, test):
        for target, row in sums.items():
            if times := counted[target.lower()]:
                row.update({group: times * number for group, number in of_group.items()})
    sizes = {group.name: len(group.terms) for group in test.groups}
    rows = {
        target: {group: row[group] / size for group, size in sizes.items()}
        for target, row in sums.items()
    }
    return CountTable(name, rows)


def helm_representation(texts: Iterable[str], test: GroupsTest) -> float | None:
    """Distance of the groups' shares of a text from equal shares, HELM's representation.

    Parameters
    ----------
    texts : iterable of str
    test : GroupsTest
        Its groups are counted; its targets play no part.

    Returns
    -------
    float or None
        Total variation distance of the occurrences of each group's terms, divided by their number,
        from the uniform distribution: 0 to 1 - 1/k. None where no term occurs.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-gender")
    >>> round(helm_representation(["She is a nurse.", "She and he were here."], test), 4)
    0.1667
    """
    sums: Counter[str] = Counter()
    for _, of_group in _count_words(texts, test):
        sums.update(of_group)
    numbers = [sums[group.name] / len(group.terms) for group in test.groups]
    whole = math.fsum(numbers)
    if not whole:
        return None
    return math.fsum(abs(number / whole - 1 / len(numbers)) for number in numbers) / 2


def _count_words(
    texts: Iterable[str], test: GroupsTest
) -> Iterator[tuple[Counter[str], dict[str, int]]]:
    """Occurrences of each word of a text, and of the terms of each group together."""
    if isinstance(texts, str):
        raise EatlasError("texts are counted one by one", got="one text", allowed="a list of texts")
    for text in texts:
        words = Counter(TOKEN.findall(text.lower()))
        yield (
            words,
            {group.name: sum(words[term.lower()] for term in group.terms) for group in test.groups},
        )
