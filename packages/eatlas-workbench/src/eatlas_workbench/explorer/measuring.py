"""Lists of words that change, measured by :func:`eatlas.run`, and kept for a while."""

from __future__ import annotations

import json
import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eatlas.decoding import read_toml
from eatlas.engine import run
from eatlas.errors import EatlasError, EatlasWarning, SourceError
from eatlas.measures import Measure, get_measure
from eatlas.numbers import count
from eatlas.results import AssociationResult, Results
from eatlas.results.compare import distinguish_names
from eatlas.results.settings import source_name
from eatlas.sources import (
    Source,
    embed_concepts,
    is_common_word,
    is_contextual,
    open_named,
    period_of,
)
from eatlas.stimuli import ROLES, TARGETS, AssociationTest, Concept, Test, load_tests
from eatlas.stimuli.kinds import identifier
from eatlas.stimuli.sentences import PLACE, concept_of, make_sentence

if TYPE_CHECKING:
    from eatlas_vocabulary.results.themes import Theme, ThemesResult

MOST_WORDS, LONGEST_WORD, LONGEST_NAME = 200, 100, 80
"""Words in a group; letters of a word, and of the name of a group."""
BUNDLED = {
    "weat-1": "Flowers/Insects",
    "weat-6": "Names, Career/Family",
    "weat-8": "Science/Arts",
}
"""Tests that come with eatlas, by what their buttons say."""
MOST_NAMED = 6
"""Tests of the command line that have a button; the menu of tests has them all."""
NO_FILE = "This is not a file of tests with four lists of words: a test has X, Y, A and B."
NO_LISTS = "There is no list of words."
_BETWEEN = re.compile(r"[,;\n\r\t]+")
_QUOTES = "\"'“”‘’„«»[]() "

Role = Literal["X", "Y", "A", "B"]
Pasted = Mapping[Any, tuple[str, str]]
"""Name and text of each of four lists, by role."""
KEPT = 256
"""Results that are stored: a word that is switched off and on again costs nothing."""
DEFAULT_MEASURE = "ml-eat"
DECIMALS = 12
"""Kept of a mean cosine: the last bits are rounding, and no distance on a map."""
T = TypeVar("T")
Key = tuple[str, str]
"""Role and word."""
Pair = tuple[float, float]
"""Mean cosine with A, and with B."""
Ranks = Mapping[str, tuple[int | None, str]]
"""Rank and vocabulary of words that were measured so far; None of a word without a rank."""


class Request(BaseModel):
    """Which words, of which test, on which source."""

    model_config = ConfigDict(frozen=True, strict=True)

    test: str = ""
    """Id of a test that was named on the command line; empty for pasted lists."""
    lists: dict[Role, tuple[str, str]] = {}
    """Name and text of each pasted list, by role."""
    off: dict[Role, tuple[str, ...]] = {}
    added: dict[Role, tuple[str, ...]] = {}
    source: NonNegativeInt = 0
    """Number of the source among those of the command line."""
    against: NonNegativeInt | None = None
    """Number of the source to compare with."""
    what: str = ""
    """Name of an export."""
    text: str = ""
    """Content of a file of tests, which the browser read."""

    @property
    def numbers(self) -> list[int]:
        """Numbers of the source, and of another one to compare with."""
        other = self.against
        return [self.source] if other in {None, self.source} else [self.source, other or 0]


@dataclass(frozen=True)
class WordGroup:
    """The words of one concept, with those that were switched off or added."""

    name: str
    original: tuple[str, ...]
    added: tuple[str, ...] = ()
    off: frozenset[str] = frozenset()

    @property
    def words(self) -> tuple[str, ...]:
        """All words, switched off or not: the original ones first."""
        return self.original + self.added

    @property
    def on(self) -> tuple[str, ...]:
        """The words that are measured."""
        return tuple(word for word in self.words if word not in self.off)

    @property
    def removals(self) -> list[str]:
        """Original words that are switched off."""
        return [word for word in self.original if word in self.off]

    @property
    def additions(self) -> list[str]:
        """Added words that are switched on."""
        return [word for word in self.added if word not in self.off]


@dataclass(frozen=True)
class Lists:
    """The four groups of a test, and what they were changed from."""

    origin: AssociationTest
    groups: Mapping[str, WordGroup]

    @classmethod
    def of(
        cls,
        origin: AssociationTest,
        off: Mapping[Any, Iterable[str]] | None = None,
        added: Mapping[Any, Iterable[str]] | None = None,
    ) -> Lists:
        """The words of a test, some of them off, with others added."""
        groups = {}
        for role, concept in origin.concepts.items():
            words = stimuli_of(concept)
            more = tuple(map(tidy, (added or {}).get(role, ())))
            require_words(concept.name, (*words, *more))
            if more and any(set(PLACE.findall(t)) != {"term"} for t in templates_of(concept)):
                raise EatlasError(
                    f"{truncate(concept.name)} cannot take other words: its sentences need an "
                    "article or a plural of each word, or state no template. Words can be switched "
                    "off here; eatlas tests sentences makes sentences of a test of words."
                )
            switched = frozenset((off or {}).get(role, ())) & {*words, *more}
            groups[role] = WordGroup(concept.name, words, more, switched)
        return cls(origin, groups)

    @cached_property
    def changes(self) -> list[str]:
        """What was changed: words that went to another group, then by group."""
        groups = self.groups.values()
        moves = {
            word: f"{word} moved from {start.name} to {end.name}"
            for start in groups
            for word in start.removals
            for end in groups
            if word in end.additions
        }
        lines = list(moves.values())
        changed = [("without", group.name, group.removals) for group in groups]
        changed += [("with", group.name, group.additions) for group in groups]
        for verb, name, words in changed:
            if words := [word for word in words if word not in moves]:
                lines.append(f"{verb} {', '.join(words)} ({name})")
        return lines

    @property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What distinguishes lists: names and words, in any order."""
        return tuple((group.name, tuple(sorted(group.on))) for group in self.groups.values())

    def concept(self, role: str, words: Sequence[str]) -> Concept:
        """Some words of a group as a concept; in a test of sentences, with their sentences."""
        origin, group = self.origin.concept(role), self.groups[role]
        if not origin.sentences:
            return Concept(name=group.name, terms=tuple(words))
        sentences = [sentence for sentence in origin.sentences if sentence.stimulus in set(words)]
        sentences += [
            make_sentence(template, word, language=self.origin.language)
            for word in words
            if word in group.added
            for template in templates_of(origin)
        ]
        return concept_of(group.name, tuple(sentences))

    def test(self, explored: int | None = None) -> AssociationTest:
        """The test of the words that are switched on."""
        origin = self.origin
        if not self.changes:
            return origin.model_copy(update={"explored": explored}) if explored else origin
        return AssociationTest(
            **{
                role: self.concept(role, group.on)
                if group.removals or group.additions
                else origin.concept(role)
                for role, group in self.groups.items()
            },
            id=f"{origin.id}-explored",
            title=f"{origin.title or origin.label}, words changed",
            citation=origin.citation,
            language=origin.language,
            sentences_from=origin.sentences_from,
            explored_on=origin.explored_on,
            notes=(
                *origin.notes,
                f"{origin.id} {'; '.join(self.changes)}, after results had been seen.",
            ),
            explored=explored or origin.explored,
        )


def stimuli_of(concept: Concept) -> tuple[str, ...]:
    """The words of a concept: its terms, or the words that its sentences are about."""
    return (
        tuple(dict.fromkeys(sentence.stimulus for sentence in concept.sentences)) or concept.terms
    )


def templates_of(concept: Concept) -> tuple[str, ...]:
    """The templates of the sentences of a concept; empty for words."""
    return tuple(dict.fromkeys(sentence.template for sentence in concept.sentences))


def tidy(word: str) -> str:
    """A word as it was meant: on one line, without the quotation marks of a list.

    >>> tidy(' "New  York" ')
    'New York'
    """
    return " ".join(word.split()).strip(_QUOTES)


def words_in(text: str) -> tuple[str, ...]:
    r"""The words of a pasted list: between commas, semicolons, tabs or line ends; each once.

    >>> words_in("nurse, 'teacher'; nurse\nNew York,")
    ('nurse', 'teacher', 'New York')
    """
    return tuple(dict.fromkeys(filter(None, map(tidy, _BETWEEN.split(text)))))


def pieces_of(word: str, source: Source) -> tuple[str, ...]:
    """The words of a list that was pasted with spaces; none where the source lacks one of them."""
    pieces = tuple(dict.fromkeys(filter(None, map(tidy, word.split()))))
    if not 2 <= len(pieces) <= MOST_WORDS or max(map(len, pieces)) > LONGEST_WORD:
        return ()
    (coverage,) = embed_concepts({"X": Concept(name="X", terms=pieces)}, source).coverage.values()
    return () if coverage.missing else pieces


def require_words(name: str, words: tuple[str, ...]) -> None:
    """Refuse what the page could not show: too many words, one too long, or one twice."""
    name = truncate(name)
    if len(words) > MOST_WORDS:
        raise EatlasError(
            f"{name} has {count(len(words))} words; the explorer takes at most {MOST_WORDS} in a "
            "group. eatlas run measures longer lists."
        )
    for i, word in enumerate(words):
        if len(word) > LONGEST_WORD:
            raise EatlasError(
                f"{name} has a word of {count(len(word))} letters, {truncate(word)}: at most "
                f"{LONGEST_WORD} letters."
            )
        if word in words[:i]:
            raise EatlasError(f"{name} has the word {truncate(word)} already.")


def make_pasted_test(lists: Pasted) -> AssociationTest:
    """A new test of four lists as text, each with its name."""
    if set(lists) != set(ROLES):
        raise EatlasError(NO_LISTS)
    concepts = {}
    for role in ROLES:
        name, words = tidy(lists[role][0])[:LONGEST_NAME] or role, words_in(lists[role][1])
        require_words(name, words)
        concepts[role] = Concept(name=name, terms=words)
    names = "-".join(concept.name for concept in concepts.values())
    return AssociationTest(**concepts, id=identifier(names.lower()))


def truncate(text: str, most: int = 40) -> str:
    """The beginning of a long text.

    >>> truncate("x" * 100, 5)
    'xxxx…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def starts(tests: Iterable[AssociationTest]) -> Iterator[tuple[str, str]]:
    """Names and lists to start from: three that come with eatlas, then those of the command line.

    Lists are JSON of the name and the words of each, by role.
    """
    buttons = [(label, load_tests(name)[0]) for name, label in BUNDLED.items()]
    own = [test for test in tests if not any(part.sentences for _, part in test.parts)]
    buttons += [(test.id, test) for test in own if test.id not in BUNDLED][:MOST_NAMED]
    for label, test in buttons:
        lists = {role: [part.name, ", ".join(part.terms)] for role, part in test.parts}
        yield label, json.dumps(lists)


def themes_in_order(scan: ThemesResult | None) -> list[tuple[str, list[tuple[Theme, str, str]]]]:
    """Themes that were found, then the others: each with its group and its most central words."""
    if scan is None:
        return []
    rows = [
        (theme, scan.concepts[theme.ends[0]], ", ".join(theme.nearest)) for theme in scan.strongest
    ]
    below = len(scan.found)
    parts = {"Significant": rows[:below], "Not significant": rows[below:]}
    return [(name, part) for name, part in parts.items() if part]


def lists_of_file(text: str) -> dict[str, Any]:
    """The lists of the first test of a file, of which the page sends the text, and a note.

    A name and words are taken of each concept, and nothing that leads elsewhere.
    """
    document = read_toml(text.encode("utf-8"), "The file", EatlasError)
    try:
        first, *others = document["test"]
        lists = {
            role: (str(first[role].get("name", "")), ", ".join(first[role]["terms"]))
            for role in ROLES
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EatlasError(NO_FILE) from error
    more = f", the first of {len(others) + 1} tests of the file" if others else ""
    return {"lists": lists, "note": f"These are the lists of {first.get('id', 'the test')}{more}."}


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


def open_explorer_sources(vectors: Any) -> tuple[NamedSource, ...]:
    """Open sources, some of them with names; a model of several layers gives one for each."""
    entries = open_named(vectors)
    if not entries:
        raise SourceError("no vectors were given", allowed="a file, a name, or vectors in memory")
    sources = []
    for source, name, (given, given_name, _) in entries:
        plain = plain_name(name)
        year = period_of(source)
        shown = (plain or source_name(source.name)) + ("" if year is None else f", {year}")
        text = str(given) if isinstance(given, str | Path) else ""
        spec = f"{given_name}={text}" if given_name and text else text
        sources.append(NamedSource(shown, spec, source, {plain: source} if plain else source))
    names = distinguish_names(
        [entry.name for entry in sources], [f", {e.source.name}" for e in entries]
    )
    return tuple(entry._replace(name=name) for entry, name in zip(sources, names, strict=True))


class Placed(NamedTuple):
    """What is known of the words of four groups, by role and word."""

    missing: Mapping[Key, str] = {}
    """Why words have no vector."""
    at: Mapping[Key, Pair] = {}
    """Mean cosines of target words, switched off or not."""
    common: frozenset[Key] = frozenset()
    """Names that were found as a common word, such as Bill as bill."""
    twins: Mapping[Key, tuple[Key, ...]] = {}
    """Other words with the very vector of a word, such as Amy of amy."""


def locate_words(lists: Lists, source: Source) -> Placed:
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
    twins = _twins(rows)
    means = []
    for role in "AB":
        on = [row for word in groups[role].on for row in rows.get((role, word), ())]
        if not on:
            return Placed(missing, {}, frozenset(common), twins)
        means.append(np.mean(on, axis=0))
    at = {}
    for key, units in rows.items():
        if key[0] in TARGETS:
            a, b = (round(float(np.mean(units @ mean)), DECIMALS) for mean in means)
            at[key] = a, b
    return Placed(missing, at, frozenset(common), twins)


def _twins(rows: Mapping[Key, Sequence[Any]]) -> dict[Key, tuple[Key, ...]]:
    """Words that the source does not distinguish: of each the others."""
    alike: dict[bytes, list[Key]] = {}
    for key, units in rows.items():
        alike.setdefault(np.concatenate(units).tobytes(), []).append(key)
    return {
        key: tuple(other for other in keys if other != key)
        for keys in alike.values()
        if len(keys) > 1
        for key in keys
    }


@dataclass(frozen=True)
class BoardView:
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
    ranks: Ranks


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
    themes: ThemesResult | None = None
    """Whose words are offered as lists."""
    _kept: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _looked_at: dict[str, set[Hashable]] = field(default_factory=dict)
    _ranks: dict[str, dict[str, tuple[int | None, str]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tests: Any,
        vectors: Any,
        measure: str = DEFAULT_MEASURE,
        themes: ThemesResult | None = None,
    ) -> Explorer:
        """Open tests and sources."""
        chosen = get_measure(measure)
        if chosen.name not in {"ml-eat", "weat"} or getattr(chosen, "association", "") != "cosine":
            raise EatlasError(
                "the explorer only shows results of ML-EAT or WEAT",
                got=measure,
                allowed="ml-eat or weat of cosines, with parameters such as ml-eat(tail=two-sided)",
                remedy="eatlas run supports all measures",
            )
        loaded = load_tests(tests)
        reasons = {test.id: unfit(test) for test in loaded}
        sources = open_explorer_sources(vectors) if not all(reasons.values()) else ()
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
            themes=themes,
        )

    @property
    def has_patterns(self) -> bool:
        """Whether findings are EAT patterns, with levels 2 and 3; WEAT has level 1 alone."""
        return self.measure.name == "ml-eat"

    def lists(self, request: Request) -> Lists:
        """The words that a request is about."""
        if request.test and request.test not in self.tests:
            raise EatlasError("This test is not among those that eatlas explore was started with.")
        origin = self.tests[request.test] if request.test else make_pasted_test(request.lists)
        return Lists.of(origin, request.off, request.added)

    def source(self, number: int) -> NamedSource:
        """A source of the command line."""
        if number >= len(self.sources):
            raise EatlasError(
                "This source is not among those that eatlas explore was started with."
            )
        return self.sources[number]

    def view(self, request: Request) -> BoardView:
        """Measure the words of a request, without other words."""
        lists, source = self.lists(request), self.source(request.source)
        before = Lists.of(lists.origin)
        there, origins, problem = Placed(), Placed(), None
        original = result = None
        with suppress(EatlasError):  # what there is before any change is shown next to the words
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
        n, ranks = self.looked_at(request.test), self._ranks.setdefault(source.name, {})
        for measured in (original, result):
            if measured is not None and measured.frequency is not None:
                order = measured.frequency.ranks
                for role in ROLES:
                    terms = order[role].terms
                    ranks |= {word: (rank, order.vocabulary) for word, rank in terms.items()}
        return BoardView(lists, source, there, result, original, origins.at, problem, n, ranks)

    def looked_at(self, test: str) -> int:
        """How many lists of a test were looked at; of pasted lists, all together.

        A test that was explored before brings along how many were looked at then; pasted lists,
        the themes that they may be of.
        """
        of_themes = 0 if self.themes is None else len(self.themes.themes)
        before = (self.tests[test].explored or 1) - 1 if test in self.tests else of_themes
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
        return self.measure_lists(lists, source, resamples=0, frequency="off")

    def measure_lists(
        self, lists: Lists, source: NamedSource, **parameters: Any
    ) -> AssociationResult:
        """Measure lists on one source."""
        test, measure = lists.test(), self.measure.with_parameters(**parameters)
        key = (test.model_dump_json(), id(source), measure.signature)
        return self._once(key, lambda: _run([test], [source], measure)[0])

    def places(self, lists: Lists, source: NamedSource) -> Placed:
        """What is missing, and the mean cosines of all targets with the attributes that are on."""
        words = tuple((g.name, g.words, tuple(sorted(g.off))) for g in lists.groups.values())
        key = ("places", lists.origin.id, words, id(source))
        return self._once(key, lambda: locate_words(lists, source.source))

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
