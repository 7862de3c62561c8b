"""Contexts of the stimuli of tests, streamed once from a corpus, in one process or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import cached_property, partial
from numbers import Integral
from pathlib import Path
from typing import Any, get_args

from eatlas.corpora.files import Format, ReadingOptions, Unit, corpus_files, look_at, read_texts
from eatlas.corpora.matching import Case, Compounds, Matcher, Rule
from eatlas.corpora.reading import NAMED, Account, Damage, Tell
from eatlas.corpora.record import SCHEMA, Contexts, Pairs
from eatlas.corpora.sampling import (
    KEEP,
    SENTENCE,
    Collector,
    PairCollector,
    Repeats,
    Samples,
    Window,
    key_seed,
    pairs_of,
)
from eatlas.errors import EatlasError, StimulusError, described
from eatlas.executors import (
    Executor,
    LostItem,
    Processes,
    may_have_no_children,
    processors,
    require_workers,
)
from eatlas.sources.files.on_disk import Stamp, ends_hash
from eatlas.stimuli import AssociationTest, Test, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

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
    return Contexts.sampled(*search.read(corpus, make, tell, progress))


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
    return Pairs.sampled(samples, {**provenance, "distance": int(distance)})


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
            **_account(files, accounts),
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
    found = {}
    for path in files:
        content = ends_hash(path)
        found[path] = key_seed(copies[content], content)
        copies[content] += 1
    return found


def _account(files: Sequence[Path], accounts: Sequence[Account]) -> dict[str, Any]:
    """Say what was read; the hash is of the first and last 64 KiB of a file."""
    named = [one for account in accounts for one in account.named][:NAMED]
    return {
        "files": [
            {
                "file": account.file,
                "size": Stamp.of(path).size,
                "ends_sha256": ends_hash(path),
                "texts": account.texts,
                "damaged": account.damaged,
                "skipped": dict(sorted(account.skipped.items())),
            }
            for path, account in zip(files, accounts, strict=True)
        ],
        "damaged": [{"file": one.file, "line": one.line, "why": one.why} for one in named],
    }


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
    if executor is None and (count <= 1 or may_have_no_children()):
        return _read(files, reading, make, places or {}, tell, progress)
    parts = shares(files, count * ROUNDS if executor is None else SHARDS)
    samples, done = make().samples, 0
    accounts: dict[str, Account] = {}
    work = partial(_read_apart, reading=reading, make=make, places=places or {})
    with closing((executor or Processes(count))(work, parts)) as ended:
        for position, found in ended:
            if isinstance(found, LostItem):
                raise _lost(found)
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


def _lost(part: LostItem) -> EatlasError:
    return EatlasError(
        "a process that read the corpus has ended before its work was done",
        got=part.reason or f"it was killed {part.kills} times",
        allowed="processes that may run to the end, with 300 MB of memory each",
        remedy='use fewer workers; a script guards what it runs with: if __name__ == "__main__":',
    )
