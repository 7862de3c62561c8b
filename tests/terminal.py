"""What a person sees of a command that is called on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

import pytest

NEEDED = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")


def on_a_terminal(
    *arguments: object,
    cwd: str | os.PathLike[str],
    columns: int,
    term: str = "xterm",
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
) -> str:
    """Call eatlas, which must end well.

    Parameters
    ----------
    *arguments : object
        What is typed behind ``eatlas``.
    cwd : str or os.PathLike
    columns : int
        Width of the terminal.
    term : str, default: "xterm"
        Its kind.
    stdout, stderr : int or file, optional
        Where a stream goes. Default: onto the terminal.

    Returns
    -------
    str
        All that was written onto the terminal, control sequences included.
    """
    import pty  # Windows has none

    leader, follower = pty.openpty()
    environment = {
        **os.environ, "COLUMNS": str(columns), "TERM": term, "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "eatlas", *map(str, arguments)],
        cwd=cwd, env=environment, stdout=stdout or follower, stderr=stderr or follower,
    )  # fmt: skip
    os.close(follower)
    said = b""
    try:
        while part := os.read(leader, 65_536):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert process.wait() == 0, said
    return said.decode()
