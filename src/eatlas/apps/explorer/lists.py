"""Four lists of words, of which some are switched off and some were added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eatlas.errors import EatlasError
from eatlas.present.numbers import count, number_of
from eatlas.stimuli import ROLES, AssociationTest, Concept
from eatlas.stimuli.association_test import OPPOSITES, identifier
from eatlas.stimuli.sentences.filling import concept_of, make_sentence
from eatlas.stimuli.sentences.templates import PLACE

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
