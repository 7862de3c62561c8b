"""Spaces of controlled anisotropy, with association tests whose EAT pattern is known.

A word is ``r (z + o) + a``: z is normal with variance 1 in each of d dimensions; o is the planted
association, along one direction g that tells A (+) from B (-); r is the word's own length factor,
log-normal as measured in GloVe (standard deviation of the logarithm .12 to .19); and a is what
makes the space anisotropic. Targets without an association have no component along g on average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Rows = np.ndarray
Space = Callable[[Rows, Rows, Rows], Rows]
"""From z (n, d), o (d,) and r (n, 1) to the words' vectors."""

PATTERNS = {"AB-Divergent": (1, -1), "A-Uniform": (1, 1), "BY-Singular": (0, -1)}
"""Side of X and of Y along g."""
NOTHING = {"Non-Directional": (0, 0)}
"""Attributes that differ, and targets that have nothing to do with it."""


@dataclass(frozen=True)
class Setting:
    """What does not change along a family of spaces."""

    dim: int = 100
    strength: float = 2.5
    """Length of o, in standard deviations of a component of z."""
    spread: float = 0.15
    """Standard deviation of log r."""
    size: int = 8
    """Terms in each group."""
    vocabulary: int = 2000


@dataclass(frozen=True)
class World:
    """One space with its vocabulary, attributes, and target groups by side."""

    vocabulary: Rows
    attributes: dict[str, Rows]
    targets: dict[tuple[str, int], Rows]
    """By role, X or Y, and side."""


def make_world(space: Space, setting: Setting, rng: np.random.Generator) -> World:
    g = rng.standard_normal(setting.dim)
    g /= np.linalg.norm(g)

    def words(n: int, side: int, *, exact: bool = False) -> Rows:
        z = rng.standard_normal((n, setting.dim))
        if exact:
            z -= (z.mean(axis=0) @ g) * g
        r = np.exp(setting.spread * rng.standard_normal((n, 1)))
        return space(z, side * setting.strength * g, r)

    n = setting.size
    sides = {
        (role, side[i]) for side in (PATTERNS | NOTHING).values() for i, role in enumerate("XY")
    }
    return World(
        vocabulary=words(setting.vocabulary, 0),
        attributes={"A": words(n, 1), "B": words(n, -1)},
        targets={key: words(n, key[1], exact=True) for key in sorted(sides)},
    )


def common_vector(level: float, dim: int, rng: np.random.Generator) -> Space:
    """All words share a vector `level` times as long as what tells them apart."""
    m = rng.standard_normal(dim)
    m *= level * np.sqrt(dim) / np.linalg.norm(m)
    return lambda z, o, r: r * (z + o) + m


def loud_dimensions(count: int, *, mean: bool) -> Callable[..., Space]:
    """`count` dimensions are `level` times as loud as the others.

    Without a mean their standard deviation is `level`; with one their mean is, and their standard
    deviation a quarter of it, as in the rogue dimensions of GPT-2.
    """

    def make(level: float, _dim: int, _rng: np.random.Generator) -> Space:
        def space(z: Rows, o: Rows, r: Rows) -> Rows:
            x = r * (z + o)
            loud = z[:, :count]
            x[:, :count] = level + loud * max(1.0, level / 4) if mean else r * loud * level
            return x

        return space

    return make


def power_law(level: float, dim: int, rng: np.random.Generator) -> Space:
    """The i-th principal component has variance ``i ** -level``; their sum stays d."""
    variances = np.arange(1.0, dim + 1) ** -level
    variances *= dim / variances.sum()
    axes, _ = np.linalg.qr(rng.standard_normal((dim, dim)))
    # seen from the components, so that level 0 leaves z, and what is neutral in it, as they are
    return lambda z, o, r: r * ((z @ axes.T * np.sqrt(variances)) @ axes + o)


FAMILIES: dict[str, tuple[Callable[..., Space], tuple[float, ...]]] = {
    "common vector": (common_vector, (0, 0.25, 0.35, 0.5, 0.65, 0.8, 1, 1.5, 2, 3, 5, 10)),
    "1 dimension with a mean": (loud_dimensions(1, mean=True), (0, 3, 5, 7, 10, 15, 30, 100)),
    "3 dimensions with a mean": (loud_dimensions(3, mean=True), (0, 2, 3, 4, 6, 10, 30, 100)),
    "1 dimension, no mean": (loud_dimensions(1, mean=False), (1, 2, 3, 4, 5, 6, 8, 12, 20)),
    "3 dimensions, no mean": (loud_dimensions(3, mean=False), (1, 2, 3, 4, 5, 6, 8, 12, 20)),
    "power law": (power_law, (0, 0.5, 0.75, 0.9, 1, 1.25, 1.5, 2)),
}
"""Families of spaces, each with its levels from isotropic to hopeless."""
