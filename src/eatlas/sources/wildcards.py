"""Patterns of words such as ``nurs*``: the words of a source take their place.

``*`` stands for any characters, ``?`` for one. A term is a pattern where it has one of them, a
letter or digit, and no space.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eatlas.errors import StimulusError, listed
from eatlas.sources.coverage import CaseRule, spellings
from eatlas.stimuli import AssociationTest, Concept, Test
from eatlas.stimuli.concepts import refuse_patterns
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES

MOST = 1_000
"""Words that one pattern may stand for."""
_WILD = {"*": ".*", "?": "."}


def expand(
    tests: Sequence[Test], source: Any, need: str = "vectors", case: CaseRule = "auto"
) -> list[Test]:
    """Put the words of a source in the place of patterns, in one pass over its words.

    A word belongs to the longest pattern of its concept that matches it, and not to one where it is
    written out. A word of two opposed concepts is left out of both, but where one of them has it
    written out. The case rule is that of words: the first spelling of a pattern that matches.
    """
    concepts = [concept for test in tests for concept in test.concepts.values()]
    patterns = dict.fromkeys(pattern for concept in concepts for pattern in concept.unexpanded)
    if not patterns:
        return list(tests)
    if need != "vectors" or source.encodes or not source.listed:
        for test in tests:
            refuse_patterns(test.concepts, f"{source.name} lists no words", f"test {test.id}, ")
    matches = _matches(patterns, source, case)
    return [_expanded(test, matches, source.name, case) for test in tests]


def _matches(patterns: Iterable[str], source: Any, case: CaseRule) -> dict[str, list[str]]:
    """The words of a source that each pattern matches, in alphabetical order."""
    ways = {pattern: spellings(pattern, case) for pattern in patterns}
    words: dict[str, set[str]] = {spelling: set() for each in ways.values() for spelling in each}
    by_first: dict[str, list[str]] = defaultdict(list)
    for spelling in words:
        by_first["" if spelling[0] in _WILD else spelling[0]].append(spelling)
    anywhere = by_first.pop("", [])
    several = {first: _compiled([*some, *anywhere]) for first, some in by_first.items()}
    rest = _compiled(anywhere) if anywhere else None
    single = {spelling: _compiled([spelling]) for spelling in words}
    for word in source.vocabulary():
        expression = several.get(word[:1], rest)
        if expression is None or not expression.fullmatch(word):
            continue
        for spelling in (*by_first.get(word[:1], ()), *anywhere):
            if single[spelling].fullmatch(word):
                words[spelling].add(word)
                if len(words[spelling]) > MOST:
                    raise StimulusError(
                        f"the pattern {spelling!r} matches more than {MOST:,} words of "
                        f"{source.name}",
                        got=f"{listed(sorted(words[spelling]), 5)}",
                        remedy="write more of the word before the *, or the words themselves",
                    )
    return {
        pattern: sorted(next((words[way] for way in each if words[way]), ()))
        for pattern, each in ways.items()
    }


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    each = ("".join(_WILD.get(sign) or re.escape(sign) for sign in text) for text in patterns)
    return re.compile("|".join(each), re.DOTALL)


def _expanded(test: Test, matches: Mapping[str, list[str]], source: str, case: CaseRule) -> Test:
    """A test whose concepts have words only."""
    written: dict[str, set[str]] = {}
    matched: dict[str, dict[str, str]] = {}
    for role, concept in test.concepts.items():
        words = (term for term in concept.terms if term not in concept.unexpanded)
        written[role] = {key for term in words for key in spellings(term, case)}
        matched[role] = {}
        for pattern in sorted(concept.unexpanded, key=lambda text: (len(text), text)):
            matched[role] |= dict.fromkeys(matches[pattern], pattern)
    groups = tuple(role for role in test.concepts if role != OF_TARGETS)
    sides = OPPOSITES if isinstance(test, AssociationTest) else (groups, (OF_TARGETS,))
    side_of = {role: side for side in sides for role in side}
    concepts = {}
    for role, concept in test.concepts.items():
        pattern_of = {w: p for w, p in matched[role].items() if w not in written[role]}
        shared = {
            word: f"also in {test.concepts[other].name}"
            for other in side_of[role]
            if other != role
            for word in pattern_of.keys() & (matched[other].keys() | written[other])
        }
        concepts[role] = _with_words(concept, pattern_of, shared, matches, source)
    expected = getattr(test, "expected", ())
    if not expected:
        return test.with_concepts(concepts)
    targets = concepts[OF_TARGETS]
    words_of = {
        pattern: [word for word, own in targets.patterns if own == pattern]
        for pattern in test.concepts[OF_TARGETS].unexpanded
    }
    by_group = {
        group: tuple(w for term in own for w in words_of.get(term, [term]) if w in targets.terms)
        for group, own in expected
    }
    plain = test.model_copy(update={"expected": ()}).with_concepts(concepts)
    return plain.model_copy(update={"expected": by_group})


def _with_words(
    concept: Concept,
    pattern_of: dict[str, str],
    shared: Mapping[str, str],
    matches: Mapping[str, list[str]],
    source: str,
) -> Concept:
    """A concept with its own words of patterns; others, and patterns without any, are absent."""
    patterns = concept.unexpanded
    if not patterns:
        return concept
    words_of: dict[str, list[str]] = {pattern: [] for pattern in patterns}
    for word in sorted(pattern_of.keys() - shared.keys()):
        words_of[pattern_of[word]].append(word)
    terms = [word for term in concept.terms for word in words_of.get(term, [term])]
    absent = {
        pattern: "its words are those of other terms"
        if matches[pattern]
        else f"no word of {source} matches it"
        for pattern, words in words_of.items()
        if not words
    }
    if not terms:  # a concept without terms is none: its patterns stay, and are found nowhere
        terms, absent = list(patterns), {}
        pattern_of = pattern_of | {pattern: pattern for pattern in patterns}
    update = {
        "terms": tuple(terms),
        "absent": (*concept.absent, *sorted({**absent, **shared}.items())),
        "patterns": tuple(sorted(pattern_of.items())),
    }
    return concept.model_copy(update=update)
