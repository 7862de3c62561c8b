"""What measures of association share: parameters, signature, and the way to unit rows."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import (
    AnisotropyWarning,
    SignatureError,
    StimulusError,
    UndefinedWarning,
    described,
)
from eatlas.measures.contexts import Contexts
from eatlas.measures.diagnosis import diagnose_terms
from eatlas.measures.few_terms import too_few
from eatlas.measures.frequency import Placed, placed
from eatlas.measures.log_ratios import Ratios
from eatlas.measures.moments import MomentsByRole
from eatlas.measures.p_values import of_spread, remarks, to_record
from eatlas.measures.seeding import generator_of, stimuli_of_test
from eatlas.results import AssociationResult
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.parts import Concepts, Coverage, Encoding, Level, Provenance
from eatlas.signature import Signature
from eatlas.sources import (
    CaseRule,
    ContextualSource,
    Embedded,
    VectorSource,
    embed,
    is_contextual,
    open_vectors,
    period_of,
)
from eatlas.stats.effect_size import effect_size
from eatlas.stats.inputs import generator
from eatlas.stats.permutation import (
    DRAWING,
    DRAWS,
    METHODS,
    STUDENTISED_METHODS,
    PermutationResult,
    permutation_test,
    studentised_test,
)
from eatlas.stimuli import ROLES, AssociationTest, Test
from eatlas.stimuli.batteries import namesake
from eatlas.version import __version__

Need = Literal["vectors", "masked", "causal"]
"""Vectors, or log-probabilities of a masked or of a causal language model."""
Statistic = Literal["difference", "studentised"]
"""What is compared over relabellings."""


@dataclass(frozen=True)
class Input:
    """A test's rows by role, and what a result says about them."""

    rows: Mapping[str, NDArray[np.float64]]
    """Rows whose dot products are the associations: unit rows, for cosines."""
    coverage: Coverage
    notes: tuple[str, ...]
    head: Mapping[str, Any]
    """The fields of a result that do not depend on what was found."""
    rng: np.random.Generator
    """Source of all random numbers of this one measurement."""
    unit: Mapping[str, NDArray[np.float64]] | None = None
    """Unit rows, where `rows` are something else that stands for them."""
    contexts: Contexts | None = None
    """Vectors of all contexts, where `rows` are some of them."""
    log_ratios: Ratios | None = None
    """Log-probability ratios, those of single sentences too, where `rows` stand for them."""
    precision: float | None = None
    """Unit roundoff of what the scores are made of; None where that is exact."""

    @cached_property
    def magnitude(self) -> float:
        """Size of what is summed into a score, by which rounding is judged: 1 for cosines."""
        if self.log_ratios is None:
            return 1.0
        return float(np.abs(self.log_ratios.single).max()) or 1.0

    @cached_property
    def moments(self) -> Mapping[str, kernels.Moments]:
        """Moments of the rows of each group, each found when it is asked for."""
        return MomentsByRole(self.rows)


@dataclass(frozen=True)
class AssociationMeasure(Placed, ABC):
    """A measure of association between targets and attributes; a frozen value.

    Parameters
    ----------
    alpha : float
        Significance level, between 0 and 1.
    ddof : {1, 0}
        Denominator of the standard deviation in the effect size: N - ddof.
    p : {"auto", "exact", "inversion", "bracket", "sampled", "importance", "normal"}
        How p-values are found; ``auto`` chooses among the first four, and the result says what it
        chose. The others reproduce published work.
    draws : int
        Random relabellings, where `p` is ``sampled`` or ``importance``.
    strict : bool
        Count only relabellings beyond the observed statistic, without those that tie with it.
    statistic : {"difference", "studentised"}
        What is relabelled: the difference of the two means, or that difference divided by its
        standard error (Janssen 1997; Chung and Romano 2013) on the normal scale of its degrees of
        freedom, which allows for groups that differ in size and in spread. Studentised p-values
        are counted or drawn at random.
    """

    name: ClassVar[str]
    """Name in signatures, results and on the command line."""
    kind: ClassVar[str] = "association"
    """Kind of test that the measure takes."""
    minimum: ClassVar[Mapping[str, int]]
    """Usable terms that each group must have: 2 where it is permuted, else 1."""
    needed: ClassVar[str] = "vector"
    """What a source must have for a term."""

    alpha: float = 0.05
    ddof: int = 1
    p: str = "auto"
    draws: int = field(default=DRAWS, kw_only=True)
    strict: bool = field(default=False, kw_only=True)
    statistic: Statistic = field(default="difference", kw_only=True)

    def __post_init__(self) -> None:
        self._check("alpha", "a number between 0 and 1", ok=_number(self.alpha, 0, 1))
        self._check("ddof", "1 or 0", ok=type(self.ddof) is int and self.ddof in {0, 1})
        self._check("p", ", ".join(METHODS), ok=self.p in METHODS)
        least = 2 if self.p == "importance" else 1
        whole = type(self.draws) is int and self.draws >= least
        self._check("draws", f"a whole number from {least}", ok=whole)
        self._check("strict", "true or false", ok=isinstance(self.strict, bool))
        self._check_choice("statistic", Statistic)
        if self.studentised and self.p not in STUDENTISED_METHODS:
            raise SignatureError(
                f"{self.name}: a studentised statistic is counted or drawn at random",
                got=f"p={self.p}, statistic=studentised",
                allowed=f"p={', p='.join(STUDENTISED_METHODS)}; or statistic=difference",
            )

    @property
    def signature(self) -> str:
        """The measure with its parameters, in canonical form.

        `draws`, `strict` and `statistic` are left out where they have their defaults and change
        nothing.
        """
        names = [f.name for f in fields(self) if f.name not in self.idle()]
        return str(Signature(self.name, tuple((name, getattr(self, name)) for name in names)))

    def idle(self) -> set[str]:
        """Parameters that the signature leaves out."""
        drawing = self.p in DRAWING or self.draws != DRAWS
        idle = {
            "strict": not self.strict,
            "draws": not drawing,
            "statistic": not self.studentised,
        }
        return {name for name, left_out in idle.items() if left_out}

    @property
    def studentised(self) -> bool:
        """Whether the difference of means is divided by its standard error."""
        return self.statistic == "studentised"

    @property
    def needs(self) -> Need:
        """What the measure needs of a source."""
        return "vectors"

    @property
    def words(self) -> tuple[str, ...]:
        """Terms that the measure itself looks up, besides those of the test."""
        return ()

    def __str__(self) -> str:
        return self.signature

    def __call__(
        self,
        test: AssociationTest,
        source: VectorSource | Any,
        *,
        case: CaseRule = "auto",
        seed: int = 0,
        rng: np.random.Generator | None = None,
        rounding: float = 1.0,
    ) -> AssociationResult:
        """Measure one test on one source.

        Parameters
        ----------
        test : AssociationTest
        source : VectorSource or anything that :func:`eatlas.open_vectors` opens
        case : {"auto", "exact"}
            Rule by which terms are looked up.
        seed : int
            Recorded with the result; exact p-values do not depend on it. With the stimuli it
            decides all random draws: another source, layer or prompt has the same.
        rng : numpy.random.Generator, optional
            Source of random relabellings, where `p` asks for them; by default one that `seed` and
            the stimuli decide.
        rounding : float, default 1.0
            Multiple of the precision of computed vectors by which sums tie. The counts at 0.5 and
            at 1.5 are limits for those of the same test on another machine.

        Raises
        ------
        CoverageError
            If a group has too few terms with a vector; the missing ones are listed.
        SourceError
            If the vectors are not well formed.
        StimulusError
            If the test is of another kind.

        Warns
        -----
        AnisotropyWarning
            If the test's terms show that cosines say little among these vectors.
        UndefinedWarning
            If an effect size is undefined because the scores have no spread.
        """
        if not isinstance(test, Test):
            raise StimulusError(
                f"the measure {self.name} takes one test",
                got=described(test),
                allowed="an AssociationTest",
                remedy="eatlas.load_tests(...) makes tests of ids and files; eatlas.run takes both",
            )
        if test.kind != self.kind:
            raise StimulusError(
                f"the measure {self.name} does not take the test {test.id}",
                got=f"a test of the kind {test.kind}",
                allowed=f"tests of the kind {self.kind}",
            )
        chance = (
            generator_of(seed, stimuli_of_test(test), "relabellings")
            if rng is None
            else generator(rng)
        )
        source = self.opened(source)
        given = self._embed(test, source, case, seed, chance)
        given = replace(given, precision=_precision(given.head, rounding))
        notes: list[str] = []
        result = self.compute(given, notes)
        for note in notes:
            if note.startswith("Undefined"):
                warnings.warn(f"{test.id}: {note}", UndefinedWarning, stacklevel=2)
        diagnosis = self.diagnosed(given)
        doubts = diagnosis.remarks() if diagnosis else ()
        known, differ = placed(self, result, given.coverage, test, source)
        for doubt in doubts:
            warnings.warn(f"{test.id}: {doubt}", AnisotropyWarning, stacklevel=2)
        copied = namesake(test)
        said = (*((copied,) if copied else ()), *given.notes, *notes, *doubts, *differ)
        return result.model_copy(update={"diagnosis": diagnosis, "warnings": said, **known})

    def opened(self, source: Any) -> Any:
        """Open the kind of source that the measure needs."""
        return open_vectors(source)

    def diagnosed(self, given: Input) -> TermsDiagnosis | None:
        """Whether the associations mean anything among the test's terms; None where unknown."""
        if given.unit is None:
            return diagnose_terms(given.rows, given.moments)
        return diagnose_terms(given.unit, MomentsByRole(given.unit))

    @abstractmethod
    def compute(self, given: Input, notes: list[str]) -> AssociationResult:
        """Find what the measure is named for; remarks for the reader go into `notes`."""

    def level(
        self,
        first: NDArray[np.float64],
        second: NDArray[np.float64],
        what: str,
        notes: list[str],
        given: Input,
        answer: PermutationResult | None = None,
        *,
        spread: bool = True,
    ) -> Level:
        """Effect size and permutation p-values of two groups of scores.

        `answer` is given where the p-values are found in another way; without `spread` nothing is
        remarked on groups that differ in size and spread.
        """
        scores, n = np.concatenate([first, second]), (len(first), len(second))
        scale, precision = given.magnitude, given.precision
        difference, d = effect_size(scores, n[0], ddof=self.ddof, scale=scale, precision=precision)
        p = to_record(answer or self._permuted(scores, n[0], given.rng, scale, precision))
        if np.isnan(d):
            notes.append(
                f"Undefined effect size of {what}: its scores do not differ, so every "
                "relabelling gives the same statistic and all p-values are 1."
            )
        else:
            notes.extend(remarks(p, what, n, self.alpha))
            if spread and answer is None and not self.studentised:
                notes.extend(of_spread(first, second, what))
        return Level(effect_size=None if np.isnan(d) else d, difference=difference, n=n, p=p)

    def _permuted(
        self,
        scores: NDArray[np.float64],
        n: int,
        rng: np.random.Generator | None,
        scale: float,
        precision: float | None,
    ) -> PermutationResult:
        test = studentised_test if self.studentised else permutation_test
        return test(
            scores,
            n,
            method=self.p,
            scale=scale,
            strict=self.strict,
            rng=rng,
            draws=self.draws,
            precision=precision,
        )

    def _embed(
        self,
        test: AssociationTest,
        source: Any,
        case: CaseRule,
        seed: int,
        rng: np.random.Generator,
    ) -> Input:
        embedded, head = self._looked_up(test, source, case, seed)
        rows = {
            role: kernels.unit_rows(vectors) if len(vectors) else vectors
            for role, vectors in embedded.vectors.items()
        }
        return Input(rows, embedded.coverage, embedded.notes, head, rng)

    def _looked_up(
        self, test: AssociationTest, source: VectorSource, case: CaseRule, seed: int
    ) -> tuple[Embedded, dict[str, Any]]:
        """Vectors of a test, and the head of its result."""
        embedded = embed(test, source, case)
        period = period_of(source)
        place = source.name if period is None else f"{source.name}, {period}"
        self._require_minimum(test, embedded.coverage, place)
        provenance = self.provenance(test, source.fingerprint, embedded.sha256, case, seed)
        head = {
            **self.head(test, source.name, embedded.told, provenance),
            "period": period,
            "encoding": _encoding(source, embedded) if is_contextual(source) else None,
        }
        return embedded, head

    @staticmethod
    def provenance(
        test: AssociationTest, fingerprint: str, measured: str, case: CaseRule, seed: int
    ) -> Provenance:
        """What a result rests on: the stimuli, the source, and the hash of what it gave."""
        stimuli = test.stimuli_sha256
        return Provenance(
            version=__version__,
            seed=seed,
            draws="stimuli",
            case=case,
            stimuli_sha256=stimuli,
            labels_sha256=test.labels_sha256(stimuli),
            source_fingerprint=fingerprint,
            vectors_sha256=measured,
            citation=test.citation,
            sentences_from=test.sentences_from,
            contexts=test.contexts,
        )

    def head(
        self, test: AssociationTest, source: str, coverage: Coverage, provenance: Provenance
    ) -> dict[str, Any]:
        """Fields that every result has, whatever was measured."""
        return {
            "signature": self.signature,
            "test": test.id,
            "title": test.title,
            "source": source,
            "concepts": Concepts(**{role: test.concept(role).name for role in ROLES}),
            "coverage": coverage,
            "provenance": provenance,
        }

    def _require_minimum(self, test: AssociationTest, coverage: Coverage, source: str) -> None:
        for role, least in self.minimum.items():
            group = coverage.group(role)
            if len(group.used) < least:
                raise too_few(test, role, group, source, (self.name, self.needed, least))

    def _check(self, parameter: str, allowed: str, *, ok: bool) -> None:
        if not ok:
            raise SignatureError(
                f"{self.name}: the parameter {parameter} has no such value",
                got=repr(getattr(self, parameter)),
                allowed=allowed,
            )

    def _check_choice(self, parameter: str, choices: Any) -> None:
        allowed = get_args(choices)
        self._check(parameter, " or ".join(allowed), ok=getattr(self, parameter) in allowed)

    def with_parameters(self, **parameters: Any) -> AssociationMeasure:
        """Return the measure with some parameters changed."""
        return replace(self, **parameters)


def _encoding(source: ContextualSource, embedded: Embedded) -> Encoding:
    """How the source makes vectors, with the rounding error of those at hand."""
    return source.encoding.model_copy(update={"roundoff": embedded.roundoff})


def _precision(head: Mapping[str, Any], rounding: float) -> float | None:
    """Unit roundoff of computed vectors or log-probabilities, as their record states it."""
    found = head.get("encoding") or head.get("language_model")
    roundoff = None if found is None else found.roundoff
    return None if roundoff is None else roundoff * rounding


def _number(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low < value < high
