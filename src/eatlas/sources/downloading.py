"""Download a file over HTTP so that a half one continues where it stopped."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Watch = Callable[[int, int | None], None]
"""Called with how many bytes are here, and how many there are if the server says so."""
CHUNK = 1 << 20
TRIES = 5
"""Broken connections in a row, without a byte between them, before we give up."""
PAUSE = 1.0
"""Seconds before the first new try; each further one waits twice as long."""
_TIMEOUT = (20, 60)  # to connect, between two packets; in seconds
_OK, _PARTIAL, _NOT_SATISFIABLE = 200, 206, 416
LARGEST = 50 * 10**9
"""Bytes that are taken where neither the list nor the server says how many there are."""


class RefusedError(Exception):
    """The server's answer is no file; the message says which answer."""


class BrokenOffError(Exception):
    """The connection broke too often, or there is none."""


class NoRoomError(Exception):
    """The disk has less room than the file needs: so many bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


@dataclass(frozen=True)
class Remote:
    """What distinguishes one state of a remote file from another."""

    url: str
    length: int | None
    etag: str | None
    modified: str | None

    @property
    def condition(self) -> str | None:
        """For If-Range: a weak ETag does not promise the same bytes, so it does not do."""
        strong = self.etag if self.etag and not self.etag.startswith("W/") else None
        return strong or self.modified

    def same_as(self, other: Remote) -> bool:
        """Whether nothing speaks for another state."""
        pairs = (
            (getattr(self, key), getattr(other, key)) for key in ("length", "etag", "modified")
        )
        return self.url == other.url and all(a == b for a, b in pairs if a and b)


class Resuming:
    """Fetch a file into a part beside its place."""

    def __init__(
        self,
        part: Path,
        watch: Watch | None = None,
        *,
        size: int | None = None,
        pause: float = PAUSE,
    ) -> None:
        self.part, self.watch, self.size, self.pause = part, watch, size, pause
        self.state = part.with_name(f"{part.name}.json")
        self.remote: Remote | None = None

    def __call__(self, url: str, path: Path) -> None:
        """Fetch `url` and move it to `path`."""
        self.part.parent.mkdir(parents=True, exist_ok=True)
        start = most = self._here()
        failures = 0
        while not self._whole(url):
            try:
                self._go_on(url)
            except BrokenOffError:
                failures = 1 if self._here() > most else failures + 1
                most = max(most, self._here())
                if most == start or failures >= TRIES:  # nothing came: there is no connection
                    raise
                time.sleep(self.pause * 2 ** (failures - 1))
        self.part.replace(path)
        self.state.unlink(missing_ok=True)

    def _here(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _whole(self, url: str) -> bool:
        remote = self._remembered(url)
        self.remote = remote or self.remote
        return remote is not None and remote.length is not None and self._here() == remote.length

    def _remembered(self, url: str) -> Remote | None:
        """The state of the remote file that the part belongs to."""
        try:
            remote = Remote(**json.loads(self.state.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        return remote if remote.url == url else None

    def _go_on(self, url: str) -> None:
        """Ask for what is missing, or for everything, and write what comes."""
        import requests  # noqa: PLC0415  (0.2 s, and only a download needs it)
        from urllib3.exceptions import HTTPError  # noqa: PLC0415

        remembered, start = self._remembered(url), self._here()
        # a packed transfer would make lengths and ranges those of the packed bytes
        headers = {"Accept-Encoding": "identity"}
        if remembered is not None and start:
            headers["Range"] = f"bytes={start}-"
            if remembered.condition:
                headers["If-Range"] = remembered.condition
        try:
            with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
                self._take(url, answer, remembered, start)
        except (requests.RequestException, HTTPError) as error:
            raise BrokenOffError(_innermost(error)) from error

    def _take(self, url: str, answer: Any, remembered: Remote | None, start: int) -> None:
        """Judge an answer: begin anew, continue the part, or refuse it."""
        if answer.status_code == _NOT_SATISFIABLE and start:
            return self._forget()  # the remote file is shorter now than our part
        if answer.status_code not in {_OK, _PARTIAL} or (answer.status_code != _OK and not start):
            raise RefusedError(f"{answer.status_code} {answer.reason}")
        if url.startswith("https:") and not answer.url.startswith("https:"):
            raise RefusedError(f"the server leads from https to {answer.url}")
        remote = _remote(url, answer)
        if None not in {self.size, remote.length} and remote.length != self.size:
            self._forget()
            raise RefusedError(
                f"the file has {remote.length:,} bytes, {self.size:,} were published"
            )
        if answer.status_code == _PARTIAL:
            begins = answer.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            if not begins or remembered is None or not remote.same_as(remembered):
                return self._forget()
        else:
            start = 0
            self._forget()
            self.state.write_text(json.dumps(asdict(remote)), encoding="utf-8")
        return self._write(answer, start, remote)

    def _forget(self) -> None:
        """Begin anew."""
        self.part.unlink(missing_ok=True)
        self.state.unlink(missing_ok=True)

    def _write(self, answer: Any, start: int, remote: Remote) -> None:
        """Append the body of an answer to the part, within the limits of size and disk."""
        expected = remote.length if self.size is None else self.size
        most = LARGEST if expected is None else expected
        if expected is not None and expected - start > shutil.disk_usage(self.part.parent).free:
            raise NoRoomError(expected)
        with self.part.open("ab") as file:
            for chunk in answer.raw.stream(CHUNK, decode_content=False):
                start += len(chunk)
                if start > most:
                    break
                file.write(chunk)
                if self.watch:
                    self.watch(start, remote.length)
        if start > most:
            self._forget()
            raise RefusedError(f"more than {most:,} bytes came")
        if remote.length is None:  # the end of the connection is the only sign of the end
            ended = Remote(remote.url, start, remote.etag, remote.modified)
            self.state.write_text(json.dumps(asdict(ended)), encoding="utf-8")
        elif start < remote.length:
            raise BrokenOffError("the connection ended early")


def _remote(url: str, answer: Any) -> Remote:
    total = answer.headers.get("Content-Range", "").rpartition("/")[2]
    length = total if answer.status_code == _PARTIAL else answer.headers.get("Content-Length", "")
    return Remote(
        url,
        int(length) if length.isdigit() else None,
        answer.headers.get("ETag"),
        answer.headers.get("Last-Modified"),
    )


def _innermost(error: BaseException) -> str:
    """The end of a chain of errors: Connection refused, Name or service not known, ..."""
    seen: BaseException = error
    while (inner := seen.__cause__ or seen.__context__) is not None:
        seen = inner
    return getattr(seen, "strerror", None) or str(seen) or type(seen).__name__
