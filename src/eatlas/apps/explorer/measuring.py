"""What the page shows, measured: by the engine, as in ``eatlas run``, and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar, cast

from eatlas.apps.explorer.lists import MOST_WORDS, Lists, Request, pasted, stimuli_of, words_in
from eatlas.apps.explorer.named_sources import (
    CASE,
    NOWHERE,
    NamedSource,
    Placed,
    Point,
    named_sources,
    placed,
)
from eatlas.engine import Job, Plan, execute
from eatlas.engine.execution import Conditions, perform
from eatlas.engine.frequency import keys_of, ranks_of, remarks_on
from eatlas.engine.plan import asked
from eatlas.errors import EatlasError
from eatlas.measures import Measure, get_measure
from eatlas.notes import Note, as_notes
from eatlas.results import AssociationResult, Failure, Results
from eatlas.sources import is_contextual
from eatlas.sources.snapshot import Snapshot, ranking_of
from eatlas.stimuli import ROLES, TARGETS, AssociationTest, load_tests

KEPT = 256
"""Results that are kept: a word that is switched off and on again costs nothing."""
DEFAULT_MEASURE = "ml-eat"
MOST_SOURCES = 40
"""Sources that one page compares."""
NO_LISTS = "There is no list of words."
Found = TypeVar("Found")


@dataclass(frozen=True)
class View:
    """One set of lists on one source: what is found, or why nothing is."""

    lists: Lists
    source: NamedSource
    placed: Placed
    """Of all words, switched off or not; empty where they could not be looked up."""
    result: AssociationResult | None
    original: AssociationResult | None
    """The result before any change; None where there is none."""
    origins: Mapping[tuple[str, str], Point]
    """Places of the target words before any change."""
    problem: EatlasError | None
    """Why there is no result."""
    looked_at: int
    """Lists of this test that were looked at."""

    @property
    def places(self) -> Mapping[tuple[str, str], Point]:
        """Mean cosines of each target word, by role and word, switched off or not."""
        return self.placed.at

    @property
    def explored(self) -> bool:
        """Whether words were changed after results had been seen."""
        return self.lists.changed or self.looked_at > 1


class Explorer:
    """Tests and sources of one call of the command; pages of several tabs may share it."""

    measures = ("ml-eat", "weat")
    """Names of the measures whose findings can be shown."""

    def __init__(
        self,
        tests: Sequence[AssociationTest],
        sources: Sequence[NamedSource],
        measure: str = DEFAULT_MEASURE,
    ) -> None:
        self.tests = {test.id: test for test in tests}
        self.sources = tuple(sources)
        self.measure: Measure = get_measure(measure)
        plain = self.measure.signature == get_measure(self.measure.name).signature
        self.measure_text = self.measure.name if plain else measure
        kind = getattr(self.measure, "association", "cosine")
        if self.measure.name not in self.measures or kind != "cosine":
            raise EatlasError(
                "the explorer shows what ML-EAT or WEAT finds",
                got=measure,
                allowed="ml-eat or weat of cosines, with parameters such as ml-eat(tail=two-sided)",
                remedy="eatlas run takes every measure",
            )
        self.left_out: tuple[str, ...] = ()
        """Tests that were named and cannot be explored, each with the reason."""
        self.bundled = frozenset(test.id for test in tests if _is_bundled(test))
        """Ids of tests that come with eatlas, unchanged."""
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._looked_at: dict[str, set[Hashable]] = {}

    @property
    def has_patterns(self) -> bool:
        """Whether findings are EAT patterns, with levels 2 and 3; WEAT has level 1 alone."""
        return self.measure.name == "ml-eat"

    @classmethod
    def of(cls, tests: Any, vectors: Any, measure: str = DEFAULT_MEASURE) -> Explorer:
        """Open tests and sources."""
        usable, left_out = [], []
        for test in load_tests(tests):
            why = unfit(test)
            if why:
                left_out.append(f"{test.id}: {why}")
            else:
                usable.append(cast("AssociationTest", test))
        if not usable:
            raise none_of(left_out)
        sources = named_sources(vectors)
        for test in [one for one in usable if lacks_sentences(one, sources)]:
            usable.remove(test)
            left_out.append(f"{test.id}: no source has its sentences")
        if not usable:
            raise none_of(left_out)
        if len(sources) > MOST_SOURCES:
            raise EatlasError(
                "these are too many sources for one page",
                got=f"{len(sources)}",
                allowed=f"at most {MOST_SOURCES}",
            )
        made = cls(usable, sources, measure)
        made.left_out = tuple(left_out)
        return made

    def lists(self, request: Request) -> Lists:
        """The words that a request is about."""
        if request.test:
            origin = self.tests.get(request.test)
            if origin is None:
                raise EatlasError(
                    "This test is not among those that eatlas explore was started with."
                )
        elif request.lists:
            origin = pasted(request.lists)
        else:
            raise EatlasError(NO_LISTS)
        return Lists.of(origin, request.off, request.added)

    def source(self, number: int) -> NamedSource:
        """A source of the command line."""
        if number >= len(self.sources):
            raise EatlasError(
                "This source is not among those that eatlas explore was started with."
            )
        return self.sources[number]

    def view(self, request: Request) -> View:
        """Measure the words of a request, without other words."""
        lists, source = self.lists(request), self.source(request.source)
        with self._lock:
            before = Lists.of(lists.origin)
            original = self._on(before, source)
            kept = None if isinstance(original, EatlasError) else original
            origins = {} if kept is None else self._places(before, source).at
            there = NOWHERE
            try:
                there = self._places(lists, source)
                if lists.fault:
                    raise EatlasError(lists.fault)
                found = self._quick(lists.test(), source)
            except EatlasError as error:
                found = error
            if not isinstance(found, EatlasError):
                self._look_at(request.test, lists, kept)
        return View(
            lists=lists,
            source=source,
            placed=there,
            result=None if isinstance(found, EatlasError) else found,
            original=kept,
            origins=origins,
            problem=found if isinstance(found, EatlasError) else None,
            looked_at=self.looked_at(request.test),
        )

    def other_words(self, request: Request) -> AssociationResult:
        """Measure with resamples: how often other words show the same."""
        lists, source = self.lists(request), self.source(request.source)
        if lists.fault:
            raise EatlasError(lists.fault)
        with self._lock:
            measure = self.measure.with_parameters(frequency="off")
            return _or_raised(self._measured(lists.test(), source, measure))

    def across(self, request: Request) -> list[tuple[str, list[AssociationResult | EatlasError]]]:
        """The words of a request, and those before any change, on every source."""
        lists = self.lists(request)
        rows = [("these words", lists)] + [("before", Lists.of(lists.origin))] * lists.changed
        found = []
        for name, one in rows:
            results: list[AssociationResult | EatlasError] = []
            for source in self.sources:
                with self._lock:  # released after each, so that a toggle waits for one source alone
                    results.append(self._on(one, source))
            found.append((name, results))
        return found

    def places_on(
        self, request: Request, number: int
    ) -> tuple[NamedSource, dict[tuple[str, str], Point]]:
        """Places of the target words that are switched on, on one of the sources."""
        lists, source = self.lists(request), self.source(number)
        with self._lock:
            places = self._places(lists, source).at
        on = {(role, word) for role in TARGETS for word in lists.groups[role].on}
        return source, {key: place for key, place in places.items() if key in on}

    def looked_at(self, test: str) -> int:
        """How many lists of a test were looked at; of pasted lists, all together.

        A test that was explored before brings along how many were looked at then.
        """
        before = (self.tests[test].explored or 1) - 1 if test in self.tests else 0
        return before + len(self._looked_at.get(test, ()))

    def explored(self, request: Request, lists: Lists) -> int | None:
        """The number of lists that an export says were looked at; None for a test as it came."""
        n = self.looked_at(request.test)
        return n if n > 1 and (lists.changed or not request.test) else None

    def whole(self, request: Request) -> Results:
        """Measure, as ``eatlas run`` does, the words before and after a change on each source."""
        sources = [self.source(request.source)]
        if request.against is not None and request.against != request.source:
            sources.append(self.source(request.against))
        for one in sources:
            one.require_unchanged()
        tests = self.tests_of(request)
        key = ("whole", *(test.model_dump_json() for test in tests), *map(id, sources))
        with self._lock:
            return self._once(key, lambda: self._run(tests, sources))

    def _run(self, tests: Sequence[AssociationTest], sources: Sequence[NamedSource]) -> Results:
        """Measure tests on sources as a run does, random words of the same frequencies included."""
        questions = [(test, self.measure) for test in tests]
        jobs = []
        for one in sources:
            known = one.called(cast("Snapshot", asked(one.source, "vectors", questions, CASE)))
            jobs += [Job(test, known, self.measure, one.source_from) for test in tests]
        found = execute(Plan(tuple(jobs), CASE, 0))
        if not len(found):
            raise _plain(found.failures[0].error)
        return found

    def tests_of(self, request: Request) -> list[AssociationTest]:
        """What an export holds: the test of the words, then the one before any change."""
        lists = self.lists(request)
        if lists.fault:
            raise EatlasError(lists.fault)
        test = lists.test(self.explored(request, lists))
        return [test, lists.origin] if lists.changed else [test]

    def remarks_on(self, test: AssociationTest, source: NamedSource) -> list[Note]:
        """What a person should know of pasted words: names that are words, unequal frequency."""
        words = {role: concept.terms for role, concept in test.concepts.items()}
        with self._lock:
            found = source.embedded(words)
            of_source = as_notes(source.source.notes)
            about = [note for note in found.notes if note not in of_source]
            vectors = None if is_contextual(source.source) else source.source
            ranking = ranking_of(vectors, [test], CASE, "ranks")
        ranks = ranks_of(ranking, keys_of(ranking, found.coverage, CASE))
        names = {role: concept.name for role, concept in test.concepts.items()}
        return [*about, *(remarks_on(ranks, names, ("X", "A")) if ranks else ())]

    def missing(
        self, lists: Mapping[str, tuple[str, str]], number: int
    ) -> dict[str, tuple[int, list[str]]]:
        """How many words of pasted lists a source has, and which it lacks, by role."""
        if not lists:
            raise EatlasError(NO_LISTS)
        words = {role: words_in(lists[role][1])[: MOST_WORDS + 1] for role in ROLES}
        short = {role: tuple(w for w in some if len(w) <= 100) for role, some in words.items()}
        with self._lock:
            coverage = self.source(number).embedded(short).coverage
        return {role: (len(coverage[role].used), list(coverage[role].missing)) for role in ROLES}

    def _on(self, lists: Lists, source: NamedSource) -> AssociationResult | EatlasError:
        """Measure lists on a source, or say why that cannot be done."""
        if lists.fault:
            return EatlasError(lists.fault)
        try:
            return self._quick(lists.test(), source)
        except EatlasError as error:
            return error

    def _quick(self, test: AssociationTest, source: NamedSource) -> AssociationResult | EatlasError:
        """Measure without resamples."""
        return self._measured(
            test, source, self.measure.with_parameters(resamples=0, frequency="off")
        )

    def _measured(
        self, test: AssociationTest, source: NamedSource, measure: Measure
    ) -> AssociationResult | EatlasError:
        """Measure one test on one source, or say why that cannot be done."""

        def measured() -> AssociationResult | EatlasError:
            known = source.with_tests([test])
            found = perform(Job(test, known, measure, source.source_from), Conditions(CASE, 0))
            return _plain(found.error) if isinstance(found, Failure) else found

        source.require_unchanged()
        key = (test.model_dump_json(), id(source), measure.signature)
        return self._once(key, measured)

    def _places(self, lists: Lists, source: NamedSource) -> Placed:
        """What is missing, and the mean cosines of all targets with the attributes that are on."""
        source.require_unchanged()
        words = tuple((g.name, g.words, tuple(sorted(g.off))) for g in lists.groups.values())
        key = ("places", lists.origin.id, words, id(source))
        return self._once(key, lambda: placed(lists, source))

    def _look_at(self, test: str, lists: Lists, original: AssociationResult | None) -> None:
        """Count these lists; what was there before any change is in view beside them."""
        seen = self._looked_at.setdefault(test, set())
        seen.add(lists.key)
        if original is not None:
            seen.add(Lists.of(lists.origin).key)

    def _once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Make something, or take what was made of the same before."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return cast("Found", self._kept[key])


def _is_bundled(test: AssociationTest) -> bool:
    """Whether the command line knows a test by its id."""
    try:
        return load_tests(test.id) == (test,)
    except EatlasError:
        return False


def _plain(error: EatlasError) -> EatlasError:
    """The same without a traceback, which a page shows nobody."""
    if "Traceback" not in (error.got or ""):
        return error
    return type(error)(error.what, remedy=error.remedy)


def _or_raised(found: AssociationResult | EatlasError) -> AssociationResult:
    if isinstance(found, EatlasError):
        raise found
    return found


def unfit(test: object) -> str:
    """Why a test cannot be explored; empty for one that can."""
    if not isinstance(test, AssociationTest):
        return "it is a test of targets and several groups"
    if test.contexts is not None:
        return "its stimuli are in contexts of a corpus"
    if any(one.images or one.images_from for one in test.concepts.values()):
        return "its stimuli are images"
    for one in test.concepts.values():
        if (n := len(stimuli_of(one))) > MOST_WORDS:
            return f"{one.name} has {n:,} words, more than {MOST_WORDS}"
    return ""


def _in_sentences(test: AssociationTest) -> bool:
    """Whether stimuli of a test are words in sentences."""
    return any(one.sentences for one in test.concepts.values())


def lacks_sentences(test: AssociationTest, sources: Iterable[NamedSource]) -> bool:
    """Whether no source encodes sentences, or has any of a test."""
    return _in_sentences(test) and not any(
        is_contextual(one.source) or _has_any(one, test) for one in sources
    )


def _has_any(source: NamedSource, test: AssociationTest) -> bool:
    found = source.embedded_concepts(test.concepts).coverage
    return any(group.used for group in found.values())


def none_of(left_out: Iterable[str]) -> EatlasError:
    """Say why no test can be explored."""
    return EatlasError(
        "none of the tests can be explored",
        got="; ".join(left_out),
        allowed="tests of four lists of words; of sentences with a source that encodes them",
        remedy="eatlas tests list shows the tests; --vectors hf:MODEL encodes sentences; eatlas "
        "run takes every test",
    )
