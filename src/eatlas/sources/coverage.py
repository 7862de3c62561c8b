"""From terms to vectors: the case rule, and an account of every term."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources.image_keys import (
    FUNCTION_WORDS,
    has_words,
    keys_of,
    remarks_on,
    require_apart,
)
from eatlas.sources.interface import Found, Item, Vector, image_item, items_of, word_alone
from eatlas.sources.remarks import counted, lost, shared_vectors, unknown_terms
from eatlas.sources.source import Source
from eatlas.stats.inputs import SINGLE
from eatlas.stimuli import Concept, Test
from eatlas.stimuli.kinds import remarks

CaseRule = Literal["auto", "exact"]
PAPERS_MINIMUM = 8  # Caliskan et al. 2022, as cited by ML-EAT: groups of eight stimuli at least


@dataclass(frozen=True)
class Embedded:
    """The vectors of the groups of a test, with an account of how they were found.

    ``vectors[group]`` has shape (n_used, d), rows in the order of the used terms of the coverage;
    ``keys[group]`` says under which key of the source each used term was found.
    """

    vectors: Mapping[str, NDArray[np.float64]]
    coverage: Coverage
    keys: Mapping[str, Mapping[str, str]]
    notes: tuple[Note, ...]
    sha256: str
    roundoff: float | None = None
    """Relative rounding error of the vectors, where a model computed them."""
    counts: Coverage | None = None
    """Of contexts of a file: their numbers in place of their texts."""

    @property
    def reported(self) -> Coverage:
        """What a result says of the terms."""
        return self.coverage if self.counts is None else self.counts


@lru_cache(maxsize=65_536)  # a run looks up the same terms again, measure by measure
def spellings(term: str, case: CaseRule) -> tuple[str, ...]:
    """Keys under which a term is looked up, first hit wins."""
    if case == "exact":
        return (term,)
    return tuple(dict.fromkeys((term, term.lower(), term.capitalize(), term.upper())))


Ways = Mapping[str, Item]
"""Items to look up or encode for one term, by the key under which each is found; first hit wins."""


def _ways(part: Concept, case: CaseRule, *, encoded: bool, stems: bool = True) -> dict[str, Ways]:
    """Items to look up or encode for each term of a concept.

    An encoder takes items as they are; in a table words are looked up by their spellings, and
    images by their names and the ends of their paths, to which the case rule does not apply, with
    `stems` also without the extension.
    """
    if part.images and not encoded:
        known = keys_of(part, stems=stems)
        return {
            one.name: {key: image_item(one, key) for key in known[one.name]} for one in part.images
        }
    return {
        term: {term: one}
        if encoded or part.sentences
        else {key: word_alone(key) for key in spellings(term, case)}
        for term, one in items_of(part).items()
    }


def needed_items(
    source: Source, tests: Iterable[Test], words: Iterable[str], case: CaseRule
) -> set[Item]:
    """Every item that tests of any kind, or measures by themselves, request from a source."""
    encoded, tests = source.encodes, tuple(tests)
    with_images = any(part.images for test in tests for _, part in test.parts)
    concepts = (part for test in tests for part in test.concepts.values())
    of_tests = needed_of(source, concepts, case)
    rule: CaseRule = "exact" if encoded else case
    probes = FUNCTION_WORDS if with_images and not encoded else ()
    keys = {key for word in words for key in spellings(word, rule)}
    return of_tests | {word_alone(key) for key in keys.union(probes)}


def needed_of(source: Source, concepts: Iterable[Concept], case: CaseRule) -> set[Item]:
    """Every item that concepts request from a source."""
    encoded = source.encodes
    return {
        one
        for part in concepts
        for ways in _ways(part, case, encoded=encoded).values()
        for one in ways.values()
    }


def embed(test: Test, source: Source, case: CaseRule = "auto") -> Embedded:
    """Look up or encode all terms of a test.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or the case rule is unknown.
    """
    _require_case_rule(case)
    parts, encoded = test.concepts, source.encodes
    looked_up = not encoded and any(part.images for part in parts.values())
    stems = looked_up and not has_words(source)
    ways = {role: _ways(part, case, encoded=encoded, stems=stems) for role, part in parts.items()}
    found = _accounted(ways, source, test)
    if looked_up:
        require_apart(found.keys, test, source.name)
        found = replace(found, notes=(*found.notes, *remarks_on(found.keys, test)))
    notes = (*found.notes, *remarks(test), *_few_stimuli(test, found.coverage))
    groups = {
        name: group.model_copy(
            update={"stimulus": parts[name].stimulus_of, "label": parts[name].label_of}
        )
        for name, group in found.coverage.items()
    }
    if test.contexts is None:
        listed = {name: _listed(group, parts[name]) for name, group in groups.items()}
        return replace(found, coverage=Coverage(listed), notes=notes)
    counts = Coverage(
        {name: counted(group, dict(parts[name].absent)) for name, group in groups.items()}
    )
    notes = (*notes, *lost(counts, test.contexts))
    return replace(found, coverage=Coverage(groups), notes=notes, counts=counts)


def _listed(group: GroupCoverage, part: Concept) -> GroupCoverage:
    """With all that a reader, or a second run, needs to know of the sentences."""
    return group.model_copy(
        update={
            "span": part.span_of,
            "text": part.text_of,
            "cluster": part.cluster_of,
            "image": part.image_of,
            "missing": (*group.missing, *(stimulus for stimulus, _ in part.absent)),
            "reasons": {**group.reasons, **dict(part.absent)},
        }
    )


def embed_concepts(
    concepts: Mapping[str, Concept], source: Source, case: CaseRule = "auto"
) -> Embedded:
    """Look up or encode the terms of concepts, words or sentences, by role."""
    _require_case_rule(case)
    encoded = source.encodes
    ways = {role: _ways(part, case, encoded=encoded) for role, part in concepts.items()}
    return _accounted(ways, source, None)


def embed_groups(
    terms: Mapping[str, Iterable[str]], source: Source, case: CaseRule = "auto"
) -> Embedded:
    """Look up the terms of groups, by role."""
    _require_case_rule(case)
    ways = {
        role: {term: {key: word_alone(key) for key in spellings(term, case)} for term in group}
        for role, group in terms.items()
    }
    return _accounted(ways, source, None)


def _require_case_rule(case: str) -> None:
    if case not in get_args(CaseRule):
        raise SourceError(
            "unknown case rule", got=repr(case), allowed=" or ".join(get_args(CaseRule))
        )


def _accounted(
    wanted: Mapping[str, Mapping[str, Ways]], source: Source, test: Test | None
) -> Embedded:
    """Ask a source for the terms of groups, and account for every term."""
    every = {one for group in wanted.values() for ways in group.values() for one in ways.values()}
    answers = source.answers(every)
    found: dict[str, dict[str, Vector]] = {}
    groups: dict[str, GroupCoverage] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    keys: dict[str, dict[str, str]] = {}
    for role, group in wanted.items():
        found[role] = {
            key: np.asarray(answers[one].vector)
            for ways in group.values()
            for key, one in ways.items()
            if one in answers and answers[one].vector is not None
        }
        groups[role], keys[role] = _cover(group, found[role], answers, source.name)
        rows = [found[role][key] for key in keys[role].values()]
        vectors[role] = np.array(rows, dtype=np.float64).reshape(len(rows), source.dim)
    notes = [
        *as_notes(source.notes),
        *shared_vectors(keys, found, test),
        *_common_words(keys, test),
        *_few("terms", {role: len(group.used) for role, group in groups.items()}),
    ]
    if test is not None:
        unknown = {
            role: {
                term: how
                for term, key in group.items()
                if (how := answers[wanted[role][term][key]].unknown)
            }
            for role, group in keys.items()
        }
        notes += unknown_terms(unknown, test)
    roundoff = _roundoff(source, answers.values())
    return Embedded(vectors, Coverage(groups), keys, tuple(notes), _digest(vectors), roundoff)


def _roundoff(source: Source, answers: Iterable[Found]) -> float | None:
    """Of what is computed: as the source says, or else that of vectors in single precision."""
    if source.encoding is None:
        return None
    if source.encoding.roundoff is not None:
        return source.encoding.roundoff
    vectors = (one.vector for one in answers)
    return SINGLE if any(v is not None and v.dtype == np.float32 for v in vectors) else None


def _cover(
    wanted: Mapping[str, Ways],
    found: Mapping[str, Vector],
    answers: Mapping[Item, Found],
    source: str,
) -> tuple[GroupCoverage, dict[str, str]]:
    """Account for one group; also the key of each used term."""
    keys: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for term, ways in wanted.items():
        there = [key for key in ways if key in found]
        usable = next((key for key in there if found[key].any()), None)
        if usable is not None:
            keys[term] = usable
        elif there:
            reasons[term] = f"its vector in {source} is zero (norm 0)"
        else:
            said = (answers[one].reason for one in ways.values() if one in answers)
            reasons[term] = next(filter(None, said), f"not in {source}")
    coverage = GroupCoverage(
        used=tuple(keys),
        missing=tuple(reasons),
        found_as={term: key for term, key in keys.items() if term != key},
        reasons=reasons,
    )
    return coverage, keys


def _common_words(keys: Mapping[str, Mapping[str, str]], test: Test | None) -> Iterator[Note]:
    """Names that were found as a common noun or verb: Rose as rose, Bill as bill."""
    texts = [role for role in keys if test is None or not test.concept(role).images]
    pairs = {pair for role in texts for pair in keys[role].items()}
    if named := sorted(term for term, key in pairs if is_common_word(term, key)):
        yield Note("coverage.common-words", values={"names": named})


def is_common_word(term: str, key: str) -> bool:
    """Whether a name was found as a common noun or verb.

    >>> is_common_word("Rose", "rose"), is_common_word("Rose", "Rose"), is_common_word("Amy", "amy")
    (True, False, False)
    """
    return key == term.lower() != term and key in _names_that_are_words()


def _few(what: str, counts: Mapping[str, int]) -> Iterator[Note]:
    """Name the groups that have fewer than the papers recommend."""
    if few := {role: n for role, n in counts.items() if n < PAPERS_MINIMUM}:
        yield Note("coverage.few", values={"what": what, "groups": few, "least": PAPERS_MINIMUM})


def _few_stimuli(test: Test, groups: Mapping[str, GroupCoverage]) -> Iterator[Note]:
    """Many sentences may be made of few words, and those are the stimuli."""
    stimuli = {}
    for role, group in groups.items():
        # a dictionary of all sentences, made once for each group
        stimulus_of = test.concept(role).stimulus_of
        if stimulus_of and len(group.used) >= PAPERS_MINIMUM:
            stimuli[role] = len({stimulus_of[term] for term in group.used})
    yield from _few("stimuli", stimuli)


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
