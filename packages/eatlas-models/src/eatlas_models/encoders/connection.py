"""Requests to a server: its answers are bounded before they are read, and none holds the key.

An answer has a limit of bytes, on the wire and unpacked, and a time from the end of the request to
its last byte. Both include its head, and heads that only announce another. The key is read when
requests are sent and goes to their address alone.
"""

from __future__ import annotations

import io
import ipaddress
import json
import os
import re
import socket
import time
import zlib
from collections.abc import Mapping
from functools import partial
from html import escape
from http.client import HTTPResponse
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from eatlas.errors import SourceError
from eatlas.notes import Note, warn

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
SHORTEST = 8
"""Letters of a key; a word or a number that is shorter is what a server without keys is given."""
HIDDEN = "***"
SHOWN = 300
"""Characters of what a server says, in a message."""
BLOCK = 1 << 16
_PLAIN, _GZIP = frozenset(("", "identity")), frozenset(("gzip", "x-gzip"))
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][\da-fA-F]{2})|.)"
)
"""What begins with a backslash in JSON: both halves of a character, one of them, anything else."""
_LISTS, _OF_LIST = 100_000, 16
"""Lists and objects in an answer of a server: so many, and one for so many letters. Empty ones take
thirty times as much memory as letters, and answers with vectors or log-probabilities have fewer."""


class UnusableError(Exception):
    """An answer that is not read to its end; another try would not help."""


def json_of_server(text: str) -> Any:
    r"""Parse JSON of a server, which may cut a text in the middle of a character.

    >>> json_of_server('["\\ud83d\\ude00", "\\ud83d", "\\\\ud83d"]')
    ['😀', '�', '\\ud83d']
    """
    if text.count("[") + text.count("{") > _LISTS + len(text) // _OF_LIST:
        raise ValueError("lists and objects alone")
    if "\\u" in text:
        text = _ESCAPE.sub(lambda match: "\\ufffd" if match["half"] else match[0], text)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("values that are nested too deep") from error


class Received(NamedTuple):
    """What a server says."""

    status: int
    """0 where it says nothing."""
    headers: Mapping[str, str]
    content: str
    """The answer, or what went wrong, without the key."""

    @property
    def beginning(self) -> str:
        """The beginning of it."""
        return self.content[:SHOWN]

    def json(self) -> Any:
        """What the answer holds."""
        return json_of_server(self.content)


class Session(requests.Session):
    """Connections to an address that are stored open for several requests.

    Proxies are looked up once, and redirects are not followed: the key goes only to the address.
    """

    def __init__(self, address: str, limit: int, parallel: int = 1) -> None:
        super().__init__()
        self.address, self.limit, self.key = address, limit, key_for(address)
        self._key, self._open = pattern_of(self.key), True
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter(limit, parallel))
        # no proxy for this machine
        proxies = {"no_proxy": "*"} if is_loopback(address) else {}
        around = self.merge_environment_settings(address, proxies, None, None, None)
        self.proxies, self.verify = around["proxies"], around["verify"]
        self.trust_env = False  # nothing from files

    def __enter__(self) -> Self:
        return self

    def close(self) -> None:
        """Send nothing more."""
        self._open = False
        super().close()

    def exchange(self, body: Mapping[str, Any], timeout: float) -> Received:
        """Send a request and read the answer, which is whole within so many seconds."""
        if not self._open:  # who still asks is waited for by nobody
            raise SourceError(f"{self.address}: the connections are closed")
        headers = {"Accept-Encoding": "gzip"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            with self.post(
                self.address, json=body, headers=headers, timeout=timeout, allow_redirects=False,
                stream=True,
            ) as answer:  # fmt: skip
                return self._receive(answer)
        except UnusableError as error:
            raise SourceError(
                f"{self.address}: the server's reply was refused",
                got=str(error),
                allowed=f"up to {self.limit:,} bytes for such a request, uncompressed or "
                "compressed once by gzip",
                remedy="check the address and the model",
            ) from error
        # what libraries say of heads that are none, they say in many ways
        except (requests.RequestException, HTTPError, ValueError, zlib.error) as error:
            return Received(0, {}, self.without_key(f"{type(error).__name__}: {error}"))

    def _receive(self, answer: requests.Response) -> Received:
        """Read an answer whose head has come."""
        text = self._content(answer).decode(errors="replace")
        if answer.status_code != 200:
            target = f", to {answer.headers['Location']}" if "Location" in answer.headers else ""
            text = f"status {answer.status_code}{target}: {text}"
        named = {name: answer.headers.get(name, "") for name in ("Date", "Retry-After")}
        return Received(answer.status_code, named, self.without_key(text))

    def _content(self, answer: requests.Response) -> bytearray:
        """The bytes of an answer, unpacked."""
        encoding = answer.headers.get("Content-Encoding", "").strip()
        packed = encoding.lower()
        if packed not in _PLAIN | _GZIP:
            raise UnusableError(f"the encoding {self.without_key(encoding)[:SHOWN]}")
        unpacking, content = zlib.decompressobj(wbits=31), bytearray()
        for part in answer.raw.stream(BLOCK, decode_content=False):
            # no more of it is unpacked than shows that it is too much
            left = self.limit + 1 - len(content)
            content += unpacking.decompress(part, left) if packed in _GZIP else part
            if len(content) > self.limit:
                raise UnusableError(_too_many(self.limit))
        if packed in _GZIP and not unpacking.eof:
            raise ValueError("what is packed has no end")
        return content

    def without_key(self, text: str) -> str:
        """A text without the key, as it is or escaped."""
        # most long answers are numbers, which a search for what is escaped would take long for
        if self._key is None or not (self.key in text or re.search(r"[\\%&]", text)):
            return text
        return self._key.sub(HIDDEN, text)


def _too_many(limit: int) -> str:
    return f"more than {limit:,} bytes"


# --- bounded answers ------------------------------------------------------------------------------


class _Adapter(HTTPAdapter):
    """Opens connections whose answers are bounded."""

    def __init__(self, limit: int, parallel: int) -> None:
        self._answer = partial(_Answer, limit)
        super().__init__(pool_maxsize=parallel)

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """The connections to the host of a request, or to its proxy."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        kind = pool.ConnectionCls
        if kind.response_class is not self._answer:
            bounded = {"response_class": staticmethod(self._answer)}
            pool.ConnectionCls = type(kind.__name__, (kind,), bounded)
        return pool


class _Answer(HTTPResponse):
    """An answer, from its first head to its end."""

    def __init__(self, limit: int, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_Bounded(self.fp.detach(), sock, limit))


class _Bounded(io.RawIOBase):
    """What comes from a socket, up to so many bytes, and as long as the socket waits for a byte."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, limit: int) -> None:
        self._raw, self._socket, self._limit, self._left = raw, sock, limit, limit
        self._seconds = sock.gettimeout() or 0.0
        self._ends = time.monotonic() + self._seconds

    def readable(self) -> bool:
        """As who buffers it asks."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Wait for bytes until the end of the time."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        try:
            count = self._raw.readinto(buffer)
        finally:
            self._socket.settimeout(self._seconds)
        self._left -= count or 0
        if self._left < 0:
            raise UnusableError(_too_many(self._limit))
        return count

    def close(self) -> None:
        """Let go of the socket, which its connection may close."""
        super().close()
        self._raw.close()


# --- the key --------------------------------------------------------------------------------------


def key_for(address: str) -> str:
    """The first key that is set; refused where others on the way could read it."""
    for name in KEYS:
        if key := _of_environment(name):
            break
    if key and not address.lower().startswith("https:") and not is_loopback(address):
        raise SourceError(
            f"{address}: http would send the key unencrypted",
            allowed="https, or an address on this machine",
            remedy="use https; or unset the key; or reach it by an ssh tunnel to localhost",
        )
    return key


def _of_environment(name: str) -> str:
    """A key without spaces, ends of lines and quotation marks around it."""
    key = os.environ.get(name, "").strip()
    if len(key) > 1 and key[0] == key[-1] and key[0] in "\"'":
        key = key[1:-1].strip()
        warn(Note("source.quoted-key", values={"variable": name}))
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise SourceError(
            f"{name}: not a valid key",
            allowed="one line of ASCII letters, digits and signs",
        )
    return key


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def pattern_of(key: str) -> re.Pattern[str] | None:
    r"""Find a key as it is, or as JSON, addresses and HTML write its letters; None of no secret.

    >>> pattern_of('sk-a"b/c').sub("***", r'{"error": "bad key sk-a\\"b\\/c, sk-a%22b%2Fc"}')
    '{"error": "bad key ***, ***"}'
    >>> pattern_of("EMPTY"), pattern_of("-0.5")
    (None, None)
    """
    word_or_number = key.isalpha() or not re.search("[A-Za-z]", key)
    if not key or (word_or_number and len(key) < SHORTEST):
        return None
    return re.compile("".join(map(_ways, re.findall(r"\\+|.", key))))


def _ways(part: str) -> str:
    """A letter of a key, or several backslashes, as they may be written.

    JSON in JSON doubles backslashes; eight are three times as deep.
    """
    number = f"{ord(part[0]):02x}"
    if part[0] == "\\":
        return rf"(?:\\{{1,8}}u00{number}|(?i:%{number})|\\){{1,{8 * len(part)}}}+"
    ways = sorted({re.escape(part), re.escape(escape(part))})
    return rf"\\{{0,8}}+(?:{'|'.join(ways)}|(?i:u00{number}|%{number}))"
