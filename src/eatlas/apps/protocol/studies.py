"""The table of studies: for each criterion of the protocol, what is asked and who answers it.

A study is a row here and a function ``(study, context) -> Iterable[Evidence]`` in a module of this
room, which is imported when the study runs. The function yields evidence by
:meth:`ProtocolStudy.evidence`, one piece for each source where it asks several. Where it cannot
be run it raises :class:`~eatlas.apps.protocol.studies.NotRunError`, or yields
:meth:`ProtocolStudy.not_run` for one source; an :class:`~eatlas.EatlasError` on the way is taken
for the reason too. It never leaves a study out in silence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from eatlas.decoding import require_file
from eatlas.errors import EatlasError, StimulusError
from eatlas.measures import Measure
from eatlas.paths import is_file, is_folder
from eatlas.results import AssociationResult
from eatlas.results.evidence import (
    CRITERIA,
    Covered,
    Criterion,
    Drawing,
    Evidence,
    Figure,
    Given,
    Mark,
    Table,
)
from eatlas.results.parts import defined
from eatlas.stats.paired import PairedChange, PairedTest, RankCorrelation
from eatlas.stats.specifications import Correlation
from eatlas.stimuli import Test

MOST_MISSING = 20
"""Missing terms of a group that a card lists."""


class NotRunError(EatlasError):
    """A study cannot be run on what was given; `what` is the reason, in whole sentences."""


@dataclass(frozen=True)
class Material:
    """Everything that a protocol is run on; what is None was not given."""

    vectors: tuple[Any, ...] = ()
    tests: tuple[Test, ...] = ()
    census: tuple[Path, ...] = ()
    contexts: Path | None = None
    labels: tuple[Path, ...] = ()
    counts: tuple[Path, ...] = ()
    generated: tuple[Path, ...] = ()
    representations: tuple[Any, ...] = ()
    answers: Path | None = None

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield each file that was given, with the name of its option."""
        for one in fields(self):
            value = getattr(self, one.name)
            for path in value if isinstance(value, tuple) else (value,):
                if isinstance(path, Path):
                    yield one.name, path

    def require_files(self) -> None:
        """Refuse a file that is not there, before any work."""
        for option, path in self.files():
            require_file(path, EatlasError)
            if not is_file(path):
                raise EatlasError(
                    f"--{option}: there is no file {path}",
                    got="a folder" if is_folder(path) else "nothing",
                    allowed="a file",
                )

    def stated(self) -> tuple[Given, ...]:
        """What a card says of tests and files; sources are stated when they are opened."""
        of_tests = (
            Given(name="tests", value=test.id, sha256=test.stimuli_sha256) for test in self.tests
        )
        of_files = (
            Given(name=option, value=path.name, sha256=_hash_of(path))
            for option, path in self.files()
        )
        return (*of_tests, *of_files)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Context:
    """What a study is handed: the measure, what was given, opened sources, and the seed."""

    measure: Measure
    material: Material
    sources: Mapping[str, Any] = field(default_factory=dict)
    """Opened sources of `material.vectors` by their source strings."""
    seed: int = 0

    @cached_property
    def numbers(self) -> dict[Any, Any]:
        """Numbers that several studies read, found once, by `target_scores`."""
        return {}

    @cached_property
    def coverage(self) -> dict[Covered, None]:
        """How much of each test each source has, in the order in which they were measured."""
        return {}

    def measured(
        self, test: Test, source: Any, name: str, measure: Measure | None = None
    ) -> AssociationResult:
        """Measure a test on an opened source, and note its coverage."""
        result = (measure or self.measure)(self.fitted(test, measure), source, seed=self.seed)
        for group in result.concepts:
            found = result.coverage.group(group)
            self.coverage[
                Covered(
                    source=name,
                    test=test.id,
                    group=result.concepts[group],
                    used=len(found.used),
                    total=len(found.used) + len(found.missing),
                    missing=tuple(found.missing)[:MOST_MISSING],
                )
            ] = None
        return result

    def fitted(self, test: Test, measure: Measure | None = None) -> Test:
        """Return the test as a measure takes it: in the contexts that were given, if it must be."""
        if self.material.contexts is None or test.contexts is not None:
            return test
        try:
            (measure or self.measure).require_stimuli(test)
        except StimulusError:
            from eatlas.corpora import with_contexts  # noqa: PLC0415  (seldom needed)

            return with_contexts(test, self.material.contexts)[0]
        return test

    def require(self, option: str, why: str) -> Any:
        """Return what was given by an option."""
        given = getattr(self.material, option)
        if not given:
            raise NotRunError(f"Nothing was given by --{option}, {why}.")
        return given

    def each_source(self) -> Iterator[tuple[str, Any]]:
        """Yield each opened source with its source string."""
        if not self.sources:
            raise NotRunError(
                f"No source was given that the measure takes: {self.measure.name} needs "
                f"{NEEDS[self.measure.needs]}."
            )
        yield from self.sources.items()


NEEDS = {
    "vectors": "vectors",
    "masked": "a masked language model",
    "causal": "a causal language model",
    "counts": "a table of counts",
}
"""What a measure needs of a source, in words."""


INTERVAL = "95% bootstrap"
COLUMNS = (
    "targets", "Spearman's rho", "low", "high", "Pearson's r", "low of r", "high of r", "R²",
)  # fmt: skip
CHANGES = ("targets", "mean before", "mean after", "change", "p", "rose", "fell")


def listed_names(names: Sequence[str], most: int = 60) -> str:
    """Names one after the other; of many the first, and how many more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def figure(name: str, value: float | None, ends: Any, n: int, of: str, **more: Any) -> Figure:
    """A number of `n` things with its bootstrap interval, where it has one."""
    low, high = ends or (None, None)
    interval = f"{INTERVAL} over {of}" if ends else ""
    return Figure(name=name, value=value, low=low, high=high, interval=interval, n=n, of=of, **more)


def _tested(name: str, value: float, found: PairedTest, of: str, relabelled: str) -> Figure:
    """A number of pairs, with its interval and the p of its relabellings."""
    p, drawn = defined(found.p), "all" if found.method == "exact" else f"{found.total:,} drawn"
    test = "" if p is None else f"{relabelled}, two-sided, {drawn}"
    return figure(name, defined(value), found.interval, found.n, of, p=p, test=test)


def rho_figures(name: str, found: RankCorrelation, of: str) -> tuple[Figure, Figure]:
    """Spearman's rho with interval and permutation test, and Pearson's R2."""
    rho = _tested(f"rho, {name}", found.rho, found, of, f"permutation of {of}")
    return rho, Figure(name=f"R2, {name}", value=defined(found.r2), n=found.n, of=of)


def change_figure(name: str, found: PairedChange, of: str) -> Figure:
    """A mean change of bias, with its interval and the test of signs."""
    return _tested(f"change of bias, {name}", found.change, found, of, "signs of changes flipped")


def change_row(found: PairedChange) -> tuple[Any, ...]:
    """A mean change as a row with :data:`CHANGES`."""
    numbers = map(defined, (found.before, found.after, found.change, found.p))
    return (found.n, *numbers, found.rose, found.fell)


def correlations(
    found: Mapping[str, Correlation], title: str, first: str, drawn: str, more: str
) -> dict[str, Any]:
    """A table of correlations, by what the `first` column names, and a drawing of them."""
    rows = [
        (label, one.n,
         *map(defined, (one.spearman, one.spearman_low, one.spearman_high, one.pearson,
                       one.pearson_low, one.pearson_high, one.pearson**2)))
        for label, one in found.items()
    ]  # fmt: skip
    table = Table(title=title, columns=(first, *COLUMNS), rows=rows)
    return {"tables": [table], "drawings": [rho_drawing(drawn, marks_of(found), more)]}


def marks_of(found: Mapping[str, Correlation]) -> list[Mark]:
    """Rank correlations as marks of a drawing."""
    return [
        Mark(label=label, value=defined(one.spearman), low=defined(one.spearman_low),
             high=defined(one.spearman_high))
        for label, one in found.items()
    ]  # fmt: skip


def mark(label: str, of: Figure, group: str = "") -> Mark:
    """A figure as a mark of a drawing."""
    return Mark(label=label, value=of.value, low=of.low, high=of.high, group=group)


def rho_drawing(title: str, marks: Iterable[Mark], more: str = "") -> Drawing:
    """Rank correlations on an axis from -1 to 1; `more` is said of it."""
    axis = f"Spearman's rho{more}"
    return Drawing(title=title, axis=axis, marks=tuple(marks), low=-1.0, high=1.0)


T = TypeVar("T")
DIVDIST = "Bommasani and Liang (2022)"


@dataclass(frozen=True)
class ProtocolStudy:
    """One study of a criterion: what it asks, and the function that answers."""

    criterion: Criterion
    id: str
    title: str
    question: str
    function: str
    """Module of this room and name, such as ``face:stereotyped_professions``."""
    citation: str = ""

    def evidence(self, **found: Any) -> Evidence:
        """Make evidence of this study; `found` are fields such as ``source`` and ``figures``."""
        asked = {"criterion": self.criterion, "study": self.id, "title": self.title}
        return Evidence(**asked, question=self.question, citation=self.citation, **found)

    def not_run(self, reason: str, **found: Any) -> Evidence:
        """Make the evidence that the study was not run, for a reason in whole sentences."""
        return self.evidence(not_run=reason, **found)

    def tried(self, called: str, answer: Callable[..., Evidence], *given: Any) -> Evidence:
        """Return what ``answer(study, *given)`` finds, or why nothing, on what is `called`."""
        try:
            return answer(self, *given)
        except EatlasError as error:
            return self.not_run(reason_of(error), source=called)

    def of_each_source(
        self, context: Context, answer: Callable[..., Evidence], *given: Any
    ) -> Iterator[Evidence]:
        """Yield the answer of each source, or why the study was not run on it."""
        for name, source in context.each_source():
            yield self.tried(name, answer, context, *given, name, source)

    @property
    def answer(self) -> Callable[[ProtocolStudy, Context], Iterable[Evidence]]:
        """The function of the study."""
        module, name = self.function.split(":")
        found: Callable[[ProtocolStudy, Context], Iterable[Evidence]]
        found = getattr(import_module(f"eatlas.apps.protocol.{module}"), name)
        return found

    def run(self, context: Context) -> tuple[Evidence, ...]:
        """Run the study; what cannot be run is evidence with its reason."""
        found: list[Evidence] = []
        try:
            found.extend(self.answer(self, context))
        except EatlasError as error:
            found.append(self.not_run(reason_of(error)))
        return tuple(found) or (self.not_run("The study found nothing to measure."),)


def reason_of(error: EatlasError) -> str:
    """An error as the reason why something was not run, in whole sentences."""
    if isinstance(error, NotRunError):
        return error.what
    parts = (("got", error.got), ("allowed", error.allowed))
    details = "; ".join(f"{name}: {value}" for name, value in parts if value)
    first = error.what.split(maxsplit=1)[0]
    text = error.what if not first.isalpha() else error.what[:1].upper() + error.what[1:]
    return f"{text} ({details})." if details else f"{text}."


def tried_each(
    failed: str, answer: Callable[[str], T], names: Iterable[str]
) -> tuple[dict[str, T], list[str]]:
    """Return the answers by name, and why there is none of others: "`failed`, name: reason"."""
    found: dict[str, T] = {}
    reasons = []
    for name in names:
        try:
            found[name] = answer(name)
        except EatlasError as error:
            reasons.append(f"{failed}, {name}: {reason_of(error)}")
    return found, reasons


STUDIES: tuple[ProtocolStudy, ...] = (
    ProtocolStudy(
        "face",
        "stereotyped-professions",
        "Stereotyped professions",
        "Do the measure's signs agree with the stereotypes of professions?",
        "face:stereotyped_professions",
        f"{DIVDIST}, section 6 and Table 3",
    ),
    ProtocolStudy(
        "face",
        "documented-tests",
        "Documented associations",
        "Do the measure's signs agree with the associations that people show in the ten tests of "
        "Caliskan, Bryson and Narayanan (2017)?",
        "face:documented_tests",
        "Caliskan, Bryson and Narayanan (2017), Table 1",
    ),
    ProtocolStudy(
        "predictive",
        "census-decades",
        "Census by decade",
        "Do the measure's numbers of occupations move with the shares of groups in the census?",
        "predictive:decades",
        f"{DIVDIST}, section 6 and Table 5, diachronic; Garg et al. (2018)",
    ),
    ProtocolStudy(
        "predictive",
        "census-year",
        "Census of one year",
        "Do occupations with larger numbers have larger shares of the group in the census?",
        "predictive:one_year",
        f"{DIVDIST}, section 6 and Table 5, contemporary",
    ),
    ProtocolStudy(
        "convergent",
        "text-by-span",
        "People and co-occurrence",
        "Do associations by people and by co-occurrence in the same text agree?",
        "convergent:human_against_automatic",
        f"{DIVDIST}, section 6 and Table 4",
    ),
    ProtocolStudy(
        "hypothesis",
        "amplification",
        "Amplification",
        "Is a model more biased than the text that it learned from?",
        "hypothesis:amplification",
        f"{DIVDIST}, section 6 and Table 6",
    ),
    ProtocolStudy(
        "hypothesis",
        "mitigation",
        "Mitigation",
        "Does the measure fall when vectors are debiased?",
        "hypothesis:mitigation",
        f"{DIVDIST}, section 6 and Table 7",
    ),
    ProtocolStudy(
        "inter-annotator",
        "agreement",
        "Agreement of annotators",
        "Do people who label the same contexts agree?",
        "people:agreement",
        f"{DIVDIST}, section 7",
    ),
    ProtocolStudy(
        "inter-annotator",
        "human-associations",
        "People and the measure",
        "Do the measure's numbers of targets go with the associations that people see?",
        "people:human_associations",
        f"{DIVDIST}, sections 4.1 and 7",
    ),
    ProtocolStudy(
        "content",
        "structure",
        "Structure of the measure",
        "What may a test be, and what does the measure do with words, groups, references and "
        "contexts?",
        "content:structure",
        f"{DIVDIST}, sections 2 and 6",
    ),
    ProtocolStudy(
        "content",
        "invariances",
        "Changed vectors",
        "Do numbers depend on associations, and on nothing else of the vectors?",
        "content:invariances",
        f"{DIVDIST}, sections 6 and 8",
    ),
    ProtocolStudy(
        "convergent",
        "other-measures",
        "Other measures",
        "Do other measures order the same targets alike?",
        "convergent:other_measures",
        "Campbell and Fiske (1959); Husse and Spitz (2022), Table 5",
    ),
    ProtocolStudy(
        "consequential",
        "questionnaire",
        "Consequences of use",
        "Who uses the measure, who is left out by it, and who is harmed if it is wrong?",
        "people:questionnaire",
        "Messick (1988); Jacobs and Wallach (2021)",
    ),
    ProtocolStudy(
        "sensitivity",
        "word-lists",
        "Shorter word lists",
        "Do numbers stay in order with 3 or 5 words a group?",
        "convergent:word_lists",
        f"{DIVDIST}, section 7 and Table 8; Ethayarajh, Duvenaud and Hirst (2019)",
    ),
    ProtocolStudy(
        "sensitivity",
        "parameters",
        "Other parameters",
        "Do numbers stay in order with the measure's other divergences, normalisations and "
        "distances?",
        "convergent:parameters",
        f"{DIVDIST}, section 7 and Table 8",
    ),
    ProtocolStudy(
        "sensitivity",
        "treated-vectors",
        "Treated vectors",
        "Do numbers stay in order when vectors are scaled, centred or standardised?",
        "convergent:vectors",
        "Mu and Viswanath (2018)",
    ),
)
"""All studies, in the order of the criteria; those of one criterion in the order of the card."""


def studies_of(criterion: Criterion) -> tuple[ProtocolStudy, ...]:
    """Return the studies of one criterion."""
    return tuple(study for study in STUDIES if study.criterion == criterion)


def in_order() -> tuple[ProtocolStudy, ...]:
    """Return all studies in the order of the criteria."""
    return tuple(study for criterion in CRITERIA for study in studies_of(criterion))
