"""Contexts of the stimuli of tests, streamed once from a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

from eatlas.corpora.account import NAMED, Account, Tell
from eatlas.corpora.collecting import Collector
from eatlas.corpora.files import Format, Reading, Unit, corpus_files
from eatlas.corpora.first_look import look_at
from eatlas.corpora.matching import Matcher
from eatlas.corpora.pairing import PairCollector, pairs_of
from eatlas.corpora.record import SCHEMA, Contexts, Pairs
from eatlas.corpora.rows import SENTENCE, Context, Count, PairCount, Window
from eatlas.corpora.samples import Samples
from eatlas.corpora.sharing import Make, Progress, look_through
from eatlas.corpora.spelling import Case, Compounds, Rule
from eatlas.errors import EatlasError, StimulusError, described
from eatlas.processors import require_workers
from eatlas.sources.files.reading import Stamp, ends_hash
from eatlas.stimuli import AssociationTest, Test, load_tests
from eatlas.version import __version__


def find_contexts(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: str | Path | Iterable[str | Path],
    tests: Any,
    *,
    per_term: int = 1000,
    window: Window = 9,
    case: Case = "auto",
    compounds: Compounds = "either",
    format: Format = "auto",  # noqa: A002  (as the option is called)
    field: str | None = None,
    unit: Unit = "line",
    seed: int = 0,
    workers: int | None = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> Contexts:
    """Sample contexts of the stimuli of tests from a corpus of texts.

    The corpus is read once, in memory that does not grow with it. Stimuli are found as whole
    words, from the left, the longest first. The sample of a stimulus depends on the seed and on the
    texts alone: neither on the order of files nor on how texts are shared out among them. The same
    text twice is one context.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files, folders or patterns: plain text, JSON Lines, CSV, TSV, Parquet; text in gz, bz2, xz
        or zst.
    tests : anything that :func:`eatlas.load_tests` takes
    per_term : int
        Most contexts of each stimulus.
    window : int or "sentence"
        Words on either side of the stimulus, or the sentence that it stands in.
    case : {"auto", "exact", "ignore"}
        ``auto``: a stimulus in lower case is found as written, with a capital first letter and in
        capitals; one with a capital letter only as written. ``exact``: only as written.
        ``ignore``: in any case.
    compounds : {"either", "written", "head"}
        Whether hyphen and space stand for each other in a stimulus of several words, or are what
        they are; or whether the last part alone of a stimulus with hyphens is looked for.
    format : {"auto", "text", "jsonl", "csv", "tsv", "parquet"}
    field : str, optional
        Field of JSON Lines, or column of a table; by default ``text``, else ``body``.
    unit : {"line", "paragraph"}
        What is one text in plain text; contexts do not go across its ends.
    seed : int
    workers : int or None
        Processes that share the files; None takes as many as the files are worth. A script that
        asks for several guards what it runs with ``if __name__ == "__main__":``.
    tell : callable, optional
        Called with every line that is damaged, and skipped.
    progress : callable, optional
        Called with the number of files read and the number of all.

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
        Reading(format, field, unit),
        Rule(case, compounds),
        per_term,
        window,
        seed,
        workers,
    )
    stimuli = search.stimuli
    make = partial(
        Collector,
        Matcher(stimuli, search.rule),
        per_term=search.per_term,
        window=search.window,
        seed=search.seed,
    )
    found, said = search.read(corpus, make, tell, progress)
    samples = found.lists()
    return Contexts(
        [Context(one, *kept) for one, some in zip(stimuli, samples, strict=True) for kept in some],
        tuple(
            Count(one, int(times), len(some))
            for one, times, some in zip(stimuli, found.found, samples, strict=True)
        ),
        said,
    )


def find_pairs(
    corpus: str | Path | Iterable[str | Path],
    tests: Any,
    *,
    distance: int = 18,
    tell: Tell | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Pairs:
    """Sample texts in which a target and an attribute of one test stand near each other.

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
        All other choices of :func:`eatlas.find_contexts`. The window lies before the first and
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
    known = {"per_term": 1000, "window": 9, "case": "auto", "compounds": "either", "format": "auto",
             "field": None, "unit": "line", "seed": 0, "workers": 1}  # fmt: skip
    if strange := sorted(choices.keys() - known):
        raise EatlasError(
            "pairs are not looked for so", got=", ".join(strange), allowed=", ".join(known)
        )
    given: dict[str, Any] = {**known, **choices}
    reading = Reading(given["format"], given["field"], given["unit"])
    rule = Rule(given["case"], given["compounds"])
    search = _Search(
        load_tests(tests),
        reading,
        rule,
        *(given[name] for name in ("per_term", "window", "seed", "workers")),
    )
    pairs = pairs_of(_associations(search.tests))
    make = partial(
        PairCollector,
        Matcher(search.stimuli, rule),
        pairs,
        per_term=search.per_term,
        window=search.window,
        distance=int(distance),
        seed=search.seed,
    )
    found, said = search.read(corpus, make, tell, progress)
    samples = found.lists()
    return Pairs(
        [row for some in samples for row in some],
        tuple(
            PairCount(*pair, int(times), len(some))
            for pair, times, some in zip(pairs, found.found, samples, strict=True)
        ),
        {**said, "distance": int(distance)},
    )


@dataclass(frozen=True)
class _Search:
    """What is looked for, and how; checked."""

    tests: tuple[Test, ...]
    reading: Reading
    rule: Rule
    per_term: int
    window: Window
    seed: int
    workers: int | None

    def __post_init__(self) -> None:
        _whole("per_term", self.per_term, 1)
        if self.window != SENTENCE:
            _whole("window", self.window, 0, " or 'sentence'")
            object.__setattr__(self, "window", int(self.window))
        _whole("seed", self.seed, 0)
        require_workers(self.workers)

    @property
    def stimuli(self) -> tuple[str, ...]:
        """All stimuli of the tests."""
        return stimuli_of(self.tests)

    def read(
        self,
        corpus: str | Path | Iterable[str | Path],
        make: Make,
        tell: Tell | None,
        progress: Progress | None,
    ) -> tuple[Samples[Any], dict[str, Any]]:
        """Let collectors look through a corpus; say what was read, and how."""
        files = corpus_files(corpus)
        look_at(files, self.reading)
        part = look_through(
            files, self.reading, make, workers=self.workers, tell=tell, progress=progress
        )
        return part.samples, {
            "schema": SCHEMA,
            "version": __version__,
            "seed": int(self.seed),
            "per_term": int(self.per_term),
            "window": self.window,
            "case": self.rule.case,
            "compounds": self.rule.compounds,
            "unit": self.reading.unit,
            "field": self.reading.field,
            "tests": [test.id for test in self.tests],
            **_account(files, part.accounts),
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
    """Return the stimuli of tests of words, each once.

    Raises
    ------
    StimulusError
        If a test is one of sentences.
    """
    tests = tuple(tests)
    for test in tests:
        if any(part.sentences for _, part in test.parts):
            raise StimulusError(
                f"test {test.id}: its terms are sentences already",
                allowed="a test of words or phrases, for which contexts are looked for",
                remedy="name the test of words, such as weat-6 instead of sent-weat-6",
            )
    return tuple(dict.fromkeys(term for test in tests for term in test.terms))


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
