"""What people say: agreement of annotators, their associations, and questions on consequences."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.apps.annotation import load_items, read_labels
from eatlas.apps.annotation.journal import ENDING
from eatlas.apps.protocol.evidence import Figure, Table
from eatlas.apps.protocol.material import (
    Answers,
    Fields,
    Material,
    NotRunError,
    figure,
    listed_names,
    mark,
    reason_of,
    rho_drawing,
    rho_figures,
    table,
)
from eatlas.apps.protocol.numbers import BUILT_IN, Family, compared, leanings, views
from eatlas.corpora import about_of
from eatlas.decoding import own_toml, read_toml, toml_bytes
from eatlas.errors import EatlasError, UndefinedWarning, described, did_you_mean
from eatlas.results.parts import defined
from eatlas.sources import Counts, CountTable, open_counts
from eatlas.stats.paired import RankCorrelation, rank_correlation
from eatlas.stimuli import Concept, GroupsTest, load_tests

if TYPE_CHECKING:
    from eatlas.apps.annotation import Agreement, Labels

TESTS = (*BUILT_IN, "divdist-face-validity", "divdist-religion")
OF = "targets"


def labels_of(material: Material) -> Labels:
    """The labels by people that were given: a file of items, and files of labels of these."""
    paths = material.require(
        "labels", "labels by people and their items, as eatlas annotate writes them"
    )
    items = [path for path in paths if about_of(path)]
    for path in paths:
        items_file = Path(f"{str(path).removesuffix(ENDING)}.csv")
        if path.name.endswith(ENDING) and items_file not in items:
            items.append(items_file)
    if len(items) != 1:
        raise NotRunError(
            f"The labels are of {len(items)} files of items, and one is needed: name the file of "
            "eatlas annotate sample by --labels, and the files of labels of its items."
        )
    labels = [path for path in paths if path not in items]
    return read_labels(load_items(items[0]) if labels else items[0], labels or None)


def agreement(material: Material) -> Answers:
    """Krippendorff's alpha and Fleiss' kappa of the labels."""
    labels = labels_of(material)
    yield labels.items.name, partial(_agreement, labels, material.seed)


def _agreement(labels: Labels, seed: int) -> Fields:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)  # remarks say the same
        agreed = labels.agreement(seed=seed)
    coefficients = (
        ("Krippendorff's alpha", agreed.alpha, agreed.compared),
        ("Fleiss' kappa", agreed.kappa, agreed.rated),
        ("agreement", agreed.agreement, agreed.compared),
    )
    explained = (
        "Alpha and kappa are 1 where annotators always agree, and 0 where they agree as often as "
        "by chance."
    )
    return {
        "figures": [figure(name, coefficient.value, coefficient.interval, n, "contexts")
                    for name, coefficient, n in coefficients],
        "tables": [*_tables(agreed)],
        "remarks": [explained, *agreed.undefined],
    }  # fmt: skip


def _tables(agreed: Agreement) -> Iterator[Table]:
    """Tables of annotators, of agreement on each label, and of pairs of annotators."""
    yield table("Annotators", ("annotator", "contexts"), agreed.annotators.items())
    rows = [
        (label.label, label.given, label.alpha.value, label.kappa.value) for label in agreed.labels
    ]
    yield table("Agreement on each label", ("label", "given", "alpha", "kappa"), rows)
    if agreed.pairs:
        columns = ("first", "second", "contexts", "agreement", "Cohen's kappa")
        pairs = [
            (pair.first, pair.second, pair.items, pair.agreement.value, pair.kappa.value)
            for pair in agreed.pairs
        ]
        yield table("Agreement of pairs", columns, pairs)


def people(material: Material, labels: Labels) -> tuple[Family, list[str]]:
    """People's counts as a family of its own, and targets that no group was associated with."""
    counts: CountTable = labels.adjudicated().counts()
    groups = labels.items.groups
    wanted = sorted(map(str.casefold, groups))
    for test in (*material.tests, *load_tests(list(TESTS))):
        if not isinstance(test, GroupsTest):
            continue
        if sorted(group.name.casefold() for group in test.groups) == wanted:
            break
    else:
        raise NotRunError(
            f"No test has the groups of the labels, {', '.join(groups)}; name theirs by --tests."
        )
    terms = [term for term, row in counts.rows.items() if sum(row.values())]
    if not terms:
        raise NotRunError("People associate no target with a group.")
    without = [term for term in counts.rows if term not in terms]
    targets = Concept(name=test.targets.name, terms=tuple(terms))
    return Family(test.model_copy(update={"targets": targets}), (counts,)), without


def human_associations(material: Material) -> Answers:
    """Rank correlation of the measure with people's associations, on each source."""
    family, without = people(material, labels_of(material))
    return material.on_each_source(_with_people, family, without)


def _with_people(
    material: Material, family: Family, without: Sequence[str], name: str, source: Any
) -> Fields:
    """The correlation on one source, over targets that both have a number for."""
    terms = list(family.test.targets.terms)
    numbers = leanings(material, family.test, source, name)
    both = views(family, numbers, terms, family.shares(family.tables[0], terms))
    figures, columns = compared(both, "people", OF, material.seed)
    missing = [term for term in terms if numbers.values.get(term) is None]
    n = len(terms) - len(missing)
    remarks = [
        f"A target's number is its {numbers.what}; people's is the share of contexts by majority."
    ]
    if missing:
        remarks.append(f"Without a number of the measure: {listed_names(missing)}.")
    if without:
        remarks.append(f"Associated with no group by people: {listed_names(without)}.")
    if n < 4:
        remarks.append(
            f"A rank correlation needs 4 targets, and there are {n}: it is undefined."
        )  # fmt: skip
    rows = zip(terms, *columns.values(), strict=True)
    return {
        "figures": figures,
        "tables": [table("Associations of targets", ("target", *columns), rows)],
        "remarks": remarks,
    }


def text_by_span(material: Material) -> Answers:
    """Correlation of people's shares with those of counts, for each file of counts."""
    labels = labels_of(material)
    paths = material.require(
        "counts", "of the text that the contexts are from, for a span or several"
    )
    yield labels.items.name, partial(_by_span, material, labels, paths)


def _by_span(material: Material, labels: Labels, paths: Sequence[Path]) -> Fields:
    """The correlations for each file of counts, those of shorter spans first."""
    family, without = people(material, labels)
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
        by_group, lost = _with_counts(family, counts, material.seed)
        if lost:
            remarks.append(f"{called}: no association with a group of {listed_names(lost)}.")
        for group, pairs in by_group.items():
            rho, r2 = rho_figures(f"share of {group}, {called}", pairs, OF)
            figures += [rho, r2]
            marks.append(mark(called, rho, group))
            rows.append(
                (span, path.name, group, pairs.n, *map(defined, (pairs.rho, pairs.p, pairs.r2)))
            )
    if without:
        remarks.append(f"Associated with no group by people: {listed_names(without)}.")
    if not figures:
        raise NotRunError(" ".join(remarks))
    columns = ("sentences", "counts", "group", "targets", "rho", "p", "R2")
    explained = (
        "Shares are of spans, or of labelled contexts, that are associated with a group at all. "
        "The study is of text and does not depend on the measure."
    )
    return {
        "figures": figures,
        "tables": [table("Correlation by length of the context", columns, rows)],
        "drawings": [rho_drawing("People against co-occurrence", marks)],
        "remarks": [explained, *remarks],
    }


def _with_counts(
    family: Family, counts: Counts, seed: int
) -> tuple[dict[str, RankCorrelation], list[str]]:
    """Correlations of people's shares with those of counts by group, and targets without one.

    Of two groups the first alone, since the shares of the other are what is left.
    """
    targets = family.test.targets.terms
    terms = family.known(counts, targets)
    theirs, ours = (family.shares(tabled, terms) for tabled in (family.tables[0], counts))
    groups = family.groups[:1] if len(family.groups) == 2 else family.groups
    by_group = {
        group: rank_correlation(theirs[:, j], ours[:, j], rng=np.random.default_rng(seed))
        for j, group in enumerate(groups)
    }
    return by_group, [term for term in targets if term not in terms]


OPEN = "open"
"""What a card says in place of an answer."""


def questions() -> dict[str, str]:
    """The questions by their ids, in the order in which they are put."""
    data = resources.files("eatlas.apps.protocol") / "data" / "questionnaire.toml"
    return {question["id"]: question["text"] for question in own_toml(data)["question"]}


def read_answers(path: Path) -> dict[str, str]:
    """Read answers by question from a TOML file: ``id = "answer"`` on its lines."""
    try:
        data = toml_bytes(path, EatlasError)
    except OSError as error:
        raise EatlasError(
            f"{path}: the answers cannot be read", got=error.strerror or str(error)
        ) from error
    answers = read_toml(data, str(path), EatlasError)
    ids = questions()
    for name, answer in answers.items():
        if name not in ids:
            raise EatlasError(
                f"{path}: there is no question {name!r}{did_you_mean(name, ids)}",
                allowed=", ".join(ids),
            )
        if not isinstance(answer, str):
            raise EatlasError(
                f"{path}: the answer to {name!r} is not text",
                got=described(answer),
                allowed=f'{name} = "a sentence"',
            )
    return {name: answer.strip() for name, answer in answers.items() if answer.strip()}


def questionnaire(material: Material) -> Answers:
    """The questions with the answers that were given; the others are open."""
    paths = material.files.get("answers", ())
    yield (paths[0].name if paths else ""), partial(_answers, *paths)


def _answers(path: Path | None = None) -> Fields:
    answers = {} if path is None else read_answers(path)
    put = questions()
    rows = [(text, id_, answers.get(id_, OPEN)) for id_, text in put.items()]
    count = Figure(name="questions answered", value=len(answers), n=len(put), of="questions")
    none = "No answers were given by --answers, so every question is open."
    return {
        "figures": [count],
        "tables": [table("Questions and answers", ("question", "id", "answer"), rows)],
        "remarks": [none] if path is None else [],
    }
