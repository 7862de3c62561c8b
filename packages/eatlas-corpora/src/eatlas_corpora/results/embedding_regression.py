"""Record of an embedding regression: how the use of terms depends on covariates of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from eatlas.lazy import as_frame
from eatlas.notes import Noted
from eatlas.results.parts import Probability, Record

if TYPE_CHECKING:
    import pandas as pd

SCHEMA: Literal["eatlas/embedding-regression/1"] = "eatlas/embedding-regression/1"


class Covariate(Record):
    """A field of the documents, and how it is coded."""

    field: str
    kind: Literal["category", "number"]
    reference: str | None = None
    """Of a category the value that the others are compared with."""
    documents: dict[str, int] = Field(default_factory=dict)
    """Of a category the documents with each value."""
    mean: float | None = None
    """Of a number over documents."""
    sd: float | None = None
    """Of a number over documents; its coefficients are per standard deviation."""


class Neighbour(Record):
    """A word near a term."""

    word: str
    cosine: float


class Profile(Record):
    """The term at one value of a covariate, with all others at their means."""

    field: str
    value: str
    """The category; of a number the value at its quantile .1, .5 or .9."""
    units: int | None = None
    """Of a category the documents, or units, with the term and that value."""
    contexts: int | None = None
    neighbours: tuple[Neighbour, ...]
    """The nearest words first."""


class NeighbourRatio(Record):
    """How much nearer to a word a term is at one value of a covariate than at another."""

    word: str
    ratio: float
    """Cosine at the first value over that at the second."""
    se: float | None
    """Over documents, or units, by the jackknife."""


class Coefficient(Record):
    """What one value of a category, or one standard deviation of a number, does to the vector."""

    field: str
    value: str
    """The category, or the number's value at its quantile .9."""
    against: str
    """The reference, or the number's value at its quantile .1."""
    squared_norm: float
    """Of the coefficient as it is, too large by its sampling error."""
    bias: float
    """That error: the sum of the variances of its components."""
    debiased: float
    """The squared norm less its bias; below 0 where there is less than chance gives."""
    se: float
    """Of the debiased squared norm, by the jackknife over documents or units."""
    interval: tuple[float, float]
    """95%, by Student's t; too wide where the coefficient is near 0 (Green et al. 2025)."""
    p: Probability
    ratios: tuple[NeighbourRatio, ...]
    """The ten nearest words of both values, those first that are most nearer at the first."""


class TermRegression(Record):
    """The regression of one term."""

    term: str
    units: int
    """Documents, or units, with the term."""
    observations: int
    """More than the units where the covariates differ in a unit."""
    contexts: int
    left_out: dict[str, int] = Field(default_factory=dict)
    """Documents with values of a category that too few units with the term have."""
    coefficients: tuple[Coefficient, ...]
    profiles: tuple[Profile, ...]


class RegressionProvenance(Record):
    """What the numbers depend on."""

    version: str
    seed: int
    permutations: int
    """Permutations."""
    source_fingerprint: str
    matrix_sha256: str
    """Hash of the transformation."""
    contexts_sha256: str
    """Hash of the mean contexts that the vectors were made of."""
    case: str
    compounds: str
    language: str
    """Rules by which the terms were found."""
    stop_words: tuple[str, ...]
    """Words that were left out of contexts."""
    corpus: dict[str, Any]
    """What was read."""


class EmbeddingRegression(Record):
    """How the contexts of terms depend on covariates of the documents.

    A term's vector in a document is regressed on the covariates; see
    :func:`eatlas.embedding_regression`.
    """

    schema_version: Literal["eatlas/embedding-regression/1"] = Field(default=SCHEMA, alias="schema")
    signature: str
    """The method with all its parameters."""
    source: str
    unit: str
    """Field whose values are resampled; documents where it is empty."""
    documents: int
    """With all covariates."""
    outside: dict[str, int]
    """Documents that are in no regression, by reason."""
    covariates: tuple[Covariate, ...]
    terms: tuple[TermRegression, ...]
    missing: dict[str, str]
    """Terms that were not regressed, and why."""
    transformation: dict[str, Any]
    """Where it is from, and the median cosine of refitted words with their own vectors."""
    warnings: tuple[Noted, ...] = ()
    provenance: RegressionProvenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary a coefficient."""
        return [
            {
                "term": term.term,
                "field": c.field,
                "value": c.value,
                "against": c.against,
                "squared_norm": c.squared_norm,
                "bias": c.bias,
                "debiased": c.debiased,
                "se": c.se,
                "low": c.interval[0],
                "high": c.interval[1],
                "p": c.p,
                "units": term.units,
                "contexts": term.contexts,
            }
            for term in self.terms
            for c in term.coefficients
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the coefficients of all terms as a pandas frame."""
        return as_frame(self.rows())

    def neighbours(self) -> pd.DataFrame:
        """Return the nearest words of all terms and values as a pandas frame."""
        return as_frame(
            {"term": term.term, "field": profile.field, "value": profile.value, **n.to_dict()}
            for term in self.terms
            for profile in term.profiles
            for n in profile.neighbours
        )

    def ratios(self) -> pd.DataFrame:
        """Return the ratios of nearness of all coefficients as a pandas frame."""
        return as_frame(
            {
                "term": t.term,
                "field": c.field,
                "value": c.value,
                "against": c.against,
                **r.to_dict(),
            }
            for t in self.terms
            for c in t.coefficients
            for r in c.ratios
        )

    def __repr__(self) -> str:
        smallest = min(c.p for term in self.terms for c in term.coefficients)
        return (
            f"<{self.signature} of {len(self.terms)} terms by {self.source}: "
            f"{len(self.rows())} coefficients, smallest p {smallest:.2g}>"
        )
