"""Terms with wildcards such as ``nurs*`` are written out as the words of a source.

A run knows no wildcards: ``eatlas tests expand`` writes a test with words once. ``*``
stands for any characters, ``?`` for one. A term is taken so where it has one of them, a letter or
digit, and no space.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eatlas.errors import StimulusError, listing
from eatlas.sources.coverage import CaseRule, spellings
from eatlas.stimuli import AssociationTest, Concept, Test
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES

MOST = 1_000
"""Words that one wildcard may stand for."""
_WILD = "*?"


def expand(tests: Sequence[Test], source: Any, case: CaseRule = "auto") -> list[Test]:
    """Put the words of a source in place of wildcards, in one pass over its words.

    A word belongs to the longest wildcard of its concept that matches it, and to none where it is
    written out. A word of two opposed concepts is left out of both, but where one of them has it
    written out. The case rule is that of words: the first spelling of a wildcard that matches.
    """
    parts = [(test.language, concept) for test in tests for concept in test.concepts.values()]
    wildcards = dict.fromkeys((tag, term) for tag, part in parts for term in part.wildcards)
    if not wildcards:
        return list(tests)
    if source.encodes or not source.listed:
        raise StimulusError(
            f"{source.name} lists no words that could match {next(iter(wildcards))[1]!r}",
            allowed="vectors of words, in a file or in memory",
        )
    matches = matches_of(wildcards, source, case)
    return [
        _expand_test(
            test,
            {term: words for (tag, term), words in matches.items() if tag == test.language},
            source.name,
            case,
        )
        for test in tests
    ]


def matches_of(
    wildcards: Iterable[tuple[str, str]], source: Any, case: CaseRule
) -> dict[tuple[str, str], list[str]]:
    """The words of a source that each wildcard of a language matches, in alphabetical order."""
    ways = {(tag, term): spellings(term, case, tag) for tag, term in wildcards}
    words: dict[str, set[str]] = {spelling: set() for each in ways.values() for spelling in each}
    by_first: dict[str, list[str]] = defaultdict(list)
    for spelling in words:
        by_first["" if spelling[0] in _WILD else spelling[0]].append(spelling)
    anywhere = by_first.pop("", [])
    several = {first: _compile_wildcards([*some, *anywhere]) for first, some in by_first.items()}
    rest = _compile_wildcards(anywhere) if anywhere else None
    single = {spelling: _compile_wildcards([spelling]) for spelling in words}
    for word in source.vocabulary():
        expression = several.get(word[:1], rest)
        if expression is None or not expression.fullmatch(word) or word != word.strip():
            continue  # a word with a space at its end is no term
        for spelling in (*by_first.get(word[:1], ()), *anywhere):
            if single[spelling].fullmatch(word):
                words[spelling].add(word)
                if len(words[spelling]) > MOST:
                    raise StimulusError(
                        f"{spelling!r} matches more than {MOST:,} words of {source.name}",
                        got=f"{listing(sorted(words[spelling]), 5)}",
                        remedy="write more letters before the *, or list the words",
                    )
    return {
        wildcard: sorted(next((words[way] for way in each if words[way]), ()))
        for wildcard, each in ways.items()
    }


def _compile_wildcards(wildcards: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, wildcards)), re.DOTALL)


def _expression(wildcard: str) -> str:
    """A wildcard as an expression that takes linear time.

    What stands between two ``*`` is found at its first place and stays there: the next part can
    then begin the earliest, so no other place needs a try, and the group is atomic.
    """
    first, *others = (
        "".join("." if sign == "?" else re.escape(sign) for sign in part)
        for part in wildcard.split("*")
    )
    if not others:
        return first
    *between, last = others
    return first + "".join(f"(?>.*?{part})" for part in between if part) + f".*{last}"


def _expand_test(test: Test, matches: Mapping[str, list[str]], source: str, case: CaseRule) -> Test:
    """A test whose concepts have words only."""
    written: dict[str, set[str]] = {}
    matched: dict[str, dict[str, str]] = {}
    for role, concept in test.concepts.items():
        words = (term for term in concept.terms if term not in concept.wildcards)
        written[role] = {key for term in words for key in spellings(term, case, test.language)}
        matched[role] = {}
        for wildcard in sorted(concept.wildcards, key=lambda text: (len(text), text)):
            matched[role] |= dict.fromkeys(matches[wildcard], wildcard)
    groups = tuple(role for role in test.concepts if role != OF_TARGETS)
    sides = OPPOSITES if isinstance(test, AssociationTest) else (groups, (OF_TARGETS,))
    side_of = {role: side for side in sides for role in side}
    concepts = {}
    for role, concept in test.concepts.items():
        wildcard_of = {w: p for w, p in matched[role].items() if w not in written[role]}
        shared = {
            word: f"also in {test.concepts[other].name}"
            for other in side_of[role]
            if other != role
            for word in wildcard_of.keys() & (matched[other].keys() | written[other])
        }
        concepts[role] = _with_words(concept, wildcard_of, shared, matches, source)
    expected = getattr(test, "expected", ())
    if not expected:
        return test.with_concepts(concepts)
    targets = concepts[OF_TARGETS]
    words_of: dict[str, list[str]] = defaultdict(list)
    for word, wildcard in matched[OF_TARGETS].items():
        words_of[wildcard].append(word)
    by_group = {
        group: tuple(w for term in own for w in words_of.get(term, [term]) if w in targets.terms)
        for group, own in expected
    }
    plain = test.model_copy(update={"expected": ()}).with_concepts(concepts)
    return plain.model_copy(update={"expected": by_group})


def _with_words(
    concept: Concept,
    wildcard_of: dict[str, str],
    shared: Mapping[str, str],
    matches: Mapping[str, list[str]],
    source: str,
) -> Concept:
    """A concept with its own words of wildcards; others, and wildcards without any, are absent."""
    wildcards = concept.wildcards
    if not wildcards:
        return concept
    words_of: dict[str, list[str]] = {wildcard: [] for wildcard in wildcards}
    for word in sorted(wildcard_of.keys() - shared.keys()):
        words_of[wildcard_of[word]].append(word)
    terms = [word for term in concept.terms for word in words_of.get(term, [term])]
    absent = {
        wildcard: "its words are already other terms"
        if matches[wildcard]
        else f"no word of {source} matches it"
        for wildcard, words in words_of.items()
        if not words
    }
    if not terms:
        raise StimulusError(
            f"{concept.name}: no word of {source} is left for its wildcards",
            got=listing(f"{wildcard} ({reason})" for wildcard, reason in absent.items()),
            remedy="list words that the source has",
        )
    left_out = (*concept.absent, *sorted({**absent, **shared}.items()))
    return concept.model_copy(update={"terms": tuple(terms), "absent": left_out})
