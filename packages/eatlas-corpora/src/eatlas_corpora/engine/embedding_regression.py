"""Embedding regression: how contexts of terms depend on covariates of documents."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError, did_you_mean, listing, require_whole
from eatlas.executors import Executor, Progress
from eatlas.measures.inference import CONFIDENCE
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note, warn
from eatlas.sources.opening import VectorsLike
from eatlas.sources.outputs import require_place
from eatlas.stimuli import Concept
from eatlas.stimuli.concepts import refuse_wildcards
from eatlas.version import __version__
from eatlas.writing import atomic_file
from eatlas_corpora.engine.embedding import (
    DOCUMENT,
    STOP_WORDS,
    WINDOW,
    AddedContexts,
    Reading,
    sum_contexts,
)
from eatlas_corpora.reading.files import Corpus, Unit
from eatlas_corpora.reading.local import Parting, year_of
from eatlas_corpora.reading.matching import Case, Compounds
from eatlas_corpora.results.embedding_regression import (
    Coefficient,
    Covariate,
    EmbeddingRegression,
    Neighbour,
    NeighbourRatio,
    Profile,
    RegressionProvenance,
    TermRegression,
)
from eatlas_corpora.sources.matrices import Matrix
from eatlas_corpora.stats.embedding_regression import (
    Observations,
    half_width,
    permutation_p,
    standard_error,
)

PERMUTATIONS = 999
MOST_VALUES = 50
"""Values of a category; one with more is a name, or a number written otherwise."""
SHOWN = 40
"""Characters of a value in a message."""
LEAST_UNITS = 5
"""Units with the term of each value of a category."""
LEAST_LEFT = 10
"""Units more than coefficients."""
CANDIDATES = 30_000
"""Words of the source among which neighbours are sought: the first that are words."""
NEIGHBOURS = 10
NEVER = "it never occurs"
OCCURRENCE = "occurrence"
"""The unit that treats each context of a term as independent."""
QUANTILES = (0.1, 0.5, 0.9)
DECIMALS = 6

Array = NDArray[np.float64]


def embedding_regression(  # noqa: PLR0913  (each is a choice of the user's)
    corpus: Corpus,
    terms: str | Sequence[str],
    vectors: VectorsLike,
    covariates: str | Sequence[str],
    *,
    reference: Mapping[str, str] | None = None,
    unit: str | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    window: int = WINDOW,
    stop_words: Sequence[str] | None = None,
    matrix: Matrix | None = None,
    language: str = "",
    case: Case = "auto",
    compounds: Compounds = "either",
    field: str | None = None,
    documents: Unit = "line",
    out: str | Path | None = None,
    workers: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = False,
) -> EmbeddingRegression:
    r"""Regress the *a la carte* vectors of terms on covariates of the documents.

    The question of conText (Rodriguez, Spirling and Stewart 2023): do parties, or years, use a word
    differently? Of each document with a term the mean vector of its contexts is an observation.
    A coefficient is a vector; its squared norm says how much the use of the term changes.

    Parameters
    ----------
    corpus : str, path, or several of them
        JSON Lines, CSV, TSV or Parquet with the covariates, as for :func:`eatlas.count_text`.
    terms : str, or sequence of str
        Words or phrases; each has a regression of its own.
    vectors : anything that :func:`eatlas.open_vectors` takes
        As for :func:`eatlas.embed`.
    covariates : str, or sequence of str
        Fields of the documents. A field of numbers, or of dates, which count by their years, is a
        number, taken per standard deviation; any other, and one of two values, is a category.
    reference : mapping of str to str, optional
        Reference value of a field, by default its most frequent value.
        A field of numbers that is named here is a category.
    unit : str, optional
        Field whose documents belong together, such as speakers; or ``document``. They weigh as much
        as one document, and standard errors and p-values are over units. By default as for
        :func:`eatlas.embed`. With ``occurrence`` each context of a term is an observation, as in
        conText, and counts as independent of the others of its document.
    permutations : int
        Random permutations of each p-value.
    seed : int
        Seed of the permutations.
    window, stop_words, matrix, case, compounds, field, documents, workers, executor, progress
        As for :func:`eatlas.embed`.
    language : str
        Of texts and terms.
    out : path, optional
        Write the record to this file, ``.json``.

    Returns
    -------
    EmbeddingRegression
        Coefficients (:meth:`to_frame`), nearest words (:meth:`neighbours`) and ratios of nearness
        (:meth:`ratios`).

    Raises
    ------
    EatlasError
        If a covariate has one value or too many, no term occurs in enough documents, or options or
        a file are not usable.

    Warns
    -----
    SourceWarning
        If a term is left out, or the transformation is poor.

    Notes
    -----
    With the observations as rows of :math:`Y` and a constant and the covariates as columns of
    :math:`X`, :math:`B = (X'WX)^{-1}X'WY`; the weights of a unit's observations are shares of its
    contexts. Of coefficient j the record has :math:`\|b_j\|^2`, its bias
    :math:`\sum_k \hat V(b_{jk})` by HC2, or CR2, and the difference of both (Green et al. 2025),
    whose standard error comes from a jackknife over units, or 200 groups of them. Its p-value is by
    permutation of the residuals without the covariate (Freedman and Lane 1983), with
    :math:`\|b_j\|^2` over its bias as statistic. Where covariates differ within units, signs of
    whole units change instead.

    Examples
    --------
    One party speaks of war next to the army, the other beside farms:

    >>> import eatlas, json, tempfile, warnings
    >>> from pathlib import Path
    >>> rng = np.random.default_rng(0)
    >>> words = "army navy farm crop road ship bank coin".split()
    >>> vectors = {word: rng.normal(size=2) for word in [*words, "war"]}
    >>> speeches = []
    >>> for party, own in [("left", words[:2]), ("right", words[2:4])] * 30:
    ...     text = [*rng.choice(own, 6), "war", *rng.choice(words, 20)]
    ...     speeches.append({"party": party, "text": " ".join(text)})
    >>> path = Path(tempfile.mkdtemp(), "speeches.jsonl")
    >>> _ = path.write_text("\n".join(map(json.dumps, speeches)))
    >>> with warnings.catch_warnings(action="ignore"):  # so small a corpus fits poorly
    ...     result = embedding_regression(path, "war", vectors, "party")
    >>> party = result.terms[0].coefficients[0]
    >>> party.value, party.against, party.p
    ('right', 'left', 0.001)
    """
    terms, fields = _names(terms, "terms"), _names(covariates, "covariates")
    reference = dict(reference or {})
    for name in reference.keys() - set(fields):
        raise EatlasError(
            f"reference: {name!r} is not a covariate{did_you_mean(name, fields)}",
            allowed=", ".join(fields),
        )
    require_whole("permutations", permutations, 99)
    require_whole("seed", seed, 0)
    concept = Concept(name="terms", terms=terms)
    refuse_wildcards({"terms": concept}, "regression, ")
    path = require_place(out, "an embedding regression", (".json",))
    how = Reading(
        window, stop_words, matrix, case, compounds, field, documents, path, workers, executor,
        progress,
    )  # fmt: skip
    by_occurrence = unit == OCCURRENCE
    own = "" if unit in {DOCUMENT, OCCURRENCE} else unit
    parting = Parting(fields[0], (), own, fields, occurrences=by_occurrence)
    with sum_contexts(corpus, terms, language, vectors, parting, how) as contexts:
        result = _regress_terms(contexts, reference, permutations, seed)
        if path is not None:
            with atomic_file(path) as file:
                file.write(json.dumps(result.to_dict(), ensure_ascii=False, indent=1) + "\n")
    contexts.warn()
    for note in result.warnings:
        warn(note, stacklevel=2)
    return result


def _names(names: str | Sequence[str], what: str) -> tuple[str, ...]:
    """Names, each once."""
    several = tuple(dict.fromkeys([names] if isinstance(names, str) else names))
    if not several or not all(isinstance(name, str) and name.strip() for name in several):
        raise EatlasError(f"{what}: no name is given", got=repr(names), allowed="one or more names")
    return several


# --- the design -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Field:
    """The values of one covariate in all combinations of values."""

    about: Covariate
    values: NDArray[Any]
    """Names, or standardised numbers, shape (combinations,)."""
    numbers: Array | None
    """Numbers as they are."""


def _number(value: str) -> float:
    """The number that a value is, or the year of a date; NaN where it is neither."""
    try:
        return float(value)
    except ValueError:
        year = year_of(value)
        return math.nan if year is None else float(year)


def _field(name: str, values: Sequence[str], documents: Array, reference: str | None) -> _Field:
    """How a covariate is coded."""
    count: Counter[str] = Counter()
    for value, n in zip(values, documents.tolist(), strict=True):
        count[value] += int(n)
    if len(count) < 2:
        raise SourceError(
            f"the covariate {name!r} has one value",
            got=f"{next(iter(count))!r} in all {int(documents.sum()):,} documents that have it",
            allowed="two values or more",
            remedy="leave it out, or add documents that differ in it",
        )
    numbers = np.array([_number(value) for value in values])
    if reference is None and len(count) > 2 and np.isfinite(numbers).all():
        mean = float(np.average(numbers, weights=documents))
        sd = math.sqrt(float(np.average(np.square(numbers - mean), weights=documents)))
        if sd > 0:
            about = Covariate(field=name, kind="number", mean=mean, sd=sd)
            return _Field(about, (numbers - mean) / sd, numbers)
    if len(count) > MOST_VALUES:
        odd = next((v for v, x in zip(values, numbers, strict=True) if not math.isfinite(x)), "")
        raise SourceError(
            f"the covariate {name!r} has too many values for a category",
            got=f"{len(count):,}: {listing((value[:SHOWN] for value in count), 5)}",
            allowed=f"at most {MOST_VALUES}, or only numbers"
            + f" ({odd[:SHOWN]!r} is none)" * bool(odd),
            remedy="merge values in a new column",
        )
    if reference is not None and reference not in count:
        raise EatlasError(
            f"reference: no document has {name}={reference}{did_you_mean(reference, count)}",
            allowed=listing(count),
        )
    most = reference or max(sorted(count), key=count.__getitem__)
    about = Covariate(
        field=name, kind="category", reference=most, documents=dict(sorted(count.items()))
    )
    return _Field(about, np.array(values, object), None)


@dataclass(frozen=True)
class _Design:
    """Observations of one term, and the columns of its covariates."""

    observations: Observations
    columns: list[tuple[str, str, str]]
    """Field, value and reference of each column behind the constant; of numbers no values."""
    rows: NDArray[np.int64]
    """Combination of values of each observation."""
    contexts: NDArray[np.int64]
    left_out: dict[str, int]

    def profile(self, field: str, value: str | float) -> Array:
        """Covariates of a term at one value of a field, with the means of all others."""
        x = np.average(self.observations.x, axis=0, weights=self.observations.weights)
        for i, (name, level, _) in enumerate(self.columns, 1):
            if name == field:
                x[i] = value if isinstance(value, float) else float(level == value)
        return np.asarray(x)


def _common(
    fields: Sequence[_Field], part: NDArray[np.int64], unit: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Which observations have values of categories that enough units have; how many have not."""
    use, left_out = np.ones(len(part), np.bool_), Counter[str]()
    categories = [field for field in fields if field.numbers is None]
    before = -1
    while before != use.sum():  # without the documents of one value another may be rare
        before = int(use.sum())
        for field in categories:
            values = field.values[part]
            for value in dict.fromkeys(values[use].tolist()):
                rare = use & (values == value)
                if len(np.unique(unit[rare])) < LEAST_UNITS:
                    left_out[f"{field.about.field}={value}"] += int(rare.sum())
                    use &= ~rare
    return use, dict(left_out)


def _design(contexts: AddedContexts, fields: Sequence[_Field], term: int) -> _Design | str:
    """The regression of a term; or why there is none."""
    found = contexts.sums
    own = (found.rows[:, 2] == term) & (found.counts > 0)
    part, block = found.rows[own, 0].astype(np.int64), found.rows[own, 1].tolist()
    counts = found.counts[own]
    if not len(part):
        return NEVER
    by_name = bool(contexts.search.parting.unit)
    places = found.rows[own, 3].tolist()  # 0 where occurrences of a document are one
    names = [
        found.units[p][b] if by_name else (p, b, place)
        for p, b, place in zip(part, block, places, strict=True)
    ]
    number: dict[Any, int] = {}
    unit = np.array([number.setdefault(name, len(number)) for name in names])
    use, left_out = _common(fields, part, unit)
    order = np.flatnonzero(use)[np.argsort(unit[use], kind="stable")]
    part, unit, counts = part[order], unit[order], counts[order]
    columns: list[tuple[str, str, str]] = []
    x = [np.ones(len(part))]
    for field in fields:
        name, values = field.about.field, field.values[part]
        if field.numbers is not None:
            columns.append((name, "", ""))
            x.append(values.astype(float))
            continue
        levels = Counter(values.tolist())
        most = field.about.reference
        most = most if most in levels else max(sorted(levels), key=levels.__getitem__, default="")
        columns += [(name, level, str(most)) for level in sorted(levels) if level != most]
        x += [(values == level).astype(float) for level in sorted(levels) if level != most]
    units, k = len(np.unique(unit)), len(x)
    if units < k + LEAST_LEFT:
        what = _unit_of(contexts) or "document"
        what = f"{what}s" if what in {DOCUMENT, OCCURRENCE} else f"units by {what}"
        return f"{units} {what} with values that {LEAST_UNITS} have: too few for {k} coefficients"
    table = np.column_stack(x)
    if np.linalg.matrix_rank(table) < k:
        return "its covariates are combinations of each other, or have one value, where it occurs"
    means = found.sums[own][order] / counts[:, None]
    weights = counts / np.bincount(unit, counts)[unit]
    y = means @ contexts.matrix.astype(np.float64)
    return _Design(Observations(table, y, unit, weights), columns, part, counts, left_out)


# --- what is measured -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Candidates:
    """Words among which neighbours are sought."""

    words: tuple[str, ...]
    vectors: Array
    """Unit vectors."""

    @classmethod
    def of(cls, contexts: AddedContexts) -> _Candidates:
        """The first words of the source that are words, without stop words."""
        words = contexts.search.words
        stop = contexts.search.stop_words | STOP_WORDS
        use = [i for i, word in enumerate(words) if word.isalpha() and word.lower() not in stop]
        use = use[:CANDIDATES]
        vectors = contexts.search.vectors[use].astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return cls(tuple(words[i] for i in use), vectors)

    def cosines(self, vector: Array, rows: Any = slice(None)) -> Array:
        """Cosines of a vector, or of several, with the words, or some."""
        lengths = np.linalg.norm(vector, axis=-1, keepdims=True)
        return np.asarray(vector / lengths @ self.vectors[rows].T)

    def nearest(self, cosines: Array, term: str) -> list[int]:
        """The nearest words other than the term."""
        order = np.argsort(-cosines, kind="stable")[: NEIGHBOURS + 2].tolist()
        return [i for i in order if self.words[i].lower() != term.lower()][:NEIGHBOURS]


def _levels(field: _Field, design: _Design) -> list[tuple[str, Any]]:
    """Values at which the term is looked at, as they are written and as they are coded."""
    if field.numbers is None:
        return [(v, v) for v in sorted(set(field.values[design.rows].tolist()))]
    numbers = field.numbers[design.rows]
    some = np.unique(np.quantile(numbers, QUANTILES, method="nearest"))
    some = some if len(some) > 1 else np.array([numbers.min(), numbers.max()])
    mean, sd = field.about.mean or 0.0, field.about.sd or 1.0
    return [(f"{v:.10g}", (v - mean) / sd) for v in some.tolist()]


def _profile(
    field: _Field, value: str, design: _Design, candidates: _Candidates, cosines: Array, term: str
) -> Profile:
    """The nearest words of a term at one value."""
    o, own = design.observations, None
    if field.numbers is None:
        own = field.values[design.rows] == value
    return Profile(
        field=field.about.field,
        value=value,
        units=None if own is None else len(np.unique(o.unit[own])),
        contexts=None if own is None else int(design.contexts[own].sum()),
        neighbours=tuple(
            Neighbour(word=candidates.words[i], cosine=round(float(cosines[i]), DECIMALS))
            for i in candidates.nearest(cosines, term)
        ),
    )


def _term(
    term: str,
    design: _Design,
    fields: Iterable[_Field],
    candidates: _Candidates,
    permutations: int,
    rng: np.random.Generator,
) -> TermRegression:
    """The regression of one term with its neighbours."""
    o = design.observations
    squared, noise = o.coefficient_norms()
    each = [(w.coefficients, np.subtract(*w.coefficient_norms())) for w in o.without_groups()]
    without, coefficients_without = (np.array([e[i] for e in each]) for i in (1, 0))
    errors, half = standard_error(without), half_width(len(each), CONFIDENCE)
    profiles: dict[tuple[str, str], Profile] = {}
    at: dict[tuple[str, str], tuple[Array, list[int]]] = {}
    ends: dict[str, tuple[str, str]] = {}
    for field in fields:
        name, levels = field.about.field, _levels(field, design)
        ends[name] = levels[-1][0], levels[0][0]
        for value, coded in levels:
            x = design.profile(name, coded)
            cosines = candidates.cosines(x @ o.coefficients)
            profiles[name, value] = _profile(field, value, design, candidates, cosines, term)
            at[name, value] = x, candidates.nearest(cosines, term)
    coefficients = []
    for j, (name, value, against) in enumerate(design.columns, 1):
        pair = (value, against) if value else ends[name]
        debiased, se = float(squared[j] - noise[j]), float(errors[j])
        (first, near), (second, far) = (at[name, end] for end in pair)
        coefficients.append(
            Coefficient(
                field=name, value=pair[0], against=pair[1],
                squared_norm=float(squared[j]), bias=float(noise[j]), debiased=debiased, se=se,
                interval=(debiased - half * se, debiased + half * se),
                p=permutation_p(o, j, permutations, rng),
                ratios=_ratios(
                    candidates, list(dict.fromkeys(near + far)), np.stack([first, second]),
                    o.coefficients, coefficients_without,
                ),
            )
        )  # fmt: skip
    return TermRegression(
        term=term,
        units=o.units,
        observations=len(o.y),
        contexts=int(design.contexts.sum()),
        left_out=design.left_out,
        coefficients=tuple(coefficients),
        profiles=tuple(profiles.values()),
    )


def _ratios(
    candidates: _Candidates, rows: list[int], x: Array, coefficients: Array, without: Array
) -> tuple[NeighbourRatio, ...]:
    """Ratios of the cosines of two profiles with words, the largest first."""
    first, second = candidates.cosines(x @ coefficients, rows)
    each = candidates.cosines(x @ without, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios, errors = first / second, standard_error(each[:, 0] / each[:, 1])
    made = [
        NeighbourRatio(
            word=candidates.words[row],
            ratio=round(float(ratio), DECIMALS),
            se=round(float(se), DECIMALS) if math.isfinite(se) else None,
        )
        for row, ratio, se in zip(rows, ratios, errors, strict=True)
        if math.isfinite(ratio)
    ]
    return tuple(sorted(made, key=lambda each: -each.ratio))


def _regress_terms(
    contexts: AddedContexts, reference: Mapping[str, str], permutations: int, seed: int
) -> EmbeddingRegression:
    """The record of all terms."""
    found, search = contexts.sums, contexts.search
    documents = np.array(found.documents, float)
    combinations = [json.loads(part) for part in found.parts]
    fields = [
        _field(name, [c[i] for c in combinations], documents, reference.get(name))
        for i, name in enumerate(search.parting.covariates)
    ]
    designs = {term: _design(contexts, fields, i) for i, term in enumerate(search.terms)}
    missing = {term: why for term, why in designs.items() if isinstance(why, str)}
    if len(missing) == len(designs):
        raise SourceError(
            "no term has enough documents for these covariates",
            got="; ".join(f"{term}: {why}" for term, why in list(missing.items())[:5]),
            allowed=f"terms in {LEAST_LEFT} documents more than there are coefficients",
            remedy="use fewer covariates, more frequent terms, more documents, or unit=document",
        )
    candidates = _Candidates.of(contexts)
    terms = [
        _term(
            term, design, fields, candidates, permutations,
            generator_of(seed, {"": [term]}, "embedding regression"),
        )
        for term, design in designs.items()
        if isinstance(design, _Design)
    ]  # fmt: skip
    unit = _unit_of(contexts)
    options = {
        "covariates": "+".join(search.parting.covariates),
        **({"unit": unit} if unit else {}),
        "window": search.window,
        "permutations": permutations,
    }
    few = {term: why for term, why in missing.items() if why != NEVER}
    return EmbeddingRegression(
        signature=f"embedding-regression({','.join(f'{k}={v}' for k, v in options.items())})",
        source=contexts.name or contexts.source.name,
        unit=unit,
        documents=int(documents.sum()),
        outside=dict(found.left_out),
        covariates=tuple(field.about for field in fields),
        terms=tuple(terms),
        missing=missing,
        transformation=contexts.learned.to_dict(),
        warnings=(Note("parts.not-regressed", values={"terms": few}),) if few else (),
        provenance=_provenance(contexts, permutations, seed),
    )


def _unit_of(contexts: AddedContexts) -> str:
    """What is taken as independent; empty for documents."""
    parting = contexts.search.parting
    return OCCURRENCE if parting.occurrences else parting.unit or ""


def _provenance(contexts: AddedContexts, permutations: int, seed: int) -> RegressionProvenance:
    """What the regression of all terms was made of."""
    found, rule = contexts.sums, contexts.search.rule
    digest = hashlib.sha256()
    for array in (found.rows, found.counts, found.sums.astype(np.float32)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return RegressionProvenance(
        version=__version__,
        seed=seed,
        permutations=permutations,
        source_fingerprint=contexts.source.fingerprint,
        matrix_sha256=hashlib.sha256(contexts.matrix.tobytes()).hexdigest(),
        contexts_sha256=digest.hexdigest(),
        **asdict(rule),
        stop_words=tuple(sorted(contexts.search.stop_words)),
        corpus=contexts.read,
    )
