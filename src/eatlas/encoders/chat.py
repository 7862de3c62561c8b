"""Models that answer in words: endpoints of OpenAI's form, models of transformers, functions.

Every model goes one way: prompts become requests, one for each answer that is drawn; what is kept
of them is handed out, the rest is asked, and each answer is kept as it comes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from typing import Any, Literal, Protocol, runtime_checkable

from eatlas.encoders.cache import ANSWER, CacheStore, Row, hashed, through_cache
from eatlas.notes import Note
from eatlas.results.parts import LanguageModelRecord
from eatlas.sources.source import Tell
from eatlas.stimuli.asking import Prompt, Reply


@dataclass(frozen=True, order=True)
class Request:
    """One answer that is asked for."""

    text: str
    options: tuple[str, ...]
    """Options whose log-probabilities are wanted; none where an answer is drawn."""
    temperature: float
    tokens: int
    draw: int
    """Number of the draw; 0 of log-probabilities."""


@dataclass(frozen=True)
class Response:
    """What came back."""

    text: str = ""
    chances: tuple[float, ...] | None = None
    """Log-probabilities of the options; -inf is kept as None in JSON."""
    model: str = ""
    """What the model calls itself."""
    date: str = ""
    """Day of the answer, as in 2026-03-01."""


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers prompts."""

    name: str
    """What names the source in results, such as ``chat:http://localhost:8080/v1?model=llama``."""
    notes: tuple[Note, ...]
    """What a reader should know about the model."""
    kind: Literal["chat"]
    about: LanguageModelRecord
    """What the result says of the model."""

    @property
    def fingerprint(self) -> str:
        """Identifies what answers."""
        ...

    def score(
        self, questions: Collection[Prompt], tell: Tell | None = None
    ) -> Mapping[Prompt, Reply]:
        """Answer prompts."""
        ...


class Answering:
    """A model that answers requests, each of which is kept on disk."""

    kind: Literal["chat"] = "chat"
    name: str
    keeps: bool
    about: LanguageModelRecord
    notes: tuple[Note, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Identifies what answers."""
        raise NotImplementedError

    def gives_logprobs(self) -> bool:
        """Whether the model says how probable its answers are."""
        raise NotImplementedError

    def in_batches(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Hand out responses as they come."""
        raise NotImplementedError

    def score(
        self, questions: Collection[Prompt], tell: Tell | None = None
    ) -> Mapping[Prompt, Reply]:
        """Answer prompts, each different request once."""
        requests = {prompt: self.requests_of(prompt) for prompt in questions}
        every = list(dict.fromkeys(chain.from_iterable(requests.values())))
        answers: dict[Request, Response] = {}
        for batch in (self._kept if self.keeps else self.in_batches)(every):
            answers |= batch
            if tell is not None:
                tell(len(answers), len(every))
        return {
            prompt: _reply([answers[one] for one in several])
            for prompt, several in requests.items()
        }

    def requests_of(self, prompt: Prompt) -> tuple[Request, ...]:
        """What is asked for a prompt: its options once, or each draw."""
        if prompt.options and (
            prompt.by == "logprobs" or (prompt.by == "auto" and self.gives_logprobs())
        ):
            return (Request(prompt.text, prompt.options, 0.0, prompt.tokens, 0),)
        return tuple(
            Request(prompt.text, (), prompt.temperature, prompt.tokens, draw)
            for draw in range(prompt.answers)
        )

    def sizes_of(self, texts: Sequence[str]) -> list[int] | None:  # noqa: ARG002  (few can tell)
        """Pieces of each text as the model is asked it; None where only the model can tell."""
        return None

    def kept(self, requests: Iterable[Request]) -> set[Request]:
        """Requests whose answers are kept; nothing is asked."""
        keys = {one: self._key(one) for one in requests} if self.keeps else {}
        rows = CacheStore().get(keys.values())
        return {one for one, key in keys.items() if key in rows}

    def _key(self, request: Request) -> bytes:
        """What the answer to a request is kept under."""
        return hashed(ANSWER, self.fingerprint, repr(astuple(request)))

    def _kept(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Hand out answers that are kept, and have the others asked for."""

        def compute(missing: list[Request]) -> Iterator[Mapping[Request, Row]]:
            for batch in self.in_batches(missing):
                yield {one: (_written(answer), ANSWER, "") for one, answer in batch.items()}

        keys = {one: self._key(one) for one in requests}
        for batch in through_cache(keys, self, compute, "questions are answered"):
            yield {one: _read(data) for one, (data, _, _) in batch.items()}


def _written(response: Response) -> bytes:
    """A response as it is kept."""
    chances = response.chances
    listed = chances and [chance if math.isfinite(chance) else None for chance in chances]
    return json.dumps([response.text, listed, response.model, response.date]).encode()


def _read(data: bytes) -> Response:
    """Read what :func:`_written` wrote."""
    text, listed, model, date = json.loads(data)
    chances = None
    if listed is not None:
        chances = tuple(-math.inf if chance is None else chance for chance in listed)
    return Response(text, chances, model, date)


def _reply(responses: Sequence[Response]) -> Reply:
    """The responses to one prompt as its reply."""
    chances = responses[0].chances
    return Reply(
        texts=() if chances is not None else tuple(one.text for one in responses),
        chances=chances,
        models=tuple(one.model for one in responses),
        dates=tuple(one.date for one in responses),
    )


# --- functions ------------------------------------------------------------------------------------

Function = Callable[[list[str]], Sequence[str]]


class FunctionChat(Answering):
    """A function that takes a list of prompts and returns a text for each."""

    keeps = False

    def __init__(self, function: Function, name: str = "") -> None:
        self.function = function
        self.name = name or getattr(function, "__qualname__", type(function).__name__)
        self.about = LanguageModelRecord(model=self.name, architecture="function", kind="chat")

    @property
    def fingerprint(self) -> str:
        """The name, for nothing else is known."""
        return f"function:{self.name}"

    def gives_logprobs(self) -> bool:
        """A function returns texts alone."""
        return False

    def in_batches(self, requests: Sequence[Request]) -> Iterator[Mapping[Request, Response]]:
        """Call the function with all prompts."""
        texts = self.function([one.text for one in requests])
        yield {one: Response(str(text)) for one, text in zip(requests, texts, strict=True)}


def open_answering(spec: Any) -> ChatModel:
    """Open a model that answers."""
    if isinstance(spec, ChatModel) and not isinstance(spec, type):
        return spec
    if callable(spec):
        return FunctionChat(spec)
    raise NotImplementedError
