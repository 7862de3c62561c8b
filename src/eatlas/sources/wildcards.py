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

    Raises
    ------
    StimulusError
        If the source lists no words, or a pattern matches more than 1,000 of them.
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
    concepts = {}
    for role, side in ((role, names) for names in sides for role in names):
        concept = test.concepts[role]
        shared = {
            word: f"also in {test.concepts[other].name}"
            for other in side
            for word in matched[role].keys() & (matched[other].keys() | written[other])
            if other != role and word not in written[role]
        }
        own = {
            word: pattern
            for word, pattern in matched[role].items()
            if word not in written[role] and word not in shared
        }
        concepts[role] = _with_words(concept, own, shared, matches, source)
    concepts = {role: concepts[role] for role in test.concepts}
    expected = getattr(test, "expected", ())
    if not expected:
        return test.with_concepts(concepts)
    words = {pattern: [] for pattern in test.concepts[OF_TARGETS].unexpanded} | {
        term: [term] for term in written[OF_TARGETS]
    }
    for word, pattern in concepts[OF_TARGETS].patterns:
        words[pattern].append(word)
    terms = set(concepts[OF_TARGETS].terms)
    by_group = {
        group: tuple(word for term in own for word in words.get(term, [term]) if word in terms)
        for group, own in expected
    }
    plain = test.model_copy(update={"expected": ()}).with_concepts(concepts)
    return plain.model_copy(update={"expected": by_group})


def _with_words(
    concept: Concept,
    own: Mapping[str, str],
    shared: Mapping[str, str],
    matches: Mapping[str, list[str]],
    source: str,
) -> Concept:
    """A concept with its own words of patterns; others, and patterns without any, are absent."""
    patterns = concept.unexpanded
    if not patterns:
        return concept
    of_pattern: dict[str, list[str]] = {pattern: [] for pattern in patterns}
    for word, pattern in sorted(own.items()):
        of_pattern[pattern].append(word)
    terms = [word for term in concept.terms for word in of_pattern.get(term, [term])]
    absent = {
        pattern: "its words are those of other terms"
        if matches[pattern]
        else f"no word of {source} matches it"
        for pattern, words in of_pattern.items()
        if not words
    }
    of_shared = {
        word: max((p for p in patterns if word in matches[p]), key=lambda text: (len(text), text))
        for word in shared
    }
    pairs = {**own, **of_shared}
    if not terms:  # a concept without terms is none: its patterns stay, and are found nowhere
        terms, absent = list(patterns), {}
        pairs |= {pattern: pattern for pattern in patterns}
    update = {
        "terms": tuple(terms),
        "absent": (*concept.absent, *sorted({**absent, **shared}.items())),
        "patterns": tuple(sorted(pairs.items())),
    }
    return concept.model_copy(update=update)
