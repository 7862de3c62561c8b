"""From a name in a source string to the file of published vectors on this machine."""

from __future__ import annotations

from dataclasses import replace

from eatlas.errors import SourceError
from eatlas.sources.published.places import place_of, target_of
from eatlas.sources.published.registry import published_vectors
from eatlas.sources.spec import FileSpec


def on_this_machine(spec: FileSpec) -> FileSpec:
    """Put the path of published vectors where their name stands; leave anything else as it is.

    Raises
    ------
    SourceError
        If the name is one of published vectors that were not fetched. Nothing is downloaded here:
        gigabytes come only to who asks for them.
    """
    name = str(spec.path)
    entry = next((each for each in published_vectors() if each.name == name), None)
    if entry is None:
        return spec
    path = place_of(entry)
    if path is None:
        size = entry.download.size
        raise SourceError(
            f"{name}: these published vectors are not on this machine yet",
            got=f"nothing at {target_of(entry)}",
            remedy=f"eatlas data fetch {name}" + (f" ({size_text(size)})" if size else ""),
        )
    return replace(spec, path=path)


def size_text(size: int) -> str:
    """Bytes as a person reads them.

    Examples
    --------
    >>> size_text(862182613), size_text(2176768927), size_text(512)
    ('862 MB', '2.2 GB', '512 bytes')
    """
    if size >= 10**9:
        return f"{size / 10**9:.1f} GB"
    if size >= 10**6:
        return f"{size / 10**6:.0f} MB"
    return f"{size / 10**3:.0f} kB" if size >= 10**3 else f"{size} bytes"
