"""Writing files: whole or not at all, never over what is read, and a clear error where it fails."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO, Any

from eatlas.errors import ResultsError
from eatlas.paths import is_folder, is_there

_FULL = "make room on this disk, or choose a place on another"
_REMEDIES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.ENAMETOOLONG: "choose a shorter name",
}


def require_other_file(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over what is read."""
    for path in inputs:
        if is_there(output) and is_there(path) and output.samefile(path):
            raise ResultsError(
                f"{output}: this is also the input file; writing would destroy it",
                remedy="choose another name with -o",
            )


def require_writable(path: Path) -> None:
    """Refuse a file that could not be written, before much work is done for it."""
    folder = next(one for one in path.absolute().parents if is_there(one))
    try:
        _require_no_folder(path)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def atomic_file(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces `path` when the block ends well, and vanishes otherwise."""
    with atomic_files() as new:
        yield new(path, binary=binary)


@contextmanager
def atomic_files() -> Iterator[Callable[..., IO[Any]]]:
    """Open files that belong together: all are replaced when whole, or none is."""
    files: list[tuple[Path, Path, IO[Any]]] = []

    def new(path: Path, *, binary: bool = False) -> IO[Any]:
        as_text: dict[str, Any] = {} if binary else {"encoding": "utf-8", "newline": "\n"}
        try:
            _require_no_folder(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        except OSError as error:
            raise unwritable(path, error) from error
        file: IO[Any] = os.fdopen(handle, "w+b" if binary else "w", **as_text)
        files.append((path, Path(name), file))
        return file

    try:
        yield new
        for _, name, file in files:
            file.close()
            name.chmod(0o666 & ~umask())
        for path, name, _ in files:
            name.replace(path)
    except OSError as error:
        raise unwritable(files[0][0] if files else Path(), error) from error
    finally:
        for _, name, file in files:
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                name.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what a process that was killed left of `path`, which no other process writes now."""
    for left in path.parent.glob(f".{escape(path.name)}.{'[a-z0-9_]' * 8}"):  # named by mkstemp
        with suppress(OSError):
            left.unlink()


def _require_no_folder(path: Path) -> None:
    if is_folder(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def unwritable(path: Path, error: OSError) -> ResultsError:
    """The error for a file that the system does not let us write."""
    return ResultsError(
        f"{path}: cannot be written",
        got=error.strerror or str(error),
        remedy=remedy_of(error) or "choose a folder that you may write to",
    )


def remedy_of(error: OSError) -> str | None:
    """What to do about a full disk or a long name; None for all else."""
    return _REMEDIES.get(error.errno or 0)


def umask() -> int:
    """Permissions that the user wishes no new file to have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
