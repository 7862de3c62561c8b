"""Record of figures of bias before and after a transform, compared with random directions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from eatlas.notes import Note, Noted
from eatlas.numbers import effect
from eatlas.results.levels import Interval
from eatlas.results.parts import Probability, Record, is_none

SCHEMA: Literal["eatlas/residual/1"] = "eatlas/residual/1"


class BeforeAfter(Record):
    """One figure of the vectors before and after a transform, and by chance.

    Chance is the figure of random directions after they are removed: what is left of a direction
    that means nothing.
    """

    before: float
    after: float
    chance: float
    """Mean over the random directions."""
    lowest: float
    """Of the random directions."""
    highest: float

    @property
    def beside_chance(self) -> Literal["below", "within", "above"]:
        """Where the figure after is next to the range of random directions."""
        if self.after > self.highest:
            return "above"
        return "below" if self.after < self.lowest else "within"


class SimilarityCost(Record):
    """How well cosines of pairs of words agree with people's scores, before and after."""

    name: str
    """Of the set."""
    sha256: str
    """Of its file."""
    pairs: int
    """Pairs whose words both have a vector."""
    of: int
    """Pairs of the set."""
    before: float | None
    """Spearman's rho; None with fewer than 4 pairs."""
    after: float | None
    interval: Interval | None
    """95% interval of after less before, over resamples of pairs."""


class Accuracy(Record):
    """Proportion of analogies that are answered rightly, before and after."""

    questions: int
    """Those whose four words are all among the words that can be answers."""
    before: float | None
    """None without questions."""
    after: float | None
    lost: int
    """Right before and wrong after."""
    gained: int
    p: Probability
    """McNemar's exact two-sided p, as if questions were independent; they share words."""


class AnalogyCost(Record):
    """Accuracy on one set of analogies."""

    name: str
    sha256: str
    of: int
    """Questions of the set."""
    add: Accuracy
    """By 3CosAdd (Mikolov et al. 2013)."""
    mul: Accuracy
    """By 3CosMul (Levy and Goldberg 2014)."""
    categories: dict[str, Accuracy]
    """By 3CosAdd, of each category with questions."""


class TransformCost(Record):
    """What a transform costs: similarities and analogies before and after it."""

    schema_version: Literal["eatlas/cost/1"] = Field(default="eatlas/cost/1", alias="schema")
    source: str
    source_fingerprint: str
    before: str
    """Name of the source before the transform."""
    version: str
    """Version of eatlas."""
    words: int
    """The first words of the source, among which answers of analogies are sought."""
    similarity: tuple[SimilarityCost, ...] = ()
    analogies: tuple[AnalogyCost, ...] = ()

    def __repr__(self) -> str:
        parts = [(cost.name, cost.before, cost.after) for cost in self.similarity]
        parts += [(cost.name, cost.add.before, cost.add.after) for cost in self.analogies]
        text = ", ".join(f"{name} {effect(b)} to {effect(a)}" for name, b, a in parts)
        return f"<Cost of {self.source}: {text}>"


class ResidualBias(Record):
    """Figures before and after a transform: what the transform targets, and what it does not.

    The words and their groups come from the vectors before: the most biased of each group.
    """

    schema_version: Literal["eatlas/residual/1"] = Field(default=SCHEMA, alias="schema")
    source: str
    source_fingerprint: str
    before: str
    """Name of the source before the transform."""
    groups: tuple[str, ...]
    version: str
    """Version of eatlas."""
    vocabulary: int
    """Frequent words among which the most biased and the neighbours are sought."""
    directions: int
    """Random directions, whose figures after their removal show chance."""
    projection: BeforeAfter
    """Mean cosine of the most biased words with the direction of their group: what is targeted."""
    clusters: BeforeAfter
    """Proportion of the most biased words in the cluster of their group, k-means with k groups."""
    clustered: int
    """Number of these words."""
    neighbours: BeforeAfter
    """Correlation of the bias of targets before with the proportion of their neighbours that leaned
    to the group before, the mean over groups."""
    targets: int
    """Number of targets; their neighbours are counted."""
    classifier: BeforeAfter
    """Accuracy of a support vector machine on biased words that it was not trained on."""
    trained: int
    """Words that it was trained on."""
    tested: int
    """Words that it was tested on."""
    cost: TransformCost | None = Field(default=None, exclude_if=is_none)
    """The cost of the transform, if measured."""
    warnings: tuple[Noted, ...] = ()
    """What a reader should know, in whole sentences."""

    def __repr__(self) -> str:
        figures = (f"{name} {f.before:.2f} to {f.after:.2f}" for name, f in self.figures().items())
        return f"<Residual bias of {self.source}: {', '.join(figures)}>"

    def figures(self) -> dict[str, BeforeAfter]:
        """Every figure by its name: the targeted one, then what it does not see."""
        names = ("projection", "clusters", "neighbours", "classifier")
        return {name: getattr(self, name) for name in names}

    def remarks(self) -> tuple[Note, ...]:
        """Return the warnings that the figures call for."""
        beside = {name: f.beside_chance for name, f in self.figures().items()}
        del beside["projection"]
        sides = {
            side: [name for name, where in beside.items() if where == side]
            for side in ("above", "within", "below")
        }
        return (Note("residual.beside-random", values={"directions": self.directions, **sides}),)
