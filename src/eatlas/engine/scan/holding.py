"""One scan at a time for each file that is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout, UnixFileLock

from eatlas.errors import ResultsError


@contextmanager
def hold(out: Path) -> Iterator[None]:
    """Hold a file that is going to be written; the lock stands beside it.

    Raises
    ------
    ResultsError
        If another scan holds it, or nothing can be written there.
    """
    path = out.with_name(f".{out.name}.lock")
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise ResultsError(
            f"{out}: another scan is writing this file",
            remedy="wait for it to end, or choose another file with --out",
        ) from error
    except OSError as error:
        raise ResultsError(
            f"--out {out}: cannot be written to",
            got=error.strerror or str(error),
            allowed="a file in a directory that can be written to",
            remedy="choose another with --out",
        ) from error
    try:
        yield
    finally:
        if isinstance(lock, UnixFileLock):
            # removed while it is locked: who waits for it sees that and takes the next of that name
            with suppress(OSError):
                path.unlink()
        lock.release()
