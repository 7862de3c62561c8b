"""The protocol run on one measure: sources are opened, studies run, a card is made."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from eatlas.apps.protocol.people import read_answers
from eatlas.apps.protocol.studies import Context, Material, in_order
from eatlas.engine.plan import SourcesLike, opened
from eatlas.errors import EatlasError, EatlasWarning, did_you_mean
from eatlas.measures import Measure, get_measure
from eatlas.results.evidence import CRITERIA, Card, Criterion, Evidence, Given
from eatlas.results.json_lines import record_types
from eatlas.results.targets import WORDS
from eatlas.sources import period_of
from eatlas.sources.counts import places_of_table
from eatlas.sources.naming import NamedSpec, names_under, specs_of
from eatlas.sources.opening import VectorsLike, is_pair
from eatlas.stimuli import load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

DEFAULT_VECTORS = "glove-sample"
"""For measures of vectors; there is no language model or table of counts that comes with eatlas."""
Tick = Callable[[int, int], None]


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
    progress: Tick | None = None,
) -> Card:
    """Run the eight criteria of a testing protocol on a measure (Bommasani and Liang 2022).

    Parameters
    ----------
    measure : str or measure
        A signature such as ``"divdist"`` or ``"weat(ddof=0)"``; measures of other packages too.
    vectors : source, or a list of them, optional
        What the measure needs: vectors that :func:`eatlas.open_vectors` opens, language models, or
        tables of counts; also a mapping from names to them. By default ``glove-sample`` for
        measures of vectors, none for others.
    tests : anything that :func:`eatlas.load_tests` takes, optional
        Tests besides those of the studies: measures are correlated over their targets too.
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
        Criteria to run, of :data:`eatlas.results.evidence.CRITERIA`; all by default.
    seed : int
        Decides all random draws.
    progress : callable, optional
        Called with the studies that are done and their number.

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
    chosen = get_measure(measure)
    wanted = _criteria(criteria)
    if vectors is None and chosen.needs == "vectors":
        vectors = DEFAULT_VECTORS
    material = Material(
        vectors=() if vectors is None else tuple(specs_of(vectors, DEFAULT_VECTORS)),
        tests=() if tests is None else load_tests(tests),
        census=tuple(one for path in _paths(census) for one in places_of_table(path)),
        contexts=_path(contexts),
        labels=_paths(labels),
        counts=_paths(counts),
        generated=_paths(generated),
        representations=_several(representations),
        answers=_path(answers),
    )
    material.require_files()
    if material.answers is not None:
        read_answers(material.answers)  # refused before any work
    sources = {name: one for spec in material.vectors for name, one in _opened(chosen, spec)}
    context = Context(chosen, material, sources, seed)
    evidence: list[Evidence] = []
    studies = [study for study in in_order() if study.criterion in wanted]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)  # results hold them as remarks
        for done, study in enumerate(studies, start=1):
            evidence.extend(study.run(context))
            if progress is not None:
                progress(done, len(studies))
    return Card(
        version=__version__,
        measure=chosen.name,
        signature=chosen.signature,
        **_names(chosen),
        seed=seed,
        given=(*(_given(name, one) for name, one in sources.items()), *material.stated()),
        coverage=tuple(context.coverage),
        evidence=tuple(evidence),
    )


def _several(given: Any) -> tuple[Any, ...]:
    """Sources as a tuple; one source, such as a mapping, is no list of them."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list | tuple) and not is_pair(given) else (given,)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _paths(given: str | Path | Iterable[str | Path] | None) -> tuple[Path, ...]:
    if given is None:
        return ()
    return (Path(given),) if isinstance(given, str | Path) else tuple(map(Path, given))


def _criteria(given: Iterable[Criterion] | None) -> tuple[Criterion, ...]:
    """The criteria to run, in their order."""
    if given is None:
        return CRITERIA
    wanted = tuple(given)
    for name in wanted:
        if name not in CRITERIA:
            raise EatlasError(
                f"there is no criterion {name!r}{did_you_mean(name, CRITERIA)}",
                allowed=", ".join(CRITERIA),
            )
    return tuple(one for one in CRITERIA if one in wanted)


def _opened(measure: Measure, given: NamedSpec) -> Iterator[tuple[str, Any]]:
    """Open what was given as vectors, as the measure needs it; a series has several sources.

    Each comes with the name that it was given, or with its source string.
    """
    found = opened(given.spec, measure.needs)
    for source, called in zip(found, names_under(given.name, [o.name for o in found]), strict=True):
        name, period = called or source.name, period_of(source)
        yield name if period is None else f"{name}, {period}", source


def _given(name: str, source: Any) -> Given:
    """What a card says of a source."""
    named = name not in {source.name, f"{source.name}, {period_of(source)}"}
    return Given(
        name="vectors",
        value=f"{name}={source.name}" if named else source.name,
        sha256=source.fingerprint,
        notes=tuple(source.notes),
    )


def _names(measure: Measure) -> dict[str, str]:
    """What a measure is called in texts."""
    if measure.name in WORDS:
        words = WORDS[measure.name]
        return {"title": words.short, "full_name": words.full}
    record = record_types().get(measure.name)
    if record is None:
        return {"title": measure.name.upper()}
    return {"title": record.display_name, "full_name": record.full_name}
