"""Writing files: whole or not at all, never over what is read, and a clear error where it fails."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from eatlas.errors import ResultsError


def require_other_file(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write over what is read.

    Raises
    ------
    ResultsError
        If `output` is one of `inputs`.
    """
    for path in inputs:
        if is_there(output) and is_there(path) and output.samefile(path):
            raise ResultsError(
                f"{output}: this is the file that is read; writing would destroy it",
                remedy="choose another name with -o",
            )


def require_writable(path: Path) -> None:
    """Refuse a file that could not be written, before much work is done for it.

    Raises
    ------
    ResultsError
        If it is a folder, or no file can be made in its folder.
    """
    folder = next(one for one in path.absolute().parents if is_there(one))
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


@contextmanager
def atomic_file(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that replaces `path` when the block ends well, and vanishes otherwise.

    Parameters
    ----------
    path : Path
    binary : bool, default False
        For bytes; otherwise for text in UTF-8.

    Raises
    ------
    ResultsError
        If the file cannot be written there.
    """
    as_text: dict[str, Any] = {} if binary else {"encoding": "utf-8", "newline": "\n"}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb" if binary else "w", **as_text) as file:
            yield file
        Path(name).chmod(0o666 & ~umask())
        Path(name).replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)


def is_there(path: Path) -> bool:
    """Whether a file exists, as far as the system lets us look."""
    try:
        return path.exists()
    except OSError:
        return False


def _unwritable(path: Path, error: OSError) -> ResultsError:
    return ResultsError(
        f"{path}: cannot be written",
        got=error.strerror or str(error),
        remedy="choose a place that you may write to",
    )


def umask() -> int:
    """Permissions that the user wishes no new file to have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
