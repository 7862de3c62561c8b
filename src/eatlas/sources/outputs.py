"""Files that will be written: refused before any work where they could not be."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eatlas.errors import ResultsError
from eatlas.sources.archives import library
from eatlas.writing import require_other_file, require_writable


def require_ending(path: Path, what: str, endings: tuple[str, ...]) -> None:
    """Refuse a name that does not say how to write what was found."""
    if path.suffix.lower() not in endings:
        raise ResultsError(
            f"{path}: {what} cannot be written in this format",
            got=path.suffix or "a name without ending",
            allowed=", ".join(endings),
        )


def require_place(out: str | Path | None, what: str, endings: tuple[str, ...]) -> Path | None:
    """The file to write, if any; refused before the work where it could not be written."""
    if out is None:
        return None
    path = Path(out)
    require_ending(path, what, endings)
    if path.suffix.lower() == ".parquet":
        pyarrow_of(path)
    require_writable(path)
    return path


def require_other_files(path: Path | None, files: Iterable[str | Path]) -> None:
    """Refuse to write over what is read."""
    for written in () if path is None else (path, sidecar_path(path)):
        require_other_file(written, [Path(file) for file in files])


def sidecar_path(path: Path) -> Path:
    """Return the path of the counts and provenance of a file without metadata."""
    return path.with_name(path.name + ".json")


def pyarrow_of(path: Path) -> tuple[Any, Any]:
    """Import pyarrow where it is needed; `path` is named if it is missing."""
    names = ("pyarrow", "pyarrow.parquet")
    arrow, parquet = (library(name, str(path), "and write Parquet") for name in names)
    return arrow, parquet
