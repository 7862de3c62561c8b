"""Tests of words become tests of the sentences in which the words stand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError, described
from eatlas.sources.corpora.record import Context, Contexts
from eatlas.sources.corpora.storing import load_contexts
from eatlas.stimuli import AssociationTest, Concept, Sentence, Test, load_tests
from eatlas.stimuli.model import OPPOSITES

Given = tuple[str, Context]
"""A context, and the role of the group that its stimulus stands in."""


def with_contexts(tests: Any, contexts: Contexts | str | Path) -> tuple[AssociationTest, ...]:
    """Turn tests of words into tests of contexts.

    A test keeps its id; its notes and the provenance of its results name the file and its hash.
    A stimulus without context is missing, with that reason. A text that is a context of several
    stimuli of one concept, or of opposed ones, stands for one of them alone: what is encoded whole
    could not tell them apart.

    Parameters
    ----------
    tests : anything that :func:`eatlas.load_tests` takes
    contexts : Contexts, str or path
        What :func:`eatlas.find_contexts` returned, or a file of it.

    Raises
    ------
    StimulusError
        If a test is not of words, or a group has no context at all.
    SourceError
        If the file cannot be read.

    Examples
    --------
    >>> from eatlas import AssociationTest
    >>> groups = {"X": "ivy", "Y": "ant", "A": "love", "B": "war"}
    >>> test = AssociationTest(
    ...     id="tiny", **{role: {"name": role, "terms": [word]} for role, word in groups.items()}
    ... )
    >>> texts = [Context(word, f"See the {word}.", 8, 8 + len(word)) for word in groups.values()]
    >>> with_contexts(test, Contexts.of(texts))[0].X.terms
    ('See the ivy.',)
    """
    if isinstance(contexts, str | Path):
        contexts = load_contexts(contexts)
    if not isinstance(contexts, Contexts):
        raise StimulusError(
            "these are no contexts",
            got=described(contexts),
            allowed="what eatlas.find_contexts returned, or the name of a file of it",
        )
    return tuple(_with(test, contexts) for test in load_tests(tests))


def _with(test: Test, contexts: Contexts) -> AssociationTest:
    if not isinstance(test, AssociationTest):
        raise StimulusError(
            f"the test {test.id} cannot be one of contexts",
            got=f"a test of the kind {test.kind}",
            allowed="tests of the kind association",
        )
    if any(concept.sentences for _, concept in test.parts):
        raise StimulusError(
            f"the test {test.id} cannot be one of contexts",
            got="terms that are sentences already",
            allowed="a test of words, such as weat-6",
        )
    chosen = {
        role: some
        for pair in OPPOSITES
        for role, some in _apart(
            [(role, c) for role in pair for c in _of(test.concept(role), contexts)], pair
        ).items()
    }
    asked = sum(len(_of(concept, contexts)) for _, concept in test.parts)
    left_out = asked - sum(map(len, chosen.values()))
    name = contexts.name or "a corpus"
    where = contexts.origin
    parts = {role: _concept(test, role, chosen[role], contexts, name) for role, _ in test.parts}
    notes = (*test.notes, *_notes(where, contexts, left_out))
    title = f"{test.title or test.label} (in contexts)"
    update = {"title": title, "table": "", "notes": notes, "sentences_from": where, **parts}
    return test.model_copy(update=update)


def _of(concept: Concept, contexts: Contexts) -> list[Context]:
    return [one for term in concept.terms for one in contexts.by_stimulus.get(term, ())]


def _apart(given: Iterable[Given], roles: Iterable[str]) -> dict[str, list[Context]]:
    """Let every text stand for one stimulus, chosen by chance that does not change."""
    by_text: dict[str, Given] = {}
    for role, context in given:
        there = by_text.get(context.text)
        if there is None or _lot(context) < _lot(there[1]):
            by_text[context.text] = (role, context)
    kept = {role: [] for role in roles}  # type: dict[str, list[Context]]
    for role, context in by_text.values():
        kept[role].append(context)
    return kept


def _lot(context: Context) -> bytes:
    return hashlib.blake2b("\0".join(context[:2]).encode(), digest_size=8).digest()


def _concept(
    test: AssociationTest, role: str, chosen: list[Context], contexts: Contexts, name: str
) -> Concept:
    concept = test.concept(role)
    if not chosen:
        raise StimulusError(
            f"test {test.id}, group {role} ({concept.name}): no stimulus has a context",
            got=f"none of {len(concept.terms)} stimuli stands in {name}",
            allowed="one context in each group at least, and as many stimuli as the measure asks",
            remedy="use a larger corpus, or --case ignore where names are written in lower case",
        )
    order = {term: place for place, term in enumerate(concept.terms)}
    chosen.sort(key=lambda one: order[one.stimulus])
    there = {one.stimulus for one in chosen}
    absent = tuple(
        (term, _why(term, contexts, name)) for term in concept.terms if term not in there
    )
    sentences = tuple(
        Sentence(text=one.text, stimulus=one.stimulus, span=(one.start, one.end)) for one in chosen
    )
    texts = tuple(one.text for one in sentences)
    return Concept(name=concept.name, terms=texts, sentences=sentences, absent=absent)


def _why(term: str, contexts: Contexts, name: str) -> str:
    if term in contexts.by_stimulus:
        return f"its contexts in {name} are those of other stimuli too"
    return f"no context in {name}"


def _notes(where: str, contexts: Contexts, left_out: int) -> Iterator[str]:
    said = contexts.provenance
    words = said.get("window")
    window = {None: "", "sentence": ", whole sentences"}.get(
        words, f", {words} words on either side"
    )
    most = f"up to {said['per_term']:,} of each stimulus" if "per_term" in said else "all of them"
    yield f"Its stimuli in contexts from {where}: {most}{window}."
    if left_out:
        yield (
            f"{left_out:,} contexts are those of two stimuli of a concept, or of opposed concepts; "
            "each of their texts stands for one of them."
        )
