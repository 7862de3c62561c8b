"""Vectors of terms as subcorpora use them, added up in one pass over its texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.frequency import order_of
from eatlas.engine.store import FileJournal
from eatlas.errors import EatlasError, SourceError, did_you_mean, listing, require_whole
from eatlas.executors import Executor, Progress, choose, watch_of
from eatlas.notes import Note, warn
from eatlas.sources import Source, spellings
from eatlas.sources.coverage import embed_concepts
from eatlas.sources.opening import VectorsLike, open_one_named
from eatlas.sources.outputs import require_other_files, require_place
from eatlas.stimuli import AssociationTest, Concept, Test, load_tests
from eatlas.stimuli.kinds import OF_TARGETS, TARGETS, TestsLike
from eatlas.stimuli.languages import is_english
from eatlas.version import __version__
from eatlas.writing import atomic_file
from eatlas_corpora.reading.files import Account, Corpus, Part, Unit, files_read, on_disk, parts_of
from eatlas_corpora.reading.local import (
    FILE,
    Joined,
    LocalSearch,
    PartGroup,
    Parting,
    Sums,
    groups_of,
    year_of,
)
from eatlas_corpora.reading.matching import Case, Compounds, MatchRule
from eatlas_corpora.reading.sampling import language_of, stimuli_of, warn_of_scripts
from eatlas_corpora.reading.units import find_unit
from eatlas_corpora.sources.matrices import GivenMatrix, Matrix, load_matrix
from eatlas_corpora.sources.parts import (
    MOST_PARTS,
    CorpusParts,
    PartsRecord,
    Ranks,
    Transformation,
)
from eatlas_corpora.stats.local import quality_of, transformation

FORM = 3
"""Raised whenever the sums of a part mean something else than before."""
VOCABULARY = 100_000
"""Words that contexts are made of: the first of the source."""
LEARNED, CONTEXTS = 10_000, 500
"""Words that a transformation is learned from, and some of their contexts in the whole corpus."""
WINDOW = 6
DOCUMENT = "document"
"""The unit that makes each document one, even if fields repeat."""
LAST_YEAR = 10_000
LENGTHS = {"years": 1, "decades": 10, "centuries": 100}
"""Years of a part, by the word for bins of this length."""
_STOP_WORDS = """
a an the of and to in that is was were are be been being am for on as with by at it its this these
those from or which not no has have had but their they them there will would we our us i my me you
your he him his she her hers who whom what when where if so than then all any can could shall should
may might must do does did such into upon
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say little of the words next to them."""
MARK = b"\x1b2"
"""Between what was read and what was added up."""
LEAST_KNOWN = 0.7
"""Proportion of the words of texts that have a vector, or are stop words, below which is a
warning."""
GOOD = 0.7
"""Median cosine of refitted vectors below which a transformation gets a warning."""


class AddedGroups(FileJournal):
    """What was found in groups of files, added up in their order, and what was read of each."""

    work, task = "parts", "embedding"

    def __init__(
        self, out: Path | None, identity: str, groups: Sequence[PartGroup], search: LocalSearch
    ) -> None:
        super().__init__(out, identity)
        self._number = {
            f"{identity[:16]} {_hash(*(part.identity for part in group.parts))}": number
            for number, group in enumerate(groups)
        }
        self._names = list(self._number)
        self.accounts: dict[int, list[Account]] = {}
        self._waiting: dict[int, Sums] = {}
        self._following, self.joined = 0, Joined(search)

    def keep(self, number: int, sums: Sums, accounts: list[Account]) -> None:
        """Keep what a group gave."""
        if self.path is not None:
            read = json.dumps(list(map(vars, accounts))).encode()
            self.append(self._names[number], read + MARK + sums.to_bytes())
        self._add(number, sums, accounts)

    def take(self, name: str, result: bytes) -> None:
        """Take over a group that was read before."""
        if name in self._number:
            read, _, sums = result.partition(MARK)
            accounts = [Account(**account) for account in json.loads(read)]
            self._add(self._number[name], Sums.from_bytes(sums), accounts)

    def _add(self, number: int, sums: Sums, accounts: list[Account]) -> None:
        self.accounts[number], self._waiting[number] = accounts, sums
        while self._following in self._waiting:
            self.joined.add(self._waiting.pop(self._following))
            self._following += 1


def _hash(*values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def embed(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: Corpus,
    tests: TestsLike,
    vectors: VectorsLike,
    *,
    by: str = FILE,
    bins: str | Sequence[tuple[int, int]] = (),
    unit: str | None = None,
    window: int = WINDOW,
    stop_words: Sequence[str] | None = None,
    matrix: Matrix | None = None,
    case: Case = "auto",
    compounds: Compounds = "either",
    field: str | None = None,
    documents: Unit = "line",
    out: str | Path | None = None,
    workers: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = False,
) -> CorpusParts:
    r"""Embed the terms of tests as each part of a corpus uses them.

    A term's vector in a part is the mean of its contexts there, times a matrix that carries such
    means to the vectors of a source (*a la carte*, Khodak et al. 2018). So a few dozen contexts are
    enough, where vectors of a part's own would need millions of words.

    Parameters
    ----------
    corpus : str, path, or several of them
        Files, folders or patterns, as for :func:`eatlas.count_text`.
    tests : anything that :func:`eatlas.load_tests` takes
        Tests of words. Their targets and attributes get vectors for each subcorpus.
    vectors : anything that :func:`eatlas.open_vectors` takes
        Vectors of words that can be read from end to end, of the language of the texts.
    by : str
        Field of JSON Lines, or column of a table, whose values are the parts; ``file``: the name of
        the file without its ending.
    bins : {"years", "decades", "centuries"} or sequence of (int, int), optional
        How long the parts are, or their first and last years, where `by` is a year or a date.
    unit : str, optional
        Field whose values are resampled together, such as speakers; or ``document``. By default the
        first field among speaker, author, user and the like whose values repeat over documents.
    window : int
        Words on either side of a term.
    stop_words : sequence of str, optional
        Words that are left out of contexts; by default 95 of English, none of other languages.
    matrix : path or array, optional
        Take the transformation of a file that was written before, instead of learning it; or a
        square array, in memory or in a file ``.npy``, by which mean contexts are multiplied from
        the right.
    case, compounds, field, workers, executor, progress
        As for :func:`eatlas.count_text`.
    documents : {"line", "paragraph"}
        What is a document in plain text.
    out : path, optional
        Write everything to this file, ``.npz``. If you repeat an interrupted call, it continues.

    Returns
    -------
    CorpusParts

    Raises
    ------
    EatlasError
        If tests, vectors, options or a file are not usable.

    Warns
    -----
    SourceWarning
        If the transformation is poor, or terms never occur.

    Examples
    --------
    >>> import eatlas, json, tempfile
    >>> from pathlib import Path
    >>> groups = {"Women": ["she"], "Men": ["he"], "Home": ["home"], "War": ["war"]}
    >>> test = eatlas.AssociationTest.of_lists(groups)
    >>> texts = {"left": "She came home. He went to war.", "right": "She went. He stayed home."}
    >>> path = Path(tempfile.mkdtemp(), "texts.jsonl")
    >>> lines = [json.dumps({"party": party, "text": text}) for party, text in texts.items()]
    >>> _ = path.write_text("\n".join(lines))
    >>> embed(path, test, "glove-sample", by="party")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    eatlas.errors.EatlasError: the corpus is too small to learn a transformation
    ...
    """
    loaded = load_tests(tests)
    length = _length(bins) if isinstance(bins, str) else 0
    ranges = () if isinstance(bins, str) else _bins(bins)
    parting = Parting(by, ranges, "" if unit == DOCUMENT else unit, length=length)
    path = require_place(out, "parts of a corpus", (".npz",))
    how = Reading(
        window, stop_words, matrix, case, compounds, field, documents, path, workers, executor,
        progress,
    )  # fmt: skip
    terms, language = stimuli_of(loaded), language_of(loaded)
    with sum_contexts(corpus, terms, language, vectors, parting, how) as contexts:
        result = _assemble_parts(contexts, loaded)
        if path is not None:
            with atomic_file(path, binary=True) as file:
                result.write(file)
    contexts.warn()
    return result


@dataclass(frozen=True)
class AddedContexts:
    """What one pass over a corpus gave, and from which vectors."""

    search: LocalSearch
    source: Source
    name: str
    """Of the source; empty where it has none but its own."""
    sums: Sums
    matrix: NDArray[np.float32]
    learned: Transformation
    """The record of the transformation."""
    read: dict[str, Any]
    """What was read of the corpus."""

    def warn(self) -> None:
        """Warn of a poor transformation, terms that never occur, and a single subcorpus."""
        quality, terms = self.learned.quality, self.search.terms
        if quality < GOOD:
            values: dict[str, Any] = {"quality": quality, "least": GOOD}
            warn(Note("parts.poor-matrix", values=values), stacklevel=4)
        seen = set(self.sums.rows[self.sums.counts > 0, 2].tolist())
        unseen = [term for i, term in enumerate(terms) if i not in seen]
        warn_of_scripts(((term,), int(term not in unseen)) for term in terms)
        if unseen:
            values = {"terms": unseen, "of": len(terms)}
            warn(Note("parts.unseen", values=values), stacklevel=4)
        if len(self.sums.parts) == 1:
            values = {"part": self.sums.parts[0]}
            warn(Note("parts.single", values=values), stacklevel=4)


class Reading(NamedTuple):
    """How contexts are read, as :func:`embed` says, and the file that is written in the end."""

    window: int
    stop_words: Sequence[str] | None
    matrix: Matrix | None
    case: Case
    compounds: Compounds
    field: str | None
    documents: Unit
    path: Path | None
    workers: int | None
    executor: Executor | None
    progress: Progress


@contextmanager
def sum_contexts(
    corpus: Corpus,
    terms: tuple[str, ...],
    language: str,
    vectors: VectorsLike,
    parting: Parting,
    how: Reading,
) -> Iterator[AddedContexts]:
    """Add up the contexts of terms; what was read is stored until the block behind it has ended."""
    window, field, documents, left_out = how.window, how.field, how.documents, how.stop_words
    require_whole("window", window, 1)
    source, name, _ = open_one_named(vectors, "an embedding of a corpus")
    source.require_listed("contexts are made of the words of a source")
    parts = _parts(corpus, parting, field, documents)
    require_other_files(how.path, [part.path for part in parts])
    if parting.unit is None:
        parting = find_unit(parting, parts)
    if left_out is None:
        left_out = tuple(STOP_WORDS) if is_english(language) else ()
    words, rows = _vocabulary(source)
    groups = groups_of(parts)
    given = how.matrix if how.matrix is None else load_matrix(how.matrix, source)
    has_quality = given is not None and not isinstance(given, GivenMatrix)
    learned_from = sum(group.size for group in groups if group.learns)
    search = LocalSearch(
        terms=terms,
        rule=MatchRule(how.case, how.compounds, language),
        parting=parting,
        words=words,
        vectors=rows,
        stop_words=frozenset(left_out),
        learned=0 if has_quality else min(LEARNED, len(words)),
        most=CONTEXTS / max(learned_from, 1),
        window=window,
    )
    settings = [FORM, __version__, source.fingerprint, terms, asdict(search.rule), asdict(parting)]
    settings += [sorted(left_out), search.learned, search.most, window, field, documents]
    executor = how.executor or choose(how.workers, len(groups))
    journal = AddedGroups(how.path, _hash(*settings), groups, search)
    with watch_of(how.progress) as watch, journal as added:
        tick = watch("parts", "") if watch else lambda _done, _all: None
        tick(len(added.accounts), len(groups))
        left = [k for k in range(len(groups)) if k not in added.accounts]
        with closing(executor(search, [groups[k] for k in left])) as outcomes:
            for position, (sums, accounts) in outcomes:
                added.keep(left[position], sums, accounts)
                tick(len(added.accounts), len(groups))
        found = added.joined.total()
        every = [account for k in range(len(groups)) for account in added.accounts[k]]
        try:
            _require_parts(found, parting)
            if found.known < LEAST_KNOWN * found.words:
                values = {"share": found.known / found.words, "words": found.words}
                warn(Note("parts.few-known", values=values), stacklevel=5)
            if given is None or isinstance(given, GivenMatrix):
                given = _fit_transformation(found, rows[: search.learned], given)
        except EatlasError:  # the same texts would end in it again
            added.discard(list(added.pieces))
            tick(0, len(groups))
            raise
        yield AddedContexts(search, source, name, found, *given, files_read(parts, every))
        added.discard(list(added.pieces))


def _fit_transformation(
    found: Sums, vectors: NDArray[np.float32], given: GivenMatrix | None
) -> tuple[NDArray[np.float32], Transformation]:
    """The transformation fitted to a corpus, or another one, and its record."""
    counts = found.learned_counts
    means = found.learned_sums / np.maximum(counts, 1)[:, None]
    rows = vectors.astype(np.float64)
    if given is not None:
        quality, words = quality_of(given.rows.astype(np.float64), means, counts, rows)
        return given.rows, Transformation(quality=quality, words=words, file=given.name)
    matrix, quality, words = transformation(means, counts, rows)
    return matrix.astype(np.float32), Transformation(quality=quality, words=words)


def _length(word: str) -> int:
    """Years of parts that a word such as ``decades`` stands for."""
    if word not in LENGTHS:
        raise EatlasError(
            f"the ranges of years cannot be used{did_you_mean(word, LENGTHS)}",
            got=word,
            allowed=f"{', '.join(LENGTHS)}, or first and last years such as 1790-1860,1861-1917",
        )
    return LENGTHS[word]


def _bins(bins: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """First and last years of parts, in order."""
    made = sorted((int(low), int(high)) for low, high in bins)
    following = [low for low, _ in made[1:]] + [LAST_YEAR]
    for (low, high), after in zip(made, following, strict=False):
        if low > high or high >= after:
            raise EatlasError(
                "the ranges of years cannot be used",
                got=", ".join(f"{low}-{high}" for low, high in made),
                allowed="ranges that do not overlap, such as 1790-1860",
            )
    return tuple(made)


def _parts(corpus: Corpus, parting: Parting, field: str | None, documents: Unit) -> list[Part]:
    """Parts of the files of a corpus; those without fields are refused where one is needed."""
    parts = parts_of(on_disk(corpus), field, documents)
    wanted = [
        name for name in (*parting.naming_fields, parting.unit) if name not in {"", FILE, None}
    ]
    plain = [part for part in parts if part.kind in {"line", "paragraph"}]
    if wanted and plain:
        raise SourceError(
            f"{plain[0].path}: documents of plain text have no field {wanted[0]!r}",
            allowed="JSON Lines, CSV, TSV or Parquet with such a field; or the name of a file, "
            f"{FILE}",
            remedy=f"name each file after its subcorpus, and use by={FILE} (--by {FILE})",
        )
    return parts


def _vocabulary(source: Source) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The first words of a source with their vectors, each once."""
    place: dict[str, None] = {}
    blocks = []
    for words, rows in source.iter_chunks():
        table = np.asarray(rows, np.float32)
        usable = np.isfinite(table).all(axis=1) & np.any(table, axis=1)
        new = [i for i, w in enumerate(words) if usable[i] and w not in place]
        new = new[: VOCABULARY - len(place)]
        place |= dict.fromkeys(words[i] for i in new)
        blocks.append(table[new])
        if len(place) >= VOCABULARY:
            break
    return tuple(place), np.concatenate(blocks)


def _require_parts(found: Sums, parting: Parting) -> None:
    """Refuse a field that names no parts, or too many."""
    why = "; ".join(f"{n:,} documents {reason}" for reason, n in found.left_out.items())
    if not found.parts:
        raise SourceError(
            (
                f"no document is in a part: by={parting.by}"
                + f", unit={parting.unit}" * bool(parting.unit)
            )
            if not parting.covariates
            else f"no document has all covariates: {', '.join(parting.covariates)}",
            got=why or "no documents",
            allowed="a field that documents have"
            + ", with years in the bins" * bool(parting.bins or parting.length),
        )
    if len(found.parts) > MOST_PARTS and not parting.covariates:
        raise SourceError(
            f"by={parting.by} gives too many subcorpora",
            got=f"{len(found.parts):,}: {listing(found.parts, 5)}",
            allowed=f"at most {MOST_PARTS}",
            remedy="group years with bins (--bins decades), or choose a field with fewer values",
        )


def _assemble_parts(contexts: AddedContexts, tests: Sequence[Test]) -> CorpusParts:
    """Put everything together, parts in the order of years, or of their names."""
    search, source, found = contexts.search, contexts.source, contexts.sums
    years = [year_of(part) for part in found.parts]
    by_year = all(year is not None for year in years) and len(set(years)) == len(years)
    order = sorted(range(len(years)), key=found.parts.__getitem__)
    if by_year:
        order.sort(key=lambda i: years[i] or 0)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    rows = np.column_stack([place[found.rows[:, 0]], found.rows[:, 1:]]).astype(np.int32)
    in_order = np.lexsort(rows.T[::-1])
    targets = dict.fromkeys(
        term
        for test in tests
        for role in (TARGETS if isinstance(test, AssociationTest) else (OF_TARGETS,))
        for term in test.concept(role).terms
    )
    every = Concept(name="terms", terms=search.terms)
    embedded = embed_concepts({"terms": every}, source, "auto", search.rule.language)
    used = dict(zip(embedded.coverage["terms"].used, embedded.vectors["terms"], strict=True))
    lacking = np.full(source.dim, np.nan)
    published = np.array([used.get(term, lacking) for term in search.terms], np.float32)
    about = PartsRecord(
        version=__version__,
        parts=[found.parts[i] for i in order],
        years=[years[i] for i in order] if by_year else [],
        documents=[found.documents[i] for i in order],
        blocks=[len(found.units[i]) for i in order],
        units=[found.units[i] if search.parting.unit else [] for i in order],
        by=search.parting.by,
        resample=search.parting.unit or "",
        resample_found=search.parting.unit_found,
        targets=list(targets),
        tests=[test.id for test in tests],
        ranks=_ranks(source, search.terms, search.rule.language),
        source=contexts.name or source.name,
        source_fingerprint=source.fingerprint,
        window=search.window,
        stop_words=sorted(search.stop_words),
        case=search.rule.case,
        language=search.rule.language,
        transformation=contexts.learned,
        words=found.words,
        known=found.known,
        repeats=len(found.texts) - len(np.unique(found.texts)),
        left_out=dict(found.left_out),
        corpus=contexts.read,
    )
    return CorpusParts(
        search.terms, rows[in_order], found.sums[in_order].astype(np.float32),
        found.counts[in_order], contexts.matrix, published, about,
    )  # fmt: skip


def _ranks(source: Source, terms: Sequence[str], language: str) -> Ranks | str:
    """Ranks of terms in the source by their frequency; or why there are none."""
    order = order_of(source, "always", english=is_english(language))
    if isinstance(order, str):
        return order
    ways = {term: spellings(term, "auto", language) for term in terms}
    ranks = order.ranks({way for each in ways.values() for way in each})
    first = {t: next((ranks[w] for w in each if w in ranks), None) for t, each in ways.items()}
    of = {term: rank for term, rank in first.items() if rank is not None}
    return Ranks(order=order.name, size=order.size, of=of)
