"""One measurement: a source is looked up, a measure computes, a record is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from eatlas.engine.adjusting import Covariates, adjusted, adjusted_shares, covariates_of
from eatlas.engine.frequency import keys_of, placed, ranking_for
from eatlas.engine.readers import AnySource, reader_of
from eatlas.engine.sensitivity import sensitivity
from eatlas.errors import ContractError, SignatureError, StimulusError, described
from eatlas.measures.base import Input, Measure, generator_of, stimuli_of_test
from eatlas.measures.levels import diagnose_terms
from eatlas.notes import Note, as_note, as_notes, warn
from eatlas.results import AssociationResult, is_result
from eatlas.results.exploration import searched_words
from eatlas.results.parts import Concepts, Provenance
from eatlas.sources import CaseRule
from eatlas.stats.inputs import generator
from eatlas.stimuli import ROLES, AssociationTest, Test
from eatlas.stimuli.batteries import namesake
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.version import __version__

if TYPE_CHECKING:
    import numpy as np

    from eatlas.sources.covariates import CovariatesLike, WordCovariates
    from eatlas.sources.source import Background


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
            f"the measure {measure.name} takes one test",
            got=described(test),
            allowed="an AssociationTest",
            remedy="eatlas.load_tests(...) makes tests of ids and files; eatlas.run takes both",
        )
    test = measure.reads(test)
    of_words = covariates_for([measure], [test], covariates, case)
    need = measure.needs.source
    at_hand = reader_of(need).open_single(source)
    refuse_wildcards(test.concepts, f"test {test.id}, ")
    return measure_opened(measure, test, at_hand, case, seed, rng, of_words)


def adjusts(measure: Measure) -> bool:
    """Whether a measure finds associations given covariates."""
    return getattr(measure, "adjust", "none") != "none" and measure.needs.ranks is not None


def covariates_for(
    measures: Iterable[Measure], tests: Iterable[Test], given: Any, case: CaseRule
) -> WordCovariates | None:
    """Read covariates, as far as tests need them; refuse them where no measure takes any."""
    if given is None:
        return None
    from eatlas.sources.covariates import word_covariates  # noqa: PLC0415  (few runs have any)

    if not any(map(adjusts, measures)):
        raise SignatureError(
            "covariates change nothing here: no association is found given them",
            got=", ".join(str(measure) for measure in measures),
            allowed="covariates with measures of associations that have adjust=frequency, the "
            "default, such as ml-eat",
            remedy="leave out the covariates, or adjust=none",
        )
    for test in (tests := list(tests)):
        refuse_wildcards(test.concepts, f"test {test.id}, ")
    return word_covariates(given).of_tests(tests, case)


def measure_opened(
    measure: Measure,
    test: Test,
    source: AnySource,
    case: CaseRule = "auto",
    seed: int = 0,
    rng: np.random.Generator | None = None,
    covariates: WordCovariates | None = None,
) -> AssociationResult:
    """Measure one test on a source that is open: look up, compute, and put the record together."""
    if test.kind != measure.kind:
        raise StimulusError(
            f"the measure {measure.name} does not take the test {test.id}",
            got=f"a test of the kind {test.kind}",
            allowed=f"tests of the kind {measure.kind}",
        )
    covariates = covariates if adjusts(measure) else None
    given, remarks = _looked_up(measure, test, source, case, seed, rng, covariates)
    notes: list[Note] = []
    result = measure.compute(given, notes)
    if not is_result(result):
        raise ContractError(
            f"the measure {measure.name}: compute does not keep the contract",
            got=described(result),
            allowed="a record that derives from eatlas.results.AssociationResult",
            remedy="eatlas.testing.check_measure finds what breaks the contract",
        )
    diagnosis = None  # whether cosines mean anything among the terms
    if given.asked is None and set(given.rows) == set(ROLES):
        diagnosis = diagnose_terms(given.unit or given.rows)
    notes = [*map(as_note, notes), *(diagnosis.remarks() if diagnosis else ())]
    for note in notes:
        if note.code.partition(".")[0] in {"undefined", "space"}:
            warn(note, test.id, stacklevel=3)
    about_words, more, of_words = _words_compared(
        measure, test, source, given, result, case, covariates
    )
    background: Background | None = getattr(source, "background", None)
    if background is not None:
        fields, of_source = background.additions(measure, test, given, result)
        about_words |= fields
        remarks = (*of_source, *remarks)
    about_test = [*filter(None, [namesake(test)])]
    if same := searched_words(result):
        theme = result.provenance.explored_on.theme  # type: ignore[union-attr]
        about_test.append(Note("stimuli.same-words", values={"theme": theme, "words": same}))
    every = as_notes((*about_test, *remarks, *notes, *more))
    result = result.model_copy(update={"diagnosis": diagnosis, "warnings": every, **about_words})
    if not isinstance(test, AssociationTest):
        return result
    needed = sensitivity(measure, given, result, of_words)
    return result.model_copy(update={"sensitivity": needed})


def _looked_up(
    measure: Measure,
    test: Test,
    source: AnySource,
    case: CaseRule,
    seed: int,
    rng: np.random.Generator | None,
    covariates: WordCovariates | None,
) -> tuple[Input, Sequence[Note | str]]:
    """What a measure computes with, read from its source, and remarks on what was read."""
    chance = generator_of(seed, stimuli_of_test(test), "relabellings") if rng is None else rng
    lookup = reader_of(measure.needs.source).look_up(measure, test, source, case)
    provenance = Provenance(
        version=__version__,
        seed=seed,
        draws="stimuli",
        case=case,
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
    head = {
        "signature": measure.signature,
        "test": test.id,
        "title": test.title,
        "source": source.name,
        "concepts": Concepts({name: concept.name for name, concept in test.concepts.items()}),
        "coverage": lookup.fields["coverage"],
        "provenance": provenance,
        **test.stated(),
        **lookup.about,
    }
    parts = {"rows": {}, **lookup.fields, "head": head, "rng": generator(chance), "seed": seed}
    return Input(**parts), lookup.notes


def _words_compared(
    measure: Any,
    test: Test,
    source: AnySource,
    given: Input,
    result: AssociationResult,
    case: CaseRule,
    covariates: WordCovariates | None,
) -> tuple[dict[str, Any], list[Note], Covariates | None]:
    """How frequent the words are, the associations given that and other covariates, and these."""
    ranking = ranking_for(measure, test, source, case)
    if ranking is None:
        off = getattr(measure, "frequency", None) == "off"
        return {"frequency_reason": "frequency=off"} if off else {}, [], None
    keys = keys_of(ranking, given.coverage, case, test.language)
    fields, notes = dict[str, Any](), list[Note]()
    of_words: Covariates | str | None = None
    if isinstance(test, AssociationTest):
        fields, notes = placed(measure, result, test, ranking, keys, given.rows)
    if adjusts(measure):
        of_words = covariates_of(given.coverage, ranking, keys, covariates, case, test.language)
        adjust = adjusted if isinstance(test, AssociationTest) else adjusted_shares
        if result.read_over == "sentences":
            of_words = "single sentences are read, and words alone have covariates"
        if isinstance(of_words, str):
            notes.append(Note("adjusted.none", "adjusted", {"reason": of_words}))
        else:
            fields["adjusted"] = adjust(measure, given, result, of_words, notes)
    return fields, notes, None if isinstance(of_words, str) else of_words
