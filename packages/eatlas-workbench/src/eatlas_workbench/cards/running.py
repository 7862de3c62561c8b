"""The protocol run on one measure: sources are opened, studies run, a card is made."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.decoding import require_file
from eatlas.engine import open_as
from eatlas.errors import EatlasError, EatlasWarning, did_you_mean
from eatlas.executors import Progress, Tick, watch_of
from eatlas.measures import Measure, get_measure
from eatlas.paths import is_file
from eatlas.results.json_lines import record_types
from eatlas.results.targets import earlier
from eatlas.sources import period_of, tables_of
from eatlas.stimuli import load_tests
from eatlas.version import __version__
from eatlas_workbench.cards import content, convergent, outside
from eatlas_workbench.cards.evidence import CRITERIA, Card, Criterion, Evidence, Given
from eatlas_workbench.cards.evidence import criteria as described
from eatlas_workbench.cards.material import Exhibits, Material, NotRunError, Parts, reason_of

if TYPE_CHECKING:
    from eatlas.engine import SourcesLike
    from eatlas.sources import VectorsLike
    from eatlas.stimuli.kinds import TestsLike

EXHIBITS = ("figures", "tables", "drawings", "remarks")
DEFAULT_VECTORS = "glove-sample"
"""For measures of vectors; there is no language model or table of counts that comes with eatlas."""
STUDIES: dict[str, tuple[Callable[[Material], Parts], Callable[..., Exhibits]]] = {
    "stereotyped-professions": (Material.iter_sources, content.profession_signs),
    "documented-tests": (Material.iter_sources, content.caliskan_signs),
    "structure": (Material.iter_sources, content.structure),
    "invariances": (Material.iter_sources, content.invariances),
    "text-by-span": (outside.labels, outside.text_by_span),
    "other-measures": (convergent.tests_on_sources, convergent.other_measures),
    "census-decades": (outside.series_and_census, outside.census_decades),
    "census-year": (outside.sources_and_census, outside.census_year),
    "amplification": (outside.texts, outside.amplification),
    "mitigation": (Material.iter_sources, outside.mitigation),
    "questionnaire": (outside.answers, outside.questionnaire),
    "agreement": (outside.labels, outside.agreement),
    "human-associations": (outside.sources_and_people, outside.human_associations),
    "word-lists": (convergent.tests_on_sources, convergent.word_lists),
    "parameters": (Material.iter_sources, convergent.parameters),
    "treated-vectors": (Material.iter_sources, convergent.correlate_treatments),
}
"""By its id, what a study is run on, and what it computes of each."""


def evidence_of(
    criterion: Criterion, study: Mapping[str, Any], material: Material
) -> Iterator[Evidence]:
    """Run a study; what cannot be run is evidence with its reason, never left out in silence."""
    asks: dict[str, Any] = {name: study[name] for name in ("title", "question", "citation")}
    asks |= {"criterion": criterion, "study": study["id"]}
    parts, compute = STUDIES[study["id"]]
    measure = material.measure
    try:
        if study.get("needs", measure.kind) not in (measure.kind, measure.needs.source):
            raise NotRunError(study["otherwise"].format(measure=measure.name))
        for part in parts(material):
            source: str = part[0]
            try:
                exhibits: Any = map(tuple, compute(material, *part))
                fields = dict(zip(EXHIBITS, exhibits, strict=True))
                fields["remarks"] = (*study.get("remarks", ()), *fields["remarks"])
            except EatlasError as error:
                fields = {"not_run": reason_of(error)}
            yield Evidence(**asks, source=source, **fields)
    except EatlasError as error:
        yield Evidence(**asks, not_run=reason_of(error))


def protocol(  # noqa: PLR0913  (each is something that a study reads)
    measure: str | Measure,
    vectors: SourcesLike | None = None,
    *,
    tests: TestsLike | None = None,
    census: str | Path | Iterable[str | Path] | None = None,
    contexts: str | Path | None = None,
    labels: str | Path | Iterable[str | Path] | None = None,
    counts: str | Path | Iterable[str | Path] | None = None,
    generated: str | Path | Iterable[str | Path] | None = None,
    representations: VectorsLike | None = None,
    answers: str | Path | None = None,
    criteria: Iterable[Criterion] | None = None,
    seed: int = 0,
    progress: Progress = False,
) -> Card:
    """Run the eight criteria of a testing protocol on a measure (Bommasani and Liang 2022).

    Parameters
    ----------
    measure : str or measure
        A signature such as ``"divdist"`` or ``"weat(ddof=0)"``; including measures of other
        packages.
    vectors : source, or a list of them, optional
        What the measure needs: vectors that :func:`eatlas.open_vectors` opens, language models, or
        tables of counts; also a mapping from names to them. By default ``glove-sample`` for
        measures of vectors, none for others.
    tests : anything that :func:`eatlas.load_tests` takes, optional
        Tests in addition to the tests of the studies: measures are also correlated over their
        targets.
    census : path or several, optional
        CSV of occupation shares by group and year; ``"census"`` is both of those that
        ``eatlas vectors fetch census`` brings.
    contexts : path, optional
        Contexts of the stimuli, as ``eatlas contexts`` writes them.
    labels : path or several, optional
        Labels by people, as :func:`eatlas.read_labels` reads them.
    counts : path or several, optional
        Counts of a text, as :func:`eatlas.count_text` saves them, for one span or several.
    generated : path or several, optional
        Counts of texts that a model generated.
    representations : source, or a list of them, optional
        Vectors of the model that learned from the text of `counts`.
    answers : path, optional
        TOML file with answers to the questionnaire of consequences.
    criteria : iterable of str, optional
        Criteria to run, of :data:`eatlas_workbench.cards.evidence.CRITERIA`; all by default.
    seed : int
        Decides all random samples.
    progress : bool or callable
        Show how many studies are done: True shows a bar on a terminal and a line in a notebook; a
        function is called with the number of studies done and of all.

    Returns
    -------
    Card
        Each piece of evidence has figures, or says why its study was not run. There is no verdict.

    Raises
    ------
    EatlasError
        If the measure, a criterion, a test or a file is unknown, or a source is not of the kind
        that the measure needs.

    Examples
    --------
    >>> import eatlas
    >>> card = eatlas.protocol("semaxis", "glove-sample", criteria=["face"])
    >>> card.of("face")[0].figure("share of signs that agree").value
    1.0
    """
    measure = get_measure(measure)
    chosen = tuple(CRITERIA if criteria is None else criteria)
    for name in chosen:
        if name not in CRITERIA:
            raise EatlasError(
                f"there is no criterion {name!r}{did_you_mean(name, CRITERIA)}",
                allowed=", ".join(CRITERIA),
            )
    paths = {
        "census": census, "contexts": contexts, "labels": labels, "counts": counts,
        "generated": generated, "answers": answers,
    }  # fmt: skip
    files = {option: _files(option, value) for option, value in paths.items() if value}
    if "answers" in files:
        outside.read_answers(files["answers"][0])
    if vectors is None and measure.needs.source == "vectors":
        vectors = DEFAULT_VECTORS
    sources = [] if vectors is None else open_as(vectors, measure.needs.source)
    material = Material(
        measure,
        {_with_period(name or source.name, source): source for source, name, _ in sources},
        seed,
        () if tests is None else load_tests(tests),
        files,
        representations,
    )
    with watch_of(progress) as watch:
        evidence = tuple(_evidence(chosen, material, watch and watch("studies", "")))
    title, full_name = _names(measure.name)
    return Card(
        version=__version__,
        measure=measure.name,
        signature=measure.signature,
        title=title,
        full_name=full_name,
        seed=seed,
        given=tuple(_inputs_of_card(material)),
        coverage=tuple(material.coverage),
        evidence=evidence,
    )


def _evidence(chosen: Sequence[str], material: Material, tick: Tick | None) -> Iterator[Evidence]:
    """Run all studies of some criteria."""
    studies = [
        (criterion["id"], study)
        for criterion in described()
        if criterion["id"] in chosen
        for study in criterion["study"]
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)  # results hold them as remarks
        for done, (criterion, study) in enumerate(studies, start=1):
            yield from evidence_of(criterion, study, material)
            if tick is not None:
                tick(done, len(studies))


def _names(measure: str) -> tuple[str, str]:
    """The name of a measure in texts, and in full."""
    if words := earlier().get(measure):
        return words["short"], words["full"]
    if (record := record_types().get(measure)) is None:
        return measure.upper(), ""
    make: Any = record.model_construct
    blank = make()  # a name may depend on what was found
    return blank.display_name, blank.full_name


def _files(option: str, value: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """The files of an option; one that is not there is refused before any work."""
    paths = [Path(value)] if isinstance(value, str | Path) else list(map(Path, value))
    if option == "census":
        paths = [table for path in paths for table in tables_of(path)]
    for path in paths:
        require_file(path, EatlasError)
        if not is_file(path):
            raise EatlasError(f"--{option}: there is no file {path}", allowed="a file")
    return tuple(paths)


def _with_period(name: str, source: Any) -> str:
    period = period_of(source)
    return name if period is None else f"{name}, {period}"


def _inputs_of_card(material: Material) -> Iterator[Given]:
    """What a card says of sources, tests and files."""
    for name, source in material.sources.items():
        named = name not in (_with_period(source.name, source), source.name)
        yield Given(
            name="vectors",
            value=f"{name}={source.name}" if named else source.name,
            sha256=source.fingerprint,
            notes=tuple(map(str, source.notes)),
        )
    for test in material.tests:
        yield Given(name="tests", value=test.id, sha256=test.stimuli_sha256)
    for option, paths in material.files.items():
        for path in paths:
            with path.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            yield Given(name=option, value=path.name, sha256=sha256)
