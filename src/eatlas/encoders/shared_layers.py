"""Layers of one model that are computed in one pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from eatlas.encoders.options import Layers
from eatlas.sources.interface import Answers, Found, Item, VectorSource
from eatlas.sources.source import as_source, innermost


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


@runtime_checkable
class InLayers(Protocol):
    """A source of one layer, or of several that become one vector."""

    layers: Layers

    @property
    def alike(self) -> tuple[object, ...]:
        """What sources that can be computed in one pass have in common; the model first."""
        ...

    def share(self, shared: SharedLayers) -> None:
        """Be computed in the same pass as others."""
        ...


def share_passes(sources: Iterable[VectorSource]) -> list[list[VectorSource]]:
    """Have sources that differ in their layers alone computed in one pass of the model."""
    together: dict[tuple[object, ...], list[VectorSource]] = {}
    for source in sources:
        inner = innermost(source)
        key: tuple[object, ...] = (source.name, id(source))
        if isinstance(inner, InLayers):
            said = as_source(source).encoding
            key = (*inner.alike, said and said.prompt)
        together.setdefault(key, []).append(source)
    for several in together.values():
        inners = [one for one in map(innermost, several) if isinstance(one, InLayers)]
        if len(inners) > 1:
            shared = SharedLayers(tuple(dict.fromkeys(one.layers for one in inners)))
            for inner in inners:
                inner.share(shared)
    return [together[key] for key in sorted(together, key=lambda key: str(key[0]))]
