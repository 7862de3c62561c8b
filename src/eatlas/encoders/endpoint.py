"""``https://host/v1/embeddings?model=NAME``: vectors from an endpoint that speaks like OpenAI's."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, PositiveInt

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, roundoff_of
from eatlas.encoders.options import read_options
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item
from eatlas.sources.spec import escape, parse_options
from eatlas.untrusted import require_trust

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the endpoint names none with Retry-After."""
LEAST_LIMIT, LIMIT_EACH = 16 << 20, 512 << 10
"""Bytes of an answer: at least, and for each text; 20,000 components take 500 kB."""
SHOWN = 300
"""Characters of what an endpoint says."""
_AGAIN = frozenset((0, 408, 409, 425, 429, 500, 502, 503, 504, 529))
_ALLOWED = '{"data": [{"index": 0, "embedding": [...]}, ...]}, one vector for each text'


class EndpointOptions(BaseModel):
    """Options of an endpoint."""

    model: str
    dimensions: PositiveInt | None = None
    """How many components, where the model can shorten its vectors."""
    batch: PositiveInt = 128
    """Texts in a request."""
    timeout: PositiveInt = 120
    """Seconds without an answer, or until another try; some endpoints count by the minute."""


class EndpointSource(Encoder):
    """Texts encoded by an endpoint.

    The key is read when texts are sent; no name, fingerprint, result or message holds it. It goes
    to this address alone: redirects are not followed.
    """

    fingerprint = ""
    """Address, model and number of components, for nothing else is known."""
    notes: tuple[Note, ...] = ()
    encoding: Encoding | None = None

    def __init__(self, address: str, options: EndpointOptions) -> None:
        more = f"&dimensions={options.dimensions}" if options.dimensions else ""
        super().__init__(f"{address}?model={escape(options.model)}{more}")  # never a key
        self.address, self.options, self.fingerprint = address, options, f"endpoint:{self.name}"
        self.notes = (Note("source.served", values={"model": options.model}),)
        self.encoding = Encoding(
            model=options.model,
            architecture="endpoint",
            level="sentence",
            roundoff=roundoff_of(""),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        key = self._key()
        return self.in_calls(
            items,
            lambda item: item.content,
            self.options.batch,
            lambda texts, _: self._rows(texts, key),
        )

    def _key(self) -> str:
        """The first key that is set; refused where others on the way could read it."""
        key = next(filter(None, (os.environ.get(name, "").strip() for name in KEYS)), "")
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise SourceError(
                f"{' or '.join(KEYS)}: this is not a key",
                allowed="one line of ASCII letters, digits and signs",
            )
        safe = self.address.lower().startswith("https:") or is_loopback(self.address)
        if key and not safe:
            raise SourceError(
                f"{self.address}: over http, everybody on the way can read the key",
                allowed="https, or an address on this machine",
                remedy="use https; or unset the key; or reach it by an ssh tunnel to localhost",
            )
        return key

    def _rows(self, texts: list[str], key: str) -> NDArray[np.float32]:
        """Rows in single precision."""
        content = self._post(texts, key)
        try:
            data = json.loads(content)["data"]
            vectors = {entry["index"]: entry["embedding"] for entry in data}
            with np.errstate(over="ignore"):  # what is infinite then is refused
                rows = np.array([vectors[i] for i in range(len(data))], float).astype(np.float32)
        except (TypeError, KeyError, ValueError, OverflowError, RecursionError) as error:
            raise SourceError(
                f"{self.name}: the answer has not one vector for each text",
                got=_hidden(content.decode(errors="replace"), key),
                allowed=_ALLOWED,
            ) from error
        return rows

    def _post(self, texts: list[str], key: str) -> bytes:
        """Send a request until it is answered."""
        from requests import RequestException  # noqa: PLC0415  (only endpoints need it)

        options = self.options
        for pause in (*PAUSES, None):
            try:
                status, headers, content = self._exchange(texts, key)
                target = f", to {headers['Location']}" if "Location" in headers else ""
                reply = f"status {status}{target}: {content.decode(errors='replace')}"
            except RequestException as error:
                status, headers, reply = 0, {}, f"{type(error).__name__}: {error}"
            if status == 200:
                return content
            if status not in _AGAIN:
                raise SourceError(
                    f"{self.address}: the endpoint refuses the request",
                    got=_hidden(reply, key),
                    remedy=f"check the address, the model ({options.model}) and its options, and "
                    f"the key in {' or '.join(KEYS)}",
                )
            after = headers.get("Retry-After", "").strip()
            if pause is None or (after.isdigit() and int(after) > options.timeout):
                break
            time.sleep(int(after) if after.isdigit() else pause)
        raise SourceError(
            f"{self.address}: the endpoint gave no vectors in {len(PAUSES) + 1} tries, or would do "
            f"so later than in {options.timeout} s",
            got=_hidden(reply, key),
            remedy="try again later, or with timeout=SECONDS; encoded texts are kept; repeat the "
            "command to continue",
        )

    def _exchange(self, texts: list[str], key: str) -> tuple[int, Any, bytes]:
        """Send a request; status, headers and content of the answer."""
        import requests  # noqa: PLC0415  (only endpoints need it)

        body: dict[str, Any] = {"model": self.options.model, "input": texts}
        if self.options.dimensions is not None:
            body["dimensions"] = self.options.dimensions
        limit = max(LEAST_LIMIT, LIMIT_EACH * len(texts))
        with requests.post(
            self.address,
            json=body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            auth=lambda request: request,  # nothing from files
            timeout=self.options.timeout,
            # no proxy for this machine
            proxies={"no_proxy": "*"} if is_loopback(self.address) else None,
            allow_redirects=False,
            stream=True,
        ) as answer:
            content = bytearray()
            for part in answer.iter_content(1 << 16):
                content += part
                if len(content) > limit:
                    raise SourceError(
                        f"{self.address}: there is no usable answer",
                        got=f"more than {limit:,} bytes for {len(texts)} texts",
                    )
            return answer.status_code, answer.headers, bytes(content)


def _hidden(text: str, key: str) -> str:
    """What an endpoint says, without the key; hidden before it is cut."""
    for way in {key, repr(key)[1:-1], json.dumps(key)[1:-1], quote(key, safe="")} - {""}:
        text = text.replace(way, "***")
    return text[:SHOWN]


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
    if not options.get("model") or not parts.hostname:
        raise SourceError(
            f"{address}: no model is named",
            allowed="an endpoint of embeddings with its model: "
            "https://HOST/v1/embeddings?model=NAME",
            remedy="a file of vectors is downloaded first, and named by its path",
        )
    return (EndpointSource(address, read_options(EndpointOptions, options, address)),)
