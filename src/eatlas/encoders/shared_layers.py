"""Layers of one model that are computed in one pass."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from eatlas.encoders.options import Layers
from eatlas.sources.protocol import Answers, Found, Item


@dataclass
class SharedLayers:
    """Layers that are computed in one pass and read one after the other."""

    layers: tuple[Layers, ...]
    waiting: dict[Layers, dict[Item, Found]] = field(default_factory=dict)
    """Answers that came with another layer's; handed over when their layer is read."""
    cut: set[str] = field(default_factory=set)
    """Texts that were cut, whichever layer was read."""

    def keep(self, layers: Layers, answers: Answers) -> None:
        """Keep the answers of a layer until it is read."""
        self.waiting.setdefault(layers, {}).update(answers)

    def take(self, layers: Layers, items: Collection[Item]) -> dict[Item, Found]:
        """Hand over what is kept of a layer, and let go of it."""
        kept = self.waiting.pop(layers, {})
        return {one: kept[one] for one in items if one in kept}
