"""One measurement: a source is opened and looked up, a measure computes, a record is made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.frequency import placed
from eatlas.errors import (
    ContractError,
    CoverageError,
    StimulusError,
    described,
    listed,
)
from eatlas.measures.base import Input, Measure, MomentsByRole
from eatlas.measures.diagnosis import diagnose_terms
from eatlas.measures.seeding import generator_of, stimuli_of_test
from eatlas.notes import Note, as_note, as_notes, warn
from eatlas.results import AssociationResult, is_result
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.parts import Concepts, Coverage, GroupCoverage, Provenance
from eatlas.sources import (
    CaseRule,
    VectorSource,
    embed,
    is_contextual,
    open_vectors,
    period_of,
    spellings,
)
from eatlas.stats.inputs import generator
from eatlas.stimuli import ROLES, AssociationTest, GroupsTest, Test
from eatlas.stimuli.batteries import namesake
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.corpora import Pairs
    from eatlas.encoders.language import LanguageModel
    from eatlas.measures.lpbs import LogRatioMeasure
    from eatlas.sources.counts import Counts


SHOWN = 8
"""Missing terms that are named one by one."""


def require_terms(measure: Measure, test: Test, coverage: Coverage, source: str) -> None:
    """Refuse groups that have fewer usable terms, or stimuli, than a measure needs."""
    pairs = getattr(measure, "pairs", None)
    for role, least in measure.minimum_of(test).items():
        group, concept = coverage.group(role), test.concept(role)
        by_stimulus = measure.minimum_counts == "stimuli" and bool(concept.sentences)
        unit, units = ("stimulus", "stimuli") if by_stimulus else ("term", "terms")
        usable = group.stimuli if by_stimulus else group.used
        if len(usable) >= least:
            continue
        what = f"usable {'row of numbers' if measure.needs == 'counts' else measure.needed}"
        if pairs is not None:
            what, source = "sentence with each of the other terms", pairs.name or "the corpus"
        kind = "images" if concept.images else "sentences" if concept.sentences else "words"
        if kind == "words" and any(" " in term for term in group.missing):
            kind = "phrases"
        kind = measure.needs if measure.needs in REMEDIES else kind
        kind = "alone" if len(concept.terms) < least else "pairs" if pairs is not None else kind
        count = f"only {len(usable)} {unit}" if usable else f"no {unit}"
        missing = listed((f"{term} ({reason})" for term, reason in group.reasons.items()), SHOWN)
        raise CoverageError(
            f"test {test.id}, group {role} ({concept.name}): {count} has a {what} in {source}",
            got=f"missing: {missing}" if missing else f"{usable[0]!r} alone",
            allowed=f"at least {least} usable {unit if least == 1 else units} for "
            f"{measure.name} ({'its labels are permuted' if least > 1 else 'its mean is taken'})",
            remedy=REMEDIES[kind],
        )


REMEDIES = {
    "alone": "add terms, or use a measure that takes a group of one",
    "counts": "use terms that the table has numbers for, or count a larger text",
    "pairs": "use a larger corpus, more words between the two (--distance), or a test of fewer and "
    "more frequent words",
    "images": "use a model that encodes images, such as clip:NAME, or vectors of these images, "
    "keyed by the paths or names of their files",
    "sentences": "use a sentence encoder or a cbow: source, which takes the mean of the words' "
    "vectors, or the test of the words that these sentences are made of",
    "phrases": "use terms that the source has, or a cbow: source, which takes the mean of the "
    "vectors of their words",
    "words": "use terms that the source has, or a source with a larger vocabulary",
}
"""By what the terms are, what the measure needs, or why there are too few."""


Array = NDArray[np.float64]


def measured(
    measure: Measure,
    test: Test,
    source: Any,
    *,
    case: CaseRule,
    seed: int,
    rng: np.random.Generator | None,
) -> AssociationResult:
    """Measure one test on one source.

    Parameters, errors and warnings are those of calling a measure.
    """
    _require_kind(measure, test)
    chance = (
        generator_of(seed, stimuli_of_test(test), "relabellings") if rng is None else generator(rng)
    )
    if measure.needs == "vectors":
        source = open_vectors(source)
        given, said = _of_vectors(measure, test, source, case, seed, chance)
    elif measure.needs == "counts":
        from eatlas.sources.counts import open_counts  # noqa: PLC0415  (few sources are tables)

        (source,) = open_counts(source)
        given, said = _of_counts(measure, cast("GroupsTest", test), source, case, seed, chance)
    else:
        from eatlas.encoders.language import open_language_model  # noqa: PLC0415  (seldom needed)

        source = open_language_model(source, measure.needs)
        asked = cast("LogRatioMeasure", measure), cast("AssociationTest", test)
        given = _of_answers(*asked, source, case, seed, chance)
        said = source.notes
    given = replace(given, precision=_precision(given.head))
    notes: list[Note] = []
    result = measure.compute(given, notes)
    if not is_result(result):
        raise ContractError(
            f"the measure {measure.name}: compute does not keep the contract",
            got=described(result),
            allowed="a record that derives from eatlas.results.AssociationResult",
            remedy="eatlas.testing.check_measure finds what breaks the contract",
        )
    notes = list(map(as_note, notes))
    diagnosis = _diagnosed(given)
    doubts = diagnosis.remarks() if diagnosis else ()
    for note in (*notes, *doubts):
        if note.code.partition(".")[0] in {"undefined", "space"}:
            warn(note, test.id, stacklevel=3)
    known, differ = placed(measure, result, given.coverage, test, source)
    every = as_notes((*filter(None, [namesake(test)]), *said, *notes, *doubts, *differ))
    return result.model_copy(update={"diagnosis": diagnosis, "warnings": every, **known})


def _require_kind(measure: Measure, test: object) -> None:
    """Refuse what is not a test, and tests of another kind than the measure takes."""
    if not isinstance(test, Test):
        raise StimulusError(
            f"the measure {measure.name} takes one test",
            got=described(test),
            allowed="an AssociationTest",
            remedy="eatlas.load_tests(...) makes tests of ids and files; eatlas.run takes both",
        )
    if test.kind != measure.kind:
        raise StimulusError(
            f"the measure {measure.name} does not take the test {test.id}",
            got=f"a test of the kind {test.kind}",
            allowed=f"tests of the kind {measure.kind}",
        )


def _of_vectors(
    measure: Measure,
    test: Test,
    source: VectorSource,
    case: CaseRule,
    seed: int,
    rng: np.random.Generator,
) -> tuple[Input, Sequence[Note]]:
    """Look up a test in a source of vectors; what a measure computes on, and remarks."""
    test.require_at_hand()
    measure.require_stimuli(test)
    measure.require_source(source)
    embedded = embed(test, source, case)
    coverage, notes, vectors = embedded.coverage, embedded.notes, dict(embedded.vectors)
    period = period_of(source)
    place = source.name if period is None else f"{source.name}, {period}"
    require_terms(measure, test, coverage, place)
    provenance = _provenance(test, source.fingerprint, embedded.sha256, case, seed)
    head = {
        **_head(measure, test, source.name, embedded.reported, provenance),
        "period": period,
        "encoding": source.encoding.model_copy(update={"roundoff": embedded.roundoff})
        if is_contextual(source)
        else None,
    }
    if measure.minimum_counts == "stimuli":
        # what these say of p-values holds for measures of single sentences
        notes = tuple(note for note in notes if note.code != "stimuli.sentences")
    words = _looked_up(measure.words, source, case)
    del embedded  # its vectors may be let go group by group
    rows = measure.arranged(vectors, coverage, words)
    return Input(coverage=coverage, head=head, rng=rng, seed=seed, **rows), notes


def _looked_up(words: Iterable[str], source: VectorSource, case: CaseRule) -> dict[str, Array]:
    """Vectors of the words of a measure's own, by word."""
    spelled = {word: spellings(word, case) for word in words}
    if not spelled:
        return {}
    found = source.lookup({key for keys in spelled.values() for key in keys})
    usable = {
        word: [np.asarray(found[k], np.float64) for k in keys if k in found and np.any(found[k])]
        for word, keys in spelled.items()
    }
    if missing := [word for word, vectors in usable.items() if not vectors]:
        raise CoverageError(
            f"the direction needs terms that have no usable vector in {source.name}",
            got=f"missing: {listed(missing)}",
            remedy="name defining pairs whose terms the source has",
        )
    return {word: vectors[0] for word, vectors in usable.items()}


def _of_answers(
    measure: LogRatioMeasure,
    test: AssociationTest,
    source: LanguageModel,
    case: CaseRule,
    seed: int,
    rng: np.random.Generator,
) -> Input:
    """Have a language model answer the questions of a measure about a test."""
    if measure.pairs is not None:
        from eatlas.corpora import with_pairs  # noqa: PLC0415  (seldom needed)

        test = with_pairs(test, cast("Pairs", measure.pairs))
    found = measure.ratios(test, source.score(dict.fromkeys(measure.questions(test))))
    require_terms(measure, test, found.coverage, source.name)
    measured = hashlib.sha256(measure.evidence(found).tobytes()).hexdigest()
    provenance = _provenance(test, source.fingerprint, measured, case, seed)
    head = {
        **_head(measure, test, source.name, found.coverage, provenance),
        "language_model": source.about,
    }
    return Input(found.rows, found.coverage, head, rng, seed, log_ratios=found)


def _of_counts(
    measure: Measure,
    test: GroupsTest,
    table: Counts,
    case: CaseRule,
    seed: int,
    rng: np.random.Generator,
) -> tuple[Input, Sequence[Note]]:
    """Look up the targets of a test in a table of counts; the groups are its columns."""
    from eatlas.engine.references import numbers_of  # noqa: PLC0415  (few sources are tables)

    names, terms = [group.name for group in test.groups], test.targets.terms
    found = {term: table.counts(term) for term in terms}
    rows = {term: row for term, row in found.items() if row}
    reasons = {
        term: f"{'not' if row is None else 'no numbers'} in {table.name}"
        for term, row in found.items()
        if not row
    }
    covered = GroupCoverage(used=tuple(rows), missing=tuple(reasons), reasons=reasons)
    groups = {one.name: GroupCoverage(used=one.terms, missing=()) for one in test.groups}
    coverage = Coverage({OF_TARGETS: covered, **groups})
    require_terms(measure, test, coverage, table.name)
    numbers = {term: numbers_of(row, names, f"{table.name}, {term}") for term, row in rows.items()}
    beside = {group for row in rows.values() for group in row} - {one.casefold() for one in names}
    said: list[Any] = [*table.notes]
    if beside:
        said.append(
            Note("source.other-groups", values={"source": table.name, "groups": sorted(beside)})
        )
    measured = hashlib.sha256(repr(sorted(numbers.items())).encode()).hexdigest()
    provenance = _provenance(test, table.fingerprint, measured, case, seed)
    period = getattr(table, "period", None)
    head = {**_head(measure, test, table.name, coverage, provenance), "period": period}
    counts = np.array(list(numbers.values()))
    return Input({}, coverage, head, rng, seed, counts=counts), said


def _head(
    measure: Measure,
    test: Test,
    source: str,
    coverage: Coverage,
    provenance: Provenance,
) -> dict[str, Any]:
    """Fields that every result has, whatever was measured."""
    return {
        "signature": measure.signature,
        "test": test.id,
        "title": test.title,
        "source": source,
        "concepts": Concepts({group: one.name for group, one in test.concepts.items()}),
        "coverage": coverage,
        "provenance": provenance,
        **test.stated(),
    }


def _provenance(
    test: Test, fingerprint: str, measured: str, case: CaseRule, seed: int
) -> Provenance:
    """What a result rests on: the stimuli, the source, and the hash of what it gave."""
    stimuli = test.stimuli_sha256
    return Provenance(
        version=__version__,
        seed=seed,
        draws="stimuli",
        case=case,
        stimuli_sha256=stimuli,
        labels_sha256=test.labels_sha256(stimuli),
        source_fingerprint=fingerprint,
        vectors_sha256=measured,
        citation=test.citation,
        sentences_from=test.sentences_from,
        contexts=test.contexts,
        explored=test.explored,
    )


def _precision(head: Mapping[str, Any]) -> float | None:
    """Unit roundoff of computed vectors or log-probabilities, as their record states it."""
    found = head.get("encoding") or head.get("language_model")
    return None if found is None else found.roundoff


def _diagnosed(given: Input) -> TermsDiagnosis | None:
    """Whether cosines mean anything among the terms; None for log-probabilities."""
    if given.log_ratios is not None or set(given.rows) != set(ROLES):
        return None
    if given.unit is None:
        return diagnose_terms(given.rows, given.moments)
    return diagnose_terms(given.unit, MomentsByRole(given.unit))
