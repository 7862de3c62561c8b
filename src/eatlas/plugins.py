"""What other packages add, found by entry points: never in place of what eatlas brings.

Packages of this repository that are installed by themselves are found in the same way;
``siblings.toml`` names what each adds, so that a name without its package says what to install.

Whatever another package does wrong, the rest goes on: what cannot be used is left out with one line
of warning where all are listed, and is an error only where somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.resources import files
from types import UnionType
from typing import Any, TypeVar, cast

from eatlas.decoding import own_toml
from eatlas.errors import ContractError, EatlasError, PackageError, described
from eatlas.installed import entry_points_of, package_of

T = TypeVar("T")
LONGEST = 200
"""Characters of what a package says that are repeated."""


def points(group: str, own: Container[str] = ()) -> dict[str, EntryPoint]:
    """Entry points of a group, by name; packages of eatlas come first."""
    found = entry_points_of(group)
    of_eatlas = {point.name: point for point in found if is_own(point)}
    named = dict(of_eatlas)
    for point in found:
        if is_own(point):
            continue
        if point.name in own or point.name in of_eatlas:
            _leave_out(unusable(point, f"eatlas itself brings {point.name}", point.value))
        else:
            named[point.name] = point
    return named


@cache
def siblings() -> dict[str, dict[str, Any]]:
    """Names that packages of this repository add: by package, then by group of entry points.

    Those of commands have the first line of their help.
    """
    return own_toml(files("eatlas") / "siblings.toml")


def absent(group: str, name: str) -> PackageError | None:
    """The error for a name of a package of eatlas that is not installed; None for other names."""
    for package, groups in siblings().items():
        if name in groups.get(group, ()):
            called = name.replace(".", " ") if group == "commands" else name
            return PackageError(
                f"{called} is in the package eatlas-{package}, which is not installed",
                remedy=f"pip install '.[{package}]' in a copy of the repository",
            )
    return None


def require_point(
    group: str, name: str, otherwise: EatlasError | None = None, own: Container[str] = ()
) -> EntryPoint:
    """The entry point that something needs, by its group without "eatlas." and its name.

    Raises
    ------
    PackageError
        If no package that is installed has it and one of eatlas would; it names that.
    EatlasError
        If no package of eatlas would: `otherwise`, by default a ContractError.
    """
    point = points(f"eatlas.{group}", own).get(name)
    if point is not None:
        return point
    raise (
        absent(group, name)
        or otherwise
        or ContractError(
            f"no package that is installed adds {name} to eatlas",
            got=f"no entry point {name} in the group eatlas.{group}",
        )
    )


@cache
def is_own(point: EntryPoint) -> bool:
    """Whether a package of eatlas brings an entry point: then what it names asks for trust."""
    name = package_of(point)
    return name == "eatlas" or name.removeprefix("eatlas-") in siblings()


def public(name: str) -> Any:
    """What a public name of a package of eatlas stands for, such as ``scan``.

    Raises
    ------
    AttributeError
        If no package has the name.
    PackageError
        If the package is not installed.
    """
    for package, groups in siblings().items():
        if name in groups["names"]:
            try:
                return getattr(import_module(f"eatlas_{package}"), name)
            except ModuleNotFoundError as error:
                if error.name != f"eatlas_{package}":
                    raise
                raise cast("PackageError", absent("names", name)) from None
    raise AttributeError(f"module 'eatlas' has no attribute {name!r}", name=name)


def load_point(point: EntryPoint) -> Any:
    """What an entry point names."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # whatever a module of another package raises
        raise unusable(point, f"{point.value} cannot be imported", error) from error


def load_class(point: EntryPoint, kind: type[Any]) -> Any:
    """The class that an entry point names."""
    value = load_point(point)
    if isinstance(value, type) and issubclass(value, kind):
        return value
    allowed = f"a class that derives from {kind.__module__}.{kind.__name__}"
    raise unusable(point, f"{point.value} is something else", described(value), allowed)


def call_point(point: EntryPoint, kind: type[Any] | UnionType, *arguments: Any) -> Any:
    """What the function that an entry point names returns."""
    function = load_point(point)
    try:
        value = function(*arguments)
    except EatlasError:
        raise
    except (Exception, SystemExit) as error:  # whatever a function of another package raises
        raise unusable(point, f"{point.value} raises an error", error) from error
    if isinstance(value, kind):
        return value
    allowed = str(kind) if isinstance(kind, UnionType) else f"a {kind.__name__}"
    raise unusable(point, f"{point.value} returns something else", described(value), allowed)


def usable(group: str, own: Container[str], make: Callable[[EntryPoint], T]) -> dict[str, T]:
    """What other packages add to a group of entry points, by name."""
    made = {}
    for name, point in points(group, own).items():
        try:
            made[name] = make(point)
        except ContractError as error:
            _leave_out(error)
        except (EatlasError, OSError) as error:
            _leave_out(unusable(point, f"{point.value} leads to an error", error))
    return made


def unusable(
    point: EntryPoint, why: str, got: BaseException | str, allowed: str | None = None
) -> ContractError:
    """Say that what another package adds cannot be used, and why."""
    brought_by = package_of(point) or "another package"
    if isinstance(got, BaseException):
        got = str(got) if isinstance(got, EatlasError) else f"{type(got).__name__}: {got}"
    return ContractError(
        f"{point.name} of {brought_by} cannot be used: {why}",
        got=next(iter(got.splitlines()), "")[:LONGEST],
        allowed=allowed,
        remedy=f"install another version of {brought_by}, or remove it",
    )


_left_out: set[str] = set()


def _leave_out(error: ContractError) -> None:
    """Say once that something is left out."""
    from eatlas.notes import Note, warn  # noqa: PLC0415  (pydantic, which the command line's help does without)

    if error.what not in _left_out:
        _left_out.add(error.what)
        warn(Note("plugin.left-out", values={"what": error.what, "got": error.got}), stacklevel=4)
