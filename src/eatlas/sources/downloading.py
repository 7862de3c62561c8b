"""Download a file over HTTP so that a half one continues where it stopped."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError

Watch = Callable[[int, int | None], None]
"""Called with how many bytes are here, and how many there are if the server says so."""
CHUNK = 1 << 20
TRIES = 5
"""Broken connections in a row, without a byte between them, before we give up."""
PAUSE = 1.0
"""Seconds before the first new try; each further one waits twice as long."""
_TIMEOUT = (20, 60)  # to connect, between two packets; in seconds
LARGEST = 50 * 10**9
"""Bytes that are taken where neither the list nor the server says how many there are."""


class RefusedError(Exception):
    """The server's answer is no file; the message says which answer."""


class BrokenOffError(Exception):
    """The connection broke too often, or there is none."""


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
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified


def need(folder: Path, size: int) -> None:
    """Refuse to begin what cannot end."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise SourceError(
            f"{folder}: there is not enough room on this disk",
            got=f"{free:,} bytes free",
            allowed=f"{size:,} bytes at least",
            remedy="make room, or set EATLAS_DATA to a folder on another disk",
        )


def download(
    url: str, part: Path, watch: Watch | None, *, size: int | None, pause: float
) -> Remote:
    """Fetch a file into a part beside its place; `size` is its length, where it is published."""
    state = part.with_name(f"{part.name}.json")
    first, failures = _size(part), 0
    while True:
        start = _size(part)
        remote = _remembered(state, url)
        if remote is not None and remote.length == start:
            state.unlink(missing_ok=True)
            return remote
        if remote is None or remote.condition is None:
            part.unlink(missing_ok=True)  # nothing tells whether it is of the same file
            remote = None
        try:
            _continue(url, part, state, remote, size, watch)
        except BrokenOffError:
            failures = 1 if _size(part) > start else failures + 1
            if _size(part) == first or failures >= TRIES:  # nothing came: there is no connection
                raise
            time.sleep(pause * 2 ** (failures - 1))


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _remembered(state: Path, url: str) -> Remote | None:
    """The state of the remote file that the part belongs to."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        remote = Remote(**json.loads(state.read_text(encoding="utf-8")))
        return remote if remote.url == url else None
    return None


def _continue(
    url: str,
    part: Path,
    state: Path,
    remembered: Remote | None,
    size: int | None,
    watch: Watch | None,
) -> None:
    """Ask for what is missing, or for everything, and write what comes."""
    import requests  # noqa: PLC0415  (0.2 s, and only a download needs it)
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    start = _size(part)
    # a packed transfer would make lengths and ranges those of the packed bytes
    headers = {"Accept-Encoding": "identity"}
    if remembered is not None and start:
        headers |= {"Range": f"bytes={start}-", "If-Range": str(remembered.condition)}
    try:
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
            remote = _judged(url, answer, size)
            if remote is None or (answer.status_code == 206 and remote != remembered):
                part.unlink(missing_ok=True)  # it is of another file: begin anew
                return
            if answer.status_code == 200:
                part.unlink(missing_ok=True)
                state.write_text(json.dumps(asdict(remote)), encoding="utf-8")
            _write(answer, part, remote, size, watch)
            if remote.length is None:  # the end of the connection is the only sign of the end
                ended = asdict(remote) | {"length": _size(part)}
                state.write_text(json.dumps(ended), encoding="utf-8")
    except (requests.RequestException, HTTPError) as error:
        raise BrokenOffError(_innermost(error)) from error


def _judged(url: str, answer: Any, size: int | None) -> Remote | None:
    """The state of the remote file; None if it is shorter now than our part."""
    if answer.status_code == 416:
        return None
    if answer.status_code not in {200, 206}:
        raise RefusedError(f"{answer.status_code} {answer.reason}")
    if url.startswith("https:") and not answer.url.startswith("https:"):
        raise RefusedError(f"the server leads from https to {answer.url}")
    total = answer.headers.get("Content-Range", "").rpartition("/")[2]
    length = total if answer.status_code == 206 else answer.headers.get("Content-Length", "")
    known = int(length) if length.isdigit() else None
    if size is not None and known not in (None, size):
        raise RefusedError(f"the file has {known:,} bytes, {size:,} were published")
    return Remote(url, known, answer.headers.get("ETag"), answer.headers.get("Last-Modified"))


def _write(answer: Any, part: Path, remote: Remote, size: int | None, watch: Watch | None) -> None:
    """Append the body of an answer to the part, within the limits of size and disk."""
    start, expected = _size(part), size or remote.length
    if expected is not None:
        need(part.parent, expected - start)
    most = expected or LARGEST
    with part.open("ab") as file:
        for chunk in answer.raw.stream(CHUNK, decode_content=False):
            start += len(chunk)
            if start > most:
                part.unlink()
                raise RefusedError(f"more than {most:,} bytes came")
            file.write(chunk)
            if watch:
                watch(start, remote.length)
    if remote.length is not None and start < remote.length:
        raise BrokenOffError("the connection ended early")


def _innermost(error: BaseException) -> str:
    """The end of a chain of errors: Connection refused, Name or service not known, ..."""
    seen: BaseException = error
    while (inner := seen.__cause__ or seen.__context__) is not None:
        seen = inner
    return getattr(seen, "strerror", None) or str(seen) or type(seen).__name__
