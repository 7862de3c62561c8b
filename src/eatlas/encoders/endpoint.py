"""``https://host/v1/embeddings?model=NAME``: vectors from an endpoint that speaks like OpenAI's."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, as_rows, roundoff_of
from eatlas.encoders.options import Values, check_values
from eatlas.errors import SourceError
from eatlas.notes import Note, warn
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Item
from eatlas.sources.spec import check_options, escape, parse_options
from eatlas.untrusted import require_trust

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
BATCH = 128
TIMEOUT = 120.0
"""Seconds; some endpoints count requests by the minute, and request another try after one."""
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the endpoint names none with Retry-After."""
LEAST_LIMIT, LIMIT_EACH = 16 << 20, 512 << 10
"""Bytes of an answer: at least, and for each text; 20,000 components take 500 kB."""
CHUNK = 1 << 16
SHOWN = 300
"""Characters of what an endpoint says."""
OPTIONS = {
    "model": "which model of the endpoint",
    "dimensions": "how many components, where the model can shorten its vectors",
    "batch": "texts in a request",
    "timeout": "seconds for a request, all its tries together",
    "insecure": "yes: send the key over http, which everybody on the way can read",
}
_WHOLE = Values("0*[1-9][0-9]{0,5}", "a whole number from 1")
_VALUES = {
    "dimensions": _WHOLE, "batch": _WHOLE, "timeout": _WHOLE,
    "insecure": Values("yes|no", "yes or no"),
}  # fmt: skip
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_ALLOWED = '{"data": [{"index": 0, "embedding": [...]}, ...]}, one vector for each text'
_KEY = f"set {KEYS[0]} or {KEYS[1]} to a key for this endpoint"
_REMEDIES = {
    401: _KEY,
    403: _KEY,
    404: "check the address, such as https://HOST/v1/embeddings, and the model's name",
}


class EndpointSource(Encoder):
    """Texts encoded by an endpoint.

    The key is read when texts are sent; no name, fingerprint, result or message holds it. It goes
    to this address alone: redirects are not followed.
    """

    def __init__(
        self,
        address: str,
        model: str,
        dimensions: int | None = None,
        batch: int = BATCH,
        timeout: float = TIMEOUT,
        *,
        insecure: bool = False,
    ) -> None:
        more = "" if dimensions is None else f"&dimensions={dimensions}"
        super().__init__(f"{address}?model={escape(model)}{more}")  # never a key
        self.address, self.model, self.dimensions = address, model, dimensions
        self.batch, self.timeout, self.insecure = batch, timeout, insecure

    @property
    def fingerprint(self) -> str:
        """Address, model and number of components, for nothing else is known."""
        return f"endpoint:{self.name}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """That the model may change without notice."""
        return (Note("source.served", values={"model": self.model}),)

    @property
    def encoding(self) -> Encoding:
        """What is known of how a text becomes a vector."""
        return Encoding(
            model=self.model, architecture="endpoint", level="sentence", roundoff=roundoff_of("")
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        key = self._key()
        return self.in_calls(
            items, lambda item: item.content, self.batch, lambda texts, _: self._rows(texts, key)
        )

    def _key(self) -> str:
        """The first key that is set; refused where others on the way could read it."""
        key = next(filter(None, (os.environ.get(name, "").strip() for name in KEYS)), "")
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise SourceError(
                f"{' or '.join(KEYS)}: this is not a key",
                allowed="one line of ASCII letters, digits and signs",
            )
        if not key or self.address.lower().startswith("https:") or is_loopback(self.address):
            return key
        note = Note("source.key-in-the-clear", values={"address": self.address})
        if not self.insecure:
            raise SourceError(
                str(note),
                allowed="https, or an address on this machine",
                remedy="use https; or unset the key; or add insecure=yes to the address",
            )
        warn(note)
        return key

    def _rows(self, texts: list[str], key: str) -> NDArray[np.float32]:
        """Rows in single precision, checked."""
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        answer = _post(self.address, body, key, self.timeout)
        try:
            vectors = {entry["index"]: entry["embedding"] for entry in answer["data"]}
            with np.errstate(over="ignore"):  # what is infinite then is refused below
                rows = np.array([vectors[i] for i in range(len(texts))], float).astype(np.float32)
        except (TypeError, KeyError, ValueError, OverflowError) as error:
            raise SourceError(
                f"{self.name}: the answer has not one vector for each text", allowed=_ALLOWED
            ) from error
        rows = as_rows(rows, texts, self.name)
        expected = self._dim or self.dimensions or rows.shape[1]
        if len(answer["data"]) != len(texts) or rows.shape[1] != expected:
            raise SourceError(
                f"{self.name}: vectors have another number or length than was requested",
                got=f"{len(answer['data'])} of {rows.shape[1]} components",
                allowed=f"{len(texts)} of {expected}",
            )
        self._dim = rows.shape[1]
        return rows


def _post(address: str, body: dict[str, Any], key: str, timeout: float) -> Any:
    """Send a request until it is answered, and return what the JSON of the answer holds."""
    from requests import RequestException  # noqa: PLC0415  (only endpoints need it)

    ends = time.monotonic() + timeout
    for pause in (*PAUSES, None):
        wait = pause
        try:
            status, headers, content = _exchange(address, body, key, ends)
        except RequestException as error:
            reason = _hidden(f"{type(error).__name__}: {error}", key)
        else:
            if status == 200:
                return _json(content, address, key)
            target = f", to {headers['Location']}" if "Location" in headers else ""
            reason = _hidden(f"status {status}{target}: {content.decode(errors='replace')}", key)
            if status not in _AGAIN:
                raise SourceError(
                    f"{address}: the endpoint refuses the request",
                    got=reason,
                    remedy=_REMEDIES.get(status, f"check the model ({body['model']}) and options"),
                )
            wait = pause if pause is None else _retry_after(headers, pause)
        if wait is None or time.monotonic() + wait >= ends:
            break
        time.sleep(wait)
    raise SourceError(
        f"{address}: the endpoint gave no vectors within {timeout:g} s and {len(PAUSES) + 1} tries",
        got=reason,
        remedy="try again later, or with timeout=SECONDS; encoded texts are kept; repeat the "
        "command to continue",
    )


def _exchange(address: str, body: Any, key: str, ends: float) -> tuple[int, Any, bytes]:
    """Send a request; status, headers and content of the answer."""
    import requests  # noqa: PLC0415  (only endpoints need it)

    limit = max(LEAST_LIMIT, LIMIT_EACH * len(body["input"]))
    with requests.post(
        address,
        json=body,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        auth=lambda request: request,  # nothing from files
        timeout=max(ends - time.monotonic(), 0.001),
        # no proxy for this machine
        proxies={"no_proxy": "*"} if is_loopback(address) else None,
        allow_redirects=False,
        stream=True,
    ) as answer:
        content = bytearray()
        for part in answer.iter_content(CHUNK):
            content += part
            if len(content) > limit:
                raise SourceError(
                    f"{address}: there is no usable answer",
                    got=f"more than {limit:,} bytes for {len(body['input'])} texts",
                )
            if time.monotonic() > ends:
                raise requests.Timeout("the answer is not complete in time")
        return answer.status_code, answer.headers, bytes(content)


def _json(content: bytes, address: str, key: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SourceError(
            f"{address}: the answer is not JSON",
            got=_hidden(content[:SHOWN].decode(errors="replace"), key),
            allowed="an endpoint that speaks like OpenAI's: POST .../v1/embeddings",
        ) from error


def _hidden(text: str, key: str) -> str:
    """What an endpoint says, without the key; hidden before it is cut."""
    for way in {key, repr(key)[1:-1], json.dumps(key)[1:-1], quote(key, safe="")} - {""}:
        text = text.replace(way, "***")
    return text[:SHOWN]


def _retry_after(headers: Any, pause: float) -> float:
    """Seconds that Retry-After names; it may also hold a date."""
    text = headers.get("Retry-After", "").strip()
    try:
        if text.isdigit():
            return float(text)
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return pause


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@keeping
def open_endpoint(text: str) -> tuple[EndpointSource, ...]:
    """Open an endpoint by its address; nothing is sent before a text is encoded."""
    address, _, query = text.partition("?")
    require_trust(f"send the texts of the test, and the key in {' or '.join(KEYS)}, to {address}")
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise SourceError(
            f"{parts.scheme}://{parts.hostname}: a key or password must not be in an address",
            remedy=f"set {KEYS[0]}; results hold addresses",
        )
    options = parse_options(query, address)
    check_options(options, OPTIONS, address)
    check_values(options, _VALUES, address)
    if not options.get("model") or not parts.hostname:
        raise SourceError(
            f"{address}: no model is named",
            allowed="an endpoint of embeddings with its model: "
            "https://HOST/v1/embeddings?model=NAME",
            remedy="a file of vectors is downloaded first, and named by its path",
        )
    dimensions = int(options["dimensions"]) if "dimensions" in options else None
    batch, timeout = int(options.get("batch", BATCH)), float(options.get("timeout", TIMEOUT))
    insecure = options.get("insecure") == "yes"
    source = EndpointSource(
        address, options["model"], dimensions, batch, timeout, insecure=insecure
    )
    return (source,)
