"""Scores of logs as results, and whether they agree with associations over models."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eatlas.errors import ResultsError, listing
from eatlas.measures.association import to_record
from eatlas.notes import Note
from eatlas.numbers import number_of
from eatlas.results import AssociationResult, Results
from eatlas.results.parts import Concepts, Coverage, GroupCoverage, Provenance, finite
from eatlas.results.targets import Range, TargetValue
from eatlas.sources.opening import NamedSpec, split_name
from eatlas.sources.spec import options_of
from eatlas.stats.multiplicity import holm_adjusted
from eatlas.stats.permutation.problem import PermutationResult
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas.version import __version__
from eatlas_models.reading.bbq import bias_score
from eatlas_models.reading.evaluation_logs import (
    CATEGORY,
    EvaluationLog,
    Reported,
    Sample,
    no_score,
    read_evaluation_logs,
)
from eatlas_models.results.benchmarks import AgreementResult, BenchmarkResult, LogRecord
from eatlas_models.stats.agreement import (
    jackknife_interval,
    spearman_interval,
    spearman_test,
)
from eatlas_models.stimuli.categories import category_of_task, category_of_test, common_category

ALL = "All questions"
"""What the questions of a benchmark without categories are called."""
CONFIDENCE, ALPHA = 0.95, 0.05
BIAS = {"amb_bias_score": "bias-ambiguous", "disamb_bias_score": "bias-disambiguated"}
"""The scores of BBQ, as lm-eval and as eatlas call them."""
_SCHEME = re.compile(r"^(?:hf|st|chat):")
"""Beginning of the source string of a model; what follows a later colon is a part of its name."""
ROUNDING = 1e-6
"""By how much a mean of samples may differ from the number of the log."""
Statistic = Callable[[Any, int], float]
"""A number of the sums of columns, and the count of rows."""
PEOPLE = ("Stereotyped answers", "Other answers")
SIZES = ("Higher scores", "Lower scores")


# --- results of logs ------------------------------------------------------------------------------


def read_logs(
    logs: str | Path | Mapping[str, str | Path] | Iterable[str | Path],
    *,
    category: str = CATEGORY,
) -> Results:
    """Read the scores of models from logs of inspect_ai and lm-eval.

    Parameters
    ----------
    logs : path, several paths, or dict of str to path
        Logs, or folders of logs: ``.eval`` and ``.json`` of inspect_ai, ``results_*.json`` of
        lm-eval with the ``samples_*.jsonl`` next to them. The keys of a dict name the models, and
        so does ``"NAME=LOG"``.
    category : str, default "category"
        Key of the data of a sample that has its category.

    Returns
    -------
    Results
        A :class:`BenchmarkResult` for each score of each task of each model, with its 95% interval
        for all questions and by category. Of BBQ also its two bias scores, from -1 to 1, where the
        log has samples.

    Raises
    ------
    ResultsError
        If a file is no log, is damaged, too large, reports no score, or the evaluation did not
        finish.
    SourceError
        If a file expands to far more data than a file of its size should.

    Examples
    --------
    >>> import eatlas, json, pathlib, tempfile
    >>> log = {"results": {"piqa": {"acc,none": 0.5, "acc_stderr,none": 0.1}}, "configs": {},
    ...        "model_source": "hf", "config": {"model_args": {"pretrained": "gpt2"}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "results_1.json")
    ...     _ = path.write_text(json.dumps(log))
    ...     eatlas.read_logs(path)[0].summary()
    'acc = 0.50 [0.30, 0.70]'
    """
    if isinstance(logs, Mapping):
        specs = [NamedSpec(log, name) for name, log in logs.items()]
    else:
        files = [logs] if isinstance(logs, str | Path) else logs
        specs = [split_name(log) if isinstance(log, str) else NamedSpec(log) for log in files]
    results = list[BenchmarkResult]()
    for spec in specs:
        for log in read_evaluation_logs(Path(spec.spec), category):
            scores = [*_results_of(log, spec.name)]
            if not scores:
                raise no_score(log.file, [score.metric for score in log.reported])
            results += scores
    return Results.of(results)


@dataclass(frozen=True)
class _Score:
    """A score of a log, over all questions and by category."""

    metric: str
    value: float
    interval: tuple[float, float] | None
    targets: tuple[TargetValue, ...]
    whole: Range
    groups: tuple[str, str]
    basis: Any
    notes: tuple[Note, ...] = ()


def _results_of(log: EvaluationLog, name: str) -> Iterator[BenchmarkResult]:
    """A result for each score of a log."""
    for score in (*_bias_scores(log), *_other_scores(log)):
        numbers = repr([score.value, *(target.value for target in score.targets)])
        terms = [target.term for target in score.targets]
        covered = {
            OF_TARGETS: GroupCoverage(used=tuple(terms), missing=()),
            **{group: GroupCoverage(used=(), missing=()) for group in score.groups},
        }
        yield BenchmarkResult(
            signature=f"BENCHMARK(metric={score.metric})",
            test=log.task,
            title=f"{log.task}, {score.metric}",
            source=name or log.model,
            **({"source_from": log.model} if name else {}),
            concepts=Concepts({OF_TARGETS: "Categories", **{g: g for g in score.groups}}),
            coverage=Coverage(covered),
            provenance=Provenance(
                version=__version__,
                seed=0,
                case="exact",
                stimuli_sha256=_hash(log.task, *terms),
                source_fingerprint=f"log:{log.model}",
                vectors_sha256=_hash(numbers),
            ),
            groups=score.groups,
            reference=(0.5, 0.5),
            value=score.value,
            interval=score.interval,
            confidence=CONFIDENCE,
            whole=score.whole,
            each=score.whole,
            targets=score.targets,
            metric=score.metric,
            warnings=score.notes,
            log=LogRecord(
                tool=log.tool,
                file=log.file,
                sha256=log.sha256,
                created=log.created,
                samples=len(log.samples),
                basis=score.basis,
            ),
        )


def _bias_scores(log: EvaluationLog) -> Iterator[_Score]:
    """The two bias scores of BBQ, of samples that have what they need, or as the log has them."""
    known = {score.metric: score.value for score in log.reported}
    whole = Range(unit="bias score", low=-1.0, high=1.0, neutral=0.0, larger=PEOPLE[0])
    samples = [sample for sample in log.samples if sample.bbq is not None]
    for theirs, metric in BIAS.items():
        if not samples:
            if theirs in known:
                targets = tuple(
                    TargetValue(term=name, association=None, value=value)
                    for key, value in known.items()
                    if (name := key.removeprefix(f"{theirs}_")) != key
                )
                yield _Score(metric, known[theirs], None, targets, whole, PEOPLE, "none")
            continue
        ambiguous = metric == BIAS["amb_bias_score"]
        score = partial(bias_score, ambiguous=ambiguous)

        own = [sample for sample in samples if sample.bbq and sample.bbq.ambiguous == ambiguous]
        value = _value(own, score, _answers)
        if math.isnan(value):
            continue
        notes = []
        if len(samples) < len(log.samples):
            values = {"count": len(log.samples) - len(samples), "of": len(log.samples)}
            notes.append(Note("logs.no-option", values=values))
        if abs(value - known.get(theirs, value)) > ROUNDING:
            notes.append(Note("logs.differ", values={"here": value, "log": known[theirs]}))
        targets = tuple(_targets(own, score, _answers, whole, counted=True))
        ends = _interval(own, score, _answers, whole)
        yield _Score(metric, value, ends, targets, whole, PEOPLE, "samples", tuple(notes))


def _answers(samples: Iterable[Sample]) -> Any:
    """Answers to BBQ as rows of a table."""
    return np.array([sample.bbq for sample in samples], bool).reshape(-1, 4)


def _other_scores(log: EvaluationLog) -> Iterator[_Score]:
    """Scores that the log reports; by category if they are means of scores of samples."""
    for score in log.reported:
        if score.metric.startswith(tuple(BIAS)):
            continue
        samples = [sample for sample in log.samples if score.metric in sample.scores]

        def values(some: Iterable[Sample], metric: str = score.metric) -> Any:
            return np.array([sample.scores[metric] for sample in some]).reshape(-1, 1)

        numbers = values(samples)
        is_share = 0 <= score.value <= 1 and not ((numbers < 0) | (numbers > 1)).any()
        ends = (0.0, 1.0) if is_share else (None, None)
        whole = Range(unit=score.metric, low=ends[0], high=ends[1])
        if not samples or abs(float(numbers.mean()) - score.value) > ROUNDING:
            yield _reported_score(score, whole)
            continue
        targets = tuple(_targets(samples, _mean, values, whole))
        interval = _interval(samples, _mean, values, whole)
        yield _Score(score.metric, score.value, interval, targets, whole, SIZES, "samples")


def _mean(sums: Any, count: int) -> float:
    return float(sums[0]) / count if count else float("nan")


def _value(
    samples: Sequence[Sample], statistic: Statistic, table: Callable[[Iterable[Sample]], Any]
) -> float:
    """A statistic of the sums of a table of samples."""
    return statistic(table(samples).sum(axis=0), len(samples))


def _reported_score(score: Reported, whole: Range) -> _Score:
    """A score that the log has for all questions alone."""
    target = TargetValue(term=ALL, association=None, value=score.value)
    if score.error is None or score.error <= 0:
        return _Score(score.metric, score.value, None, (target,), whole, SIZES, "none")
    reach = 1.959964 * score.error
    ends = _within(whole, (score.value - reach, score.value + reach))
    target = target.model_copy(update={"interval": ends})
    return _Score(score.metric, score.value, ends, (target,), whole, SIZES, "standard error")


def _targets(
    samples: Sequence[Sample],
    statistic: Statistic,
    table: Callable[[Iterable[Sample]], Any],
    whole: Range,
    *,
    counted: bool = False,
) -> Iterator[TargetValue]:
    """The score of each category."""
    by_name: dict[str, list[Sample]] = {}
    for sample in samples:
        by_name.setdefault(sample.category, []).append(sample)
    for name, own in by_name.items():
        counts = None
        if counted:
            _, _, biased, known = table(own).sum(axis=0).tolist()
            counts = (float(biased), float(known - biased))
        yield TargetValue(
            term=name or ALL,
            association=None,
            value=finite(_value(own, statistic, table)),
            counts=counts,
            interval=_interval(own, statistic, table, whole),
        )


def _interval(
    samples: Sequence[Sample],
    statistic: Statistic,
    table: Callable[[Iterable[Sample]], Any],
    whole: Range,
) -> tuple[float, float] | None:
    """A jackknife interval over questions, within what a score can be."""
    units = [sample.unit for sample in samples]
    ends = jackknife_interval(units, table(samples), statistic, CONFIDENCE)
    return None if ends is None else _within(whole, ends)


def _within(whole: Range, ends: tuple[float, float]) -> tuple[float, float]:
    lowest = -math.inf if whole.low is None else whole.low
    highest = math.inf if whole.high is None else whole.high
    low, high = (max(lowest, min(highest, end)) for end in ends)
    return low, high


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


# --- agreement ------------------------------------------------------------------------------------


Correlation = tuple[float, PermutationResult]


class _Pairing(NamedTuple):
    """An association and a score of a benchmark, by model."""

    test: str
    signature: str
    benchmark: str
    metric: str
    category: str
    pairs: dict[str, tuple[float, float]]
    unmatched: tuple[str, ...]


def agreement(
    results: Iterable[AssociationResult],
    *,
    categories: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Results:
    """Test whether benchmarks and measures of association order models alike.

    Parameters
    ----------
    results : iterable of results
        Of :func:`eatlas.run` and of :func:`eatlas.read_logs`, on the same models. A model is known
        by its name, such as ``gpt2`` of ``hf:gpt2`` and of ``openai-community/gpt2``.
    categories : dict of str to str, optional
        Category of further tests by their id, such as ``{"my-test": "gender"}``. eatlas knows those
        of WEAT, and of Bai et al. (2025).
    seed : int, default 0
        Of permutations, with more than eight models.

    Returns
    -------
    Results
        An :class:`AgreementResult` for each test and score of the same category. Its `value` is
        Spearman's rho over models, with the interval of Bonett and Wright (2000); its p-value is
        that of a permutation test, and `p_holm` is adjusted over all comparisons. With fewer than
        six models, all of them are None.

    Raises
    ------
    ResultsError
        If there is no test and benchmark of the same category, or a model has two numbers.
    """
    every = list(results)
    benchmarks = [result for result in every if isinstance(result, BenchmarkResult)]
    others = [result for result in every if not isinstance(result, _FROM_ELSEWHERE)]
    pairings = list(_pairings(others, benchmarks, categories or {}))
    if not pairings:
        of_tests = sorted({_category(result.test, categories or {}) for result in others} - {""})
        of_benchmarks = sorted(
            {name for result in benchmarks for name, *_ in _scores_by_category(result)}
        )
        raise ResultsError(
            "no test of association and no benchmark are of the same category",
            got=f"tests of {listing(of_tests, 5) or 'no known category'}; benchmarks of "
            f"{listing(of_benchmarks, 5) or 'none'}",
            remedy="name the category of a test: eatlas logs --same my-test=gender",
        )
    tested = [_correlate(pairing, seed) for pairing in pairings]
    adjusted = holm_adjusted(found and found[1].two_sided.p for found in tested)
    made = zip(pairings, tested, adjusted, strict=True)
    return Results.of(
        _agreement_result(pairing, found, p, len(pairings), seed) for pairing, found, p in made
    )


_FROM_ELSEWHERE = (BenchmarkResult, AgreementResult)


def rename_models(
    results: Iterable[AssociationResult], logs: Iterable[AssociationResult]
) -> list[AssociationResult]:
    """Scores of logs under the names that results have for the same models."""
    scores = [*logs]
    names = {result.source: None for result in results}
    found = match_models(names, {score.source: None for score in scores})
    known = {of_log: source for source, of_log in found.items() if source != of_log}
    return [
        score.model_copy(update={"source": source, "source_from": score.source_string})
        if (source := known.get(score.source))
        else score
        for score in scores
    ]


def _pairings(
    others: Sequence[AssociationResult],
    benchmarks: Sequence[BenchmarkResult],
    categories: Mapping[str, str],
) -> Iterator[_Pairing]:
    """Each test and each score of the same category, with the numbers of all models."""
    with_bias = {result.test for result in benchmarks if result.metric in BIAS.values()}
    tests: dict[tuple[str, str], dict[str, float]] = {}
    for result in others:
        if _category(result.test, categories) and result.value is not None:
            own = tests.setdefault((result.test, result.signature), {})
            _add(own, result.source, result.value, result.test)
    scores: dict[tuple[str, str, str, str], dict[str, float]] = {}
    for scored in benchmarks:
        if scored.test in with_bias and scored.metric not in BIAS.values():
            continue
        for name, label, value in _scores_by_category(scored):
            own = scores.setdefault((scored.test, scored.metric, label, name), {})
            _add(own, scored.source, value, scored.test)
    for (test, signature), associations in tests.items():
        for (benchmark, metric, label, name), by_model in scores.items():
            if name == _category(test, categories):
                pairs, unmatched = _match(associations, by_model)
                yield _Pairing(test, signature, benchmark, metric, label, pairs, unmatched)


def _category(test: str, categories: Mapping[str, str]) -> str:
    """The category of a test: the user's, or the built-in one."""
    own = categories.get(test, "")
    return common_category(own) or own or category_of_test(test)


def _scores_by_category(result: BenchmarkResult) -> Iterator[tuple[str, str, float]]:
    """The common name of each category of a benchmark, its own label, and the score."""
    for target in result.targets:
        name = common_category(target.term) or target.term.casefold()
        if target.term == ALL:
            name = category_of_task(result.test)
        if name and target.value is not None:
            label = "" if target.term == ALL else target.term
            yield name, label, target.value


def _add(own: dict[str, float], source: str, value: float, test: str) -> None:
    """Take the number of a model, of which there is one."""
    if source in own:
        raise ResultsError(
            f"{source}: two results of this model on {test} have the same measure",
            got=f"{own[source]:.3f} and {value:.3f}",
            allowed="one result of each model, test and measure",
            remedy="name the models, as in --vectors NAME=SOURCE, or leave out a file",
        )
    own[source] = value


def _match(
    first: Mapping[str, float], second: Mapping[str, float]
) -> tuple[dict[str, tuple[float, float]], tuple[str, ...]]:
    """Numbers of the models that both have, and the models that only one has."""
    found = match_models(first, second)
    pairs = {source: (first[source], second[other]) for source, other in found.items()}
    left = [source for source in first if source not in found]
    return pairs, (*left, *sorted(second.keys() - found.values()))


def match_models(sources: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Sources of the same model as exactly one of the others, and the other way round.

    >>> match_models(["hf:gpt2", "a/llama"], ["openai-community/gpt2", "b/llama"])
    {'hf:gpt2': 'openai-community/gpt2'}
    """
    sources, others = [*sources], [*others]
    found = {}
    for source in sources:
        same = [source] if source in others else _same_models(source, others)
        if len(same) == 1 and (same[0] == source or _same_models(same[0], sources) == [source]):
            found[source] = same[0]
    return found


def _same_models(source: str, others: Iterable[str]) -> list[str]:
    """The others of the same model: of the two names, one is the end of the other."""
    path = path_of_model(source)
    same = []
    for other in others:
        its_path = path_of_model(other)
        shorter = min(len(path), len(its_path))
        if path[len(path) - shorter :] == its_path[len(its_path) - shorter :]:
            same.append(other)
    return same


def path_of_model(source: str) -> tuple[str, ...]:
    """The parts of a model's name in a source string or a log; of a file or folder only its own.

    >>> path_of_model("chat:https://host/v1?model=gpt-4o-mini"), path_of_model("openai/gpt-4o-mini")
    (('gpt-4o-mini',), ('openai', 'gpt-4o-mini'))
    """
    named = options_of(source).get("model", "") if "?" in source else ""
    plain = named or _SCHEME.sub("", source.partition("?")[0])
    parts = tuple(filter(None, plain.casefold().split("/")))
    return parts[-1:] if plain.startswith(("/", ".", "~")) else parts


def _correlate(pairing: _Pairing, seed: int) -> Correlation | None:
    """The rank correlation of the two numbers; None of too few models."""
    x, y = np.reshape([*pairing.pairs.values()], (-1, 2)).T
    return spearman_test(x, y, np.random.default_rng(seed))


def _agreement_result(
    pairing: _Pairing, found: Correlation | None, adjusted: float | None, compared: int, seed: int
) -> AgreementResult:
    """One comparison as a result."""
    rho = None if found is None else found[0]
    count = len(pairing.pairs)
    label = "/".join(filter(None, (pairing.benchmark, pairing.category)))
    groups = (pairing.test, label)
    numbers = repr(sorted(pairing.pairs.items()))
    notes: tuple[Note, ...] = ()
    if pairing.unmatched:
        notes = (Note("agreement.unmatched", values={"models": sorted(pairing.unmatched)}),)
    whole = Range(unit="Spearman's rho", low=-1.0, high=1.0, neutral=0.0)
    return AgreementResult(
        signature=f"AGREEMENT(metric={pairing.metric})",
        test=f"{pairing.test} and {label}",
        title=f"{pairing.test} and {label}, {pairing.metric}",
        source=number_of(count, "model"),
        concepts=Concepts({OF_TARGETS: "Models", **{group: group for group in groups}}),
        coverage=Coverage(
            {
                OF_TARGETS: GroupCoverage(used=tuple(pairing.pairs), missing=()),
                **{group: GroupCoverage(used=(), missing=()) for group in groups},
            }
        ),
        provenance=Provenance(
            version=__version__,
            seed=seed,
            case="exact",
            stimuli_sha256=_hash(*groups, pairing.signature, pairing.metric),
            source_fingerprint=f"models:{_hash(*sorted(pairing.pairs))}",
            vectors_sha256=_hash(numbers),
        ),
        groups=groups,
        reference=(0.5, 0.5),
        value=rho,
        p_values=None if found is None else to_record(found[1]),
        interval=None if rho is None else spearman_interval(rho, count, CONFIDENCE),
        confidence=CONFIDENCE,
        whole=whole,
        each=whole,
        targets=tuple(
            TargetValue(term=model, association=pair, value=None)
            for model, pair in pairing.pairs.items()
        ),
        association_test=pairing.test,
        association_signature=pairing.signature,
        benchmark=pairing.benchmark,
        metric=pairing.metric,
        category=pairing.category,
        p_holm=adjusted,
        compared=compared,
        unmatched=pairing.unmatched,
        warnings=notes,
    )
