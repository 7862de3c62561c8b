"""Says a word where a Ray command ends without one, and ends what Ray would leave behind.

Ray ends a process at once when the raylet of its machine is gone, and a command that is killed
leaves agents of its raylet for a minute. So :func:`watch_process` starts this file as a process
of its own. Its arguments are what is said, the socket of the raylet and its agents; its input has
something once the command ends by itself, and ends with the command.
"""

from __future__ import annotations

import atexit
import importlib
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any

AGENT = re.compile(r"ray::\w*Agent|agent\.py|agent/main\.py")
"""In the command of an agent of a raylet."""


def watch_process(message: str, *, own: bool) -> None:
    """Have a message printed if this process is killed; its own cluster leaves nothing then."""
    node = importlib.import_module("ray._private.worker")._global_node
    if node is None or not hasattr(socket, "AF_UNIX"):
        return
    raylet = []
    if own:
        processes: Any = importlib.import_module("psutil")  # Ray brings it
        parent = processes.Process(node.all_processes["raylet"][0].process.pid)
        raylet = [node.raylet_socket_name]
        for child in parent.children():
            with suppress(processes.Error):  # it has ended
                if AGENT.search(" ".join(child.cmdline())):
                    raylet.append(str(child.pid))
    watcher = subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", __file__, message, *raylet],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )

    def tell() -> None:
        if watcher.stdin is not None:
            with suppress(OSError):
                watcher.stdin.write(b"x")
                watcher.stdin.flush()

    atexit.register(tell)


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
