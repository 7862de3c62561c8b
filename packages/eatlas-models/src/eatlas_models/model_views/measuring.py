"""From the sources of a model to its views: opened, measured and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

import eatlas
from eatlas.engine import (
    Job,
    SourcesLike,
    Store,
    Watch,
    execute,
    make_plan,
    open_as,
    open_store,
    warn_of_failures,
)
from eatlas.errors import EatlasError, SourceError, described
from eatlas.executors import (
    Executor,
    Progress,
    choose,
    here,
    reading_of,
    require_workers,
    watch_of,
)
from eatlas.measures import Measure, get_measure
from eatlas.measures.base import Need
from eatlas.measures.seeding import generator_of
from eatlas.results import AssociationResult, Failure, Results, read_results
from eatlas.results.json_lines import USUAL_NAME, record_of_file
from eatlas.results.parts import finite
from eatlas.results.settings import source_name
from eatlas.sources import model_and_tokenizer, options_of, period_of, specs_of, with_options
from eatlas.stats.correlation import FEWEST, rank_correlation, spearman
from eatlas.stimuli import AssociationTest, load_tests
from eatlas.version import __version__
from eatlas_models.model_views.page import RECORD, write_views
from eatlas_models.model_views.record import (
    FORMS,
    SIDES,
    Agreement,
    Coefficient,
    Form,
    LayersAgreement,
    MissingView,
    Rhos,
    Side,
    SideAgreement,
    View,
    Views,
    ViewsRecord,
    scores_of,
)

if TYPE_CHECKING:
    from eatlas.stimuli.kinds import TestsLike

Level = Literal["word", "sentence"]
FORM_OF: dict[Need, Form] = {
    "vectors": "vectors",
    "masked": "log-probabilities",
    "causal": "log-probabilities",
    "answers": "answers",
}
"""By what a measure needs of a source."""
MEASURES = ("ml-eat", "lpbs", "ask")
"""Of each form, where none is chosen."""
TESTS, LEVEL, PROMPT = "weat-6", "word", "This is {}"
"""What is measured, and how a transformer encodes words, where nothing else is chosen."""
HF, CHAT = "hf:", "chat:"
OF_VECTORS = ("level", "layer", "pool", "subword", "truncate", "prompt", "prompts", "transform")
"""Options of a source string that say how a text becomes a vector, and nothing of the model."""
UNTOLD = ("py:", "http:", "https:")
"""Begins of source strings that do not tell what is behind them."""


def views(  # noqa: PLR0913  (each is a choice of the user's)
    sources: SourcesLike | None = None,
    tests: TestsLike | None = None,
    *,
    vectors: SourcesLike | None = None,
    logprobs: SourcesLike | None = None,
    answers: Any = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    level: Level = "word",
    prompt: str = PROMPT,
    out: str | Path | None = None,
    seed: int = 0,
    workers: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = False,
) -> Views:
    """Measure the same tests in the vectors, the log-probabilities and the answers of a model.

    Parameters
    ----------
    sources : str, object, list or mapping of them, optional
        Sources of the model, each measured in every form that it gives: ``"hf:NAME"`` in the
        vectors of all its layers, in its log-probabilities and in its answers; ``"chat:URL"`` in
        its answers only; ``(model, tokenizer)`` as ``hf:``. A form that there is not is listed
        with the reason.
    tests : str, path, AssociationTest, or list of them, default "weat-6"
        Association tests of words.
    vectors, logprobs, answers : str, object, list or mapping of them, optional
        Sources that are measured in this form alone, such as a function or an address.
    measures : str, measure, or list of them, optional
        In place of the default of a form: ``"ml-eat"`` of vectors, ``"lpbs"`` of
        log-probabilities, ``"ask"`` of answers. A measure has an EAT pattern.
    level : {"word", "sentence"}
        Whether a vector of a transformer represents the word within the prompt, or the whole text.
    prompt : str, default "This is {}"
        Prompt around each word before a transformer encodes it; ``"{}"`` for the bare word.
    out : path, optional
        Folder for the page, results and tables; views that were cut off there go on.
    seed : int
        Of resamples and permutations.
    workers : int or None
        Number of processes, as in :func:`eatlas.run`.
    executor : Executor, optional
        Who encodes and does the jobs instead, such as :class:`eatlas.OnRay`.
    progress : bool or callable
        Show how far the work is, as in :func:`eatlas.run`.

    Returns
    -------
    Views

    Raises
    ------
    EatlasError
        If a source gives no view, if a test or measure is not usable, or if nothing could be
        measured.

    Warns
    -----
    EatlasWarning
        If some jobs failed.

    Notes
    -----
    Two views agree as far as they order the targets alike. Over all targets, Spearman's rho is high
    where both views show the same difference between X and Y; within the groups it says whether
    they also agree on which targets stand out. The same over the attributes, whose score is the
    mean association with X less that with Y. Intervals are over resamples of the terms, so that
    small tests have wide ones. Layers are also compared among each other, without intervals. Of
    layers, the top one stands for the vectors: to choose the layer that agrees best would overstate
    agreement.

    Examples
    --------
    >>> import eatlas
    >>> def letters(texts):
    ...     return [[text.count(letter) + 1.0 for letter in "aeiost"] for text in texts]
    >>> views = eatlas.views("glove-sample", "weat-6", vectors=letters)
    >>> views.record.agreements[0].targets.n
    16
    """
    require_workers(workers)
    prepared = prepare(
        sources, tests, vectors=vectors, logprobs=logprobs, answers=answers, measures=measures,
        level=level, prompt=prompt, seed=seed,
    )  # fmt: skip
    by = executor or choose(workers, prepared.jobs)
    folder = None if out is None else Path(out)
    with watch_of(progress) as watch:
        tick = watch and watch("jobs", "")
        done = carry_out(prepared, by, folder, progress=tick, watch=watch)
    warn_of_failures(done.results)
    return done


def read_views(folder: str | Path) -> Views:
    """Read the folder of the views of a model.

    Parameters
    ----------
    folder : path
        What ``eatlas views --out`` or :func:`eatlas.views` wrote.

    Returns
    -------
    Views

    Raises
    ------
    ResultsError
        If the folder holds no views, or a file of it cannot be read.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> views = eatlas.views("glove-sample", tests="weat-6", out=folder)
    >>> eatlas.read_views(folder).record == views.record
    True
    """
    what, remedy = "the record of views", "name a folder that eatlas views wrote"
    record = record_of_file(Path(folder) / RECORD, ViewsRecord, what, remedy)
    return Views(record, read_results(Path(folder) / USUAL_NAME))


# --- what is opened -------------------------------------------------------------------------------


class Opened(NamedTuple):
    """A model that can be opened for one form, and what is measured in it."""

    form: Form
    model: str
    spec: Any
    """What a run takes as its vectors."""
    size: int
    """How many sources that are, such as layers."""
    measure: Measure
    prompt: str | None = None
    tests: tuple[AssociationTest, ...] = ()
    tried: bool = False
    """Whether it is not known that the model gives this form; then it may fail when it is read."""


@dataclass(frozen=True)
class Prepared:
    """Views whose sources are open; nothing is read yet."""

    opened: tuple[Opened, ...]
    missing: tuple[MissingView, ...]
    seed: int

    @property
    def jobs(self) -> int:
        """How many results there will be."""
        return sum(each.size * len(each.tests) for each in self.opened)


def prepare(  # noqa: PLR0913  (as that of users)
    sources: Any = None,
    tests: Any = None,
    *,
    vectors: Any = None,
    logprobs: Any = None,
    answers: Any = None,
    measures: Any = None,
    level: str = LEVEL,
    prompt: str = PROMPT,
    seed: int = 0,
) -> Prepared:
    """Open every source in the forms that it gives; parameters are as in :func:`views`."""
    if level not in get_args(Level):
        raise EatlasError("there is no such level", got=level, allowed="word or sentence")
    loaded, by_form, every = _tests(tests), _measures(measures), _specs(sources)
    own = dict(zip(FORMS, map(_specs, (vectors, logprobs, answers)), strict=True))
    if not every and not any(own.values()):
        raise SourceError("no source of the model is named", allowed="such as hf:gpt2")
    opened, reasons = list[Opened](), list[MissingView]()
    for spec, name in every:
        _require_told(spec)
        opened += _in_every_form(spec, name, by_form, level, prompt, reasons)
    for form, measure in by_form.items():
        for spec, name in own[form]:
            opened.append(_open_form(form, spec, name, measure, level, prompt))
    opened.sort(key=lambda each: FORMS.index(each.form))
    there = {each.form for each in opened}
    missing = [each for each in reasons if each.form not in there]
    for number, each in enumerate(opened):
        refused = _unsuitable_tests(each.measure, loaded)
        missing += [
            MissingView(form=each.form, model=each.model, reason=reason, test=test)
            for test, reason in refused.items()
        ]
        taken = tuple(test for test in loaded if test.id not in refused)
        opened[number] = each._replace(tests=taken)
    return Prepared(tuple(each for each in opened if each.tests), tuple(missing), seed)


def _in_every_form(
    spec: Any, name: str, measures: Mapping[Form, Measure], level: str, prompt: str,
    missing: list[MissingView],
) -> Iterator[Opened]:  # fmt: skip
    """Open a source in each form that it gives; why it does not give the others is added."""
    errors = []
    for form, measure in measures.items():
        try:
            opened = _open_form(form, spec, name, measure, level, prompt)
            yield opened._replace(tried=not str(spec).startswith(CHAT))
        except EatlasError as error:
            errors.append(error)
            model = name or _default_name(spec)
            missing.append(MissingView(form=form, model=model, reason=error.what))
    if len(errors) == len(measures):
        raise SourceError(
            f"{name or _default_name(spec)}: no view of this model can be measured",
            got="; ".join(dict.fromkeys(error.what for error in errors)),
            allowed=errors[0].allowed,
            remedy=errors[0].remedy,
        )


def _tests(tests: Any) -> tuple[AssociationTest, ...]:
    """The tests, all of them of X, Y, A and B."""
    loaded = load_tests(TESTS if tests is None else tests)
    for test in loaded:
        if not isinstance(test, AssociationTest):
            raise EatlasError(
                f"test {test.id}: views of a model are only compared on association tests",
                got=f"a test of the kind {test.kind}",
                allowed="tests with X, Y, A and B, such as weat-6",
            )
    return tuple(test for test in loaded if isinstance(test, AssociationTest))


def _measures(measures: Any) -> dict[Form, Measure]:
    """The measure of each form."""
    alone = isinstance(measures, str | Measure)
    named = [] if measures is None else [measures] if alone else list(measures)
    chosen: dict[Form, Measure] = {}
    for measure in map(get_measure, named):
        form = FORM_OF.get(measure.needs.source)
        if form is None or not hasattr(measure, "threshold"):
            raise EatlasError(
                f"the measure {measure.name} does not produce an EAT-Map",
                allowed=f"{', '.join(MEASURES)}, and others with an EAT pattern",
            )
        if form in chosen:
            raise EatlasError(
                f"there are two measures of {form}",
                got=f"{chosen[form]} and {measure}",
                allowed="one measure per form",
            )
        chosen[form] = measure
    defaults = zip(FORMS, MEASURES, strict=True)
    return {form: chosen.get(form) or get_measure(name) for form, name in defaults}


def _specs(sources: Any) -> list[tuple[Any, str]]:
    """Sources with the names that they are given."""
    if sources is None or (isinstance(sources, list | tuple) and not sources):
        return []
    return [(each.spec, each.name) for each in specs_of(sources, "")]


def _default_name(spec: Any) -> str:
    """What a source without a name is called."""
    if isinstance(spec, str | Path):
        text = _model_of(str(spec))
        return options_of(text).get("model") or source_name(text)
    pair = model_and_tokenizer(spec)
    if pair is not None:
        return type(pair[0]).__name__
    return str(getattr(spec, "name", "") or getattr(spec, "__name__", "") or type(spec).__name__)


def _require_told(spec: Any) -> None:
    """Refuse a source that may be one of anything: a function, or an address."""
    told = not isinstance(spec, str) or not spec.lower().startswith(UNTOLD)
    if told and (not callable(spec) or hasattr(spec, "fingerprint")):
        return
    raise SourceError(
        f"{_default_name(spec)}: this may give vectors, log-probabilities or answers",
        got=described(spec),
        remedy="choose one: --vectors, --logprobs or --answers; in Python vectors=, logprobs= or "
        "answers=",
    )


def _unsuitable_tests(measure: Any, tests: Iterable[AssociationTest]) -> dict[str, str]:
    """Tests that a measure does not take, each with the reason."""
    reasons = {}
    for test in tests:
        try:
            measure.require_stimuli(test)
            if measure.needs.source != "vectors":
                list(measure.questions(test))
        except EatlasError as error:
            reasons[test.id] = error.what
    return reasons


def _model_of(text: str) -> str:
    """A source string of a transformer without options that say how a text becomes a vector."""
    if not text.startswith(HF):
        return text
    left = {key: value for key, value in options_of(text).items() if key not in OF_VECTORS}
    return with_options(text.partition("?")[0], left)


def _open_form(form: Form, spec: Any, name: str, measure: Any, level: str, prompt: str) -> Opened:
    """The sources of a model for a form, with the measure that takes them."""
    model = name or _default_name(spec)
    if form == "vectors":
        layers, put = _in_layers(spec, level), None
        if layers is not spec and not (isinstance(spec, str) and "prompt" in options_of(spec)):
            put = prompt
        named = {name: layers} if name and not isinstance(layers, list) else layers
        return Opened(form, model, named, len(open_as(named, "vectors", put)), measure, put)
    alone = _model_of(spec) if isinstance(spec, str) else spec
    named = {name: alone} if name else alone
    if form == "answers" or not hasattr(measure, "model"):
        return Opened(form, model, named, len(open_as(named, measure.needs.source)), measure)
    try:
        masked = measure.with_parameters(model="masked")
        return Opened(form, model, named, len(open_as(named, "masked")), masked)
    except SourceError:
        causal = measure.with_parameters(model="causal")
        return Opened(form, model, named, len(open_as(named, "causal")), causal)


def _in_layers(spec: Any, level: str) -> Any:
    """A transformer as the source of every layer; another source as it is."""
    if isinstance(spec, str):
        if not spec.startswith(HF):
            return spec
        own, wanted = options_of(spec), {"layer": "all", "level": level}
        return with_options(spec, {k: value for k, value in wanted.items() if k not in own})
    pair = model_and_tokenizer(spec)
    layers = getattr(getattr(pair and pair[0], "config", None), "num_hidden_layers", None)
    if pair is None or layers is None:
        return spec
    return [
        eatlas.encoder(*pair, name=f"{_default_name(spec)}?layer={layer}", layer=layer, level=level)
        for layer in range(layers + 1)
    ]


# --- what is measured -----------------------------------------------------------------------------


def carry_out(
    prepared: Prepared,
    executor: Executor = here,
    directory: Path | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    watch: Watch | None = None,
    begun: Callable[[Store], None] = lambda _: None,
) -> Views:
    """Measure all views, one model in memory at a time; a folder keeps what is done."""
    if not prepared.opened:
        reasons = "; ".join(dict.fromkeys(each.reason for each in prepared.missing))
        raise EatlasError("there is nothing to measure", got=reasons)
    with nullcontext() if directory is None else open_store(directory) as store:
        if store is not None:
            begun(store)
        read, missing = _answer_jobs(prepared, watch, reading_of(executor))
        jobs = [job for job, _ in read]
        outcomes = execute(jobs, executor, store=store, progress=progress)
        measured = zip(jobs, (owner for _, owner in read), outcomes, strict=True)
        made = _views(list(measured), missing, prepared.seed)
        if store is not None and directory is not None:
            write_views(made, directory)
            store.discard([job.identity for job in jobs])
    return made


def _answer_jobs(
    prepared: Prepared, watch: Watch | None, executor: Executor
) -> tuple[list[tuple[Job, Opened]], list[MissingView]]:
    """Jobs whose models have been asked all that they need, and the views that there are not."""
    read, missing, errors = list[tuple[Job, Opened]](), list(prepared.missing), list[SourceError]()
    for opened in prepared.opened:
        try:
            jobs = make_plan(
                opened.tests, opened.spec, opened.measure, prompts=opened.prompt,
                seed=prepared.seed, watch=watch, executor=executor,
            )  # fmt: skip
        except SourceError as error:
            if not opened.tried:
                raise
            errors.append(error)
            missing.append(MissingView(form=opened.form, model=opened.model, reason=error.what))
        else:
            read += [(job, opened) for job in jobs]
    if not read:
        raise errors[0]
    return read, missing


def _views(
    measured: Sequence[tuple[Job, Opened, AssociationResult | Failure]],
    missing: list[MissingView],
    seed: int,
) -> Views:
    """The views that jobs gave, and how far they agree."""
    results = Results.of(outcome for *_, outcome in measured)
    if not len(results):
        raise results.failures[0].error
    there: dict[View, None] = {}
    for job, owner, outcome in measured:
        if isinstance(outcome, Failure):
            missing.append(
                MissingView(
                    form=owner.form, model=owner.model, reason=outcome.error.what, test=job.test.id
                )
            )
            continue
        layer = outcome.encoding.layer if outcome.encoding else ""
        there[
            View(
                form=owner.form, model=owner.model, source=outcome.source, layer=layer,
                signature=outcome.signature, period=period_of(job.source),
            )
        ] = None  # fmt: skip
    record = ViewsRecord(version=__version__, seed=seed, views=tuple(there), missing=tuple(missing))
    made = Views(record, results)
    compared = {
        "agreements": tuple(agreements_of(made)),
        "layers": tuple(layers_agreements(made)),
    }
    return Views(record.model_copy(update=compared), made.results)


def agreements_of(measured: Views) -> Iterator[Agreement]:
    """Compare views on each test."""
    for test in measured.tests:
        for first, second in measured.pairs():
            pair = [measured.result(test, number) for number in (first, second)]
            if pair[0] is None or pair[1] is None:
                continue
            sides: Any = {
                side: agreement(pair[0], pair[1], side, measured.record.seed) for side in SIDES
            }
            yield Agreement(
                test=test,
                first=first,
                second=second,
                **sides,
                same_pattern=pair[0].primary.label == pair[1].primary.label,
            )


def agreement(
    first: AssociationResult, second: AssociationResult, side: Side, seed: int
) -> SideAgreement:
    """Rank correlation of the scores of targets, or attributes, in two results."""
    scores = scores_of(first, side), scores_of(second, side)
    shared = [key for key in scores[0] if key in scores[1]]
    x, y = ([own[key] for key in shared] for own in scores)
    groups = [role for role, _ in shared]
    stimuli = {role: [name for of, name in shared if of == role] for role in dict.fromkeys(groups)}
    over, within = (
        rank_correlation(x, y, groups=labels, rng=generator_of(seed, stimuli, "agreement of views"))
        for labels in (None, groups)
    )
    return SideAgreement.of(over, within=Coefficient.of(within))


def layers_agreements(measured: Views) -> Iterator[LayersAgreement]:
    """Compare the layers of each model that has several with each other, on each test."""
    views = measured.record.views
    models = dict.fromkeys(view.model for view in views if view.layer)
    for test, model in product(measured.tests, models):
        layers = {
            number: result
            for number, view in enumerate(views)
            if view.layer and view.model == model
            if (result := measured.result(test, number)) is not None
        }
        if len(layers) > 1:
            sides: Any = {side: _rhos(list(layers.values()), side) for side in SIDES}
            yield LayersAgreement(test=test, model=model, layers=tuple(layers), **sides)


def _rhos(results: Sequence[AssociationResult], side: Side) -> Rhos:
    """Spearman's rho of each result with each, over the terms that all of them have."""
    scores = [scores_of(result, side) for result in results]
    shared = [key for key in scores[0] if all(key in others for others in scores)]
    if len(shared) < FEWEST:
        return tuple((None,) * len(scores) for _ in scores)
    rows = [np.array([own[key] for key in shared]) for own in scores]
    return tuple(tuple(finite(spearman(one, other)) for other in rows) for one in rows)
