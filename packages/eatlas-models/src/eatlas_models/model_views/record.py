"""Views of a model and how far they agree, as a record, and in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import sub
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from pydantic import Field

from eatlas.errors import join_names
from eatlas.lazy import as_frame
from eatlas.numbers import UNDEFINED, effect, interval, number_of
from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult, Results
from eatlas.results.base import as_name
from eatlas.results.levels import Interval
from eatlas.results.parts import Probability, Record, finite, is_none
from eatlas.stats.correlation import FEWEST, RankCorrelation
from eatlas.stimuli import ATTRIBUTES, TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

Form = Literal["vectors", "log-probabilities", "answers"]
"""What of a model is measured."""
FORMS: tuple[Form, ...] = get_args(Form)
Side = Literal["targets", "attributes"]
SIDES: tuple[Side, ...] = get_args(Side)
"""Terms whose order views are compared by."""
PLACES = ("level1", "level2.X", "level2.Y")
"""Effect sizes that views have in common."""
DECIMALS = 12
"""Of scores that are ranked; their deviations from means then tie at 9."""
FEW_PAIRS = 3
"""Pairs of views that each have a sentence."""


class View(Record):
    """One way to look at a model: a form, a source and a measure."""

    form: Form
    model: str
    """What the source that gives it is called; all layers of a model have one."""
    source: str
    """Source of its results."""
    signature: str
    """Measure of its results."""
    layer: str = ""
    """Number of the layer of a transformer; empty elsewhere."""
    period: int | None = Field(default=None, exclude_if=is_none)
    """Year, in a series of vectors."""

    @property
    def name(self) -> str:
        """What distinguishes it from the other views of its model, such as "layer 12"."""
        if self.layer:
            return f"layer {self.layer}"
        return self.form if self.period is None else f"{self.form}, {self.period}"

    @property
    def phrase(self) -> str:
        """The same within a sentence, such as "vectors of layer 12"."""
        return f"vectors of layer {self.layer}" if self.layer else self.name


class MissingView(Record):
    """A view that there is not, and why."""

    form: Form
    model: str
    reason: str
    test: str = ""
    """The test that it lacks; empty for all of them."""


class Coefficient(Record):
    """Spearman's rank correlation of the scores of terms in two views; None where undefined."""

    n: int
    """Terms that both views have."""
    rho: float | None = None
    interval: Interval | None = None
    """95% percentile interval over resamples of the terms."""
    p: Probability | None = None
    """Two-sided, of permutations of the terms."""

    @classmethod
    def of(cls, correlation: RankCorrelation, **more: Any) -> Self:
        """Take what was computed."""
        return cls(
            n=correlation.n,
            rho=finite(correlation.rho),
            interval=correlation.interval,
            p=finite(correlation.p),
            **more,
        )

    @property
    def sign(self) -> int:
        """1 where the whole interval is above 0, as it is written, -1 where it is below, else 0."""
        if self.interval is None:
            return 0
        low, high = (round(end, 2) for end in self.interval)
        return (low > 0) - (high < 0)

    @property
    def text(self) -> str:
        """The coefficient with its interval."""
        if self.rho is None:
            return UNDEFINED
        return (
            f"{effect(self.rho)} {interval(self.interval)}" if self.interval else effect(self.rho)
        )


class SideAgreement(Coefficient):
    """How far two views agree on the targets, or on the attributes, of a test."""

    within: Coefficient
    """Within both groups: of each term's deviation from the mean score of its group."""


class Agreement(Record):
    """How far two views of a model agree on one test."""

    test: str
    first: int
    """Place of a view among all."""
    second: int
    targets: SideAgreement
    """Of the targets' scores, s(x, A, B)."""
    attributes: SideAgreement
    """Of the attributes' scores, u(X, a) less u(Y, a), the mean associations with X and with Y."""
    same_pattern: bool
    """Whether both show the same EAT pattern."""


Rhos = tuple[tuple[float | None, ...], ...]


class LayersAgreement(Record):
    """Spearman's rho of each layer of a model with each on one test; None where undefined."""

    test: str
    model: str
    layers: tuple[int, ...]
    """Places of the layers among all views, from the lowest one up."""
    targets: Rhos
    attributes: Rhos
    """A row for each layer, with a number for each."""


class ViewsRecord(Record):
    """The views of a model, those that there are not, and how far they agree."""

    schema_: Literal["eatlas/views/1"] = Field("eatlas/views/1", alias="schema")
    version: str
    seed: int
    views: tuple[View, ...]
    """Vectors by layer, log-probabilities, answers."""
    missing: tuple[MissingView, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    """Each view with those that stand for other forms and models: of layers the top one."""
    layers: tuple[LayersAgreement, ...] = ()
    """The layers of each model among each other."""


@dataclass(frozen=True)
class Views:
    """Every view of a model, with what each shows and how far they agree.

    Examples
    --------
    >>> import eatlas
    >>> views = eatlas.views("glove-sample", tests="weat-6")
    >>> views
    <Views: vectors; 1 test>
    >>> [missing.form for missing in views.record.missing]
    ['log-probabilities', 'answers']
    """

    record: ViewsRecord
    """Views and agreement; frozen, becomes JSON."""
    results: Results
    """The results of all views, and the jobs that failed."""

    def __repr__(self) -> str:
        return f"<Views: {self.forms.lower()}; {number_of(len(self.tests), 'test')}>"

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """Ids of the tests."""
        return tuple(dict.fromkeys(result.test for result in self.results))

    @cached_property
    def _by_view(self) -> dict[tuple[Any, ...], AssociationResult]:
        return {(r.test, r.source, r.signature, r.period): r for r in self.results}

    def result(self, test: str, number: int) -> AssociationResult | None:
        """The result of a test in one of the views; None where it has none."""
        view = self.record.views[number]
        return self._by_view.get((test, view.source, view.signature, view.period))

    @cached_property
    def references(self) -> tuple[int, ...]:
        """Places of the views that others are compared with: of layers the top one."""
        last = {(view.form, view.model): n for n, view in enumerate(self.record.views)}
        return tuple(last.values())

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Views that are compared: each with those that stand for other forms and models."""
        views = self.record.views
        for first in range(len(views)):
            for second in self.references:
                a, b = views[first], views[second]
                both = first in self.references and second < first
                if (a.form, a.model) != (b.form, b.model) and not both:
                    yield first, second

    def called(self, number: int, *, phrase: bool = False) -> str:
        """What a view is called: with its model where several models give its form."""
        view = self.record.views[number]
        name = view.phrase if phrase else view.name
        models = {other.model for other in self.record.views if other.form == view.form}
        return f"{name} of {view.model}" if len(models) > 1 else name

    def agreement(self, test: str, first: int, second: int) -> Agreement | None:
        """How far two views agree on a test; None where they were not compared."""
        pair = {first, second}
        every = (each for each in self.record.agreements if each.test == test)
        return next((each for each in every if {each.first, each.second} == pair), None)

    def layers_of(self, test: str) -> list[LayersAgreement]:
        """How far the layers of each model agree among each other on a test."""
        return [each for each in self.record.layers if each.test == test]

    def main_pairs(self, test: str) -> list[Agreement]:
        """Agreement of the views that stand for their forms, first of vectors with answers."""
        pairs = [
            each
            for each in self.record.agreements
            if each.test == test and {each.first, each.second} <= {*self.references}
        ]
        forms = [view.form for view in self.record.views]
        return sorted(pairs, key=lambda pair: (-FORMS.index(forms[pair.second]), pair.first))

    @property
    def headline(self) -> str:
        """What the first of these pairs shows, in how many tests where there are several."""
        leading = [pairs[0] for test in self.tests if (pairs := self.main_pairs(test))]
        if not leading:
            return f"{self.forms}: there is no other view to compare with"
        if len(leading) == 1:
            return self.finding(leading[0])
        first, second = (self.called(n, phrase=True) for n in (leading[0].first, leading[0].second))
        agree = sum(pair.targets.sign > 0 for pair in leading)
        count = f"{agree or 'none'} of {number_of(len(leading), 'test')}"
        return f"{begun(first)} and {second} agree in {count}"

    @property
    def forms(self) -> str:
        """The forms that there are, as a sentence begins."""
        return begun(join_names(list(dict.fromkeys(view.form for view in self.record.views))))

    def sentence(self, pair: Agreement) -> str:
        """What the interval says of two views, and no more."""
        first, second = (self.called(n, phrase=True) for n in (pair.first, pair.second))
        both, targets = f"{first} and {second}", pair.targets
        if targets.rho is None:
            return f"Agreement between {both} is undefined: {self._why_undefined(pair)}"
        if targets.sign:
            verb = "agree" if targets.sign > 0 else "order the targets in opposite ways"
            return f"{begun(both)} {verb}: rho {targets.text}"
        return f"No agreement between {both} is shown: rho {targets.text}"

    def finding(self, pair: Agreement) -> str:
        """The same as a finding: that a model rarely chose comes before it."""
        results = (self.result(pair.test, number) for number in (pair.first, pair.second))
        little = next((each for each in results if each and each.shows_little), None)
        said = self.sentence(pair)
        return said if little is None else phrase("sentences", "little", little, said)

    def sentences(self, test: str) -> list[str]:
        """Sentences about agreement on a test, and about patterns; the first is the finding."""
        pairs = self.main_pairs(test)
        sentences = [
            f"{self.sentence(pair) if place else self.finding(pair)}."
            for place, pair in enumerate(pairs)
        ]
        within = [text for pair in pairs[:1] for text in _agreement_sentences(pair)]
        if len(pairs) > FEW_PAIRS:
            agree = _agree(pair.targets for pair in pairs[1:])
            sentences[1:] = [f"Of the other {len(pairs) - 1} pairs of these views, {agree}."]
        neighbours = (self.neighbours_sentence(layers) for layers in self.layers_of(test))
        more = [*self.layer_sentences(test), *neighbours, self.patterns_sentence(test)]
        return [*sentences[:1], *within, *sentences[1:], *filter(None, more)]

    def layer_sentences(self, test: str) -> Iterator[str]:
        """With how many layers of a model its other views agree, and from which rho to which."""
        views = self.record.views
        for model in dict.fromkeys(view.model for view in views if view.layer):
            layers = [n for n, view in enumerate(views) if view.layer and view.model == model]
            for other in self.references:
                pairs = [self.agreement(test, number, other) for number in layers]
                rhos = [p.targets for p in pairs if p and p.targets.rho is not None]
                if len(rhos) < 2 or views[other].layer:
                    continue
                values = [coefficient.rho or 0.0 for coefficient in rhos]
                low, high = effect(min(values)), effect(max(values))
                of = f" of {model}" if len({v.model for v in views if v.layer}) > 1 else ""
                yield (
                    f"Of {len(rhos)} layers{of}, {_agree(rhos)} with "
                    f"{self.called(other, phrase=True)} (rho {low} to {high})."
                )

    def neighbours_sentence(self, layers: LayersAgreement) -> str:
        """How alike neighbouring layers order the targets; empty where that is undefined."""
        rhos = neighbours(layers.targets)[1:]
        defined = [rho for rho in rhos if rho is not None]
        if len(defined) < 2:
            return ""
        least = rhos.index(min(defined))
        pair = [self.record.views[layers.layers[n]].layer for n in (least, least + 1)]
        of = f" of {layers.model}" if len({each.model for each in self.record.layers}) > 1 else ""
        return (
            f"Between neighbouring layers{of}, rho over the targets is {effect(min(defined))} "
            f"(layers {join_names(pair)}) to {effect(max(defined))}; between the lowest and the "
            f"top layer {effect(layers.targets[0][-1])}."
        )

    def patterns_sentence(self, test: str) -> str:
        """The EAT patterns of the views that stand for their forms; empty for one view."""
        by_label: dict[str, list[str]] = {}
        for number in self.references:
            if (result := self.result(test, number)) is not None:
                called = self.called(number, phrase=True)
                by_label.setdefault(result.primary.label, []).append(called)
        names = [f"{label} in {join_names(views)}" for label, views in by_label.items()]
        if len(names) > 1:
            return f"By the paper's rule their EAT patterns differ: {'; '.join(names)}."
        several = names and len(next(iter(by_label.values()))) > 1
        return f"By the paper's rule their EAT pattern is the same: {names[0]}." if several else ""

    def _why_undefined(self, pair: Agreement) -> str:
        """Why there is no coefficient."""
        if pair.targets.n < FEWEST:
            return f"they have {number_of(pair.targets.n, 'target')} in common"
        for number in (pair.first, pair.second):
            result = self.result(pair.test, number)
            if result and len({*scores_of(result).values()}) == 1:
                return f"all targets have the same score in {self.called(number, phrase=True)}"
        return "scores do not vary"

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each test and view: effect sizes, pattern, and agreement with other views."""
        before = {test: self._layer_before(test) for test in self.tests}
        for test, (number, view) in product(self.tests, enumerate(self.record.views)):
            result = self.result(test, number)
            if result is None:
                continue
            row: dict[str, Any] = {"test": test, "view": self.called(number), "form": view.form}
            row |= {"layer": view.layer or None, "model": view.model, "source": view.source}
            row |= {"signature": view.signature}
            for place in PLACES:
                row |= result.effect(place).columns()
            row["pattern"] = result.primary.label
            for other in self.references:
                pair = self.agreement(test, number, other)
                row |= {} if pair is None else _columns(pair, f"_{as_name(self.called(other))}")
            yield row | before[test].get(number, {})
        for missing in self.record.missing:
            yield {"test": missing.test or None, "form": missing.form, "model": missing.model,
                   "missing": missing.reason}  # fmt: skip

    def _layer_before(self, test: str) -> dict[int, dict[str, float | None]]:
        """Columns with the agreement of each layer with the one below it, by its place."""
        return {
            number: {"rho_layer_before": targets, "rho_attributes_layer_before": attributes}
            for layers in self.layers_of(test)
            for number, targets, attributes in zip(
                layers.layers,
                neighbours(layers.targets),
                neighbours(layers.attributes),
                strict=True,
            )
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each test and view.

        Effect sizes with intervals and p-values, the pattern, and the agreement with each view that
        others are compared with, and of a layer with the one below it; last the views that there
        are not, with the reason.
        """
        return as_frame(list(self.rows()))


def _agree(coefficients: Iterable[Coefficient]) -> str:
    """How many coefficients show agreement, with their verb."""
    count = sum(coefficient.sign > 0 for coefficient in coefficients)
    return f"{count or 'none'} {'agrees' if count < 2 else 'agree'}"


def _agreement_sentences(pair: Agreement) -> Iterator[str]:
    """What two views show within the groups of targets, and over the attributes."""
    for coefficient, about in (
        (pair.targets.within, "Within the groups (without the difference between them)"),
        (pair.attributes, "Over the attributes"),
        (pair.attributes.within, "Within the groups of attributes"),
    ):
        if coefficient.rho is None:
            continue
        shown = "no agreement is shown"
        if coefficient.sign:
            shown = "they agree" if coefficient.sign > 0 else "they have opposite orders"
        yield f"{about}, {shown}: rho {coefficient.text}."


def neighbours(rhos: Rhos) -> list[float | None]:
    """The coefficient of each layer with the one below it; None of the lowest one."""
    return [None, *(row[n] for n, row in enumerate(rhos[1:]))]


def _columns(pair: Agreement, suffix: str) -> dict[str, Any]:
    """A pair as columns of a table."""
    row: dict[str, Any] = {"same_pattern": pair.same_pattern}
    for name, coefficient in (
        ("rho", pair.targets),
        ("rho_within", pair.targets.within),
        ("rho_attributes", pair.attributes),
        ("rho_attributes_within", pair.attributes.within),
    ):
        low, high = coefficient.interval or (None, None)
        row |= {name: coefficient.rho, f"{name}_low": low, f"{name}_high": high}
        row[f"{name}_p"] = coefficient.p
    row |= {side: pair[side].n for side in SIDES}
    return {f"{name}{suffix}": value for name, value in row.items()}


def scores_of(result: AssociationResult, side: Side = "targets") -> dict[tuple[str, str], float]:
    """Score of each target, or attribute, or of its stimulus, by its group and name.

    Rounded, so that sums of the same numbers in another order tie.
    """
    scores = result.primary.scores
    if scores is None:
        return {}
    by_role: dict[str, Iterable[float]] = {role: scores[role] for role in TARGETS}
    if side == "attributes":
        x, y = scores.attributes_with_X, scores.attributes_with_Y
        if x is None or y is None:
            return {}
        by_role = {role: map(sub, x[role], y[role]) for role in ATTRIBUTES}
    return {
        (role, name): round(score, DECIMALS)
        for role, values in by_role.items()
        for name, score in zip(result.scored(role), values, strict=False)
    }


def begun(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]
