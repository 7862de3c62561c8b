"""``https://host/v1/embeddings?model=NAME``: vectors of endpoints of OpenAI's form or another."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple
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
from eatlas.sources.spec import load, parse_options, with_options
from eatlas.untrusted import require_trust, takes_kept_answers

if TYPE_CHECKING:
    from requests import Session

KEYS = ("EATLAS_API_KEY", "OPENAI_API_KEY")
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Seconds before each further try; longer where the endpoint says so with Retry-After."""
TRIES = 3
"""Further tries at an endpoint that fails; all of :data:`PAUSES` at one that is busy."""
ALL = nullcontext()
SHOWN = 300
"""Characters of what an endpoint says."""
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
    """Seconds without an answer, or until another try; some endpoints count by the minute."""


class Received(NamedTuple):
    """What an endpoint says."""

    status: int
    """0 where it says nothing."""
    headers: Mapping[str, str]
    content: str
    """The answer, or what went wrong."""
    shown: str
    """Its beginning, without the key."""


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

    def ask(self, body: Mapping[str, Any], what: str, servers: str = "") -> tuple[str, str]:
        """Send a body until there is an answer: the answer, and its beginning without the key.

        `what` is wanted of the endpoint, and `servers` says who can answer.
        """
        with self.session() as session:
            received = self.send(body, session)
        if received.status != 200:
            raise self.failure(received, what, servers)
        return received.content, received.shown

    def session(self, parallel: int = 1) -> Session:
        """Connections that are kept open for several requests; proxies are looked up once."""
        from requests import Session  # noqa: PLC0415  (only endpoints need it)
        from requests.adapters import HTTPAdapter  # noqa: PLC0415

        session = Session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(pool_maxsize=parallel))
        # no proxy for this machine
        proxies = {"no_proxy": "*"} if is_loopback(self.address) else {}
        around = session.merge_environment_settings(self.address, proxies, None, None, None)
        session.proxies, session.verify = around["proxies"], around["verify"]
        session.trust_env = False  # nothing from files
        return session

    def failure(self, received: Received, what: str, servers: str = "") -> SourceError:
        """Say that there is no answer."""
        return SourceError(
            f"{self.address}: the endpoint gives no {what}",
            got=received.shown,
            remedy=f"{servers}check the address, the model ({self.model or 'none'}) and its "
            f"options, and the key in {' or '.join(KEYS)}; try a busy one again later, or with "
            "timeout=SECONDS",
        )

    def send(
        self, body: Mapping[str, Any], session: Session, turn: AbstractContextManager[Any] = ALL
    ) -> Received:
        """Send a body until there is an answer, or what is said is final.

        While one of several requests waits for a busy endpoint it holds `turn`: no other begins.
        """
        key = self.key()
        body = {"model": self.model, **body} if self.model else body
        with turn:
            pass
        received = self._post(body, key, session)
        if received.status in _AGAIN:
            since = time.monotonic()
            with turn if _is_busy(received) else ALL:
                received = self._again(received, body, key, session, since)
        shown = received.content
        if key:
            shown = shown.replace(quote(key, safe=""), "***").replace(key, "***")
        return received._replace(shown=shown[:SHOWN])

    def _again(
        self, received: Received, body: Mapping[str, Any], key: str, session: Session, since: float
    ) -> Received:
        """Send a body again: some times, to a busy endpoint until the time is over."""
        waited = 0.0
        for tries, pause in enumerate(PAUSES):
            after = received.headers.get("Retry-After", "").strip()
            seconds = max(float(after), pause) if after.isdigit() else pause
            waited += seconds
            if waited > self.timeout or (tries >= TRIES and not _is_busy(received)):
                break
            if tries or time.monotonic() - since < seconds:  # else it was waited for its turn
                time.sleep(seconds)
            received = self._post(body, key, session)
            if received.status not in _AGAIN:
                break
        return received

    def _post(self, body: Mapping[str, Any], key: str, session: Session) -> Received:
        """Send a request."""
        from requests import RequestException  # noqa: PLC0415

        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = session.post(
                self.address,
                json=body,
                headers=headers,
                timeout=self.timeout,
                allow_redirects=False,
            )
        except RequestException as error:
            return Received(0, {}, f"{type(error).__name__}: {error}", "")
        text = answer.content.decode(errors="replace")
        if answer.status_code != 200:
            target = f", to {answer.headers['Location']}" if "Location" in answer.headers else ""
            text = f"status {answer.status_code}{target}: {text}"
        return Received(answer.status_code, answer.headers, text, "")


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
        self.notes = (Note("source.served", values={"model": model}),)
        self.encoding = Encoding(
            model=model,
            architecture="endpoint",
            level="sentence",
            roundoff=roundoff_of(""),
        )

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Send the texts of items, request by request."""
        self.endpoint.key()  # before texts are sorted
        size = 1 if self.form.batch == 1 else self.options.batch or self.form.batch
        return self.in_calls(items, lambda item: item.content, size, self._rows)

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        """Vectors of texts in single precision."""
        form, dimensions = self.form, self.options.dimensions
        body = {form.texts: texts[0] if form.batch == 1 else texts, **form.more}
        body |= {"dimensions": dimensions} if dimensions else {}
        content, shown = self.endpoint.ask(body, "vectors", f"addresses are {ADDRESSES}; ")
        try:
            with np.errstate(over="ignore"):  # what is infinite then is refused
                rows = np.array(form.vectors(json.loads(content)), float).astype(np.float32)
        except (TypeError, KeyError, ValueError, OverflowError, RecursionError) as error:
            raise SourceError(
                f"{self.name}: the answer has not one vector for each text",
                got=shown,
                allowed=ADDRESSES,
            ) from error
        if dimensions and rows.ndim == 2 and rows.shape[1] != dimensions:
            fault = f"{self.name}: the vectors have another number of components"
            raise SourceError(fault, got=str(rows.shape[1]), remedy="leave dimensions out")
        return rows


def form_of(address: str) -> Form:
    """The form of an address, by its end alone."""
    return next(form for form in FORMS if urlsplit(address).path.endswith(form.end))


def completed(address: str, what: str = "embeddings") -> str:
    """An address with its last part, which a base address of an API lacks.

    >>> completed("http://localhost:8000/v1/"), completed("http://localhost:11434/api")
    ('http://localhost:8000/v1/embeddings', 'http://localhost:11434/api/embed')
    >>> completed("https://a.org/v1beta/openai", "chat/completions")
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
    whole = completed(address)
    if whole.endswith("/chat/completions"):
        load("eatlas.encoders.chat_endpoint:refuse_vectors")(address)
    if not urlsplit(address).hostname or not (options.get("model") or form_of(whole) is TEI):
        raise SourceError(
            f"{address}: no model is named",
            allowed=f"an endpoint of embeddings with its model: {ADDRESSES}",
            remedy="a file of vectors is downloaded first, and named by its path",
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
