"""The published vectors that are known: eatlas' own, those of other packages, the user's."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path

from eatlas.errors import SourceError
from eatlas.nearest import nearest
from eatlas.sources.published.entries import Published, parse_registry
from eatlas.sources.published.places import data_folder

ENTRY_POINTS = "eatlas.published"
"""An entry point is a callable that returns the path of a TOML file."""
OWN_FILE = "vectors.toml"
"""The user's entries, in the folder of data."""


def published_vectors() -> tuple[Published, ...]:
    """List the published vectors that can be fetched by name.

    Returns
    -------
    tuple of Published
        Those that come with eatlas first, then those of other packages, then the user's.

    Raises
    ------
    SourceError
        If a file of entries is not well formed, or two entries share a name.

    Examples
    --------
    >>> published_vectors()[0].name
    'glove.840B.300d'
    """
    known: dict[str, Published] = {}
    files: dict[str, Published] = {}
    for where, entries in _all_files():
        for entry in entries:
            if known.setdefault(entry.name, entry) is not entry:
                raise SourceError(
                    f"{where}: two entries of published vectors share a name", got=entry.name
                )
            other = files.setdefault(entry.download.file.casefold(), entry)
            if other.download != entry.download:
                raise SourceError(
                    f"{where}: two downloads would be kept under one name",
                    got=entry.download.file,
                    remedy="choose another name for one of them: file = ...",
                )
    return tuple(known.values())


def find(name: str) -> Published:
    """Return published vectors by name.

    Raises
    ------
    SourceError
        If none have that name.
    """
    known = {entry.name: entry for entry in published_vectors()}
    if name in known:
        return known[name]
    near = nearest(name, known, 3)
    raise SourceError(
        f"there are no published vectors called {name!r}",
        remedy=(f"did you mean {', '.join(near)}? " if near else "")
        + "eatlas data list shows them all",
    )


def _all_files() -> list[tuple[str, tuple[Published, ...]]]:
    files = [("eatlas", _own())]
    paths = [Path(point.load()()) for point in entry_points(group=ENTRY_POINTS)]
    user = data_folder() / OWN_FILE
    if user.is_file():
        paths.append(user)
    for path in paths:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SourceError(
                f"{path}: the list of vectors cannot be read", got=error.strerror or str(error)
            ) from error
        files.append((str(path), parse_registry(data, str(path))))
    return files


@cache
def _own() -> tuple[Published, ...]:
    data = resources.files("eatlas.sources") / "data" / "published.toml"
    return parse_registry(data.read_bytes(), "published.toml")
