"""Lists of words that a model assigns to one of two targets, and how its answers are read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from eatlas.stimuli.records import without_fault
from eatlas_models.stimuli.asking import PLACE

EXAMPLE = (
    "For each word pick {first} or {second} and write it after the word. The words are {words}."
)
ASSIGNED = "lines such as word - target"
"""What errors say that an answer should have."""
PLACES = ("first", "second", "words")
_MARKS = str.maketrans("", "", "*`'\"’‘“”")
"""Emphasis, quotes and apostrophes, which answers add and leave out."""
_NUMBER = re.compile(r"[\W_]*(?:\d+[.):]\s*)?[\W_]*")
"""What a line of an enumeration or in brackets begins with."""
_BETWEEN = re.compile(r"[,;]\s*")
"""What stands between assignments on one line."""
_OF_FORM = re.compile(r"[^-–—:|,]{1,40}\s*[-–—:|,]\s*[^-–—:|,]{1,40}")
"""A word and a target, whatever they are."""


@dataclass(frozen=True)
class WordList:
    """Words that are to be assigned to one of two targets."""

    targets: tuple[str, str]
    """A target of X and one of Y."""
    turned: bool
    """Whether the target of Y is named first."""
    words: tuple[str, ...]
    """Attributes of A and B in the order of the prompt."""
    instruction: int = 0
    """Index of its instruction among the instructions of a measure."""


@dataclass(frozen=True)
class Assignments:
    """What an answer assigns, and what it does not."""

    to: dict[str, str]
    """Target of each word that has one."""
    unread: int = 0
    """Lines that assign no word to a target, or a word that also has another target."""


def fault_of_assignment(template: str) -> str | None:
    """Say what is wrong with a prompt of a list; None where nothing is.

    >>> fault_of_assignment("Assign {words} to {first} or {second} or {third}")
    "'Assign {words} to {first} or {second} or {third}' has a place {third}"
    """
    places = set(PLACE.findall(template))
    for name in PLACES:
        if name not in places:
            return f"{template!r} has no place {{{name}}}"
    if other := sorted(places - set(PLACES)):
        return f"{template!r} has a place {{{other[0]}}}"
    return None


AssignmentText = Annotated[str, without_fault(fault_of_assignment, EXAMPLE)]


def plain(text: str) -> str:
    """A text without case, emphasis, quotes, apostrophes and double spaces.

    >>> plain("**Didn’t  do it**")
    'didnt do it'
    """
    return " ".join(text.translate(_MARKS).casefold().split())


def assignments_of(text: str, words: Collection[str], targets: Collection[str]) -> Assignments:
    r"""Read an answer line by line: a word, marks between, and a target; or several on a line.

    >>> answer = "1. **Office** - Ben\nhome: Julia\nNeither!"
    >>> assignments_of(answer, ["office", "home"], ["Ben", "Julia"])
    Assignments(to={'office': 'Ben', 'home': 'Julia'}, unread=1)
    """
    lines = [line for line in map(plain, text.splitlines()) if line]
    if not targets:
        return Assignments({}, len(lines))
    as_written, line_form = _form(tuple(words), tuple(targets))
    pairs: dict[str, list[str]] = defaultdict(list)
    unread = 0
    for line in lines:
        # one assignment, or several with commas between them
        for parts in ([line], [part for part in _BETWEEN.split(line) if part]):
            matches = [match for part in parts if (match := _match(line_form, part))]
            if parts and len(matches) == len(parts):
                break
        else:
            unread += 1
            continue
        for match in matches:
            pairs[as_written[0][match[1]]].append(as_written[1][match[2]])
    twofold = [word for word, chosen in pairs.items() if len(set(chosen)) > 1]
    unread += sum(len(pairs.pop(word)) for word in twofold)
    return Assignments({word: chosen[0] for word, chosen in pairs.items()}, unread)


def _match(form: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The word and the target of an assignment, which a number or a bracket may begin."""
    begin = _NUMBER.match(text)
    return form.fullmatch(text) or form.fullmatch(text, begin.end() if begin else 0)


@lru_cache(maxsize=1024)
def _form(*names: tuple[str, ...]) -> tuple[list[dict[str, str]], re.Pattern[str]]:
    """Words and targets by how lines have them, and the form of a line."""
    as_written = [{plain(name): name for name in side} for side in names]
    words, targets = (
        "|".join(re.escape(name) for name in sorted(side, key=len, reverse=True))
        for side in as_written
    )
    return as_written, re.compile(rf"({words})\W+({targets})\W*")


def is_list(text: str) -> bool:
    """Whether most lines of an answer are of the form of an assignment, whatever the words."""
    lines = [line for line in map(plain, text.splitlines()) if line]
    return len(lines) > 1 and 2 * sum(map(bool, map(_OF_FORM.fullmatch, lines))) > len(lines)


def targets_assigned(
    text: str, words: Collection[str], x: Sequence[str], y: Sequence[str]
) -> tuple[str | None, str | None]:
    """The targets of X and of Y that an answer names most often; None if it names none."""
    chosen = [*assignments_of(text, words, [*x, *y]).to.values()]
    first, second = (
        max((target for target in side if target in chosen), key=chosen.count, default=None)
        for side in (x, y)
    )
    return first, second
