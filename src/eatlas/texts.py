"""Texts of other packages, in addition to the texts of the core.

A package names, by an entry point of the group ``eatlas.texts``, the Python package that holds its
texts. That is a folder with any of these:

``notes.toml``
    The sentence of each code of its notes, as in ``eatlas/notes.toml``.
``methods.toml``, ``references.bib``
    Which works its measures rest on, and their BibTeX entries.
``wording.toml``, ``comparisons.toml``
    What a page calls what associates, and the kinds of comparison of several results.
``templates/``
    Templates (Jinja), styles and scripts, which records and pages name.
``filters.py``
    A module with a mapping ``FILTERS``: functions that these templates call, by their names.

Nothing takes the place of a text of the core. What cannot be read is left out with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from eatlas.decoding import own_toml
from eatlas.errors import PluginWarning
from eatlas.installed import entry_points_of

ENTRY_POINTS = "eatlas.texts"


@cache
def folders() -> dict[str, Traversable]:
    """Folders of texts by the Python package that holds each."""
    found: dict[str, Traversable] = {}
    for point in entry_points_of(ENTRY_POINTS):
        try:
            found[point.value] = _folder(point.value)
        except Exception as error:  # noqa: BLE001  (whatever a module of another package raises)
            _leave_out(point.name, f"{point.value} cannot be imported", error)
    return found


def _folder(package: str) -> Path:
    """The folder of a Python package, which is not imported: a run needs no more than its files."""
    top, *rooms = package.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {top!r}")
    return Path(next(iter(spec.submodule_search_locations))).joinpath(*rooms)


def plugin_files(own: Path) -> Iterator[tuple[str, Traversable]]:
    """Files of other packages that have the name of a file of the core, by their package."""
    for package, folder in folders().items():
        if (file := folder / own.name).is_file():
            yield package, file


@cache
def plugin_tables(own: Path) -> dict[str, dict[str, Any]]:
    """Tables of TOML files of other packages that have the name of a file of the core."""
    tables: dict[str, dict[str, Any]] = {}
    for package, file in plugin_files(own):
        try:
            for name, table in own_toml(file).items():
                tables[name] = dict(table) | tables.get(name, {})
        except Exception as error:  # noqa: BLE001  (whatever another package has there)
            _leave_out(package, f"{own.name} cannot be read", error)
    return tables


@cache
def tables(own: Path) -> dict[str, dict[str, Any]]:
    """Tables of a TOML file of the core, then what files of the same name in others add."""
    core, more = own_toml(own), plugin_tables(own)
    return {name: more.get(name, {}) | core.get(name, {}) for name in (*core, *more)}


def template(name: str) -> tuple[Traversable, str] | None:
    """A file of the templates of other packages with the package; None where none has it."""
    for package, folder in folders().items():
        if (file := folder / "templates" / name).is_file():
            return file, package
    return None


@cache
def filters(package: str) -> dict[str, Any]:
    """Functions that templates of a package call, by name; none where it has no such module."""
    if not (folders()[package] / "filters.py").is_file():
        return {}
    found: dict[str, Any] = import_module(f"{package}.filters").FILTERS
    return found


def _leave_out(name: str, what: str, error: Exception) -> None:
    """Warn that texts of a package are left out."""
    got = f"{type(error).__name__}: {error}".splitlines()[0]
    note = f"{name} of {ENTRY_POINTS} cannot be used: {what} ({got}). It is left out."
    warnings.warn(PluginWarning(note), stacklevel=4)
