"""The words of themes: frequent words of a source, or words of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, listing
from eatlas.notes import Note
from eatlas.sources import CaseRule, Source, spellings
from eatlas.sources.frequency_order import CountedOrder, WordOrder, is_candidate
from eatlas_vocabulary.engine.groups import Groups
from eatlas_vocabulary.results.themes import ThemesVocabulary
from eatlas_vocabulary.sources.categories import Categories
from eatlas_vocabulary.sources.wildcards import matches_of

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Words:
    """Words with their vectors."""

    words: list[str]
    rows: NDArray[np.float32]
    """Unit rows."""
    ranks: list[int | None]
    """By frequency; places in the source where it knows none."""

    def __getitem__(self, places: Places) -> Words:
        """Some of them."""
        chosen = places.tolist()
        words, ranks = ([each[i] for i in chosen] for each in (self.words, self.ranks))
        return Words(words, self.rows[places], ranks)


@dataclass(frozen=True)
class ThemeWords:
    """The words that themes are made of, in categories if the user has any."""

    words: Words
    categories: Mapping[str, Places] | None
    """Places of the words of the user's themes, by name; None where words are clustered."""
    about: ThemesVocabulary


def words_of_themes(
    source: Source,
    order: WordOrder | str,
    first: int,
    groups: Groups,
    categories: Categories | None,
    case: CaseRule,
    notes: list[Note],
) -> ThemeWords:
    """The most frequent words without words of the groups and their forms, or categories."""
    frequent, forms = _frequent(source, order, first), groups.forms
    of_groups = np.array([word.lower() in forms for word in frequent.words], np.bool_)
    words, places = frequent[np.flatnonzero(~of_groups)], None
    missing: dict[str, tuple[str, ...]] = {}
    if categories is not None:
        words, places, missing = _of_categories(
            categories, frequent, source, order, groups, case, notes
        )
    about = ThemesVocabulary(
        read=len(frequent.words),
        used=len(words.words),
        of_groups=tuple(frequent[np.flatnonzero(of_groups)].words),
        missing=missing,
    )
    return ThemeWords(words, places, about)


def _frequent(source: Source, order: WordOrder | str, first: int) -> Words:
    """The most frequent words of a source that contain only letters; or its first words."""
    words: list[str] = []
    blocks = [np.empty((0, source.dim), np.float32)]
    if isinstance(order, CountedOrder):  # which the source's own order need not be
        vectors = source.lookup(order.words[:first])
        words = [word for word in order.words[:first] if word in vectors]
        blocks += [np.array([vectors[word] for word in words], np.float32)] if words else []
    else:
        for chunk, rows in source.iter_chunks():
            left = first - len(words)
            blocks.append(np.asarray(rows[:left], np.float32))
            words += chunk[:left]
            if len(words) >= first:
                break
    table = np.concatenate(blocks)
    usable = np.isfinite(table).all(axis=1) & np.any(table, axis=1)
    place_of = {word: i for i, word in reversed([*enumerate(words)])}  # the first of equal words
    # beyond its frequent words the bundled sample has those of the papers' tests, no vocabulary
    vocabulary = place_of.keys() if isinstance(order, str) else {*order.words}
    places = [
        i
        for i, word in enumerate(words)
        if usable[i] and place_of[word] == i and word in vocabulary and is_candidate(word)
    ]
    words = [words[i] for i in places]
    by_rank = {} if isinstance(order, str) else order.ranks(words)
    ranks = [by_rank.get(word, None if by_rank else place_of[word] + 1) for word in words]
    return Words(words, kernels.unit_rows(table[places]).astype(np.float32), ranks)


def _of_categories(
    categories: Categories,
    frequent: Words,
    source: Source,
    order: WordOrder | str,
    groups: Groups,
    case: CaseRule,
    notes: list[Note],
) -> tuple[Words, dict[str, Places], dict[str, tuple[str, ...]]]:
    """The words of categories, wherever the source has them; their places; and those it lacks."""
    terms = {term for terms in categories.values() for term in terms}
    keys, vectors = _look_up(terms, frequent, source, case, groups.language)
    members: dict[str, list[str]] = {}
    of_groups, forms = set[str](), groups.forms
    for name, category in categories.items():
        found_as = dict.fromkeys(key for term in category for key in keys[term])
        members[name] = [word for word in found_as if word.lower() not in forms]
        of_groups |= found_as.keys() - set(members[name])
    if empty := [name for name, words in members.items() if not words]:
        raise CoverageError(
            f"categories without a usable word in {source.name}: {listing(empty)}",
            got=f"{empty[0]}: {listing(categories[empty[0]])}",
            allowed="words that the source has and no group holds, one at least in each category",
            remedy="remove these categories, or use a source with more words",
        )
    counts = Counter(word for words in members.values() for word in words)
    lacking = {term for term in terms if not keys[term]}
    noted = (
        Note("themes.overlap", values={"words": [word for word, n in counts.items() if n > 1]}),
        Note("themes.missing", values={"words": sorted(lacking)}),
        Note("themes.own-words", values={"words": sorted(of_groups)}),
    )
    notes += [note for note in noted if note.values["words"]]
    words = list(counts)
    rows = kernels.unit_rows(np.array([vectors[word] for word in words])).astype(np.float32)
    ranks = {} if isinstance(order, str) else order.ranks(words)
    place_of = {word: i for i, word in enumerate(words)}
    places = {name: np.array([place_of[w] for w in group]) for name, group in members.items()}
    missing = {name: tuple(t for t in terms if t in lacking) for name, terms in categories.items()}
    return (
        Words(words, rows, [ranks.get(word) for word in words]),
        places,
        {name: absent for name, absent in missing.items() if absent},
    )


def _look_up(
    terms: set[str], frequent: Words, source: Source, case: CaseRule, language: str
) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The words of a source that each term is, and vectors; a wildcard is frequent words."""
    wild = {(language, term) for term in terms if {"*", "?"} & {*term}}
    listing = SimpleNamespace(name=source.name, vocabulary=lambda: iter(frequent.words))
    keys = {term: words for (_, term), words in matches_of(wild, listing, case).items()}
    ways = {term: spellings(term, case, language) for term in terms - keys.keys()}
    vectors = source.lookup({way for each in ways.values() for way in each})
    vectors = {word: row for word, row in vectors.items() if np.isfinite(row).all() and row.any()}
    keys |= {term: [way for way in each if way in vectors][:1] for term, each in ways.items()}
    return keys, dict(zip(frequent.words, frequent.rows, strict=True)) | vectors
