"""A command that serves a page, run as a user runs it."""

import os
import re
import signal
import subprocess
import sys


class Served:
    """A running command of eatlas that has printed the address of its page."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "eatlas", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise AssertionError(line + self.process.communicate(timeout=300)[1])
        self.address = found[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.token = self.address.rstrip("/").rpartition("/")[2]

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; the exit code, and what was said beside the address."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        if not self.process.stderr.closed:
            self.said = self.process.communicate(timeout=300)[1]
        return self.process.returncode, self.said
