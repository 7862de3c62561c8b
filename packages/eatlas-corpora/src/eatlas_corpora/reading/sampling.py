"""Contexts of the stimuli of tests, sampled in one pass over a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, StimulusError, described, require_whole
from eatlas.executors import Executor, Progress, choose, watch_of
from eatlas.notes import Note, warn
from eatlas.stimuli import AssociationTest, Test, load_tests
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.stimuli.kinds import TestsLike
from eatlas.stimuli.languages import without_spaces
from eatlas.version import __version__
from eatlas_corpora import reading
from eatlas_corpora.reading.files import (
    Account,
    Batch,
    Corpus,
    Part,
    Unit,
    files_read,
    look_at,
    parts_of,
)
from eatlas_corpora.reading.matching import (
    Case,
    Compounds,
    Matcher,
    Matches,
    MatchRule,
    abbreviations,
    character_table,
)
from eatlas_corpora.reading.record import (
    KEEP,
    MOST,
    SCHEMA,
    SENTENCE,
    Context,
    Contexts,
    Count,
    PairContext,
    PairCount,
    Pairs,
    Repeats,
    Window,
    extract_context,
)

_ALL = (1 << 64) - 1
Names = tuple[str, ...]
"""A stimulus, or a target and an attribute."""
Kept = list[dict[int, tuple[int, Any]]]
"""Of each name, contexts by their keys; with each where its stimulus begins."""


class ContextSamples:
    """Of each name the contexts with the smallest keys, each key once, and how many there are.

    Every context has a key that looks random but follows from the seed, the stimulus and its text
    alone. So the sample is the same in whatever order, and from whatever number of files, contexts
    come; a text that comes again is the same context. The first n of the sample are the sample of
    size n.
    """

    def __init__(self, names: int, size: int) -> None:
        self.size = size
        self.found = np.zeros(names, np.int64)
        self.limits = np.full(names, _ALL, np.uint64)
        """Keys above it are not among the smallest, of any part that was looked at."""
        self.kept: Kept = [{} for _ in range(names)]

    def wants(self, name: int, key: int, start: int) -> bool:
        """Whether there is no context of this key, or one whose stimulus begins later."""
        kept = self.kept[name]
        return key not in kept or start < kept[key][0]

    def put(self, name: int, key: int, start: int, context: Any) -> None:
        """Take in a context that is wanted."""
        kept = self.kept[name]
        kept[key] = start, context
        if len(kept) >= 2 * self.size:
            self._trim(name)

    def _trim(self, name: int) -> None:
        kept = self.kept[name]
        if len(kept) >= self.size:
            smallest = sorted(kept)[: self.size]
            self.kept[name] = {key: kept[key] for key in smallest}
            self.limits[name] = smallest[-1]

    def flush(self) -> tuple[NDArray[np.int64], Kept]:
        """What was found and kept since the last time; the limits stay."""
        for name in range(len(self.kept)):
            self._trim(name)
        found, kept = self.found, self.kept
        self.found, self.kept = np.zeros_like(found), [{} for _ in kept]
        return found, kept

    def merge(self, found: NDArray[np.int64], kept: Kept) -> None:
        """Take in what others handed over."""
        self.found += found
        for name, contexts in enumerate(kept):
            if not self.kept[name]:
                self.kept[name] = contexts
                continue
            for key, (start, context) in contexts.items():
                if self.wants(name, key, start):
                    self.put(name, key, start, context)

    def sample(self, name: int) -> list[Any]:
        """What is retained of a name, in the order of the keys."""
        self._trim(name)
        return [self.kept[name][key][1] for key in sorted(self.kept[name])]


def key_seed(seed: int, *stimuli: str) -> int:
    """Return what makes the keys of a seed and a stimulus, or a pair, different from all others."""
    seeded = "\0".join((str(seed), *stimuli)).encode()
    return int.from_bytes(hashlib.blake2b(seeded, digest_size=8).digest(), "little")


def _pairs_of(tests: Iterable[Test]) -> list[Names]:
    """Every target of a test with every attribute of it."""
    pairs: dict[Names, None] = {}
    for test in tests:
        if not isinstance(test, AssociationTest):
            raise StimulusError(
                f"the test {test.id} has no pairs",
                got=f"a test of the kind {test.kind}",
                allowed="tests of the kind association, with targets and attributes",
            )
        targets, attributes = test.X.terms + test.Y.terms, test.A.terms + test.B.terms
        pairs |= dict.fromkeys(product(targets, attributes))
    return [pair for pair in pairs if pair[0] != pair[1]]


class Sampler:
    """Looks at the texts of parts and keeps the sample of each stimulus, or pair."""

    def __init__(
        self,
        tests: Sequence[Test],
        distance: int | None = None,
        *,
        per_term: int = 1000,
        window: Window = 9,
        case: Case = "auto",
        compounds: Compounds = "either",
        repeats: Repeats = "drop",
        seed: int = 0,
    ) -> None:
        require_whole("per_term", per_term, 1)
        require_whole("window", 0 if window == SENTENCE else window, 0, SENTENCE)
        require_whole("seed", seed, 0)
        if repeats not in get_args(Repeats):
            allowed = ", ".join(get_args(Repeats))
            raise EatlasError("repeats is not usable", got=described(repeats), allowed=allowed)
        stimuli, language = stimuli_of(tests), language_of(tests)
        self.distance, self.window, self.repeats = distance, window, repeats
        self.names = [(s,) for s in stimuli] if distance is None else _pairs_of(tests)
        """What is sampled: stimuli, or pairs."""
        self.about = {
            "seed": int(seed),
            "per_term": int(per_term),
            "window": window if isinstance(window, str) else int(window),
            "repeats": repeats,
            "case": case,
            "compounds": compounds,
            "tests": [test.id for test in tests],
            **({"language": language} if language else {}),
            **({} if distance is None else {"distance": int(distance)}),
        }
        self.matcher = Matcher(stimuli, MatchRule(case, compounds, language))
        self.samples = ContextSamples(len(self.names), int(per_term))
        self._seeds = np.array([key_seed(seed, *names) for names in self.names], np.uint64)
        self._pairs = np.full((len(stimuli), len(stimuli)), -1, np.int32)
        if distance is not None:
            place = {stimulus: k for k, stimulus in enumerate(stimuli)}
            for number, (target, attribute) in enumerate(self.names):
                self._pairs[place[target], place[attribute]] = number

    def __call__(self, part: Part, batches: Iterator[Batch]) -> tuple[NDArray[np.int64], Kept]:
        """What was found in a part, and the contexts of it that may be kept."""
        kernels = reading.kernels
        self.samples.flush()
        # the place of a part tells equal texts of several files apart
        at = key_seed(part.copy, part.ends_sha256) + part.start
        for batch in batches:
            matches = starts, ends, stimuli = self.matcher.matches(*batch)
            if self.distance is None:
                places, names = np.arange(len(stimuli))[None], stimuli
            else:
                near = kernels.near(
                    batch[0], starts, ends, stimuli, batch[1], int(self.distance), self._pairs
                )
                places, names = near[:, :2].T, near[:, 2]
            if len(names):
                self._keep(batch, matches, places, names, at & _ALL)
            at += len(batch[0]) + 1
        return self.samples.flush()

    def _keep(
        self,
        batch: Batch,
        matches: Matches,
        places: NDArray[np.int64],
        names: NDArray[np.int64],
        at: int,
    ) -> None:
        """Add contexts of names; `places` index their stimuli among the matches."""
        kernels = reading.kernels
        (match_starts, match_ends, _), size = matches, self.window
        first, last = places.min(axis=0), places.max(axis=0)
        begins, stops = bounds = np.empty((2, len(names)), np.int64)
        if isinstance(size, str):
            around = match_starts[first], match_ends[first]
            tables = character_table(), abbreviations(self.matcher.rule.language)
            kernels.sentence_windows(*batch, *around, MOST, tables, bounds)
            within = stops >= match_ends[last]  # no pair is in two sentences
            places, names, begins, stops = (a[..., within] for a in (places, names, *bounds))
        else:
            around = match_starts[first], match_ends[last]
            kernels.word_windows(*batch, *around, int(size), MOST, bounds)
        keys = np.empty(len(names), np.uint64)
        offsets = np.zeros((2, len(names)), np.int64)
        for row, place in zip(offsets, np.sort(places, axis=0), strict=False):
            starts = match_starts[place]
            kernels.keys(batch[0], begins, starts, stops, self._seeds[names], keys, row)
        keys = _mix_hash(keys)
        for place in places if self.repeats == KEEP else ():
            position = match_starts[place].astype(np.uint64) + np.uint64(at)
            keys = _mix_hash(keys ^ _mix_hash(position))
        self.samples.found += np.bincount(names, minlength=len(self._seeds))
        wanted = np.flatnonzero(keys <= self.samples.limits[names])
        starts = (offsets[0] << 32) | offsets[1]
        spans = np.stack((match_starts[places], match_ends[places]), axis=-1)
        row_of = Context if len(places) == 1 else PairContext
        columns = (names, keys, starts, begins, stops, *spans)
        for name, key, start, begin, stop, *bytes_ in zip(
            *(column[wanted].tolist() for column in columns), strict=True
        ):
            if self.samples.wants(name, key, start):
                cut = extract_context(batch[0], (begin, stop), bytes_)
                self.samples.put(name, key, start, row_of(*self.names[name], *cut))


def _mix_hash(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers that look random; the finaliser of MurmurHash3."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(33))


def find_contexts(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: Corpus,
    tests: TestsLike,
    *,
    per_term: int = 1000,
    window: Window = 9,
    case: Case = "auto",
    compounds: Compounds = "either",
    repeats: Repeats = "drop",
    field: str | None = None,
    unit: Unit = "line",
    seed: int = 0,
    workers: int | None = 1,
    progress: Progress = False,
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
        Whether equal texts are one context, or one for each place in the corpus. Proportions of
        contexts depend on it, such as the ones from a probe. The sample of places also depends on
        the files.
    field : str, optional
        Field of JSON Lines, or column of a table; by default ``text``, else ``body``.
    unit : {"line", "paragraph"}
        What is one text in plain text; contexts do not go across its ends.
    seed : int
    workers : int or None
        Number of worker processes; None: as many as are useful. A script that
        starts several guards what it runs with ``if __name__ == "__main__":``.
    progress : bool or callable
        Show how many parts are read; a large file has several. True shows a bar on a terminal and a
        line in a notebook; a function is called with the number of parts read and of all.
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
    sampler = Sampler(
        load_tests(tests),
        per_term=per_term,
        window=window,
        case=case,
        compounds=compounds,
        repeats=repeats,
        seed=seed,
    )
    return Contexts(*_sample_corpus(sampler, corpus, field, unit, workers, progress, executor))


def find_pairs(
    corpus: Corpus,
    tests: TestsLike,
    *,
    distance: int = 18,
    field: str | None = None,
    unit: Unit = "line",
    workers: int | None = 1,
    progress: Progress = False,
    executor: Executor | None = None,
    **choices: Any,
) -> Pairs:
    """Sample texts in which a target and an attribute of one test are near each other.

    Parameters
    ----------
    corpus : str, path, or several of them
    tests : anything that :func:`eatlas.load_tests` takes
        Association tests; the two words of a pair belong to the same test.
    distance : int
        Most words between the two; 18 in "Mind Your Bias", twice the window of CEAT.
    field, unit, workers, progress, executor
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
    require_whole("distance", distance, 0)
    sampler = Sampler(load_tests(tests), distance, **choices)
    return Pairs(*_sample_corpus(sampler, corpus, field, unit, workers, progress, executor))


def _sample_corpus(
    sampler: Sampler,
    corpus: Corpus,
    field: str | None,
    unit: Unit,
    workers: int | None,
    progress: Progress,
    executor: Executor | None,
) -> tuple[list[Any], tuple[Any, ...], dict[str, Any]]:
    """Contexts, how many there are of each name, and what was read, and how."""
    names, parts = sampler.names, parts_of(corpus, field, unit)
    samples = ContextSamples(len(names), sampler.samples.size)
    accounts = [Account(part.path) for part in parts]
    run = executor or choose(workers, len(parts))
    with watch_of(progress) as watch, closing(run(partial(look_at, sampler), parts)) as outcomes:
        tick = watch and watch("parts", "")
        for done, (position, (sample, account)) in enumerate(outcomes, start=1):
            samples.merge(*sample)
            accounts[position] = account
            if tick is not None:
                tick(done, len(parts))
    rows = [samples.sample(k) for k in range(len(names))]
    count: Any = Count if sampler.distance is None else PairCount
    counts = (
        count(*name, int(found), len(contexts))
        for name, found, contexts in zip(names, samples.found, rows, strict=True)
    )
    warn_of_scripts(zip(names, samples.found, strict=True))
    about = {
        "schema": SCHEMA,
        "version": __version__,
        **sampler.about,
        "unit": unit,
        "field": field,
        **files_read(parts, accounts),
    }
    return [context for contexts in rows for context in contexts], tuple(counts), about


def stimuli_of(tests: Iterable[Test]) -> tuple[str, ...]:
    """Return the stimuli of tests of words, each once."""
    tests = tuple(tests)
    for test in tests:
        concepts = [concept for _, concept in test.parts]
        if any(concept.images or concept.sentences for concept in concepts):
            images = any(concept.images for concept in concepts)
            raise StimulusError(
                f"test {test.id}: its stimuli are {'images' if images else 'sentences already'}",
                allowed="a test of words or phrases; eatlas contexts searches for their contexts",
                remedy=None if images else "name the test of words, such as weat-6",
            )
        refuse_wildcards(test.concepts, f"test {test.id}, ")
    return tuple(dict.fromkeys(term for test in tests for term in test.terms))


def language_of(tests: Iterable[Test]) -> str:
    """Return the language of tests, in which the texts are as well."""
    languages = list(dict.fromkeys(test.language for test in tests))
    if len(languages) > 1:
        raise StimulusError(
            "the tests are in several languages",
            got=", ".join(language or "none named" for language in languages),
            allowed="tests in the language of the texts",
            remedy="search for tests of one language at a time",
        )
    return languages[0] if languages else ""


def warn_of_scripts(found: Iterable[tuple[Names, int]]) -> None:
    """Warn where texts seem not to be parted into words, as their script writes no spaces."""
    times = {word: count for words, count in found for word in words if without_spaces(word)}
    if times and not any(times.values()):
        warn(Note("stimuli.unspaced", values={"terms": list(times)}), stacklevel=5)
