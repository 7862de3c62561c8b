"""``https://host/v1/embeddings?model=NAME``: vectors from an endpoint that speaks like OpenAI's."""

from __future__ import annotations

import ipaddress
import json
import os
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, PositiveInt

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, read_options, roundoff_of
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item
from eatlas.sources.spec import escape, parse_options
from eatlas.untrusted import require_trust

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further try, where the endpoint names none with Retry-After."""
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


class Endpoint(NamedTuple):
    """An address that takes JSON.

    The key is read when texts are sent; no name, fingerprint, result or message holds it. It goes
    to this address alone: redirects are not followed.
    """

    address: str
    model: str
    timeout: int
    """Seconds without an answer, or until another try."""

    def key(self) -> str:
        """The first key that is set; refused where others on the way could read it."""
        key = next(filter(None, (os.environ.get(name, "").strip() for name in KEYS)), "")
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise SourceError(
                f"{' or '.join(KEYS)}: this is not a key",
                allowed="one line of ASCII letters, digits and signs",
            )
        if key and not self.address.lower().startswith("https:") and not is_loopback(self.address):
            raise SourceError(
                f"{self.address}: over http, everybody on the way can read the key",
                allowed="https, or an address on this machine",
                remedy="use https; or unset the key; or reach it by an ssh tunnel to localhost",
            )
        return key

    def ask(self, body: Mapping[str, Any], what: str, done: str) -> tuple[str, str]:
        """Send a body until there is an answer: the answer, and its beginning without the key.

        `what` is wanted of the endpoint, and what is `done` is kept.
        """
        key = self.key()
        for pause in (*PAUSES, None):
            status, after, content = self._post({"model": self.model, **body}, key)
            seconds = int(after) if after.isdigit() else pause
            if status not in _AGAIN or pause is None or (seconds or 0) > self.timeout:
                break
            time.sleep(seconds or 0)
        reply = content.replace(quote(key, safe=""), "***").replace(key, "***") if key else content
        if status != 200:
            raise SourceError(
                f"{self.address}: the endpoint gives no {what}",
                got=reply[:SHOWN],
                remedy=f"check the address, the model ({self.model}) and its options, and "
                f"the key in {' or '.join(KEYS)}; try a busy one again later, or with "
                f"timeout=SECONDS: {done} are kept; repeat the command to continue",
            )
        return content, reply[:SHOWN]

    def _post(self, body: Mapping[str, Any], key: str) -> tuple[int, str, str]:
        """Send a request; the status, when to send another, and the answer, or what went wrong."""
        import requests  # noqa: PLC0415  (only endpoints need it)

        try:
            answer = requests.post(
                self.address,
                json=body,
                headers={"Authorization": f"Bearer {key}"} if key else {},
                auth=lambda request: request,  # nothing from files
                timeout=self.timeout,
                # no proxy for this machine
                proxies={"no_proxy": "*"} if is_loopback(self.address) else None,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            return 0, "", f"{type(error).__name__}: {error}"
        text = answer.content.decode(errors="replace")
        if answer.status_code != 200:
            target = f", to {answer.headers['Location']}" if "Location" in answer.headers else ""
            text = f"status {answer.status_code}{target}: {text}"
        return answer.status_code, answer.headers.get("Retry-After", "").strip(), text


class EndpointSource(Encoder):
    """Texts encoded by an endpoint."""

    fingerprint = ""
    """Address, model and number of components, for nothing else is known."""
    notes: tuple[Note, ...] = ()
    encoding: Encoding | None = None

    def __init__(self, address: str, options: EndpointOptions) -> None:
        more = f"&dimensions={options.dimensions}" if options.dimensions else ""
        super().__init__(f"{address}?model={escape(options.model)}{more}")  # never a key
        self.options, self.fingerprint = options, f"endpoint:{self.name}"
        self.endpoint = Endpoint(address, options.model, options.timeout)
        self.notes = (Note("source.served", values={"model": options.model}),)
        self.encoding = Encoding(
            model=options.model,
            architecture="endpoint",
            level="sentence",
            roundoff=roundoff_of(""),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        self.endpoint.key()  # before texts are sorted
        return self.in_calls(items, lambda item: item.content, self.options.batch, self._rows)

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of texts in single precision."""
        body: dict[str, Any] = {"input": texts}
        if self.options.dimensions is not None:
            body["dimensions"] = self.options.dimensions
        content, shown = self.endpoint.ask(body, "vectors", "encoded texts")
        try:
            data = json.loads(content)["data"]
            vectors = {entry["index"]: entry["embedding"] for entry in data}
            with np.errstate(over="ignore"):  # what is infinite then is refused
                return np.array([vectors[i] for i in range(len(data))], float).astype(np.float32)
        except (TypeError, KeyError, ValueError, OverflowError, RecursionError) as error:
            raise SourceError(
                f"{self.name}: the answer has not one vector for each text",
                got=shown,
                allowed=_ALLOWED,
            ) from error


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
    address, options = read_address(text)
    if not options.get("model"):
        raise SourceError(
            f"{address}: no model is named",
            allowed="an endpoint of embeddings with its model: "
            "https://HOST/v1/embeddings?model=NAME",
            remedy="a file of vectors is downloaded first, and named by its path",
        )
    return (EndpointSource(address, read_options(EndpointOptions, options, address)),)


def read_address(text: str) -> tuple[str, dict[str, str]]:
    """The address in a source string, and its options; refused where texts may not go there."""
    address, _, query = text.partition("?")
    require_trust(f"send the texts of the test, and the key in {' or '.join(KEYS)}, to {address}")
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise SourceError(
            f"{parts.scheme}://{parts.hostname}: a key or password must not be in an address",
            remedy=f"set {KEYS[0]}; results hold addresses",
        )
    return address, parse_options(query, address) if parts.hostname else {}


def refuse_client(client: Any) -> EndpointSource:
    """Say of a client of an endpoint what to hand over: it knows its address and no model."""
    raise SourceError(
        "a client of an endpoint names no model",
        got=type(client).__name__,
        remedy=f"hand over its address: {str(client.base_url).rstrip('/')}?model=NAME, with the "
        f"key in {KEYS[0]}",
    )
