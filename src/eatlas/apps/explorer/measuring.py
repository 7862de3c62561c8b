"""What the page shows, measured by :func:`eatlas.run`, and kept for a while."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from eatlas.apps.explorer.lists import (
    LONGEST_WORD,
    MOST_WORDS,
    Lists,
    Request,
    pasted,
    stimuli_of,
    words_in,
)
from eatlas.engine import run
from eatlas.errors import EatlasError, EatlasWarning, SourceError
from eatlas.measures import Measure, get_measure
from eatlas.notes import Note
from eatlas.paths import stamp_of
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
from eatlas.stimuli import ROLES, TARGETS, AssociationTest, Concept, load_tests

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


@dataclass(frozen=True)
class NamedSource:
    """A source that was named on the command line."""

    name: str
    """What a person calls it."""
    spec: str
    """What the command line says of it; empty for vectors in memory."""
    source: Source
    vectors: Any
    """What :func:`eatlas.run` takes: the source, with the name that it was given."""
    file: Path | None
    """The file or folder that it reads, where it names one."""
    stamp: tuple[int, ...] | None
    """What tells the file from another one of its name."""

    def require_unchanged(self) -> None:
        """Refuse a file that vanished, or that is another one by now."""
        if self.file is not None and stamp_of(self.file) != self.stamp:
            happened = "was changed" if self.file.exists() else "vanished"
            raise EatlasError(
                f"The file of {self.name} {happened} while it was explored: {self.file}. Nothing "
                "is shown, because its vectors cannot be checked any more. Start eatlas explore "
                "again."
            )


def named_sources(vectors: Any) -> tuple[NamedSource, ...]:
    """Open sources, some of them with names; a model of several layers gives one for each."""
    opened = open_named(vectors)
    if not opened:
        raise SourceError("no vectors were chosen", allowed="a file, a name, or vectors in memory")
    # a layer of a model that has a name is called by both, as in "base layer 3"
    plain_names = [entry.name.translate(str.maketrans("?&=", "   ")) for entry in opened]
    names = []
    for entry, name in zip(opened, plain_names, strict=True):
        year = period_of(entry.source)
        names.append(
            (name or source_name(entry.source.name)) + ("" if year is None else f", {year}")
        )
    names = told_apart(names, [f", {entry.source.name}" for entry in opened])
    sources = []
    for entry, name, shown in zip(opened, plain_names, names, strict=True):
        text = str(entry.spec.spec) if isinstance(entry.spec.spec, str | Path) else ""
        spec = f"{entry.spec.name}={text}" if entry.spec.name and text else text
        paths = (Path(part) for part in (text, re.split("[?#]", text)[0]) if part)
        file = next((path for path in paths if path.exists()), None)
        vectors = {name: entry.source} if name else entry.source
        stamp = None if file is None else stamp_of(file)
        sources.append(NamedSource(shown, spec, entry.source, vectors, file, stamp))
    return tuple(sources)


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

    @property
    def explored(self) -> bool:
        """Whether words were changed after results had been seen."""
        return self.lists.changed or self.looked_at > 1


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
    bundled: frozenset[str] = frozenset()
    """Ids of tests that come with eatlas, unchanged."""
    _kept: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _looked_at: dict[str, set[Hashable]] = field(default_factory=dict)

    @classmethod
    def of(cls, tests: Any, vectors: Any, measure: str = DEFAULT_MEASURE) -> Explorer:
        """Open tests and sources."""
        reasons = [(test, unfit(test)) for test in load_tests(tests)]
        sources = named_sources(vectors) if not all(why for _, why in reasons) else ()
        usable, left_out = [], []
        for test, why in reasons:
            if not why and lacks_sentences(cast("AssociationTest", test), sources):
                why = "no source has its sentences"  # noqa: PLW2901
            if why:
                left_out.append(f"{test.id}: {why}")
            else:
                usable.append(cast("AssociationTest", test))
        if not usable:
            raise EatlasError(
                "none of the tests can be explored",
                got="; ".join(left_out),
                allowed="tests of four lists of words; of sentences with a source that encodes "
                "them",
                remedy="eatlas tests list shows the tests; --vectors hf:MODEL encodes sentences; "
                "eatlas run takes every test",
            )
        chosen = get_measure(measure)
        if chosen.name not in {"ml-eat", "weat"} or getattr(chosen, "association", "") != "cosine":
            raise EatlasError(
                "the explorer shows what ML-EAT or WEAT finds",
                got=measure,
                allowed="ml-eat or weat of cosines, with parameters such as ml-eat(tail=two-sided)",
                remedy="eatlas run takes every measure",
            )
        plain = chosen.signature == get_measure(chosen.name).signature
        return cls(
            tests={test.id: test for test in usable},
            sources=sources,
            measure=chosen,
            measure_text=chosen.name if plain else measure,
            left_out=tuple(left_out),
            bundled=frozenset(test.id for test in usable if _is_bundled(test)),
        )

    @property
    def has_patterns(self) -> bool:
        """Whether findings are EAT patterns, with levels 2 and 3; WEAT has level 1 alone."""
        return self.measure.name == "ml-eat"

    def lists(self, request: Request) -> Lists:
        """The words that a request is about."""
        if not request.test:
            origin = pasted(request.lists)
        elif request.test in self.tests:
            origin = self.tests[request.test]
        else:
            raise EatlasError("This test is not among those that eatlas explore was started with.")
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
        try:
            original = self._quick(before, source)
            origins = self._placed(before, source)
        except EatlasError:
            pass  # what there is before any change is shown beside the words
        try:
            there = self._placed(lists, source)
            result = self._quick(lists, source)
        except EatlasError as error:
            problem = error
        if result is not None:
            looked_at = self._looked_at.setdefault(request.test, set())
            looked_at.add(lists.key)
            if original is not None:
                looked_at.add(before.key)
        n = self.looked_at(request.test)
        return View(lists, source, there, result, original, origins.at, problem, n)

    def other_words(self, request: Request) -> AssociationResult:
        """Measure with resamples: how often other words show the same."""
        lists, source = self.lists(request), self.source(request.source)
        return self._measured(lists, source, self.measure.with_parameters(frequency="off"))

    def across(self, request: Request) -> list[tuple[str, list[AssociationResult | EatlasError]]]:
        """The words of a request, and those before any change, on every source."""
        lists = self.lists(request)
        rows = [("these words", lists)] + [("before", Lists.of(lists.origin))] * lists.changed
        table = []
        for name, words in rows:
            cells: list[AssociationResult | EatlasError] = []
            for source in self.sources:
                try:
                    cells.append(self._quick(words, source))
                except EatlasError as error:
                    cells.append(error)
            table.append((name, cells))
        return table

    def places_on(self, request: Request, number: int) -> dict[Key, Pair]:
        """Places of the target words that are switched on, on one of the sources."""
        lists, source = self.lists(request), self.source(number)
        places = self._placed(lists, source).at
        return {key: at for key, at in places.items() if key[1] in lists.groups[key[0]].on}

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

    def tests_of(self, request: Request) -> list[AssociationTest]:
        """What an export holds: the test of the words, then the one before any change."""
        lists = self.lists(request)
        if lists.fault:
            raise EatlasError(lists.fault)
        test = lists.test(self.explored(request, lists))
        return [test, lists.origin] if lists.changed else [test]

    def whole(self, request: Request) -> Results:
        """Measure, as ``eatlas run`` does, the words before and after a change on each source."""
        numbers = [request.source, *([] if request.compared is None else [request.compared])]
        sources, tests = [self.source(number) for number in numbers], self.tests_of(request)
        key = (*(test.model_dump_json() for test in tests), *numbers)
        return self._once(key, lambda: _run(tests, sources, self.measure))

    def remarks_on(self, request: Request) -> tuple[Note, ...]:
        """What a person should know of pasted words: names that are words, unequal frequency."""
        measure = self.measure.with_parameters(resamples=0)
        lists, source = Lists.of(pasted(request.lists)), self.source(request.source)
        return self._measured(lists, source, measure).warnings

    def found_in(self, request: Request) -> dict[str, tuple[int, list[str]]]:
        """How many words of pasted lists a source has, and which it lacks, by role."""
        parts: dict[str, Concept] = {}
        for role, (_, text) in request.lists.items():
            words = [word for word in words_in(text)[:MOST_WORDS] if len(word) <= LONGEST_WORD]
            if words:
                parts[role] = Concept(name=role, terms=tuple(words))
        coverage = embed_concepts(parts, self.source(request.source).source).coverage
        return {
            role: (len(coverage[role].used), list(coverage[role].missing))
            if role in parts
            else (0, [])
            for role in ROLES
        }

    def _quick(self, lists: Lists, source: NamedSource) -> AssociationResult:
        """Measure without resamples."""
        quick = self.measure.with_parameters(resamples=0, frequency="off")
        return self._measured(lists, source, quick)

    def _measured(self, lists: Lists, source: NamedSource, measure: Measure) -> AssociationResult:
        """Measure lists on one source."""
        if lists.fault:
            raise EatlasError(lists.fault)
        test = lists.test()
        key = (test.model_dump_json(), id(source), measure.signature)
        source.require_unchanged()
        return self._once(key, lambda: _run([test], [source], measure)[0])

    def _placed(self, lists: Lists, source: NamedSource) -> Placed:
        """What is missing, and the mean cosines of all targets with the attributes that are on."""
        source.require_unchanged()
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
    """Measure tests on sources; an error is without a traceback, which a page shows nobody."""
    for source in sources:
        source.require_unchanged()
    try:
        with warnings.catch_warnings():  # the page shows what fails in its own place
            warnings.simplefilter("ignore", EatlasWarning)
            return run(tests, [source.vectors for source in sources], measure)
    except EatlasError as error:
        if "Traceback" in (error.got or ""):
            raise type(error)(error.what, remedy=error.remedy) from error
        raise


def _is_bundled(test: AssociationTest) -> bool:
    """Whether the command line knows a test by its id."""
    try:
        return load_tests(test.id) == (test,)
    except EatlasError:
        return False


def unfit(test: object) -> str:
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


def lacks_sentences(test: AssociationTest, sources: Iterable[NamedSource]) -> bool:
    """Whether no source encodes sentences, or has any of a test of sentences."""
    return any(part.sentences for part in test.concepts.values()) and not any(
        is_contextual(source.source)
        or any(
            group.used for group in embed_concepts(test.concepts, source.source).coverage.values()
        )
        for source in sources
    )
