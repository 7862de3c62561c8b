"""One request and its answer, within a time and a size."""

from __future__ import annotations

import ipaddress
import json
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

CHUNK = 1 << 16
GRACE = 1.0
"""Seconds beyond the time, in which a connection that times out by itself says so."""
PACKED = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""Ways to pack an answer, and zlib's number for them."""


class BrokenError(Exception):
    """The connection broke, or there is none; another try may do."""


class LateError(Exception):
    """The answer was not complete in time."""


class UnusableError(Exception):
    """The request cannot be sent, or the answer is too large or packed in an unknown way."""


@dataclass(frozen=True)
class Answer:
    """An answer that came whole."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """What the JSON of the content holds.

        Raises
        ------
        ValueError
            If it is no JSON, or nested too deeply.
        """
        try:
            return json.loads(self.content)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine.

    Examples
    --------
    >>> [is_loopback(f"http://{host}/v1") for host in ("127.0.0.1", "localhost:8080", "a.org")]
    [True, True, False]
    """
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def exchange(
    address: str, body: Any, headers: Mapping[str, str], *, seconds: float, limit: int
) -> Answer:
    """Send a request and read the whole answer.

    Parameters
    ----------
    address : str
    body : object
        Sent as JSON.
    headers : mapping
        They are sent as they are: no file such as ``.netrc`` adds or replaces any.
    seconds : float
        From the first byte sent to the last one received.
    limit : int
        Bytes of the answer, unpacked.

    Raises
    ------
    BrokenError, LateError, UnusableError
        Where there is no whole answer.
    """
    work = _Work(address, body, headers, seconds, limit)
    # a thread of its own: an answer, or its head, may drip for ever without a read that is late
    thread = threading.Thread(target=work.run, daemon=True)
    thread.start()
    thread.join(seconds + GRACE)
    if thread.is_alive():
        work.stopped = True
        raise LateError(f"the answer is not complete after {seconds:g} s")
    if work.error is not None:
        raise work.error
    assert work.answer is not None  # noqa: S101  (there is one, or an error)
    return work.answer


class _Work:
    """One exchange, done by a thread."""

    def __init__(
        self, address: str, body: Any, headers: Mapping[str, str], seconds: float, limit: int
    ) -> None:
        self.address, self.body, self.seconds, self.limit = address, body, seconds, limit
        self.headers = {"Accept-Encoding": "identity", **headers}
        self.ends = time.monotonic() + seconds
        self.stopped = False
        self.answer: Answer | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.answer = self._exchanged()
        except BaseException as error:  # noqa: BLE001  (handed to the thread that waits)
            self.error = error

    def _exchanged(self) -> Answer:
        import requests  # noqa: PLC0415  (only where an endpoint is asked)
        from urllib3.exceptions import HTTPError, TimeoutError  # noqa: A004, PLC0415

        try:
            with requests.post(
                self.address,
                json=self.body,
                headers=self.headers,
                auth=_as_it_is,
                timeout=self.seconds,
                # what is on this machine is asked without a detour
                proxies={"no_proxy": "*"} if is_loopback(self.address) else None,
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = b"".join(self._parts(answer))
                return Answer(answer.status_code, dict(answer.headers), content)
        except (requests.Timeout, TimeoutError) as error:
            raise LateError(f"no answer after {self.seconds:g} s") from error
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise BrokenError(f"{type(error).__name__}: {error}") from error
        except HTTPError as error:  # while the answer was read
            raise BrokenError(f"the answer broke off: {error}") from error
        except (requests.RequestException, ValueError) as error:
            raise UnusableError(str(error)) from error

    def _parts(self, answer: Any) -> Iterator[bytes]:
        """The content, unpacked; never more than the limit, nor later than the end."""
        unpack = _unpacker(answer.headers.get("Content-Encoding", ""))
        came = size = 0
        for packed in answer.raw.stream(CHUNK, decode_content=False):
            came += len(packed)
            for part in unpack(packed):
                size += len(part)
                if size > self.limit:
                    raise UnusableError(f"the answer has more than {self.limit:,} bytes")
                yield part
            if self.stopped or time.monotonic() > self.ends:
                raise LateError(f"the answer is not complete after {self.seconds:g} s")
        length = answer.headers.get("Content-Length", "")
        if length.isascii() and length.isdigit() and came < int(length[:20]):
            raise BrokenError(f"the answer broke off: {came:,} bytes of {int(length[:20]):,}")


def _as_it_is(request: Any) -> Any:
    """Authorisation of requests: the headers that are given, and nothing from files."""
    return request


def _unpacker(encoding: str) -> Any:
    """A function that unpacks one part after the other, in parts of bounded size."""
    way = encoding.strip().lower()
    if way in {"", "identity"}:
        return lambda packed: (packed,)
    if way not in PACKED:
        raise UnusableError(f"the answer is packed in a way that was not asked for: {way[:40]}")
    reader = zlib.decompressobj(PACKED[way])

    def unpack(packed: bytes) -> Iterator[bytes]:
        while packed:
            try:
                part = reader.decompress(packed, CHUNK)
            except zlib.error as error:
                raise BrokenError(f"the answer cannot be unpacked: {error}") from error
            if part:
                yield part
            packed = reader.unconsumed_tail

    return unpack
