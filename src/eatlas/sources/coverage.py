"""From terms to vectors: the case rule, and an account of every term."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources.source import Found, Item, Snapshot, Source, word_alone
from eatlas.stats.inputs import SINGLE, Same, remember
from eatlas.stimuli import Concept, ContextsOrigin, Image, Test
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.stimuli.kinds import remarks
from eatlas.stimuli.languages import capital, is_english, keys_in, lower, same_texts, upper

CaseRule = Literal["auto", "exact"]
NAMED, GROUPS = 6, 5
"""Most terms that one note names; most groups of spellings that get a note each."""
LEAST_WORDS, LEAST_PART = 8, 0.25
"""Of fewer words, or if a larger part of them is found, nothing is said about the language."""
MOST_RETAINED = 2_000
"""Words of a test whose vectors a process retains, to account for them again without work."""
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


def require_case(case: str) -> None:
    """Refuse an unknown rule by which terms are looked up."""
    if case not in get_args(CaseRule):
        allowed = " or ".join(get_args(CaseRule))
        raise SourceError("unknown case rule", got=repr(case), allowed=allowed)


@lru_cache(maxsize=65_536)  # a run looks up the same terms again, measure by measure
def spellings(term: str, case: CaseRule, language: str = "") -> tuple[str, ...]:
    """Keys under which a term is looked up, first hit wins.

    As written, in lower case, with a capital, in capitals, by the rules of its language; each in
    every form of the same characters; then phrases with underscores; then, of a language that is
    named, as vectors of several languages name their words.
    """
    if case == "exact":
        return (term,)
    cases = (of(term, language) for of in (lower, capital, upper))
    keys = dict.fromkeys(chain.from_iterable(map(same_texts, (term, *cases))))
    if " " in term:
        keys |= dict.fromkeys([key.replace(" ", "_") for key in keys])
    if language:
        keys |= dict.fromkeys(chain.from_iterable([keys_in(language, key) for key in keys]))
    return tuple(keys)


Ways = Mapping[str, Item]
"""Items to look up or encode for one term, by the key under which each is found; first hit wins."""


def _ways(part: Concept, case: CaseRule, language: str, *, encoded: bool) -> dict[str, Ways]:
    """Items to look up or encode for each term of a concept.

    An encoder takes items as they are; in a table words are looked up by their spellings, and
    images by their names and the ends of their paths, to which the case rule does not apply.
    """
    if part.images and encoded:
        return {image.name: {image.name: _to_encode(image)} for image in part.images}
    if part.images:
        return {
            image.name: {key: Item(key, None, "image", image.sha256, image.name) for key in keys}
            for image in part.images
            if (keys := image.lookup_keys)
        }
    if part.sentences:
        return {s.term: {s.term: Item(s.text, s.span)} for s in part.sentences}
    refuse_wildcards({part.name: part})
    rule: CaseRule = "exact" if encoded else case
    return {term: _ways_of_word(term, rule, language) for term in part.terms}


@lru_cache(maxsize=65_536)
def _ways_of_word(word: str, case: CaseRule, language: str) -> Ways:
    """Items to look up for a word, by spelling."""
    return {key: word_alone(key) for key in spellings(word, case, language)}


def _to_encode(image: Image) -> Item:
    """Return the item of an image that is encoded."""
    if not image.path:
        raise SourceError(
            f"the image {image.name} was not found",
            got=f"its name and SHA-256 {image.sha256 or 'unknown'}, and no file",
            remedy="load the test from its file, next to its images; for eatlas verify: --tests "
            "FILE.toml",
        )
    return Item(image.path, None, "image", image.sha256, image.name)


def items_to_request(
    source: Source, tests: Iterable[Test], words: Iterable[str], case: CaseRule
) -> set[Item]:
    """Every item that tests of any kind, or measures by themselves, request from a source."""
    encoded = source.encodes
    items = {
        item
        for test in tests
        for part in test.concepts.values()
        for way in _ways(part, case, test.language, encoded=encoded).values()
        for item in way.values()
    }
    rule: CaseRule = "exact" if encoded else case
    return items | {word_alone(key) for word in words for key in spellings(word, rule)}


def embed(test: Test, source: Source, case: CaseRule = "auto") -> Embedded:
    """Look up or encode all terms of a test.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or the case rule is unknown.
    """
    parts = test.concepts
    embedded = _embed(parts, source, case, test.language, test)
    if not source.encodes and any(part.images for part in parts.values()):
        _require_apart(embedded.keys, test, source.name)
    groups = embedded.coverage
    notes, counts = [*embedded.notes], None
    if test.contexts is not None:
        counts = Coverage(
            {role: _count_contexts(group, parts[role]) for role, group in groups.items()}
        )
        notes += _lost_contexts(counts, test.contexts)
    return replace(embedded, notes=tuple(notes), counts=counts)


def embed_concepts(
    concepts: Mapping[str, Concept], source: Source, case: CaseRule = "auto", language: str = ""
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
    language : str
        Language tag of the words, such as ``de``; by default no rule but the general ones.

    Returns
    -------
    Embedded
        Vectors by role, shape (terms, d), and which terms were found, under which keys.
    """
    return _embed(concepts, source, case, language, None)


def _embed(
    concepts: Mapping[str, Concept],
    source: Source,
    case: CaseRule,
    language: str,
    test: Test | None,
) -> Embedded:
    """Ask a source for the terms of concepts, and account for every term."""
    require_case(case)
    encoded = source.encodes
    words = test is not None and not encoded and _has_few_words(concepts)
    if words:
        wanted, items = _requests_of_test(Same(test), case)
    else:
        wanted, items = _requests(concepts, case, language, encoded=encoded)
    answers = source.answers(items)
    if words and all(map(_is_vector_alone, answers.values())):
        vectors = np.array([answer.vector for answer in answers.values()])
        embedded = _account_again(Same(test), case, source.name, source.dim, [*answers], vectors)
    else:
        facts = language, source.name, source.dim
        embedded = _account_for_terms(test, concepts, wanted, answers, *facts)
    # of what is computed: as the source says, or else that of vectors in single precision
    roundoff = None if source.encoding is None else source.encoding.roundoff
    if source.encoding is not None and roundoff is None:
        computed = [answer.vector for answer in answers.values() if answer.vector is not None]
        roundoff = SINGLE if any(vector.dtype == np.float32 for vector in computed) else None
    notes = (*as_notes(source.notes), *embedded.notes)
    return replace(embedded, notes=notes, roundoff=roundoff)


Requests = tuple[Mapping[str, Mapping[str, Ways]], frozenset[Item]]
"""Items to look up or encode for each term, by role; and all of them."""


def _requests(
    concepts: Mapping[str, Concept], case: CaseRule, language: str, *, encoded: bool
) -> Requests:
    """Items of the terms of concepts."""
    wanted = {role: _ways(part, case, language, encoded=encoded) for role, part in concepts.items()}
    ways_of_terms = (ways for group in wanted.values() for ways in group.values())
    return wanted, frozenset(item for ways in ways_of_terms for item in ways.values())


def _has_few_words(concepts: Mapping[str, Concept]) -> bool:
    """Whether the terms of a test are words, and so few that what is found can be retained."""
    parts = concepts.values()
    if any(part.images or part.sentences for part in parts):
        return False
    return sum(len(part.terms) for part in parts) <= MOST_RETAINED


@lru_cache(maxsize=64)
def _requests_of_test(test: Same, case: CaseRule) -> Requests:
    """Items of the words of a test, which never change."""
    return _requests(test.value.concepts, case, test.value.language, encoded=False)


def _is_vector_alone(answer: Found) -> bool:
    """Whether an answer is a vector without a warning or a reason."""
    return answer.vector is not None and not (answer.reason or answer.unknown or answer.remarks)


@remember(64, largest=65_536)
def _account_again(
    test: Same, case: CaseRule, name: str, dim: int, items: list[Item], vectors: NDArray[Any]
) -> Embedded:
    """Account for the words of a test, by the vectors of those items that have one."""
    wanted, _ = _requests_of_test(test, case)
    answers = {item: Found(row) for item, row in zip(items, vectors, strict=True)}
    facts = test.value.language, name, dim
    embedded = _account_for_terms(test.value, test.value.concepts, wanted, answers, *facts)
    for rows in embedded.vectors.values():
        rows.setflags(write=False)
    return embedded


def _account_for_terms(
    test: Test | None,
    concepts: Mapping[str, Concept],
    wanted: Mapping[str, Mapping[str, Ways]],
    answers: Mapping[Item, Found],
    language: str,
    name: str,
    dim: int,
) -> Embedded:
    """Account for every term by the answers of a source of some name and dimension."""
    groups: dict[str, GroupCoverage] = {}
    vectors: dict[str, NDArray[np.float64]] = {}
    keys: dict[str, dict[str, str]] = {}
    unknown: dict[str, dict[str, dict[str, None]]] = {"all": {}, "part": {}}
    for role, group in wanted.items():
        keys[role], rows, reasons = {}, [], {}
        stimulus_of = concepts[role].stimulus_of
        for term, ways in group.items():
            tried = {key: answers[item] for key, item in ways.items() if item in answers}
            key, reason = _first_usable(tried, name)
            if reason:
                reasons[term] = reason
                continue
            keys[role][term] = key
            rows.append(tried[key].vector)
            if how := tried[key].unknown:
                unknown[how].setdefault(role, {})[stimulus_of.get(term, term)] = None
        groups[role] = _account(concepts[role], keys[role], reasons, test)
        vectors[role] = np.array(rows, dtype=np.float64).reshape(len(rows), dim)
    notes = [
        *_note_duplicate_vectors(keys, vectors, test),
        *(_common_words(keys, test) if is_english(language) else ()),
        *_few(groups),
    ]
    if test is not None:
        terms = {how: {r: [*u] for r, u in by_role.items()} for how, by_role in unknown.items()}
        if terms["all"]:
            notes.append(Note("coverage.unknown", values={"terms": terms["all"]}))
        if terms["part"]:
            notes.append(Note("coverage.partly-unknown", values={"terms": terms["part"]}))
        notes += remarks(test)
    return Embedded(vectors, Coverage(groups), keys, tuple(notes), _digest(vectors))


def _account(
    part: Concept, keys: Mapping[str, str], reasons: Mapping[str, str], test: Test | None
) -> GroupCoverage:
    """Account for every term of a group; of a test also for what its terms are made of."""
    more: dict[str, Any] = {}
    if test is not None:
        more = {"stimulus": part.stimulus_of, "label": part.label_of}
        if test.contexts is None:  # all that a reader, or a second run, needs to know of sentences
            more |= {"span": part.span_of, "text": part.text_of, "image": part.image_of}
            reasons = {**reasons, **dict(part.absent)}
    found_as = {term: key for term, key in keys.items() if term != key}
    fields = {"used": tuple(keys), "missing": tuple(reasons), "found_as": found_as, **more}
    return GroupCoverage(**fields, reasons=reasons)


def _first_usable(tried: Mapping[str, Found], source: str) -> tuple[str, str]:
    """The first key whose vector is not zero; or why there is none."""
    for key, answer in tried.items():
        if answer.vector is not None and answer.vector.any():
            return key, ""
    if any(answer.vector is not None for answer in tried.values()):
        return "", f"its vector in {source} is zero (norm 0)"
    reasons = (answer.reason for answer in tried.values() if answer.reason)
    return "", next(reasons, f"not in {source}")


def _digest(vectors: Mapping[str, NDArray[np.float64]]) -> str:
    """Hash of the vectors by role; the order of terms leaves it unchanged."""
    digest = hashlib.sha256()
    for role, rows in vectors.items():
        digest.update(f"{role}{rows.shape}".encode())
        for row in sorted(row.tobytes() for row in rows):
            digest.update(row)
    return digest.hexdigest()


# --- words that are missing -----------------------------------------------------------------------

Near = Mapping[str, tuple[str, ...]]
"""By missing word those words of a source that may be meant, the most likely first."""


def words_of(test: Test) -> list[str]:
    """Terms of a test that are neither images nor sentences."""
    parts = [part for _, part in test.parts if not part.images and not part.sentences]
    return [term for part in parts for term in part.terms]


def missing_words(test: Test, snapshot: Snapshot, case: CaseRule) -> list[str]:
    """Words of a test that a source has in no spelling."""
    known = {item.content for item, answer in snapshot.found.items() if answer.vector is not None}
    return [
        word for word in words_of(test) if known.isdisjoint(spellings(word, case, test.language))
    ]


def language_hint(found: int, words: int) -> str:
    """Say that vectors may be in another language if they have few words of a test; else empty.

    >>> language_hint(0, 32)
    '0 of 32 words found. The vectors may be in another language, or distinguish capitals.'
    """
    if words < LEAST_WORDS or found >= LEAST_PART * words:
        return ""
    return (
        f"{found:,} of {words:,} words found. The vectors may be in another language, or "
        "distinguish capitals."
    )


def suggestion(word: str, near: Near) -> str:
    """Ask whether a near word is meant, as the end of a sentence; empty if none is near."""
    return f"; did you mean {near[word][0]}?" if near.get(word) else ""


# --- remarks --------------------------------------------------------------------------------------


def _note_duplicate_vectors(
    keys: Mapping[str, Mapping[str, str]],
    vectors: Mapping[str, NDArray[np.float64]],
    test: Test | None,
) -> Iterator[Note]:
    """Name terms of a test that have one vector: they are one stimulus, counted several times.

    They have one spelling in the source, as Ebony and ebony, or several that the source does not
    distinguish: a tokenizer drops accents or maps unknown characters to one piece, a text is
    truncated, or a file has one vector under two keys.
    """
    alike: dict[bytes, dict[str, list[str]]] = {}
    name_of: dict[str, str] = {}  # by hash: one image has one name in all groups
    for role, group in keys.items():
        texts: dict[str, str] = {}
        if test is not None:
            part = test.concept(role)
            images = {i.name: name_of.setdefault(i.sha256, i.name) for i in part.images}
            texts = part.text_of | images
        for (term, key), row in zip(group.items(), vectors[role], strict=True):
            digest = hashlib.blake2b(row.tobytes(), digest_size=16).digest()
            text = texts.get(term, texts.get(key, key))
            alike.setdefault(digest, {}).setdefault(text, []).append(f"{term} ({role})")
    groups = [by_text for by_text in alike.values() if sum(map(len, by_text.values())) > 1]
    if test is not None and test.contexts is not None:
        if same := sum(len(terms) > 1 for by_text in groups for terms in by_text.values()):
            yield Note("coverage.shared-contexts", values={"count": same})
        if apart := [len(by_text) for by_text in groups if len(by_text) > 1]:
            counts = {"texts": sum(apart), "vectors": len(apart)}
            yield Note("coverage.contexts-apart", values=counts)
        return
    for by_text in groups[:GROUPS]:
        terms = [*chain(*by_text.values())]
        n = len(by_text.keys() & set(name_of.values()))
        kind = "images" if n == len(by_text) else "images and texts" if n else "spellings"
        values: dict[str, Any] = {"terms": terms[:NAMED], "more": max(0, len(terms) - NAMED)}
        values |= {"texts": len(by_text), "text": next(iter(by_text)), "kind": kind}
        yield Note("coverage.one-vector", values=values)
    if rest := [sum(map(len, by_text.values())) for by_text in groups[GROUPS:]]:
        yield Note("coverage.more-vectors", values={"terms": sum(rest), "vectors": len(rest)})


def _count_contexts(group: GroupCoverage, part: Concept) -> GroupCoverage:
    """Account for the stimuli of a group, with numbers of contexts in place of their texts."""
    used = dict(Counter(group.stimulus[term] for term in group.used))
    without: dict[str, dict[str, int]] = {}
    for term in group.missing:
        why, counts = group.reasons[term], without.setdefault(group.stimulus[term], {})
        counts[why] = counts.get(why, 0) + 1
    reasons = {
        stimulus: f"none of its {sum(counts.values()):,} contexts has a vector: "
        + "; ".join(why if len(counts) == 1 else f"{why} ({n:,})" for why, n in counts.items())
        for stimulus, counts in without.items()
        if stimulus not in used
    } | dict(part.absent)
    return GroupCoverage(
        used=tuple(used), missing=tuple(reasons), reasons=reasons, contexts=used, without=without
    )


def _lost_contexts(coverage: Coverage, origin: ContextsOrigin) -> Iterator[Note]:
    """Say how many contexts have no vector, and why."""
    reasons: Counter[str] = Counter()
    for group in coverage.values():
        for counts in group.without.values():
            reasons.update(counts)
    if reasons:
        used = sum(sum(group.contexts.values()) for group in coverage.values())
        values: dict[str, Any] = {"count": reasons.total(), "of": reasons.total() + used}
        values |= {"corpus": origin.name or "a corpus", "reasons": dict(sorted(reasons.items()))}
        yield Note("coverage.contexts", values=values)


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


def _few(groups: Mapping[str, GroupCoverage]) -> Iterator[Note]:
    """Name groups of fewer stimuli than the papers recommend: many sentences may have few words."""
    what = "stimuli" if any(group.stimulus for group in groups.values()) else "terms"
    counts = {role: len(group.stimuli) for role, group in groups.items()}
    if few := {role: n for role, n in counts.items() if n < PAPERS_MINIMUM}:
        yield Note("coverage.few", values={"what": what, "groups": few, "least": PAPERS_MINIMUM})


@cache
def _names_that_are_words() -> frozenset[str]:
    data = resources.files("eatlas.sources") / "data" / "names_that_are_words.txt"
    lines = data.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _require_apart(keys: Mapping[str, Mapping[str, str]], test: Test, source: str) -> None:
    """Refuse a key by which two stimuli of a test would be found, one of them an image."""
    first_of: dict[str, tuple[str, str]] = {}
    for group, part in test.concepts.items():
        hashes = part.image_of
        for term, key in keys.get(group, {}).items():
            own = (hashes.get(term, ""), f"{term} ({group})")
            first = first_of.setdefault(key, own)
            if first[0] != own[0]:
                raise SourceError(
                    f"test {test.id}: {source} has one vector, {key!r}, for two stimuli",
                    got=f"{first[1]} and {own[1]}",
                    allowed="a vector for each image, under its path or the name of its file",
                    remedy="key the images in the source by their paths, as in young/1.jpg",
                )
