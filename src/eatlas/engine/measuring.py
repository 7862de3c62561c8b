"""One measurement: a source is looked up, a measure computes, a record is made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from eatlas.engine.adjusting import Covariates, adjusted, adjusted_shares, covariates_of
from eatlas.engine.frequency import keys_of, placed, ranking_for
from eatlas.engine.sensitivity import sensitivity
from eatlas.errors import (
    ContractError,
    CoverageError,
    SignatureError,
    StimulusError,
    described,
    listed,
)
from eatlas.measures.base import Array, Input, Measure, Need, generator_of, stimuli_of_test
from eatlas.measures.levels import diagnose_terms
from eatlas.notes import Note, as_note, as_notes, warn
from eatlas.results import AssociationResult, is_result
from eatlas.results.confirming import searched_words
from eatlas.results.parts import Concepts, Coverage, GroupCoverage, Provenance
from eatlas.signature import Signature
from eatlas.sources import CaseRule, Source, embed, open_sources, open_vectors, period_of
from eatlas.sources.coverage import embed_concepts
from eatlas.sources.wildcards import expand
from eatlas.stats.inputs import generator
from eatlas.stimuli import ROLES, AssociationTest, Concept, Test
from eatlas.stimuli.batteries import namesake
from eatlas.stimuli.choosing import CHECK_FILE
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas.version import __version__

if TYPE_CHECKING:
    from eatlas.encoders.chat import ChatModel
    from eatlas.encoders.collected import CollectedAnswers
    from eatlas.encoders.language import LanguageModel
    from eatlas.sources.covariates import CovariatesLike, WordCovariates
    from eatlas.sources.tables import Counts

AnySource: TypeAlias = "Source | LanguageModel | ChatModel | CollectedAnswers | Counts"
"""Where the numbers of a measurement come from."""
CALLED = {"vectors": "usable vector", "counts": "row of numbers", "answers": "usable answer"}
"""What a source must have for a term; a log-probability, of language models."""
REMEDIES = {
    "answers": "ask other questions (templates=...), or use terms that the model compares",
    "counts": "use terms that the table has numbers for, or count a larger text",
    "pairs": "use a larger corpus, more words between the two (--distance), or more frequent words",
    "images": "use a model that encodes images, such as clip:NAME, or vectors of these images, "
    "keyed by the paths or names of their files",
    "sentences": "use a sentence encoder or a cbow: source, which takes the mean of the words' "
    "vectors, or the test of the words that these sentences are made of",
    "part": "take a larger part of the corpus (other --bins, a field with fewer values), or terms "
    "that it uses",
    "words": "use terms that the source has, or a source with a larger vocabulary; for phrases a "
    "cbow: source, which takes the mean of the vectors of their words",
}
"""By what the terms are, or what the measure needs."""


def open_for(spec: Any, need: Need) -> tuple[AnySource, ...]:
    """Open a source as what some measures need: vectors, counts, a language model of one kind."""
    if need == "counts":
        from eatlas.sources.tables import open_counts  # noqa: PLC0415  (few sources are tables)

        return open_counts(spec)
    if need == "vectors":
        return open_sources(spec)
    if need == "answers":
        from eatlas.encoders.chat import open_answering  # noqa: PLC0415  (seldom needed)

        return (open_answering(spec),)
    from eatlas.encoders.language import open_language_model  # noqa: PLC0415  (seldom needed)

    return (open_language_model(spec, need),)


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
    at_hand = open_vectors(source) if need == "vectors" else open_for(source, need)[0]
    (test,) = expand([test], at_hand, need, case)
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
        refuse_wildcards(test.concepts, "covariates are of words", f"test {test.id}, ")
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
    if getattr(measure, "pairs", None) is not None:
        from eatlas.corpora import with_pairs  # noqa: PLC0415  (seldom needed)

        test = with_pairs(cast("AssociationTest", test), cast("Any", measure).pairs)
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
    if (part := getattr(source, "part", None)) is not None:
        from eatlas.engine.documents import over_documents  # noqa: PLC0415  (few sources are parts)

        about_words["documents"] = over_documents(measure, given, result, part)
        remarks = (*part.notes_of({*test.terms}), *remarks)
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
) -> tuple[Input, Sequence[Note]]:
    """What a measure computes with, read from its source, and remarks on what was read."""
    chance = generator_of(seed, stimuli_of_test(test), "relabellings") if rng is None else rng
    read = {"vectors": _read_vectors, "counts": _read_counts}.get(measure.needs.source, _read_asked)
    arranged, about, remarks = cast("Any", read)(measure, test, source, case)
    provenance = Provenance(
        version=__version__,
        seed=seed,
        draws="stimuli",
        case=case,
        stimuli_sha256=test.stimuli_sha256,
        labels_sha256=test.labels_sha256(test.stimuli_sha256),
        source_fingerprint=source.fingerprint,
        vectors_sha256=about.pop("measured"),
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
        "coverage": arranged["coverage"],
        "provenance": provenance,
        **test.stated(),
        **about,
    }
    model = about.get("encoding") or about.get("language_model")
    parts = {"rows": {}, **arranged, "head": head, "rng": generator(chance), "seed": seed}
    return Input(**parts, precision=None if model is None else model.roundoff), remarks


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


Read = tuple[dict[str, Any], dict[str, Any], Sequence[Note]]
"""Fields of an :class:`Input`; what a record says of the source, with the hash of what was
measured; and remarks."""


def _read_vectors(measure: Measure, test: Test, source: Source, case: CaseRule) -> Read:
    """Look up a test in a source of vectors."""
    test.require_at_hand()
    measure.require_stimuli(test)
    measure.require_source(source)
    embedded = embed(test, source, case)
    coverage, notes, vectors = embedded.coverage, embedded.notes, dict(embedded.vectors)
    period, encoding = period_of(source), source.encoding
    name = source.name if period is None else f"{source.name}, {period}"
    require_terms(measure, test, coverage, name, source)
    if encoding is not None:
        encoding = encoding.model_copy(update={"roundoff": embedded.roundoff})
    about: dict[str, Any] = {"measured": embedded.sha256, "period": period}
    about |= {"encoding": encoding, "coverage": embedded.reported}
    if measure.needs.by_stimulus:
        # what these say of p-values holds for measures of single sentences
        notes = tuple(note for note in notes if note.code != "stimuli.sentences")
    words = _vectors_of(measure.needs.words, source, case)
    del embedded  # its vectors may be let go group by group
    return {"coverage": coverage, **measure.arranged(vectors, coverage, words)}, about, notes


def _vectors_of(words: Sequence[str], source: Source, case: CaseRule) -> dict[str, Array]:
    """Vectors of the words of a measure's own, by word."""
    if not words:
        return {}
    concept = Concept(name="words of the measure", terms=tuple(dict.fromkeys(words)))
    embedded = embed_concepts({concept.name: concept}, source, case)
    group = embedded.coverage[concept.name]
    if group.missing:
        raise CoverageError(
            f"the direction needs terms that have no usable vector in {source.name}",
            got=f"missing: {listed(group.missing)}",
            remedy="name defining pairs whose terms the source has",
        )
    return dict(zip(group.used, embedded.vectors[concept.name], strict=True))


def _read_asked(measure: Any, test: Any, source: Any, case: CaseRule) -> Read:  # noqa: ARG001
    """Have a language model answer the questions of a measure about a test."""
    collected = getattr(source, "collected", False)
    if collected:
        asked = measure.associate_collected(test, source.of_test(test.id))
    else:
        asked = measure.associate(test, source.score(dict.fromkeys(measure.questions(test))))
    remedy = CHECK_FILE if collected else None
    require_terms(measure, test, asked.coverage, source.name, remedy=remedy)
    measured = hashlib.sha256(asked.single.tobytes()).hexdigest()
    arranged = {"coverage": asked.coverage, "rows": asked.rows, "asked": asked}
    about = {"measured": measured, "language_model": source.about}
    if collected:
        signature = Signature.parse(measure.signature)
        about["signature"] = str(signature.without(measure.of_questions))
    return arranged, about, source.notes


def _read_counts(measure: Measure, test: Any, table: Counts, case: CaseRule) -> Read:  # noqa: ARG001
    """Look up the targets of a test in a table of counts; the groups are its columns."""
    from eatlas.sources.tables import group_numbers  # noqa: PLC0415  (few sources are tables)

    measure.require_stimuli(test)
    measure.require_source(table)
    names = [group.name for group in test.groups]
    rows = {term: table.counts(term) for term in test.targets.terms}
    reasons = {
        term: f"{'not' if row is None else 'no numbers'} in {table.name}"
        for term, row in rows.items()
        if not row
    }
    used = {term: row for term, row in rows.items() if row}
    covered = GroupCoverage(used=tuple(used), missing=tuple(reasons), reasons=reasons)
    groups = {group.name: GroupCoverage(used=group.terms, missing=()) for group in test.groups}
    coverage = Coverage({OF_TARGETS: covered, **groups})
    require_terms(measure, test, coverage, table.name)
    numbers = {
        term: group_numbers(row, names, f"{table.name}, {term}") for term, row in used.items()
    }
    beside = {group for row in used.values() for group in row} - set(map(str.casefold, names))
    notes: list[Any] = [*table.notes]
    if beside:
        values = {"source": table.name, "groups": sorted(beside)}
        notes.append(Note("source.other-groups", values=values))
    totals = {
        word: group_numbers(table.counts(word) or {}, names, f"{table.name}, {word}")
        for word in measure.needs.words
    }
    measured = hashlib.sha256(repr(sorted((numbers | totals).items())).encode()).hexdigest()
    about = {"measured": measured, "period": getattr(table, "period", None)}
    arranged = {"coverage": coverage, "counts": np.array(list(numbers.values()))}
    for total in totals.values():
        arranged["totals"] = np.array(total)
    return arranged, about, notes


def require_terms(
    measure: Measure,
    test: Test,
    coverage: Coverage,
    source: str,
    vectors: Source | None = None,
    remedy: str | None = None,
) -> None:
    """Refuse groups that have fewer usable terms, or stimuli, than a measure needs.

    Where `vectors` have no term at all, their first words tell what else they have.
    """
    if vectors is not None and not any(group.used for group in coverage.values()):
        require_any(test, source, vectors.begins())
    needs, pairs = measure.needs, getattr(measure, "pairs", None)
    what = CALLED.get(needs.source, "usable log-probability")
    part = getattr(vectors, "part", None)
    if pairs is not None:
        what, source = "sentence with each of the other terms", pairs.name or "the corpus"
    for role, least in measure.minimum_of(test).items():
        group, concept = coverage[role], test.concept(role)
        by_stimulus = needs.by_stimulus and bool(concept.sentences)
        unit, units = ("stimulus", "stimuli") if by_stimulus else ("term", "terms")
        usable = group.stimuli if by_stimulus else group.used
        if len(usable) >= least:
            continue
        kind = "images" if concept.images else "sentences" if concept.sentences else "words"
        kind = needs.source if needs.source in REMEDIES else "pairs" if pairs is not None else kind
        missing = listed((f"{term} ({reason})" for term, reason in group.reasons.items()), 8)
        if part is not None:  # a term without a context has no vector
            kind, what, missing = "part", "context", listed(group.missing, 8)
            source = f"the part {part.corpus.parts[part.number]} of {source.partition('#')[0]}"
        raise CoverageError(
            f"test {test.id}, group {role} ({concept.name}): "
            f"{f'only {len(usable)}' if usable else 'no'} {unit} has a {what} in {source}",
            got=f"missing: {missing}" if missing else f"{usable[0]!r} alone",
            allowed=f"at least {least} usable {unit if least == 1 else units} for "
            f"{measure.name} ({'its labels are permuted' if least > 1 else 'its mean is taken'})",
            remedy=remedy or REMEDIES[kind]
            if missing
            else "add terms, or use a measure that takes a group of one",
        )


def require_any(test: Test, source: str, begins: Sequence[str]) -> None:
    """Refuse a source without any word of a test, and show what it has."""
    if begins and not any(one.images or one.sentences for one in test.concepts.values()):
        raise CoverageError(
            f"test {test.id} ({len(test.terms):,} terms): {source} has none of them",
            got=f"its first words are {listed(ascii(word[:40]) for word in begins)}",
            allowed="a source with the words of the test",
            remedy="see whether its column of words is missing, or its words are of another "
            "language or written in another way",
        )
