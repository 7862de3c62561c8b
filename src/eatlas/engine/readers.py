"""What measures need of a source, and who reads it: vectors here, anything else in other packages.

A measure says by ``needs.source`` what its source must have. For each such need there is one
:class:`Reader`: it opens a source, reads at once what the jobs of a run need, and looks up one
test. Other packages add readers as entry points of the group ``eatlas.readers``: the name of the
entry is the need, its object a class that derives from :class:`Reader`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, get_args

from eatlas.engine.frequency import ranking_of, words_within
from eatlas.engine.jobs import AnySource, Job
from eatlas.errors import CoverageError, SourceError, join_names, listing
from eatlas.measures.base import Array, Measure, Need, Wish
from eatlas.notes import Note, warn
from eatlas.plugins import load_class, require_point
from eatlas.results.parts import Coverage
from eatlas.sources import (
    CaseRule,
    Snapshot,
    Source,
    Tell,
    embed,
    is_contextual,
    open_sources,
    open_vectors,
    period_of,
)
from eatlas.sources.coverage import (
    Near,
    embed_concepts,
    items_to_request,
    language_hint,
    missing_words,
    suggestion,
    words_of,
)
from eatlas.stimuli import Concept, Test
from eatlas.stimuli.batteries import is_bundled
from eatlas.stimuli.kinds import TARGETS

NAMED = 8
"""Missing words that a message names."""
MISSPELT = 0.2
"""Proportion of missing words up to which they may be misspelt; of more the vocabulary lacks
them."""
VECTORS: Need = "vectors"
"""The need that eatlas itself reads."""
WISHES: tuple[Wish | None, ...] = (None, *get_args(Wish))
"""Of ranks of words by frequency, the one that does for all last."""
REMEDIES = {
    "images": "use a model that encodes images, such as clip:NAME, or vectors of these images "
    "with their paths or file names as keys",
    "sentences": "use a sentence encoder; or cbow:SOURCE, which averages the vectors of the "
    "words; or the test of the words in these sentences",
    "words": "use terms that are in the source, or a source with a larger vocabulary; for "
    "phrases, use cbow:SOURCE, which averages the vectors of their words",
}
"""What to do where terms are missing, by what the terms are."""


@dataclass(frozen=True)
class Lookup:
    """What a source has for one test, as one measure takes it."""

    fields: Mapping[str, Any]
    """Fields of an :class:`eatlas.measures.base.Input`: the coverage, and rows or what stands for
    them."""
    measured: str
    """SHA-256 of the numbers that were looked up."""
    about: Mapping[str, Any]
    """Fields of the record: what it says of the source."""
    notes: Sequence[Note | str] = ()
    """Remarks for the reader of results."""


class Reader(ABC):
    """How sources of one kind are read, for the measures that need it.

    A subclass has the five words, opens a source, and looks up one test in it.

    Examples
    --------
    >>> reader_of("vectors").name
    'vectors'
    >>> reader_of("vectors").open("glove-sample")[0].dim
    100
    """

    name: ClassVar[str]
    """What is needed, in messages: "a table of counts"."""
    counted: ClassVar[str] = "terms of"
    """What progress counts if a model computes what is read, before its name: "texts by"."""
    of_model: ClassVar[bool] = False
    """Whether a model computes what is read, each of ``measure.questions(test)`` once."""

    @abstractmethod
    def open(self, spec: Any) -> tuple[Any, ...]:
        """Open a source, or several such as the years of a series, from what a user gives.

        Raises
        ------
        SourceError
            If it cannot be opened, or is of another kind.
        """

    def open_single(self, spec: Any) -> Any:
        """Open one source; the first, where there are several."""
        return self.open(spec)[0]

    def in_prompts(self, sources: Sequence[Any], prompts: Any) -> list[Any]:  # noqa: ARG002
        """Put words into prompts before they are encoded; refused, but for vectors."""
        raise SourceError(
            f"a prompt changes nothing here: {self.name} does not insert words into texts",
            allowed="prompts for measures of vectors",
            remedy="remove the prompt",
        )

    def computes(self, source: Any) -> bool:  # noqa: ARG002
        """Whether a model computes what a source answers, so that other processes may help."""
        return self.of_model

    def read(self, jobs: Sequence[Job], tell: Tell | None = None) -> Any:  # noqa: ARG002
        """Read at once all that jobs need of their source, which is the same for all of them.

        Parameters
        ----------
        jobs : sequence of Job
            Each with its test, its measure and the source.
        tell : callable, optional
            Called with the number of items that are read and the number of all.

        Returns
        -------
        source
            What answers the jobs, and can be handed to another process; by default the source.
        """
        return jobs[0].source

    @abstractmethod
    def look_up(self, measure: Any, test: Any, source: Any, case: CaseRule) -> Lookup:
        """Look up one test in a source, as a measure takes it.

        Raises
        ------
        CoverageError
            If the source has too few terms of a group; :func:`require_terms` says so.
        """


# --- vectors --------------------------------------------------------------------------------------


class VectorReader(Reader):
    """Vectors of words, texts and images."""

    name = "vectors"
    counted = "texts by"

    def open(self, spec: Any) -> tuple[Source, ...]:
        """Open vectors, or every period of a series."""
        return open_sources(spec)

    def open_single(self, spec: Any) -> Source:
        """Open vectors; a series is refused."""
        return open_vectors(spec)

    def in_prompts(self, sources: Sequence[Any], prompts: Any) -> list[Any]:
        """Put sources into each prompt, each result once."""
        from eatlas.sources.prompts import PromptSet, in_prompts  # noqa: PLC0415  (seldom needed)

        each = [prompts] if isinstance(prompts, str | PromptSet) else prompts
        several = (in_prompts(source, prompt) for source in sources for prompt in each)
        return list({source.name: source for some in several for source in some}.values())

    def computes(self, source: Any) -> bool:
        """Whether the source encodes items."""
        return is_contextual(source)

    def read(self, jobs: Sequence[Job], tell: Tell | None = None) -> Any:
        """Look up the words of all jobs, and their ranks by frequency if a measure needs them."""
        source: Any = jobs[0].source
        case, tests = jobs[0].case, [job.test for job in jobs]
        words = {word for job in jobs for word in job.measure.needs.words}
        wish = max((job.measure.needs.ranks for job in jobs), key=WISHES.index)
        items = items_to_request(source, tests, words, case)
        ranking = None
        if wish is not None:  # one pass for words and ranks
            beside = {item.content for item in items}
            ranking = ranking_of(source, tests, case, wish, beside=beside)
        snapshot = replace(Snapshot.of(source, items, tell), ranking=ranking)
        if softened := [(job.test, n) for job in jobs if (n := job.measure.needs.neighbours)]:
            from eatlas.engine import neighbours  # noqa: PLC0415  (few measures need them)

            nearest = neighbours.find_nearest(source, snapshot, softened, case)
            snapshot = replace(snapshot, nearest=nearest)
        if source.encodes or period_of(source) is not None:  # of a year, words may well be missing
            return snapshot
        return replace(snapshot, near=_suggest_words(source, snapshot, tests, case))

    def look_up(self, measure: Measure, test: Test, source: Source, case: CaseRule) -> Lookup:
        """Look up the vectors of a test."""
        embedded = embed(test, source, case)
        coverage, notes, vectors = embedded.coverage, embedded.notes, dict(embedded.vectors)
        period, encoding, background = period_of(source), source.encoding, source.background
        name = source.name if period is None else f"{source.name}, {period}"
        if not any(group.used for group in coverage.values()):
            require_any(test, name, source.begins())
        if background is None:
            require_terms(
                measure, test, coverage, name, "usable vector", near=getattr(source, "near", {})
            )
        else:
            called, usable, remedy = background.called(name), background.usable, background.remedy
            require_terms(measure, test, coverage, called, usable, remedy, with_reasons=False)
        if encoding is not None:
            encoding = encoding.model_copy(update={"roundoff": embedded.roundoff})
        about: dict[str, Any] = {
            "period": period,
            "encoding": encoding,
            "coverage": embedded.reported,
        }
        measured, roundoff = embedded.sha256, None if encoding is None else encoding.roundoff
        if measure.needs.by_stimulus:
            # what these say of p-values holds for measures of single sentences
            notes = tuple(note for note in notes if note.code != "stimuli.sentences")
        words = _vectors_of(measure.needs.words, source, case)
        if count := measure.needs.neighbours:
            from eatlas.engine import neighbours  # noqa: PLC0415

            nearest = getattr(source, "nearest", None)
            if nearest is None:
                nearest = neighbours.find_nearest(source, source, [(test, count)], case)
            softened = neighbours.soften(vectors, embedded.keys, nearest, count)
            vectors, about["neighbours"] = softened
        del embedded  # its vectors may be let go group by group
        arranged = measure.arranged(vectors, coverage, words)
        fields = {"coverage": coverage, "precision": roundoff, **arranged}
        return Lookup(fields, measured, about, notes)


def _suggest_words(
    source: Source, snapshot: Snapshot, tests: Iterable[Test], case: CaseRule
) -> dict[str, tuple[str, ...]]:
    """Warn of words that may be misspelt, or of another language; return the near words.

    Words of tests that come with eatlas, and of themes that were found, are spelt as they should
    be.
    """
    near: dict[str, tuple[str, ...]] = {}
    for test in {test.id: test for test in tests}.values():
        words = words_of(test)
        missing = missing_words(test, snapshot, case)
        if not missing or len(missing) == len(words):  # without any word there is an error
            continue
        if hint := language_hint(len(words) - len(missing), len(words)):
            warn(Note("source.few-words", values={"source": source.name, "hint": hint}), test.id)
        elif (
            not words_within(source).slow_to_list
            and len(missing) <= MISSPELT * len(words)
            and not test.explored_on
            and not is_bundled(test)
        ):
            from eatlas.engine import spelling  # noqa: PLC0415  (few words are missing)

            of_test = spelling.near_words_of(source, missing, spelling.FEW_EDITS)
            swapped = {w: near[0] for w, near in of_test.items() if spelling.is_swapped(w, near[0])}
            meant = dict(islice(swapped.items(), NAMED))
            values = {"source": source.name, "words": meant, "more": len(swapped) - len(meant)}
            if meant:
                warn(Note("stimuli.misspelt", values=values), test.id)
            near |= of_test
    return near


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
            got=f"missing: {listing(group.missing)}",
            remedy="use defining pairs whose terms are in the source",
        )
    return dict(zip(group.used, embedded.vectors[concept.name], strict=True))


# --- what is there --------------------------------------------------------------------------------


OWN: dict[Need, type[Reader]] = {VECTORS: VectorReader}
"""By what is needed."""


@cache
def reader_of(need: Need) -> Reader:
    """The reader of what measures need.

    Raises
    ------
    ContractError
        If no package that is installed reads it.
    """
    own = OWN.get(need)
    return own() if own else load_class(require_point("readers", need), Reader)()


def open_for(spec: Any, need: Need) -> tuple[AnySource, ...]:
    """Open a source as what some measures need."""
    return reader_of(need).open(spec)


def require_terms(
    measure: Measure,
    test: Test,
    coverage: Coverage,
    source: str,
    usable: str,
    remedy: str = "",
    *,
    with_reasons: bool = True,
    near: Near = MappingProxyType({}),
) -> None:
    """Refuse groups that have fewer usable terms, or stimuli, than a measure needs.

    Parameters
    ----------
    measure, test, coverage
    source : str
        What the message calls the source.
    usable : str
        What a source must have for a term, such as "usable vector".
    remedy : str
        What to do where terms are missing; by default what helps for words, sentences or images.
    with_reasons : bool
        Whether the message says of each missing term why.
    near : mapping
        By missing word those words of the source that may be meant.
    """
    needs = measure.needs
    for role, least in measure.minimum_of(test).items():
        group, concept = coverage[role], test.concept(role)
        by_stimulus = needs.by_stimulus and bool(concept.sentences)
        unit, units = ("stimulus", "stimuli") if by_stimulus else ("term", "terms")
        there = group.stimuli if by_stimulus else group.used
        if len(there) >= least:
            continue
        kind = "images" if concept.images else "sentences" if concept.sentences else "words"
        missing: Sequence[str] = group.missing
        if with_reasons:
            missing = [
                f"{term} ({reason}{suggestion(term, near)})"
                for term, reason in group.reasons.items()
            ]
        used, missed = coverage.counts()
        remedies = REMEDIES[kind]
        if kind == "words" and language_hint(used, used + missed):
            remedies = f"use vectors in the language and spelling of the test; otherwise {remedies}"
        raise CoverageError(
            f"test {test.id}, group {role} ({concept.name}): "
            f"{f'only {len(there)}' if there else 'no'} {unit} has a {usable} in {source}",
            got=f"missing: {listing(missing, NAMED)}" if missing else f"only {there[0]!r}",
            allowed=f"at least {least} usable {unit if least == 1 else units}, because "
            f"{measure.name} {'permutes their labels' if least > 1 else 'takes their mean'}"
            f"{_replacement(measure, test)}",
            remedy=remedy or remedies
            if missing
            else "add terms, or use a measure that allows groups of one term",
        )


def _replacement(measure: Measure, test: Test) -> str:
    """Why an SC-EAT measures a test for which a WEAT was requested; empty if none was."""
    if getattr(measure, "instead_of", "") != "weat":
        return ""
    single = [role for role in TARGETS if len(test.concept(role).terms) == 1]
    have = "has one term" if len(single) == 1 else "have one term each"
    return f"; {join_names(single)} {have}, so an SC-EAT replaces the WEAT"


def require_any(test: Test, source: str, begins: Sequence[str]) -> None:
    """Refuse a source without any word of a test, and show what it has."""
    if begins and not any(one.images or one.sentences for one in test.concepts.values()):
        raise CoverageError(
            f"test {test.id} ({len(test.terms):,} terms): {source} has none of them",
            got=f"its first words are {listing(ascii(word[:40]) for word in begins)}",
            allowed="vectors of words of the test",
            remedy="check that the file has a column of words, in the language and spelling of "
            "the test",
        )
