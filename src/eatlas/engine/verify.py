"""Computing records again from what they say of themselves, and saying what differs.

A results file may be anybody's: what it names is opened as data alone, unless the user trusts it.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, Protocol

from eatlas.engine.execution import perform
from eatlas.engine.jobs import AnySource, Job
from eatlas.engine.plan import in_contexts
from eatlas.engine.readers import open_for, reader_of
from eatlas.engine.trends import trends
from eatlas.engine.verifiers import FindsContexts, Verifier, contexts_at_hand, verifier_of
from eatlas.errors import EatlasError, SignatureError, SourceError, UntrustedSourceError, listing
from eatlas.measures import Measure, get_measure
from eatlas.measures.registry import measure_names, measures_of
from eatlas.results import AssociationResult, Failure, TrendResult
from eatlas.results.base import FINDING, Head
from eatlas.results.parts import Record
from eatlas.results.trend import series_source
from eatlas.sources import open_vectors, period_of
from eatlas.sources.covariates import CovariatesAtHand, CovariatesLike, WordCovariates
from eatlas.stimuli import ContextsOrigin, Test, built_in_tests, load_tests
from eatlas.stimuli.batteries import with_images
from eatlas.stimuli.kinds import TestsLike
from eatlas.untrusted import bypass_caches, data_only, list_trusted, use_stored_answers
from eatlas.version import __version__

__all__ = ["Verdict", "differences", "verify"]


class AnyContexts(Protocol):
    """Contexts of words or of pairs, as :func:`eatlas.find_contexts` returns them."""

    @property
    def origin(self) -> ContextsOrigin:
        """Where they were taken from."""


ContextsLike = AnyContexts | str | Path
"""Contexts of words or of pairs, or a file of them."""
MOST_DRAWS = {"permutations": 10_000_000, "resamples": 1_000_000}
"""Random permutations that a file of somebody else's may request: minutes, not days."""
FIRST = ("provenance.", "concepts.", "title:", "citation:", "coverage:", "periods", "missing")
NEXT = ("level1.", "level2.", "pattern.")
"""Differences that are named first, and those that are named next."""
SHOWN, SHOWN_CHARACTERS = 10, 80
"""Differences that are named one by one, and how much of a long value."""
NOUGHT = 1e-12
"""A difference that should be 0 is as large as its rounding error, so no relative bound fits."""
FROM_FILES = 1e-9
"""Of their size, numbers of looked-up vectors: machines add cosines in different orders, which
moved scores by 9e-13 and stated errors by 2e-11 on seven kinds of processors."""
COMPUTED, COMPUTED_P, COMPUTED_ZERO, COMPUTED_DRAWS = 1e-4, 5e-3, 1e-5, 2
"""Of vectors that a model computes in single precision: of the size of numbers, of p-values and
their counts, absolute, and random samples. Effect sizes moved by 5e-6 between processors, batches
and threads, t of crossed tests by 4e-5 of its size, a p of 6e-61 by 2e-3 of its size, a p of 9,999
draws by one of them."""
SINGLE = 2.0**-24
"""Unit roundoff of single precision; of other precisions tolerances grow with it."""
LOOSEST = 0.1
ROUNDED = dict.fromkeys(
    (
        "uncertainty",
        "influence",
        "similarities",
        "diagnosis",
        "matched",
        "adjusted",
        "power",
        "readings",
    ),
    1.01e-6,
) | {"share_intervals": 1.01e-6, "kept": 1.01e-4, "patterns": 1.01e-3}
"""Absolute, of parts that are stored to a few decimals: one resample of 1,000 may be on the other
side of a threshold."""
NOT_COMPARED = frozenset(
    {"vectors_sha256", "kept_patterns", "rel_err", "influential", "sensitivity"}
)
"""What the last bits of vectors decide, which are the machine's where a model computes them."""

MEANS = (
    "pool=mean takes special tokens since version 0.3; if an earlier version measured this, open "
    "the model with pool=mean-words: --vectors '{name}=MODEL?pool=mean-words'"
)
"""How to repeat a result of the mean that earlier versions called so."""

KNOWN = {"given": "the test that was given,", "built in": "the built-in test"}
"""What the names in a result are compared with."""

Keys = tuple[str | int, ...]
"""Keys and places that lead to a part of a record."""
SourceName = tuple[str, str, Any]
"""A source, as results name it; what opens it; and what is needed of it."""
Opened = dict[int | None, AnySource] | EatlasError
"""The periods of a series, or one source without a period."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of recomputing one result, trend or record of another kind."""

    result: Head
    status: Literal["same", "differs", "not repeated", "refused"]
    details: tuple[str, ...] = ()
    """Each difference, or why the result could not be computed again; then remarks."""
    against: str = ""
    """What names of groups, title and citation were compared with: tests that were ``"given"``, the
    one ``"built in"``, or the ``"hash"`` in the file; empty of a trend, and where the result was
    not computed again."""

    @property
    def version(self) -> str:
        """The version of eatlas that made the result; this one if the result does not say."""
        provenance = getattr(self.result, "provenance", None)
        return getattr(provenance, "version", __version__)


def verify(
    results: Iterable[Head] | Head,
    *,
    contexts: ContextsLike | Iterable[ContextsLike] = (),
    covariates: CovariatesLike | Iterable[CovariatesLike] | None = None,
    folders: Iterable[str | Path] = (),
    vectors: Mapping[str, Any] | None = None,
    trust: str | Iterable[str] = (),
    tests: TestsLike = (),
    measures: object = (),
) -> tuple[Verdict, ...]:
    """Recompute results from their recorded provenance.

    Nothing that a result names is run: bundled vectors, files and folders of data that are on this
    machine, published vectors that were fetched and local models without code of their own are
    opened. A function, an endpoint, a model with code of its own, a name on a hub and what a
    package registers are refused, and the verdict says what each would do. No cache and no index
    is read, but for answers of a model behind an address, which would answer otherwise today: the
    verdict says that they are those that are stored on this machine. Where some are not kept, it is
    refused as long as it is not trusted, and asked for those alone then.

    The test is rebuilt from the result's terms, the measure from its signature, the vectors are
    opened by the source's name. Labels, words, hashes and counts must be equal, and numbers to 1e-9
    of their size; resampled numbers to their last decimal. Where a model computed the vectors, in
    single precision, numbers may differ by 1e-4 of their size, p-values with their counts by 5e-3,
    and those of random samples by two draws, 2 / (draws + 1); in lower precision by more. The hash
    of the vectors, and the words that a finding is sensitive to, are not compared then.

    If the test of a result is built in, its names of groups, title, citation and terms must equal
    the built-in test. Other tests must fit the hash in the file. Somebody who changes both can fake
    that; pass ``tests`` to compare them with tests that you trust.

    A result of contexts of a file names the file, and the hash of its contexts: they are taken
    from those that are given, or from a file of that name in one of the folders or in the working
    folder.

    Covariates of words are found in the same way.

    A trend is computed again from the results of its periods; a period of the series that it does
    not name is a difference.

    A result that another version of eatlas made is compared in the same way, and the verdict names
    both versions.

    Records of another kind are computed again as the package does that brings their schema. Themes,
    of :func:`eatlas.scan` or :func:`eatlas.read_scan`, are computed again from the words in their
    record. Their clusterings are repeated, and with them the stability, if scikit-learn has the
    version that made them; else these are taken from the file, and the verdict says so.

    Parameters
    ----------
    results : Results, a record, or iterable of results, trends and other records
        Trends of ``Results`` are also verified. Other records are those of which a package can
        compute the schema again, such as the ones from :func:`eatlas.scan` with ``themes``.
    contexts : path, Contexts, Pairs, or several of them
        Contexts that results were made of.
    covariates : path, mapping, frame, or list of them, optional
        Covariates that results were given.
    folders : iterable of path
        Where files of contexts and of covariates lie, besides the working folder.
    vectors : mapping, optional
        From the name of a source in the results, or its source string, to what is opened in its
        place: the path of a file that was moved, or anything else that
        :func:`eatlas.open_vectors` takes. Its content must be the same.
    trust : str or iterable of str
        Names of sources in the results that may do more than read data, such as
        ``"py:module:function"``.
    tests : anything that :func:`eatlas.load_tests` takes, optional
        Tests that the results must be of: names of groups, title, citation and terms of a result
        with the id of one must be its.
    measures : function, mapping or list of them, optional
        Functions that were measures, as :func:`eatlas.run` takes them. A results file does not hold
        their code, so results of a function are computed again only with the function.

    Returns
    -------
    tuple of Verdict
        In the order of the results, then of the trends, then of other records.

    Raises
    ------
    SourceError
        If contexts that are given cannot be read, or no result has a source of a name in `vectors`
        or `trust`.
    ResultsError
        If no package can verify a record.

    Examples
    --------
    >>> import eatlas
    >>> [verdict.status for verdict in verify(eatlas.run(tests=["weat-6", "weat-7"]))]
    ['same', 'same']
    """
    several = contexts if isinstance(contexts, list | tuple) else [contexts]
    near = [*map(Path, folders), Path()]
    find_contexts = cache(partial(contexts_at_hand, several, near))
    if several:
        find_contexts()
    at_hand = find_contexts, CovariatesAtHand(covariates, near)
    every = [results] if isinstance(results, Record) else [*results]
    series = [*getattr(results, "trends", ()), *(r for r in every if isinstance(r, TrendResult))]
    measured = [r for r in every if isinstance(r, AssociationResult)]
    others = [
        (record, verifier_of(record))
        for record in every
        if not isinstance(record, AssociationResult | TrendResult)
    ]
    named = [*measured, *(record for record, _ in others)]
    trusted = list_trusted(trust, [r.source_string for r in named], "no result has a source")
    instead, names = vectors or {}, [name for r in named for name in (r.source, r.source_string)]
    if strange := [name for name in instead if name not in names]:
        raise SourceError(
            "vectors: no result has a source with this name",
            got=strange[0],
            allowed=", ".join(dict.fromkeys(names)),
        )
    vouched = {test.id: test for test in (load_tests(tests) if tests else ())}
    functions = {measure.name: measure for measure in measures_of(measures)}
    sources: dict[SourceName, Opened] = {}
    with bypass_caches():
        checks = [_rebuilt(result, *at_hand, vouched, trusted, functions) for result in measured]
        for check in checks:
            if check.again is None and check.source not in sources:
                sources[check.source] = _open_source(check.source, checks, instead, trusted)
        for check in checks:
            if check.again is None:
                check.again = check.measure_period(sources[check.source], check.result.period)
        of_results = [_verdict(check, instead) for check in checks]
        of_trends = [_of_trend(trend, checks, sources) for trend in series]
        of_others = [_of_record(*other, instead, trusted, vouched) for other in others]
    return (*of_results, *of_trends, *of_others)


@dataclass
class _Check:
    """A result, the question that it answers, and what comes out now, or why nothing does."""

    result: AssociationResult
    test: Any = None
    measure: Any = None
    against: str = ""
    covariates: WordCovariates | None = None
    lines: tuple[str, ...] = ()
    """What is called otherwise in the test that is known."""
    remarks: tuple[str, ...] = ()
    """Where its answers come from."""
    again: AssociationResult | Failure | EatlasError | None = None

    @property
    def source(self) -> SourceName:
        """What its numbers come from."""
        return self.result.source, self.result.source_string, self.measure.needs.source

    def measure_period(
        self, source: Opened, period: int | None
    ) -> AssociationResult | Failure | EatlasError:
        """Measure its test on one period of a source."""
        if isinstance(source, EatlasError):
            return source
        if period not in source:
            return SourceError(f"the series has no period {period}")
        origin, source_from = self.result.provenance, self.result.source_from
        choices = self.measure, origin.case, origin.seed, source_from, self.covariates
        return perform(Job(self.test, source[period], *choices, self.result.run_of))


def _rebuilt(
    result: AssociationResult,
    find_contexts: Callable[[], FindsContexts],
    of_words: CovariatesAtHand,
    vouched: Mapping[str, Test],
    trusted: Collection[str],
    functions: Mapping[str, Measure],
) -> _Check:
    """Rebuild what a result answers."""
    try:
        with data_only(result.source_string):  # a signature that eatlas wrote names no file
            test = result.to_test()
            measure = _find_measure(result, functions)
        if result.source_string not in trusted:
            _require_few_draws(measure)
        against, known = _find_test(test, vouched)
        if known is not None:
            test = _with_files(test, known)
        origin = result.provenance.contexts
        contexts = None if origin is None else find_contexts().find(origin)
        in_context, its_measure = _in(contexts, test, measure)
        # the title says already that the test is one of contexts
        test = in_context.model_copy(update={"title": test.title})
        named = result.provenance.covariates
        covariates = None if named is None else of_words.find(named)
        check = _Check(result, test, its_measure, against, covariates)
        if known is not None:
            try:
                known, _ = _in(contexts, measure.reads(known.against(test)), measure)
                check.lines = tuple(_labels(result, test, known, against, measure))
            except EatlasError:  # its terms have no contexts in the file
                check.lines = (f"coverage: the terms differ from {KNOWN[against]}",)
        return check
    except EatlasError as error:
        return _Check(result, again=error)


def _find_measure(result: AssociationResult, functions: Mapping[str, Measure]) -> Measure:
    """The measure of a result: a function that was given, or the one of its signature."""
    if result.measure in functions:
        return functions[result.measure]
    try:
        return get_measure(result.signature)
    except SignatureError as error:
        function = getattr(result, "function", "")
        if not function or result.measure in measure_names():
            raise
        raise SignatureError(
            f"the measure {result.measure} was a function, {function}, whose code the file does "
            "not hold",
            remedy="give the function in Python: eatlas.verify(results, measures=function); if a "
            "package added it, install that package",
        ) from error


def _in(contexts: Any, test: Test, measure: Measure) -> tuple[Test, Measure]:
    """A test in its contexts, if it has any, and the measure that takes it so."""
    [((test,), (measure,))] = in_contexts((test,), [measure], contexts)
    return test, measure


def _require_few_draws(measure: Measure) -> None:
    """Refuse a number of random samples with which a file would keep a machine busy for days."""
    for name, most in MOST_DRAWS.items():
        number = getattr(measure, name, 0)
        if isinstance(number, int) and number > most:
            raise SignatureError(
                f"{measure.name}: too many random permutations or samples to recompute for a file",
                got=f"{name}={number}",
                allowed=f"{name} up to {most:,}",
                remedy="use eatlas run with this number, or eatlas verify --trust SOURCE",
            )


def _find_test(test: Test, vouched: Mapping[str, Test]) -> tuple[str, Test | None]:
    """The test of the same id that was given, or that is built in; the hash where none is."""
    of_sentences = any(concept.sentences for _, concept in test.parts)
    built_in = built_in_tests(sentences=of_sentences and test.contexts is None)
    for against, tests in (("given", vouched.values()), ("built in", built_in)):
        known = next((with_images(t) for t in tests if t.id == test.id), None)
        if known is not None and known.kind == test.kind and known.at_hand:
            return against, known
    return "hash", None


def _with_files(test: Test, known: Test) -> Test:
    """A test whose images, of which results have hashes alone, have the paths of a known test."""
    paths = {image.sha256: image.path for _, c in known.parts for image in c.images}
    concepts = {}
    for group, concept in test.concepts.items():
        images = tuple(
            image.model_copy(update={"path": image.path or paths.get(image.sha256, "")})
            for image in concept.images
        )
        concepts[group] = concept.model_copy(update={"images": images}) if images else concept
    return test.with_concepts(concepts) if paths else test


def _labels(
    result: AssociationResult, test: Test, known: Test, against: str, measure: Measure
) -> Iterator[str]:
    """Names in a result that differ from the test with its id."""
    name = f"{KNOWN[against]} {known.id}"
    pairs: dict[str, tuple[Any, Any]] = {
        f"concepts.{group}": (test.concepts[group].name, concept.name)
        for group, concept in known.concepts.items()
        if group in test.concepts
    }
    for key in ("title", "citation", "language", "sentences_from", "explored_on"):
        within = key in {"language", "sentences_from", "explored_on"}
        pairs[f"provenance.{key}" if within else key] = getattr(test, key), getattr(known, key)
    pairs["templates"] = measure.wording(test, result), measure.wording(known, result)
    for key, (old, new) in pairs.items():
        if old != new:
            yield f"{key}: {_shortly(old)} in the file, {_shortly(new)} in {name}"
    if test.stimuli_sha256 != known.stimuli_sha256:
        terms = listing(map(repr, sorted(set(test.terms) ^ set(known.terms))), 6)
        yield (
            f"coverage: the terms are not those of {name}: {terms or 'in other groups'}; a test "
            "with other terms needs another id"
        )


def _open_source(
    name: SourceName,
    checks: Iterable[_Check],
    instead: Mapping[str, Any],
    trusted: Collection[str],
) -> Opened:
    """Open what results name, and look up the words of all of them at once."""
    called, string, need = name
    asking = [check for check in checks if check.measure and check.source == name]
    mine = next((instead[key] for key in (called, string) if key in instead), None)
    try:
        keeps = any(check.measure.needs.keeps for check in asking)
        kept = use_stored_answers() if keeps else nullcontext()
        with data_only(string, (string,) if mine is not None else trusted), kept:
            opened = {}
            sources = open_for(string if mine is None else mine, need)
            for source in sources:
                answers: Any = reader_of(need).read(
                    [Job(c.test, source, c.measure) for c in asking]
                )
                renamed = answers if called == answers.name else answers.renamed(called)
                opened[period_of(source)] = renamed
                for check in asking:
                    check.remarks = getattr(source, "verification_remarks", ())
            return opened
    except RecursionError:
        return SourceError(f"{string[:60]}...: too many sources are nested in each other")
    except EatlasError as error:
        return error if mine is not None else _perhaps_moved(error, called)


def _perhaps_moved(error: EatlasError, called: str) -> EatlasError:
    """Say of a source that cannot be opened how to name another place."""
    if not isinstance(error, SourceError):
        return error
    moved = f"if the vectors are somewhere else: --vectors {shlex.quote(f'{called}=PATH')}"
    remedy = f"{error.remedy}; {moved}" if error.remedy else moved
    return type(error)(error.what, got=error.got, allowed=error.allowed, remedy=remedy)


# --- what came of it ------------------------------------------------------------------------------


def _verdict(check: _Check, instead: Collection[str]) -> Verdict:
    """Say what differs; a model that was moved is called otherwise."""
    result, again = check.result, check.again
    if not isinstance(again, AssociationResult):
        return _cannot_repeat(result, again)
    old, new = result.to_dict(), again.to_dict()
    for record in (old, new):  # it follows from the numbers
        record.pop(FINDING)
    if result.source in instead or result.source_from in instead:
        for part in (r.get(key) for r in (old, new) for key in ("encoding", "language_model")):
            (part or {}).pop("model", None)
    remarks = [*check.remarks]
    if check.against == "hash" and check.test.sentences_from and not result.contexts:
        origin = _shortly(check.test.sentences_from)
        remarks.append(f"provenance.sentences_from is not verified: {origin}")
    pools = [record.encoding and record.encoding.pool for record in (result, again)]
    if pools == ["mean-words", "mean-all"]:
        remarks.append(MEANS.format(name=result.source))
    return _make_verdict(result, [*check.lines, *differences(old, new)], remarks, check.against)


def _of_trend(
    trend: TrendResult, checks: Iterable[_Check], sources: Mapping[SourceName, Opened]
) -> Verdict:
    """Verify a trend by the results of its periods; whether the series has others is said."""

    def identity(record: AssociationResult | TrendResult) -> tuple[object, ...]:
        """The hash of the stimuli distinguishes windows."""
        origin = record.provenance
        return (
            record.test, series_source(record), record.signature, origin.seed,
            origin.stimuli_sha256,
        )  # fmt: skip

    same = [
        c for c in checks if c.result.period is not None and identity(c.result) == identity(trend)
    ]
    if not same:
        reason = "no result of its periods and seed was given, so that its test cannot be rebuilt"
        return Verdict(trend, "not repeated", (reason,))
    opened = [sources[check.source] if check.measure else check.again for check in same]
    for source in opened:  # one, or each part of a corpus by itself
        if not isinstance(source, dict):
            return _cannot_repeat(trend, source)
    again = [check.again for check in same if isinstance(check.again, AssociationResult)]
    if not (computed := trends(again, (), trend.provenance.seed)):
        reason = "too few periods of the series give a result now"
        return Verdict(trend, "not repeated", (reason,))
    old, new = trend.to_dict(), computed[0].to_dict()
    lines = [*differences(old, {**new, "missing": old["missing"]})]
    stated = {*trend.periods, *(gap.period for gap in trend.missing)}
    if (
        series_source(same[0].result) != same[0].result.source
    ):  # parts without a result are not open
        stated = {*trend.periods}
    periods = [*dict.fromkeys(period for source in opened for period in source)]  # type: ignore[union-attr]
    if stated != set(periods):
        lines.append(f"periods: {sorted(stated)} in the file, {periods} in the series")
    return _make_verdict(trend, lines)


def _of_record(
    record: Head,
    verifier: Verifier,
    instead: Mapping[str, Any],
    trusted: Collection[str],
    vouched: Mapping[str, Test],
) -> Verdict:
    """Verify a record of another kind as its package does."""
    string = record.source_string
    mine = next((instead[key] for key in (record.source, string) if key in instead), None)
    try:
        with data_only(string, (string,) if mine is not None else trusted):
            source = open_vectors(string if mine is None else mine)
            again = verifier.repeat(record, source, vouched)
    except RecursionError:
        return _cannot_repeat(record, EatlasError("too many sources are nested in each other"))
    except EatlasError as error:
        return _cannot_repeat(
            record, error if mine is not None else _perhaps_moved(error, record.source)
        )
    return _make_verdict(record, again.lines, again.remarks, again.against)


def _cannot_repeat(record: Head, outcome: Any) -> Verdict:
    """Say why a record was not computed again, and what to do about it."""
    error = outcome.error if isinstance(outcome, Failure) else outcome
    remedy = error.remedy if isinstance(error, SourceError | SignatureError) else None
    details = (error.what, f"remedy: {remedy}") if remedy else (error.what,)
    refused = isinstance(error, UntrustedSourceError)
    return Verdict(record, "refused" if refused else "not repeated", details)


def _make_verdict(
    record: Head,
    lines: Iterable[str],
    remarks: Iterable[str] = (),
    against: str = "",
) -> Verdict:
    """Say whether there is a difference; the basis comes first, then the findings."""
    ordered = sorted(
        lines, key=lambda line: (not line.startswith(FIRST), not line.startswith(NEXT))
    )
    cut = (f"and {len(ordered) - SHOWN} more",) if len(ordered) > SHOWN else ()
    verdict = Verdict(record, "differs" if ordered else "same", against=against)
    if verdict.version != __version__:
        remarks = *remarks, f"made by eatlas {verdict.version}, verified by {__version__}"
    return replace(verdict, details=(*ordered[:SHOWN], *cut, *remarks))


def differences(old: Any, new: Any) -> Iterator[str]:
    """Say what differs between the record of a file and the same computed again."""
    model = new.get("encoding") or new.get("language_model") or {}
    scale = (model.get("roundoff") or 0.0) / SINGLE
    ignored = {"provenance.version", "provenance.run"}
    if ";transform=" in str(new.get("provenance", {}).get("source_fingerprint")):
        ignored.add("provenance.vectors_sha256")
    yield from _walk(old, new, (), scale, ignored, dict(monte_carlo_numbers(new)))


def monte_carlo_numbers(
    record: Any, path: Keys = (), draws: Any = None
) -> Iterator[tuple[Keys, float]]:
    """Proportions and counts of random samples in a record, with their expected difference.

    `draws` are those behind the part, or of each tail; none where its p-values are exact.
    """
    if isinstance(record, Mapping):
        draws = _draws_behind(record, path, draws)
        for key, value in record.items():
            if key != "permutations":
                of_tail = draws.get(key, draws) if isinstance(draws, Mapping) else draws
                yield from monte_carlo_numbers(value, (*path, key), of_tail)
    elif isinstance(record, list):
        for i, value in enumerate(record):
            yield from monte_carlo_numbers(value, (*path, i), draws)
    elif isinstance(draws, int) and isinstance(record, int | float):
        keys = {key for key in path if isinstance(key, str)}
        if isinstance(record, int) and keys & {"counts", "undefined", "labels"}:
            yield path, COMPUTED_DRAWS
        elif _of_p(keys) or keys & {"patterns", "patterns_error", "labels"}:
            ends = 2 if "interval" in keys else 1  # those of a p near 0 move by more than it
            yield path, ends * (COMPUTED_DRAWS + NOUGHT) / (draws + 1)


def _draws_behind(record: Mapping[str, Any], path: Keys, draws: Any) -> Any:
    """Random permutations behind a part of a record; of the whole, by its parts."""
    if not path:
        of_targets = (record.get("labels") or {}).get("permutations")
        return {**dict.fromkeys(record), "targets": of_targets, "concept": of_targets}
    if path == ("samples",):
        return record.get("count")
    if path[-1] == "p":
        return record.get("permutations")
    if "method" in record:
        return draws if record["method"] == "sampled" else None
    return record.get("permutations", record.get("resamples", draws))


def _of_p(keys: Collection[str]) -> bool:
    return any(key == "p" or key.startswith("p_") for key in keys)


def _walk(
    old: Any,
    new: Any,
    path: Keys,
    scale: float,
    ignored: Collection[str],
    draws: Mapping[Keys, float],
) -> Iterator[str]:
    """Every part that differs, with both values; a note's sentence says what its values say."""
    name = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]
    if old == new or name in ignored or (scale and NOT_COMPARED & set(path)):
        return
    if path[:1] == ("warnings",) and path[-1] == "text":
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {**old, **new}:
            yield from _walk(old.get(key), new.get(key), (*path, key), scale, ignored, draws)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (before, now) in enumerate(zip(old, new, strict=True)):
            yield from _walk(before, now, (*path, i), scale, ignored, draws)
    elif not _near(old, new, path, scale, draws.get(path, 0.0)):
        yield f"{name}: {_shortly(old)} in the file, {_shortly(new)} now"


def _near(old: Any, new: Any, path: Keys, scale: float, of_draws: float) -> bool:
    """Whether two numbers differ by no more than another machine's arithmetic explains.

    `scale` is the roundoff of computed vectors in units of single precision, 0 of vectors of files;
    `of_draws` is what two random samples change.
    """
    keys = {key for key in path if isinstance(key, str)}
    if not isinstance(old, int | float) or type(old) is not type(new):
        return False
    counted = of_draws or keys & {"count", "without"}
    if isinstance(old, int) and not (scale and counted):
        return False
    of_p = _of_p(keys)
    relative, absolute = FROM_FILES, 0.0 if of_p else NOUGHT
    if scale:
        relative = min(LOOSEST, max(1.0, scale) * (COMPUTED_P if of_p else COMPUTED))
        absolute = 0.0 if of_p else COMPUTED_ZERO * max(1.0, scale)
    if scale and of_draws:  # half a percent of a large p would be many draws
        relative, absolute = 0.0 if scale <= 1 else relative, of_draws
    rounded = max((ROUNDED[key] for key in keys & ROUNDED.keys()), default=0.0)
    absolute = max(absolute, rounded * (3 if scale else 1))
    return math.isclose(old, new, rel_tol=relative, abs_tol=absolute)


def _shortly(value: Any) -> str:
    """A value as it is written, cut where it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 3]}..."
