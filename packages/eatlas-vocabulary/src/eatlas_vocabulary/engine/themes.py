"""Themes of a vocabulary associated with one of several groups, adjusted for word frequency.

Words are clustered without a look at the groups, or come in the user's categories. The score of a
group's word in a theme is its mean cosine with the theme's words; scores are compared between the
groups by least squares with permuted residuals (:mod:`eatlas.stats.regression`), all themes at
once. Swinger et al. (2019) enumerate biases so, with a null by rotation that ignores frequency.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.csv_cells import cell
from eatlas.engine.frequency import order_of
from eatlas.engine.store import NumberedPieces
from eatlas.errors import (
    EatlasError,
    SignatureError,
    StimulusError,
    did_you_mean,
    listing,
    require_whole,
)
from eatlas.measures import SCEAT, get_measure
from eatlas.notes import Note
from eatlas.results.parts import finite, finite_ends
from eatlas.sources import CaseRule
from eatlas.sources.opening import files_named, open_one_named
from eatlas.sources.outputs import require_other_files, require_place
from eatlas.stats.multiplicity import holm
from eatlas.stats.regression import Regression, family_test, groups_test, orders_of
from eatlas.stimuli.languages import is_english
from eatlas.version import __version__
from eatlas.writing import atomic_files
from eatlas_vocabulary import stats
from eatlas_vocabulary.engine.group_units import SearchUnits
from eatlas_vocabulary.engine.groups import Groups, adjust_for_frequency, head_of, look_up_groups
from eatlas_vocabulary.engine.theme_words import Places, Words, words_of_themes
from eatlas_vocabulary.results.scan import summary_of
from eatlas_vocabulary.results.themes import (
    NAMED,
    Clustering,
    GroupDifference,
    Theme,
    ThemesResult,
    ThemeWord,
    strength,
)
from eatlas_vocabulary.sources.categories import (
    Categories,
    from_a_scan,
    read_categories,
    read_names,
)

Array = NDArray[np.float64]
ThemesLike = int | str | Path | Mapping[str, Sequence[str]]

WORDS = 30_000
"""Words that themes are made of by default, the most frequent of the source."""
MOST_THEMES = 2_000
"""A family's statistics are in memory together: 160 MB."""
GROUPS, MOST_GROUPS = 4, 50
"""Groups that a list of names is clustered into by default, and at most."""
REPEATS, REPEAT_DRAWS = 10, 999
"""Further clusterings, and the permutations in each of them: a p of .05 is known within .014."""
LEAST_ALPHA = 1 / (REPEAT_DRAWS + 1)
"""No p of a further clustering is below."""
EXAMPLES = 5
"""Words of a theme that are shown for their association."""
TABLE = ("theme", "word", "rank", "nearness", "difference")
"""Columns of the table of words."""


@dataclass(frozen=True)
class ThemesPlan:
    """A search for themes that can be done."""

    measure: SCEAT
    units: Array
    """Mean unit rows of the groups' units that are compared, shape (N, d), group by group."""
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

    @property
    def two(self) -> bool:
        """Whether there are two groups, whose differences have a sign."""
        return len(self.regression.sizes) == 2

    @property
    def expected(self) -> int:
        """Clusterings that are to be made."""
        return len(self.counts)


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
    split: bool = True,
) -> ThemesPlan:
    """Resolve and check everything; the words are read here."""
    _require_choices(themes, first, seed, groups)
    path = require_place(out, "the words of themes", (".csv",))
    require_other_files(path, files_named(vectors, attributes, themes, groups_from, names))
    chosen = _measure(measure)
    categories, themes_file = _categories(themes)
    renamed = read_names(names)
    source, name, _ = open_one_named(vectors, "a scan")
    source.require_listed("themes are made of a source's own words (an encoder has none)")

    notes: list[Note] = []
    if from_a_scan(themes):
        about = {"file": themes_file, "themes": len(categories or ())}
        notes.append(Note("themes.from-a-scan", values=about))
    compared = look_up_groups(attributes, groups_from, groups, source, case, seed, notes)
    order = order_of(source, "always", english=is_english(compared.language))
    units = SearchUnits.of(compared.coverage, compared.rows)
    if reason := _no_split(units, compared, split=split):
        notes.append(Note("themes.not-split", values={"reason": reason}))
    else:
        units = units.split(seed)
    comparison = adjust_for_frequency(compared, units, order, chosen.alpha, case, notes)
    first = first or WORDS
    of_themes = words_of_themes(source, order, first, compared, categories, case, notes)
    words = of_themes.words
    counts = _counts(themes, len(words.words), source.name) if isinstance(themes, int) else ()

    of = themes if isinstance(themes, int) else themes_file or "categories"
    coverage, stimuli = compared.coverage, dict[str, Any](kind="themes")
    stimuli |= {role: sorted((*group.used, *group.missing)) for role, group in coverage.items()}
    head = {
        "signature": f"themes({of},alpha={chosen.alpha:g},ddof={chosen.ddof},first={first}"
        + (")" if split else ",split=off)"),
        "concepts": compared.names,
        "coverage": coverage,
        "vocabulary": of_themes.about,
        "alpha": chosen.alpha,
        "covariates": comparison.covariates,
        "shared": comparison.regression.shared if comparison.covariates else None,
        "units": units.record(dict(zip(compared.names, comparison.regression.sizes, strict=True))),
        "held_out": units.words_not_searched,
        "themes_file": themes_file,
        "groups_from": compared.file,
        **head_of(source, name, compared.test, stimuli, compared.sha256, case, seed),
    }
    depends = [__version__, source.fingerprint, seed, counts, words.words]
    identity = hashlib.sha256(json.dumps(depends).encode()).hexdigest()
    return ThemesPlan(
        chosen, comparison.units, comparison.regression, words, of_themes.categories,
        counts, renamed, head, tuple(notes), seed, identity, path,
    )  # fmt: skip


def _no_split(units: SearchUnits, groups: Groups, *, split: bool) -> str:
    """Why no words of the groups are held out; empty if they are."""
    if not split:
        return "that was asked for"
    if groups.made:
        return "clusters of names are made of the vectors of all of them"
    return units.too_few(groups.names)


def _require_choices(themes: Any, first: Any, seed: Any, groups: Any) -> None:
    """Refuse numbers that themes cannot have."""
    require_whole("themes", themes if isinstance(themes, int | float) else 2, 2, most=MOST_THEMES)
    require_whole("first", 1 if first is None else first, 1)
    require_whole("seed", seed, 0)
    require_whole("groups", groups, 2, most=MOST_GROUPS)


def _measure(measure: str | SCEAT) -> SCEAT:
    """The measure, whose effect size themes are judged by."""
    chosen = get_measure(measure)
    if isinstance(chosen, SCEAT) and chosen.alpha > LEAST_ALPHA:
        return chosen
    if isinstance(chosen, SCEAT):
        raise SignatureError(
            "alpha is too small for the permutations of themes",
            got=f"{chosen.alpha:g}",
            allowed=f"more than {LEAST_ALPHA:g}",
        )
    raise SignatureError(
        "themes are judged by the effect size of sc-eat",
        got=chosen.signature,
        allowed="sc-eat, with parameters alpha and ddof",
    )


def _categories(themes: ThemesLike) -> tuple[Categories | None, str]:
    """The user's categories and the name of their file; None where words are to be clustered."""
    if isinstance(themes, int):
        return None, ""
    categories, file = read_categories(themes)
    if len(categories) > MOST_THEMES:
        raise EatlasError(
            "there are too many categories",
            got=f"{len(categories):,}",
            allowed=f"at most {MOST_THEMES:,}",
            remedy="remove categories that you do not need: p-values are adjusted for all of them",
        )
    return categories, file


def _counts(themes: int, words: int, source: str) -> tuple[int, ...]:
    """Numbers of themes of all clusterings: as many ten times more, half and twice as many."""
    if themes > words:
        raise EatlasError(
            "there are more themes than words",
            got=f"{themes:,} themes of {words:,} words of {source}",
            allowed=f"at most {words:,}; themes with about 100 words or more are most informative"
            if words
            else "a source with words of letters alone that are no group's words",
        )
    beside = {max(2, themes // 2), min(2 * themes, words, MOST_THEMES)} - {themes}
    return (themes,) * (1 + REPEATS) + tuple(sorted(beside))


# --- clusterings ----------------------------------------------------------------------------------


class Clusterings(NumberedPieces[NDArray[np.int32]]):
    """The finished clusterings of a search."""

    work = "clusterings"

    def __init__(self, plan: ThemesPlan) -> None:
        super().__init__(
            plan,
            lambda labels: json.dumps(labels.tolist()).encode(),
            lambda data: np.array(json.loads(data), np.int32),
        )


def cluster_all(
    plan: ThemesPlan, done: Clusterings, progress: Callable[[int], None] | None = None
) -> None:
    """Make every clustering that is not there; each is stored as soon as it is made."""
    for number, count in enumerate(plan.counts):
        if number not in done.done:
            drawn = np.random.default_rng([plan.seed, number]).integers(2**31)
            done.keep(number, stats.clusters.k_means(plan.words.rows, count, int(drawn)))
        if progress is not None:
            progress(done.n_finished)


# --- themes ---------------------------------------------------------------------------------------


def find_themes(plan: ThemesPlan, done: Clusterings) -> ThemesResult:
    """Judge all themes together, write words and summary where there is a file."""
    if plan.categories is not None:
        themes = _themes(plan, plan.categories)
    else:
        clusterings = (done.done[number] for number in range(len(plan.counts)))
        members, *further = (_members(plan.words, labels) for labels in clusterings)
        repeats = [_repeat(plan, each) for each in further]
        themes = [
            _add_stability(plan, theme, members[theme.name], repeats)
            for theme in _themes(plan, members)
        ]
    themes = _rename_themes(themes, plan.names)
    themes.sort(key=(lambda theme: -(theme.effect_size or 0.0)) if plan.two else strength)
    result = ThemesResult(
        **plan.head,
        total=plan.regression.labellings,
        relabellings=len(orders_of(plan.regression.size, seed=plan.seed).orders),
        clustering=Clustering(
            count=plan.counts[0],
            by=f"scikit-learn {version('scikit-learn')}",
            repeats=REPEATS,
            permutations=REPEAT_DRAWS,
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


def _differences(plan: ThemesPlan, places: Places, sides: tuple[int, int]) -> Array:
    """Difference of two groups in the mean cosines with each of some words."""
    weights = np.column_stack([np.linalg.pinv(plan.regression.labels).T, np.zeros(len(plan.units))])
    contrast = plan.units.T @ (weights[:, sides[0]] - weights[:, sides[1]])
    return np.asarray(plan.words.rows[places] @ contrast)


def _themes(plan: ThemesPlan, members: Mapping[str, Places]) -> list[Theme]:
    """Every theme with its difference, p and words."""
    regression, alpha, roles = plan.regression, plan.measure.alpha, [*plan.head["concepts"]]
    scores = _scores(plan, members)
    family = family_test(scores, regression, seed=plan.seed)
    means, spreads = regression.means(scores), scores.std(axis=1, ddof=plan.measure.ddof)
    spreads[spreads == 0] = np.nan
    margins = np.full(len(scores), np.nan)
    if plan.two:
        margins = regression.margins(regression.residuals(scores), family.critical(alpha))
    themes = []
    for row, (name, places) in enumerate(members.items()):
        sides = (0, 1) if plan.two else (int(means[row].argmax()), int(means[row].argmin()))
        difference, spread = float(means[row][sides[0]] - means[row][sides[1]]), spreads[row]
        ends = (difference - margins[row]) / spread, (difference + margins[row]) / spread
        beyond = family.p_max_t[row] < alpha
        near, _ = _by_nearness(plan.words, places)
        words = [plan.words.words[i] for i in near.tolist()]
        associated, against = _examples(words, _differences(plan, near, sides), difference)
        themes.append(
            Theme(
                name=name,
                words=tuple(words),
                n=len(words),
                sides=(roles[sides[0]], roles[sides[1]]),
                difference=difference,
                effect_size=finite(difference / spread),
                interval=finite_ends(ends),
                means=dict(zip(roles, means[row].tolist(), strict=True)),
                p=family.tails[row].p,
                p_max_t=float(family.p_max_t[row]),
                associated=associated,
                against=against,
                pairs=_pairs(plan, scores[row], spread) if beyond and not plan.two else (),
            )
        )
    return themes


def _examples(
    words: Sequence[str], differences: Array, of_theme: float
) -> tuple[tuple[ThemeWord, ...], tuple[ThemeWord, ...]]:
    """Words most associated with the group of the theme, and with the other group."""
    leaning = -differences if of_theme < 0 else differences
    order = np.argsort(-leaning, kind="stable").tolist()
    against = [i for i in order[::-1][:EXAMPLES] if leaning[i] < 0]
    first, last = (
        tuple(ThemeWord(word=words[i], difference=float(differences[i])) for i in chosen)
        for chosen in (order[:EXAMPLES], against)
    )
    return first, last


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
            effect_size=finite(difference / spread),
            p_holm=p,
        )
        for ((i, j), difference, _), p in zip(rows, adjusted, strict=True)
    )


class Repeat(NamedTuple):
    """What a further clustering says."""

    signs: Array
    """Of the difference of each theme, of more than two groups 1; 0 where p is not below alpha."""
    theme_of: Places
    """The number of the theme of each word."""


def _repeat(plan: ThemesPlan, members: Mapping[str, Places]) -> Repeat:
    """Test the themes of a further clustering."""
    scores = _scores(plan, members)
    family = family_test(scores, plan.regression, permutations=REPEAT_DRAWS, seed=plan.seed)
    signs = np.sign(plan.regression.estimates(scores)) if plan.two else np.ones(len(scores))
    theme_of = np.empty(len(plan.words.words), np.intp)
    for number, places in enumerate(members.values()):
        theme_of[places] = number
    return Repeat(np.where(family.p_max_t < plan.measure.alpha, signs, 0.0), theme_of)


def _add_stability(
    plan: ThemesPlan, theme: Theme, places: Places, repeats: Sequence[Repeat]
) -> Theme:
    """A theme with what other clusterings say of the theme that holds most of its words."""
    sign = np.sign(theme.difference) if plan.two else 1.0
    matches = [np.bincount(repeat.theme_of[places]).argmax() for repeat in repeats]
    again = [
        bool(repeat.signs[match] * sign > 0) for repeat, match in zip(repeats, matches, strict=True)
    ]
    return theme.model_copy(
        update={
            "stability": sum(again[:REPEATS]) / REPEATS,
            "other_counts": dict(zip(plan.counts[1 + REPEATS :], again[REPEATS:], strict=True)),
        }
    )


def _rename_themes(themes: Sequence[Theme], names: Mapping[str, str]) -> list[Theme]:
    """Themes under the names that the user has for them."""
    before = [theme.name for theme in themes]
    if unknown := names.keys() - set(before):
        raise StimulusError(
            "there is no theme with this name",
            got=listing([repr(name) for name in sorted(unknown)], 3),
            allowed=listing(map(repr, before), 6),
            remedy="use the names in the column theme of --out FILE.csv"
            + did_you_mean(min(unknown), before),
        )
    renamed = [t.model_copy(update={"name": names.get(t.name, t.name)}) for t in themes]
    counts = Counter(theme.name for theme in renamed)
    if several := [name for name, n in counts.items() if n > 1]:
        raise StimulusError(
            "several themes would have the same name",
            got=listing(map(repr, several), 3),
            allowed="a different name for each theme",
        )
    return renamed


def _table(plan: ThemesPlan, result: ThemesResult) -> str:
    """Every word of every theme as CSV, themes in the order of the result."""
    place_of = {word: i for i, word in enumerate(plan.words.words)}
    roles = [*result.concepts]
    file = io.StringIO()
    file.write(",".join(TABLE) + "\n")
    for theme in result.themes:
        places = np.array([place_of[word] for word in theme.words])
        near, cosines = _by_nearness(plan.words, places)
        sides = roles.index(theme.sides[0]), roles.index(theme.sides[1])
        differences = _differences(plan, near, sides)
        for i, cosine, difference in zip(near.tolist(), cosines, differences, strict=True):
            rank = plan.words.ranks[i]
            cells = (cell(theme.name), cell(plan.words.words[i]), "" if rank is None else str(rank))
            file.write(",".join((*cells, f"{cosine:.6f}", f"{difference:.6f}")) + "\n")
    return file.getvalue()
