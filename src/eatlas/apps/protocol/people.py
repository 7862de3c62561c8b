"""What people say: agreement of annotators, their associations, and questions on consequences."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.apps.annotation import load_items, read_labels
from eatlas.apps.annotation.journal import ENDING
from eatlas.apps.protocol.studies import Context, NotRunError, ProtocolStudy, figure, listed_names
from eatlas.apps.protocol.target_scores import BUILT_IN, Family, compared, leanings, views
from eatlas.corpora.writing import beside
from eatlas.decoding import own_toml, read_toml, toml_bytes
from eatlas.errors import EatlasError, UndefinedWarning, described, did_you_mean
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.sources.counts import CountTable
from eatlas.stimuli import Concept, GroupsTest, load_tests

if TYPE_CHECKING:
    from eatlas.apps.annotation.labels import Agreement, Labels

NEEDED = "labels by people and their items, as eatlas annotate writes them"
MORE_TESTS = ("divdist-face-validity", "divdist-religion")
OF = "targets"


def labels_of(context: Context) -> Labels:
    """The labels by people that were given: a file of items, and files of labels of these."""
    given: Sequence[Path] = context.require("labels", NEEDED)
    items = [path for path in given if beside(path).is_file()]
    named = [path for path in given if path.name.endswith(ENDING)]
    items += [
        at for path in named if (at := Path(f"{str(path).removesuffix(ENDING)}.csv")) not in items
    ]
    if len(items) != 1:
        raise NotRunError(
            f"The labels are of {len(items)} files of items, and one is needed: name the file of "
            "eatlas annotate sample by --labels, and the files of labels of its items."
        )
    others = [path for path in given if path not in items]
    return read_labels(load_items(items[0]) if others else items[0], others or None)


def agreement(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Krippendorff's alpha and Fleiss' kappa of the labels."""
    labels = labels_of(context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)  # remarks say the same
        found = labels.agreement(seed=context.seed)
    coefficients = (
        ("Krippendorff's alpha", found.alpha, found.compared),
        ("Fleiss' kappa", found.kappa, found.rated),
        ("agreement", found.agreement, found.compared),
    )
    yield study.evidence(
        source=labels.items.name,
        figures=[
            figure(name, one.value, one.interval, n, "contexts") for name, one, n in coefficients
        ],
        tables=[*_tables(found)],
        remarks=[
            "Alpha and kappa are 1 where annotators always agree, and 0 where they agree as often "
            "as by chance.",
            *found.undefined,
        ],
    )


def _tables(found: Agreement) -> Iterator[Table]:
    """Tables of annotators, of agreement on each label, and of pairs of annotators."""
    yield Table(
        title="Annotators",
        columns=("annotator", "contexts"),
        rows=tuple(found.annotators.items()),
    )
    yield Table(
        title="Agreement on each label",
        columns=("label", "given", "alpha", "kappa"),
        rows=[(one.label, one.given, one.alpha.value, one.kappa.value) for one in found.labels],
    )
    if found.pairs:
        yield Table(
            title="Agreement of pairs",
            columns=("first", "second", "contexts", "agreement", "Cohen's kappa"),
            rows=[
                (one.first, one.second, one.items, one.agreement.value, one.kappa.value)
                for one in found.pairs
            ],
        )


def human_associations(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Rank correlation of the measure with people's associations, on each source."""
    labels = labels_of(context)
    family, without = people(context, labels)
    yield from study.of_each_source(context, _with_people, family, without)


def people(context: Context, labels: Labels) -> tuple[Family, list[str]]:
    """People's counts as a family of its own, and targets that no group was associated with."""
    counts = labels.adjudicated().counts()
    return family_of_people(context, counts, labels.items.groups)


def family_of_people(
    context: Context, counts: CountTable, groups: Sequence[str]
) -> tuple[Family, list[str]]:
    """The test with the groups of the labels, of the targets that people associate with one."""
    tests = [*context.material.tests, *load_tests([*BUILT_IN, *MORE_TESTS])]
    wanted = sorted(map(str.casefold, groups))
    test = next(
        (
            one
            for one in tests
            if isinstance(one, GroupsTest)
            and sorted(group.name.casefold() for group in one.groups) == wanted
        ),
        None,
    )
    if test is None:
        raise NotRunError(
            f"No test has the groups of the labels, {', '.join(groups)}; name theirs by --tests."
        )
    terms = [term for term, row in counts.rows.items() if sum(row.values())]
    if not terms:
        raise NotRunError("People associate no target with a group.")
    targets = Concept(name=test.targets.name, terms=tuple(terms))
    without = [term for term in counts.rows if term not in set(terms)]
    return Family(test.model_copy(update={"targets": targets}), (counts,)), without


def _with_people(
    study: ProtocolStudy,
    context: Context,
    family: Family,
    without: Sequence[str],
    name: str,
    source: Any,
) -> Evidence:
    """The correlation on one source, over targets that both have a number for."""
    terms = list(family.test.targets.terms)
    found = leanings(context, family.test, source, name)
    both = views(family, found, terms, family.shares(family.tables[0], terms))
    figures, columns = compared(both, "people", OF, context.seed)
    missing = [term for term in terms if found.values.get(term) is None]
    return study.evidence(
        source=name,
        figures=figures,
        tables=[
            Table(
                title="Associations of targets",
                columns=("target", *columns),
                rows=[*zip(terms, *columns.values(), strict=True)],
            )
        ],
        remarks=[*_remarks(found.what, missing, without, len(terms) - len(missing))],
    )


def _remarks(what: str, missing: Sequence[str], without: Sequence[str], n: int) -> Iterator[str]:
    yield f"A target's number is its {what}; people's is the share of contexts by majority."
    if missing:
        yield f"Without a number of the measure: {listed_names(missing)}."
    if without:
        yield f"Associated with no group by people: {listed_names(without)}."
    if n < 4:
        yield f"A rank correlation needs 4 targets, and there are {n}: it is undefined."


OPEN = "open"
"""What a card says in place of an answer."""
DATA = "questionnaire.toml"


@dataclass(frozen=True)
class Question:
    """One question about the use of a measure."""

    id: str
    text: str


def questions() -> tuple[Question, ...]:
    """The questions, in the order in which they are put."""
    data = resources.files("eatlas.apps.protocol") / "data" / DATA
    return tuple(Question(**one) for one in own_toml(data)["question"])


def read_answers(path: Path) -> dict[str, str]:
    """Read answers by question from a TOML file: ``id = "answer"`` on its lines."""
    try:
        data = toml_bytes(path, EatlasError)
    except OSError as error:
        raise EatlasError(
            f"{path}: the answers cannot be read", got=error.strerror or str(error)
        ) from error
    values = read_toml(data, str(path), EatlasError)
    known = [one.id for one in questions()]
    for name, answer in values.items():
        if name not in known:
            raise EatlasError(
                f"{path}: there is no question {name!r}{did_you_mean(name, known)}",
                allowed=", ".join(known),
            )
        if not isinstance(answer, str):
            raise EatlasError(
                f"{path}: the answer to {name!r} is not text",
                got=described(answer),
                allowed=f'{name} = "a sentence"',
            )
    return {name: answer.strip() for name, answer in values.items() if answer.strip()}


def questionnaire(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """The questions with the answers that were given; the others are open."""
    path = context.material.answers
    answers = {} if path is None else read_answers(path)
    put = questions()
    yield study.evidence(
        source="" if path is None else path.name,
        figures=[Figure(name="questions answered", value=len(answers), n=len(put), of="questions")],
        tables=[
            Table(
                title="Questions and answers",
                columns=("question", "id", "answer"),
                rows=[(one.text, one.id, answers.get(one.id, OPEN)) for one in put],
            )
        ],
        remarks=() if path else ("No answers were given by --answers, so every question is open.",),
    )
