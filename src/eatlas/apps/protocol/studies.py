"""The table of studies: for each criterion of the protocol, what is asked and who answers it.

A study is a row here and a function ``(study, context) -> Iterable[Evidence]`` in a module of this
room, which is imported when the study runs. The function yields evidence by
:meth:`ProtocolStudy.evidence`, one piece for each source where it asks several. Where it cannot
be run it raises :class:`~eatlas.apps.protocol.inputs.NotRunError`, or yields
:meth:`ProtocolStudy.not_run` for one source; an :class:`~eatlas.EatlasError` on the way is taken
for the reason too. It never leaves a study out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from eatlas.apps.protocol.inputs import Context, NotRunError
from eatlas.errors import EatlasError
from eatlas.results.evidence import CRITERIA, Criterion, Evidence

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
        "annotators:agreement",
        f"{DIVDIST}, section 7",
    ),
    ProtocolStudy(
        "inter-annotator",
        "human-associations",
        "People and the measure",
        "Do the measure's numbers of targets go with the associations that people see?",
        "annotators:human_associations",
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
        "consequential:questionnaire",
        "Messick (1988); Jacobs and Wallach (2021)",
    ),
    ProtocolStudy(
        "sensitivity",
        "word-lists",
        "Shorter word lists",
        "Do numbers stay in order with 3 or 5 words a group?",
        "sensitivity:word_lists",
        f"{DIVDIST}, section 7 and Table 8; Ethayarajh, Duvenaud and Hirst (2019)",
    ),
    ProtocolStudy(
        "sensitivity",
        "parameters",
        "Other parameters",
        "Do numbers stay in order with the measure's other divergences, normalisations and "
        "distances?",
        "sensitivity:parameters",
        f"{DIVDIST}, section 7 and Table 8",
    ),
    ProtocolStudy(
        "sensitivity",
        "treated-vectors",
        "Treated vectors",
        "Do numbers stay in order when vectors are scaled, centred or standardised?",
        "sensitivity:vectors",
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
