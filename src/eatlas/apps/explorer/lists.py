"""Lists of words: those to start from, those that change, and what the page may send of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from eatlas.apps.serving import table_of
from eatlas.decoding import read_toml
from eatlas.errors import EatlasError
from eatlas.present.numbers import count, number_of
from eatlas.stimuli import ROLES, AssociationTest, Concept, load_tests
from eatlas.stimuli.association_test import OPPOSITES, identifier
from eatlas.stimuli.sentences import PLACE, concept_of, make_sentence

MOST_WORDS, LONGEST_WORD, LONGEST_NAME = 200, 100, 80
"""Words in a group; letters of a word, and of the name of a group."""
LEAST_WORDS = 2
"""Words that a test needs in each group: their labels are permuted."""
EXPLORED = "-explored"
"""End of the id of a test whose words were changed."""
_BETWEEN = re.compile(r"[,;\n\r\t]+")
_QUOTES = "\"'“”‘’„«»[]() "


@dataclass(frozen=True)
class Group:
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
    def dropped(self) -> tuple[str, ...]:
        """Original words that are switched off."""
        return tuple(word for word in self.original if word in self.off)

    @property
    def gained(self) -> tuple[str, ...]:
        """Added words that are switched on."""
        return tuple(word for word in self.added if word not in self.off)


@dataclass(frozen=True)
class Lists:
    """The four groups of a test, and what they were changed from."""

    origin: AssociationTest
    groups: Mapping[str, Group]

    @classmethod
    def of(
        cls,
        origin: AssociationTest,
        off: Mapping[str, Iterable[str]] | None = None,
        added: Mapping[str, Iterable[str]] | None = None,
    ) -> Lists:
        """The words of a test, some of them off, with others added."""
        off, added = off or {}, added or {}
        groups = {}
        for role, concept in origin.concepts.items():
            words, more = stimuli_of(concept), tuple(map(tidy, added.get(role, ())))
            require_words(concept.name, (*words, *more))
            if more:
                require_templates(concept)
            known = frozenset((*words, *more))
            groups[role] = Group(concept.name, words, more, known & frozenset(off.get(role, ())))
        return cls(origin, groups)

    @cached_property
    def changed(self) -> bool:
        """Whether other words are measured than those of the test."""
        return any(one.dropped or one.gained for one in self.groups.values())

    @property
    def moves(self) -> list[tuple[str, Group, Group]]:
        """Words that went from one group to another."""
        groups = self.groups.values()
        return [
            (word, one, other)
            for one in groups
            for word in one.dropped
            for other in groups
            if word in other.gained
        ]

    @property
    def changes(self) -> list[str]:
        """What was changed: words that went to another group, then by group."""
        moves = self.moves
        moved = {(word, id(group)) for word, *both in moves for group in both}
        return [
            *(f"{word} moved from {one.name} to {other.name}" for word, one, other in moves),
            *(
                f"{verb} {', '.join(words)} ({group.name})"
                for verb, words_of in (("without", "dropped"), ("with", "gained"))
                for group in self.groups.values()
                if (words := [w for w in getattr(group, words_of) if (w, id(group)) not in moved])
            ),
        ]

    @property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What tells lists apart: names and words, whatever their order."""
        return tuple((one.name, tuple(sorted(one.on))) for one in self.groups.values())

    @property
    def fault(self) -> str:
        """Why nothing can be measured: too few words, or one on both sides; empty otherwise."""
        for group in self.groups.values():
            n = len(group.on)
            if n < LEAST_WORDS:
                has = "no word is" if not n else "one word is"
                return (
                    f"In {group.name}, {has} switched on. The test needs two or more words in each "
                    "group, because it permutes their labels. Switch a word on, or add one."
                )
        for one, other in OPPOSITES:
            first, second = self.groups[one], self.groups[other]
            if said := _on_both_sides(first.name, first.on, second.name, second.on):
                return f"{said} Switch it off in one."
        return ""

    def concept(self, role: str, words: Sequence[str]) -> Concept:
        """Some words of a group as a concept; in a test of sentences, with their sentences."""
        origin, name = self.origin.concept(role), self.groups[role].name
        if not origin.sentences:
            return Concept(name=name, terms=tuple(words))
        made = [
            make_sentence(template, word)
            for word in words
            if word in self.groups[role].added
            for template in templates_of(origin)
        ]
        wanted = frozenset(words)
        kept = [one for one in origin.sentences if one.stimulus in wanted]
        return concept_of(name, (*kept, *made))

    def test(self, explored: int | None = None) -> AssociationTest:
        """The test of the words that are switched on."""
        if not self.changed:
            return (
                self.origin.model_copy(update={"explored": explored}) if explored else self.origin
            )
        origin, concepts = self.origin, {}
        for role, group in self.groups.items():
            changed = group.dropped or group.gained
            concepts[role] = self.concept(role, group.on) if changed else origin.concept(role)
        title = origin.title or origin.label
        note = f"{origin.id} {'; '.join(self.changes)}, after results had been seen."
        return AssociationTest(
            **concepts,
            id=_next_id(origin.id),
            title=f"{title}, words changed",
            citation=origin.citation,
            sentences_from=origin.sentences_from,
            notes=(*origin.notes, note),
            explored=explored or origin.explored,
        )


def stimuli_of(concept: Concept) -> tuple[str, ...]:
    """The words of a concept: its terms, or the words that its sentences are about."""
    return tuple(dict.fromkeys(one.stimulus for one in concept.sentences)) or concept.terms


def templates_of(concept: Concept) -> tuple[str, ...]:
    """The templates of the sentences of a concept; empty for words."""
    return tuple(dict.fromkeys(one.template for one in concept.sentences))


def require_templates(concept: Concept) -> None:
    """Refuse to add a word where it cannot be put into the sentences of the others."""
    if all(set(PLACE.findall(one)) == {"term"} for one in templates_of(concept)):
        return
    raise EatlasError(
        f"{shortened(concept.name)} takes no other words: its sentences need an article or a "
        "plural of each word, or say no template. Words can be switched off here; eatlas tests "
        "sentences makes sentences of a test of words."
    )


def _next_id(name: str) -> str:
    """The id of a test that was changed, and of one that is changed again.

    >>> _next_id("weat-6"), _next_id("weat-6-explored"), _next_id("weat-6-explored-2")
    ('weat-6-explored', 'weat-6-explored-2', 'weat-6-explored-3')
    """
    head, found, number = name.rpartition(EXPLORED)
    if not found or (number and not number.removeprefix("-").isdecimal()):
        return name + EXPLORED
    return f"{head}{EXPLORED}-{int(number.removeprefix('-') or 1) + 1}"


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


def require_words(name: str, words: tuple[str, ...]) -> None:
    """Refuse what the page could not show: too many words, or one too long."""
    if len(words) > MOST_WORDS:
        raise EatlasError(
            f"{shortened(name)} has {count(len(words))} words; the explorer takes at most "
            f"{MOST_WORDS} in a group. eatlas run measures longer lists."
        )
    if long := next((word for word in words if len(word) > LONGEST_WORD), None):
        raise EatlasError(
            f"{shortened(name)} has a word of {count(len(long))} letters, {shortened(long)}: at "
            f"most {LONGEST_WORD} letters."
        )
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise EatlasError(f"{shortened(name)} has the word {shortened(twice)} already.")


def pasted(lists: Mapping[str, tuple[str, str]]) -> AssociationTest:
    """A new test of four lists as text, each with its name."""
    concepts = {}
    for role in ROLES:
        name, text = lists[role]
        name = tidy(name) or role
        if len(name) > LONGEST_NAME:
            raise EatlasError(
                f"The name of {role} has {count(len(name))} letters: at most {LONGEST_NAME}."
            )
        words = words_in(text)
        require_words(name, words)
        if len(words) < LEAST_WORDS:
            raise EatlasError(
                f"{name} has {number_of(len(words), 'word')}: each list needs two or more."
            )
        concepts[role] = Concept(name=name, terms=words)
    for role, opposite in OPPOSITES:
        one, other = concepts[role], concepts[opposite]
        if said := _on_both_sides(one.name, one.terms, other.name, other.terms):
            raise EatlasError(f"{said} Take it out of one.")
    made = identifier("-".join(one.name for one in concepts.values()).lower())
    return AssociationTest(**concepts, id=made or "new")


def _on_both_sides(name: str, words: Sequence[str], other: str, others: Sequence[str]) -> str:
    """Say which words are in both of two opposite groups; empty where none is."""
    both = [word for word in words if word in set(others)]
    if not both:
        return ""
    named = ", ".join(map(shortened, both[:3])) + (", ..." if len(both) > 3 else "")
    return (
        f"{named} {'is' if len(both) == 1 else 'are'} in both {name} and {other}: a word that is "
        "in both cannot distinguish the two."
    )


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a long text.

    >>> shortened("x" * 100, 5)
    'xxxx…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


BUNDLED = {
    "weat-1": "Flowers/Insects",
    "weat-6": "Names, Career/Family",
    "weat-8": "Science/Arts",
}
"""Tests that come with eatlas, by what their buttons say."""
MOST_NAMED = 6
"""Tests of the command line that have a button; the menu of tests has them all."""
NO_FILE = "This is not a file of tests with four lists of words: a test has X, Y, A and B."


class Start(NamedTuple):
    """A button that fills four lists."""

    name: str
    lists: str
    """JSON of the name and the words of each list, by role."""


class FileLists(NamedTuple):
    """Four lists of a file."""

    lists: dict[str, tuple[str, str]]
    """Name and words of each, by role."""
    note: str
    """Which test of the file it is."""


def starts(tests: Iterable[AssociationTest]) -> Iterator[Start]:
    """Lists to start from: three that come with eatlas, then those of the command line."""
    for name, label in BUNDLED.items():
        (test,) = load_tests(name)
        yield Start(label, _lists(test))
    words = [one for one in tests if not any(part.sentences for _, part in one.parts)]
    for test in [one for one in words if one.id not in BUNDLED][:MOST_NAMED]:
        yield Start(test.id, _lists(test))


def _lists(test: Any) -> str:
    return json.dumps({role: [one.name, ", ".join(one.terms)] for role, one in test.parts})


def lists_of_file(text: str) -> FileLists:
    """The lists of the first test of a file, of which the page sends the text.

    Names and words are taken and nothing else: a file cannot lead to another one.
    """
    document = read_toml(text.encode("utf-8"), "The file", EatlasError)
    given = document.get("test")
    tests = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    for test in tests:
        lists = {role: _words(test.get(role)) for role in ROLES}
        if all(lists.values()):
            more = f", the first of {len(tests)} tests of the file" if len(tests) > 1 else ""
            name = test.get("id")
            note = f"These are the lists of {name if isinstance(name, str) else 'the test'}{more}."
            return FileLists({role: one for role, one in lists.items() if one}, note)
    raise EatlasError(NO_FILE)


def _words(concept: object) -> tuple[str, str] | None:
    """Name and words of a concept as a file has it; None where these are no words."""
    if not isinstance(concept, Mapping):
        return None
    name, terms = concept.get("name"), concept.get("terms")
    if not isinstance(terms, list) or not all(isinstance(one, str) for one in terms):
        return None
    return (name if isinstance(name, str) else "", ", ".join(terms))


LARGEST = 256 << 10
"""Bytes of the body of a request."""
MOST_TEXTS = 2_000
"""Items of a list of words in a request; those of a group have a lower limit of their own."""
NO_REQUEST = "This is not a request of the page."


@dataclass(frozen=True)
class Request:
    """Which words, of which test, on which source."""

    test: str = ""
    """Id of a test that was named on the command line; empty for pasted lists."""
    lists: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name and text of each pasted list, by role."""
    off: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: int = 0
    """Number of the source among those of the command line."""
    against: int | None = None
    """Number of the source to compare with."""
    what: str = ""
    """Name of an export."""
    text: str = ""
    """Content of a file of tests, which the browser read."""

    @classmethod
    def read(cls, body: bytes) -> Request:
        """Read the body of a request."""
        given = table_of(body)
        if given is None:
            raise EatlasError(NO_REQUEST)
        return cls(
            test=_text(given.get("test", "")),
            lists=_named_lists(given.get("lists")),
            off=_texts_of(given.get("off")),
            added=_texts_of(given.get("added")),
            source=_number(given.get("source", 0)),
            against=None if given.get("against") is None else _number(given["against"]),
            what=_text(given.get("what", "")),
            text=_text(given.get("text", "")),
        )


def _text(value: Any) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str) or any("\ud800" <= char <= "\udfff" for char in value):
        raise EatlasError(NO_REQUEST)
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1_000_000:
        raise EatlasError(NO_REQUEST)
    return value


def _by_role(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not set(value) <= set(ROLES):
        raise EatlasError(NO_REQUEST)
    return value


def _texts_of(value: Any) -> dict[str, tuple[str, ...]]:
    """Lists of words by role."""
    found = _by_role(value)
    if not all(isinstance(words, list) for words in found.values()):
        raise EatlasError(NO_REQUEST)
    if (most := max(map(len, found.values()), default=0)) > MOST_TEXTS:
        raise EatlasError(
            f"A list of {count(most)} words is too long: the explorer takes at most {MOST_WORDS} "
            "in a group. eatlas run measures longer lists."
        )
    return {role: tuple(map(_text, words)) for role, words in found.items()}


def _named_lists(value: Any) -> dict[str, tuple[str, str]]:
    """Names and texts of four lists."""
    found = _by_role(value)
    if found and set(found) != set(ROLES):
        raise EatlasError(NO_REQUEST)
    if any(not isinstance(one, list) or len(one) != 2 for one in found.values()):
        raise EatlasError(NO_REQUEST)
    return {role: (_text(one[0]), _text(one[1])) for role, one in found.items()}
