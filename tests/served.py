"""Servers: commands of eatlas that serve a page, requests that no page makes, servers of a test."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import HTTPServer
from typing import TypeVar
from urllib.parse import urlsplit

S = TypeVar("S", bound=HTTPServer)


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    text: str
    headers: Message


def ask(
    address: str, name: str, body: bytes, method: str = "POST", **headers: str | None
) -> Answer:
    """Send a request as any program could make it.

    Parameters
    ----------
    address : str
        That of the page, with its token.
    name : str
        What is asked for: below the page, or where it begins with a slash, below the host.
    body : bytes
    method : str, default: "POST"
    **headers : str or None
        Instead of those that the page sends; None is a header that is not sent.
    """
    parts = urlsplit(address)
    own = {"Host": parts.netloc, "Origin": f"{parts.scheme}://{parts.netloc}"}
    sent = {**own, **{key.replace("_", "-"): value for key, value in headers.items()}}
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=300)
    path = name if name.startswith("/") else f"{parts.path.rstrip('/')}/{name}"
    connection.putrequest(method, path, skip_host=True)
    for key, value in sent.items():
        if value is not None:
            connection.putheader(key, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    found = Answer(answer.status, answer.read().decode("utf-8", "replace"), answer.headers)
    connection.close()
    return found


@contextmanager
def running(server: S) -> Iterator[S]:
    """Let a server of a test answer beside it."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


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
        self.port = urlsplit(self.address).port
        self.token = self.address.rstrip("/").rpartition("/")[2]

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; the exit code, and what was said beside the address."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        if not self.process.stderr.closed:
            self.said = self.process.communicate(timeout=300)[1]
        return self.process.returncode, self.said
