"""One measurement: a source is looked up, a measure computes, a record is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eatlas.engine.frequency import adjusts, look_up_words
from eatlas.engine.jobs import Job
from eatlas.engine.readers import reader_of
from eatlas.errors import ContractError, SignatureError, StimulusError, described
from eatlas.measures.base import Input, Measure, stimuli_of_test
from eatlas.measures.levels import diagnose_terms
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note, as_note, as_notes, warn
from eatlas.results import AssociationResult, is_result
from eatlas.results.parts import Concepts, Provenance
from eatlas.sources import CaseRule
from eatlas.stats.inputs import generator
from eatlas.stimuli import ROLES, Test
from eatlas.stimuli.batteries import namesake
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.version import __version__

if TYPE_CHECKING:
    import numpy as np

    from eatlas.engine.readers import Lookup
    from eatlas.results.diagnosis import TermsDiagnosis
    from eatlas.sources.covariates import CovariatesLike, WordCovariates
    from eatlas.sources.source import Background

LAST = {"frequency": 1, "adjusted": 2}
"""Groups of remarks that come after all others."""


def measure(
    measure: Measure,
    test: Test,
    source: Any,
    *,
    case: CaseRule = "auto",
    seed: int = 0,
    rng: np.random.Generator | None = None,
    covariates: CovariatesLike | None = None,
) -> AssociationResult:
    """Open a source and measure one test on it, as calling a measure does."""
    if not isinstance(test, Test):
        raise StimulusError(
            f"the measure {measure.name} takes a single test",
            got=described(test),
            allowed="an AssociationTest",
            remedy="eatlas.load_tests(...) makes tests of ids and files; eatlas.run takes both",
        )
    test = measure.reads(test)
    require_usable(test)
    of_words = covariates_for([measure], [test], covariates, case)
    at_hand = reader_of(measure.needs.source).open_single(source)
    measure.require_source(at_hand)
    return measure_job(Job(test, at_hand, measure, case, seed, covariates=of_words), rng)


def require_usable(test: Test) -> None:
    """Refuse a test whose images are not here, or with terms that stand for other words."""
    test.require_at_hand()
    refuse_wildcards(test.concepts, f"test {test.id}, ")


def covariates_for(
    measures: Iterable[Measure], tests: Iterable[Test], given: Any, case: CaseRule
) -> WordCovariates | None:
    """Read covariates, as far as tests need them; refuse them where no measure takes any."""
    if given is None:
        return None
    from eatlas.sources.covariates import word_covariates  # noqa: PLC0415  (few runs have any)

    if not any(map(adjusts, measures)):
        raise SignatureError(
            "covariates have no effect here: no measure adjusts for them",
            got=", ".join(str(measure) for measure in measures),
            allowed="covariates with measures of associations that have adjust=frequency, the "
            "default, such as ml-eat",
            remedy="remove the covariates, or remove adjust=none",
        )
    return word_covariates(given).of_tests(tests, case)


def measure_job(job: Job, rng: np.random.Generator | None = None) -> AssociationResult:
    """Measure one test on a source that is open: look up, compute, and add remarks."""
    measure, test = job.measure, job.test
    if test.kind != measure.kind:
        raise StimulusError(
            f"the measure {measure.name} does not take the test {test.id}",
            got=f"a test of the kind {test.kind}",
            allowed=f"tests of the kind {measure.kind}",
        )
    measure = measure.for_test(test)
    measure.require_stimuli(test)
    job = replace(job, measure=measure)
    given, about_test, about_words = input_of(job, rng)
    notes: list[Note] = []
    result = measure.compute(given, notes)
    if not is_result(result):
        raise ContractError(
            f"the measure {measure.name}: compute does not keep the contract",
            got=described(result),
            allowed="a record that derives from eatlas.results.AssociationResult",
            remedy="eatlas.testing.check_measure finds what breaks the contract",
        )
    diagnosis: TermsDiagnosis | None = given.head["diagnosis"]
    found = [*map(as_note, notes), *(diagnosis.remarks() if diagnosis else ())]
    for note in found:
        if note.code.startswith(("undefined.", "space.")):
            warn(note, test.id, stacklevel=3)
    # remarks on words come last, whoever makes them
    ordered = sorted(
        (*about_words, *found), key=lambda note: LAST.get(note.code.partition(".")[0], 0)
    )
    return result.model_copy(update={"warnings": as_notes((*about_test, *ordered))})


def input_of(
    job: Job, rng: np.random.Generator | None = None
) -> tuple[Input, list[Note | str], list[Note]]:
    """The input of a measure, read from its source; notes on the input, and on words."""
    measure, test, source, seed = job.measure, job.test, job.source, job.seed
    lookup = reader_of(measure.needs.source).look_up(measure, test, source, job.case)
    head = _head_of(job, lookup)
    words, on_words, about_words = look_up_words(job, lookup.fields["coverage"], head["coverage"])
    fields = {"rows": {}, **lookup.fields}
    diagnosis = None  # whether cosines mean anything among the terms
    if fields.get("asked") is None and set(fields["rows"]) == set(ROLES):
        diagnosis = diagnose_terms(fields.get("unit") or fields["rows"])
    chance = generator_of(seed, stimuli_of_test(test), "relabellings") if rng is None else rng
    head |= {"diagnosis": diagnosis, **on_words}
    given = Input(**fields, head=head, rng=generator(chance), seed=seed, words=words)
    remarks = [*filter(None, [namesake(test)])]
    theme = test.explored_on
    if theme:
        from eatlas.results.exploration import words_of_search  # noqa: PLC0415  (few tests have)

        if same := words_of_search(theme, head["coverage"]):
            remarks.append(Note("stimuli.same-words", values={"theme": theme.theme, "words": same}))
    background: Background | None = getattr(source, "background", None)
    if background is not None:
        fields, of_source = background.additions(measure, test, given)
        given = replace(given, head=head | fields)
        remarks += of_source
    return given, [*remarks, *lookup.notes], about_words


def _head_of(job: Job, lookup: Lookup) -> dict[str, Any]:
    """Fields of a record that say what was measured, on what and by what."""
    test, source, covariates = job.test, job.source, job.covariates
    provenance = Provenance(
        version=__version__,
        seed=job.seed,
        seeded_by="stimuli",
        case=job.case,
        stimuli_sha256=test.stimuli_sha256,
        labels_sha256=test.labels_sha256(test.stimuli_sha256),
        source_fingerprint=source.fingerprint,
        vectors_sha256=lookup.measured,
        citation=test.citation,
        language=test.language,
        sentences_from=test.sentences_from,
        contexts=test.contexts,
        covariates=covariates and covariates.origin,
        explored=test.explored,
        explored_on=test.explored_on,
    )
    return {
        "signature": job.measure.signature,
        "test": test.id,
        "title": test.title,
        "source": source.name,
        "source_from": job.source_from,
        "run_of": job.run_of,
        "concepts": Concepts({name: concept.name for name, concept in test.concepts.items()}),
        "coverage": lookup.fields["coverage"],
        "provenance": provenance,
        **test.stated(),
        **lookup.about,
    }
