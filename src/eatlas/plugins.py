"""What other packages add, found by entry points."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from eatlas.errors import ContractError, EatlasWarning


class PluginWarning(EatlasWarning):
    """Another package adds something that cannot be used; all else can."""


@cache
def _every() -> Any:
    """All entry points; reading them takes 10 ms or more, so they are read once."""
    return entry_points()


def points(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group, by name."""
    return {point.name: point for point in _every().select(group=group)}


def imported(point: EntryPoint) -> Any:
    """What an entry point names.

    Raises
    ------
    ContractError
        If it cannot be imported.
    """
    try:
        return point.load()
    except Exception as error:  # whatever a module of another package raises
        raise ContractError(
            f"{point.name} of another package cannot be used: {point.value} cannot be imported",
            got=f"{type(error).__name__}: {error}",
            remedy="install that package again, or remove it",
        ) from error


def loaded(point: EntryPoint, kind: type[Any]) -> Any:
    """The class that an entry point names.

    Raises
    ------
    ContractError
        If it cannot be imported, or is no subclass of `kind`.
    """
    found = imported(point)
    if isinstance(found, type) and issubclass(found, kind):
        return found
    raise ContractError(
        f"{point.name} of another package cannot be used: {point.value} is something else",
        got=repr(found),
        allowed=f"a class that derives from {kind.__module__}.{kind.__name__}",
    )


def added(group: str, kind: type[Any]) -> dict[str, Any]:
    """Classes that other packages add to a group of entry points, by name.

    Warns
    -----
    PluginWarning
        Of an entry point that cannot be used; it is left out.
    """
    found = {}
    for name, point in points(group).items():
        try:
            found[name] = loaded(point, kind)
        except ContractError as error:
            warnings.warn(f"{error.what} ({error.got})", PluginWarning, stacklevel=3)
    return found
