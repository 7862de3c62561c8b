"""Contexts of stimuli: where each stands in real texts, and what they were taken from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "eatlas/contexts/1"
WHOLE = "sample_of_sha256"
"""Key of the provenance: hash of all contexts, where these are the first of them."""


class Context(NamedTuple):
    """A stimulus in a text."""

    stimulus: str
    text: str
    start: int
    """Where the stimulus begins: characters of the text."""
    end: int
    """Behind its last character."""


class Count(NamedTuple):
    """How often a stimulus was found, and how many contexts of it are kept."""

    stimulus: str
    found: int
    """Places in the corpus, the same text counted as often as it stands there."""
    kept: int
    """Different contexts; fewer than were asked for only where there are no more."""


@dataclass(frozen=True)
class Contexts:
    """Contexts of stimuli, sampled from a corpus; what :func:`eatlas.find_contexts` returns.

    Examples
    --------
    >>> contexts = Contexts.of([Context("ivy", "The ivy grows.", 4, 7)])
    >>> len(contexts), contexts.of_stimulus("ivy")[0].text
    (1, 'The ivy grows.')
    """

    rows: Sequence[Context]
    """Contexts, stimulus by stimulus; those of a stimulus in random order, so that the first n are
    a random sample of n."""
    counts: tuple[Count, ...]
    """Every stimulus that was looked for."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Files with size and hash, seed, options, version, and what could not be read."""
    name: str = ""
    """The file that they were loaded from."""

    @classmethod
    def of(cls, rows: Sequence[Context], **more: Any) -> Contexts:
        """Make a record of contexts alone."""
        kept: dict[str, int] = {}
        for row in rows:
            kept[row.stimulus] = kept.get(row.stimulus, 0) + 1
        counts = tuple(Count(stimulus, n, n) for stimulus, n in kept.items())
        return cls(rows, counts, **more)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Context]:
        return iter(self.rows)

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
        rows = [row for some in self.by_stimulus.values() for row in some[:per_term]]
        counts = tuple(one._replace(kept=min(one.kept, per_term)) for one in self.counts)
        whole = self.provenance.get(WHOLE, self.sha256)
        said = {**self.provenance, "per_term": per_term, WHOLE: whole}
        return replace(self, rows=rows, counts=counts, provenance=said)

    @property
    def few(self) -> tuple[Count, ...]:
        """Stimuli with fewer contexts than were asked for."""
        asked = self.provenance.get("per_term", 1)
        return tuple(count for count in self.counts if count.kept < asked)

    @cached_property
    def sha256(self) -> str:
        """Hash of all contexts, whatever their order."""
        lines = sorted(json.dumps(row, ensure_ascii=False) for row in self.rows)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each context: stimulus, text, start, end."""
        import pandas as pd  # noqa: PLC0415  (lazy: half a second)

        return pd.DataFrame(list(self.rows), columns=list(Context._fields))

    def counts_frame(self) -> pd.DataFrame:
        """Return a row for each stimulus: stimulus, found, kept."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(list(self.counts), columns=list(Count._fields))

    def write(self, path: str | Path) -> None:
        """Write a file, .parquet, .jsonl or .csv; it appears only when it is whole.

        Parquet carries counts and provenance within; for the others they stand in ``FILE.json``.

        Raises
        ------
        EatlasError
            If the name has another ending, or the file cannot be written.
        """
        from eatlas.sources.corpora.storing import write  # noqa: PLC0415  (it needs this record)

        write(self, Path(path))
