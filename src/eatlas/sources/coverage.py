"""From terms to vectors: the case rule, and an account of every term."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import PurePath
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources.interface import Found, Item, Vector, image_item, items_of, word_alone
from eatlas.sources.remarks import counted, lost, shared_vectors, unknown_terms
from eatlas.sources.source import Source
from eatlas.stats.inputs import SINGLE
from eatlas.stimuli import Concept, Test
from eatlas.stimuli.kinds import remarks

CaseRule = Literal["auto", "exact"]
FUNCTION_WORDS = ("the", "of", "and", "in", "to")
"""A source that has most of these has vectors of words; rose is a word there, and no rose.jpg."""
MOST = 3
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
        return {
            image.name: {
                key: image_item(image, key)
                for key in (*image.lookup_keys, *(image.stems if stems else ()))
            }
            for image in part.images
        }
    items = items_of(part)
    if encoded or part.sentences:
        return {term: {term: item} for term, item in items.items()}
    return {term: {key: word_alone(key) for key in spellings(term, case)} for term in items}


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
    stems = looked_up and len(source.lookup(FUNCTION_WORDS)) < MOST
    ways = {role: _ways(part, case, encoded=encoded, stems=stems) for role, part in parts.items()}
    embedded = _accounted(ways, source, test)
    notes = [*embedded.notes]
    if looked_up:
        _require_apart(embedded.keys, test, source.name)
        notes += _bare_names(embedded.keys, test)
    notes += [*remarks(test), *_few_stimuli(test, embedded.coverage)]
    groups = {
        role: group.model_copy(
            update={"stimulus": parts[role].stimulus_of, "label": parts[role].label_of}
        )
        for role, group in embedded.coverage.items()
    }
    counts: Coverage | None = None
    if test.contexts is None:
        groups = {role: _listed(group, parts[role]) for role, group in groups.items()}
    else:
        numbers = {role: counted(group, dict(parts[role].absent)) for role, group in groups.items()}
        counts = Coverage(numbers)
        notes += lost(counts, test.contexts)
    return replace(embedded, coverage=Coverage(groups), notes=tuple(notes), counts=counts)


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
    """Look up or encode the terms of concepts, words or sentences, by role.

    Parameters
    ----------
    concepts : mapping of Concept
        By role, or by any name.
    source : Source
        An open source, such as :func:`eatlas.open_vectors` returns.
    case : {"auto", "exact"}
        Rule by which words are looked up.

    Returns
    -------
    Embedded
        Vectors by role, shape (terms, d), and which terms were found, under which keys.
    """
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
    answers = source.answers(
        {item for group in wanted.values() for ways in group.values() for item in ways.values()}
    )
    found: dict[str, dict[str, Vector]] = {}
    groups: dict[str, GroupCoverage] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    keys: dict[str, dict[str, str]] = {}
    for role, group in wanted.items():
        found[role] = {
            key: np.asarray(answers[item].vector)
            for ways in group.values()
            for key, item in ways.items()
            if item in answers and answers[item].vector is not None
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
            role: {term: answers[wanted[role][term][key]].unknown for term, key in group.items()}
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


# --- images that are looked up --------------------------------------------------------------------


def _require_apart(keys: Mapping[str, Mapping[str, str]], test: Test, source: str) -> None:
    """Refuse a key by which two stimuli of a test would be found, one of them an image."""
    known: dict[str, tuple[str, str]] = {}
    for group, part in test.concepts.items():
        hashes = part.image_of
        for term, key in keys.get(group, {}).items():
            this = (hashes.get(term, ""), f"{term} ({group})")
            other = known.setdefault(key, this)
            if other[0] != this[0]:
                raise SourceError(
                    f"test {test.id}: {source} has one vector, {key!r}, for two stimuli",
                    got=f"{other[1]} and {this[1]}",
                    allowed="a vector for each image, under its path or the name of its file",
                    remedy="name the images in the source by their paths, as in young/1.jpg",
                )


def _bare_names(keys: Mapping[str, Mapping[str, str]], test: Test) -> Iterator[Note]:
    """Say which images were found without the extension of their file's name."""
    for group, part in test.concepts.items():
        bare = [
            f"{term} as {key}"
            for term, key in keys.get(group, {}).items()
            if part.images and PurePath(term).suffix and not PurePath(key).suffix
        ]
        if bare:
            yield Note("coverage.image-names", group, {"images": bare})
