"""Whether a measure's numbers agree with a census, texts, debiasing, and people.

Predictive validity compares with shares of groups in occupations, hypothesis validity asks about
amplification by a model and about mitigation by debiasing, and the rest is what people say: their
labels, their associations, and answers on consequences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import eatlas
from eatlas.decoding import own_toml, read_toml, toml_bytes
from eatlas.engine import open_as
from eatlas.errors import EatlasError, UndefinedWarning, described, did_you_mean, listing
from eatlas.measures import DivDist
from eatlas.results.parts import finite
from eatlas.sources import open_counts, period_of
from eatlas.stats.correlation import (
    FEWEST,
    PairedChange,
    compare_before_after,
    rank_correlation,
)
from eatlas.stats.shares import distribution, divergence
from eatlas.stimuli import GroupsTest, load_tests
from eatlas_corpora.reading import about_of
from eatlas_workbench.annotation import load_items, read_labels
from eatlas_workbench.cards.evidence import Drawing, Figure, Mark, Table
from eatlas_workbench.cards.material import (
    Exhibits,
    Material,
    NotRunError,
    Parts,
    abbreviate_names,
    drawing,
    figure,
    figure_of_test,
    mark,
    reason_of,
    rho_drawing,
    rho_figures,
    table,
    try_all,
)
from eatlas_workbench.cards.numbers import (
    BUILT_IN,
    GroupsWithTables,
    compare_views,
    families,
    leanings,
    rank_correlated,
    views,
)
from eatlas_workbench.leanings import Leanings, Numbers, in_every, pair_numbers
from eatlas_workbench.stats.series import series_correlation

if TYPE_CHECKING:
    from eatlas_workbench.annotation import Labels

Array = NDArray[np.float64]


# ---- predictive validity: a census

NAMED = 4
"""Occupations without a number that the first figure names; the remarks name more."""
YEAR = 2010
"""The year of the contemporary study, as in the paper; the last one of a census without it."""
WITHIN = (
    "year", "view", "mean of the measure", "mean of the census",
    "rho over occupations", "p, permutation",
)  # fmt: skip
NULLS = (
    "view", "rho", "p, autoregressive", "p, order in time ignored", "rho of changes",
    "p of changes", "autocorrelation, measure", "autocorrelation, census",
)  # fmt: skip


def sources_and_census(material: Material) -> Parts:
    """Each source without a period, with each family of groups of the census."""
    census = _families(material)
    sources = {
        name: source for name, source in material.iter_sources() if period_of(source) is None
    }
    if not sources:
        raise NotRunError("Every source belongs to a period; the study of decades takes these.")
    for name, source in sources.items():
        for family in census:
            yield f"{name}, {'/'.join(family.groups)}", family, name, source


def series_and_census(material: Material) -> Parts:
    """Each series of sources, by period with their names, with each family of the census."""
    census = _families(material)
    series: dict[str, dict[int, tuple[str, Any]]] = {}
    for name, source in material.iter_sources():
        if (period := period_of(source)) is not None:
            series.setdefault(source.name, {})[period] = name, source
    if not series:
        raise NotRunError("No series by period was given by --vectors, such as histwords-eng-all.")
    for name, by_period in series.items():
        for family in census:
            yield f"{name}, {'/'.join(family.groups)}", family, by_period


def _families(material: Material) -> list[GroupsWithTables]:
    needed = "such as census-gender, which eatlas vectors fetch census brings"
    return list(families(material, material.require("census", needed), "census"))


def census_year(
    material: Material, _: str, family: GroupsWithTables, name: str, source: Any
) -> Exhibits:
    """Rank correlation over occupations with the proportions of one year."""
    shares = next((years for years in family.tables if years.period == YEAR), family.tables[-1])
    terms = family.terms([shares])
    numbers = leanings(material, family.of_targets(terms), source, name)
    missing = [term for term in terms if numbers.values.get(term) is None]
    both = views(family, numbers, terms, family.shares(shares, terms))
    figures, columns = compare_views(both, "census", "occupations", material.seed)
    if missing:
        lost = f"{len(missing):,} without a number: {listing(missing, NAMED)}"
        figures[0] = figures[0].model_copy(update={"text": lost})
    rows = [row for row in zip(terms, *columns.values(), strict=True) if row[0] not in missing]
    title = f"Occupations and the census of {shares.period or 'one year'}"
    drawn = _rhos(figures, "Rank correlation with the census over occupations")
    remarks = _remarks(numbers.what, family, missing)
    return figures, [table(title, ("occupation", *columns), rows)], [drawn], [*remarks]


def _remarks(what: str, family: GroupsWithTables, missing: Sequence[str]) -> Iterator[str]:
    """Sentences about the numbers of occupations that a study compares with."""
    yield f"An occupation's number is its {what}."
    if missing:
        yield (
            f"Without a number, and not counted: {len(missing):,} occupations: "
            f"{abbreviate_names(missing)}."
        )
    if len(family.groups) > 2:
        yield "Figures of several groups are not independent; their p-values are not adjusted."


def _rhos(figures: Sequence[Figure], title: str) -> Drawing:
    """Each rank correlation as a mark with its interval; changes follow what they are of."""
    marks = []
    for number in figures:
        start, _, label = number.name.partition(", ")
        if start == "rho":
            label = "its changes" if label.startswith("changes") else label
            marks.append(mark(label, number))
    return rho_drawing(title, marks)


def census_decades(
    material: Material, _: str, family: GroupsWithTables, by_period: Mapping[int, tuple[str, Any]]
) -> Exhibits:
    """Correlation of yearly means of a series with those of the census."""
    census = {of_year.period: of_year for of_year in family.tables}
    years = sorted(by_period.keys() & census.keys())
    if len(years) < FEWEST:
        raise NotRunError(f"There are {len(years)} years in common, and {FEWEST} are needed.")
    terms = family.terms([census[year] for year in years])
    test = family.of_targets(terms)
    numbers: dict[int, Leanings] = {}
    for year in years:
        name, source = by_period[year]
        numbers[year] = leanings(material, test, source, name)
    every = in_every({year: of.values for year, of in numbers.items()})
    shared = [term for term in terms if term in every]
    missing = [term for term in terms if term not in every]
    if not shared:
        raise NotRunError("No occupation has a number in every period.")
    by_year = {
        year: views(family, of, shared, family.shares(census[year], shared))
        for year, of in numbers.items()
    }
    figures: list[Figure] = []
    nulls, within = [], []
    for name in by_year[years[0]]:
        means = []
        for year in years:
            measured, _, of_table = by_year[year][name]
            mean = float(np.array([*measured.values()], np.float64).mean())
            means.append((mean, float(of_table.mean())))
            rho = rank_correlated(measured, of_table, material.seed)
            within.append((str(year), name, *means[-1], finite(rho.rho), finite(rho.p)))
        rng = np.random.default_rng(material.seed)
        over = series_correlation(*zip(*means, strict=True), rng=rng)
        raw, p = over.unordered, finite(over.p)
        null = "independent autoregressive series, least favourable, two-sided"
        figures += [
            Figure(name=f"rho, {name}", value=finite(raw.rho), n=raw.n, of="periods", p=p,
                   test="" if p is None else null),
            Figure(name=f"R2, {name}", value=finite(raw.r2), n=raw.n, of="periods"),
            rho_figures(f"changes, {name}", over.changes, "changes")[0],
        ]  # fmt: skip
        row = (raw.rho, over.p, raw.p, over.changes.rho, over.changes.p)
        nulls.append((name, *map(finite, (*row, *over.autocorrelation))))
    title = "Means by year, and correlation over occupations within it"
    tables = [
        table("Nulls of the correlation over periods", NULLS, nulls),
        table(title, WITHIN, within),
    ]
    means_are = (
        f"Means are over the {len(shared):,} occupations that have a number in each of the "
        f"{len(years)} years {years[0]} to {years[-1]}."
    )
    remarks = [*_remarks(numbers[years[0]].what, family, missing), means_are]
    return figures, tables, [_rhos(figures, "Rank correlation of means over periods")], remarks


# ---- hypothesis validity: amplification and mitigation

METHODS = ("hard-debias", "soft-debias")
"""Transforms of the house that take a family of groups, as in Table 7 of the paper."""
SHOWN = 40
"""Targets of a drawing."""
DRAWS = 200
"""Of fewer contexts, where two texts are compared."""
MOST_CONTEXTS = 10**9
"""Of a target, below: from more contexts none are sampled."""


def _changes(
    changes: Mapping[tuple[str, ...], PairedChange], first: Sequence[str]
) -> tuple[list[Figure], Table]:
    """Mean changes of bias, by label and the `first` cells of a row, and a table of them."""
    figures, rows = [], []
    for (label, *cells), pairs in changes.items():
        flipped = "signs of changes flipped"
        figures.append(
            figure_of_test(f"change of bias, {label}", pairs.change, pairs, "targets", flipped)
        )
        numbers = map(finite, (pairs.before, pairs.after, pairs.change, pairs.p))
        rows.append((*cells, pairs.n, *numbers, pairs.rose, pairs.fell))
    columns = ("targets", "mean before", "mean after", "change", "p", "rose", "fell")
    return figures, table("Mean bias before and after", (*first, *columns), rows)


def texts(material: Material) -> Parts:
    """The text that a model learned from, with each family of groups, and the measure of counts."""
    counts = material.require("counts", "of the text that a model learned from, by eatlas text")
    if not (material.representations or material.files.get("generated")):
        raise NotRunError("Neither --representations nor --generated has a value.")
    measure = material.measure
    if not isinstance(measure, DivDist):  # whose biases at fewer contexts are computed here
        raise NotRunError(f"The measure {measure.name} takes no counts of a text; divdist does.")
    counting = measure.with_parameters(soa="counts")
    for family in families(material, counts[:1], "table of counts"):
        yield f"{counts[0].name}, {'/'.join(family.groups)}", family, counting


Stage = tuple[str, str, Leanings, dict[str, Array] | None]
"""Kind and name of a text, of what a model learned from it, or of what it generates; its numbers;
and of a text the contexts of each target by group."""


def _stages(
    material: Material, family: GroupsWithTables, test: GroupsTest, counting: DivDist
) -> Iterator[Stage]:
    """The text, what a model learned from it, and what it generates."""
    texts = [("text", family.tables[0])]
    for path in material.files.get("generated", ()):
        texts += [("generated text", counts) for counts in open_counts(str(path))]
    for kind, counts in texts:
        numbers = leanings(material, test, counts, counts.name, counting)
        contexts = _contexts(counts, family, test.targets.terms)
        yield kind, Path(counts.name).name, numbers, contexts
        of_vectors = material.measure.needs.source == "vectors"
        if kind == "text" and of_vectors and material.representations:
            for source, name, _ in open_as(material.representations, "vectors"):
                called = name or source.name
                numbers = leanings(material, test, source, called)
                yield "representations", Path(called).name, numbers, None


def amplification(
    material: Material, _: str, family: GroupsWithTables, counting: DivDist
) -> Exhibits:
    """Every later stage against every earlier one, over the targets that both have."""
    test = family.of_targets(family.terms(family.tables[:1]))
    stages = list(_stages(material, family, test, counting))
    if len(stages) < 2:
        raise NotRunError("The measure takes counts only, and --generated has no value.")

    def bias(counts: Array) -> Array:
        shares = distribution(counts, counting.normalize, counting.negative)
        return divergence(shares, np.array(test.weights), counting.divergence)

    changes: dict[tuple[str, ...], PairedChange] = {}
    drawings: list[Drawing] = []
    for before, after in combinations(stages, 2):
        if before[0] == after[0]:
            continue
        by_target, change = _change(before, after, bias, material.seed)
        label = f"{after[0]} {after[1]} less {before[0]} {before[1]}"
        changes[label, after[1], before[1]] = change
        if not drawings:
            most = sorted(sorted(by_target, key=lambda term: -abs(by_target[term]))[:SHOWN])
            title = f"Change of bias, {after[0]} less {before[0]}"
            marks = [Mark(label=term, value=by_target[term]) for term in most]
            drawings.append(drawing(title, "change of bias; above 0 it grew", marks))
    figures, summary = _changes(changes, ("after", "before"))
    return figures, [summary, *_tables(family.groups[0], test.targets.terms, stages)], drawings, []


def _contexts(counts: Any, family: GroupsWithTables, terms: Sequence[str]) -> dict[str, Array]:
    """Contexts of each target and group."""
    names = [group.casefold() for group in family.groups]
    rows = {
        term: np.array([row[name] for name in names])
        for term in terms
        if (row := counts.counts(term)) and set(names) <= row.keys()
    }
    for term, numbers in rows.items():
        if (numbers != np.round(numbers)).any() or numbers.sum() >= MOST_CONTEXTS:
            table = Path(counts.name).name
            raise NotRunError(f"The counts of {term} in {table} are no whole numbers of contexts.")
    return rows


def _change(
    before: Stage, after: Stage, bias: Callable[[Array], Array], seed: int
) -> tuple[dict[str, float], PairedChange]:
    """Change of bias of each target, and its mean; of two texts at equal numbers of contexts."""
    terms, x, y = pair_numbers(before[2].values, after[2].values)
    rng = np.random.default_rng(seed)
    if terms and before[3] is not None and after[3] is not None:
        first, second = (np.array([of[term] for term in terms]) for of in (before[3], after[3]))
        x, y = at_equal_contexts(first, second, bias, rng)
    return dict(zip(terms, (y - x).tolist(), strict=True)), compare_before_after(x, y, rng=rng)


def at_equal_contexts(
    first: Array, second: Array, bias: Callable[[Array], Array], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Biases of the targets of two texts, in as many contexts of each target as the smaller has."""
    sizes = np.minimum(first.sum(axis=1), second.sum(axis=1))
    x, y = (bias(_rarefy(counts, sizes, DRAWS, rng)).mean(axis=0) for counts in (first, second))
    return x, y


def _rarefy(counts: Array, sizes: Array, draws: int, rng: np.random.Generator) -> Array:
    """Fewer contexts of each row, drawn without replacement, shape (draws, rows, k)."""
    drawn = [
        rng.multivariate_hypergeometric(row, size, draws)
        for row, size in zip(counts.astype(np.int64), sizes.astype(np.int64), strict=True)
    ]
    return np.stack(drawn, axis=1).astype(np.float64)


def _tables(group: str, terms: Sequence[str], stages: Sequence[Stage]) -> Iterator[Table]:
    """The bias of each target, its association with the first of two groups, and its contexts."""

    def by_target(title: str, stages: Sequence[Stage], columns: Sequence[Numbers]) -> Table:
        names = ("target", *(f"{kind}: {name}" for kind, name, *_ in stages))
        return table(title, names, [(t, *(column.get(t) for column in columns)) for t in terms])

    yield by_target("Bias of each target", stages, [stage[2].values for stage in stages])
    leans = [stage[2].towards_first for stage in stages]
    if directed := [numbers for numbers in leans if numbers is not None]:
        yield by_target(f"Lean of each target to {group}", stages, directed)
    texts = [stage for stage in stages if stage[3] is not None]
    totals = [
        {term: int(contexts[term].sum()) if term in contexts else 0 for term in terms}
        for *_, contexts in texts
        if contexts is not None
    ]
    yield by_target("Contexts of each target", texts, totals)


def mitigation(material: Material, name: str, source: Any) -> Exhibits:
    """The mean change by each debiasing transform, of each family of groups."""
    tests = {
        f"{method}:{test.id.rpartition('-')[2]}": test
        for test in load_tests(list(BUILT_IN))
        if isinstance(test, GroupsTest)
        for method in METHODS
    }

    def change(transform: str) -> PairedChange:
        before = leanings(material, tests[transform], source, name).sizes
        debiased, called = eatlas.transformed(source, transform), f"{name}?transform={transform}"
        after = leanings(material, tests[transform], debiased, called).sizes
        if before is None or after is None:
            raise NotRunError("No value of this measure means that a target has no association.")
        _, x, y = pair_numbers(before, after)
        return compare_before_after(x, y, rng=np.random.default_rng(material.seed))

    changes, reasons = try_all("Not run", change, tests)
    if not changes:
        raise NotRunError(" ".join(reasons))
    by_row: Any = {(label, label): change for label, change in changes.items()}
    figures, summary = _changes(by_row, ("transform",))
    axis, title = "change of bias; below 0 it fell", "Mean change of bias by each transform"
    marks = [mark(label, change) for label, change in zip(changes, figures, strict=True)]
    return figures, [summary], [drawing(title, axis, marks)], reasons


# ---- people: agreement, associations, co-occurrence in the same text, consequences

TESTS = (*BUILT_IN, "divdist-face-validity", "divdist-religion")
OPEN = "open"
"""What a card says in place of an answer."""


def labels(material: Material) -> Parts:
    """The items that people labelled, with the labels: a file of items, and files of labels."""
    paths = material.require(
        "labels", "labels by people and their items, as eatlas annotate writes them"
    )
    items = [path for path in paths if about_of(path)]
    if len(items) != 1:
        n = len(items)
        raise NotRunError(f"--labels names {n} files of eatlas annotate sample, and one is needed.")
    files = [path for path in paths if path not in items]
    read = read_labels(load_items(items[0]) if files else items[0], files or None)
    yield read.items.name, read


def agreement(material: Material, _: str, labels: Labels) -> Exhibits:
    """Krippendorff's alpha and Fleiss' kappa of the labels, and of each label and pair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)  # remarks say the same
        agreed = labels.agreement(seed=material.seed)
    coefficients = (
        ("Krippendorff's alpha", agreed.alpha, agreed.compared),
        ("Fleiss' kappa", agreed.kappa, agreed.rated),
        ("agreement", agreed.agreement, agreed.compared),
    )
    by_label = [
        (label.label, label.given, label.alpha.value, label.kappa.value) for label in agreed.labels
    ]
    tables = [
        table("Annotators", ("annotator", "contexts"), agreed.annotators.items()),
        table("Agreement on each label", ("label", "given", "alpha", "kappa"), by_label),
    ]
    if agreed.pairs:
        columns = ("first", "second", "contexts", "agreement", "Cohen's kappa")
        pairs = [
            (pair.first, pair.second, pair.items, pair.agreement.value, pair.kappa.value)
            for pair in agreed.pairs
        ]
        tables.append(table("Agreement of pairs", columns, pairs))
    figures = [
        figure(name, coefficient.value, coefficient.interval, n, "contexts")
        for name, coefficient, n in coefficients
    ]
    return figures, tables, [], agreed.undefined


def people(material: Material, labels: Labels) -> tuple[GroupsWithTables, list[str]]:
    """People's counts as a family of its own, and what is to be said of targets without a group."""
    counts, groups = labels.adjudicated().counts(), labels.items.groups
    wanted = sorted(map(str.casefold, groups))
    for test in (*material.tests, *load_tests(list(TESTS))):
        if isinstance(test, GroupsTest) and wanted == sorted(
            group.name.casefold() for group in test.groups
        ):
            break
    else:
        has = ", ".join(groups)
        raise NotRunError(f"No test has the groups of the labels, {has}; name theirs by --tests.")
    terms = [term for term, row in counts.rows.items() if sum(row.values())]
    if not terms:
        raise NotRunError("People associate no target with a group.")
    without = [term for term in counts.rows if term not in terms]
    remarks = (
        [f"Associated with no group by people: {abbreviate_names(without)}."] if without else []
    )
    return GroupsWithTables(GroupsWithTables(test, ()).of_targets(terms), (counts,)), remarks


def sources_and_people(material: Material) -> Parts:
    """Each source, with people's associations, and a sentence about targets without a group."""
    for _, by_people in labels(material):
        family, without = people(material, by_people)
        for name, source in material.iter_sources():
            yield name, source, family, without


def human_associations(
    material: Material, name: str, source: Any, family: GroupsWithTables, without: Sequence[str]
) -> Exhibits:
    """Rank correlation of the measure with people's associations, over targets that both have."""
    terms = list(family.test.targets.terms)
    numbers = leanings(material, family.test, source, name)
    both = views(family, numbers, terms, family.shares(family.tables[0], terms))
    figures, columns = compare_views(both, "people", "targets", material.seed)
    missing = [term for term in terms if numbers.values.get(term) is None]
    remarks = [
        f"A target's number is its {numbers.what}; people's is the share of contexts by majority."
    ]
    if missing:
        remarks.append(f"Without a number of the measure: {abbreviate_names(missing)}.")
    remarks += without
    if (n := len(terms) - len(missing)) < FEWEST:
        remarks.append(f"A rank correlation needs 4 targets, and there are {n}: it is undefined.")
    rows = zip(terms, *columns.values(), strict=True)
    return figures, [table("Associations of targets", ("target", *columns), rows)], [], remarks


def text_by_span(material: Material, _: str, labels: Labels) -> Exhibits:
    """Correlation of people's shares with those of counts, those of shorter spans first.

    Of two groups the first alone, since the proportions of the other are what is left.
    """
    paths = material.require(
        "counts", "of the text that the contexts are from, for a span or several"
    )
    family, without = people(material, labels)
    targets = family.test.targets.terms
    groups = family.groups[:1] if len(family.groups) == 2 else family.groups
    spans = {path: span if isinstance(span := about_of(path).get("span"), int) else None
             for path in paths}  # fmt: skip
    rows, figures, marks, remarks = [], [], [], []
    for path in sorted(paths, key=lambda path: (spans[path] or 0, path)):
        span = spans[path]
        called = path.name if span is None else f"{span} sentence{'s' * (span != 1)}"
        try:
            counts = open_counts(str(path))[0]
        except EatlasError as error:
            remarks.append(reason_of(error))
            continue
        terms = family.terms([counts], targets)
        if lost := [term for term in targets if term not in terms]:
            remarks.append(f"{called}: no association with a group of {abbreviate_names(lost)}.")
        theirs, ours = (family.shares(tabled, terms) for tabled in (family.tables[0], counts))
        for j, group in enumerate(groups):
            rng = np.random.default_rng(material.seed)
            pairs = rank_correlation(theirs[:, j], ours[:, j], rng=rng)
            rho, r2 = rho_figures(f"share of {group}, {called}", pairs, "targets")
            figures += [rho, r2]
            marks.append(mark(called, rho, group))
            numbers = map(finite, (pairs.rho, pairs.p, pairs.r2))
            rows.append((span, path.name, group, pairs.n, *numbers))
    remarks += without
    if not figures:
        raise NotRunError(" ".join(remarks))
    columns = ("sentences", "counts", "group", "targets", "rho", "p", "R2")
    by_span = table("Correlation by length of the context", columns, rows)
    return figures, [by_span], [rho_drawing("People against co-occurrence", marks)], remarks


def questions() -> dict[str, str]:
    """The questions by their ids, in the order in which they are put."""
    data = resources.files("eatlas_workbench.cards") / "data" / "questionnaire.toml"
    return {question["id"]: question["text"] for question in own_toml(data)["question"]}


def read_answers(path: Path) -> dict[str, str]:
    """Read answers by question from a TOML file: ``id = "answer"`` on its lines."""
    try:
        answers = read_toml(toml_bytes(path, EatlasError), str(path), EatlasError)
    except OSError as error:
        raise EatlasError(f"{path}: the answers cannot be read", got=str(error)) from error
    ids = questions()
    for name, answer in answers.items():
        if name not in ids or not isinstance(answer, str):
            what = "is not a string" if name in ids else f"has no question{did_you_mean(name, ids)}"
            raise EatlasError(
                f"{path}: the answer to {name!r} {what}",
                got=described(answer),
                allowed=f'ID = "a sentence", where ID is one of {", ".join(ids)}',
            )
    return {name: answer.strip() for name, answer in answers.items() if answer.strip()}


def answers(material: Material) -> Parts:
    """The file of answers, or none."""
    paths = material.files.get("answers", ())
    yield (paths[0].name if paths else ""), *paths


def questionnaire(_material: Material, _: str, path: Path | None = None) -> Exhibits:
    """The questions with the answers that were given; the others are open."""
    answers = {} if path is None else read_answers(path)
    rows = [(text, id_, answers.get(id_, OPEN)) for id_, text in questions().items()]
    count = Figure(name="questions answered", value=len(answers), n=len(rows), of="questions")
    none = "No answers were given by --answers, so every question is open."
    put = table("Questions and answers", ("question", "id", "answer"), rows)
    return [count], [put], [], [none] if path is None else []
