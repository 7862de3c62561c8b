"""Remarks on a test's terms: those with one vector, unknown pieces, contexts without a vector."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.sources.interface import Unknown, Vector
from eatlas.stimuli import ContextsOrigin, Test

NAMED = 6
"""Terms that a remark names; of more it says how many there are."""
GROUPS = 5
"""Groups of terms under several spellings that get a remark each."""


class _Place(NamedTuple):
    """A term that has a vector."""

    term: str
    role: str
    text: str
    """What was looked up or encoded."""
    image: bool

    def __str__(self) -> str:
        return f"{self.term} ({self.role})"


def shared_vectors(
    keys: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Mapping[str, Vector]],
    test: Test | None,
) -> list[Note]:
    """Name terms of a test that have one vector: they are one stimulus, counted several times.

    They have one spelling in the source, as Ebony and ebony, or several that it does not tell
    apart: a tokenizer drops accents and takes all that it does not know for one piece, a text is
    cut, a file has one vector under two keys.
    """
    alike: dict[bytes, dict[str, list[_Place]]] = {}
    name_of: dict[str, str] = {}  # one image has one name in all groups
    for role, group in keys.items():
        images, texts = {}, {}
        if test is not None:
            part = test.concept(role)
            images = {one.name: name_of.setdefault(one.sha256, one.name) for one in part.images}
            texts = {**part.text_of, **images}
        for term, key in group.items():
            digest = hashlib.blake2b(found[role][key].tobytes(), digest_size=16).digest()
            text = texts.get(term, texts.get(key, key))
            place = _Place(term, role, text, term in images)
            alike.setdefault(digest, {}).setdefault(text, []).append(place)
    same = [places for by_text in alike.values() for places in by_text.values() if len(places) > 1]
    apart = [[*chain(*by_text.values())] for by_text in alike.values() if len(by_text) > 1]
    if test is None or test.contexts is None:
        return [
            *(
                Note("coverage.one-vector", values={**_named(places), "text": places[0].text})
                for places in same
            ),
            *_spelled_apart(apart),
        ]
    return [*_of_contexts(same), *_contexts_apart(apart)]


def _spelled_apart(groups: Sequence[Sequence[_Place]]) -> Iterator[Note]:
    """Name terms that share a vector under several spellings."""
    for places in groups[:GROUPS]:
        images = sum(place.image for place in places)
        kind = "images" if images == len(places) else "images and texts" if images else "spellings"
        texts = len({place.text for place in places})
        yield Note("coverage.apart", values={**_named(places), "texts": texts, "kind": kind})
    if rest := groups[GROUPS:]:
        yield Note("coverage.more-apart", values={**_named(rest[0]), "count": sum(map(len, rest))})


def _of_contexts(groups: Sequence[Sequence[_Place]]) -> Iterator[Note]:
    if groups:
        yield Note("coverage.shared-contexts", values={"count": len(groups)})


def _contexts_apart(groups: Sequence[Sequence[_Place]]) -> Iterator[Note]:
    if groups:
        texts = sum(len({place.text for place in places}) for places in groups)
        yield Note("coverage.contexts-apart", values={"texts": texts, "vectors": len(groups)})


def _named(places: Sequence[_Place]) -> dict[str, Any]:
    """All of a few terms, and some of many."""
    return {"terms": list(map(str, places[:NAMED])), "more": max(0, len(places) - NAMED)}


def unknown_terms(unknown: Mapping[str, Mapping[str, Unknown]], test: Test) -> Iterator[Note]:
    """Say which terms the tokenizer of an encoder does not know, in whole or in part."""
    whole, part = (_stimuli(unknown, test, how) for how in ("all", "part"))
    if whole:
        yield Note("coverage.unknown", values={"terms": whole})
    if part:
        yield Note("coverage.partly-unknown", values={"terms": part})


def _stimuli(
    unknown: Mapping[str, Mapping[str, Unknown]], test: Test, how: str
) -> dict[str, list[str]]:
    """Stimuli by role."""
    stimuli = {}
    for role, terms in unknown.items():
        stimulus_of = test.concept(role).stimulus_of
        those = (term for term, what in terms.items() if what == how)
        stimuli[role] = list(dict.fromkeys(stimulus_of.get(term, term) for term in those))
    return {role: names for role, names in stimuli.items() if names}


def counted(group: GroupCoverage, absent: Mapping[str, str]) -> GroupCoverage:
    """Account for the stimuli of a group, with numbers of contexts in place of their texts."""
    used = dict(Counter(group.stimulus[term] for term in group.used))
    without: dict[str, dict[str, int]] = {}
    for term in group.missing:
        some, why = without.setdefault(group.stimulus[term], {}), group.reasons[term]
        some[why] = some.get(why, 0) + 1
    reasons = {one: _why(some) for one, some in without.items() if one not in used} | dict(absent)
    return GroupCoverage(
        used=tuple(used), missing=tuple(reasons), reasons=reasons, contexts=used, without=without
    )


def _why(reasons: Mapping[str, int]) -> str:
    said = (why if len(reasons) == 1 else f"{why} ({count:,})" for why, count in reasons.items())
    return f"none of its {sum(reasons.values()):,} contexts has a vector: {'; '.join(said)}"


def lost(coverage: Coverage, origin: ContextsOrigin) -> Iterator[Note]:
    """Say how many contexts have no vector, and why."""
    groups = coverage.values()
    reasons: Counter[str] = Counter()
    for group in groups:
        for some in group.without.values():
            reasons.update(some)
    if reasons:
        every = reasons.total() + sum(sum(group.contexts.values()) for group in groups)
        values = {"count": reasons.total(), "of": every, "corpus": origin.name or "a corpus"}
        yield Note("coverage.contexts", values={**values, "reasons": dict(sorted(reasons.items()))})
