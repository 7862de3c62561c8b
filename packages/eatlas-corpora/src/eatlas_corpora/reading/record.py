"""Contexts of stimuli and of pairs: what was sampled, cut to fewer words, loaded from files."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from eatlas.errors import EatlasError, SourceError, described, require_whole
from eatlas.lazy import as_frame
from eatlas.paths import find_original
from eatlas.sources.outputs import require_ending
from eatlas.sources.spec import load
from eatlas.stimuli import AssociationTest, ContextsOrigin
from eatlas_corpora import reading
from eatlas_corpora.reading.storing import FILES, LABEL, read_table, write_table

if TYPE_CHECKING:
    import pandas as pd

SENTENCE = "sentence"

Window = int | Literal["sentence"]
"""Words on either side, or the whole sentence."""

Repeats = Literal["drop", "keep"]

KEEP = "keep"

_WITH_CONTEXTS = "eatlas_corpora.reading.attaching:with_contexts"


class Context(NamedTuple):
    """A stimulus in a text."""

    stimulus: str
    text: str
    start: int
    """Where the stimulus begins: characters of the text."""
    end: int
    """Behind its last character."""


class Count(NamedTuple):
    """How often a stimulus was found, and how many contexts of it are retained."""

    stimulus: str
    found: int
    """Places in the corpus, the same text counted as often as it occurs."""
    kept: int
    """Contexts, of equal texts one unless repeats are retained; fewer than requested only where
    there are no more."""


class PairContext(NamedTuple):
    """A target and an attribute in one text; places are characters of the text."""

    target: str
    attribute: str
    text: str
    target_start: int
    target_end: int
    attribute_start: int
    attribute_end: int


class PairCount(NamedTuple):
    """How often a target and an attribute occur together, and how many contexts remain."""

    target: str
    attribute: str
    found: int
    kept: int


MOST = 4096
"""Bytes on either side of a stimulus that are looked at for words; what has longer words than that
is no prose."""


def extract_context(
    data: NDArray[np.uint8], bounds: tuple[int, int], spans: Iterable[tuple[int, int]]
) -> tuple[str | int, ...]:
    """Return a context as text, then where each span begins and ends in it, in characters."""
    begin, stop = bounds
    text = b" ".join(data[begin:stop].tobytes().split()).decode()
    places: list[int] = []
    for start, end in spans:
        before = data[begin:start].tobytes()
        space = " " if before[-1:].isspace() else ""
        first = len(b" ".join(before.split()).decode() + space)
        stimulus = b" ".join(data[start:end].tobytes().split()).decode()
        places += [first, first + len(stimulus)]
    return (text, *places)


SCHEMA = "eatlas/contexts/1"
SEPARATOR = 0xFF
"""Between two texts: a byte that UTF-8 never has."""


@dataclass(frozen=True, repr=False)
class Sample:
    """What contexts of stimuli and of pairs have in common.

    A context is a tuple: the stimulus, or the two of a pair; the text; and where each stimulus
    begins and ends in it.
    """

    rows: Sequence[Any]
    """Contexts by stimulus, in random order within a stimulus, so that the first n are a
    random sample of n."""
    counts: tuple[Any, ...]
    """All that was looked for."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Files with size and hash, seed, options, version, and what could not be read."""
    name: str = ""
    """The file that they were loaded from."""
    labels: Mapping[Any, str] = field(default_factory=dict)
    """What people saw in a context: a group, or "none"; of :func:`eatlas.read_labels`."""
    taken_from: ContextsOrigin | None = None
    """The whole that these are the first of, or cut from; None for a whole."""
    ROW: ClassVar[Any]
    COUNT: ClassVar[Any]
    NAMES: ClassVar[int]
    """Stimuli of a context: one, or two."""
    WHAT: ClassVar[str]
    """What these are, in messages."""

    @classmethod
    def of(cls, rows: Sequence[Any], **more: Any) -> Self:
        """Make a record of only contexts."""
        counts = Counter(row[: cls.NAMES] for row in rows)
        return cls(rows, tuple(cls.COUNT(*names, n, n) for names, n in counts.items()), **more)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    @cached_property
    def groups(self) -> dict[tuple[Any, ...], list[Any]]:
        """The contexts of each stimulus, or pair, that has some."""
        groups: dict[tuple[Any, ...], list[Any]] = {}
        for row in self.rows:
            groups.setdefault(row[: self.NAMES], []).append(row)
        return groups

    @property
    def few(self) -> tuple[Any, ...]:
        """Those with fewer contexts than were requested."""
        per_term = self.provenance.get("per_term", 1)
        return tuple(count for count in self.counts if count.kept < per_term)

    @cached_property
    def sha256(self) -> str:
        """Hash of all contexts and their labels, whatever their order."""
        rows: list[Any] = sorted(self.rows)
        if self.labels:
            rows = [(*row, self.labels.get(row)) for row in rows]
        text = json.dumps(rows, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def window(self) -> Window | None:
        """Words on either side, or "sentence"; None where a file does not say it."""
        return self.provenance.get("window")

    @property
    def with_repeats(self) -> bool:
        """Whether equal texts are contexts of their own, or one."""
        return bool(self.provenance.get("repeats") == KEEP)

    @property
    def distance(self) -> int | None:
        """Most words between the two stimuli of a pair; None where that is not known."""
        return self.provenance.get("distance")

    @property
    def origin(self) -> ContextsOrigin:
        """Where they were taken from, for provenance: file and hash, and how many if not all."""
        sizes = {"window": self.window, "distance": self.distance}
        whole = self.taken_from or ContextsOrigin(name=self.name, sha256=self.sha256)
        return whole.model_copy(update=sizes)

    def first(self, per_term: int) -> Self:
        """Return the first contexts of each, which are a random sample of that size.

        Contexts of a subset of a file form a complete record.
        """
        per_term = min(per_term, self.provenance.get("per_term", per_term))
        rows = [row for contexts in self.groups.values() for row in contexts[:per_term]]
        counts = tuple(count._replace(kept=min(count.kept, per_term)) for count in self.counts)
        whole = self if self.taken_from is None else replace(self, taken_from=None)
        return replace(
            self,
            rows=rows,
            counts=counts,
            provenance={**self.provenance, "per_term": per_term},
            labels={context: self.labels[context] for context in rows if context in self.labels},
            taken_from=whole.origin.model_copy(update={"per_term": per_term}),
        )

    def cut(self, window: Window) -> Self:
        """Leave so many words on either side of each stimulus, or before and behind a pair.

        The result equals :func:`eatlas.find_contexts` of the same corpus with that window;
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
        has = self.window
        require_whole("window", 0 if window == SENTENCE else window, 0, SENTENCE)
        if window == has:
            return self
        if isinstance(window, str) or (isinstance(has, int) and window > has):
            raise EatlasError(
                f"{self.name or 'the contexts'}: its contexts cannot be shortened to this window",
                got=f"a window of {window}{' words' * (window != SENTENCE)}",
                allowed="numbers of words" if has is None else f"0 to {has} words",
                remedy=f"extract them again from the corpus: eatlas contexts --window {window}",
            )
        rows, labels = self._shorter(self.rows, int(window))
        numbers = Counter(row[: self.NAMES] for row in rows)
        return replace(
            self,
            rows=rows,
            counts=tuple(count._replace(kept=numbers[count[:-2]]) for count in self.counts),
            provenance={**self.provenance, "window": window},
            labels={row: labels[row] for row in rows if row in labels},
            taken_from=self.origin,
        )

    def takes(self, measure: Any) -> bool:
        """Whether a measure takes these contexts."""
        raise NotImplementedError

    def around(self, test: Any) -> Any:
        """Put a test into these contexts."""
        raise NotImplementedError

    def to_measure(self, measure: Any) -> Any:
        """The measure that takes tests in these contexts."""
        return measure

    def variants(
        self, tests: Iterable[Any], measures: Iterable[Any], windows: Sequence[Window] = ()
    ) -> list[tuple[tuple[Any, ...], list[Any]]]:
        """Put tests into these contexts, once for each window to which they are cut.

        Parameters
        ----------
        tests : iterable of Test
        measures : iterable of Measure
        windows : sequence of int or "sentence"
            None leaves them as they are.

        Returns
        -------
        list of tuple
            For each window the tests in their contexts, and the measures that take them so.

        Raises
        ------
        EatlasError
            If a measure does not take these contexts.
        """
        tests, measures = [*tests], [*measures]
        for measure in measures:
            if not self.takes(measure):
                raise EatlasError(
                    f"the measure {measure.name} does not take these contexts",
                    got=self.WHAT,
                    allowed="contexts of single stimuli, or pairs for lpbs and lpbs-ceat",
                    remedy="create contexts with eatlas contexts, "
                    "and pairs with eatlas contexts --pairs",
                )
        return [
            (tuple(map(cut.around, tests)), list(map(cut.to_measure, measures)))
            for cut in [self.cut(window) for window in windows] or [self]
        ]

    def _shorter(self, rows: Sequence[Any], window: int) -> tuple[list[Any], dict[Any, str]]:
        """Cut each to so many words; of those that no longer differ keep the first, and its label.

        As extraction does; all where repeats are retained.
        """
        n = self.NAMES
        every: list[Any] = []
        first: dict[tuple[Any, ...], Any] = {}
        labels: dict[Any, str] = {}
        for row, cut in zip(rows, _trim_to_window(rows, n, window), strict=True):
            short = self.ROW(*row[:n], *cut)
            every.append(short)
            earlier = first.setdefault(short[: n + 1], short)
            if sorted(short[n + 1 :: 2]) < sorted(earlier[n + 1 :: 2]):
                first[short[: n + 1]] = short
            if row in self.labels:
                labels.setdefault(short, self.labels[row])
        return (every if self.with_repeats else list(first.values())), labels

    def taken(self, origin: ContextsOrigin) -> Self | None:
        """Take of these what a result was made of, by the name it has there; None of others."""
        named = replace(self, name=origin.name)
        if origin.sha256 == self.sha256:  # a part that is a whole of its own
            named = replace(named, taken_from=None)
        own = named.origin
        if (own.sha256, own.distance) != (origin.sha256, origin.distance):
            return None
        if own.per_term not in {None, origin.per_term}:
            return None
        if own.per_term != origin.per_term:
            if named.taken_from is not None:  # the first of what is cut may be others
                return None
            named = named.first(origin.per_term or 1)
        try:
            return named if origin.window is None else named.cut(origin.window)
        except EatlasError:  # it was made of longer contexts
            return None

    def table(self) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
        """Rows and columns, including columns of labels if there are any."""
        rows = list(self.rows)
        if not self.labels:
            return rows, self.ROW._fields
        return [(*row, self.labels.get(row)) for row in rows], (*self.ROW._fields, LABEL)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each context; with a column of labels, if there are some."""
        return as_frame(*self.table())

    def write(self, path: str | Path) -> None:
        """Write a file, .parquet, .jsonl or .csv; it is written only when it is complete.

        Parquet has counts and provenance within; for the others they are in ``FILE.json``.

        Raises
        ------
        EatlasError
            If the name has another ending, or the file cannot be written.
        """
        require_ending(Path(path), *FILES)
        about = {
            **self.provenance,
            "schema": SCHEMA,
            "contexts_sha256": self.sha256,
            "counts": [list(count) for count in self.counts],
        }
        write_table(Path(path), *self.table(), about)


@dataclass(frozen=True, repr=False)
class Contexts(Sample):
    """Contexts of stimuli, sampled from a corpus; what :func:`eatlas.find_contexts` returns.

    Examples
    --------
    >>> contexts = Contexts.of([Context("ivy", "The ivy grows.", 4, 7)])
    >>> len(contexts), contexts.of_stimulus("ivy")[0].text
    (1, 'The ivy grows.')
    """

    ROW, COUNT, NAMES = Context, Count, 1
    WHAT = "contexts of single stimuli"

    def __repr__(self) -> str:
        return f"<Contexts: {len(self):,} of {len(self.counts)} stimuli>"

    def of_stimulus(self, stimulus: str) -> list[Context]:
        """Return the contexts of one stimulus."""
        return list(self.groups.get((stimulus,), ()))

    def takes(self, measure: Any) -> bool:
        """Whether a measure is one of vectors."""
        return bool(measure.needs.source == "vectors")

    def around(self, test: Any) -> Any:
        """Make a test of words one of the contexts of its stimuli."""
        return load(_WITH_CONTEXTS)(test, self)[0]


@dataclass(frozen=True, repr=False)
class Pairs(Sample):
    """Targets and attributes in one text; what :func:`eatlas.find_pairs` returns.

    Examples
    --------
    >>> pairs = Pairs.of([PairContext("ivy", "love", "I love ivy.", 7, 10, 2, 6)])
    >>> pairs.of_pair("ivy", "love")[0].text
    'I love ivy.'
    """

    ROW, COUNT, NAMES = PairContext, PairCount, 2
    WHAT = "pairs of a target and an attribute"

    def __repr__(self) -> str:
        return f"<Pairs: {len(self):,} contexts of {len(self.counts)} pairs>"

    def of_pair(self, target: str, attribute: str) -> list[PairContext]:
        """Return the contexts of one target with one attribute."""
        return list(self.groups.get((target, attribute), ()))

    def takes(self, measure: Any) -> bool:
        """Whether a measure can score the words of a pair in a sentence."""
        return hasattr(measure, "pairs")

    def to_measure(self, measure: Any) -> Any:
        """The measure with these pairs."""
        return measure.with_parameters(pairs=self)

    def around(self, test: Any) -> Any:
        """Add to a test of words the sentences in which its pairs are scored."""
        if not isinstance(test, AssociationTest):
            return test
        origin = self.origin
        return test.model_copy(update={"sentences_from": str(origin), "contexts": origin})


def _trim_to_window(
    rows: Sequence[Any], names: int, window: int
) -> Iterator[tuple[str | int, ...]]:
    """Cut each text to the words around its stimuli: the text, and their places in it."""
    kernels = reading.kernels
    coded: list[bytes] = []
    places: list[list[int]] = []
    at = 0
    for text, *spans in (row[names:] for row in rows):
        coded.append(text.encode())
        places.append([at + len(text[:place].encode()) for place in spans])
        at += len(coded[-1]) + 1
    data = np.frombuffer(bytes([SEPARATOR]).join(coded), np.uint8)
    starts, ends = np.array([(min(p), max(p)) for p in places], np.int64).reshape(-1, 2).T.copy()
    bounds = np.empty((2, len(rows)), np.int64)
    kernels.word_windows(data, SEPARATOR, starts, ends, window, MOST, bounds)
    for begin, stop, spans in zip(*bounds.tolist(), places, strict=True):
        yield extract_context(data, (begin, stop), zip(spans[::2], spans[1::2], strict=True))


# --- files ----------------------------------------------------------------------------------------


def load_contexts(path: str | Path) -> Contexts:
    r"""Load contexts that :func:`eatlas.find_contexts` or ``eatlas contexts`` wrote.

    A file of one's own is read as well, if it has the columns or fields stimulus, text, start and
    end. A column ``label`` is read as what people saw in a context.

    Parameters
    ----------
    path : str or path
        A file .parquet, .jsonl or .csv.

    Raises
    ------
    SourceError
        If it cannot be read, is damaged, or a span does not lie in its text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "contexts.csv")
    ...     _ = path.write_text("stimulus,text,start,end\nivy,The ivy grows.,4,7\n")
    ...     contexts = load_contexts(path)
    >>> contexts.rows
    [Context(stimulus='ivy', text='The ivy grows.', start=4, end=7)]
    """
    contexts: Contexts = _load_file(Path(path), Contexts)
    return contexts


def load_pairs(path: str | Path) -> Pairs:
    r"""Load pairs that :func:`eatlas.find_pairs` or ``eatlas contexts --pairs`` wrote.

    Parameters
    ----------
    path : str or path
        A file .parquet, .jsonl or .csv.

    Raises
    ------
    SourceError
        If it cannot be read, is damaged, or a span does not lie in its text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     Pairs.of([PairContext("ivy", "love", "I love ivy.", 7, 10, 2, 6)]).write(path)
    ...     pairs = load_pairs(path)
    >>> pairs
    <Pairs: 1 contexts of 1 pairs>
    """
    pairs: Pairs = _load_file(Path(path), Pairs)
    return pairs


def load_either(path: str | Path) -> Contexts | Pairs:
    """Load contexts or pairs; the columns of the file say which they are."""
    record: Contexts | Pairs = _load_file(Path(path), None)
    return record


def _load_file(path: Path, kind: type[Contexts] | type[Pairs] | None) -> Any:
    """Load a file of contexts or pairs, and check it against its own hash."""
    values, about = read_table(path)
    if kind is None:
        first = values[0] if values and isinstance(values[0], Mapping) else {}
        pairs = {"target", "attribute"} <= first.keys() or "distance" in about
        kind = Pairs if pairs else Contexts
    rows, labels = _validate_rows(values, kind, path)
    whole, counts = about.pop("contexts_sha256", None), about.pop("counts", [])
    record: Any = kind.of(rows, provenance=about, name=path.name, labels=labels)
    try:
        counts = tuple(TypeAdapter(list[kind.COUNT]).validate_python(counts))  # type: ignore[name-defined]
    except ValidationError as error:
        raise SourceError(f"{path}: its counts cannot be read", got=str(error)[:200]) from error
    if counts:
        record = replace(record, counts=counts)
    if whole not in {None, record.sha256}:
        raise SourceError(
            f"{path}: its contexts were changed after eatlas wrote them",
            got=f"SHA-256 {record.sha256}",
            allowed=f"{whole}, as the file says",
            remedy="the file was edited or is incomplete; create it again with eatlas contexts",
        )
    return record


def _validate_rows(
    values: Iterable[Any], kind: type[Contexts] | type[Pairs], path: Path
) -> tuple[list[Any], dict[Any, str]]:
    """Contexts and their labels; refuses those that lack a field or do not lie in their texts."""
    fields, fault = kind.ROW._fields, ""
    number: Any = 0
    cells = [value if isinstance(value, Mapping) else {} for value in values]
    contexts = [{name: row[name] for name in fields if name in row} for row in cells]
    rows: list[Any] = []
    labels: list[str | None] = []
    try:
        rows = TypeAdapter(list[kind.ROW]).validate_python(contexts)  # type: ignore[name-defined]
        labels = TypeAdapter(list[str | None]).validate_python([row.get(LABEL) for row in cells])
    except ValidationError as error:
        first = error.errors()[0]
        number, *key = first["loc"]
        fault = f"{key[-1] if key else LABEL}: {first['msg']}"
    for k, row in enumerate(rows if not fault else ()):
        text, *places = row[kind.NAMES :]
        spans = zip(places[::2], places[1::2], strict=True)
        if not all(0 <= start < end <= len(text) for start, end in spans):
            number, fault = k, f"a span {' to '.join(map(str, places))} of {text!r}"[:200]
            break
    if fault:
        raise SourceError(
            f"{path}, context {number + 1}: this is not a context",
            got=fault,
            allowed=f"{', '.join(fields)} of every context; a span begins at the first "
            "character of the stimulus, from 0, and ends behind its last",
        )
    return rows, {row: label for row, label in zip(rows, labels, strict=True) if label}


REMEDY = (
    "name the file: eatlas verify RESULTS --contexts FILE; in Python, verify(..., contexts=...)"
)


class ContextsAtHand:
    """Files of contexts that are known, and folders in which others may be."""

    def __init__(self, given: Iterable[Any] = (), folders: Iterable[Path] = ()) -> None:
        self._known = [load_either(c) if isinstance(c, str | Path) else c for c in given]
        for contexts in self._known:
            if not isinstance(contexts, Contexts | Pairs):
                raise SourceError(
                    "these are not contexts",
                    got=described(contexts),
                    allowed="the name of a file that eatlas contexts wrote, or what "
                    "eatlas.find_contexts or eatlas.find_pairs returned",
                )
        self._folders = tuple(dict.fromkeys(folders))
        self._load = cache(load_either)

    def find(self, origin: ContextsOrigin) -> Contexts | Pairs:
        """Return the contexts that a result was made of."""

        def match_by_hash(contexts: Contexts | Pairs, path: Path | None) -> Contexts | Pairs | str:
            if (whole := contexts.taken(origin)) is not None:
                return whole
            return f"{path or contexts.name or 'a corpus'} has {_briefly(contexts.origin)}"

        others: Any = find_original(
            origin.name, self._known, self._folders, self._load, match_by_hash
        )
        if isinstance(others, Contexts | Pairs):
            return others
        name = origin.name or "contexts that were not loaded from a file"
        raise SourceError(
            f"the result does not contain its contexts, and their file was not found: {name}, "
            f"{_briefly(origin)}" + (f"; {'; '.join(others)}" if others else ""),
            allowed="a file next to the results or in the working folder, or --contexts",
            remedy=REMEDY,
        )


def _briefly(origin: ContextsOrigin) -> str:
    most = "" if origin.per_term is None else f", the first {origin.per_term:,} of each"
    return f"SHA-256 {origin.sha256[:12]}...{most}"
