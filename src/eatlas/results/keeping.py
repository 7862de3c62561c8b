"""Results of other runs in a directory are kept, under the next free number."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

from eatlas.errors import ResultsError
from eatlas.results.base import AssociationResult
from eatlas.results.files import to_json_line
from eatlas.results.trend import TrendResult


def keep_others(
    results: Iterable[AssociationResult | TrendResult], path: Path, *beside: Path
) -> tuple[Path, ...]:
    """Give the file of another run a name of its own, before new results take its place.

    Whoever runs the same again loses nothing: each line of the old file stands in the new one.
    Otherwise ``results.jsonl`` is kept as ``results-1.jsonl``, or with the next number that is
    free, and files beside it with the same number.

    Parameters
    ----------
    results : iterable of results
        What will be written to `path`.
    path : Path
        Of the results.
    *beside : Path
        Other files that will be written anew, such as the report.

    Returns
    -------
    tuple of Path
        The names under which files are kept; empty where nothing would be lost.

    Raises
    ------
    ResultsError
        If a file cannot be kept. No file is changed then.
    """
    try:
        if not _loses(results, path, beside):
            return ()
        there = [one for one in (path, *beside) if one.exists()]
        number = next(n for n in count(1) if all(_free(one, _named(one, n)) for one in there))
        kept = tuple(_named(one, number) for one in there)
        for one, name in zip(there, kept, strict=True):
            if not name.exists():
                _copy(one, name)
    except OSError as error:
        raise ResultsError(
            f"{path}: results of another run are here, and cannot be kept",
            got=error.strerror or str(error),
            remedy="choose another directory with --out",
        ) from error
    return kept


def _loses(
    results: Iterable[AssociationResult | TrendResult], path: Path, beside: tuple[Path, ...]
) -> bool:
    """Whether something would be lost that is not written again."""
    if not path.exists():
        return any(one.exists() for one in beside)
    new = {to_json_line(result).encode() for result in results}
    with path.open("rb") as file:
        return any(line.rstrip(b"\n") not in new for line in file)


def _named(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _free(path: Path, name: Path) -> bool:
    """Whether a name is free, or that of this very file, as a run that was killed leaves it."""
    return not name.exists() or name.samefile(path)


def _copy(path: Path, name: Path) -> None:
    """A second name for a file, or a copy where the disk has no such names; never half of one."""
    with suppress(OSError):
        os.link(path, name)
        return
    unfinished = name.with_name(f".{path.name}.{name.name}")
    try:
        shutil.copy2(path, unfinished)
        unfinished.replace(name)
    finally:
        unfinished.unlink(missing_ok=True)
