"""Record of the bias that vectors still show after a transform that was to take it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from eatlas.results.parts import Record, schema_of

if TYPE_CHECKING:
    import pandas as pd

SCHEMA: Literal["eatlas/residual/1"] = "eatlas/residual/1"


class BeforeAfter(Record):
    """One figure of the vectors before and after a transform."""

    before: float | None
    after: float | None
    chance: float
    """What vectors without the bias show."""

    @property
    def kept(self) -> float | None:
        """Share of what exceeds chance that is left; None where nothing exceeded it before."""
        if self.before is None or self.after is None or self.before <= self.chance:
            return None
        return (self.after - self.chance) / (self.before - self.chance)


class ResidualBias(Record):
    """Bias before and after a transform, by what the transform targets and by what it does not.

    The words and their groups are those of the vectors before: the most biased of each group.
    """

    schema_version: Literal["eatlas/residual/1"] = Field(default=SCHEMA, alias="schema")
    source: str
    source_fingerprint: str
    before: str
    """Name of the source before the transform."""
    groups: tuple[str, ...]
    version: str
    """Version of eatlas."""
    seed: int
    """Of the starts of clusters."""
    vocabulary: int
    """Frequent words among which the most biased and the neighbours are sought."""
    projection: BeforeAfter
    """Mean cosine of the most biased words with the direction of their group: what is targeted."""
    clusters: BeforeAfter
    """Share of the most biased words in the cluster of their group, k-means with k groups."""
    clustered: int
    """Number of these words."""
    neighbours: BeforeAfter
    """Correlation of the bias of targets before with the share of their neighbours that leaned to
    the group before, the mean over groups."""
    targets: int
    """Number of targets; their neighbours are counted."""
    classifier: BeforeAfter
    """Accuracy of a support vector machine on biased words that it was not trained on."""
    trained: int
    """Words that it was trained on."""
    tested: int
    """Words that it was tested on."""
    warnings: tuple[str, ...] = ()
    """What a reader should know, in whole sentences."""

    def __repr__(self) -> str:
        figures = (
            f"{name} {_number(one.before)} to {_number(one.after)}"
            for name, one in self.figures().items()
        )
        return f"<Residual bias of {self.source}: {', '.join(figures)}>"

    __str__ = __repr__

    def figures(self) -> dict[str, BeforeAfter]:
        """Every figure by its name: the targeted one, then what it does not see."""
        names = ("projection", "clusters", "neighbours", "classifier")
        return {name: getattr(self, name) for name in names}

    def remarks(self) -> tuple[str, ...]:
        """Return the warnings that the figures call for."""
        left = {name: one.kept for name, one in self.figures().items() if name != "projection"}
        said = [f"{name} {share:.0%}" for name, share in left.items() if share is not None]
        found = []
        if said:
            found.append(
                f"Share of the bias beyond chance that remains: {', '.join(said)}. Measures along "
                "the group directions do not see this remainder."
            )
        if self.classifier.after is None:
            found.append(
                "No classifier was trained, as scikit-learn is not installed "
                "(pip install 'eatlas[probes]')."
            )
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """One row a figure: before, after, chance, and the share that is kept."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        rows = {name: {**one.to_dict(), "kept": one.kept} for name, one in self.figures().items()}
        return pd.DataFrame.from_dict(rows, orient="index")


def json_schema() -> dict[str, Any]:
    """The JSON Schema that every such record satisfies, draft 2020-12."""
    return schema_of(ResidualBias, "eatlas residual bias, version 1")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
