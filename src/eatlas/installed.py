"""Entry points of the packages that are installed."""

from __future__ import annotations

from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points

_all_points = cache(entry_points)
"""All entry points; reading them takes 10 ms or more."""


@cache
def entry_points_of(group: str) -> list[EntryPoint]:
    """Entry points of a group by package and name, as packages come in the order of a folder."""
    found = _all_points().select(group=group)
    return sorted(found, key=lambda point: (package_of(point), point.name))


def package_of(point: EntryPoint) -> str:
    """The package that brings an entry point; empty if nothing says which."""
    return "" if point.dist is None else _name_of(point.dist)


@cache
def _name_of(package: Distribution) -> str:
    """The name of a package, for which its whole metadata is read."""
    return package.name
