"""``chat:URL?model=NAME``: models behind an address for chat completions, in OpenAI's form."""

from __future__ import annotations

import math
import re
import shlex
import threading
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from queue import SimpleQueue
from random import sample
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import numpy as np
from pydantic import BaseModel, Field, PositiveInt

from eatlas.encoders.cache import CacheStore, take_cache
from eatlas.encoders.encoder import read_options
from eatlas.errors import SourceError, UntrustedSourceError
from eatlas.sources.spec import with_options
from eatlas.untrusted import computes_afresh, only_data, takes_kept_answers
from eatlas_models.encoders.chat import Answering, Request, Response, without_reasoning
from eatlas_models.encoders.connection import Received
from eatlas_models.encoders.endpoint import (
    LEAST,
    MALFORMED,
    Endpoint,
    complete_address,
    note_served,
    read_address,
)
from eatlas_models.encoders.roundoff import roundoff_of_log_ratios
from eatlas_models.results.language_model import LanguageModelRecord

CHAT = "chat:"
END = "/chat/completions"
ALLOWED = (
    "chat:URL?model=NAME, such as chat:https://api.openai.com/v1?model=gpt-4o-mini or "
    "chat:http://localhost:11434/v1?model=llama3.2; options system=TEXT, parallel=8, timeout=120, "
    "cache=no"
)
SERVERS = (
    "vLLM, SGLang, llama.cpp's server, newer Ollama, and models of OpenAI that do not reason list "
    "them; others answer by samples: ask(by=samples,answers=5)"
)
"""Which servers return log-probabilities, and what to do if yours does not."""
BASES = "addresses end in /v1 at most servers, Ollama among them; "
PROBE = Request("Which is more: two or one? Answer with one word.", ("two", "one"), 0.0, 32, 0)
"""Asked once, to see whether there are log-probabilities."""
FEW = 8
"""Answers after which a model that only reasons is stopped."""
LISTED = (100, 20, 5)
"""Log-probabilities to ask for, for each piece: of llama.cpp and SGLang as many as one likes, of
OpenAI, vLLM and others 20, and of few 5."""
SHORT = 4
"""Tokens of an answer whose first words usually say which option it begins with."""
MORE_PIECES, MOST_LISTED, LONGEST_PIECE = 1_000, 2 * LISTED[0], 1_000
"""Pieces of an answer beyond those that were asked for, pieces that are listed for one, and bytes
of a piece: no server that is sound has more."""
OF_TOKEN, OF_LISTED = 1 << 10, 256
"""Bytes of a token in an answer, and of each piece that is listed for it."""
MOST_TOKENS = 10**9
"""Tokens of reasoning; a larger count is none."""
LONGEST_NAME = 200
"""Letters of what a model calls itself; more are cut off."""
_IGNORED = " \t\r\n\"'`*_\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u2581"
"""What may stand before an answer: spaces, quotes, asterisks."""


class ChatOptions(BaseModel):
    """Options of a model behind an address."""

    model: str = ""
    system: str = ""
    """Message of the system before each prompt."""
    parallel: int = Field(8, ge=1, le=1_000)
    """Requests at a time."""
    timeout: PositiveInt = 120
    """Seconds until an answer is whole, and for all further tries."""


@dataclass
class Dialect:
    """What a server does not take, as its refusals say; the same for all that it is asked."""

    tokens: str = "max_tokens"
    temperature: bool = True
    listed: int = LISTED[0]
    """Log-probabilities that are listed for each piece."""
    short: bool = True
    """Whether :data:`SHORT` tokens say which option an answer begins with."""

    def learns(self, received: Received, body: Mapping[str, Any]) -> bool:
        """Whether a body that was refused is to be sent again, in another form."""
        if received.status not in {400, 422}:
            return False
        if "max_completion_tokens" in received.content and "max_tokens" in body:
            self.tokens = "max_completion_tokens"
        elif "temperature" in received.content and (
            # without it, answers are sampled at 1; log-probabilities do not depend on it
            body.get("temperature") == 1 or ("temperature" in body and "logprobs" in body)
        ):
            self.temperature = False
        elif "logprobs" in received.content and body.get("top_logprobs", 0) > LISTED[-1]:
            self.listed = next(count for count in LISTED if count < body["top_logprobs"])
        else:
            return False
        return True


class ChatEndpoint(Answering):
    """A model that answers at an address."""

    asked = 0
    """Requests that were sent."""

    def __init__(
        self, base: str, options: ChatOptions, *, keeps: bool = False, asks: bool = True
    ) -> None:
        named = {"model": options.model, "system": options.system}
        self.name = with_options(f"{CHAT}{base}", {k: v for k, v in named.items() if v})
        self.options, self.keeps, self.asks, self.dialect = options, keeps, asks, Dialect()
        self.system = options.system
        self.endpoint = Endpoint(base + END, options.model, options.timeout)
        self.notes = (note_served(options.model, base),)
        self.about = LanguageModelRecord(
            model=options.model,
            architecture="endpoint",
            kind="chat",
            roundoff=roundoff_of_log_ratios(""),
        )

    @property
    def fingerprint(self) -> str:
        """Address, model and message of the system, for nothing else is known."""
        return f"endpoint:{self.name}"

    @property
    def verification_remarks(self) -> tuple[str, ...]:
        """Where the answers come from that a result was computed again from."""
        if not self.asked:
            return ("answers: from the cache of this machine; no new requests",)
        again = f"{self.asked:,} requested again"
        return (f"answers: {again}; the others from the cache of this machine",)

    def gives_logprobs(self) -> bool:
        """Whether the server says how probable the pieces of an answer are."""
        return self._gives_logprobs

    def must_be_asked(self) -> bool:
        """Whether the server was not asked yet if it gives log-probabilities."""
        return "_gives_logprobs" not in self.__dict__ and not self.look_up([PROBE])

    @cached_property
    def _gives_logprobs(self) -> bool:
        return self.answers_to([PROBE])[PROBE].chances is not None

    def in_batches(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Ask some requests at a time, and yield their answers."""
        if not self.asks:
            what = f"{len(requests):,} of the answers" * (requests[0] != PROBE) or "the answers"
            raise UntrustedSourceError(
                f"{self.name}: refused, as {what} are not kept here, and it would send the texts "
                "of the test, and the key, to the model again",
                got="a source that a file names, not you",
                allowed="answers in the cache of this machine",
                remedy=f"if you trust it: --trust {shlex.quote(self.name)}; answers that are drawn "
                "anew differ",
            )
        parallel, limit = min(self.options.parallel, len(requests)), limit_of(requests)
        turn, done, spent = threading.Lock(), 0, 0
        with closing(CacheStore()) as store, self.endpoint.session(limit, parallel) as session:

            def ask(request: Request) -> Response:
                # another program may have asked it meanwhile
                known = self.look_up_in(store, [request]).get(request)
                return known or self._send_request(request, session, turn)

            # each program in an order of its own, so that two seldom send the same
            for batch in side_by_side(sample(requests, len(requests)), parallel, ask):
                yield batch
                done += len(batch)
                self.asked += len(batch)
                spent += sum(response.spent for response in batch.values())
                if spent == done >= FEW:
                    raise SourceError(
                        f"{self.name}: the model never reaches an answer",
                        got=f"{done} of {done} answers that end at the limit of tokens, "
                        f"{requests[0].tokens}, and contain only reasoning",
                        remedy="raise tokens: ask(tokens=2000), or turn reasoning off",
                    )

    def _send_request(self, request: Request, session: Any, turn: Any) -> Response:
        """Send a request in the form that the server takes, and again where it was too short."""
        while True:
            short = bool(request.options) and self.dialect.short and request.tokens > SHORT
            body = self._body(request, SHORT if short else request.tokens)
            received = self.endpoint.send(body, session, turn)
            if self.dialect.learns(received, body):
                continue
            if received.status != 200:
                break
            response = self._parse_response(request, received, short=short)
            if response is not None:
                return response
            self.dialect.short = False
        if request == PROBE and "logprobs" in received.content:
            return Response()
        if received.status == 400 and "content_filter" in received.content:
            return Response(date=_day(None, received))  # a refusal without words
        if request.options and "logprobs" in received.content:
            self._refuse_logprobs(received.beginning)
        raise self.endpoint.failure(received, "answer", BASES * (received.status == 404))

    def _body(self, request: Request, tokens: int) -> dict[str, Any]:
        """What is sent."""
        options, dialect = self.options, self.dialect
        system = [{"role": "system", "content": options.system}] if options.system else []
        body: dict[str, Any] = {
            "messages": [*system, {"role": "user", "content": request.text}],
            dialect.tokens: tokens,
        }
        if dialect.temperature:
            body["temperature"] = request.temperature
        if request.options:
            body |= {"logprobs": True, "top_logprobs": dialect.listed}
        return body

    def _parse_response(
        self, request: Request, received: Received, *, short: bool
    ) -> Response | None:
        """Make a response of what a server sent; None of a short answer that must be longer."""
        fault = "this is no chat completion"
        try:
            data = received.json()
            choice = data["choices"][0]
            text = _text_of(choice["message"])
            answer = without_reasoning(text)
            spent = not answer.strip() and choice.get("finish_reason") == "length"
            chances = None
            if request.options:
                listed = (choice.get("logprobs") or {}).get("content")
                fault = "the log-probabilities cannot be read"
                pieces = None if listed is None else pieces_of(listed, request.tokens)
                if short and (spent or is_cut(choice, request.options, pieces)):
                    return None
                if pieces and any(piece.listed for piece in pieces):
                    chances = chances_of(request.options, pieces)
                elif not answer.strip() and (pieces is not None or request != PROBE):
                    # llama.cpp lists nothing where an answer ends at once
                    chances = (-math.inf,) * len(request.options)
            day = _day(data.get("created"), received)
            model = str(data.get("model") or "")[:LONGEST_NAME]
        except MALFORMED as e:
            raise SourceError(
                f"{self.name}: {fault}",
                got=received.beginning,
                allowed="a server with OpenAI's chat completions API, such as vLLM, llama.cpp's, "
                "Ollama's /v1",
                remedy="check the address; on most servers it ends in /v1",
            ) from e
        if request.options and chances is None and request != PROBE:
            self._refuse_logprobs(received.beginning)
        tokens = reasoning_tokens(data.get("usage"))
        return Response(answer, chances, model, day, spent, tokens)

    def _refuse_logprobs(self, shown: str) -> NoReturn:
        raise SourceError(
            f"{self.name}: the server returns no log-probabilities",
            got=shown,
            remedy=SERVERS,
        )


def side_by_side(
    requests: Sequence[Request], parallel: int, ask: Callable[[Request], Response]
) -> Iterator[dict[Request, Response]]:
    """Ask some requests at a time, and yield their answers, until the end or a failure.

    An interrupted call still returns what has arrived.
    """
    left = deque(requests)
    came: SimpleQueue[tuple[Request, Response | Exception]] = SimpleQueue()

    def work() -> None:
        with suppress(IndexError):  # nothing is left
            while True:
                request = left.popleft()
                try:
                    came.put((request, ask(request)))
                except Exception as error:  # noqa: BLE001  (raised where answers are handed out)
                    left.clear()
                    came.put((request, error))

    def at_hand() -> tuple[dict[Request, Response], list[Exception]]:
        pairs = [came.get() for _ in range(came.qsize())]
        responses = {request: reply for request, reply in pairs if isinstance(reply, Response)}
        return responses, [error for _, error in pairs if isinstance(error, Exception)]

    for _ in range(parallel):
        threading.Thread(target=work, daemon=True).start()  # no end of the process waits for it
    done = 0
    try:
        while done < len(requests):
            came.put(came.get())  # waits
            responses, errors = at_hand()
            done += len(responses)
            yield responses
            if errors:
                raise errors[0]
    except KeyboardInterrupt:
        yield at_hand()[0]
        raise
    finally:
        left.clear()


def limit_of(requests: Sequence[Request]) -> int:
    """Bytes of an answer to the longest of some requests."""
    tokens = max(request.tokens for request in requests)
    listed = LISTED[0] if any(request.options for request in requests) else 0
    return LEAST + tokens * (OF_TOKEN + listed * OF_LISTED)


def _text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, which may come in parts, or as a refusal."""
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError
    return content


def reasoning_tokens(usage: Any) -> int | None:
    """Tokens of reasoning that a server counts; None where it does not.

    OpenAI and most other servers count them in the details of the completion, some among all.

    >>> reasoning_tokens({"completion_tokens_details": {"reasoning_tokens": 64}})
    64
    """
    if not isinstance(usage, dict):
        return None
    details = (usage.get(key) for key in ("completion_tokens_details", "output_tokens_details"))
    for part in filter(None, (*details, usage)):
        for key in ("reasoning_tokens", "thinking_tokens"):
            count = part.get(key) if isinstance(part, dict) else None
            if type(count) is int and 0 <= count <= MOST_TOKENS:
                return count
    return None


def _day(created: Any, received: Received) -> str:
    """The day of an answer, as the server says: its own time, or that in the header."""
    with suppress(TypeError, ValueError, OverflowError, OSError):
        # some write 0
        return datetime.fromtimestamp(created or math.nan, UTC).date().isoformat()
    with suppress(TypeError, ValueError):
        return parsedate_to_datetime(received.headers["Date"]).date().isoformat()
    return ""


# --- log-probabilities ----------------------------------------------------------------------------


class Piece(NamedTuple):
    """A piece of an answer, and what could have been in its place."""

    data: bytes
    """Its text; a piece may end within a character."""
    chance: float
    """Natural logarithm of its probability, given what is before it."""
    listed: tuple[tuple[bytes, float], ...] = ()
    """The most probable pieces, itself among them."""

    @classmethod
    def of(cls, entry: Any) -> Piece:
        """Read a piece as servers write it."""
        listed = _list_of(entry.get("top_logprobs") or [], MOST_LISTED)
        return cls(*_alone(entry), tuple(map(_alone, listed)))


def pieces_of(entries: Any, tokens: int) -> list[Piece]:
    """Read the pieces of an answer that has so many tokens."""
    return [Piece.of(entry) for entry in _list_of(entries, tokens + MORE_PIECES)]


def _list_of(entries: Any, most: int) -> list[Any]:
    if not isinstance(entries, list) or len(entries) > most:
        raise ValueError
    return entries


def _alone(entry: Any) -> tuple[bytes, float]:
    data, chance = entry.get("bytes"), float(entry["logprob"])
    # bytes of a number would be as many zeros
    data = entry["token"].encode() if data is None else bytes(_list_of(data, LONGEST_PIECE))
    if math.isnan(chance) or chance > 0.01 or len(data) > LONGEST_PIECE:
        raise ValueError
    return data, chance


def chances_of(options: Sequence[str], pieces: Sequence[Piece]) -> tuple[float, ...]:
    r"""Log-probability of each option as the beginning of an answer, by pieces that are listed.

    The answer is followed for as long as it is a common beginning of all options. At each of these
    places, a listed piece that goes on with one option and not with another counts for that option,
    with the probability of what is before it. Case does not matter, nor do spaces, quotes and
    asterisks before the answer. What is not listed counts as nothing: -inf where nothing is. An
    answer that ends where one option does, and another goes on, counts for the one that ends.
    Reasoning before the answer is taken as it is.

    >>> first = Piece(b"o", -0.5, ((b"o", -0.5), (b" Home", -1.0), (b"I", -4.0)))
    >>> chances_of(("office", "home"), [first])
    (-0.5, -1.0)
    >>> chances_of(("office", "home"), [Piece(b"**", -0.25, ((b"**", -0.25),)), first])
    (-0.75, -1.25)
    """
    names = [_begun(option) for option in options]
    enough = max(map(len, names)) + 1  # letters that say whether a text is an option
    totals = [-math.inf] * len(names)
    before, weight, decoder = "", 0.0, getincrementaldecoder("utf-8")("ignore")
    for piece in _after_reasoning(pieces):
        listed, state = piece.listed, decoder.getstate()
        if piece.data not in (data for data, _ in listed):
            listed = (*listed, (piece.data, piece.chance))
        for data, chance in listed:
            decoder.setstate(state)
            text = _begun(before + decoder.decode(data))
            fitting = [option for option, name in enumerate(names) if _fits(text, name)]
            if len(fitting) == 1:
                totals[fitting[0]] = float(np.logaddexp(totals[fitting[0]], weight + chance))
        decoder.setstate(state)
        before = _begun(before + decoder.decode(piece.data))[:enough]
        weight += piece.chance
        if not all(_fits(before, name) for name in names):
            return tuple(totals)
    if before in names:
        totals[names.index(before)] = float(np.logaddexp(totals[names.index(before)], weight))
    return tuple(totals)


def is_cut(
    choice: Mapping[str, Any], options: Sequence[str], pieces: Sequence[Piece] | None
) -> bool:
    """Whether an answer ends as a common beginning of all options, where more would say which."""
    if not pieces or choice.get("finish_reason") == "stop":
        return False
    data = b"".join(piece.data for piece in _after_reasoning(pieces))
    return all(_fits(_begun(data.decode(errors="ignore")), _begun(name)) for name in options)


def _begun(text: str) -> str:
    """A text from its first letter, in one case."""
    return text.lstrip(_IGNORED).casefold()


def _fits(text: str, name: str) -> bool:
    """Whether an answer that begins with a text may be an option, or is it already."""
    return name.startswith(text) or re.match(rf"{re.escape(name)}(?!\w)", text) is not None


def _after_reasoning(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Pieces behind what a model thinks before it answers."""
    end, last = b"</think>", b""
    for number, piece in enumerate(pieces, 1):
        last += piece.data
        if last.rstrip().endswith(end):
            return pieces[number:]
        last = last[1 - len(end) :]  # it may end in the next piece
    whole = b"".join(piece.data for piece in pieces)
    return () if whole.lstrip().startswith(b"<think>") else pieces


# --- opening --------------------------------------------------------------------------------------


def open_chat(text: str) -> ChatEndpoint:
    """Open a model by its address; nothing is sent before the first question."""
    plain, keeps = take_cache(text.removeprefix(CHAT))
    address, options = read_address(plain)
    parts = urlsplit(address)
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        raise SourceError(f"{text}: no address", got=address, allowed=ALLOWED)
    whole = complete_address(address, "chat/completions")
    if re.search(r"/(embeddings|completions)$", whole.removesuffix(END)):
        raise SourceError(
            f"{address}: not an address of chat completions",
            allowed=ALLOWED,
            remedy="leave out the last part of the address",
        )
    chosen = read_options(ChatOptions, options, address)
    if not chosen.model:
        raise SourceError(f"{address}: no model is named", allowed=ALLOWED)
    base = whole.removesuffix(END)
    if takes_kept_answers():
        return ChatEndpoint(base, chosen, keeps=True, asks=not only_data())
    return ChatEndpoint(base, chosen, keeps=keeps and not computes_afresh())


def refuse_vectors(text: str) -> NoReturn:
    """Say of a model that answers how it is measured."""
    raise SourceError(
        f"{text}: a chat model has no vectors",
        allowed="measures of answers, such as ask, with this source",
        remedy="add --measure ask; or, for vectors, give an embeddings endpoint: https://HOST/v1/embeddings?model=NAME",
    )
