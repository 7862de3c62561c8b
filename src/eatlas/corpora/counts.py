"""Associations of targets with groups in a text, counted; and as HELM counts them."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import abbreviations, character_table, one_form
from eatlas.corpora.matching import Matcher, Matches, Rule
from eatlas.corpora.reading import Batch
from eatlas.corpora.writing import beside, parquet_bytes, require_ending
from eatlas.csv_cells import marked
from eatlas.errors import EatlasError
from eatlas.lazy import as_frame
from eatlas.notes import Note
from eatlas.sources.counts import CountTable
from eatlas.stimuli import GroupsTest
from eatlas.writing import atomic_file, atomic_files

if TYPE_CHECKING:
    import pandas as pd

BESIDE = 2
"""Columns behind the groups of a family: spans with no group, and with several."""


@dataclass(frozen=True)
class WordFamily:
    """Social groups that are distinguished, each with its words."""

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    @property
    def label(self) -> str:
        """The names with slashes between."""
        return "/".join(self.names)


@dataclass(frozen=True)
class Search:
    """What is counted, and in what."""

    targets: tuple[str, ...]
    families: tuple[WordFamily, ...]
    rule: Rule = field(default_factory=Rule)
    span: int = 3
    sliding: bool = False

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """First column of each family, then the number of columns."""
        return tuple(
            accumulate((len(family.names) + BESIDE for family in self.families), initial=0)
        )

    @cached_property
    def stimuli(self) -> tuple[str, ...]:
        """Every target and every word of a group, once."""
        words = (word for family in self.families for terms in family.words for word in terms)
        return tuple(dict.fromkeys((*self.targets, *words)))

    def __getstate__(self) -> dict[str, Any]:
        """What other processes need; they make the rest anew."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass
class Tally:
    """What was counted; tallies of parts of a corpus add up to that of the whole."""

    table: NDArray[np.int64]
    """Spans with each target, shape (targets, columns); of every family its groups alone, then
    none of its groups, then several."""
    totals: NDArray[np.int64]
    """Documents, sentences, spans and words."""

    @classmethod
    def empty(cls, search: Search) -> Tally:
        """Nothing was counted yet."""
        shape = len(search.targets), search.firsts[-1]
        return cls(np.zeros(shape, np.int64), np.zeros(4, np.int64))

    def add(self, other: Tally) -> None:
        """Add what was counted elsewhere."""
        self.table += other.table
        self.totals += other.totals


class SpanCounter:
    """Takes in documents and counts associations in their spans."""

    def __init__(self, search: Search) -> None:
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        self._kernels = kernels
        self.search = search
        self.tally = Tally.empty(search)
        self._matcher = Matcher(search.stimuli, search.rule)
        self._roles = _roles(search)
        self._tables = kernels.Sentences(character_table(), abbreviations())

    def anew(self) -> Self:
        """Begin again with nothing counted; what finds the stimuli is kept."""
        self.tally = Tally.empty(self.search)
        return self

    def take(self, batch: Batch) -> None:
        """Count the spans of some whole documents."""
        matches = _all_matches(self._matcher, batch)
        self._kernels.count_spans(
            batch.data,
            batch.separator,
            matches.starts,
            matches.stimuli,
            self._roles,
            self._tables,
            self.search.span,
            self.search.sliding,
            self.tally.table,
            self.tally.totals,
        )


def _all_matches(matcher: Matcher, batch: Batch) -> Matches:
    """Matches of a batch, one behind the other."""
    nothing = np.zeros(0, np.int64)
    parts = matcher.matches(batch.data, batch.separator)
    return Matches.joined([Matches(nothing, nothing, nothing), *parts])


def _roles(search: Search) -> Any:
    """Rows and columns of the table by the numbers of the stimuli."""
    from eatlas.corpora.kernels import Roles  # noqa: PLC0415

    number = {stimulus: k for k, stimulus in enumerate(search.stimuli)}
    target = np.full(len(number), -1, np.int32)
    target[[number[term] for term in search.targets]] = np.arange(len(search.targets))
    group = np.full((len(search.families), len(number)), -1, np.int32)
    for row, (first, family) in enumerate(zip(search.firsts, search.families, strict=False)):
        for column, words in enumerate(family.words, start=first):
            group[row, [number[word] for word in words]] = column
    return Roles(target, group, np.array(search.firsts, np.int32))


def interplay(tests: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str, str, str]]:
    """Find stimuli of two tests of which one hides the other where both are looked for together.

    A stimulus of several words hides those within it; of stimuli that differ by case alone, one has
    what could be both.
    """
    for name, stimuli in tests:
        for other_name, others in tests:
            if other_name == name:
                continue
            mine = set(stimuli)
            alone = {word: term for term in others if term not in mine for word in _words(term)}
            for stimulus in stimuli:
                if stimulus in others:
                    continue
                words = _words(stimulus)
                hidden = next((alone[word] for word in words if word in alone), None)
                if hidden is not None and (len(words) > 1 or _folded(hidden) == _folded(stimulus)):
                    yield name, stimulus, other_name, hidden


def _words(stimulus: str) -> list[str]:
    """Words of a stimulus without case, parted at what is no letter or digit."""
    return "".join(c if c.isalnum() else " " for c in _folded(stimulus)).split()


def _folded(stimulus: str) -> str:
    return one_form(stimulus).casefold()


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
        files = [Path(file["file"]).name for file in self.provenance["files"]]
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        return f"{files[0] if files else 'no file'}{more}, {_of_sentences(self.search)}"

    @property
    def fingerprint(self) -> str:
        """Hash of the counts."""
        content = json.dumps([self.targets, self.columns, self._rows.tolist()])
        return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks for the reader of a result."""
        lost = self.provenance["failed"]
        if not lost:
            return ()
        return (Note("source.parts-lost", values={"count": len(lost)}),)

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
        position = self._places.get(term.casefold())
        if position is None:
            return None
        if not self.spans[self.targets[position]]:
            return {}
        row = self._rows[position]
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
                file.write(parquet_bytes(rows, head, (TERM,), about, wide=True))
            return
        with atomic_files() as new:
            table = csv.writer(new(path), lineterminator="\n")
            table.writerow([marked(name) for name in head])
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
        columns: dict[str, int] = {}
        for first, family in self._families():
            for at, name in enumerate(family.names, start=first):
                columns.setdefault(name, at)
        return list(columns.items())

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
                    numbers = [row[at], row[at] / spans] if spans else [None, None]
                    yield [term, family.label, name, *numbers]


def _of_sentences(search: Search) -> str:
    """The spans in words."""
    kind = "sliding " if search.sliding else ""
    return f"{kind}spans of {search.span} sentence{'s' * (search.span != 1)}"


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
    for counted, of_group in _counted(texts, test):
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
    for _, of_group in _counted(texts, test):
        sums.update(of_group)
    numbers = [sums[group.name] / len(group.terms) for group in test.groups]
    whole = math.fsum(numbers)
    if not whole:
        return None
    return math.fsum(abs(number / whole - 1 / len(numbers)) for number in numbers) / 2


def _counted(
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
