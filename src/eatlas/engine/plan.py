"""What is to be done: tests, sources and measures resolved, checked and read once.

Everything is opened before any source is read, so that a mistake costs no work; then each source
looks up, or encodes, all that the tests of a run need of it, in one go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, runtime_checkable

from eatlas.engine.frequency import adjusts
from eatlas.engine.jobs import AnySource, Job
from eatlas.engine.measuring import covariates_for, require_usable
from eatlas.engine.readers import VECTORS, Reader, reader_of
from eatlas.errors import EatlasError, SignatureError, SourceError, require_whole
from eatlas.executors import Executor, here
from eatlas.measures import Measure, get_measure, measure_types
from eatlas.measures.base import Need, Topical
from eatlas.measures.registry import measures_of
from eatlas.notes import Note, warn
from eatlas.plugins import call_point, require_point
from eatlas.sources import CaseRule, Tell, period_of
from eatlas.sources.coverage import require_case
from eatlas.sources.opening import Opened, names_under, specs_of
from eatlas.sources.source import is_contextual
from eatlas.stimuli import Test, load_tests

if TYPE_CHECKING:
    from eatlas.engine.jobs import OpenSource
    from eatlas.sources.opening import VectorsLike

DEFAULT_TESTS = "caliskan"
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURES = {"association": "ml-eat", "groups": "divdist"}
"""By the kind of test; of other kinds, the first measure that takes them."""
EVERY = "all"
"""Stands for every measure that takes the tests and the vectors of a run."""
Watch = Callable[[str, str], Tell]
"""From what is counted (such as "texts by") and the name of a source to what is called with its
progress."""
SourceLike: TypeAlias = "VectorsLike | OpenSource"
"""What :func:`eatlas.run` opens: vectors, or what else a measure needs."""
SourcesLike: TypeAlias = "SourceLike | Mapping[str, SourceLike] | Iterable[SourceLike]"
"""One or several of them; a mapping gives each the name that results know it by."""


def make_plan(
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    watch: Watch | None = None,
    executor: Executor = here,
    **choices: Any,
) -> tuple[Job, ...]:
    """Resolve tests, sources and measures; every source looks up its words here, once.

    Parameters are as in :func:`eatlas.engine.run`; `watch` shows progress, `executor` encodes.
    """
    jobs, names = unread(tests, vectors, measures, **choices)
    jobs = read(jobs, watch, executor)
    return tuple(rename_source(job, name) for job, name in zip(jobs, names, strict=True))


def unread(
    tests: Any = None, vectors: Any = None, measures: Any = None, **choices: Any
) -> tuple[list[Job], list[str]]:
    """Jobs whose sources are open and have read nothing yet, and the names of these in results.

    Parameters are as in :func:`eatlas.engine.run`.
    """
    plan = prepare(tests, measures, **choices)
    found = plan.open(vectors)
    plan.warn_of_left_out()
    return found


@dataclass(frozen=True)
class Prepared:
    """Tests and measures of a run, which sources of any number are opened for."""

    questions: dict[Need, list[tuple[Test, Measure]]]
    """Each test with each measure that takes it, by what these need of a source."""
    prompts: Any
    covariates: Any
    case: CaseRule
    seed: int
    left_out: dict[str, str] | None
    """Why measures are left out, by name; None if measures were named."""

    @property
    def size(self) -> int:
        """How many jobs there are on one source."""
        return sum(map(len, self.questions.values()))

    def open(self, vectors: Any) -> tuple[list[Job], list[str]]:
        """Open sources; return the jobs on them, and their names in results."""
        jobs, names = [], []
        for need, pairs in self.questions.items():
            for source, name, spec in open_as(vectors, need, self.prompts):
                measures = (measure for _, measure in pairs)
                taken = _suitable_signatures(measures, source, self.left_out)
                done = [(test, measure) for test, measure in pairs if measure.signature in taken]
                for test, measure in done:
                    its = self.covariates if adjusts(measure) else None
                    run_of = spec.run_of
                    jobs.append(Job(test, source, measure, self.case, self.seed, "", its, run_of))
                names += [name] * len(done)
        return jobs, names

    def warn_of_left_out(self) -> None:
        """Say which measures are left out, and why."""
        if self.left_out:
            warn(Note("run.left-out", values={"reasons": [*self.left_out.items()]}))


def prepare(  # noqa: PLR0913  (each is a choice of the user's)
    tests: Any = None,
    measures: Any = None,
    *,
    prompts: Any = None,
    contexts: Any = None,
    windows: Any = None,
    reference: Any = None,
    frequency: Topical = "auto",
    covariates: Any = None,
    case: CaseRule = "auto",
    seed: int = 0,
) -> Prepared:
    """Resolve and check all choices of a run but its sources."""
    require_whole("the seed", seed, 0)
    loaded = _load_tests(tests, reference)
    chosen, left_out = _chosen(loaded, measures)
    chosen = _with_frequency(chosen, frequency)
    questions: dict[Need, list[tuple[Test, Measure]]] = {}
    for variant, its_measures in in_contexts(loaded, chosen, contexts, windows):
        _require_fitting(variant, its_measures)
        for measure, test in product(its_measures, variant):
            if fits(measure, test, variant, its_measures):
                read_as = measure.reads(test)
                questions.setdefault(measure.needs.source, []).append((read_as, measure))
    if prompts is not None and all(c.images for test in loaded for c in test.concepts.values()):
        raise SourceError(
            "a prompt has no effect here: all stimuli are images",
            allowed="prompts for tests with texts, such as images against words",
        )
    require_case(case)
    of_words = covariates_for(chosen, loaded, covariates, case)
    return Prepared(questions, prompts, of_words, case, int(seed), left_out)


def _load_tests(tests: Any, reference: Any) -> tuple[Test, ...]:
    """Tests with their references, all of whose stimuli are on this machine."""
    loaded = load_tests(DEFAULT_TESTS if tests is None else tests)
    if reference is not None:
        from eatlas.engine.references import with_reference  # noqa: PLC0415  (few runs have one)

        loaded = with_reference(loaded, reference)
    for test in loaded:
        require_usable(test)
    return loaded


def _as_list(choice: Any) -> list[Any]:
    """One or several."""
    if choice is None:
        return []
    return list(choice) if isinstance(choice, list | tuple | range) else [choice]


def _with_frequency(measures: Sequence[Measure], frequency: Topical) -> list[Measure]:
    """Each measure once; those that do not say whether they are compared with topics as the run."""
    if not measures:
        raise SignatureError("no measure was given", allowed=", ".join(measure_types()))
    if frequency == "on" and not any(hasattr(measure, "frequency") for measure in measures):
        raise SignatureError(
            "none of the measures is compared with random topics",
            got=f"frequency={frequency}",
            allowed="with ml-eat and weat",
        )
    measures = [
        measure.with_parameters(frequency=frequency)
        if getattr(measure, "frequency", None) == "auto"
        else measure
        for measure in measures
    ]
    return list({measure.signature: measure for measure in measures}.values())


def _default_measure(kind: str) -> str:
    """Name of the measure that tests of a kind have, where none is chosen."""
    if kind in DEFAULT_MEASURES:
        return DEFAULT_MEASURES[kind]
    taking = [name for name, measure in measure_types().items() if measure.kind == kind]
    if taking:
        return taking[0]
    raise EatlasError(
        "no installed measure takes these tests",
        got=f"tests of the kind {kind}",
        remedy="install the package that has a measure of them",
    )


def _chosen(tests: Sequence[Test], given: Any) -> tuple[list[Measure], dict[str, str] | None]:
    """The measures; for "all", every measure of vectors that takes one of the tests.

    Also why others do not, by name; None where measures were named.
    """
    if given is None:
        given = [_default_measure(kind) for kind in dict.fromkeys(test.kind for test in tests)]
    named = _as_list(given)
    if len(named) > 1 and EVERY in named:
        raise SignatureError(
            f"{EVERY} already includes every measure",
            got=", ".join(map(str, named)),
            allowed=f"{EVERY} alone, or measures by name",
            remedy=f"remove {EVERY}, or the other measures",
        )
    if named != [EVERY]:
        return measures_of(named), None
    chosen, left_out = [], {}
    every = {name: get_measure(name) for name in measure_types()}
    for name, measure in every.items():
        fitting = [
            measure.reads(test) for test in tests if fits(measure, test, tests, every.values())
        ]
        try:
            if (need := measure.needs.source) != VECTORS:
                raise SourceError(f"needs {reader_of(need).name}")
            for test in fitting:
                measure.require_stimuli(test)
        except EatlasError as error:
            left_out[name] = _reason(measure, error)
        else:
            chosen += [measure] if fitting else []
    return chosen, left_out


def _suitable_signatures(
    measures: Iterable[Measure], source: Any, left_out: dict[str, str] | None
) -> set[str]:
    """Signatures of the measures that take a source; one that was named and does not is refused."""
    taken = set()
    for measure in {measure.signature: measure for measure in measures}.values():
        try:
            measure.require_source(source)
        except EatlasError as error:
            if left_out is None:
                raise
            left_out[measure.name] = _reason(measure, error)
        else:
            taken.add(measure.signature)
    return taken


def _reason(measure: Measure, error: EatlasError) -> str:
    """Why a measure is left out."""
    return error.what.removeprefix(f"the measure {measure.name} ")


def fits(measure: Measure, test: Test, tests: Iterable[Test], measures: Iterable[Measure]) -> bool:
    """Whether a measure takes a test of a run: one of its kind, or another that it reads as one.

    It reads another where the run has no test of its kind, or no measure of the test's kind.
    """
    if test.kind == measure.kind:
        return True
    if measure.reads(test).kind != measure.kind:
        return False
    alone = measure.kind not in {other.kind for other in tests}
    return alone or test.kind not in {other.kind for other in measures}


def _require_fitting(tests: Sequence[Test], measures: Sequence[Measure]) -> None:
    """Refuse a test that no measure takes, and a measure that takes none of the tests."""
    taken = [[fits(measure, test, tests, measures) for test in tests] for measure in measures]
    if all(map(any, taken)) and all(map(any, zip(*taken, strict=True))):
        return
    test = next((t for t, *by in zip(tests, *taken, strict=True) if not any(by)), tests[0])
    measure = next((m for m, of in zip(measures, taken, strict=True) if not any(of)), measures[0])
    fitting = [name for name, kind in measure_types().items() if kind.kind == test.kind]
    raise EatlasError(
        f"the measure '{measure.name}' does not take the test '{test.id}'",
        got=f"a test of the kind '{test.kind}'",
        allowed=f"tests of the kind {measure.kind} for {measure.name}; "
        f"for {test.id}: {', '.join(fitting) or 'no measure that is installed'}",
        remedy="choose a measure for each kind of test, or omit --measure; "
        "eatlas tests list shows the kind of each test",
    )


# --- contexts -------------------------------------------------------------------------------------

Variant = tuple[tuple[Test, ...], list[Measure]]
"""Tests in contexts of one size, and the measures that take them so."""


@runtime_checkable
class StimulusContexts(Protocol):
    """Texts in which the stimuli of tests occur."""

    def first(self, per_term: int, /) -> Self:
        """Return the first contexts of each stimulus, which are a random sample of that size."""

    def variants(
        self, tests: Sequence[Test], measures: Sequence[Measure], windows: Sequence[Any] = (), /
    ) -> list[Variant]:
        """Put tests into these contexts, once for each window to which they are cut.

        Raises
        ------
        EatlasError
            If a measure does not take the contexts, or a test has none.
        """


def open_contexts(given: Any) -> StimulusContexts:
    """Return contexts as they are, or read them from a file.

    Raises
    ------
    ContractError
        If no package that is installed reads contexts.
    EatlasError
        If the file cannot be read, or these are no contexts.
    """
    if isinstance(given, StimulusContexts) and not isinstance(given, type):
        return given
    opened: StimulusContexts = call_point(require_point("contexts", "contexts"), object, given)
    return opened


def in_contexts(
    tests: Sequence[Test],
    measures: Sequence[Measure],
    contexts: Any,
    windows: Any = None,
) -> list[Variant]:
    """Put tests of words into contexts, in each window to which these are cut."""
    windows = list(dict.fromkeys(_as_list(windows)))
    if contexts is None:
        if windows:
            raise EatlasError(
                "a window shortens contexts, but no contexts were given",
                got=", ".join(f"window {n}" for n in windows),
                allowed="add --contexts FILE; in Python, contexts=...",
            )
        return [(tuple(tests), list(measures))]
    return open_contexts(contexts).variants(tests, measures, windows)


# --- sources --------------------------------------------------------------------------------------


def open_as(given: Any, need: Need, prompts: Any = None) -> list[Opened]:
    """Open each source once as what measures need, and put it into every prompt.

    Parameters
    ----------
    given : source, list or mapping
        What :func:`eatlas.run` takes as vectors.
    need : str
        What measures need of them, their ``needs.source``.
    prompts : str or list, optional
        Prompts or sets of them, only for vectors.

    Returns
    -------
    list of Opened
        Each with its source, the name that results call it by, and what it was opened from; a
        series or a model of several layers gives several.
    """
    specs = specs_of(given, DEFAULT_VECTORS)
    if not specs:
        raise SourceError("no vectors were given", allowed="a file, a name, or vectors in memory")
    reader = reader_of(need)
    opened: list[Opened] = []
    for spec in specs:
        sources: Sequence[Any] = reader.open(spec.spec)
        if prompts is not None:
            sources = reader.in_prompts(sources, prompts)
        names = names_under(spec.name, [source.name for source in sources])
        opened += [Opened(*pair, spec) for pair in zip(sources, names, strict=True)]
    times = Counter((name or source.name, period_of(source)) for source, name, _ in opened)
    if same := [name for (name, _), n in times.items() if n > 1]:
        raise SourceError(
            f"two sources have the name {same[0]!r}, so their results could not be distinguished",
            remedy="name them: NAME=SOURCE; in Python {NAME: SOURCE, ...}",
        )
    return opened


def rename_source(job: Job, name: str) -> Job:
    """Give the source of a job the name that results know it by."""
    source: Any = job.source
    if not name:
        return job
    called = source if name == source.name else source.renamed(name)
    return replace(job, source=called, source_from=source.name)


# --- reading --------------------------------------------------------------------------------------


def read(jobs: Sequence[Job], watch: Watch | None = None, executor: Executor = here) -> list[Job]:
    """Look up all that jobs need of each source at once, and hand it to the jobs.

    The executor encodes, layers of one model together; what is looked up is read here, and
    `watch` shows the progress of what is read here.
    """
    places: dict[tuple[object, ...], list[int]] = {}
    for place, job in enumerate(jobs):
        need = job.measure.needs.source
        # an encoder takes texts as they are written
        case = "auto" if reader_of(need).computes(job.source) else job.case
        places.setdefault((id(job.source), need, case), []).append(place)
    batches: tuple[list[Any], list[Any]] = [], []
    layers: dict[int, list[int]] = {}
    for same in places.values():
        source, need = jobs[same[0]].source, jobs[same[0]].measure.needs.source
        if need == VECTORS and is_contextual(source):
            layers[id(source)] = same
        else:
            batches[reader_of(need).computes(source)].append([same])
    if len(layers) < 2:
        batches[True].extend([same] for same in layers.values())
    else:
        from eatlas.encoders.transformer import share_passes  # noqa: PLC0415  (few runs have models)

        sources: list[Any] = [jobs[same[0]].source for same in layers.values()]
        passes = share_passes(sources)
        batches[True].extend([layers[id(source)] for source in batch] for batch in passes)
    answered = list(jobs)
    for who, several in zip((here, executor), batches, strict=True):
        if not several:
            continue
        work = partial(_read_batch, watch=watch if who is here else None)
        items = [[[jobs[place] for place in same] for same in batch] for batch in several]
        with closing(who(work, items)) as outcomes:
            for position, answers in outcomes:
                for same, answer in zip(several[position], answers, strict=True):
                    for place in same:
                        answered[place] = replace(jobs[place], source=answer)
    return answered


def _read_batch(batch: Sequence[Sequence[Job]], watch: Watch | None = None) -> list[AnySource]:
    """Read at once all that jobs need of their source, and keep the answers, source by source."""
    answers: list[AnySource] = []
    for jobs in batch:
        source, reader = jobs[0].source, reader_of(jobs[0].measure.needs.source)
        what = reader.counted if reader.computes(source) else Reader.counted
        answers.append(reader.read(jobs, watch and watch(what, source.name)))
    return answers
