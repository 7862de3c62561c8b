"""The files that a scan writes, checked before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eatlas.errors import ResultsError
from eatlas.results.scan import summary_of
from eatlas.results.scan_words import require_suffix
from eatlas.sources.spec import parse_file_spec


def require_usable(out: Path, *inputs: Any) -> None:
    """Refuse a file that cannot be written, or that would replace one that is read.

    Parameters
    ----------
    out : Path
        The file of words.
    inputs : object
        What the scan is given; strings and paths may name files.

    Raises
    ------
    ResultsError
        Naming what stands in the way.
    """
    require_suffix(out)
    read = [path for given in inputs if (path := _file(given)) is not None]
    for target in (out, summary_of(out)):
        if target.is_dir():
            raise ResultsError(f"--out {out}: {target} is a directory", allowed="a file")
        if any(target.exists() and target.samefile(path) for path in read):
            raise ResultsError(
                f"--out {out}: {target} is a file that is read; writing would destroy it",
                remedy="choose another file",
            )


def _file(given: Any) -> Path | None:
    if not isinstance(given, str | Path):
        return None
    path = parse_file_spec(str(given)).path
    return path if path.is_file() else None
