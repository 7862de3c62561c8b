"""From terms to vectors: the case rule, and an account of every term."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources.counting import counted, lost
from eatlas.sources.likeness import shared_vectors, unknown_terms
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Unknown,
    is_contextual,
    passages_of,
    unknown,
    why_not,
)
from eatlas.sources.protocol import Vector, VectorSource
from eatlas.stats.precision import SINGLE
from eatlas.stimuli import Concept, Test
from eatlas.stimuli.remarks import remarks

CaseRule = Literal["auto", "exact"]
PAPERS_MINIMUM = 8  # Caliskan et al. 2022, as cited by ML-EAT: groups of eight stimuli at least


@dataclass(frozen=True)
class Embedded:
    """A test's vectors, with an account of how they were found.

    ``vectors[role]`` has shape (n_used, d), rows in the order of ``coverage``'s used terms.
    """

    vectors: Mapping[str, NDArray[np.float64]]
    coverage: Coverage
    notes: tuple[str, ...]
    sha256: str
    told: Coverage
    """What a result says of it: the same, or counts in place of the texts of contexts."""
    roundoff: float | None = None
    """Relative rounding error of the vectors, where a model computed them."""


@dataclass(frozen=True)
class EmbeddedGroups:
    """The vectors of some groups of terms, each group with the role it plays.

    ``vectors[role]`` has shape (n_used, d), rows in the order of ``groups[role].used``;
    ``keys[role]`` says under which key of the source each used term was found.
    """

    vectors: Mapping[str, NDArray[np.float64]]
    groups: Mapping[str, GroupCoverage]
    keys: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]
    sha256: str
    roundoff: float | None = None


@lru_cache(maxsize=65_536)  # a run asks for the same terms again, measure by measure
def spellings(term: str, case: CaseRule) -> tuple[str, ...]:
    """Keys under which a term is looked up, first hit wins.

    Examples
    --------
    >>> spellings("NASA", "auto")
    ('NASA', 'nasa', 'Nasa')
    >>> spellings("NASA", "exact")
    ('NASA',)
    """
    if case == "exact":
        return (term,)
    return tuple(dict.fromkeys((term, term.lower(), term.capitalize(), term.upper())))


def all_keys(tests: Iterable[Test], case: CaseRule) -> set[str]:
    """Every key that tests of any kind may ask for."""
    return {
        key
        for test in tests
        for part in test.concepts.values()
        for rule in [_rule(part, case)]
        for text in part.texts
        for key in spellings(text, rule)
    }


def _rule(part: Concept, case: CaseRule) -> CaseRule:
    """In another case a sentence may be another one: It is Will. / It is will."""
    return "exact" if part.sentences else case


def embed(test: Test, source: VectorSource, case: CaseRule = "auto") -> Embedded:
    """Look up all terms of a test.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or the case rule is unknown.
    """
    parts = test.concepts
    if is_contextual(source):
        found = _encode_groups(test, source, case)
    else:
        found = _look_up(test, source, case)
    notes = (*found.notes, *remarks(test), *_few_stimuli(test, found.groups))
    groups = {
        role: group.model_copy(update={"stimulus": parts[role].stimulus_of})
        for role, group in found.groups.items()
    }
    if test.contexts is not None:
        told = {role: counted(group, dict(parts[role].absent)) for role, group in groups.items()}
        notes = (*notes, *lost(Coverage(told), test.contexts))
        return Embedded(
            found.vectors, Coverage(groups), notes, found.sha256, Coverage(told), found.roundoff
        )
    coverage = Coverage({role: _listed(group, parts[role]) for role, group in groups.items()})
    return Embedded(found.vectors, coverage, notes, found.sha256, coverage, found.roundoff)


def _listed(group: GroupCoverage, part: Concept) -> GroupCoverage:
    """With all that a reader, or a second run, needs to know of the sentences."""
    return group.model_copy(
        update={
            "span": part.span_of,
            "text": part.text_of,
            "cluster": part.cluster_of,
            "missing": (*group.missing, *(stimulus for stimulus, _ in part.absent)),
            "reasons": {**group.reasons, **dict(part.absent)},
        }
    )


def embed_groups(
    terms: Mapping[str, Iterable[str]], source: VectorSource, case: CaseRule = "auto"
) -> EmbeddedGroups:
    """Look up the terms of groups, by role.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or the case rule is unknown.
    """
    _require_case_rule(case)
    rules = dict.fromkeys(terms, case)
    found = _vectors(terms, source, rules)
    return _accounted(terms, dict.fromkeys(terms, found), source, rules)


def _look_up(test: Test, source: VectorSource, case: CaseRule) -> EmbeddedGroups:
    _require_case_rule(case)
    parts = test.concepts
    rules = {role: _rule(part, case) for role, part in parts.items()}
    found = _vectors({role: part.texts for role, part in parts.items()}, source, rules)
    keyed = {
        role: found | {key: found[text] for key, text in texts.items() if text in found}
        if (texts := part.text_of)
        else found
        for role, part in parts.items()
    }
    return _accounted(
        {role: part.terms for role, part in parts.items()}, keyed, source, rules, test
    )


def _vectors(
    texts: Mapping[str, Iterable[str]], source: VectorSource, rules: Mapping[str, CaseRule]
) -> dict[str, Vector]:
    wanted = {
        key
        for role, group in texts.items()
        for text in group
        for key in spellings(text, rules[role])
    }
    return {key: np.asarray(vector) for key, vector in source.lookup(wanted).items()}


def _encode_groups(test: Test, source: ContextualSource, case: CaseRule) -> EmbeddedGroups:
    """Encode the terms of groups as they are written; one text may be about two stimuli."""
    _require_case_rule(case)
    parts = test.concepts
    asked = {role: passages_of(part) for role, part in parts.items()}
    given = source.encode({one for group in asked.values() for one in group.values()})
    vectors = {one: np.asarray(vector) for one, vector in given.items()}
    found = {
        role: {term: vectors[one] for term, one in group.items() if one in vectors}
        for role, group in asked.items()
    }
    accounted = _accounted(
        {role: part.terms for role, part in parts.items()},
        found,
        source,
        dict.fromkeys(parts, "exact"),
        test,
    )
    groups = {
        role: _explained(group, asked[role], found[role], source)
        for role, group in accounted.groups.items()
    }
    notes = (*accounted.notes, *unknown_terms(_unknown(asked, groups, source), test))
    roundoff = _roundoff(source, vectors.values())
    return replace(accounted, groups=groups, notes=notes, roundoff=roundoff)


def _unknown(
    asked: Mapping[str, Mapping[str, Passage]],
    groups: Mapping[str, GroupCoverage],
    source: ContextualSource,
) -> dict[str, dict[str, Unknown]]:
    """How much of each used term the tokenizer does not know, where it does not know all."""
    return {
        role: {term: how for term in group.used if (how := unknown(source, asked[role][term]))}
        for role, group in groups.items()
    }


def _roundoff(source: ContextualSource, vectors: Iterable[Vector]) -> float | None:
    """What the source says; where it says nothing, that of vectors in single precision."""
    if (stated := source.encoding.roundoff) is not None:
        return stated
    return SINGLE if any(vector.dtype == np.float32 for vector in vectors) else None


def _explained(
    group: GroupCoverage,
    asked: Mapping[str, Passage],
    found: Mapping[str, Vector],
    source: ContextualSource,
) -> GroupCoverage:
    """With what the source itself says of terms that it has no vector of."""
    lacking = (term for term in group.missing if term not in found)
    said = {term: why for term in lacking if (why := why_not(source, asked[term]))}
    return group.model_copy(update={"reasons": group.reasons | said}) if said else group


def _require_case_rule(case: str) -> None:
    if case not in get_args(CaseRule):
        raise SourceError(
            "unknown case rule", got=repr(case), allowed=" or ".join(get_args(CaseRule))
        )


def _accounted(
    terms: Mapping[str, Iterable[str]],
    found: Mapping[str, Mapping[str, Vector]],
    source: VectorSource,
    rules: Mapping[str, CaseRule],
    test: Test | None = None,
) -> EmbeddedGroups:
    """Account for every term, with what was found for its group."""
    groups: dict[str, GroupCoverage] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    keys: dict[str, dict[str, str]] = {}
    for role, group in terms.items():
        groups[role], keys[role] = _cover(group, found[role], source.name, rules[role])
        rows = [found[role][key] for key in keys[role].values()]
        vectors[role] = np.array(rows, dtype=np.float64).reshape(len(rows), source.dim)
    notes = (
        *source.notes,
        *shared_vectors(keys, found, test),
        *_common_words(keys),
        *_small_groups(groups),
    )
    return EmbeddedGroups(vectors, groups, keys, notes, _digest(vectors))


def _cover(
    terms: Iterable[str], found: Mapping[str, Vector], source: str, case: CaseRule
) -> tuple[GroupCoverage, dict[str, str]]:
    """Account for one group; also the key of each used term."""
    keys: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for term in terms:
        hit = False
        for key in spellings(term, case):
            if key in found:
                hit = True
                if found[key].any():
                    keys[term] = key
                    break
        else:
            zero = f"its vector in {source} is zero (norm 0)"
            reasons[term] = zero if hit else f"not in {source}"
    coverage = GroupCoverage(
        used=tuple(keys),
        missing=tuple(reasons),
        found_as={term: key for term, key in keys.items() if term != key},
        reasons=reasons,
    )
    return coverage, keys


def _common_words(keys: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Names that were found as a common noun or verb: Rose as rose, Bill as bill."""
    flagged = sorted(
        {
            term
            for group in keys.values()
            for term, key in group.items()
            if key == term.lower() != term and key in _names_that_are_words()
        }
    )
    if not flagged:
        return []
    return [
        f"Names found in lower case that are also common words: {', '.join(flagged)}; "
        "their vectors mix both meanings."
    ]


def _small_groups(groups: Mapping[str, GroupCoverage]) -> list[str]:
    small = [
        f"{role} ({len(group.used)})"
        for role, group in groups.items()
        if len(group.used) < PAPERS_MINIMUM
    ]
    if not small:
        return []
    return [
        f"Fewer than {PAPERS_MINIMUM} usable terms in {', '.join(small)}: "
        "the papers hold that too few to represent a concept."
    ]


def _few_stimuli(test: Test, groups: Mapping[str, GroupCoverage]) -> list[str]:
    """Many sentences may be made of few words, and those are the stimuli."""
    stimuli = {}
    for role, group in groups.items():
        # a dictionary of all sentences, made once for each group
        stimulus_of = test.concept(role).stimulus_of
        if stimulus_of and len(group.used) >= PAPERS_MINIMUM:
            stimuli[role] = len({stimulus_of[term] for term in group.used})
    few = [f"{role} ({count})" for role, count in stimuli.items() if count < PAPERS_MINIMUM]
    if not few:
        return []
    return [
        f"Fewer than {PAPERS_MINIMUM} stimuli behind the sentences of {', '.join(few)}: "
        "the papers hold that too few to represent a concept."
    ]


@cache
def _names_that_are_words() -> frozenset[str]:
    data = resources.files("eatlas.sources") / "data" / "names_that_are_words.txt"
    lines = data.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _digest(vectors: Mapping[str, NDArray[np.float64]]) -> str:
    """Hash of the vectors by role; the order of terms leaves it unchanged."""
    digest = hashlib.sha256()
    for role, rows in vectors.items():
        digest.update(f"{role}{rows.shape}".encode())
        for row in sorted(row.tobytes() for row in rows):
            digest.update(row)
    return digest.hexdigest()
