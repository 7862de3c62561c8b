"""What is no fault of a test, but a reader would stumble over."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from eatlas.stimuli.kinds import Test
from eatlas.stimuli.model import OPPOSITES, AssociationTest

_JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and emoji are written."""


def remarks(test: Test) -> list[str]:
    """Say, in whole sentences, what deserves a second look.

    Two concepts of one name are allowed, since names change no number; a table or a sentence can
    then not tell which of the two is meant. A term may hold what nobody sees, and then it is
    found nowhere.

    Examples
    --------
    >>> from eatlas import load_tests
    >>> remarks(load_tests("weat-6")[0])
    []
    """
    terms = _of_terms if test.contexts is None else _of_contexts
    return [*_of_names(test), *terms(test), *of_sentences(test)]


def _of_names(test: Test) -> Iterator[str]:
    if not isinstance(test, AssociationTest):
        return
    for one, other in OPPOSITES:
        if test.concept(one).name == test.concept(other).name:
            yield (
                f"{one} and {other} have the same name, {test.concept(one).name}: "
                "tables and sentences cannot tell them apart."
            )


def _of_terms(test: Test) -> Iterator[str]:
    for role, concept in test.parts:
        for term in concept.terms:
            if hidden := _hidden(term):
                yield (
                    f"The term {term!a} of {role} ({concept.name}) holds {hidden}: it matches no "
                    "word that is written without."
                )
            elif not unicodedata.is_normalized("NFC", term):
                yield (
                    f"The term {term!a} of {role} ({concept.name}) is not in the composed form of "
                    "Unicode, NFC, in which most vectors name their words."
                )


def _of_contexts(test: Test) -> Iterator[str]:
    """Count contexts with characters that nobody sees; there may be very many."""
    texts = {text for _, concept in test.parts for text in concept.texts}
    hidden = sorted(text for text in texts if _hidden(text))
    if hidden:
        yield (
            f"{len(hidden):,} of {len(texts):,} contexts hold a character that cannot be seen, "
            f"such as {_hidden(hidden[0])}."
        )


def of_sentences(test: Test) -> Iterator[str]:
    """Say how many stimuli there really are, to readers of p-values over sentences."""
    parts = [(role, concept) for role, concept in test.parts if concept.sentences]
    counted = [
        f"{role} {len(concept.terms)} of {stimuli}"
        for role, concept in parts
        if (stimuli := len(set(concept.stimulus_of.values()))) < len(concept.terms)
    ]
    if counted:
        yield (
            f"Several sentences are made of each stimulus ({', '.join(counted)}): sentences of "
            "one stimulus are not independent, so p-values that relabel single sentences are "
            "smaller than the number of stimuli warrants."
        )


def _hidden(term: str) -> str | None:
    """Name the first character of a term that cannot be seen, such as a tab."""
    for character in "" if term.isprintable() else term:
        if unicodedata.category(character) in {"Cc", "Cf"} and character not in _JOINERS:
            name = unicodedata.name(character, "a control character").lower()
            return f"U+{ord(character):04X} ({name}), which cannot be seen"
    return None
