"""Tests as a procedure has them: other words, words in sentences, texts in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eatlas.stimuli import Concept, GroupsTest, Sentence, Test
from eatlas.stimuli.sentences import concept_of
from eatlas_workbench.replication.recipe import Procedure

HERE, ARTICLE = "{}", "{a}"
"""Places of a prompt for the word, and for its article."""
VOWELS = "aeiou"


class PreparedTest(NamedTuple):
    """A test as a procedure has it."""

    test: Test
    prompt: str | None
    """The text that all of its words are put into; None for none."""


def prepare_test(
    test: Test, procedure: Procedure, *, paper: str, lower: bool = False
) -> PreparedTest:
    """Put the words of a test into sentences, as a procedure says.

    A changed test gets an id of its own, such as ``weat-1-as-ml-eat``, and a note.
    """
    concepts, notes = dict[str, Concept](), []
    for role, concept in test.concepts.items():
        concepts[role] = _with_words(concept, procedure.words(test.id, role))
    if concepts != dict(test.concepts):
        notes.append(f"Words as {paper} has them.")
    prompts = {r: procedure.prompt(test.id, r) for r, c in concepts.items() if not c.images}
    texts = set(prompts.values())
    prompt = next(iter(texts), "") or None
    if len(texts) > 1 or (prompt and (lower or ARTICLE in prompt)):
        concepts |= {role: _in_sentences(concepts[role], text) for role, text in prompts.items()}
        notes.append(f"Words in the sentences of {paper}.")
        prompt = None
    if lower:
        concepts = {role: _in_lower_case(concept) for role, concept in concepts.items()}
        notes.append(f"Texts in lower case, as {paper} has them.")
    if notes:
        changed = {"id": f"{test.id}-as-{paper}", "table": "", "notes": (*test.notes, *notes)}
        test = test.with_concepts(concepts).model_copy(update=changed)
    return PreparedTest(test, prompt)


def _with_words(concept: Concept, words: Mapping[str, str]) -> Concept:
    """A concept with words in place of others, in sentences too; an empty one leaves it out."""
    if not words.keys() & {*concept.terms, *(one.stimulus for one in concept.sentences)}:
        return concept
    if not concept.sentences:
        terms = (words.get(term, term) for term in concept.terms)
        return Concept(name=concept.name, terms=tuple(filter(None, terms)))
    sentences = []
    for one in concept.sentences:
        word = words.get(one.stimulus, one.stimulus)
        if one.span is None or word == one.stimulus:
            sentences.append(one)
        elif word:
            start, end = one.span
            text = one.text[:start] + word + one.text[end:]
            span = start, start + len(word)
            sentences.append(Sentence(text=text, stimulus=word, span=span))
    return concept_of(concept.name, sentences)


def with_groups(test: GroupsTest, other: GroupsTest, paper: str) -> GroupsTest:
    """A test with the groups and pairs of another."""
    changed = {
        "id": f"{test.id}-as-{paper}",
        "groups": other.groups,
        "pairs": other.pairs,
        "notes": (*test.notes, f"Groups of {other.id}."),
    }
    return test.model_copy(update=changed)


def without(test: GroupsTest, words: Mapping[str, str]) -> GroupsTest | None:
    """The test without some words, each with a reason; None if a group would be empty."""
    concepts = {}
    for name, concept in test.concepts.items():
        kept = tuple(term for term in concept.terms if term not in words)
        if not kept:
            return None
        absent = tuple((term, words[term]) for term in concept.terms if term in words)
        concepts[name] = Concept(name=concept.name, terms=kept, absent=absent)
    targets, *groups = concepts.values()
    pairs = tuple(pair for pair in test.pairs if not words.keys() & set(pair))
    return test.model_copy(update={"targets": targets, "groups": tuple(groups), "pairs": pairs})


def _in_sentences(concept: Concept, text: str) -> Concept:
    """Each word of a concept in a sentence; without one, the word as a text of its own."""
    before, _, behind = (text or HERE).partition(HERE)
    sentences = []
    for term in concept.terms:
        start = before.replace(ARTICLE, "an" if term[0] in VOWELS else "a")
        span = len(start), len(start) + len(term)
        sentences.append(Sentence(text=f"{start}{term}{behind}", stimulus=term, span=span))
    return concept_of(concept.name, sentences)


def _in_lower_case(concept: Concept) -> Concept:
    """The same texts in lower case."""
    if concept.images:
        return concept
    if not concept.sentences:
        return Concept(name=concept.name, terms=tuple(term.lower() for term in concept.terms))
    sentences = [
        Sentence(text=one.text.lower(), stimulus=one.stimulus.lower(), span=one.span)
        for one in concept.sentences
    ]
    return concept_of(concept.name, sentences)
