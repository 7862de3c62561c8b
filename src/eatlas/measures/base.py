"""What a measure is: parameters, a signature, and a pure ``compute`` on arrays and names.

Random numbers that follow from a seed and the stimuli of a test, and from nothing else.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import SignatureError, StimulusError, did_you_mean, listing
from eatlas.lazy import find_offer
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.results.parts import Coverage
from eatlas.signature import Signature
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.effect_size import DrawEffects
from eatlas.stats.regression import standard_scores
from eatlas.stimuli import AssociationTest, GroupsTest, Test

Array = NDArray[np.float64]
Need = str
"""What a source must have: "vectors", or what a reader of another package is named for."""
Compared = Literal["targets", "attributes"]
"""Which groups of an association test are compared."""
Pca = Literal["uncentred", "centred"]
"""Whether the mean difference of the pairs is taken from each before a principal component of
them is found."""
Wish = Literal["ranks", "cheap", "always"]
"""Of the frequency of words: ranks alone; random topics too, where that takes less than a second;
or wherever it can be."""
Topical = Literal["auto", "on", "off"]
"""Whether a test is compared with random topics; auto: where that takes less than a second."""


@dataclass(frozen=True)
class Needs:
    """What a measure needs of a source and of a test, which the plan and the engine read."""

    source: Need = "vectors"
    words: tuple[str, ...] = ()
    """Terms that the measure itself looks up, in addition to terms of the test."""
    ranks: Wish | None = None
    """What is looked up of the frequency of words; None for nothing."""
    neighbours: int = 0
    """Nearest words with which the vector of each term of a group is averaged."""
    by_stimulus: bool = False
    """Whether the minimum is one of stimuli, where sentences are made of them, or of terms."""
    contexts: Literal["any", "required", "written", "refused"] = "any"
    """Whether stimuli occur in sentences; written: only in sentences of the test itself."""
    keeps: bool = False
    """Whether what the source answers is retained and read when a result is computed again, since
    another answer would be no mistake."""


def stimuli_of_test(test: Test) -> dict[str, tuple[str, ...]]:
    """Return the stimuli of each role: words, what sentences are made of, or hashes of images.

    Once each, those without a vector included.
    """
    stimuli: dict[str, tuple[str, ...]] = {}
    for role, concept in test.concepts.items():
        known = [concept.stimulus_of.get(term, term) for term in concept.terms]
        absent = [term for term, _ in concept.absent]
        stimuli[role] = tuple(concept.image_of.values()) or tuple(dict.fromkeys(known + absent))
    return stimuli


def stimuli_covered(coverage: Coverage) -> dict[str, tuple[str, ...]]:
    """Return the stimuli of each role, those without a vector included, of a result's coverage."""
    return {
        group: tuple(covered.image.values()) or covered.known for group, covered in coverage.items()
    }


@dataclass(frozen=True)
class Allowed:
    """The values that a parameter may have, in words and as a test."""

    text: str
    includes: Callable[[Any], bool]


def choice(literal: Any) -> Allowed:
    """One of the values of a ``Literal`` type."""
    values = get_args(literal)
    return Allowed(" or ".join(values), lambda value: value in values)


def whole(least: int, *words: str) -> Allowed:
    """A whole number from `least`, or one of some words."""
    text = ", or ".join([f"a whole number from {least}", *words])
    return Allowed(text, lambda value: value in words or (type(value) is int and value >= least))


def is_number(value: object) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


SHARE = Allowed("a number between 0 and 1", lambda value: is_number(value) and 0 < value < 1)
FROM_0 = Allowed("a number from 0", lambda value: is_number(value) and 0 <= value < math.inf)
FLAG = Allowed("true or false", lambda value: isinstance(value, bool))


def parameter(default: Any, allowed: Any = None, *, optional: bool = False) -> Any:
    """Declare a parameter of a measure."""
    if not isinstance(allowed, Allowed | None):
        allowed = choice(allowed)
    return field(default=default, metadata={"allowed": allowed, "optional": optional})


@dataclass(frozen=True)
class Covariates:
    """Covariates of the stimuli of a test."""

    names: tuple[str, ...]
    of: Mapping[str, Array]
    """By role, shape (stimuli, names); NaN where one is not known."""
    ranked: bool
    """Whether the first one is the logarithm of the rank."""

    def columns(self, units: Array) -> tuple[Array, list[str], list[str]]:
        """Columns of a regression: the rank and its square, others as they are; none constant.

        The second part has the covariate of each column, the third those that are the same for all
        units.
        """
        columns, names, constant = [], list[str](), []
        for i, name in enumerate(self.names):
            x = standard_scores(units[:, i])
            if x is None:
                constant.append(name)
                continue
            powers = [x, x * x] if self.ranked and not i else [x]
            columns += powers
            names += [name] * len(powers)
        return np.column_stack([np.empty((len(units), 0)), *columns]), names, constant


@dataclass(frozen=True)
class Words:
    """What is known of the words of a test besides their vectors, read together with these."""

    covariates: Covariates | None = None
    """Of the stimuli by role, their frequency and others; None if there are none, or they are not
    to be used."""
    topics: Any = None
    """The :class:`~eatlas.measures.topics.TopicLists` that random topics replace; None if a test is
    not compared with any."""


@dataclass(frozen=True)
class Input:
    """Rows of a test by role, and what stands for its terms besides."""

    rows: Mapping[str, Array]
    """Rows whose dot products are the associations: unit rows, for cosines."""
    coverage: Coverage
    head: dict[str, Any]
    """Fields of a result that do not depend on what was found."""
    rng: np.random.Generator
    """Source of the random permutations of this one measurement."""
    seed: int = 0
    """Seed of the run, which decides resamples and samples of contexts."""
    words: Words = Words()
    """Covariates of the words, and random topics in their place."""
    unit: Mapping[str, Array] | None = None
    """Unit rows, where `rows` are something else that stands for them."""
    contexts: Any = None
    """Vectors of all contexts, where `rows` are some of them."""
    single: Mapping[str, Array] | None = None
    """Vectors of all contexts by group, in the order of the used terms, where `rows` are means of
    those of a stimulus."""
    counts: Array | None = None
    """Numbers of the used targets for each group, shape (targets, k), where there are no rows."""
    totals: Array | None = None
    """Numbers of each group in all that was counted, for measures that look up its row."""
    blocks: Array | None = None
    """Numbers of targets, and of what `totals` has behind them, in each block of documents, shape
    (blocks, rows, k), where documents are known."""
    drawn: dict[str, DrawEffects] = field(default_factory=dict)
    """Effect sizes of samples by place, stimuli by name: what measures of samples leave here."""
    asked: Any = None
    """What `rows` stand for where they are no vectors; ``single`` are the scores."""
    precision: float | None = None
    """Unit roundoff of what the scores are made of; None where that is exact."""
    magnified: float = 1.0
    """By how much the rounding of cosines is larger in what associates."""

    @cached_property
    def magnitude(self) -> float:
        """Size of what is summed into a score, by which rounding is judged: 1 for cosines."""
        if self.asked is None:
            return self.magnified
        return float(np.abs(self.asked.single).max()) or 1.0


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of tests of one kind; a frozen value, whose fields are its parameters."""

    name: ClassVar[str]
    """Name in signatures, results and on the command line."""
    kind: ClassVar[str]
    """Kind of test that the measure takes."""
    minimum: ClassVar[Mapping[str, int]]
    """Usable terms that each group must have: 2 where it is permuted, else 1."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Show a measure by the parameters that are not the default, unless it has a `__repr__`.

        `dataclass` would otherwise give each class a text with all parameters.
        """
        super().__init_subclass__(**kwargs)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Measure.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for field_ in fields(self):
            if (allowed := field_.metadata.get("allowed")) is not None:
                self.check(field_.name, allowed)

    def check(self, name: str, allowed: Allowed) -> None:
        """Refuse a value of a parameter.

        Raises
        ------
        SignatureError
            Saying what is allowed.
        """
        value = getattr(self, name)
        if not allowed.includes(value):
            raise SignatureError(
                f"{self.name}: the parameter {name} cannot have this value",
                got=repr(value),
                allowed=allowed.text,
            )

    @property
    def signature(self) -> str:
        """The measure with its parameters, in canonical form.

        Parameters that change nothing are left out.
        """
        left_out = self.idle()
        names = [one.name for one in fields(self) if one.name not in left_out]
        return str(Signature(self.name, tuple((name, getattr(self, name)) for name in names)))

    def idle(self) -> set[str]:
        """Parameters that the signature leaves out."""
        return {
            one.name
            for one in fields(self)
            if one.metadata.get("optional") and getattr(self, one.name) == one.default
        }

    @classmethod
    def minimum_of(cls, test: Test) -> Mapping[str, int]:  # noqa: ARG003  (of groups, by their names)
        """Usable terms that each group of a test must have."""
        return cls.minimum

    @property
    def needs(self) -> Needs:
        """What the measure needs of a source and of a test."""
        return Needs()

    def questions(self, test: Any) -> Iterable[Any]:  # noqa: ARG002
        """Every question to the source about one test, for its reader; none, for vectors."""
        return ()

    def wording(self, test: Any, result: AssociationResult) -> tuple[str, ...]:  # noqa: ARG002
        """Texts by which the measure asks a model about a test, for a result; none for vectors.

        Verification compares them with the stimuli of the known test.
        """
        return ()

    @property
    def rule(self) -> PatternRule | None:
        """When a target counts as associated; None for a measure without patterns."""
        return None

    def __str__(self) -> str:
        return self.signature

    def __repr__(self) -> str:
        defaults = {field_.name: field_.default for field_ in fields(self)}
        own = (item for item in self.get_params().items() if item[1] != defaults[item[0]])
        shown = ", ".join(f"{name}={value!r}" for name, value in own)
        return f"{type(self).__name__}({shown})"

    def __call__(
        self,
        test: Test,
        source: Any,
        *,
        case: Literal["auto", "exact"] = "auto",
        seed: int = 0,
        rng: np.random.Generator | None = None,
        covariates: Any = None,
    ) -> AssociationResult:
        """Measure one test on one source; covariates are those that :func:`eatlas.run` takes."""
        result: AssociationResult = find_offer("measure")(
            self, test, source, case=case, seed=seed, rng=rng, covariates=covariates
        )
        return result

    def reads(self, test: Test) -> Test:
        """The test as the measure takes it: as it is, if it is of the measure's kind."""
        return test

    def for_test(self, test: Test) -> Measure:  # noqa: ARG002  (a choice)
        """The measure that computes a test; by default this one."""
        return self

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test whose stimuli are of another form than the measure takes.

        Raises
        ------
        StimulusError
            Saying what it takes.
        """
        wanted, roles = self.needs.contexts, tuple(test.concepts)
        roles = roles[:1] if test.kind == "groups" else roles
        words = [role for role in roles if not test.concept(role).sentences]
        if wanted == "required" and words:
            raise StimulusError(
                f"the measure {self.name} takes contexts, but test {test.id} has words",
                got=f"{words[0]}: {listing(test.concept(words[0]).terms, 3)}",
                allowed="tests whose stimuli occur in sentences",
                remedy="pass contexts of these words with --contexts FILE, which eatlas contexts "
                "writes; or use a battery of sentences, such as --tests sent-caliskan",
            )
        in_sentences = len(words) < len(roles) if wanted == "refused" else bool(test.contexts)
        if wanted in {"refused", "written"} and in_sentences:
            raise StimulusError(
                f"the measure {self.name} takes words, but test {test.id} has contexts",
                allowed="a test of words; divdist(soa=reduction) takes contexts, and so does "
                "divdist(soa=probe)",
                remedy="remove the contexts",
            )

    def require_source(self, source: Any) -> None:  # noqa: B027  (a choice)
        """Refuse a source of vectors that lacks what the measure needs; any will do."""

    def arranged(
        self,
        vectors: dict[str, Array],
        coverage: Coverage,  # noqa: ARG002  (measures of contexts arrange vectors by stimulus)
        words: Mapping[str, Array],  # noqa: ARG002  (measures with words of their own use them)
    ) -> dict[str, Any]:
        """Rows that stand for the terms of a test, as fields of an :class:`Input`.

        Parameters
        ----------
        vectors : dict
            By role, shape (terms, d); they may be taken out of it, to free memory.
        coverage : Coverage
        words : mapping
            Vectors of the measure's own `words`.
        """
        rows = {
            role: kernels.unit_rows(group) if len(group) else group
            for role, group in vectors.items()
        }
        return {"rows": rows}

    @abstractmethod
    def compute(self, given: Input, notes: list[Note]) -> AssociationResult:
        """Return the whole record of what the measure finds: ``Record(**given.head, ...)``.

        Parameters
        ----------
        given : Input
            Rows by role, what is known of the words, and the fields that do not depend on what is
            found.
        notes : list of Note
            To which remarks for the reader are added; eatlas puts them into the record.

        Returns
        -------
        AssociationResult
        """

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the measure with some parameters changed.

        Raises
        ------
        SignatureError
            If the measure has no such parameter, or not with such a value.
        """
        require_parameters(type(self), parameters)
        return replace(self, **parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002  (as in scikit-learn)
        """Return all parameters by name, as estimators of scikit-learn do.

        Parameters
        ----------
        deep : bool
            Changes nothing: no parameter is an estimator.

        Examples
        --------
        >>> import eatlas
        >>> eatlas.MAC().get_params()
        {'groups': 'attributes', 'over': 'groups'}
        """
        return {field_.name: getattr(self, field_.name) for field_ in fields(self) if field_.init}

    def set_params(self, **parameters: Any) -> Self:
        """Return the measure with some parameters changed; a measure itself never changes.

        ``sklearn.base.clone`` and ``GridSearchCV`` of scikit-learn use this name of
        :meth:`with_parameters`.
        """
        return self.with_parameters(**parameters)


def require_parameters(kind: type[Measure], names: Iterable[str]) -> None:
    """Refuse a parameter that a measure does not have."""
    allowed = sorted(field_.name for field_ in fields(kind) if field_.init)
    for name in names:
        if name not in allowed:
            raise SignatureError(
                f"{kind.name} has no parameter {name!r}{did_you_mean(name, allowed)}",
                allowed=", ".join(allowed),
            )


@dataclass(frozen=True)
class GroupsMeasure(Measure):
    """A measure of targets, each alone, against k groups and a reference.

    ``given.rows`` holds the rows of the targets as ``targets`` and those of each group by its name;
    ``given.head`` has the names of the ``groups`` and the proportions of the ``reference`` in one
    order. A record of what it finds derives from :class:`eatlas.results.GroupsResult`.

    Parameters
    ----------
    groups : {"targets", "attributes"}
        Of an association test: what its two groups are, X and Y or A and B. The terms of the other
        two are the targets.
    """

    _: KW_ONLY
    groups: Compared = parameter("targets", Compared, optional=True)

    kind: ClassVar[str] = "groups"
    minimum: ClassVar[Mapping[str, int]] = {"targets": 1, "groups": 1}
    """Usable terms of the targets, and of each group."""
    takes_shared_terms: ClassVar[bool] = False
    """Whether a term may be in two groups: it is no comparison of the groups."""

    @property
    def needs(self) -> Needs:
        """Vectors of words."""
        return Needs(contexts="written")

    def require_stimuli(self, test: Test) -> None:
        """Refuse groups that share terms, unless the measure takes them."""
        super().require_stimuli(test)
        if isinstance(test, GroupsTest) and not self.takes_shared_terms:
            test.require_disjoint()

    def reads(self, test: Test) -> Test:
        """A test of groups; an association test as one."""
        if not isinstance(test, AssociationTest):
            return test
        return GroupsTest.of_association(test, "XY" if self.groups == "targets" else "AB")

    @classmethod
    def minimum_of(cls, test: Test) -> Mapping[str, int]:
        """Usable terms that the targets, and each group by its name, must have."""
        of_groups = cls.minimum["groups"]
        return {name: cls.minimum.get(name, of_groups) for name in test.concepts}
