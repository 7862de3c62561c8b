"""Says a word where a command ends without one, and ends what Ray would leave behind.

A process of its own: Ray ends a process at once when the raylet of its machine is gone. Arguments
are what is said, the socket of the raylet, and its agents, which would stay for a minute. Its input
has something once the command ends by itself, and ends with the command.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress


def watch(message: str, raylet: str = "", *agents: str) -> None:
    """Wait for the end of the raylet, if it is the command's own, and of the command."""
    if raylet:
        with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
            line.connect(raylet)
            line.recv(1)  # which ends with the raylet
    for agent in agents:
        with suppress(ProcessLookupError):
            os.kill(int(agent), signal.SIGKILL)
    if not sys.stdin.read():
        sys.stderr.write(f"{message}\n")


if __name__ == "__main__":
    watch(*sys.argv[1:])
