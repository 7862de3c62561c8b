"""The agreement of annotators as a record: names join what the statistics found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from eatlas.apps.annotation.items import Given, Items
from eatlas.errors import EatlasError
from eatlas.lazy import as_frame
from eatlas.results.parts import Record
from eatlas.stats.agreement import Codes, Estimate, RaterAgreement, rater_agreement

if TYPE_CHECKING:
    import pandas as pd

MOST_RESAMPLES = 100_000
DECIMALS = 6
"""Kept of ends of intervals, whose own Monte Carlo error is larger by far."""


class Figure(Record):
    """A coefficient with a percentile interval over items; None where it is undefined."""

    value: float | None
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, found: Estimate) -> Figure:
        """Take what the statistics found; NaN is None."""
        known = np.isfinite(found.value)
        ends = found.interval
        return cls(
            value=found.value if known else None,
            interval=(round(ends[0], DECIMALS), round(ends[1], DECIMALS))
            if known and ends is not None
            else None,
        )


class LabelAgreement(Record):
    """Agreement on one label against all others."""

    label: str
    given: int
    """How often it was given."""
    alpha: Figure
    kappa: Figure


class AnnotatorPair(Record):
    """Agreement of two annotators."""

    first: str
    second: str
    items: int
    """Contexts that both labelled."""
    agreement: Figure
    """Share of these with the same label."""
    kappa: Figure
    """Cohen's kappa."""


class Agreement(Record):
    """How far annotators agree; what :meth:`Labels.agreement` returns."""

    schema_version: Literal["eatlas/agreement/1"] = Field(
        default="eatlas/agreement/1", alias="schema"
    )
    test: str
    items: int
    """Contexts that were sampled."""
    annotators: dict[str, int]
    """Contexts that each labelled."""
    compared: int
    """Contexts with two labels or more, on which alpha and the agreement rest."""
    raters: int
    """Labels of each context on which Fleiss' kappa rests: as many as most contexts have; 0 if
    none has two."""
    rated: int
    """Contexts with exactly so many labels."""
    alpha: Figure
    """Krippendorff's alpha, nominal."""
    kappa: Figure
    """Fleiss' kappa."""
    agreement: Figure
    """Share of pairs of labels of one context that are the same."""
    labels: tuple[LabelAgreement, ...]
    pairs: tuple[AnnotatorPair, ...]
    resamples: int
    confidence: float
    seed: int
    undefined: tuple[str, ...] = ()
    """What is not defined, and why."""

    def __repr__(self) -> str:
        alpha, kappa = (
            "undefined" if one.value is None else f"{one.value:.3f}"
            for one in (self.alpha, self.kappa)
        )
        return f"<Agreement: alpha {alpha}, kappa {kappa}, {len(self.annotators)} annotators>"

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each coefficient: of all labels, of each label, of each pair."""
        return as_frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One row for each coefficient."""
        return [
            {
                "of": of,
                "coefficient": name,
                "value": one.value,
                "low": one.interval[0] if one.interval else None,
                "high": one.interval[1] if one.interval else None,
                "items": items,
            }
            for of, name, one, items in self._figures()
        ]

    def _figures(self) -> Iterator[tuple[str, str, Figure, int]]:
        """Rows of the table: what is compared, coefficient, value, number of items."""
        yield "all labels", "alpha", self.alpha, self.compared
        yield "all labels", "kappa", self.kappa, self.rated
        yield "all labels", "agreement", self.agreement, self.compared
        for label in self.labels:
            yield label.label, "alpha", label.alpha, self.compared
            yield label.label, "kappa", label.kappa, self.rated
        for pair in self.pairs:
            of = f"{pair.first} and {pair.second}"
            yield of, "kappa", pair.kappa, pair.items
            yield of, "agreement", pair.agreement, pair.items


def agreement_of(
    items: Items, given: Given, codes: Codes, *, resamples: int, confidence: float, seed: int
) -> Agreement:
    """Find the agreement of labels; `codes` has the place of each among the labels of the items."""
    if not 0 <= resamples <= MOST_RESAMPLES or not 0 < confidence < 1 or seed < 0:
        raise EatlasError(
            "the resamples are not usable",
            got=f"{resamples} resamples, confidence {confidence}, seed {seed}",
            allowed=f"0 to {MOST_RESAMPLES:,} resamples, confidence between 0 and 1, seed from 0",
        )
    names = tuple(given)
    found = rater_agreement(
        codes,
        len(items.labels),
        resamples=resamples,
        confidence=confidence,
        rng=np.random.default_rng(seed),
    )
    return Agreement(
        test=items.test,
        items=len(items),
        annotators={name: len(labels) for name, labels in given.items()},
        compared=found.items,
        raters=found.raters,
        rated=found.rated,
        alpha=Figure.of(found.alpha),
        kappa=Figure.of(found.kappa),
        agreement=Figure.of(found.observed),
        labels=tuple(
            LabelAgreement(
                label=label,
                given=one.labels,
                alpha=Figure.of(one.alpha),
                kappa=Figure.of(one.kappa),
            )
            for label, one in zip(items.labels, found.categories, strict=True)
        ),
        pairs=tuple(
            AnnotatorPair(
                first=names[one.first],
                second=names[one.second],
                items=one.items,
                agreement=Figure.of(one.observed),
                kappa=Figure.of(one.kappa),
            )
            for one in found.pairs
        ),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        undefined=tuple(_undefined(given, found)),
    )


def _undefined(given: Given, found: RaterAgreement) -> Iterator[str]:
    """Say what is not defined, and why."""
    names = tuple(given)
    if not found.items:
        whose = (
            f"{names[0]} labelled alone"
            if len(names) == 1
            else f"{', '.join(names)} labelled different contexts"
        )
        yield f"Undefined agreement: no context has two labels; {whose}."
        return
    if not np.isfinite(found.alpha.value):
        yield "Undefined alpha and kappa: all labels that can be compared are the same."
    apart = [
        f"{names[i]} and {names[j]}"
        for i, j in combinations(range(len(names)), 2)
        if not (given[names[i]].keys() & given[names[j]].keys())
    ]
    if apart:
        yield f"Undefined agreement of annotators without a context in common: {'; '.join(apart)}."
