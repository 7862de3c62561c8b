"""Contexts of the stimuli of tests, sampled in one pass over a corpus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import abbreviations, character_table
from eatlas.corpora.files import Format, ReadingOptions, Unit, corpus_files, look_at, read_texts
from eatlas.corpora.matching import Case, Compounds, Matcher, Matches, Rule
from eatlas.corpora.reading import Account, Batch, Damage, Tell, files_read
from eatlas.corpora.record import (
    KEEP,
    MOST,
    ROWS,
    SCHEMA,
    SENTENCE,
    Contexts,
    Pairs,
    Repeats,
    Window,
    cut_out,
)
from eatlas.errors import EatlasError, StimulusError, described
from eatlas.executors import (
    Executor,
    Processes,
    processors,
    require_workers,
)
from eatlas.sources.archives import ends_hash
from eatlas.stimuli import AssociationTest, Test, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

_ALL = (1 << 64) - 1


Found = TypeVar("Found")
Counted = TypeVar("Counted")
"""What is sampled: contexts, or pairs."""


class Reservoir(Generic[Found]):
    """Keeps the contexts with the `size` smallest keys, each key once.

    Every context has a key that looks random but follows from the seed, the stimulus and its text
    alone. So the sample is the same in whatever order, and from whatever number of files, contexts
    come; a text that comes again is the same context. The first n of the sample are the sample of
    size n.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.limit = _ALL
        """Keys above it are not among the smallest."""
        self._kept: dict[int, tuple[int, Found]] = {}

    def offset(self, key: int) -> int | None:
        """Return the offset of the context of that key; None if there is none."""
        return self._kept[key][0] if key in self._kept else None

    def add(self, key: int, offset: int, context: Found) -> None:
        """Take in a context; of two with one key, the one whose stimulus comes first."""
        if key > self.limit or (key in self._kept and self._kept[key][0] <= offset):
            return
        self._kept[key] = (offset, context)
        if len(self._kept) >= 2 * self.size:
            self._trim()

    def sample(self) -> list[Found]:
        """Return what is kept, in order of the keys."""
        self._trim()
        return [self._kept[key][1] for key in sorted(self._kept)]

    def merge(self, other: Reservoir[Found]) -> None:
        """Take in what another reservoir keeps."""
        for key, (offset, context) in other._kept.items():
            self.add(key, offset, context)

    def _trim(self) -> None:
        if len(self._kept) >= self.size:
            smallest = sorted(self._kept)[: self.size]
            self._kept = {key: self._kept[key] for key in smallest}
            self.limit = smallest[-1]


def key_seed(seed: int, *stimuli: str) -> int:
    """Return what makes the keys of a seed and a stimulus, or a pair, different from all others."""
    seeded = "\0".join((str(seed), *stimuli)).encode()
    return int.from_bytes(hashlib.blake2b(seeded, digest_size=8).digest(), "little")


class Samples(Generic[Found]):
    """A reservoir for each of some stimuli, or pairs, and how often each was found."""

    def __init__(self, names: Sequence[tuple[str, ...]], size: int, seed: int) -> None:
        self.names = names
        self.found = np.zeros(len(names), np.int64)
        self.seeds = np.array([key_seed(seed, *name) for name in names], np.uint64)
        """What the keys of the contexts of each begin with."""
        self._reservoirs = [Reservoir[Found](size) for _ in names]
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def take(
        self,
        numbers: NDArray[np.integer],
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        context: Callable[[int], Found],
    ) -> None:
        """Take in what was found."""
        self.found += np.bincount(numbers, minlength=len(self.found))
        taken = np.flatnonzero(keys <= self._limits[numbers])
        columns = (taken, numbers[taken], keys[taken], offsets[taken])
        for at, number, key, offset in zip(*(one.tolist() for one in columns), strict=True):
            reservoir = self._reservoirs[number]
            known = reservoir.offset(key)
            if known is None or offset < known:
                reservoir.add(key, offset, context(at))
        for number in np.unique(numbers[taken]).tolist():
            self._limits[number] = self._reservoirs[number].limit

    def drawn(self, count: Callable[..., Counted]) -> tuple[list[Found], tuple[Counted, ...]]:
        """The contexts that were drawn, and how many were found and drawn of each name."""
        lists = self.lists()
        counts = (
            count(*names, int(number), len(drawn))
            for names, number, drawn in zip(self.names, self.found, lists, strict=True)
        )
        return [context for drawn in lists for context in drawn], tuple(counts)

    def merge(self, other: Samples[Found]) -> None:
        """Take in what other samples of the same stimuli hold."""
        self.found += other.found
        for own, given in zip(self._reservoirs, other._reservoirs, strict=True):
            own.merge(given)
        self._limits = np.array([one.limit for one in self._reservoirs], np.uint64)

    def lists(self) -> list[list[Found]]:
        """Return the sample of each."""
        return [one.sample() for one in self._reservoirs]


class Collector:
    """Takes in texts and keeps the sample of each stimulus."""

    def __init__(
        self,
        matcher: Matcher,
        *,
        per_term: int,
        window: Window,
        seed: int,
        repeats: Repeats = "drop",
    ) -> None:
        self.matcher, self.window, self.repeats = matcher, window, repeats
        self._at = 0
        self.samples: Samples[Any] = Samples(self.names(), per_term, seed)

    def names(self) -> Sequence[tuple[str, ...]]:
        """What is sampled: each stimulus."""
        return [(one,) for one in self.matcher.stimuli]

    def begin(self, place: int) -> None:
        """Begin with a file; its place tells equal texts of several files apart."""
        self._at = place

    def take(self, batch: Batch) -> None:
        """Look through some texts."""
        self.look(batch)
        self._at = (self._at + len(batch.data) + 1) & _ALL

    def look(self, batch: Batch) -> None:
        """Find stimuli in some texts, one by one."""
        for matches in self.matcher.matches(batch.data, batch.separator):
            if len(matches):
                begins, stops = window_bounds(batch, matches, self.window)
                alone = np.arange(len(matches))
                self.keep(batch, matches, (alone,), matches.stimuli, begins, stops)

    def keep(
        self,
        batch: Batch,
        matches: Matches,
        places: tuple[NDArray[np.int64], ...],
        numbers: NDArray[np.int64],
        begins: NDArray[np.int64],
        stops: NDArray[np.int64],
    ) -> None:
        """Take in contexts, each with the places of its stimuli among the matches."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        keys = np.empty(len(numbers), np.uint64)
        offsets = np.zeros((2, len(numbers)), np.int64)
        seeds = self.samples.seeds[numbers]
        for row, place in zip(offsets, np.sort(places, axis=0), strict=False):
            kernels.keys(batch.data, begins, matches.starts[place], stops, seeds, keys, row)
        for place in places if self.repeats == KEEP else ():
            keys = _mixed(
                keys ^ _mixed(matches.starts[place].astype(np.uint64) + np.uint64(self._at))
            )

        def context(at: int) -> Any:
            spans = [(int(matches.starts[k[at]]), int(matches.ends[k[at]])) for k in places]
            cut = cut_out(batch.data, (int(begins[at]), int(stops[at])), spans)
            return ROWS[len(places)](*self.samples.names[numbers[at]], *cut)

        self.samples.take(numbers, keys, (offsets[0] << 32) | offsets[1], context)


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look random; the finaliser of MurmurHash3."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(33))


def window_bounds(batch: Batch, matches: Matches, window: Window) -> NDArray[np.int64]:
    """Return where the contexts of matches begin and end, shape (2, matches)."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    bounds = np.empty((2, len(matches)), np.int64)
    place = (batch.data, matches.starts, matches.ends, batch.separator)
    if not isinstance(window, int):
        from eatlas.corpora import kernels  # noqa: PLC0415

        tables = (character_table(), abbreviations())
        kernels.sentence_windows(*place, MOST, tables, bounds)
    else:
        kernels.word_windows(*place, window, MOST, bounds)
    return bounds


Pair = tuple[str, str]
"""A target and an attribute."""


def pairs_of(tests: Iterable[AssociationTest]) -> tuple[Pair, ...]:
    """Return every target of a test with every attribute of the same test, each pair once."""
    pairs: dict[Pair, None] = {}
    for test in tests:
        targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
        pairs.update(dict.fromkeys(product(targets, attributes)))
    return tuple(pair for pair in pairs if pair[0] != pair[1])


class PairCollector(Collector):
    """Takes in texts and keeps the sample of each pair."""

    def __init__(
        self, matcher: Matcher, pairs: Sequence[Pair], *, distance: int, **sampling: Any
    ) -> None:
        self._pairs, self._distance = pairs, distance
        super().__init__(matcher, **sampling)
        places = {stimulus: place for place, stimulus in enumerate(matcher.stimuli)}
        self._numbers = np.full((len(places), len(places)), -1, np.int32)
        for number, (target, attribute) in enumerate(pairs):
            self._numbers[places[target], places[attribute]] = number

    def names(self) -> Sequence[tuple[str, ...]]:
        """What is sampled: each pair."""
        return self._pairs

    def look(self, batch: Batch) -> None:
        """Find pairs; two stimuli of one text are seen together."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        parts = [part for part in self.matcher.matches(batch.data, batch.separator) if len(part)]
        if not parts:
            return
        matches = Matches.joined(parts)
        place = (matches.starts, matches.ends, matches.stimuli, batch.separator)
        near = kernels.near(batch.data, *place, self._distance, self._numbers)
        if not len(near):
            return
        first = window_bounds(batch, matches.at(near[:, :2].min(axis=1)), self.window)
        second = window_bounds(batch, matches.at(near[:, :2].max(axis=1)), self.window)
        begins, stops = first[0], second[1]
        if not isinstance(self.window, int):  # nothing for two sentences
            stops = np.where((first == second).all(axis=0), stops, begins)
        inside = stops > begins
        target, attribute, number = near[inside].T
        self.keep(batch, matches, (target, attribute), number, begins[inside], stops[inside])


Progress = Callable[[int, int], None]
"""Called with the number of files read and the number of all."""
Make = Callable[[], Collector | PairCollector]
"""Makes a collector; handed to other processes, so pickled."""
WORTH = 100_000_000
"""Bytes for each process: it takes a second or two to begin, in which one reads as much."""
SHARDS = 256
"""Shares at most that another executor gets: nobody knows how many workers it has."""
ROUNDS = 4
"""Shares that each process gets, one after the other: a large file at the end delays less."""


def find_contexts(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: str | Path | Iterable[str | Path],
    tests: TestsLike,
    *,
    per_term: int = 1000,
    window: Window = 9,
    case: Case = "auto",
    compounds: Compounds = "either",
    repeats: Repeats = "drop",
    format: Format = "auto",  # noqa: A002  (as the option is called)
    field: str | None = None,
    unit: Unit = "line",
    seed: int = 0,
    workers: int | None = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Contexts:
    """Sample contexts of the stimuli of tests from a corpus of texts.

    The corpus is read once, in memory that does not grow with it. Stimuli are found as whole
    words, from the left, the longest first. The sample of a stimulus depends on the seed and on the
    texts alone: neither on the order of files nor on how texts are shared out among them.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files, folders or patterns: plain text, JSON Lines, CSV, TSV, Parquet; text in gz, bz2, xz
        or zst.
    tests : anything that :func:`eatlas.load_tests` takes
    per_term : int
        Most contexts of each stimulus.
    window : int or "sentence"
        Words on either side of the stimulus, or the sentence that holds it.
    case : {"auto", "exact", "ignore"}
        ``auto``: a stimulus in lower case is found as written, with a capital first letter and in
        capitals; one with a capital letter only as written. ``exact``: only as written.
        ``ignore``: in any case.
    compounds : {"either", "written", "head"}
        Whether hyphen and space stand for each other in a stimulus of several words, or are what
        they are; or whether the last part alone of a stimulus with hyphens is looked for.
    repeats : {"drop", "keep"}
        Whether equal texts are one context, or one for each place in the corpus. Shares of contexts
        depend on it, such as those of a probe. The sample of places also depends on the files.
    format : {"auto", "text", "jsonl", "csv", "tsv", "parquet"}
    field : str, optional
        Field of JSON Lines, or column of a table; by default ``text``, else ``body``.
    unit : {"line", "paragraph"}
        What is one text in plain text; contexts do not go across its ends.
    seed : int
    workers : int or None
        Processes that share the files; None: as many as are useful. A script that
        starts several guards what it runs with ``if __name__ == "__main__":``.
    tell : callable, optional
        Called with every line that is damaged, and skipped.
    progress : callable, optional
        Called with the number of files read and the number of all.
    executor : Executor, optional
        Who reads the files instead, such as :class:`eatlas.OnRay`; every node must see them.

    Returns
    -------
    Contexts

    Raises
    ------
    EatlasError
        If tests, options or files are not usable. Damaged lines are no reason: they are skipped,
        counted and named in the provenance.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "corpus.txt")
    ...     _ = path.write_text("An executive office. Home is where the family is.")
    ...     contexts = find_contexts(path, "weat-6", window=2)
    >>> contexts.of_stimulus("home")
    [Context(stimulus='home', text='executive office. Home is where', start=18, end=22)]
    """
    search = _Search(
        load_tests(tests),
        per_term,
        window,
        case,
        compounds,
        repeats,
        format,
        field,
        unit,
        seed,
        workers,
        executor,
    )
    make = partial(Collector, search.matcher, **search.sampling)
    samples, provenance = search.read(corpus, make, tell, progress)
    return Contexts(*samples.drawn(Contexts.COUNT), provenance)


def find_pairs(
    corpus: str | Path | Iterable[str | Path],
    tests: TestsLike,
    *,
    distance: int = 18,
    tell: Tell | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Pairs:
    """Sample texts in which a target and an attribute of one test are near each other.

    Parameters
    ----------
    corpus : str, path, or several of them
    tests : anything that :func:`eatlas.load_tests` takes
        Tests of the kind association; pairs are those of one and the same test.
    distance : int
        Most words between the two; 18 in "Mind Your Bias", twice the window of CEAT.
    tell, progress : callable, optional
        As in :func:`eatlas.find_contexts`.
    **choices
        All other choices of :func:`eatlas.find_contexts`. The window is before the first and
        behind the second of the two, or is the sentence that holds both; `per_term` is the number
        of contexts of each pair.

    Returns
    -------
    Pairs

    Raises
    ------
    EatlasError
        If tests, options or files are not usable.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "corpus.txt")
    ...     _ = path.write_text("For John, a career is all.")
    ...     pairs = find_pairs(path, "weat-6")
    >>> pairs.rows[0][:3]
    ('John', 'career', 'For John, a career is all.')
    """
    _whole("distance", distance, 0)
    known = [one.name for one in fields(_Search) if one.name != "tests"]
    if strange := sorted(choices.keys() - known):
        raise EatlasError(
            "pairs cannot be found this way", got=", ".join(strange), allowed=", ".join(known)
        )
    search = _Search(load_tests(tests), **choices)
    pairs = pairs_of(_associations(search.tests))
    make = partial(PairCollector, search.matcher, pairs, distance=int(distance), **search.sampling)
    samples, provenance = search.read(corpus, make, tell, progress)
    return Pairs(*samples.drawn(Pairs.COUNT), {**provenance, "distance": int(distance)})


@dataclass(frozen=True)
class _Search:
    """What is looked for, and how; checked."""

    tests: tuple[Test, ...]
    per_term: int = 1000
    window: Window = 9
    case: Case = "auto"
    compounds: Compounds = "either"
    repeats: Repeats = "drop"
    format: Format = "auto"
    field: str | None = None
    unit: Unit = "line"
    seed: int = 0
    workers: int | None = 1
    executor: Executor | None = None

    def __post_init__(self) -> None:
        _whole("per_term", self.per_term, 1)
        if self.window != SENTENCE:
            _whole("window", self.window, 0, " or 'sentence'")
        _whole("seed", self.seed, 0)
        if self.repeats not in get_args(Repeats):
            raise EatlasError(
                "repeats is not usable",
                got=described(self.repeats),
                allowed=", ".join(get_args(Repeats)),
            )
        require_workers(self.workers)

    @property
    def reading(self) -> ReadingOptions:
        """How the files are read."""
        return ReadingOptions(self.format, self.field, self.unit)

    @cached_property
    def matcher(self) -> Matcher:
        """Finds the stimuli of the tests."""
        return Matcher(stimuli_of(self.tests), Rule(self.case, self.compounds))

    @property
    def sampling(self) -> dict[str, Any]:
        """What collectors need to know of the sample, in plain numbers."""
        window = self.window if self.window == SENTENCE else int(self.window)
        return {
            "seed": int(self.seed),
            "per_term": int(self.per_term),
            "window": window,
            "repeats": self.repeats,
        }

    def read(
        self,
        corpus: str | Path | Iterable[str | Path],
        make: Make,
        tell: Tell | None,
        progress: Progress | None,
    ) -> tuple[Samples[Any], dict[str, Any]]:
        """Have collectors look through a corpus; say what was read, and how."""
        files = corpus_files(corpus)
        look_at(files, self.reading)
        samples, accounts = look_through(
            files,
            self.reading,
            make,
            workers=self.workers,
            tell=tell,
            progress=progress,
            executor=self.executor,
            places=_places(files) if self.repeats == KEEP else {},
        )
        return samples, {
            "schema": SCHEMA,
            "version": __version__,
            **self.sampling,
            "case": self.case,
            "compounds": self.compounds,
            "unit": self.unit,
            "field": self.field,
            "tests": [test.id for test in self.tests],
            **files_read(accounts),
        }


def _associations(tests: Iterable[Test]) -> tuple[AssociationTest, ...]:
    tests = tuple(tests)
    for test in tests:
        if not isinstance(test, AssociationTest):
            raise StimulusError(
                f"the test {test.id} has no pairs",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind association, with targets and attributes",
            )
    return tuple(test for test in tests if isinstance(test, AssociationTest))


def stimuli_of(tests: Iterable[Test]) -> tuple[str, ...]:
    """Return the stimuli of tests of words, each once."""
    tests = tuple(tests)
    for test in tests:
        if any(part.images for _, part in test.parts):
            raise StimulusError(
                f"test {test.id}: its stimuli are images, which texts do not contain",
                allowed="a test of words or phrases, for which contexts are looked for",
            )
        if any(part.sentences for _, part in test.parts):
            raise StimulusError(
                f"test {test.id}: its terms are sentences already",
                allowed="a test of words or phrases, for which contexts are looked for",
                remedy="name the test of words, such as weat-6 instead of sent-weat-6",
            )
    return tuple(dict.fromkeys(term for test in tests for term in test.terms))


def _places(files: Sequence[Path]) -> dict[Path, int]:
    """A number for each file that follows from its content; copies have several."""
    copies: Counter[str] = Counter()
    numbers = {}
    for path in files:
        content = ends_hash(path)
        numbers[path] = key_seed(copies[content], content)
        copies[content] += 1
    return numbers


def _whole(name: str, value: object, least: int, other: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise EatlasError(
            f"{name} is not usable",
            got=described(value),
            allowed=f"a whole number from {least}{other}",
        )


def look_through(
    files: Sequence[Path],
    reading: ReadingOptions,
    make: Make,
    *,
    workers: int | None = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    places: Mapping[Path, int] | None = None,
) -> tuple[Samples[Any], list[Account]]:
    """Look through files, in one process or several; which one, changes nothing in the samples."""
    count = min(len(files), _worth(files) if workers is None else workers)
    if executor is None and count <= 1:
        return _read(files, reading, make, places or {}, tell, progress)
    parts = shares(files, count * ROUNDS if executor is None else SHARDS)
    samples, done = make().samples, 0
    accounts: dict[str, Account] = {}
    work = partial(_read_apart, reading=reading, make=make, places=places or {})
    with closing((executor or Processes(count))(work, parts)) as ended:
        for position, found in ended:
            some, of_files, damages = found
            samples.merge(some)
            accounts |= {one.file: one for one in of_files}
            if tell is not None:
                for damage in damages:
                    tell(damage)
            done += len(parts[position])
            if progress is not None:
                progress(done, len(files))
    return samples, [accounts[str(path)] for path in files]


def shares(files: Sequence[Path], count: int) -> list[list[Path]]:
    """Share files out into at most `count` parts of about the same size, the largest first."""
    sizes = {path: path.stat().st_size for path in files}
    parts: list[list[Path]] = [[] for _ in range(min(count, len(files)))]
    weights = [0] * len(parts)
    for path in sorted(files, key=sizes.__getitem__, reverse=True):
        least = weights.index(min(weights))
        parts[least].append(path)
        weights[least] += max(sizes[path], 1)
    return sorted(parts, key=lambda part: sum(map(sizes.__getitem__, part)), reverse=True)


def _worth(files: Sequence[Path]) -> int:
    return min(processors(), sum(path.stat().st_size for path in files) // WORTH)


def _read(
    files: Sequence[Path],
    reading: ReadingOptions,
    make: Make,
    places: Mapping[Path, int],
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> tuple[Samples[Any], list[Account]]:
    """Look through files one after the other."""
    collector, accounts = make(), []
    for done, path in enumerate(files):
        if progress is not None:
            progress(done, len(files))
        account = Account(str(path), tell)
        collector.begin(places.get(path, 0))
        for batch in read_texts(path, reading, account):
            collector.take(batch)
        account.tell = None
        accounts.append(account)
    if progress is not None:
        progress(len(files), len(files))
    return collector.samples, accounts


def _read_apart(
    files: Sequence[Path], reading: ReadingOptions, make: Make, places: Mapping[Path, int]
) -> tuple[Samples[Any], list[Account], list[Damage]]:
    """Look through files in a process of its own, which reports damage at the end."""
    damages: list[Damage] = []
    return *_read(files, reading, make, places, damages.append), damages
