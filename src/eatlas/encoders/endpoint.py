"""``https://host/v1/embeddings?model=NAME``: vectors from an endpoint that speaks like OpenAI's."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, as_rows, roundoff_of
from eatlas.encoders.http_requests import KEYS, Secret, is_loopback, post, secret_of_environment
from eatlas.encoders.options import Values, check_values
from eatlas.errors import SourceError, SourceWarning
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Item
from eatlas.sources.spec import check_options, escape, parse_options
from eatlas.untrusted import require_trust

BATCH = 128
TIMEOUT = 120.0
"""Seconds; some endpoints count requests by the minute, and request another try after one."""
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


class EndpointSource(Encoder):
    """Texts encoded by an endpoint.

    The key is read from the environment variable EATLAS_API_KEY, else OPENAI_API_KEY, when texts
    are sent; no name, fingerprint, result or message holds it. It goes to this address alone:
    redirects are not followed.
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
        self._warned = False

    @property
    def fingerprint(self) -> str:
        """Address, model and number of components, for nothing else is known."""
        return f"endpoint:{self.name}"

    @property
    def notes(self) -> tuple[str, ...]:
        """That the model may change without notice."""
        return (
            f"The model {self.model} is served by others, who can change it without notice; the "
            "fingerprint is its address and name, not its content.",
        )

    @property
    def encoding(self) -> Encoding:
        """What is known of how a text becomes a vector."""
        return Encoding(
            model=self.model, architecture="endpoint", level="sentence", roundoff=roundoff_of("")
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        return self.in_calls(items, lambda one: one.content, self.batch, self._rows)

    def _rows(self, texts: list[str], _: list[str]) -> NDArray[np.float32]:
        secret = secret_of_environment()
        self._require_privacy(secret)
        with secret.kept():
            return self._answered(texts, secret)

    def _require_privacy(self, secret: Secret) -> None:
        """Refuse to send a key where others can read it, or warn of it."""
        secure = self.address.lower().startswith("https:") or is_loopback(self.address)
        if secret.value is None or secure or self._warned:
            return
        if not self.insecure:
            raise SourceError(
                f"{self.address}: over http, everybody on the way can read the key",
                allowed="https, or an address on this machine",
                remedy="use https; or unset the key; or add insecure=yes to the address",
            )
        self._warned = True
        warnings.warn(
            f"{self.address}: the key is sent over http, where everybody on the way can read it",
            SourceWarning,
            stacklevel=2,
        )

    def _answered(self, texts: list[str], secret: Secret) -> NDArray[np.float32]:
        """Rows in single precision, checked."""
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        answer = post(self.address, body, secret, self.timeout)
        rows = as_rows(self._in_order(answer, len(texts)), texts, self.name)
        largest = float(np.abs(rows).max())
        if largest > float(np.finfo(np.float32).max):
            raise SourceError(
                f"{self.name}: a component of a vector is too large",
                got=f"{largest:g}",
                allowed="numbers that single precision holds, up to 3.4e38",
            )
        expected = self._dim or self.dimensions
        if expected not in {None, rows.shape[1]}:
            raise SourceError(
                f"{self.name}: vectors have another length than before, or than was requested",
                got=f"{rows.shape[1]} components",
                allowed=str(expected),
            )
        self._dim = rows.shape[1]
        return rows.astype(np.float32)

    def _in_order(self, answer: Any, count: int) -> list[Any]:
        """Vectors by the index that comes with each."""
        try:
            found = {one["index"]: one["embedding"] for one in answer["data"]}
        except (TypeError, KeyError) as error:
            shape = list(answer)[:5] if isinstance(answer, dict) else type(answer).__name__
            raise SourceError(
                f"{self.name}: the answer holds no vectors",
                got=f"JSON with {shape}",
                allowed='{"data": [{"index": 0, "embedding": [...]}, ...]}',
            ) from error
        if len(answer["data"]) != count or set(found) != set(range(count)):
            raise SourceError(
                f"{self.name}: the answer has not one vector for each text",
                got=f"{len(answer['data'])} vectors with indices "
                f"{', '.join(map(str, list(found)[:5]))}...",
                allowed=f"{count} with indices 0 to {count - 1}",
            )
        return [found[i] for i in range(count)]


@keeping
def open_endpoint(text: str) -> tuple[EndpointSource, ...]:
    """Open an endpoint by its address; nothing is sent before a text is encoded."""
    address, _, said = text.partition("?")
    require_trust(f"send the texts of the test, and the key in {' or '.join(KEYS)}, to {address}")
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise SourceError(
            f"{parts.scheme}://{parts.hostname}: a key or password must not be in an address",
            remedy=f"set {KEYS[0]}; results hold addresses",
        )
    if not parts.hostname:
        raise SourceError(
            f"{text}: no host is named", allowed="https://HOST/v1/embeddings?model=NAME"
        )
    options = parse_options(said, address)
    check_options(options, OPTIONS, address)
    check_values(options, _VALUES, address)
    if not options.get("model"):
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
