"""Lists of words: those to start from, those that change, and what the page may send of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt

from eatlas.decoding import read_toml
from eatlas.errors import EatlasError
from eatlas.present.numbers import count
from eatlas.stimuli import ROLES, AssociationTest, Concept, load_tests
from eatlas.stimuli.kinds import identifier
from eatlas.stimuli.sentences import PLACE, concept_of, make_sentence

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
            if more and any(set(PLACE.findall(t)) != {"term"} for t in templates_of(concept)):
                raise EatlasError(
                    f"{shortened(concept.name)} takes no other words: its sentences need an "
                    "article or a plural of each word, or say no template. Words can be switched "
                    "off here; eatlas tests sentences makes sentences of a test of words."
                )
            switched = frozenset((off or {}).get(role, ())) & {*words, *more}
            groups[role] = Group(concept.name, words, more, switched)
        return cls(origin, groups)

    @cached_property
    def changes(self) -> list[str]:
        """What was changed: words that went to another group, then by group."""
        groups = self.groups.values()
        moves = {
            word: f"{word} moved from {start.name} to {end.name}"
            for start in groups
            for word in start.dropped
            for end in groups
            if word in end.gained
        }
        lines = list(moves.values())
        changed = [("without", group.name, group.dropped) for group in groups]
        changed += [("with", group.name, group.gained) for group in groups]
        for verb, name, words in changed:
            if words := [word for word in words if word not in moves]:
                lines.append(f"{verb} {', '.join(words)} ({name})")
        return lines

    @property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What tells lists apart: names and words, whatever their order."""
        return tuple((group.name, tuple(sorted(group.on))) for group in self.groups.values())

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
        origin = self.origin
        if not self.changes:
            return origin.model_copy(update={"explored": explored}) if explored else origin
        return AssociationTest(
            **{
                role: self.concept(role, group.on)
                if group.dropped or group.gained
                else origin.concept(role)
                for role, group in self.groups.items()
            },
            id=f"{origin.id}-explored",
            title=f"{origin.title or origin.label}, words changed",
            citation=origin.citation,
            sentences_from=origin.sentences_from,
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
        name, words = tidy(lists[role][0])[:LONGEST_NAME] or role, words_in(lists[role][1])
        require_words(name, words)
        concepts[role] = Concept(name=name, terms=words)
    names = "-".join(concept.name for concept in concepts.values())
    return AssociationTest(**concepts, id=identifier(names.lower()))


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a long text.

    >>> shortened("x" * 100, 5)
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
