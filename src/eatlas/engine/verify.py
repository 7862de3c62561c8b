"""Computing results again from their provenance, and saying what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.corpora import ContextsAtHand
from eatlas.engine.comparing import LOOKED_UP, differences, tolerance_of
from eatlas.engine.contexts import in_contexts
from eatlas.engine.labels import Labels, compared
from eatlas.engine.other_draws import as_recorded, drawn_otherwise, random_differences
from eatlas.engine.perform import Conditions, perform
from eatlas.engine.plan import Job
from eatlas.engine.sources import Source
from eatlas.engine.strangers import Trust
from eatlas.engine.verdicts import Judged, Verdict, written
from eatlas.engine.verify_trends import verify_trend
from eatlas.errors import EatlasError, SourceError, StimulusError, UntrustedSourceError
from eatlas.measures import AssociationMeasure, get_measure
from eatlas.measures.base import Need
from eatlas.results import AssociationResult, Failure, TrendResult, is_result
from eatlas.results.parts import GroupCoverage
from eatlas.sources.care import computed_afresh, data_only
from eatlas.stimuli import KINDS, Concept, Sentence, Test, load_tests

__all__ = ["Verdict", "rebuilt_test", "verify"]


def verify(
    results: Iterable[AssociationResult],
    *,
    contexts: Any = (),
    folders: Iterable[str | Path] = (),
    vectors: Mapping[str, Any] | None = None,
    trust: str | Iterable[str] = (),
    tests: Any = (),
) -> tuple[Verdict, ...]:
    """Compute results again from what they say of themselves.

    Nothing that a result names is run: bundled vectors, files and folders of data that are on this
    machine, published vectors that were fetched and local models without code of their own are
    opened. A function, an endpoint, a model with code of its own, a name on a hub and what a
    package registers are refused, and the verdict says what each would do. No cache and no index
    is read.

    The test is rebuilt from the result's terms, the measure from its signature, the vectors are
    opened by the source's name. Counts, labels, words and hashes must be equal; numbers may differ
    by what another machine's arithmetic explains: 1e-9 of their size, and 1e-3 under
    ``uncertainty``, which rests on resampling. Where a model computed the vectors, in single
    precision, scores and effect sizes may differ by 1e-6, p-values and their counts by 1e-2 of
    their size, and the hash of the vectors is not compared. Where another version of
    eatlas wrote the result, only what that version wrote is compared; and where its draws did not
    follow the seed and the stimuli, intervals, shares and sampled p-values within their Monte
    Carlo error.

    Names of groups, title, citation and terms of a result whose test is built in must be those of
    the built-in test. Those of other tests must fit the hash that the file carries, which
    whoever changes both can meet: ``tests`` holds them against tests that you vouch for.

    A result of contexts of a file names the file, and the hash of its contexts: they are taken
    from those that are given, or from a file of that name in one of the folders or in the working
    folder.

    A trend is computed again from all periods that the series has now, so that a period that was
    left out, or has come since, is seen too.

    Parameters
    ----------
    results : Results or iterable of AssociationResult
        Of ``Results``, the trends are verified too.
    contexts : path, Contexts, Pairs, or several of them
        Contexts that results were made of.
    folders : iterable of path
        Where files of contexts lie, besides the working folder.
    vectors : mapping, optional
        From the name of a source in the results to what is opened in its place: the path of a file
        that was moved, or anything else that :func:`eatlas.open_vectors` takes. Its content must
        be the same.
    trust : str or iterable of str
        Names of sources in the results that may do more than read data, such as
        ``"py:module:function"``.
    tests : anything that :func:`eatlas.load_tests` takes, optional
        Tests that the results must be of: names of groups, title, citation and terms of a result
        with the id of one must be its.

    Returns
    -------
    tuple of Verdict
        In the order of the results; then those of the trends.

    Raises
    ------
    SourceError
        If contexts that are given cannot be read, or no result has a source of a name in `vectors`
        or `trust`.

    Examples
    --------
    >>> import eatlas
    >>> [verdict.status for verdict in verify(eatlas.run(tests=["weat-6", "weat-7"]))]
    ['same', 'same']
    """
    trends: tuple[TrendResult, ...] = tuple(getattr(results, "trends", ()))
    results = tuple(results)
    given = contexts if isinstance(contexts, list | tuple) else [contexts]
    at_hand = ContextsAtHand(given, [*map(Path, folders), Path()])
    said = Trust(vectors or {}, (trust,) if isinstance(trust, str) else tuple(trust))
    said.require_named(result.source for result in results)
    known = {test.id: test for test in (load_tests(tests) if tests else ())}
    with computed_afresh():
        asked = [_asked(result, at_hand, known) for result in results]
        places = [(r.source, _need(q)) for r, q in zip(results, asked, strict=True)]
        sources: dict[tuple[str, Need], Opened] = {}
        for name, need in dict.fromkeys(places):
            questions = [q for q, place in zip(asked, places, strict=True) if place == (name, need)]
            some = [(q.test, q.measure) for q in questions if not isinstance(q, EatlasError)]
            sources[name, need] = _opened(name, need, some, said)
        again = [
            _again(result, question, _of_period(sources[place], result.period))
            for result, question, place in zip(results, asked, places, strict=True)
        ]
        limits = [
            _limits(result, found, question, _of_period(sources[place], result.period))
            for result, found, question, place in zip(results, again, asked, places, strict=True)
        ]
    moved = [said.moved(result.source) for result in results]
    return (
        *map(_judged, results, asked, again, limits, moved),
        *(
            _of_trend(trend, results, asked, again, sources.get((trend.source, "vectors")))
            for trend in trends
        ),
    )


DRAWN_OTHERWISE = (
    "the file does not say how its random draws were seeded, as older ones do not: intervals and "
    "shares were compared within their Monte Carlo error alone"
)
ROUNDINGS = (0.5, 1.5)
"""Multiples of the precision of computed vectors between whose counts an honest one lies."""
BRIEF = {"resamples": 0, "frequency": "off"}
"""Parameters of measures that leave out what does not bear on counts."""


class Question(NamedTuple):
    """What a result answers, and how what it is called compares."""

    test: Test
    measure: AssociationMeasure
    labels: Labels


Opened = dict[int | None, Source] | EatlasError
"""The periods of a series, or one source without a period."""


def _asked(
    result: AssociationResult, at_hand: ContextsAtHand, known: Mapping[str, Test]
) -> Question | EatlasError:
    """Rebuild what a result answers."""
    origin = result.provenance.contexts
    try:
        with data_only(result.source):  # a signature that eatlas wrote names no file
            test, measure = rebuilt_test(result), get_measure(result.signature)
        if origin is None:
            return Question(test, measure, compared(result, test, known, lambda one: one))
        contexts = at_hand.find(origin)

        def placed(one: Test) -> Test:
            return in_contexts((one,), [measure], contexts)[0][0][0]

        [((put,), (measure_in,))] = in_contexts((test,), [measure], contexts)
        # the title says already that the test is one of contexts
        there: Test = put.model_copy(update={"title": test.title})
        return Question(there, measure_in, compared(result, there, known, placed))
    except EatlasError as error:
        return error


def _need(question: Question | EatlasError) -> Need:
    return "vectors" if isinstance(question, EatlasError) else question.measure.needs


def _opened(
    name: str,
    need: Need,
    questions: list[tuple[Test, AssociationMeasure]],
    trust: Trust,
) -> Opened:
    """Open a source and ask it for all words at once; a large file is read once then."""
    try:
        return trust.ask(name, need, questions)
    except EatlasError as error:
        return error


def _of_period(found: Opened, period: int | None) -> Source | EatlasError:
    if isinstance(found, EatlasError):
        return found
    if period in found:
        return found[period]
    return SourceError(f"the series has no period {period}")


Again = AssociationResult | Failure | EatlasError
"""What comes out now; why the test has no result; why it could not be asked at all."""


def _again(
    result: AssociationResult, question: Question | EatlasError, source: Source | EatlasError
) -> Again:
    if isinstance(question, EatlasError):
        return question
    if isinstance(source, EatlasError):
        return source
    given = result.provenance
    job = Job(question.test, source, as_recorded(question.measure, result))
    found = perform(job, Conditions(given.case, given.seed))
    signature = question.measure.signature  # without the number of resamples that was recorded
    if isinstance(found, Failure):
        return replace(found, signature=signature)
    return found.model_copy(update={"signature": signature})


def _limits(
    result: AssociationResult,
    again: Again,
    question: Question | EatlasError,
    source: Source | EatlasError,
) -> tuple[dict[str, Any], ...]:
    """Of computed vectors, what comes out where sums tie by less and by more.

    Counts of honest computations lie between. Nothing that is drawn is drawn again.
    """
    if (
        not is_result(again)
        or isinstance(question, EatlasError)
        or isinstance(source, EatlasError)
        or tolerance_of(again.to_dict()) is LOOKED_UP
    ):
        return ()
    known = {field.name for field in fields(question.measure) if field.init}
    brief = {name: value for name, value in BRIEF.items() if name in known}
    job = Job(question.test, source, question.measure.with_parameters(**brief))
    given = result.provenance
    found = (perform(job, Conditions(given.case, given.seed, rounding)) for rounding in ROUNDINGS)
    return tuple(one.to_dict() for one in found if is_result(one))


def _judged(
    result: AssociationResult,
    question: Question | EatlasError,
    again: Again,
    limits: tuple[dict[str, Any], ...],
    moved: bool,  # noqa: FBT001
) -> Verdict:
    if is_result(again):
        old, new = written(result), again.to_dict()
        if moved:
            _without_places(old, new)
        labels = None if isinstance(question, EatlasError) else question.labels
        if not drawn_otherwise(result):
            return Verdict.of(result, old, new, labels, limits)
        said = (*(labels.differences if labels else ()), *random_differences(old, new))
        found = Verdict.found(result, (*said, *differences(old, new, limits)), old, new, labels)
        return replace(found, details=(*found.details, DRAWN_OTHERWISE))
    return _unrepeated(result, again.error if isinstance(again, Failure) else again)


def _without_places(*records: dict[str, Any]) -> None:
    """Leave out how a model was called: one that was moved has another name."""
    for record in records:
        for key in ("encoding", "language_model"):
            if isinstance(record.get(key), dict):
                record[key].pop("model", None)


def _unrepeated(record: Judged, error: EatlasError) -> Verdict:
    """Say why a record was not computed again, and what to do about it."""
    remedy = error.remedy if isinstance(error, SourceError) else None
    details = [error.what, *([f"remedy: {remedy}"] if remedy else [])]
    return Verdict.without(record, *details, refused=isinstance(error, UntrustedSourceError))


def _of_trend(
    trend: TrendResult,
    results: tuple[AssociationResult, ...],
    asked: list[Question | EatlasError],
    again: list[Again],
    found: Opened | None,
) -> Verdict:
    """Verify a trend by the results of its periods, those that the file lacks included."""
    known = {
        result.period: (result, question, found)
        for result, question, found in zip(results, asked, again, strict=True)
        if _belongs(result, trend)
    }
    if not known or found is None:
        reason = "no result of its periods and seed was given, so that its test cannot be rebuilt"
        return Verdict.without(trend, reason)
    if isinstance(found, EatlasError):
        return _unrepeated(trend, found)
    first, question, _ = next(iter(known.values()))
    outcomes = [
        known[period][2] if period in known else _again(first, question, source)
        for period, source in found.items()
    ]
    faults = [outcome.what for outcome in outcomes if isinstance(outcome, EatlasError)]
    if faults:
        return Verdict.without(trend, faults[0])
    usable = [outcome for outcome in outcomes if not isinstance(outcome, EatlasError)]
    return verify_trend(trend, usable, trend.provenance.seed)


def _belongs(result: AssociationResult, trend: TrendResult) -> bool:
    """Whether a result is one of the periods of a trend."""
    return result.period is not None and _named(result) == _named(trend)


def _named(record: AssociationResult | TrendResult) -> tuple[str, str, str, int, str]:
    """Test, series, signature and seed; the hash of the stimuli tells windows apart."""
    given = record.provenance
    return record.test, record.source, record.signature, given.seed, given.stimuli_sha256


def rebuilt_test(result: AssociationResult) -> Test:
    """Rebuild the test that a result belongs to, from the terms that it lists.

    Raises
    ------
    StimulusError
        If they make no test.
    """
    try:
        concepts = {
            group: _rebuilt(result.concepts[group], covered)
            for group, covered in result.coverage.items()
        }
        return KINDS[result.kind].of(
            concepts,
            id=result.test,
            title=result.title,
            citation=result.provenance.citation,
            sentences_from=result.provenance.sentences_from,
            **result.of_the_test(),
        )
    except StimulusError as error:
        said = "; ".join(error.what.splitlines())
        raise StimulusError(f"the terms of the result make no test: {said}") from error


def _rebuilt(name: str, group: GroupCoverage) -> Concept:
    """A concept of words, or of sentences with the stimuli that they are made of."""
    terms = group.used + group.missing
    if not group.stimulus:
        clusters: dict[str, list[str]] = {}
        for term, first in group.cluster.items():
            clusters.setdefault(first, []).append(term)
        return Concept(name=name, terms=terms, clusters=tuple(map(tuple, clusters.values())))
    absent = tuple((term, group.reasons[term]) for term in terms if term not in group.stimulus)
    sentences = tuple(
        Sentence(
            text=group.text.get(term, term),
            stimulus=group.stimulus[term],
            span=group.span.get(term),
            key=term if term in group.text else "",
        )
        for term in terms
        if term in group.stimulus
    )
    kept = tuple(one.term for one in sentences)
    return Concept(name=name, terms=kept, sentences=sentences, absent=absent)
