"""Lists of words: those to start from, those that change, and what the page may send of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eatlas.decoding import read_toml
from eatlas.errors import EatlasError
from eatlas.present.numbers import count, number_of
from eatlas.stimuli import ROLES, AssociationTest, Concept, load_tests
from eatlas.stimuli.kinds import OPPOSITES, identifier
from eatlas.stimuli.sentences import PLACE, concept_of, make_sentence

MOST_WORDS, LONGEST_WORD, LONGEST_NAME = 200, 100, 80
"""Words in a group; letters of a word, and of the name of a group."""
LEAST_WORDS = 2
"""Words that a test needs in each group: their labels are permuted."""
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
_EXPLORED = re.compile(r"(.*-explored)(?:-(\d+))?")
"""The id of a test whose words were changed, and of one that was changed again."""

Role = Literal["X", "Y", "A", "B"]
Pasted = Mapping[Any, tuple[str, str]]
"""Name and text of each of four lists, by role."""


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
    def compared(self) -> int | None:
        """The number of another source to compare with."""
        return None if self.against == self.source else self.against


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
    def dropped(self) -> list[str]:
        """Original words that are switched off."""
        return [word for word in self.original if word in self.off]

    @property
    def gained(self) -> list[str]:
        """Added words that are switched on."""
        return [word for word in self.added if word not in self.off]


@dataclass(frozen=True)
class Lists:
    """The four groups of a test, and what they were changed from."""

    origin: AssociationTest
    groups: Mapping[str, Group]

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
            if more:
                require_templates(concept)
            switched = frozenset((off or {}).get(role, ())) & {*words, *more}
            groups[role] = Group(concept.name, words, more, switched)
        return cls(origin, groups)

    @cached_property
    def changed(self) -> bool:
        """Whether other words are measured than those of the test."""
        return any(group.dropped or group.gained for group in self.groups.values())

    @cached_property
    def changes(self) -> list[str]:
        """What was changed: words that went to another group, then by group."""
        groups = list(self.groups.values())
        moves = [
            (word, start, end)
            for start in groups
            for word in start.dropped
            for end in groups
            if word in end.gained
        ]
        left = {(word, id(start)) for word, start, _ in moves}
        came = {(word, id(end)) for word, _, end in moves}
        lines = [f"{word} moved from {start.name} to {end.name}" for word, start, end in moves]
        for verb, moved in (("without", left), ("with", came)):
            for group in groups:
                words = group.dropped if verb == "without" else group.gained
                if words := [word for word in words if (word, id(group)) not in moved]:
                    lines.append(f"{verb} {', '.join(words)} ({group.name})")
        return lines

    @property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What tells lists apart: names and words, whatever their order."""
        return tuple((group.name, tuple(sorted(group.on))) for group in self.groups.values())

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
        both = _on_both_sides({role: (g.name, g.on) for role, g in self.groups.items()})
        return f"{both} Switch it off in one." if both else ""

    def concept(self, role: str, words: Sequence[str]) -> Concept:
        """Some words of a group as a concept; in a test of sentences, with their sentences."""
        origin, group = self.origin.concept(role), self.groups[role]
        if not origin.sentences:
            return Concept(name=group.name, terms=tuple(words))
        sentences = [sentence for sentence in origin.sentences if sentence.stimulus in set(words)]
        sentences += [
            make_sentence(template, word)
            for word in words
            if word in group.added
            for template in templates_of(origin)
        ]
        return concept_of(group.name, tuple(sentences))

    def test(self, explored: int | None = None) -> AssociationTest:
        """The test of the words that are switched on."""
        origin, concepts = self.origin, {}
        if not self.changed:
            return origin.model_copy(update={"explored": explored}) if explored else origin
        for role, group in self.groups.items():
            changed = group.dropped or group.gained
            concepts[role] = self.concept(role, group.on) if changed else origin.concept(role)
        again = _EXPLORED.fullmatch(origin.id)
        note = f"{origin.id} {'; '.join(self.changes)}, after results had been seen."
        return AssociationTest(
            **concepts,
            id=f"{again[1]}-{int(again[2] or 1) + 1}" if again else f"{origin.id}-explored",
            title=f"{origin.title or origin.label}, words changed",
            citation=origin.citation,
            sentences_from=origin.sentences_from,
            notes=(*origin.notes, note),
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


def require_templates(concept: Concept) -> None:
    """Refuse to add a word where it cannot be put into the sentences of the others."""
    if all(set(PLACE.findall(template)) == {"term"} for template in templates_of(concept)):
        return
    raise EatlasError(
        f"{shortened(concept.name)} takes no other words: its sentences need an article or a "
        "plural of each word, or say no template. Words can be switched off here; eatlas tests "
        "sentences makes sentences of a test of words."
    )


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
    """Refuse what the page could not show: too many words, one too long, or one twice."""
    name = shortened(name)
    if len(words) > MOST_WORDS:
        raise EatlasError(
            f"{name} has {count(len(words))} words; the explorer takes at most {MOST_WORDS} in a "
            "group. eatlas run measures longer lists."
        )
    for i, word in enumerate(words):
        if len(word) > LONGEST_WORD:
            raise EatlasError(
                f"{name} has a word of {count(len(word))} letters, {shortened(word)}: at most "
                f"{LONGEST_WORD} letters."
            )
        if word in words[:i]:
            raise EatlasError(f"{name} has the word {shortened(word)} already.")


def pasted(lists: Pasted) -> AssociationTest:
    """A new test of four lists as text, each with its name."""
    if set(lists) != set(ROLES):
        raise EatlasError(NO_LISTS)
    concepts = {}
    for role in ROLES:
        name, words = tidy(lists[role][0]) or role, words_in(lists[role][1])
        if len(name) > LONGEST_NAME:
            raise EatlasError(
                f"The name of {role} has {count(len(name))} letters: at most {LONGEST_NAME}."
            )
        require_words(name, words)
        if len(words) < LEAST_WORDS:
            raise EatlasError(
                f"{name} has {number_of(len(words), 'word')}: each list needs two or more."
            )
        concepts[role] = Concept(name=name, terms=words)
    if both := _on_both_sides({role: (c.name, c.terms) for role, c in concepts.items()}):
        raise EatlasError(f"{both} Take it out of one.")
    made = identifier("-".join(concept.name for concept in concepts.values()).lower())
    return AssociationTest(**concepts, id=made or "new")


def _on_both_sides(lists: Mapping[str, tuple[str, Sequence[str]]]) -> str:
    """Say which words are in both of two opposite groups; empty where none is."""
    for first, second in OPPOSITES:
        (name, words), (opposite, others) = lists[first], lists[second]
        if both := [word for word in words if word in set(others)]:
            named = ", ".join(map(shortened, both[:3])) + (", ..." if len(both) > 3 else "")
            return (
                f"{named} {'is' if len(both) == 1 else 'are'} in both {name} and {opposite}: a "
                "word that is in both cannot distinguish the two."
            )
    return ""


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a long text.

    >>> shortened("x" * 100, 5)
    'xxxx…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


class Start(NamedTuple):
    """A button that fills four lists."""

    name: str
    lists: str
    """JSON of the name and the words of each list, by role."""


def starts(tests: Iterable[AssociationTest]) -> Iterator[Start]:
    """Lists to start from: three that come with eatlas, then those of the command line."""
    named = [(label, load_tests(name)[0]) for name, label in BUNDLED.items()]
    own = [test for test in tests if not any(part.sentences for _, part in test.parts)]
    named += [(test.id, test) for test in own if test.id not in BUNDLED][:MOST_NAMED]
    for label, test in named:
        lists = {role: [part.name, ", ".join(part.terms)] for role, part in test.parts}
        yield Start(label, json.dumps(lists))


class _Words(BaseModel):
    """What is taken of a concept of a file: a name and words, and nothing that leads elsewhere."""

    name: str = ""
    terms: list[str]


class _FileTest(BaseModel):
    id: str = "the test"
    X: _Words
    Y: _Words
    A: _Words
    B: _Words


class _File(BaseModel):
    test: list[_FileTest]


def lists_of_file(text: str) -> dict[str, Any]:
    """The lists of the first test of a file, of which the page sends the text, and a note."""
    document = read_toml(text.encode("utf-8"), "The file", EatlasError)
    try:
        tests = _File.model_validate(document).test
        first = tests[0]
    except (ValueError, IndexError) as error:
        raise EatlasError(NO_FILE) from error
    lists = {
        role: (words.name, ", ".join(words.terms))
        for role, words in zip(ROLES, (first.X, first.Y, first.A, first.B), strict=True)
    }
    more = f", the first of {len(tests)} tests of the file" if len(tests) > 1 else ""
    return {"lists": lists, "note": f"These are the lists of {first.id}{more}."}
