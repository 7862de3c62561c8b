"""Pages for one person on this machine: what every command that serves a page shares.

A page is bound to the loopback address alone and has a random token in its address. Every request
must name this machine as its host and have the token; one that changes something must come from
the page itself. So other machines, other users without the address, and pages of other sites that
the same browser shows reach nothing, and a name that another site points at this machine
(DNS rebinding) is refused.
"""

from __future__ import annotations

import hmac
import io
import json
import re
import secrets
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ValidationError

from eatlas.errors import EatlasError
from eatlas.present.rendering import file_text, page_style

HOST = "127.0.0.1"
"""The loopback address: no other machine reaches it."""
LARGEST_REQUEST = 16 << 10
"""Bytes of the body of a request, where a page needs no more."""
SILENT = 10.0
"""Seconds until a connection on which nothing comes is closed."""
LONGEST_REQUEST = 20.0
"""Seconds in which a whole request must have come, however many pieces it comes in."""
UNREAD, UNREAD_BYTES = 1.0, 1 << 20
"""Seconds and bytes in which the body of a refused request is read: a connection that is closed
with something unread may lose its answer."""
_SIZE = re.compile(r"[0-9]{1,9}")
WAITING = 0.5
"""Seconds between two looks for Ctrl-C."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Of every answer: the page loads its own files and nothing else."""
OTHER_HOST = "This page is only for this machine, but the request names a different host."
OTHER_PAGE = "The request does not come from this page."
NO_TOKEN = "The address lacks its token: open the whole address that was printed."  # noqa: S105


class PageAnswer(NamedTuple):
    """What is answered to a request."""

    content: str | bytes
    """A text is sent as UTF-8."""
    media_type: str = "text/html"
    status: int = 200
    filename: str = ""
    """Of a download."""


NOT_FOUND = PageAnswer("Not found.\n", "text/plain", 404)


def as_json(content: Any, status: int = 200) -> PageAnswer:
    """An answer that a script reads."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return PageAnswer(text, "application/json", status)


@dataclass(frozen=True)
class App:
    """The answers of a page: its files, and reactions to requests of its script."""

    name: str
    """Of its style and its own script among the templates."""
    page: Callable[[], str]
    request: type[BaseModel]
    """What its script sends, as JSON."""
    acts: Mapping[str, Callable[[Any], PageAnswer]]
    """By name; each takes a request."""
    refused: Callable[[EatlasError], PageAnswer]
    scripts: tuple[str, ...] = ()
    """Scripts that it shares with other pages, which run before its own."""
    largest: int = LARGEST_REQUEST
    """Bytes of the body of a request."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, name: str) -> PageAnswer:
        """A file of the page."""
        if not name:
            return PageAnswer(self.page())
        if name == "page.css":
            return PageAnswer(page_style(f"{self.name}.css"), "text/css")
        if name == "page.js":
            scripts = map(file_text, (*self.scripts, f"{self.name}.js"))
            return PageAnswer("\n".join(scripts), "text/javascript")
        return NOT_FOUND

    def act(self, name: str, body: bytes) -> PageAnswer:
        """Do what the script of the page requests, one act at a time."""
        if name not in self.acts:
            return NOT_FOUND
        try:
            request = self.request.model_validate_json(body)
            with self.lock:
                return self.acts[name](request)
        except ValidationError:
            return self.refused(EatlasError("The page does not send such a request."))
        except EatlasError as error:
            return self.refused(error)


class _Server(ThreadingTCPServer):
    """A server at the loopback address."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, app: App, port: int) -> None:
        self.app, self.token = app, secrets.token_urlsafe(24)
        self.answering: set[threading.Thread] = set()
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            raise EatlasError(
                f"the address {HOST}, port {port}, cannot be used",
                got=getattr(error, "strerror", None) or str(error),
                remedy="omit --port to use a free one",
            ) from error
        port = self.server_address[1]
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self.address = f"http://{HOST}:{port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that closed the connection."""


class _RequestReader(io.RawIOBase):
    """Bytes of a connection until a deadline, so that a slow sender cannot block a thread."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.end_in(LONGEST_REQUEST)

    def end_in(self, seconds: float) -> None:
        """Set the deadline."""
        self.deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = min(SILENT, self.deadline - time.monotonic())
        if left <= 0:
            raise TimeoutError("the request took too long")
        self.connection.settimeout(left)
        try:
            return self.connection.recv_into(buffer)
        finally:
            self.connection.settimeout(SILENT)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request of a connection.

    Refused are: another host than the loopback address or localhost with this port; another
    origin; a missing origin where something is changed; what another site embeds or fetches; a
    wrong token; other methods than GET, HEAD and POST; bodies that are too large.
    """

    server: _Server
    timeout = SILENT

    def setup(self) -> None:
        """Read by a reader that has a deadline."""
        super().setup()
        self.reader = _RequestReader(self.connection)
        self.rfile = io.BufferedReader(self.reader)

    def do_GET(self) -> None:
        """Answer, if the request comes from this machine and knows the token."""
        self.server.answering.add(threading.current_thread())
        try:
            refusal = self._refusal()
            if refusal is None:
                name = self.path.partition("?")[0].split("/", 2)[2]
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                app = self.server.app
                self._send(app.act(name, body) if self.command == "POST" else app.read(name))
                return
            self._send(PageAnswer(f"{refusal[1]}\n", "text/plain", refusal[0]))
            self.reader.end_in(UNREAD)
            self.rfile.read(UNREAD_BYTES)
        except OSError:
            pass  # the browser left, or sent less than it said
        except Exception:  # noqa: BLE001  (a fault of ours ends this answer, not the page)
            traceback.print_exc(file=sys.stderr)
            self._send(PageAnswer("A fault of eatlas.\n", "text/plain", 500))
        finally:
            self.server.answering.discard(threading.current_thread())

    do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = do_GET

    def _refusal(self) -> tuple[int, str] | None:
        """Status and reason; None for a request that is let through."""

        def all_of(name: str) -> list[str]:
            return self.headers.get_all(name, [])

        hosts, origins, sites = all_of("Host"), all_of("Origin"), all_of("Sec-Fetch-Site")
        reads = self.command in {"GET", "HEAD"}
        visit = reads and all_of("Sec-Fetch-Mode") == ["navigate"]
        parts = self.path.split("/", 2)
        token = parts[1] if len(parts) == 3 and not parts[0] else ""
        sizes = all_of("Content-Length") or ["0"]
        size = int(sizes[0]) if len(sizes) == 1 and _SIZE.fullmatch(sizes[0]) else -1
        small = 0 <= size <= self.server.app.largest and not all_of("Transfer-Encoding")
        rules = (
            (len(hosts) == 1 and hosts[0].lower() in self.server.hosts, 403, OTHER_HOST),
            (reads or self.command == "POST", 405, "Only GET, HEAD and POST."),
            (
                origins == [f"http://{host.lower()}" for host in hosts] or (reads and not origins),
                403,
                OTHER_PAGE,
            ),
            (visit or {*sites} <= {"same-origin", "none"}, 403, OTHER_PAGE),
            (hmac.compare_digest(token.encode(), self.server.token.encode()), 403, NO_TOKEN),
            (small, 413, "The request is too large."),
        )
        return next(((status, why) for holds, status, why in rules if not holds), None)

    def _send(self, answer: PageAnswer) -> None:
        content = answer.content
        data = content.encode() if isinstance(content, str) else content
        text = answer.media_type.startswith("text/")
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type + "; charset=utf-8" * text)
        self.send_header("Content-Length", str(len(data)))
        if answer.filename:
            self.send_header("Content-Disposition", f'attachment; filename="{answer.filename}"')
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def version_string(self) -> str:
        """Name no versions."""
        return "eatlas"

    def log_message(self, *_: Any) -> None:
        """Requests are not logged: their addresses hold the token."""


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Let SIGINT and SIGTERM end what is served, as Ctrl-C does; a handler of others stays.

    What a shell starts in the background ignores SIGINT, and SIGTERM would end it halfway.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    usual = {n: h for n, h in before.items() if h in {signal.SIG_DFL, signal.SIG_IGN}}
    if threading.current_thread() is not threading.main_thread():
        usual = {}  # another thread cannot set handlers
    try:
        for number in usual:
            signal.signal(number, signal.default_int_handler)
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


class Served:
    """A page that is served in a thread of its own; a context manager."""

    def __init__(self, app: App, port: int = 0) -> None:
        self._server = _Server(app, port)
        self.address = self._server.address
        """What a browser on this machine opens; its token keeps everyone else out."""
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, args=(0.1,), name="eatlas page", daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether the page is served."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Serve the page until Ctrl-C, SIGINT or SIGTERM, as the end of a script."""
        with stop_on_signals(), suppress(KeyboardInterrupt):
            while self.open:
                self._thread.join(WAITING)
        self.close()

    def close(self) -> None:
        """End the page; what it was asked is answered first."""
        self._server.shutdown()
        self._thread.join()
        for thread in list(self._server.answering):
            thread.join(2 * UNREAD)
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<page at {self.address}>" if self.open else "<page, closed>"
