"""``https://host/v1/embeddings?model=NAME``: vectors of endpoints of OpenAI's form or another."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, PositiveInt

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, read_options, roundoff_of
from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Item
from eatlas.sources.spec import load, parse_options, with_options
from eatlas.untrusted import require_trust, takes_kept_answers
from eatlas_models.encoders.connection import KEYS, Received, Session, is_loopback

log = logging.getLogger("eatlas")
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Seconds before each further try; longer where the endpoint says so with Retry-After."""
TRIES = 3
"""Further tries at an endpoint that fails; all of :data:`PAUSES` at one that is busy."""
ALL = nullcontext()
LEAST = 1 << 20
"""Bytes of any answer, such as the page of an error; an answer to many texts has more of them."""
OF_VECTOR = 192 << 10
"""Bytes of a vector: 8,192 components of 17 digits take 180 kB."""
MALFORMED = (
    TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError, RecursionError,
)  # fmt: skip
"""Exceptions from reading an answer of another form, or a number of hundreds of digits."""
_BUSY = 429
_LOADING = "Loading model"
"""What llama.cpp says with status 503 until it can answer, a minute with a large model."""
_AGAIN = frozenset((0, 408, 409, 425, 429, 500, 502, 503, 504, 529))
ADDRESSES = (
    "https://HOST/v1/embeddings?model=NAME, or without /embeddings (OpenAI, vLLM, llama.cpp, "
    "Ollama and others); http://HOST/api/embed?model=NAME (Ollama); http://HOST/embed "
    "(text-embeddings-inference)"
)


class EndpointOptions(BaseModel):
    """Options of an endpoint."""

    model: str = ""
    dimensions: PositiveInt | None = None
    """How many components, where the model can shorten its vectors."""
    batch: PositiveInt | None = None
    """Texts in a request; by default as many as the form says."""
    timeout: PositiveInt = 120
    """Seconds until an answer is whole, and for all further tries; some endpoints count by the
    minute."""


class Endpoint(NamedTuple):
    """An address that takes JSON."""

    address: str
    model: str
    timeout: int
    """Seconds until an answer is whole, and for all further tries."""

    def session(self, limit: int, parallel: int = 1) -> Session:
        """Open connections for several requests, each with an answer of at most `limit` bytes."""
        return Session(self.address, limit, parallel)

    def ask(
        self, body: Mapping[str, Any], session: Session, what: str, servers: str = ""
    ) -> Received:
        """Send a body until there is an answer.

        `what` is wanted of the endpoint, and `servers` says who can answer.
        """
        received = self.send(body, session)
        if received.status != 200:
            raise self.failure(received, what, servers)
        return received

    def failure(self, received: Received, what: str, servers: str = "") -> SourceError:
        """Say that there is no answer."""
        return SourceError(
            f"{self.address}: the endpoint returned no {what}",
            got=received.beginning,
            remedy=f"{servers}check the address, the model ({self.model or 'none'}) and its "
            f"options, and the key in {' or '.join(KEYS)}; if the server is busy, retry later, or "
            "set timeout=SECONDS",
        )

    def send(
        self, body: Mapping[str, Any], session: Session, turn: AbstractContextManager[Any] = ALL
    ) -> Received:
        """Send a body until there is an answer, or a final refusal.

        While one of several requests waits for a busy endpoint it holds `turn`: no other begins.
        """
        body = {"model": self.model, **body} if self.model else body
        with turn:
            pass
        received = session.exchange(body, self.timeout)
        if received.status in _AGAIN:
            since = time.monotonic()
            with turn if _is_busy(received) else ALL:
                received = self._again(received, body, session, since)
        return received

    def _again(
        self, received: Received, body: Mapping[str, Any], session: Session, since: float
    ) -> Received:
        """Send a body again: some times, to a busy endpoint until the time is over."""
        waited = 0.0
        for tries, pause in enumerate(PAUSES):
            after = received.headers.get("Retry-After", "").strip()
            seconds = max(float(after), pause) if after.isascii() and after.isdigit() else pause
            waited += seconds
            if waited > self.timeout or (tries >= TRIES and not _is_busy(received)):
                break
            busy = "%s: status %s; waiting %g s, then trying again"
            log.info(busy, self.address, received.status, seconds)
            if tries or time.monotonic() - since < seconds:  # else it was waited for its turn
                time.sleep(seconds)
            begun = time.monotonic()
            received = session.exchange(body, self.timeout)
            waited += time.monotonic() - begun
            if received.status not in _AGAIN:
                break
        return received


def _is_busy(received: Received) -> bool:
    """Whether an endpoint will answer later, for all that it says."""
    loading = received.status == 503 and _LOADING in received.content
    return received.status == _BUSY or loading


class Form(NamedTuple):
    """How texts are sent to an address, and where the vectors are in its answer."""

    end: str
    """Of the address."""
    texts: str
    """Key of the texts in what is sent."""
    vectors: Callable[[Any], list[Any]]
    """Vectors in an answer, in the order of the texts."""
    batch: int
    """Texts in a request by default; 1 where an address takes one text at a time."""
    more: Mapping[str, Any] = {}
    """What is sent besides: a text that is too long must not be cut without a word."""


def _of_openai(answer: Any) -> list[Any]:
    """Vectors in the order of the texts, which an answer may not keep."""
    vectors = {entry["index"]: entry["embedding"] for entry in answer["data"]}
    return [vectors[i] for i in range(len(answer["data"]))]


UNCUT = {"truncate": False}
TEI = Form("/embed", "inputs", lambda answer: answer, 32, UNCUT)
OPENAI = Form("", "input", _of_openai, 128)
FORMS = (
    Form("/api/embed", "input", lambda answer: answer["embeddings"], 128, UNCUT),
    Form("/api/embeddings", "prompt", lambda answer: [answer["embedding"]], 1),
    TEI,
    OPENAI,
)
"""Of Ollama, its older one, text-embeddings-inference, and OpenAI; the first whose end fits."""


def note_served(model: str, address: str) -> Note:
    """Say where a model is served: on this machine, or by others."""
    host = urlsplit(address).hostname if is_loopback(address) else ""
    return Note("source.served", values={"model": model, "host": host})


class EndpointSource(Encoder):
    """Texts encoded by an endpoint."""

    fingerprint = ""
    """Address, model and number of components, for nothing else is known."""
    notes: tuple[Note, ...] = ()
    encoding: Encoding | None = None

    def __init__(self, address: str, options: EndpointOptions) -> None:
        named = {"model": options.model, "dimensions": options.dimensions}
        name = with_options(address, {k: v for k, v in named.items() if v})  # never a key
        super().__init__(name)
        self.options, self.fingerprint = options, f"endpoint:{self.name}"
        self.endpoint = Endpoint(address, options.model, options.timeout)
        self.form = form_of(address)
        model = options.model or address
        self.notes = (note_served(model, address),)
        self.encoding = Encoding(
            model=model,
            architecture="endpoint",
            level="sentence",
            roundoff=roundoff_of(""),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        size = 1 if self.form.batch == 1 else self.options.batch or self.form.batch
        limit = LEAST + min(size, len(items)) * OF_VECTOR
        with self.endpoint.session(limit) as session:
            rows = partial(self._rows, session)
            yield from self.in_calls(items, lambda item: item.content, size, rows)

    def _rows(self, session: Session, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of texts in single precision."""
        form, dimensions = self.form, self.options.dimensions
        body = {form.texts: texts[0] if form.batch == 1 else texts, **form.more}
        body |= {"dimensions": dimensions} if dimensions else {}
        servers = f"addresses are {ADDRESSES}; "
        received = self.endpoint.ask(body, session, "vectors", servers)
        try:
            with np.errstate(over="ignore"):  # what is infinite then is refused
                rows = np.array(form.vectors(received.json()), float).astype(np.float32)
        except MALFORMED as error:
            raise SourceError(
                f"{self.name}: the reply does not contain one vector per text",
                got=received.beginning,
                allowed=ADDRESSES,
            ) from error
        if dimensions and rows.ndim == 2 and rows.shape[1] != dimensions:
            fault = f"{self.name}: the vectors have another number of components"
            raise SourceError(fault, got=str(rows.shape[1]), remedy="leave dimensions out")
        return rows


def form_of(address: str) -> Form:
    """The form of an address, judged only by its end."""
    return next(form for form in FORMS if urlsplit(address).path.endswith(form.end))


def complete_address(address: str, what: str = "embeddings") -> str:
    """An address with its last part, which a base address of an API lacks.

    >>> complete_address("http://localhost:8000/v1/"), complete_address("http://localhost:11434/api")
    ('http://localhost:8000/v1/embeddings', 'http://localhost:11434/api/embed')
    >>> complete_address("https://a.org/v1beta/openai", "chat/completions")
    'https://a.org/v1beta/openai/chat/completions'
    """
    address = address.rstrip("/")
    last = urlsplit(address).path.rpartition("/")[2]
    chat = what == "chat/completions"
    if last == "api" and not chat:
        return f"{address}/embed"
    if not last:
        return f"{address}/v1/{what}"
    bare = not address.endswith(f"/{what}") if chat else re.fullmatch(r"v\d+", last)
    return f"{address}/{what}" if bare else address


@keeping
def open_endpoint(text: str) -> tuple[EndpointSource, ...]:
    """Open an endpoint by its address; nothing is sent before a text is encoded."""
    address, options = read_address(text)
    whole = complete_address(address)
    if whole.endswith("/chat/completions"):
        load("eatlas_models.encoders.chat_endpoint:refuse_vectors")(address)
    if not urlsplit(address).hostname or not (options.get("model") or form_of(whole) is TEI):
        raise SourceError(
            f"{address}: no model is named",
            allowed=f"an endpoint of embeddings with its model: {ADDRESSES}",
            remedy="to use a file of vectors, download it first and give its path",
        )
    return (EndpointSource(whole, read_options(EndpointOptions, options, address)),)


def read_address(text: str) -> tuple[str, dict[str, str]]:
    """The address in a source string, and its options; refused where texts may not go there."""
    address, _, query = text.partition("?")
    if not takes_kept_answers():
        require_trust(
            f"send the texts of the test, and the key in {' or '.join(KEYS)}, to {address}"
        )
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        raise SourceError(
            f"{parts.scheme}://{parts.hostname}: the address contains a key or password",
            remedy=f"set {KEYS[0]}instead; eatlas stores addresses in results",
        )
    return address, parse_options(query, address) if parts.hostname else {}


def refuse_client(client: Any) -> EndpointSource:
    """Say of a client of an endpoint what to hand over: it knows its address and no model."""
    raise SourceError(
        "this client of an endpoint does not name a model",
        got=type(client).__name__,
        remedy=f"pass its address: {str(client.base_url).rstrip('/')}?model=NAME, with the "
        f"key in {KEYS[0]}",
    )
