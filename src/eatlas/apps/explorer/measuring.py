"""What the page shows, measured by :func:`eatlas.run`, and kept for a while."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from eatlas.apps.explorer.lists import MOST_WORDS, Lists, Request, pasted, stimuli_of
from eatlas.engine import run
from eatlas.errors import EatlasError, EatlasWarning, SourceError
from eatlas.measures import Measure, get_measure
from eatlas.results import AssociationResult, Results
from eatlas.results.compare import told_apart
from eatlas.results.settings import source_name
from eatlas.sources import (
    Source,
    embed_concepts,
    is_common_word,
    is_contextual,
    open_named,
    period_of,
)
from eatlas.stimuli import TARGETS, AssociationTest, Test, load_tests

KEPT = 256
"""Results that are kept: a word that is switched off and on again costs nothing."""
DEFAULT_MEASURE = "ml-eat"
DECIMALS = 12
"""Kept of a mean cosine: the last bits are rounding, and no distance on a map."""
T = TypeVar("T")
Key = tuple[str, str]
"""Role and word."""
Pair = tuple[float, float]
"""Mean cosine with A, and with B."""


class NamedSource(NamedTuple):
    """A source that was named on the command line."""

    name: str
    """What a person calls it."""
    spec: str
    """What the command line says of it; empty for vectors in memory."""
    source: Source
    vectors: Any
    """What :func:`eatlas.run` takes: the source, with the name that it was given."""


def plain_name(name: str) -> str:
    """A layer of a model that has a name is called by both, as in "base layer 3"."""
    return name.translate(str.maketrans("?&=", "   "))


def named_sources(vectors: Any) -> tuple[NamedSource, ...]:
    """Open sources, some of them with names; a model of several layers gives one for each."""
    entries = open_named(vectors)
    if not entries:
        raise SourceError("no vectors were chosen", allowed="a file, a name, or vectors in memory")
    sources = []
    for source, name, (given, given_name) in entries:
        plain = plain_name(name)
        year = period_of(source)
        shown = (plain or source_name(source.name)) + ("" if year is None else f", {year}")
        text = str(given) if isinstance(given, str | Path) else ""
        spec = f"{given_name}={text}" if given_name and text else text
        sources.append(NamedSource(shown, spec, source, {plain: source} if plain else source))
    names = told_apart([entry.name for entry in sources], [f", {e.source.name}" for e in entries])
    return tuple(entry._replace(name=name) for entry, name in zip(sources, names, strict=True))


class Placed(NamedTuple):
    """What is known of the words of four groups, by role and word."""

    missing: Mapping[Key, str] = {}
    """Why words have no vector."""
    at: Mapping[Key, Pair] = {}
    """Mean cosines of target words, switched off or not."""
    common: frozenset[Key] = frozenset()
    """Names that were found as a common word, such as Bill as bill."""


def placed(lists: Lists, source: Source) -> Placed:
    """What is missing, and places; those of a word in sentences are the means of its sentences."""
    groups = lists.groups
    concepts = {role: lists.concept(role, group.words) for role, group in groups.items()}
    embedded = embed_concepts(concepts, source)
    missing: dict[Key, str] = {}
    common: set[Key] = set()
    rows: dict[Key, list[Any]] = {}
    for role, concept in concepts.items():
        about, coverage = concept.stimulus_of, embedded.coverage[role]
        for term, vector in zip(coverage.used, embedded.vectors[role], strict=True):
            unit = vector / np.linalg.norm(vector)
            rows.setdefault((role, about.get(term, term)), []).append(unit)
        for term, why in coverage.reasons.items():
            if (key := (role, about.get(term, term))) not in rows:
                missing[key] = why
        common |= {(role, term) for term, key in embedded.keys[role].items()
                   if is_common_word(term, key)}  # fmt: skip
    means = []
    for role in "AB":
        on = [row for word in groups[role].on for row in rows.get((role, word), ())]
        if not on:
            return Placed(missing, {}, frozenset(common))
        means.append(np.mean(on, axis=0))
    at = {}
    for key, units in rows.items():
        if key[0] in TARGETS:
            a, b = (round(float(np.mean(units @ mean)), DECIMALS) for mean in means)
            at[key] = a, b
    return Placed(missing, at, frozenset(common))


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
    origins: Mapping[Key, Pair]
    """Places of the target words before any change."""
    problem: EatlasError | None
    """Why there is no result."""
    looked_at: int
    """Lists of this test that were looked at."""


@dataclass
class Explorer:
    """Tests and sources of one page, which several tabs may show."""

    tests: Mapping[str, AssociationTest]
    sources: tuple[NamedSource, ...]
    measure: Measure
    measure_text: str
    """As a command line names it."""
    left_out: tuple[str, ...] = ()
    """Tests that were named and cannot be explored, each with the reason."""
    _kept: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _looked_at: dict[str, set[Hashable]] = field(default_factory=dict)

    @classmethod
    def of(cls, tests: Any, vectors: Any, measure: str = DEFAULT_MEASURE) -> Explorer:
        """Open tests and sources."""
        chosen = get_measure(measure)
        if chosen.name not in {"ml-eat", "weat"} or getattr(chosen, "association", "") != "cosine":
            raise EatlasError(
                "the explorer shows what ML-EAT or WEAT finds",
                got=measure,
                allowed="ml-eat or weat of cosines, with parameters such as ml-eat(tail=two-sided)",
                remedy="eatlas run takes every measure",
            )
        loaded = load_tests(tests)
        reasons = {test.id: unfit(test) for test in loaded}
        sources = named_sources(vectors) if not all(reasons.values()) else ()
        for test in loaded:
            sentences = any(part.sentences for part in test.concepts.values())
            if not reasons[test.id] and sentences and not _serves(sources, test):
                reasons[test.id] = "no source has its sentences"
        left_out = [f"{name}: {why}" for name, why in reasons.items() if why]
        usable = {
            test.id: test
            for test in loaded
            if isinstance(test, AssociationTest) and not reasons[test.id]
        }
        if not usable:
            raise EatlasError(
                "none of the tests can be explored",
                got="; ".join(left_out),
                allowed="tests of four lists of words; of sentences with a source that encodes "
                "them",
                remedy="eatlas tests list shows the tests; --vectors hf:MODEL encodes sentences; "
                "eatlas run takes every test",
            )
        plain = chosen.signature == get_measure(chosen.name).signature
        return cls(
            tests=usable,
            sources=sources,
            measure=chosen,
            measure_text=chosen.name if plain else measure,
            left_out=tuple(left_out),
        )

    @property
    def has_patterns(self) -> bool:
        """Whether findings are EAT patterns, with levels 2 and 3; WEAT has level 1 alone."""
        return self.measure.name == "ml-eat"

    def lists(self, request: Request) -> Lists:
        """The words that a request is about."""
        if request.test and request.test not in self.tests:
            raise EatlasError("This test is not among those that eatlas explore was started with.")
        origin = self.tests[request.test] if request.test else pasted(request.lists)
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
        before = Lists.of(lists.origin)
        there, origins, problem = Placed(), Placed(), None
        original = result = None
        with suppress(EatlasError):  # what there is before any change is shown beside the words
            original = self.quick(before, source)
            origins = self.places(before, source)
        try:
            there = self.places(lists, source)
            result = self.quick(lists, source)
        except EatlasError as error:
            problem = error
        if result is not None:
            looked_at = self._looked_at.setdefault(request.test, set())
            looked_at |= {lists.key} if original is None else {lists.key, before.key}
        n = self.looked_at(request.test)
        return View(lists, source, there, result, original, origins.at, problem, n)

    def looked_at(self, test: str) -> int:
        """How many lists of a test were looked at; of pasted lists, all together.

        A test that was explored before brings along how many were looked at then.
        """
        before = (self.tests[test].explored or 1) - 1 if test in self.tests else 0
        return before + len(self._looked_at.get(test, ()))

    def tests_of(self, request: Request) -> list[AssociationTest]:
        """What an export holds: the test of the words, then the one before any change.

        It says how many lists were looked at, unless it is a test as it came.
        """
        lists, n = self.lists(request), self.looked_at(request.test)
        test = lists.test(n if n > 1 and (lists.changes or not request.test) else None)
        return [test, lists.origin] if lists.changes else [test]

    def whole(self, request: Request) -> Results:
        """Measure, as ``eatlas run`` does, the words before and after a change on each source."""
        sources = [self.source(number) for number in request.numbers]
        tests = self.tests_of(request)
        key = (*(test.model_dump_json() for test in tests), *request.numbers)
        return self._once(key, lambda: _run(tests, sources, self.measure))

    def quick(self, lists: Lists, source: NamedSource) -> AssociationResult:
        """Measure lists on one source, without resamples."""
        return self.measured(lists, source, resamples=0, frequency="off")

    def measured(self, lists: Lists, source: NamedSource, **parameters: Any) -> AssociationResult:
        """Measure lists on one source."""
        test, measure = lists.test(), self.measure.with_parameters(**parameters)
        key = (test.model_dump_json(), id(source), measure.signature)
        return self._once(key, lambda: _run([test], [source], measure)[0])

    def places(self, lists: Lists, source: NamedSource) -> Placed:
        """What is missing, and the mean cosines of all targets with the attributes that are on."""
        words = tuple((g.name, g.words, tuple(sorted(g.off))) for g in lists.groups.values())
        key = ("places", lists.origin.id, words, id(source))
        return self._once(key, lambda: placed(lists, source.source))

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Make something, or take what was made of the same before."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return cast("T", self._kept[key])


def _run(
    tests: Sequence[AssociationTest], sources: Sequence[NamedSource], measure: Measure
) -> Results:
    """Measure tests on sources; the page shows what fails in its own place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EatlasWarning)
        return run(tests, [source.vectors for source in sources], measure)


def unfit(test: Test) -> str:
    """Why a test cannot be explored; empty for one that can."""
    if not isinstance(test, AssociationTest):
        return "it is a test of targets and several groups"
    if test.contexts is not None:
        return "its stimuli are in contexts of a corpus"
    if any(part.images or part.images_from for part in test.concepts.values()):
        return "its stimuli are images"
    for part in test.concepts.values():
        if (n := len(stimuli_of(part))) > MOST_WORDS:
            return f"{part.name} has {n:,} words, more than {MOST_WORDS}"
    return ""


def _serves(sources: Sequence[NamedSource], test: Test) -> bool:
    """Whether a source encodes the sentences of a test, or has some of them."""
    if any(is_contextual(source.source) for source in sources):
        return True
    found = (embed_concepts(test.concepts, source.source).coverage for source in sources)
    return any(group.used for coverage in found for group in coverage.values())
