"""Requests to an endpoint: within a time and a size, tried again, and never showing the key."""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from eatlas.errors import EatlasError, SourceError

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
PART = 6
"""Consecutive characters of a key are hidden from so many on."""
HIDDEN = "***"
READ, SHOWN, BRIEF = 4000, 600, 300
"""Characters of a message that are looked at, that are shown, and of what an endpoint says."""
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the endpoint names none with Retry-After."""
LEAST_LIMIT, LIMIT_EACH = 16 << 20, 512 << 10
"""Bytes of an answer: at least, and for each text; 20,000 components take 500 kB."""
CHUNK = 1 << 16
GRACE = 0.5
"""Seconds beyond the time, in which a connection that times out by itself says so."""
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_PACKED = frozenset(("", "identity", "gzip", "x-gzip", "deflate"))


class BrokenError(Exception):
    """The connection broke, or there is none; another try may do."""


class UnusableError(Exception):
    """The request cannot be sent, or the answer is too large or packed in an unknown way."""


@dataclass(frozen=True)
class Response:
    """An answer that came whole."""

    status: int
    headers: Mapping[str, str]
    """By names in lower case."""
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """What the JSON of the content holds."""
        try:
            return json.loads(self.content)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


class Secret:
    """A key, or none."""

    def __init__(self, value: str | None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN if self.value else None})"

    def hide(self, text: str) -> str:
        """A text without the key, without parts of it, and without what it is written as."""
        size = min(PART, len(self.value or ""))
        hidden = [False] * len(text)
        for start in range(len(text) - size + 1 if size else 0):
            if text[start : start + size] in self._parts:
                hidden[start : start + size] = [True] * size
        return "".join(
            (HIDDEN if not i or not hidden[i - 1] else "") if hidden[i] else char
            for i, char in enumerate(text)
        )

    @cached_property
    def _parts(self) -> frozenset[str]:
        """Parts of one length, from each way to write the key."""
        value = self.value or ""
        size = min(PART, len(value))
        ways = {
            value, repr(value)[1:-1], json.dumps(value)[1:-1], quote(value, safe=""),
            quote_plus(value),
        }  # fmt: skip
        for shift in range(3):  # its place in a longer text decides how base64 writes it
            # the first and last letters also hold bits of what is beside the key
            packed = base64.b64encode(b" " * shift + value.encode()).decode()
            ways.add(packed[2 if shift else 0 : -4])
        return frozenset(way[i : i + size] for way in ways for i in range(len(way) - size + 1))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Let no message of an error show the key, nor the errors that led to it."""
        try:
            yield
        except EatlasError as error:
            # cut after it is hidden: half a key at the end would not be known
            parts = (error.what, error.got, error.allowed, error.remedy)
            shown = [None if one is None else self.hide(one[:READ])[:SHOWN] for one in parts]
            what, got, allowed, remedy = shown
            raise type(error)(what or "", got=got, allowed=allowed, remedy=remedy) from None


def secret_of_environment() -> Secret:
    """The first key that is set, without spaces and ends of lines around it."""
    for name in KEYS:
        value = os.environ.get(name, "").strip()
        if not value:
            continue
        bad = next((i for i, c in enumerate(value) if not ("!" <= c <= "~")), None)
        if bad is not None:
            raise SourceError(
                f"{name}: this is not a key",
                got=f"a space, a control character or a letter beyond ASCII in place {bad + 1} of "
                f"{len(value)}",
                allowed="one line of ASCII letters, digits and signs",
            )
        return Secret(value)
    return Secret(None)


def post(
    address: str,
    body: Mapping[str, Any],
    secret: Secret,
    timeout: float,
    wait: Callable[[float], None] = time.sleep,
) -> Any:
    """Send a request until it is answered, and return what the JSON of the answer holds."""
    texts = len(body["input"])
    limit = max(LEAST_LIMIT, LIMIT_EACH * texts)
    headers = {} if secret.value is None else {"Authorization": f"Bearer {secret.value}"}
    ends = time.monotonic() + timeout
    # urllib3's Retry does not try again where an answer breaks off, and waits without a limit
    for pause in (*PAUSES, None):
        after = None
        try:
            answer = exchange(address, body, headers, ends=ends, limit=limit)
        except BrokenError as error:
            reason = _brief(secret, str(error))
        except UnusableError as error:
            raise SourceError(
                f"{address}: there is no usable answer",
                got=_brief(secret, str(error)),
                allowed=f"up to {limit:,} bytes for {texts} texts, not packed or packed with gzip",
            ) from error
        else:
            reason = f"status {answer.status}: {_message(answer, secret)}"
            if answer.status not in _AGAIN:
                return _read(answer, reason, address, body, secret)
            after = _retry_after(answer)
        if pause is None:
            end = "after several tries"
            break
        seconds = pause if after is None else after
        if time.monotonic() + seconds >= ends:
            end = f"within {timeout:g} s"
            if after is not None:
                reason += f" (the server requests another try after {after:g} s)"
            break
        wait(seconds)
    raise SourceError(
        f"{address}: the endpoint gave no vectors {end}",
        got=reason,
        allowed=f"a whole answer within {timeout:g} s, all tries together",
        remedy="try again later, or with timeout=SECONDS; encoded texts are kept; repeat the "
        "command to continue",
    )


def exchange(
    address: str, body: Any, headers: Mapping[str, str], *, ends: float, limit: int
) -> Response:
    """Send a request and read the whole answer."""
    results: queue.SimpleQueue[Response | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            results.put(_exchanged(address, body, headers, ends, limit))
        except BaseException as error:  # noqa: BLE001  (handed to the thread that waits)
            results.put(error)

    # a thread of its own: an answer, or its head, may drip for ever without a read that is late
    threading.Thread(target=work, daemon=True).start()
    try:
        result = results.get(timeout=_left(ends) + GRACE)
    except queue.Empty:
        raise BrokenError("the answer is not complete in time") from None
    if isinstance(result, BaseException):
        raise result
    return result


def _exchanged(
    address: str, body: Any, headers: Mapping[str, str], ends: float, limit: int
) -> Response:
    """Send a request and read the answer, within the time and the limit of bytes."""
    import requests  # noqa: PLC0415  (only endpoints need it)
    from urllib3.exceptions import HTTPError, IncompleteRead, TimeoutError  # noqa: A004, PLC0415

    try:
        with requests.post(
            address,
            json=body,
            headers={"Accept-Encoding": "identity", **headers},
            auth=lambda request: request,  # nothing from files
            timeout=_left(ends),
            # no proxy for this machine
            proxies={"no_proxy": "*"} if is_loopback(address) else None,
            allow_redirects=False,
            stream=True,
        ) as answer:
            packed = answer.headers.get("Content-Encoding", "").strip().lower()
            if packed not in _PACKED:
                raise UnusableError(
                    f"the answer is packed in a way that was not requested: {packed[:40]}"
                )
            content = bytearray()
            for part in answer.raw.stream(CHUNK, decode_content=True):
                content += part
                if len(content) > limit:
                    raise UnusableError(f"the answer has more than {limit:,} bytes")
                if time.monotonic() > ends:
                    raise BrokenError("the answer is not complete in time")
            named = {name.lower(): text for name, text in answer.headers.items()}
            return Response(answer.status_code, named, bytes(content))
    except (requests.Timeout, TimeoutError) as error:
        raise BrokenError("no answer in time") from error
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
        raise BrokenError(f"{type(error).__name__}: {error}") from error
    except HTTPError as error:  # while the answer was read
        cut = error.args[-1]
        short = isinstance(cut, IncompleteRead) and cut.expected is not None
        said = f"{cut.partial:,} bytes of {cut.partial + cut.expected:,}" if short else error
        raise BrokenError(f"the answer ended early: {said}") from error
    except (requests.RequestException, ValueError) as error:
        raise UnusableError(str(error)) from error


def _left(ends: float) -> float:
    """Seconds until then; a socket's timeout has to be more than 0."""
    return max(ends - time.monotonic(), 0.001)


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(
    answer: Response, reason: str, address: str, body: Mapping[str, Any], secret: Secret
) -> Any:
    """What an answer holds that is no reason to try again."""
    status = answer.status
    if status == 200:
        try:
            return answer.json()
        except ValueError as error:
            deep = ": nested too deeply" if "nested" in str(error) else ""
            raise SourceError(
                f"{address}: the answer is not JSON{deep}",
                got=_brief(secret, answer.text, 80),
                allowed="an endpoint that speaks like OpenAI's: POST .../v1/embeddings",
            ) from error
    if status in {401, 403}:
        raise SourceError(
            f"{address}: the endpoint does not let us in",
            got=f"{reason} ({'with' if secret.value else 'without'} a key)",
            remedy="set EATLAS_API_KEY or OPENAI_API_KEY to a key for this endpoint",
        )
    if status == 404:
        raise SourceError(
            f"{address}: there is no such endpoint, or it does not know the model",
            got=reason,
            allowed="an address such as https://HOST/v1/embeddings, and a model of that "
            f"server; requested: {body['model']}",
        )
    if 300 <= status < 400:
        raise SourceError(
            f"{address}: the endpoint is elsewhere",
            got=_brief(secret, f"status {status}, to {answer.headers.get('location')}"),
            remedy="name that address, if you trust it with your texts and your key",
        )
    raise SourceError(
        f"{address}: the endpoint refuses the request",
        got=reason,
        remedy=f"check the model's name ({body['model']}) and the options",
    )


def _message(answer: Response, secret: Secret) -> str:
    """What the endpoint says, from the places where such endpoints say it."""
    try:
        said = answer.json()
    except ValueError:
        return _brief(secret, answer.text)
    error = said.get("error", said) if isinstance(said, dict) else said
    message = error.get("message", error) if isinstance(error, dict) else error
    try:
        return _brief(secret, str(message))
    except RecursionError:
        return "an answer that is nested too deeply"


def _brief(secret: Secret, text: str, most: int = BRIEF) -> str:
    """The beginning of a text, hidden before it is cut: half a key is not known again."""
    return secret.hide(text[: 10 * BRIEF])[:most]


def _retry_after(answer: Response) -> float | None:
    """Seconds that Retry-After names; it may also hold a date."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
