"""What models computed is kept on disk, under all that it was computed from, and never again.

Vectors of encoders and answers of language models go the same way: what is kept is handed out,
the rest is computed in batches, each batch is kept as it comes.

Texts of the same tokens share one entry: what was computed is kept under the text, and a pointer to
it under its tokens. Computed again beside other texts, a vector differs in its last bits, and a
difference of no meaning would be taken for one between two texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eatlas.encoders.cache_store import SAME, CacheStore, Entry
from eatlas.encoders.encoder import shortest_first
from eatlas.encoders.models import hash_of
from eatlas.errors import SourceError, described
from eatlas.sources.source import (
    Answers,
    Found,
    Item,
    Read,
    Source,
    Unknown,
    Vector,
    Wrapper,
    is_contextual,
)
from eatlas.sources.spec import take_option
from eatlas.untrusted import computes_afresh

T = TypeVar("T")
Opener = Callable[[str], tuple[Source, ...]]
SHARED = "2"
"""Of the keys of what texts of the same tokens share; an older entry has no pointer, and is not
used."""
_UNKNOWN: dict[Unknown, str] = {"": "", "part": "unknown in part", "all": "unknown"}
_CUT = "cut"


class CachedSource(Wrapper):
    """An encoder whose vectors are kept on disk; nothing says whether one was kept or computed."""

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer with vectors that are kept, and have the source compute the others."""
        source = self.source
        keys = {item: key_of(source, item) for item in sorted(items, key=shortest_first)}
        without: dict[Item, Found] = {}

        def same(missing: list[Item]) -> dict[Item, tuple[str, str]]:
            reads = source.same(missing).items()
            return {item: (read.tokens, _mark(read)) for item, read in reads}

        def compute(missing: list[Item]) -> Iterator[Mapping[Item, Entry]]:
            for batch in source.vectors(missing):
                without.update((item, a) for item, a in batch.items() if a.vector is None)
                yield {
                    item: entry_of(answer.vector, _mark(answer))
                    for item, answer in batch.items()
                    if answer.vector is not None
                }

        head = (source.fingerprint, source.name)
        for batch in through_cache(keys, head, same, compute, "texts are encoded"):
            answers = {item: _found(entry) for item, entry in batch.items()}
            source.recall(answers)
            yield answers
        if without:
            yield without


def cached(source: Source) -> CachedSource:
    """Keep the vectors of a source on disk; a source that is cached already stays as it is.

    Parameters
    ----------
    source : Source
        Its fingerprint must say all that its vectors depend on.

    Raises
    ------
    SourceError
        If it does not encode texts.
    """
    if isinstance(source, CachedSource):
        return source
    if not is_contextual(source):
        raise SourceError(
            "only vectors that are computed are kept",
            got=described(source),
            allowed="a source that encodes passages",
            remedy="leave out cache=yes",
        )
    return CachedSource(source)


def keeping(opener: Opener) -> Opener:
    """Let an opener of encoders keep their vectors, unless a source string says ``cache=no``.

    The option is no part of the source's name: numbers are the same either way.
    """

    @wraps(opener)
    def open_some(text: str) -> tuple[Source, ...]:
        plain, keep = take_cache(text)
        sources = opener(plain)
        return tuple(map(cached, sources)) if keep and not computes_afresh() else sources

    return open_some


def take_cache(text: str) -> tuple[str, bool]:
    """Return a source string without the option, and whether what is computed is kept.

    >>> take_cache("hf:gpt2?cache=no&precision=float16")
    ('hf:gpt2?precision=float16', False)
    """
    plain, choice = take_option(text, "cache")
    if choice not in {None, "yes", "no"}:
        raise SourceError(f"{text}: the option cache", got=choice, allowed="yes or no")
    return plain, choice != "no"


def through_cache(
    keys: Mapping[T, bytes],
    source: tuple[str, str],
    same: Callable[[list[T]], Mapping[T, tuple[str, str]]],
    compute: Callable[[list[T]], Iterable[Mapping[T, Entry]]],
    what: str,
) -> Iterator[dict[T, Entry]]:
    """Hand out what is kept, have the rest computed, and keep each batch of it as it comes.

    Parameters
    ----------
    keys : mapping
        Of each question, the key under which its entry is kept.
    source : tuple of str
        Fingerprint and name.
    same : callable
        Of questions, the tokens that decide the entry, and its mark: one computed before of the
        same tokens is taken over.
    compute : callable
        Of questions, their entries, batch by batch.
    what : str
        What is said to be done where the work is interrupted.
    """
    store = CacheStore()
    kept = store.get(set(keys.values()))
    yield {question: kept[key] for question, key in keys.items() if key in kept}
    left: dict[bytes, list[T]] = {}
    for question, key in keys.items():
        if key not in kept:
            left.setdefault(key, []).append(question)
    if not left:
        return
    done = len(keys) - sum(map(len, left.values()))
    missing = [questions[-1] for questions in left.values()]
    try:
        reads = same(missing)
        pointers = {q: hashed(SAME, source[0], tokens) for q, (tokens, _) in reads.items()}
        computed = store.get(set(pointers.values()), behind=True)
        taken = {
            question: replace(computed[pointer], mark=reads[question][1])
            for question, pointer in pointers.items()
            if pointer in computed
        }
        rest = [question for question in missing if question not in taken]
        for batch in chain([taken] * bool(taken), compute(rest) if rest else ()):
            new = {keys[question]: entry for question, entry in batch.items()}
            at = {
                pointers[question]: Entry(keys[question], SAME)
                for question in batch
                if question in pointers and question not in taken
            }
            store.put(*source, at | new)
            answers = {q: entry for key, entry in new.items() for q in left.get(key, ())}
            done += len(answers)
            yield answers
    except KeyboardInterrupt as interruption:
        interruption.add_note(
            f"{done:,} of {len(keys):,} {what} and kept; repeat the command to continue"
            if store.usable and done
            else "nothing is kept"
        )
        raise


def key_of(source: Any, item: Item) -> bytes:
    """Hash of what the vector of an item depends on.

    The place of the stimulus matters where a source says so. Else it matters whether the text is a
    stimulus alone, for that is put into a prompt. Of an image it is the hash of its bytes.
    """
    alone = item.span == (0, len(item.content))
    position = repr(item.span) if source.by_place else "alone" * alone
    content = item.content
    if item.kind != "text":
        position = item.kind
        content = item.sha256 or hash_of(Path(content))
    return hashed(*[SHARED] * source.shares, source.fingerprint, position, content)


def hashed(*parts: str) -> bytes:
    """Hash of several texts, none of which can be taken for a part of another."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def entry_of(vector: Vector, mark: str = "") -> Entry:
    """Write a vector down, bit for bit."""
    array = np.ascontiguousarray(vector)
    return Entry(array.tobytes(), array.dtype.str, mark)


def vector_of(entry: Entry) -> Vector:
    """Read what :func:`entry_of` wrote; the vector cannot be written to.

    >>> vector_of(entry_of(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    return np.frombuffer(entry.data, np.dtype(entry.kind))


def _mark(answer: Found | Read) -> str:
    """What is noted beside a vector, such as that its text was cut.

    >>> _mark(Found(None, unknown="part", cut=True)), _mark(Found(None))
    ('cut;unknown in part', '')
    """
    remarks = answer.remarks if isinstance(answer, Found) else ()
    return ";".join(filter(None, [_CUT * answer.cut, _UNKNOWN[answer.unknown], *remarks]))


def _found(entry: Entry) -> Found:
    """Read an entry with its mark."""
    marks = entry.mark.split(";")
    unknown: Unknown = next((how for how, text in _UNKNOWN.items() if text and text in marks), "")
    remarks = tuple(remark for remark in marks if remark not in {_CUT, *_UNKNOWN.values()})
    return Found(vector_of(entry), unknown=unknown, cut=_CUT in marks, remarks=remarks)
