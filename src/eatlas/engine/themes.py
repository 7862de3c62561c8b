"""Themes of a vocabulary that go with one of several groups, given frequency.

Words are clustered without a look at the groups, or come in the user's categories. The score of a
group's word in a theme is its mean cosine with the theme's words; scores are compared between the
groups by least squares with permuted residuals (:mod:`eatlas.stats.regression`), all themes at
once. Swinger et al. (2019) enumerate biases so, with a null by rotation that ignores frequency.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.corpora.storing import require_other_files, require_place
from eatlas.csv_cells import cell
from eatlas.decoding import decoded, require_file
from eatlas.engine.adjusting import SortedGroup, covariates_of, design_of, left_out_of
from eatlas.engine.attributes import by_role, find_groups
from eatlas.engine.frequency import Ranking, keys_of, order_of
from eatlas.engine.store import FileJournal
from eatlas.errors import (
    CoverageError,
    EatlasError,
    SignatureError,
    StimulusError,
    did_you_mean,
    listed,
)
from eatlas.measures import SCEAT, get_measure
from eatlas.notes import Note
from eatlas.results.parts import Concepts, Coverage, Provenance, defined, defined_ends
from eatlas.results.scan import summary_of
from eatlas.results.themes import (
    NAMED,
    Clustering,
    GroupDifference,
    Theme,
    ThemesResult,
    ThemesVocabulary,
    ThemeWord,
    strength,
)
from eatlas.sources import CaseRule, Source, spellings
from eatlas.sources.categories import Categories, read_categories, read_names
from eatlas.sources.coverage import embed_concepts
from eatlas.sources.frequency_order import CountedOrder, WordOrder, is_candidate
from eatlas.sources.opening import named_spec, open_one_named
from eatlas.sources.spec import parse_file_spec
from eatlas.sources.wildcards import matches_of
from eatlas.stats.multiplicity import holm
from eatlas.stats.regression import Regression, family_test, groups_test, orders_of
from eatlas.stats.space import sklearn
from eatlas.stimuli import AssociationTest, Concept, GroupsTest
from eatlas.stimuli.kinds import digest
from eatlas.stimuli.languages import is_english
from eatlas.version import __version__
from eatlas.writing import atomic_files

Array = NDArray[np.float64]
Places = NDArray[np.intp]
ThemesLike = int | str | Path | Mapping[str, Sequence[str]]

WORDS = 30_000
"""Words that themes are made of by default, the most frequent of the source."""
MOST_THEMES = 2_000
"""A family's statistics are held together: 160 MB."""
LEAST_WORDS = 3
"""Words of each group: fewer have no spread to speak of."""
MOST_WORDS = 2_000
"""Words of all groups."""
GROUPS, MOST_GROUPS = 4, 50
"""Groups that a list of names is clustered into by default, and at most."""
REPEATS, REPEAT_DRAWS = 10, 999
"""Further clusterings, and the relabellings in each of them: a p of .05 is known within .014."""
STEPS = 25
"""Of k-means; further ones bring its clusters closer by less than a thousandth."""
EXAMPLES = 5
"""Words of a theme that are shown for their association."""
TABLE = ("theme", "word", "rank", "nearness", "difference")
"""Columns of the table of words."""
PLURALS = (
    ("", "s"), ("", "es"), ("", "'s"), ("y", "ies"), ("f", "ves"), ("fe", "ves"), ("man", "men"),
    ("child", "children"),
)  # fmt: skip
"""Endings of English nouns in the singular and in the plural."""


@dataclass(frozen=True)
class Groups:
    """The words of two or more groups as a source has them."""

    test: AssociationTest | GroupsTest | None
    names: Concepts
    """By role: A and B, or G1, G2 and so on."""
    coverage: Coverage
    keys: Mapping[str, Mapping[str, str]]
    """Under which key of the source each word was found, by role."""
    rows: Mapping[str, Array]
    """Unit rows of the words, in the order of the coverage."""
    sha256: str

    @property
    def language(self) -> str:
        """Of the words."""
        return self.test.language if self.test else ""


@dataclass(frozen=True)
class Words:
    """The words that themes are made of."""

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
class ThemesPlan:
    """A search for themes that can be done."""

    measure: SCEAT
    units: Array
    """Unit rows of the groups' words that are compared, shape (N, d), group by group."""
    regression: Regression
    words: Words
    categories: Mapping[str, Places] | None
    """Places of the words of the user's themes, by name; None where words are clustered."""
    counts: tuple[int, ...]
    """Numbers of themes of all clusterings, the main one first."""
    names: Mapping[str, str]
    """What the user calls themes, by the names that they would have."""
    head: Mapping[str, Any]
    """What the result says of the question."""
    notes: tuple[Note, ...]
    seed: int
    identity: str
    """Hash of all that clusterings depend on."""
    out: Path | None


def make_themes(  # noqa: PLR0913  (each is a decision of its own)
    vectors: Any,
    attributes: Any,
    themes: ThemesLike,
    measure: str | SCEAT = "sc-eat",
    *,
    groups_from: str | Path | Sequence[str] | None = None,
    groups: int = GROUPS,
    names: str | Path | Mapping[str, str] | None = None,
    first: int | None = None,
    out: str | Path | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
) -> ThemesPlan:
    """Resolve and check everything; the words are read here."""
    path = None if out is None else Path(out)
    _require_choices(themes, first, seed, groups)
    if path is not None:
        inputs = (vectors, attributes, themes, groups_from, names)
        texts = [str(each) for each in inputs if isinstance(each, str | Path)]
        require_place(path, "the words of themes", (".csv",))
        require_other_files(path, [parse_file_spec(named_spec(text).spec).path for text in texts])
    chosen = get_measure(measure)
    if not isinstance(chosen, SCEAT):
        raise SignatureError(
            "themes are judged by the effect size of sc-eat",
            got=chosen.signature,
            allowed="sc-eat, with parameters alpha and ddof",
        )
    wanted, file = (None, "") if isinstance(themes, int) else read_categories(themes)
    if wanted is None:
        sklearn("cluster")  # says whether it is there
    elif len(wanted) > MOST_THEMES:
        raise EatlasError(
            "there are too many categories",
            got=f"{len(wanted):,}",
            allowed=f"at most {MOST_THEMES:,}",
            remedy="leave out those that do not matter: p is adjusted for all of them",
        )
    renamed = read_names(names)
    source, name, _ = open_one_named(vectors, "a scan")
    source.require_listed("themes are made of a source's own words (an encoder has none)")
    notes: list[Note] = []
    compared, names_file = _groups(attributes, groups_from, groups, source, case, seed, notes)
    order = order_of(source, "always", english=is_english(compared.language))
    regression, units, covariates = _compared(compared, order, chosen.alpha, case, notes)
    every, forms = _words(source, order, first or WORDS), _forms(compared)
    own = [word.lower() in forms for word in every.words]
    words, categories = every[np.flatnonzero(~np.array(own, np.bool_))], None
    missing: dict[str, tuple[str, ...]] = {}
    if wanted is not None:
        words, categories, missing = _of_categories(
            wanted, every, source, order, forms, case, compared.language, notes
        )
    counts: tuple[int, ...] = ()
    if isinstance(themes, int):
        if themes > len(words.words):
            raise EatlasError(
                "there are more themes than words",
                got=f"{themes:,} themes of {len(words.words):,} words of {source.name}",
                allowed=f"at most {len(words.words):,}; themes of some 100 words or more say most"
                if words.words
                else "a source with words of letters alone that are no group's words",
            )
        beside = {max(2, themes // 2), min(2 * themes, len(words.words), MOST_THEMES)} - {themes}
        counts = (themes,) * (1 + REPEATS) + tuple(sorted(beside))
    settings = {"alpha": f"{chosen.alpha:g}", "ddof": chosen.ddof, "first": first or WORDS}
    of = themes if isinstance(themes, int) else file or "categories"
    terms = {
        role: sorted((*group.used, *group.missing)) for role, group in compared.coverage.items()
    }
    head = {
        "signature": f"themes({of},{','.join(f'{key}={settings[key]}' for key in settings)})",
        "test": compared.test.id if compared.test else None,
        "title": compared.test.title if compared.test else "",
        "source": name or source.name,
        "source_from": source.name if name else "",
        "concepts": compared.names,
        "coverage": compared.coverage,
        "vocabulary": ThemesVocabulary(
            read=len(every.words),
            used=len(words.words),
            of_groups=tuple(word for word, is_own in zip(every.words, own, strict=True) if is_own),
            missing=missing,
        ),
        "alpha": chosen.alpha,
        "covariates": covariates,
        "shared": regression.shared if covariates else None,
        "themes_file": file,
        "groups_from": names_file,
        "provenance": Provenance(
            version=__version__,
            seed=seed,
            case=case,
            stimuli_sha256=digest({"kind": "themes", **terms}),
            source_fingerprint=source.fingerprint,
            vectors_sha256=compared.sha256,
            citation=compared.test.citation if compared.test else "",
            language=compared.language,
        ),
    }
    depends = [__version__, source.fingerprint, seed, counts, words.words]
    identity = hashlib.sha256(json.dumps(depends).encode()).hexdigest()
    return ThemesPlan(
        chosen, units, regression, words, categories, counts, renamed, head, tuple(notes), seed,
        identity, path,
    )  # fmt: skip


def _require_choices(themes: Any, first: Any, seed: Any, groups: Any) -> None:
    """Refuse numbers that themes cannot have."""
    for name, value, least, most in (
        ("themes", themes if isinstance(themes, int | float) else 2, 2, MOST_THEMES),
        ("first", 1 if first is None else first, 1, None),
        ("seed", seed, 0, None),
        ("groups", groups, 2, MOST_GROUPS),
    ):
        if type(value) is not int or value < least or (most and value > most):
            allowed = f"a whole number from {least}" + (f" to {most:,}" if most else "")
            raise EatlasError(f"{name} is not usable", got=repr(value), allowed=allowed)


# --- groups ---------------------------------------------------------------------------------------


def _groups(
    attributes: Any,
    groups_from: Any,
    count: int,
    source: Source,
    case: CaseRule,
    seed: int,
    notes: list[Note],
) -> tuple[Groups, str]:
    """Look the words of the groups up; and the name of the file that they were clustered from."""
    if (attributes is None) == (groups_from is None):
        raise EatlasError(
            "themes are compared between groups of words",
            got="no groups" if attributes is None else "both groups and a list of names",
            allowed="a test (--attributes), lists of words (--a and --b), or a list of names "
            "(--groups-from)",
        )
    test, file = None, ""
    if groups_from is None:
        test, concepts = find_groups(attributes)
    else:
        concepts, file = _of_names(groups_from, count, source, case, seed, notes)
    embedded = embed_concepts(concepts, source, case, test.language if test else "")
    counts = Counter(key for keys in embedded.keys.values() for key in {*keys.values()})
    if several := [key for key, n in counts.items() if n > 1]:
        raise StimulusError(
            f"some words of {source.name} are found for several groups",
            got=listed(several),
            allowed="words that are in one of the groups only, in capitals or not",
        )
    for role, group in embedded.coverage.items():
        if len(group.used) < LEAST_WORDS:
            missing = listed(f"{term} ({why})" for term, why in group.reasons.items())
            raise CoverageError(
                f"{concepts[role].name}: {len(group.used)} of {len(concepts[role].terms)} words "
                f"have a usable vector in {source.name}",
                got=f"missing: {missing}" if missing else listed(group.used),
                allowed=f"at least {LEAST_WORDS} usable words in each group; from eight on they "
                "say more",
                remedy="add words that the source has, or use a source with more words",
            )
    rows = {role: kernels.unit_rows(embedded.vectors[role]) for role in concepts}
    if (total := sum(map(len, rows.values()))) > MOST_WORDS:
        raise StimulusError(
            "the groups have too many words", got=f"{total:,}", allowed=f"at most {MOST_WORDS:,}"
        )
    notes += embedded.notes
    names = Concepts({role: concept.name for role, concept in concepts.items()})
    return Groups(test, names, embedded.coverage, embedded.keys, rows, embedded.sha256), file


def _of_names(
    names: Any, count: int, source: Source, case: CaseRule, seed: int, notes: list[Note]
) -> tuple[dict[str, Concept], str]:
    """Groups by clustering a list of names, as Swinger et al. (2019), and the name of its file."""
    file = ""
    if isinstance(names, str | Path):
        path = Path(names)
        require_file(path, StimulusError)
        try:
            lines = decoded(path.read_bytes(), str(path), StimulusError).splitlines()
        except OSError as error:
            raise StimulusError(
                f"{path}: the names cannot be read",
                got=error.strerror,
                allowed="a text file with a name on each line",
            ) from error
        file, names = path.name, [line.strip() for line in lines if line.strip()]
    if not names:
        raise StimulusError(f"{file or 'groups_from'}: there are no names to make groups of")
    every = Concept(name="Names", terms=tuple(sorted(set(names), key=str)))
    embedded = embed_concepts({"names": every}, source, case)
    used, rows = embedded.coverage["names"].used, kernels.unit_rows(embedded.vectors["names"])
    if len(used) < LEAST_WORDS * count:
        raise CoverageError(
            f"there are too few names for {count} groups",
            got=f"{len(used)} of {len(every.terms)} names have a vector in {source.name}",
            allowed=f"at least {LEAST_WORDS * count}",
            remedy="ask for fewer groups (--groups), or add names, one on each line",
        )
    labels = clustered(rows.astype(np.float32), count, seed, REPEATS)
    members = sorted((np.flatnonzero(labels == i) for i in range(count)), key=len, reverse=True)
    large = [places for places in members if len(places) >= LEAST_WORDS]
    if len(large) < 2:
        raise CoverageError(
            f"the names do not form several groups of {LEAST_WORDS} or more",
            got=f"{len(large)} such group among {count} clusters in {source.name}",
            remedy="ask for fewer groups (--groups), or add names",
        )
    concepts = []
    for places in large:
        near = places[np.argsort(-(rows[places] @ rows[places].mean(axis=0)), kind="stable")]
        terms = tuple(used[i] for i in near.tolist())
        concepts.append(Concept(name=", ".join(terms[:NAMED]), terms=terms))
    notes.append(Note("themes.groups-made", values={"names": len(used), "groups": len(large)}))
    small = [used[i] for places in members[len(large) :] for i in places.tolist()]
    if left := small + list(embedded.coverage["names"].missing):
        notes.append(Note("themes.names-left", values={"names": left}))
    return by_role(concepts), file


def _forms(groups: Groups) -> set[str]:
    """The groups' words in lower case, and their plurals and singulars in English."""
    words = {w.lower() for keys in groups.keys.values() for pair in keys.items() for w in pair}
    if not is_english(groups.language):
        return words
    long = [word for word in words if len(word) > LEAST_WORDS]
    plurals = {
        w.removesuffix(one) + many for w in words for one, many in PLURALS if w.endswith(one)
    }
    singulars = {
        w.removesuffix(many) + one for w in long for one, many in PLURALS if w.endswith(many)
    }
    return words | plurals | singulars


def _compared(
    groups: Groups,
    order: WordOrder | str,
    alpha: float,
    case: CaseRule,
    notes: list[Note],
) -> tuple[Regression, Array, tuple[str, ...]]:
    """The groups' words given their frequency: least squares, unit rows, names of covariates."""
    names, coverage, language = groups.names, groups.coverage, groups.language
    if isinstance(order, str):
        ranking = Ranking(reason=order)
    else:
        words = {word for keys in groups.keys.values() for pair in keys.items() for word in pair}
        spelled = {key for word in words for key in spellings(word, case, language)}
        ranking = Ranking(order.name, order.size, order.ranks(spelled))
    keys = keys_of(ranking, coverage, case, language)
    covariates = covariates_of(coverage, ranking, keys, None, case, language)
    reason = covariates
    # no order of words changes the relabellings
    rows = [part[np.argsort(coverage[role].used)] for role, part in groups.rows.items()]
    regression, used = None, tuple[str, ...]()
    if not isinstance(covariates, str):
        in_order = {role: SortedGroup.of(coverage[role], covariates.of[role]) for role in names}
        remarks: list[Note] = []
        design = design_of(tuple(names), in_order, covariates, names, remarks)
        if design is None:
            reason = str(remarks.pop().values["reason"])
        else:
            left_out_of(in_order, covariates, names, remarks)
            rows = [groups.rows[role][in_order[role].places] for role in names]
            rows = [np.concatenate(rows)[design.units]]
            regression, used = design.regression, covariates.names
        notes += remarks
    if regression is None:
        notes.insert(0, Note("themes.unadjusted", values={"reason": reason}))
        regression = Regression.of_groups([len(part) for part in rows])
    sizes, total = regression.sizes, orders_total(regression.sizes)
    least = (2 if len(set(sizes)) == 1 == len(sizes) - 1 else 1) / total
    if len(sizes) == 2 and least >= alpha:
        values = {"sizes": list(sizes), "total": total, "least": least, "alpha": alpha}
        notes.append(Note("p.design-two-sided", "groups", values))
    return regression, np.concatenate(rows), used


def orders_total(sizes: Sequence[int]) -> int:
    """Relabellings of groups of such sizes."""
    return math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))


# --- words ----------------------------------------------------------------------------------------


def _words(source: Source, order: WordOrder | str, first: int) -> Words:
    """The most frequent words of a source, of letters alone; or its first ones."""
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
    frequent = place_of.keys() if isinstance(order, str) else {*order.words}
    chosen = [
        i
        for i, word in enumerate(words)
        if usable[i] and place_of[word] == i and word in frequent and is_candidate(word)
    ]
    taken = [words[i] for i in chosen]
    known = {} if isinstance(order, str) else order.ranks(taken)
    ranks = [known.get(word, None if known else place_of[word] + 1) for word in taken]
    return Words(taken, kernels.unit_rows(table[chosen]).astype(np.float32), ranks)


def _of_categories(
    wanted: Categories,
    every: Words,
    source: Source,
    order: WordOrder | str,
    forms: set[str],
    case: CaseRule,
    language: str,
    notes: list[Note],
) -> tuple[Words, dict[str, Places], dict[str, tuple[str, ...]]]:
    """The words of the user's categories, wherever the source has them; and those it lacks.

    A wildcard stands for frequent words.
    """
    wild = {(language, term) for terms in wanted.values() for term in terms if {"*", "?"} & {*term}}
    listing: Any = SimpleNamespace(name=source.name, vocabulary=lambda: iter(every.words))
    matches = {term: words for (_, term), words in matches_of(wild, listing, case).items()}
    ways = {
        term: (term,) if term in matches else spellings(term, case, language)
        for terms in wanted.values()
        for term in terms
    }
    vectors = source.lookup({way for each in ways.values() for way in each} - matches.keys())
    vectors = {word: row for word, row in vectors.items() if np.isfinite(row).all() and row.any()}
    row_of = dict(zip(every.words, every.rows, strict=True))
    members: dict[str, list[str]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    own: set[str] = set()
    for name, terms in wanted.items():
        keys: dict[str, None] = {}
        absent = []
        for term in terms:
            found = matches.get(term) or [w for w in ways[term] if w in vectors][:1]
            keys |= dict.fromkeys(word for word in found if word.lower() not in forms)
            own |= {word for word in found if word.lower() in forms}
            absent += [] if found else [term]
        members[name] = list(keys)
        missing |= {name: tuple(absent)} if absent else {}
    if empty := [name for name, words in members.items() if not words]:
        raise CoverageError(
            f"categories without a usable word in {source.name}: {listed(empty)}",
            got=f"{empty[0]}: {listed(wanted[empty[0]])}",
            allowed="words that the source has and no group holds, one at least in each category",
            remedy="leave these categories out, or use a source with more words",
        )
    counts = Counter(word for words in members.values() for word in words)
    if several := [word for word, n in counts.items() if n > 1]:
        notes.append(Note("themes.overlap", values={"words": several}))
    if missing:
        absent = sorted({term for terms in missing.values() for term in terms})
        notes.append(Note("themes.missing", values={"words": absent}))
    if own:
        notes.append(Note("themes.own-words", values={"words": sorted(own)}))
    words = list(counts)
    table = np.array([vectors[word] if word in vectors else row_of[word] for word in words])
    known = {} if isinstance(order, str) else order.ranks(words)
    place = {word: i for i, word in enumerate(words)}
    places = {name: np.array([place[word] for word in some]) for name, some in members.items()}
    rows = kernels.unit_rows(table).astype(np.float32)
    return Words(words, rows, [known.get(word) for word in words]), places, missing


# --- clusterings ----------------------------------------------------------------------------------


def clustered(
    rows: NDArray[np.float32], count: int, seed: int, starts: int = 1
) -> NDArray[np.int32]:
    """The cluster of each unit row: k-means from random rows, the best of some starts.

    A row belongs to the centre that is nearest in direction.
    """
    # the default, k-means++, takes four times as long for clusters that are no closer
    how = {"init": "random", "n_init": starts, "max_iter": STEPS, "random_state": seed}
    fewer = sklearn("exceptions").ConvergenceWarning
    # threads add their sums in any order, and wait for each other longer than they save
    with import_module("threadpoolctl").threadpool_limits(1), catch_warnings():
        simplefilter("error", fewer)
        try:
            means = sklearn("cluster").KMeans(count, **how).fit(rows)
        except fewer as error:
            raise EatlasError(
                f"the vectors do not form {count:,} clusters, as too many are equal",
                got=str(error).partition(".")[0],
                allowed="so many vectors that differ",
                remedy="ask for fewer, or check the vectors",
            ) from error
    centres = kernels.unit_rows(means.cluster_centers_).astype(np.float32)
    return np.asarray((rows @ centres.T).argmax(axis=1), np.int32)


class Clusterings(FileJournal):
    """The finished clusterings of a search, by their number; kept where it writes a file."""

    work, task = "clusterings", "scan"

    def __init__(self, plan: ThemesPlan) -> None:
        super().__init__(plan.out, plan.identity)
        self.done: dict[int, NDArray[np.int32]] = {}

    def keep(self, number: int, labels: NDArray[np.int32]) -> None:
        """Keep a finished clustering."""
        self.append(f"{self.identity} {number}", json.dumps(labels.tolist()).encode())
        self.done[number] = labels

    def take(self, name: str, result: bytes) -> None:
        """Take over a clustering that was made before."""
        identity, _, number = name.partition(" ")
        if identity != self.identity:
            raise ValueError(name)
        self.done[int(number)] = np.array(json.loads(result), np.int32)


def cluster_all(
    plan: ThemesPlan, done: Clusterings, progress: Callable[[int], None] | None = None
) -> None:
    """Make every clustering that is not there; each is kept as soon as it is made."""
    for number, count in enumerate(plan.counts):
        if number not in done.done:
            drawn = np.random.default_rng([plan.seed, number]).integers(2**31)
            done.keep(number, clustered(plan.words.rows, count, int(drawn)))
        if progress is not None:
            progress(len(done.done))


# --- themes ---------------------------------------------------------------------------------------


def find_themes(plan: ThemesPlan, done: Clusterings) -> ThemesResult:
    """Judge all themes together, write words and summary where there is a file."""
    members = [plan.categories] if plan.categories else []
    members += [_members(plan.words, done.done[i]) for i in range(len(plan.counts))]
    themes, families = _themes(plan, members[0]), [_family(plan, each) for each in members[1:]]
    if families:
        themes = [_repeated(plan, each, members[0][each.name], families) for each in themes]
    if unknown := plan.names.keys() - {theme.name for theme in themes}:
        raise StimulusError(
            "there is no theme of this name",
            got=listed([repr(name) for name in sorted(unknown)], 3),
            allowed=listed([repr(theme.name) for theme in themes], 6),
            remedy="take the names of the column theme of --out FILE.csv"
            + did_you_mean(min(unknown), [theme.name for theme in themes]),
        )
    themes = [
        theme.model_copy(update={"name": plan.names.get(theme.name, theme.name)})
        for theme in themes
    ]
    if several := [name for name, n in Counter(theme.name for theme in themes).items() if n > 1]:
        raise StimulusError(
            "several themes would have one name",
            got=listed(map(repr, several), 3),
            allowed="a name of its own for each theme",
        )
    two = len(plan.regression.sizes) == 2
    themes.sort(key=(lambda theme: -(theme.effect_size or 0.0)) if two else strength)
    orders = orders_of(plan.regression.size, seed=plan.seed)
    result = ThemesResult(
        **plan.head,
        total=orders_total(plan.regression.sizes),
        relabellings=len(orders.orders),
        clustering=Clustering(
            count=plan.counts[0],
            by=f"scikit-learn {version('scikit-learn')}",
            repeats=REPEATS,
            draws=REPEAT_DRAWS,
        )
        if plan.counts
        else None,
        themes=tuple(themes),
        warnings=plan.notes,
        words_file=None if plan.out is None else str(plan.out),
    )
    if plan.out is not None:
        with atomic_files() as new:
            new(plan.out).write(_table(plan, result))
            new(summary_of(plan.out)).write(result.model_dump_json(indent=1) + "\n")
    done.discard(list(done.pieces))
    return result


def _members(words: Words, labels: NDArray[np.int32]) -> dict[str, Places]:
    """Places of the words of each cluster, by its most central words."""
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return {", ".join(words.words[i] for i in _by_nearness(words, p)[0][:NAMED]): p for p in parts}


def _by_nearness(words: Words, places: Places) -> tuple[Places, Array]:
    """Words of a theme, the nearest to their mean first, and their cosines with it."""
    rows = words.rows[places].astype(np.float64)
    cosines = rows @ kernels.unit_rows(rows.mean(axis=0)[None])[0]
    order = np.argsort(-cosines, kind="stable")
    return places[order], cosines[order]


def _scores(plan: ThemesPlan, members: Mapping[str, Places]) -> Array:
    """Mean cosine of each word of the groups with the words of each theme, shape (themes, N)."""
    rows = plan.words.rows
    means = np.array([rows[places].mean(axis=0, dtype=np.float64) for places in members.values()])
    return np.asarray(means @ plan.units.T)


def _contrast(plan: ThemesPlan, sides: tuple[int, int]) -> Array:
    """The direction whose product with a vector is the difference of two groups, shape (d,)."""
    weights = np.column_stack([np.linalg.pinv(plan.regression.labels).T, np.zeros(len(plan.units))])
    return np.asarray(plan.units.T @ (weights[:, sides[0]] - weights[:, sides[1]]))


def _themes(plan: ThemesPlan, members: Mapping[str, Places]) -> list[Theme]:
    """Every theme with its difference, p and words."""
    regression, roles = plan.regression, [*plan.head["concepts"]]
    scores = _scores(plan, members)
    family = family_test(scores, regression, seed=plan.seed)
    means, spread = regression.means(scores), scores.std(axis=1, ddof=plan.measure.ddof)
    two = len(roles) == 2
    margins = np.full(len(scores), np.nan)
    if two:
        critical = family.critical(plan.measure.alpha)
        margins = regression.margins(regression.residuals(scores), critical)
    themes = []
    for row, (name, places) in enumerate(members.items()):
        sides = (0, 1) if two else (int(means[row].argmax()), int(means[row].argmin()))
        difference = float(means[row][sides[0]] - means[row][sides[1]])
        wide = spread[row] or math.nan
        ends = ((difference - margins[row]) / wide, (difference + margins[row]) / wide)
        near, _ = _by_nearness(plan.words, places)
        of_word = plan.words.rows[near] @ _contrast(plan, sides)
        pairs: tuple[GroupDifference, ...] = ()
        if not two and family.p_max_t[row] < plan.measure.alpha:
            pairs = _pairs(plan, scores[row], wide)
        towards = -1 if difference < 0 else 1
        strongest = np.argsort(-towards * of_word, kind="stable")
        against = [i for i in strongest[::-1][:EXAMPLES] if towards * of_word[i] < 0]
        words = [plan.words.words[i] for i in near.tolist()]
        shown = [
            tuple(ThemeWord(word=words[i], difference=float(of_word[i])) for i in some)
            for some in (strongest[:EXAMPLES].tolist(), against)
        ]
        themes.append(
            Theme(
                name=name,
                words=tuple(words),
                n=len(words),
                sides=(roles[sides[0]], roles[sides[1]]),
                difference=difference,
                effect_size=defined(difference / wide),
                interval=defined_ends(ends),
                means=dict(zip(roles, means[row].tolist(), strict=True)),
                p=family.tails[row].p,
                p_max_t=float(family.p_max_t[row]),
                associated=shown[0],
                against=shown[1],
                pairs=pairs,
            )
        )
    return themes


def _pairs(plan: ThemesPlan, scores: Array, spread: float) -> tuple[GroupDifference, ...]:
    """Each two of several groups in a theme, given the covariates, adjusted by Holm."""
    regression, roles = plan.regression, [*plan.head["concepts"]]
    ends = np.cumsum((0, *regression.sizes))
    columns = regression.basis[:, 1:]
    rows = []
    for i, j in combinations(range(len(roles)), 2):
        units = np.r_[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
        sizes = regression.sizes[i], regression.sizes[j]
        try:
            pair = Regression.of_groups(sizes, columns[units])
        except EatlasError:  # too few words for the covariates, or these tell the groups apart
            pair = Regression.of_groups(sizes)
        (tail,) = groups_test(scores[None, units], pair, seed=plan.seed)
        difference = float(pair.estimates(scores[None, units])[0])
        rows.append(((i, j) if difference >= 0 else (j, i), abs(difference), tail.p))
    adjusted = holm([p for *_, p in rows]).tolist()
    return tuple(
        GroupDifference(
            groups=(roles[i], roles[j]),
            difference=difference,
            effect_size=defined(difference / spread),
            p_holm=p,
        )
        for ((i, j), difference, _), p in zip(rows, adjusted, strict=True)
    )


@dataclass(frozen=True)
class Repeat:
    """What a further clustering found."""

    signs: Array
    """Of the difference of each theme; of more than two groups 1."""
    below: NDArray[np.bool_]
    """Which themes have an adjusted p below alpha."""
    theme_of: Places
    """The number of the theme of each word."""


def _family(plan: ThemesPlan, members: Mapping[str, Places]) -> Repeat:
    """Test the themes of a further clustering."""
    scores = _scores(plan, members)
    family = family_test(scores, plan.regression, draws=REPEAT_DRAWS, seed=plan.seed)
    two = len(plan.regression.sizes) == 2
    signs = np.sign(plan.regression.estimates(scores)) if two else np.ones(len(scores))
    theme_of = np.empty(len(plan.words.words), np.intp)
    for number, places in enumerate(members.values()):
        theme_of[places] = number
    return Repeat(signs, family.p_max_t < plan.measure.alpha, theme_of)


def _repeated(plan: ThemesPlan, theme: Theme, own: Places, repeats: Sequence[Repeat]) -> Theme:
    """A theme with what other clusterings say of it.

    Each is asked for the theme that holds most of its words.
    """
    two = len(plan.regression.sizes) == 2
    sign = np.sign(theme.difference) if two else 1.0
    again = []
    for repeat in repeats:
        match = np.bincount(repeat.theme_of[own]).argmax()
        again.append(bool(repeat.below[match] and repeat.signs[match] == sign))
    return theme.model_copy(
        update={
            "stability": sum(again[:REPEATS]) / REPEATS,
            "other_counts": dict(zip(plan.counts[1 + REPEATS :], again[REPEATS:], strict=True)),
        }
    )


def _table(plan: ThemesPlan, result: ThemesResult) -> str:
    """Every word of every theme as CSV, themes in the order of the result."""
    place = {word: i for i, word in enumerate(plan.words.words)}
    roles = [*result.concepts]
    file = io.StringIO()
    file.write(",".join(TABLE) + "\n")
    for theme in result.themes:
        near, cosines = _by_nearness(plan.words, np.array([place[word] for word in theme.words]))
        sides = roles.index(theme.sides[0]), roles.index(theme.sides[1])
        of_word = plan.words.rows[near] @ _contrast(plan, sides)
        columns = zip(near.tolist(), cosines.tolist(), of_word.tolist(), strict=True)
        for i, cosine, difference in columns:
            rank = plan.words.ranks[i]
            cells = (cell(theme.name), cell(plan.words.words[i]), "" if rank is None else str(rank))
            file.write(",".join((*cells, f"{cosine:.6f}", f"{difference:.6f}")) + "\n")
    return file.getvalue()
