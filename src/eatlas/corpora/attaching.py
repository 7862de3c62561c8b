"""Tests of words are put into contexts: sentences of their own, or pairs of log-ratios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eatlas.corpora.loading import load_contexts
from eatlas.corpora.record import Context, Contexts, Pairs
from eatlas.errors import StimulusError, described
from eatlas.stimuli import AssociationTest, Concept, Sentence, Test, load_tests
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES, TestsLike


def with_contexts(tests: TestsLike, contexts: Contexts | str | Path) -> tuple[Test, ...]:
    """Turn tests of words into tests of contexts.

    A test keeps its id; its notes and the provenance of its results name the file and its hash.
    A stimulus without context is missing, with that reason. A text that is a context of several
    stimuli stands for each of them.

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
            "these are not contexts",
            got=described(contexts),
            allowed="what eatlas.find_contexts returned, or the name of a file of it",
        )
    return tuple(_with(test, contexts) for test in load_tests(tests))


def _with(test: Test, contexts: Contexts) -> Test:
    """Make one test of words a test of its stimuli's contexts."""
    if any(concept.images for _, concept in test.parts):
        raise StimulusError(
            f"the test {test.id} cannot be one of contexts",
            got="images",
            allowed="a test of words, such as weat-6",
        )
    if any(concept.sentences for _, concept in test.parts):
        raise StimulusError(
            f"the test {test.id} cannot be one of contexts",
            got="terms that are sentences already",
            allowed="a test of words, such as weat-6",
        )
    chosen = {role: _of(concept, contexts) for role, concept in test.concepts.items()}
    if without := [role for role in test.concepts if not chosen[role]]:
        raise _no_context(test, without[0], contexts)
    opposed = OPPOSITES if isinstance(test, AssociationTest) else (tuple(test.concepts),)
    shared = {side: _of_several(chosen, side) for side in opposed}
    parts: dict[str, Concept] = {
        role: _concept(test, role, chosen[role], several, contexts.name or "a corpus")
        for side, several in shared.items()
        for role in side
    }
    where = contexts.origin
    notes = (*test.notes, *_notes(contexts, sum(map(len, shared.values()))))
    title = f"{test.title or test.label} (in contexts)"
    update = {"title": title, "table": "", "notes": notes, "contexts": where}
    return test.model_copy(update={**update, "sentences_from": str(where), **_parts(test, parts)})


def _parts(test: Test, concepts: Mapping[str, Concept]) -> dict[str, Any]:
    """Concepts as the fields of a test."""
    if isinstance(test, AssociationTest):
        return dict(concepts)
    return {
        OF_TARGETS: concepts[OF_TARGETS],
        "groups": tuple(concepts[group.name] for group in test.groups),
        "pairs": (),  # of words, which contexts are not
    }


def _no_context(test: Test, role: str, contexts: Contexts) -> StimulusError:
    """Say that a group has no context at all, and whether any were looked for."""
    concept, name = test.concept(role), contexts.name or "a corpus"
    sought = contexts.provenance.get("tests", [test.id])
    for_others = "" if test.id in sought else f", which was made for {', '.join(sought)}"
    remedy = "use a larger corpus, or --case ignore where names are written in lower case"
    return StimulusError(
        f"test {test.id}, group {role} ({concept.name}): no stimulus has a context",
        got=f"none of {len(concept.terms)} stimuli occurs in {name}{for_others}",
        allowed="one context in each group at least, and as many stimuli as the measure needs",
        remedy=f"eatlas contexts CORPUS --tests {test.id}" if for_others else remedy,
    )


def with_pairs(test: AssociationTest, pairs: Pairs) -> AssociationTest:
    """Add to a test of words the sentences in which its pairs are scored."""
    origin = pairs.origin
    return test.model_copy(update={"sentences_from": str(origin), "contexts": origin})


Labelled = tuple[Context, str]
"""A context and its label, which is empty where nobody labelled."""


def _of(concept: Concept, contexts: Contexts) -> list[Labelled]:
    """Every context of a concept; of equal texts of a stimulus one, unless repeats are kept."""
    every = [
        (_bare(context), contexts.labels.get(context, ""))
        for term in concept.terms
        for context in contexts.of_stimulus(term)
    ]
    if contexts.with_repeats:
        return every
    contexts_of: dict[tuple[str, str], Labelled] = {}
    for labelled in every:
        there = contexts_of.get(labelled[0][:2])
        contexts_of[labelled[0][:2]] = labelled if there is None else min(there, labelled)
    return list(contexts_of.values())


def _bare(context: Context) -> Context:
    """A context without white space at its ends: words end at that of ASCII alone."""
    text = context.text.strip()
    if text == context.text:
        return context
    before = context.text.index(text)
    return Context(context.stimulus, text, context.start - before, context.end - before)


def _of_several(chosen: Mapping[str, Iterable[Labelled]], pair: tuple[str, ...]) -> frozenset[str]:
    """Texts that are contexts of several stimuli of two opposed concepts."""
    each = (dict.fromkeys(context[:2] for context, _ in chosen[role]) for role in pair)
    counts = Counter(text for texts in each for _, text in texts)
    return frozenset(text for text, count in counts.items() if count > 1)


def _concept(
    test: Test, role: str, chosen: Sequence[Labelled], several: frozenset[str], name: str
) -> Concept:
    """Make a concept of contexts; a text of several stimuli, or a repeated one, gets keys."""
    concept = test.concept(role)
    there = {context.stimulus for context, _ in chosen}
    absent = [(term, f"no context in {name}") for term in concept.terms if term not in there]
    times: Counter[tuple[str, str]] = Counter()

    def key(context: Context) -> str:
        times[context.stimulus, context.text] += 1
        if (n := times[context.stimulus, context.text]) > 1:
            return f"{context.text} [{context.stimulus}, {n}]"
        return f"{context.text} [{context.stimulus}]" if context.text in several else ""

    sentences = tuple(
        Sentence(
            text=context.text,
            stimulus=context.stimulus,
            span=(context.start, context.end),
            key=key(context),
            label=label,
        )
        for context, label in chosen
    )
    terms = tuple(context.term for context in sentences)
    return Concept(name=concept.name, terms=terms, sentences=sentences, absent=tuple(absent))


def _notes(contexts: Contexts, several: int) -> Iterator[str]:
    """Say where the contexts come from, how many, and how many serve several stimuli."""
    provenance = contexts.provenance
    words = provenance.get("window")
    window = {None: "", "sentence": ", whole sentences"}.get(
        words, f", {words} words on either side"
    )
    per_term = provenance.get("per_term")
    most = "all of them" if per_term is None else f"up to {per_term:,} of each stimulus"
    repeats = ", equal texts as often as they occur" if contexts.with_repeats else ""
    yield f"Its stimuli in contexts from {contexts.origin}: {most}{window}{repeats}."
    if several:
        texts = "1 text is a context" if several == 1 else f"{several:,} texts are contexts"
        stand = "stands" if several == 1 else "stand"
        yield (
            f"{texts} of several stimuli of a concept, or of opposed concepts, and {stand} for "
            "each of them."
        )
