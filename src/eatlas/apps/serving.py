"""Pages for one person on this machine: what every command that serves a page shares.

A page is bound to the loopback address alone and has a random token in its address. Every request
must name this machine as its host and have the token; one that changes something must come from
the page itself. So other machines, other users without the address, and pages of other sites that
the same browser shows reach nothing, and a name that another site points at this machine
(DNS rebinding) is refused.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import starmap
from typing import Any, NamedTuple, Self

from eatlas.decoding import json_value
from eatlas.errors import EatlasError

LOOPBACK = ("127.0.0.1", "::1")
LARGEST_REQUEST = 16 << 10
"""Bytes of the body of a request, where a page needs no more."""
SILENT_AT_ONCE = 64
"""Connections on which nothing has been asked yet; of more, the oldest is closed."""
WAITING = 0.5
"""Seconds between two looks for Ctrl-C."""
UNREAD = 1.0
"""Seconds that are waited for the body of a request that is refused."""
CHANGING, READING = frozenset({"POST"}), frozenset({"GET", "HEAD"})
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Of every answer: the page loads its own files and nothing else."""

OTHER_HOST = "This page is for this machine alone: the host is another."
OTHER_PAGE = "The request does not come from this page."
NOT_WHOLE = "The address lacks its token: open the whole address that was printed."


def needs(extra: str) -> EatlasError:
    """Say which extra a page needs."""
    return EatlasError(
        "the page needs starlette and uvicorn", remedy=f"pip install 'eatlas[{extra}]'"
    )


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Answer(NamedTuple):
    """What is answered to a request."""

    content: str | bytes
    """A text is sent as UTF-8."""
    media_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] | None = None


def as_json(content: Any, status: int = 200) -> Answer:
    """An answer that a script reads."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Answer(text, "application/json", status)


def application(
    files: Mapping[str, Callable[[], Answer]],
    acts: Mapping[str, Callable[[bytes], Answer]],
    refused: Callable[[EatlasError], Answer],
    *,
    extra: str,
    threads: bool = False,
) -> App:
    """The application of a page."""
    try:
        from starlette.applications import Starlette  # noqa: PLC0415  (an extra)
        from starlette.concurrency import run_in_threadpool  # noqa: PLC0415
        from starlette.requests import ClientDisconnect, Request  # noqa: PLC0415
        from starlette.responses import Response  # noqa: PLC0415
        from starlette.routing import Route  # noqa: PLC0415
    except ImportError as error:
        raise needs(extra) from error

    def response(answer: Answer) -> Response:
        content, media_type, status, headers = answer
        return Response(content, status, headers, media_type)

    def file(path: str, make: Callable[[], Answer]) -> Route:
        async def answered(_: Request) -> Response:
            return response(make())

        return Route(path, answered)

    def act(path: str, make: Callable[[bytes], Answer]) -> Route:
        async def answered(request: Request) -> Response:
            try:
                body = await request.body()
                return response(await run_in_threadpool(make, body) if threads else make(body))
            except ClientDisconnect:  # or the body is too long
                return Response(status_code=413)
            except EatlasError as error:
                return response(refused(error))

        return Route(path, answered, methods=["POST"])

    app: App = Starlette(routes=[*starmap(file, files.items()), *starmap(act, acts.items())])
    return app


def table_of(body: bytes) -> dict[str, Any] | None:
    """The table that a script sent as JSON; None for anything else."""
    try:
        given = json_value(body)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


class Guard:
    """Lets requests through that come from this machine and know the token.

    Refused are: another host than the loopback address or localhost with this port; another
    origin; a missing origin where something is changed; what another site embeds or fetches; a
    wrong token; other methods than GET, HEAD and POST; bodies that are too large.
    """

    def __init__(self, app: App, token: str, port: int, largest: int = LARGEST_REQUEST) -> None:
        self.app, self.token, self.largest = app, token, largest
        self.hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _read(_limited(receive, self.largest))
            await _answer(send, *refusal)
            return
        path = "/" + scope["path"].split("/", 2)[2]
        inner = {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}
        await self.app(inner, _limited(receive, self.largest), _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Status and reason; None for a request that is let through."""
        method, hosts = scope["method"], headers.get("host", [])
        own = [f"http://{host.lower()}" for host in hosts]
        origins, sites = headers.get("origin", []), headers.get("sec-fetch-site", [])
        visit = method in READING and headers.get("sec-fetch-mode") == ["navigate"]
        parts = scope["path"].split("/", 2)
        known = len(parts) == 3 and hmac.compare_digest(parts[1].encode(), self.token.encode())
        sizes = headers.get("content-length", ["0"])
        small = len(sizes) == 1 and sizes[0].isdecimal() and int(sizes[0]) <= self.largest
        rules = (
            (len(hosts) == 1 and hosts[0].lower() in self.hosts, 403, OTHER_HOST),
            (method in CHANGING | READING, 405, "Only GET, HEAD and POST."),
            (origins == own or not (origins or method in CHANGING), 403, OTHER_PAGE),
            (visit or all(site in {"same-origin", "none"} for site in sites), 403, OTHER_PAGE),
            (known, 403, NOT_WHOLE),
            (small, 413, "The request is too large."),
        )
        return next(((status, why) for kept, status, why in rules if not kept), None)


def _limited(receive: Receive, largest: int) -> Receive:
    """Receive a body up to the limit; what is longer ends as if the reader had left."""
    size = 0

    async def limited() -> MutableMapping[str, Any]:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        return message if size <= largest else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send) -> Send:
    """Send answers with the headers of a page that loads nothing else."""

    async def guarded(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            kept = [pair for pair in message.get("headers", []) if pair[0].decode() not in HEADERS]
            message = {**message, "headers": [*kept, *own]}
        await send(message)

    return guarded


async def _read(receive: Receive) -> None:
    """Read a body that nobody needs, for a moment.

    Where a connection is closed with something unread, the other end may lose the answer.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(UNREAD):
            while (await receive()).get("more_body"):
                pass


async def _answer(send: Send, status: int, text: str) -> None:
    """Answer with a line of text."""
    body = f"{text}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    started = {"type": "http.response.start", "status": status, "headers": headers}
    await _with_headers(send)(started)
    await send({"type": "http.response.body", "body": body})


def serve(
    app: App,
    *,
    started: Callable[[str], None],
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    largest: int = LARGEST_REQUEST,
    extra: str = "annotate",
) -> None:
    """Serve a page until Ctrl-C; `started` is told the address, token included."""
    listening = _listening(app, started, host, port, token, largest, extra)
    with suppress(KeyboardInterrupt), listening as server:
        server.serve_page()


class Served:
    """A page that is served in a thread of its own; a context manager."""

    def __init__(
        self,
        app: App,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        largest: int = LARGEST_REQUEST,
        extra: str = "annotate",
    ) -> None:
        self.address = ""
        """What a browser on this machine opens; its token lets nobody else in."""
        self._opened = threading.Event()
        self._stack = ExitStack()
        listening = _listening(app, self._started, host, port, token, largest, extra)
        self._server = self._stack.enter_context(listening)
        self._thread = threading.Thread(
            target=self._server.serve_page, name="eatlas page", daemon=True
        )
        self._thread.start()
        while not self._opened.wait(0.1) and self._thread.is_alive():
            continue

    def _started(self, address: str) -> None:
        self.address = address
        self._opened.set()

    @property
    def open(self) -> bool:
        """Whether the page is served."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Serve the page until Ctrl-C, as the end of a script."""
        with suppress(KeyboardInterrupt):
            while self.open:
                self._thread.join(WAITING)
        self.close()

    def close(self) -> None:
        """End the page; what it was asked is answered first."""
        self._server.should_exit = True
        self._thread.join()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<page at {self.address}>" if self.open else "<page, closed>"


@contextmanager
def _listening(
    app: App,
    started: Callable[[str], None],
    host: str,
    port: int,
    token: str | None,
    largest: int,
    extra: str,
) -> Iterator[Any]:
    """Bind the address; yield the server, whose ``serve_page`` answers until it should exit."""
    try:
        import uvicorn  # noqa: PLC0415  (an extra)
        from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415
    except ImportError as error:
        raise needs(extra) from error
    listening = _bound(host, port)
    port = listening.getsockname()[1]
    token = token or secrets.token_urlsafe(24)
    silent: list[H11Protocol] = []

    class Protocol(H11Protocol):
        """Uvicorn's own limit counts connections that ask nothing, and refuses the others."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            silent[:] = [one for one in silent if one.cycle is None and one in self.connections]
            silent.append(self)
            if len(silent) > SILENT_AT_ONCE:
                silent.pop(0).transport.close()

    config = uvicorn.Config(
        Guard(app, token, port, largest), http=Protocol, ws="none", lifespan="off",
        log_level="error", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=5, timeout_graceful_shutdown=2,
    )  # fmt: skip
    shown = f"[{host}]" if ":" in host else host

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started(f"http://{shown}:{port}/{token}/")

        def serve_page(self) -> None:
            self.run(sockets=[listening])

    with listening:
        yield Server(config)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens on the loopback address."""
    if host not in LOOPBACK:
        raise EatlasError(
            "a page is for this machine alone", got=host, allowed=" or ".join(LOOPBACK)
        )
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen()
    except (OSError, OverflowError) as error:
        made.close()
        raise EatlasError(
            f"the address {host}, port {port}, cannot be used",
            got=getattr(error, "strerror", None) or str(error),
            remedy="leave --port out: a free one is taken",
        ) from error
    return made
