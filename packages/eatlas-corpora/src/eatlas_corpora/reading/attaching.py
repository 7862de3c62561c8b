"""Put tests of words into contexts: sentences of each word, or pairs of log-ratios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError, described
from eatlas.stimuli import AssociationTest, Concept, Sentence, Test, load_tests
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES, TestsLike
from eatlas_corpora.reading.record import (
    SENTENCE,
    Context,
    Contexts,
    Pairs,
    load_contexts,
    load_either,
)
from eatlas_corpora.reading.sampling import stimuli_of


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
        raise _no_contexts(contexts)
    return tuple(_with(test, contexts) for test in load_tests(tests))


def _with(test: Test, contexts: Contexts) -> Test:
    """Make one test of words a test of its stimuli's contexts."""
    stimuli_of((test,))  # refuses images and sentences
    name = contexts.name or "a corpus"
    chosen = {role: _of(concept, contexts) for role, concept in test.concepts.items()}
    for role, concept in test.concepts.items():
        if not chosen[role]:
            raise _no_context(test, role, concept, contexts, name)
    opposed = OPPOSITES if isinstance(test, AssociationTest) else (tuple(test.concepts),)
    parts: dict[str, Any] = {}
    for side in opposed:
        # texts that are contexts of several stimuli of opposed concepts
        each = (dict.fromkeys(context[:2] for context, _ in chosen[role]) for role in side)
        counts = Counter(text for texts in each for _, text in texts)
        several = {text for text, count in counts.items() if count > 1}
        for role in side:
            parts[role] = _concept(test.concept(role), chosen[role], several, name)
    if not isinstance(test, AssociationTest):
        groups = tuple(parts[group.name] for group in test.groups)
        parts = {OF_TARGETS: parts[OF_TARGETS], "groups": groups, "pairs": (), "expected": ()}
    about = {
        "title": f"{test.title or test.label} (in contexts)",
        "table": "",
        "notes": (*test.notes, _note(contexts)),
        "contexts": contexts.origin,
        "sentences_from": str(contexts.origin),
    }
    return test.model_copy(update={**about, **parts})


def _no_context(
    test: Test, role: str, concept: Concept, contexts: Contexts, name: str
) -> StimulusError:
    """Say that a group has no context at all, and whether any were looked for."""
    tests = contexts.provenance.get("tests", [test.id])
    for_others = "" if test.id in tests else f", which was made for {', '.join(tests)}"
    remedy = "use a larger corpus, or --case ignore where names are written in lower case"
    return StimulusError(
        f"test {test.id}, group {role} ({concept.name}): no stimulus has a context",
        got=f"none of {len(concept.terms)} stimuli occurs in {name}{for_others}",
        allowed="one context in each group at least, and as many stimuli as the measure needs",
        remedy=f"eatlas contexts CORPUS --tests {test.id}" if for_others else remedy,
    )


def with_pairs(test: AssociationTest, pairs: Pairs) -> AssociationTest:
    """Add to a test of words the sentences in which its pairs are scored."""
    in_pairs: AssociationTest = pairs.around(test)
    return in_pairs


def open_contexts(given: Any) -> Contexts | Pairs:
    """Open what :func:`eatlas.run` takes as contexts: a file of contexts or of pairs."""
    if isinstance(given, str | Path):
        return load_either(given)
    raise _no_contexts(given)


def _no_contexts(given: Any) -> StimulusError:
    return StimulusError(
        "these are not contexts",
        got=described(given),
        allowed="what eatlas.find_contexts returned, or the name of a file of it",
    )


Labelled = tuple[Context, str]
"""A context and its label; the label is empty if no annotator gave one."""


def _of(concept: Concept, contexts: Contexts) -> list[Labelled]:
    """Every context of a concept; of equal texts of a stimulus one, unless repeats are retained."""
    every: list[Labelled] = []
    for term in concept.terms:
        for context in contexts.of_stimulus(term):
            # without white space at the ends: words end at that of ASCII alone
            text = context.text.strip()
            before = context.text.index(text)
            bare = Context(term, text, context.start - before, context.end - before)
            every.append((bare, contexts.labels.get(context, "")))
    if contexts.with_repeats:
        return every
    first: dict[tuple[str, str], Labelled] = {}
    for labelled in every:
        key = labelled[0][:2]
        first[key] = min(first.get(key, labelled), labelled)
    return list(first.values())


def _concept(
    concept: Concept, chosen: Sequence[Labelled], several: Collection[str], name: str
) -> Concept:
    """Make a concept of contexts; a text of several stimuli, or a repeated one, gets keys."""
    times: Counter[tuple[str, str]] = Counter()
    sentences = []
    for context, label in chosen:
        stimulus, text, start, end = context
        times[stimulus, text] += 1
        n, key = times[stimulus, text], ""
        if n > 1 or text in several:
            key = f"{text} [{stimulus}{f', {n}' if n > 1 else ''}]"
        sentences.append(
            Sentence(text=text, stimulus=stimulus, span=(start, end), key=key, label=label)
        )
    stimuli = {context.stimulus for context, _ in chosen}
    absent = tuple((t, f"no context in {name}") for t in concept.terms if t not in stimuli)
    terms = tuple(sentence.term for sentence in sentences)
    return Concept(name=concept.name, terms=terms, sentences=tuple(sentences), absent=absent)


def _note(contexts: Contexts) -> str:
    """Say where the contexts come from, and how many."""
    words, per_term = contexts.window, contexts.provenance.get("per_term")
    window = "" if words is None else f", {words} words on either side"
    window = ", whole sentences" if words == SENTENCE else window
    most = "all of them" if per_term is None else f"up to {per_term:,} of each stimulus"
    repeats = ", equal texts as often as they occur" if contexts.with_repeats else ""
    return f"Its stimuli in contexts from {contexts.origin}: {most}{window}{repeats}."
