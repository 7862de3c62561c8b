"""Contexts of stimuli: where each stands in real texts, and what they were taken from."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from eatlas.corpora.cutting import (
    cut_contexts,
    cut_pairs,
    nearer,
    require_distance,
    require_window,
)
from eatlas.corpora.rows import Context, Count, PairContext, PairCount, Window
from eatlas.corpora.writing import write
from eatlas.errors import EatlasError
from eatlas.stimuli import ContextsOrigin

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "eatlas/contexts/1"
WHOLE = "sample_of_sha256"
"""Key of the provenance: hash of all contexts, where these are the first of them, or cut."""
CUT = "cut_from"
"""Key of the provenance of contexts that were cut: the window before, and whether they are the
first of all."""
Row = TypeVar("Row", Context, PairContext)
Counted = TypeVar("Counted", Count, PairCount)


@dataclass(frozen=True)
class Sample(ABC, Generic[Row, Counted]):
    """What contexts of stimuli and of pairs have in common."""

    rows: Sequence[Row]
    """Contexts, stimulus by stimulus; those of one in random order, so that the first n are a
    random sample of n."""
    counts: tuple[Counted, ...]
    """All that was looked for."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Files with size and hash, seed, options, version, and what could not be read."""
    name: str = ""
    """The file that they were loaded from."""
    ROW: ClassVar[type[tuple[Any, ...]]]
    COUNT: ClassVar[type[tuple[Any, ...]]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Names of what every context has."""
        return tuple(cls.ROW._fields)  # type: ignore[attr-defined]

    @property
    def few(self) -> tuple[Counted, ...]:
        """Those with fewer contexts than were asked for."""
        asked = self.provenance.get("per_term", 1)
        return tuple(count for count in self.counts if count.kept < asked)

    @cached_property
    def sha256(self) -> str:
        """Hash of all contexts, whatever their order."""
        text = json.dumps(sorted(self.rows), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def _of_first(self, groups: Iterable[Sequence[Row]], per_term: int) -> Self:
        per_term = min(per_term, self.provenance.get("per_term", per_term))
        rows = [row for some in groups for row in some[:per_term]]
        counts = tuple(one._replace(kept=min(one.kept, per_term)) for one in self.counts)
        # the first of what is cut are not what is left of the first: they are a sample of their own
        cut = CUT in self.provenance
        whole = self.sha256 if cut else self.provenance.get(WHOLE, self.sha256)
        said = {**self.provenance, "per_term": per_term, WHOLE: whole}
        said.pop(CUT, None)
        return replace(self, rows=rows, counts=counts, provenance=said)

    @property
    def window(self) -> Window | None:
        """Words on either side, or "sentence"; None where a file does not say it."""
        return self.provenance.get("window")

    @property
    def distance(self) -> int | None:
        """Most words between the two stimuli of a pair; None where that is not known."""
        return self.provenance.get("distance")

    @property
    def origin(self) -> ContextsOrigin:
        """Where they were taken from, for provenance: file and hash, and how many if not all."""
        said = self.provenance
        first = said.get(CUT, {"first": WHOLE in said})["first"]
        return ContextsOrigin(
            name=self.name,
            sha256=said.get(WHOLE, self.sha256),
            per_term=said["per_term"] if first else None,
            window=self.window,
            distance=self.distance,
        )

    def _cut(self, rows: Sequence[Row], **sizes: int) -> Self:
        """Make a record of some of these contexts, or of shorter ones, that says so."""
        kept = Counter(row[: len(self.COUNT._fields) - 2] for row in rows)  # type: ignore[attr-defined]
        counts = tuple(one._replace(kept=kept[one[:-2]]) for one in self.counts)
        before = {"window": self.window, "first": WHOLE in self.provenance}
        whole = self.provenance.get(WHOLE, self.sha256)
        said = {CUT: before, **self.provenance, **sizes, WHOLE: whole}
        return replace(self, rows=rows, counts=counts, provenance=said)

    def _cut_to(self, window: Window, cut: Callable[[Sequence[Row], int], list[Row]]) -> Self:
        """Leave so many words around, if there are more."""
        require_window(window, self.window, self._called)
        if window == self.window or not isinstance(window, Integral):
            return self
        return self._cut(cut(self.rows, int(window)), window=int(window))

    @property
    def _called(self) -> str:
        return self.name or "the contexts"

    @abstractmethod
    def first(self, per_term: int) -> Self:
        """Return the first contexts of each, which are a random sample of that size."""

    @abstractmethod
    def cut_as(self, origin: ContextsOrigin) -> Self:
        """Return what a result was made of, cut as its were."""

    def taken(self, origin: ContextsOrigin) -> Self | None:
        """Take of these what a result was made of, by the name it has there; None of others."""
        own = self.origin
        if CUT in self.provenance and origin.per_term and origin.sha256 == self.sha256:
            return replace(self, name=origin.name).first(origin.per_term).cut_as(origin)
        fewer = own.per_term is not None and own.per_term < (origin.per_term or own.per_term + 1)
        if own.sha256 != origin.sha256 or fewer:
            return None
        named = replace(self, name=origin.name)
        if origin.per_term not in {None, own.per_term}:
            if CUT in self.provenance:
                return None
            named = named.first(origin.per_term or 1)
        try:
            return named.cut_as(origin)
        except EatlasError:  # what it was made of had more words
            return None

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each context."""
        import pandas as pd  # noqa: PLC0415  (lazy: half a second)

        return pd.DataFrame(list(self.rows), columns=list(self.columns()))

    def counts_frame(self) -> pd.DataFrame:
        """Return a row for each stimulus, or pair, that was looked for."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(list(self.counts), columns=list(self.COUNT._fields))  # type: ignore[attr-defined]

    def write(self, path: str | Path) -> None:
        """Write a file, .parquet, .jsonl or .csv; it appears only when it is whole.

        Parquet carries counts and provenance within; for the others they stand in ``FILE.json``.

        Raises
        ------
        EatlasError
            If the name has another ending, or the file cannot be written.
        """
        about = {
            **self.provenance,
            "schema": SCHEMA,
            "contexts_sha256": self.sha256,
            "counts": [list(count) for count in self.counts],
        }
        write(Path(path), self.rows, self.columns(), about)


@dataclass(frozen=True, repr=False)
class Contexts(Sample[Context, Count]):
    """Contexts of stimuli, sampled from a corpus; what :func:`eatlas.find_contexts` returns.

    Examples
    --------
    >>> contexts = Contexts.of([Context("ivy", "The ivy grows.", 4, 7)])
    >>> len(contexts), contexts.of_stimulus("ivy")[0].text
    (1, 'The ivy grows.')
    """

    ROW: ClassVar[type[tuple[Any, ...]]] = Context
    COUNT: ClassVar[type[tuple[Any, ...]]] = Count

    @classmethod
    def of(cls, rows: Sequence[Context], **more: Any) -> Contexts:
        """Make a record of contexts alone."""
        kept = Counter(row.stimulus for row in rows)
        return cls(rows, tuple(Count(one, n, n) for one, n in kept.items()), **more)

    def __repr__(self) -> str:
        return f"<Contexts: {len(self):,} of {len(self.counts)} stimuli>"

    def of_stimulus(self, stimulus: str) -> list[Context]:
        """Return the contexts of one stimulus."""
        return list(self.by_stimulus.get(stimulus, ()))

    @cached_property
    def by_stimulus(self) -> dict[str, list[Context]]:
        """The contexts of each stimulus that has some."""
        groups: dict[str, list[Context]] = {}
        for row in self.rows:
            groups.setdefault(row.stimulus, []).append(row)
        return groups

    def first(self, per_term: int) -> Contexts:
        """Return the first contexts of each stimulus, which are a random sample of that size."""
        return self._of_first(self.by_stimulus.values(), per_term)

    def cut(self, window: Window) -> Contexts:
        """Leave so many words on either side of each stimulus.

        What is left is what :func:`eatlas.find_contexts` takes of the same place with that window;
        of sentences, only words of the sentence. Texts that no longer differ are one context.

        Parameters
        ----------
        window : int or "sentence"
            At most what there is.

        Raises
        ------
        EatlasError
            If these contexts hold fewer words.

        Examples
        --------
        >>> contexts = Contexts.of([Context("ivy", "Here the ivy grows well.", 9, 12)])
        >>> contexts.cut(1).rows
        [Context(stimulus='ivy', text='the ivy grows', start=4, end=7)]
        """
        return self._cut_to(window, cut_contexts)

    def cut_as(self, origin: ContextsOrigin) -> Contexts:
        """Return these contexts with the window of others."""
        return self if origin.window is None else self.cut(origin.window)


@dataclass(frozen=True, repr=False)
class Pairs(Sample[PairContext, PairCount]):
    """Targets and attributes in one text; what :func:`eatlas.find_pairs` returns.

    Examples
    --------
    >>> pairs = Pairs.of([PairContext("ivy", "love", "I love ivy.", 7, 10, 2, 6)])
    >>> pairs.of_pair("ivy", "love")[0].text
    'I love ivy.'
    """

    ROW: ClassVar[type[tuple[Any, ...]]] = PairContext
    COUNT: ClassVar[type[tuple[Any, ...]]] = PairCount

    @classmethod
    def of(cls, rows: Sequence[PairContext], **more: Any) -> Pairs:
        """Make a record of contexts alone."""
        kept = Counter(row[:2] for row in rows)
        return cls(rows, tuple(PairCount(*one, n, n) for one, n in kept.items()), **more)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self):,} contexts of {len(self.counts)} pairs>"

    def of_pair(self, target: str, attribute: str) -> list[PairContext]:
        """Return the contexts of one target with one attribute."""
        return list(self.by_pair.get((target, attribute), ()))

    @cached_property
    def by_pair(self) -> dict[tuple[str, str], list[PairContext]]:
        """The contexts of each pair that has some."""
        groups: dict[tuple[str, str], list[PairContext]] = {}
        for row in self.rows:
            groups.setdefault(row[:2], []).append(row)
        return groups

    def first(self, per_term: int) -> Pairs:
        """Return the first contexts of each pair, which are a random sample of that size."""
        return self._of_first(self.by_pair.values(), per_term)

    def cut(self, window: Window | None = None, distance: int | None = None) -> Pairs:
        """Leave so many words before the first and behind the second, and pairs so near.

        Parameters
        ----------
        window : int or "sentence", optional
            As in :meth:`Contexts.cut`.
        distance : int, optional
            Keep the contexts with at most so many words between the two.

        Raises
        ------
        EatlasError
            If these contexts hold fewer words, or were looked for less far from each other.

        Examples
        --------
        >>> pairs = Pairs.of([PairContext("ivy", "love", "My love to see ivy!", 15, 18, 3, 7)])
        >>> pairs.cut(0).rows[0].text, len(pairs.cut(distance=1))
        ('love to see ivy!', 0)
        """
        if distance is not None and distance != self.distance:
            require_distance(distance, self.distance, self._called)
            near = self._cut(nearer(self.rows, int(distance)), distance=int(distance))
            return near.cut(window)
        return self if window is None else self._cut_to(window, cut_pairs)

    def cut_as(self, origin: ContextsOrigin) -> Pairs:
        """Return these pairs with the window and the distance of others."""
        return self.cut(origin.window, origin.distance)
