"""Computing results and trends again from their provenance, and saying what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from eatlas.corpora import Contexts, ContextsAtHand, Pairs
from eatlas.engine.execution import Conditions, perform
from eatlas.engine.plan import Job, Source, in_contexts
from eatlas.engine.trends import trends
from eatlas.engine.trust import Trust
from eatlas.engine.verify_draws import as_recorded, drawn_otherwise, random_differences
from eatlas.engine.verify_outcomes import Judged, Labels, Verdict, compared, written
from eatlas.engine.verify_records import LOOKED_UP, differences, tolerance_of
from eatlas.engine.wordings import current
from eatlas.errors import (
    EatlasError,
    SignatureError,
    SourceError,
    StimulusError,
    UntrustedSourceError,
)
from eatlas.measures import Measure, get_measure
from eatlas.measures.base import Need
from eatlas.results import AssociationResult, Failure, TrendResult, is_result
from eatlas.results.parts import GroupCoverage
from eatlas.stimuli import KINDS, Concept, Image, Sentence, Test, built_in_tests, load_tests
from eatlas.stimuli.batteries import with_images
from eatlas.stimuli.kinds import TestsLike
from eatlas.untrusted import computed_afresh, data_only

__all__ = ["Verdict", "rebuilt_test", "verify"]

ContextsLike = Contexts | Pairs | str | Path
"""Contexts of words or of pairs, or a file of them."""


def verify(
    results: Iterable[AssociationResult],
    *,
    contexts: ContextsLike | Iterable[ContextsLike] = (),
    folders: Iterable[str | Path] = (),
    vectors: Mapping[str, Any] | None = None,
    trust: str | Iterable[str] = (),
    tests: TestsLike = (),
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
    the built-in test. Those of other tests must fit the hash that the file has, which
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
        From the name of a source in the results, or its source string, to what is opened in its
        place: the path of a file that was moved, or anything else that
        :func:`eatlas.open_vectors` takes. Its content must be the same.
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
    given = contexts if isinstance(contexts, list | tuple) else [contexts]
    at_hand = ContextsAtHand(given, [*map(Path, folders), Path()])
    said = Trust(vectors or {}, (trust,) if isinstance(trust, str) else tuple(trust))
    known = {test.id: test for test in (load_tests(tests) if tests else ())}
    trends: tuple[TrendResult, ...] = tuple(getattr(results, "trends", ()))
    results = tuple(results)
    said.require_named([one.source for one in results], [one.source_string for one in results])
    with computed_afresh():
        checks = [_Check(result, _question(result, at_hand, known, said)) for result in results]
        opened = {place: _opened(place, checks, said) for place in {c.place: 0 for c in checks}}
        for check in checks:
            check.compute(opened[check.place])
    return (
        *(
            check.verdict(moved=said.moved(check.result.source, check.result.source_from))
            for check in checks
        ),
        *(
            _of_trend(trend, checks, opened.get((trend.source, _string(trend), "vectors")))
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
MOST_DRAWS = {"draws": 10_000_000, "resamples": 1_000_000, "frequency": 1_000_000}
"""Random draws that a file of somebody else's may request: minutes, not days."""


class Question(NamedTuple):
    """What a result answers, and how what it is called compares."""

    test: Test
    measure: Measure
    labels: Labels


Place = tuple[str, str, Need]
"""A source, as results name it; what opens it; and what is needed of it."""
Opened = dict[int | None, Source] | EatlasError
"""The periods of a series, or one source without a period."""
Again = AssociationResult | Failure | EatlasError
"""What comes out now; why the test has no result; why it could not be measured at all."""


@dataclass
class _Check:
    """One result, what it answers, and what comes out now."""

    result: AssociationResult
    question: Question | EatlasError
    again: Again = field(init=False)
    limits: tuple[dict[str, Any], ...] = ()
    """Of computed vectors, what comes out where sums tie by less and by more; counts of honest
    computations are between."""

    @property
    def place(self) -> Place:
        """Where its vectors, or log-probabilities, come from."""
        asked = self.question
        need: Need = "vectors" if isinstance(asked, EatlasError) else asked.measure.needs
        return self.result.source, self.result.source_string, need

    def compute(self, opened: Opened) -> None:
        """Measure again; what model and rounding decide is measured with other tolerances too."""
        source = _of_period(opened, self.result.period)
        self.again = self.measured(source)
        if is_result(self.again) and tolerance_of(self.again.to_dict()) is not LOOKED_UP:
            found = (self.measured(source, rounding) for rounding in ROUNDINGS)
            self.limits = tuple(one.to_dict() for one in found if is_result(one))

    def measured(self, source: Source | EatlasError, rounding: float = 1.0) -> Again:
        """Measure the test; with another rounding nothing that is drawn is drawn again."""
        if isinstance(self.question, EatlasError):
            return self.question
        if isinstance(source, EatlasError):
            return source
        test, measure, _ = self.question
        asked, given = as_recorded(measure, self.result), self.result.provenance
        if rounding != 1:
            known = {one.name for one in fields(measure) if one.init}
            asked = measure.with_parameters(**{k: v for k, v in BRIEF.items() if k in known})
        job = Job(test, source, asked, self.result.source_from)
        found = perform(job, Conditions(given.case, given.seed, rounding))
        # without the number of resamples that was recorded
        if isinstance(found, Failure):
            return replace(found, signature=measure.signature)
        return found.model_copy(update={"signature": measure.signature})

    def verdict(self, *, moved: bool) -> Verdict:
        """Say what differs; a model that was moved is called otherwise."""
        result, again = self.result, self.again
        if isinstance(again, Failure):
            again = again.error
        if isinstance(self.question, EatlasError) or isinstance(again, EatlasError):
            return _unrepeated(result, cast("EatlasError", again))
        old, new, labels = written(result), again.to_dict(), self.question.labels
        for record in (old, new) if moved else ():
            for key in ("encoding", "language_model"):
                if isinstance(record.get(key), dict):
                    record[key].pop("model", None)
        drawn = list(random_differences(old, new)) if drawn_otherwise(result) else []
        said = (*labels.differences, *drawn, *differences(old, new, self.limits))
        found = Verdict.found(result, said, old, new, labels)
        if not drawn_otherwise(result):
            return found
        return replace(found, details=(*found.details, DRAWN_OTHERWISE))


def _question(
    result: AssociationResult, at_hand: ContextsAtHand, known: Mapping[str, Test], trust: Trust
) -> Question | EatlasError:
    """Rebuild what a result answers."""
    origin = result.provenance.contexts
    try:
        with data_only(result.source_string):  # a signature that eatlas wrote names no file
            test = with_files(rebuilt_test(result), known.values())
            measure = get_measure(result.signature)
        if result.source_string not in trust.trusted:
            _require_few_draws(as_recorded(measure, result))
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


def _require_few_draws(measure: Measure) -> None:
    """Refuse a number of random draws with which a file would keep a machine busy for days."""
    for name, most in MOST_DRAWS.items():
        number = getattr(measure, name, 0)
        if isinstance(number, int) and number > most:
            raise SignatureError(
                f"{measure.name}: more random draws than are drawn again for a file",
                got=f"{name}={number}",
                allowed=f"{name} up to {most:,}",
                remedy="eatlas run draws as many as you say; --trust SOURCE lets a file say it",
            )


def _opened(place: Place, checks: Iterable[_Check], trust: Trust) -> Opened:
    """Open a source and look up all words at once; a large file is read once then."""
    questions = [check.question for check in checks if check.place == place]
    asked = [(one.test, one.measure) for one in questions if not isinstance(one, EatlasError)]
    try:
        return trust.ask(*place, asked)
    except EatlasError as error:
        return error


def _string(trend: TrendResult) -> str:
    """What opens the series of a trend."""
    return trend.source_from or trend.source


def _of_period(found: Opened, period: int | None) -> Source | EatlasError:
    if isinstance(found, EatlasError):
        return found
    return found.get(period) or SourceError(f"the series has no period {period}")


def _unrepeated(record: Judged, error: EatlasError) -> Verdict:
    """Say why a record was not computed again, and what to do about it."""
    remedy = error.remedy if isinstance(error, SourceError | SignatureError) else None
    details = [error.what, *([f"remedy: {remedy}"] if remedy else [])]
    return Verdict.without(record, *details, refused=isinstance(error, UntrustedSourceError))


def _of_trend(trend: TrendResult, checks: Iterable[_Check], found: Opened | None) -> Verdict:
    """Verify a trend by the results of its periods, those that the file lacks included."""
    known = {
        check.result.period: check
        for check in checks
        if check.result.period is not None and _named(check.result) == _named(trend)
    }
    if not known or found is None:
        reason = "no result of its periods and seed was given, so that its test cannot be rebuilt"
        return Verdict.without(trend, reason)
    if isinstance(found, EatlasError):
        return _unrepeated(trend, found)
    first = next(iter(known.values()))
    outcomes = [
        known[period].again if period in known else first.measured(source)
        for period, source in found.items()
    ]
    faults = [outcome.what for outcome in outcomes if isinstance(outcome, EatlasError)]
    if faults:
        return Verdict.without(trend, faults[0])
    usable = [outcome for outcome in outcomes if not isinstance(outcome, EatlasError)]
    return verify_trend(trend, usable, trend.provenance.seed)


def _named(record: AssociationResult | TrendResult) -> tuple[str, str, str, int, str]:
    """Test, series, signature and seed; the hash of the stimuli distinguishes windows."""
    given = record.provenance
    return record.test, record.source, record.signature, given.seed, given.stimuli_sha256


def rebuilt_test(result: AssociationResult) -> Test:
    """Rebuild the test that a result belongs to, from the terms that it lists."""
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
            explored=result.provenance.explored,
            **result.of_the_test(),
        )
    except StimulusError as error:
        said = "; ".join(error.what.splitlines())
        raise StimulusError(f"the terms of the result make no test: {said}") from error


def with_files(test: Test, known: Iterable[Test]) -> Test:
    """Return a test with the paths of images that are those of known tests, by their bytes.

    Results say what images are, and not where they are. Known are the tests that are given, and
    the built-in test of the same id where its images are on this machine.
    """
    if not any(concept.images for _, concept in test.parts):
        return test
    same = [one for one in built_in_tests(sentences=False) if one.id == test.id]
    paths = {
        image.sha256: image.path
        for one in (*known, *map(with_images, same))
        for _, concept in one.parts
        for image in concept.images
    }

    def found(image: Image) -> Image:
        path = image.path or paths.get(image.sha256, "")
        return Image(name=image.name, sha256=image.sha256, path=path)

    concepts = {
        group: concept.model_copy(update={"images": tuple(map(found, concept.images))})
        for group, concept in test.concepts.items()
    }
    fields = {key: value for key, value in test if key not in {*concepts, "groups", "kind"}}
    return type(test).of(concepts, **fields)


def _rebuilt(name: str, group: GroupCoverage) -> Concept:
    """A concept of words, of images, or of sentences with the stimuli they are made of."""
    terms = group.used + group.missing
    if group.image:
        images = tuple(
            Image(name=term, sha256=group.image[term], path=group.found_as.get(term, ""))
            for term in terms
            if term in group.image
        )
        absent = tuple((one, group.reasons[one]) for one in terms if one not in group.image)
        kept = tuple(one.name for one in images)
        return Concept(name=name, terms=kept, images=images, absent=absent)
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


OF_THE_PERIODS = ("periods", "missing")
"""Keys of a record that are compared year by year."""
CUT = "not compared: the p-values of the trend, whose runs were cut in another way"


def verify_trend(
    trend: TrendResult, outcomes: Iterable[AssociationResult | Failure], seed: int
) -> Verdict:
    """Compute a trend again and say what differs."""
    found = tuple(outcomes)
    done = [outcome for outcome in found if not isinstance(outcome, Failure)]
    failed = [outcome for outcome in found if isinstance(outcome, Failure)]
    again = trends(done, failed, seed)
    if not again:
        return Verdict.without(trend, "too few periods of the series give a result now")
    old, new = written(trend), again[0].to_dict()
    for key in OF_THE_PERIODS:
        old.pop(key, None)
        new.pop(key, None)
    otherwise = trend.provenance.draws is None
    if otherwise:
        _without_runs(old, new)
    found_now = (*_of_periods(trend, again[0]), *differences(old, new))
    verdict = Verdict.found(trend, found_now, old, new)
    return replace(verdict, details=(*verdict.details, CUT)) if otherwise else verdict


def _without_runs(*records: dict[str, Any]) -> None:
    """Leave out what rests on how the series is cut into runs."""
    for record in records:
        record.get("provenance", {}).pop("draws", None)
        record.pop("warnings", None)
        for level in (record.get("level1"), *(record.get("level2") or {}).values()):
            if level:
                level.pop("p", None)
                level.pop("block_length", None)


def _of_periods(old: TrendResult, new: TrendResult) -> Iterator[str]:
    """Say which years have a result in one and not in the other, or lack it for another reason."""
    before, after = _states(old), _states(new)
    for year in sorted(before | after):
        then, now = (states.get(year, "not there") for states in (before, after))
        if then != now:
            yield f"period {year}: {then} in the file, {now} now"


def _states(trend: TrendResult) -> dict[int, str]:
    missing = {m.period: f"missing ({current(m.reason)})" for m in trend.missing}
    return missing | dict.fromkeys(trend.periods, "a result")
