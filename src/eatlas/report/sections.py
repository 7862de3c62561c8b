"""Results arranged for the page: what the template needs and the records do not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from eatlas.report import figures
from eatlas.report.eat_map import Column, EATMap
from eatlas.report.rule import Rule
from eatlas.report.sentences import sentence
from eatlas.results import AssociationResult, MLEATResult, SCEATResult, WEATResult
from eatlas.results.ml_eat import Attribute
from eatlas.results.parts import Level
from eatlas.results.sc_eat import TermAssociation


@dataclass(frozen=True)
class Section:
    """One result and how the page shows it."""

    anchor: str
    """Id of the section, the target of the summary's link."""
    kind: str
    """ml-eat, weat, sc-eat, or other for a record of another package."""
    result: AssociationResult
    rule: Rule
    sentence: str

    @property
    def map(self) -> EATMap | None:
        """The EAT-Map, where there is one."""
        return EATMap.of(self.result) if isinstance(self.result, MLEATResult) else None

    @property
    def mini(self) -> Markup:
        """The small EAT-Map."""
        return Markup(self.map.svg("mini") if self.map else "")  # noqa: S704  (escaped there)

    @property
    def full(self) -> Markup:
        """The EAT-Map with names and numbers."""
        return Markup(self.map.svg() if self.map else "")  # noqa: S704

    def levels(self) -> list[tuple[str, str, Level]]:
        """Name, comparison and figures of each level with permuted labels."""
        result, names = self.result, self.result.concepts
        if not isinstance(result, MLEATResult | WEATResult):
            return []
        rows = [("Level 1", f"{names.X} against {names.Y}", result.level1)]
        if isinstance(result, MLEATResult):
            rows += [
                (f"Level 2, {role}", names.name(role), result.level2.group(role)) for role in "XY"
            ]
        return rows

    def figure(self, name: str) -> Markup:
        """One of the figures: cosines or terms."""
        drawn = ""
        if name == "cosines" and isinstance(self.result, MLEATResult):
            drawn = figures.quantile_plot(self.result)
        elif name == "terms" and isinstance(self.result, MLEATResult | WEATResult):
            drawn = figures.term_plot(self.result, self.result.scores)
        return Markup(drawn)  # noqa: S704  (escaped there)

    def terms(self) -> list[TermAssociation]:
        """Terms of an SC-EAT from the strongest association with A to that with B."""
        if not isinstance(self.result, SCEATResult):
            return []
        return sorted(self.result.terms, key=_undefined_last)


def _undefined_last(entry: TermAssociation) -> tuple[bool, float]:
    d = entry.level2.effect_size
    return d is None, -(d or 0.0)


def effect_bar(d: float | None) -> Markup:
    """Draw the bar of an effect size for the page."""
    return Markup(figures.effect_bar(d))  # noqa: S704  (numbers alone)


def sections(results: Iterable[AssociationResult]) -> list[Section]:
    """One section for each result, in their order."""
    return [
        Section(f"result-{number}", _kind(result), result, Rule.of(result), sentence(result))
        for number, result in enumerate(results, start=1)
    ]


def _kind(result: AssociationResult) -> str:
    kinds = {MLEATResult: "ml-eat", WEATResult: "weat", SCEATResult: "sc-eat"}
    return next((kind for record, kind in kinds.items() if isinstance(result, record)), "other")


def distinct(values: Iterable[str]) -> list[str]:
    """Return each value once, in order of first appearance."""
    return list(dict.fromkeys(values))


@dataclass(frozen=True)
class Pattern:
    """One EAT pattern of the legend."""

    label: str
    mini: Markup
    meaning: str
    found: int
    """How many of the page's results show it."""


_PATTERNS: dict[str, tuple[Attribute | None, Attribute | None, str]] = {
    "AB-Divergent": ("A", "B", "X with A, Y with B"),
    "BA-Divergent": ("B", "A", "X with B, Y with A"),
    "A-Uniform": ("A", "A", "both with A"),
    "B-Uniform": ("B", "B", "both with B"),
    "AX-Singular": ("A", None, "X with A, Y with neither"),
    "BX-Singular": ("B", None, "X with B, Y with neither"),
    "AY-Singular": (None, "A", "Y with A, X with neither"),
    "BY-Singular": (None, "B", "Y with B, X with neither"),
    "Non-Directional": (None, None, "neither with A or B"),
}


def legend(shown: Sequence[Section]) -> list[Pattern]:
    """The nine EAT patterns, each with its map."""
    labels = [section.map.label for section in shown if section.map]
    return [
        Pattern(label, _sample(label), meaning, labels.count(label))
        for label, (_, _, meaning) in _PATTERNS.items()
    ]


def _sample(label: str) -> Markup:
    x, y, _ = _PATTERNS[label]
    sample = EATMap(
        X=Column("X", 0.0, 1.0, significant=False, attribute=x),
        Y=Column("Y", 0.0, 1.0, significant=False, attribute=y),
        A="A", B="B", label=label, two_sided_label=label, rule=Rule(),
    )  # fmt: skip
    return Markup(sample.svg("mini"))  # noqa: S704
