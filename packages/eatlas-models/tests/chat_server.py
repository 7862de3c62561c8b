"""A server of chat completions that prefers what it is told to prefer, and fails when it is told to.

    with running(ChatServer(Planted(utility=..., position=0.5))) as server:
        eatlas.run("weat-6", server.spec, "ask")

In a process of its own, without preferences: ``python -m tests.chat_server --latency 0.02``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np

from eatlas_models.stimuli.questions import built_in_questions

REFUSAL = "I'm sorry, but I can't choose between them."
NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead."
)
NO_TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) "
    "value is supported."
)
END = "<|end|>"
"""Token that ends an answer; clients never see it among those generated."""


class Question(NamedTuple):
    """What a prompt asks."""

    subject: str
    first: str
    second: str
    words: tuple[str, ...] = ()
    """Words that each are to be assigned to one of the two; there is no subject then."""


@cache
def patterns(templates: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Expressions that find the words in the places of templates, the longest template first."""
    found = []
    for template in sorted(templates, key=len, reverse=True):  # some fit where a longer one does
        pieces = re.split(r"\{(\w+)\}", template)
        pattern, named = re.escape(pieces[0]), set()
        for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
            pattern += f"(?P={name})" if name in named else f"(?P<{name}>.+?)"
            named.add(name)
            pattern += re.escape(text)
        found.append(re.compile(pattern, re.DOTALL))
    return tuple(found)


@cache
def built_in_templates() -> tuple[str, ...]:
    """Questions and assignments that come with eatlas."""
    sets = built_in_questions()
    return tuple(t for s in (sets.questions, sets.assignments) for ts in s.values() for t in ts)


def no_preference(subject: str, option: str) -> float:
    """All options are alike."""
    return 0.0


def once_upon_a_time(prompt: str) -> str:
    """A very short story."""
    return "Once upon a time."


@dataclass
class Planted:
    """A model with known preferences; called with prompts it draws an answer to each."""

    utility: Callable[[str, str], float] = no_preference
    """Of an option for a subject; the first wins by the logistic of the difference."""
    position: float = 0.0
    """Added to the logit of the option that is named first."""
    refusal: float = 0.0
    """Probability of :data:`REFUSAL`."""
    variants: float = 0.0
    """Share of an option's answers that have a capital letter, a space before and a full stop."""
    piece: int = 0
    """Characters of a token; 0 where each word is one token."""
    templates: tuple[str, ...] = ()
    """Questions beside the built-in ones."""
    story: Callable[[str], str] = once_upon_a_time
    """Answer to any other prompt."""
    temperature: float = 1.0
    """Of answers to a call."""
    seed: int = 0

    def __post_init__(self):
        self.asked = Counter[str]()

    def __call__(self, prompts: list[str]) -> list[str]:
        return [self.draw(prompt, self.temperature) for prompt in prompts]

    def read(self, prompt: str) -> Question | None:
        """What a prompt asks; None where no template fits."""
        for pattern in patterns((*self.templates, *built_in_templates())):
            if match := pattern.fullmatch(prompt):
                words = match.groupdict()
                listed = tuple(w.strip() for w in words.pop("words", "").split(",") if w.strip())
                options = words.pop("first"), words.pop("second")
                return Question(next(iter(words.values()), ""), *options, listed)
        return None

    def chance(self, question: Question, subject: str | None = None) -> float:
        """Probability that the first option wins, where one is chosen."""
        subject = question.subject if subject is None else subject
        first, second = (self.utility(subject, o) for o in (question.first, question.second))
        return 1 / (1 + math.exp(second - first - self.position))

    def answers(self, question: Question) -> dict[str, float]:
        """Probabilities of whole answers."""
        p = self.chance(question)
        found = {REFUSAL: self.refusal} if self.refusal else {}
        for option, share in ((question.first, p), (question.second, 1 - p)):
            chosen = share * (1 - self.refusal)
            found[option] = chosen * (1 - self.variants)
            if self.variants:
                found[f" {option.capitalize()}."] = chosen * self.variants
        return found

    def draw(self, prompt: str, temperature: float = 1.0) -> str:
        """An answer; the n-th to one prompt is the same in each run, in whatever order."""
        self.asked[prompt] += 1
        seed = f"{self.seed}\n{self.asked[prompt]}\n{prompt}".encode()
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seed).digest()[:8]))
        question = self.read(prompt)
        if question is None:
            return self.story(prompt)
        if question.words:
            options = question.first, question.second
            return "\n".join(
                f"{word} - {options[rng.random() >= self.chance(question, word)]}"
                for word in question.words
            )
        answers = self.answers(question)
        texts, p = list(answers), np.array(list(answers.values()))
        if temperature == 0:
            return texts[int(p.argmax())]
        p = np.exp(np.log(np.maximum(p, 1e-300)) / temperature)
        return texts[rng.choice(len(texts), p=p / p.sum())]

    def tokens(self, text: str) -> list[str]:
        """Pieces of a text."""
        size = self.piece or len(text) or 1
        words = re.findall(r"\s*\w+|\s*[^\w\s]+|\s+", text)
        return [word[i : i + size] for word in words for i in range(0, len(word), size)]

    def steps(self, prompt: str) -> Iterator[dict[str, float]]:
        """Probabilities of the next token, along the most probable of them."""
        question = self.read(prompt)
        answers = {self.story(prompt): 1.0} if question is None else self.answers(question)
        left = [([*self.tokens(text), END], p) for text, p in answers.items()]
        while left:
            total = sum(p for _, p in left)
            shares: dict[str, float] = {}
            for tokens, p in left:
                shares[tokens[0]] = shares.get(tokens[0], 0) + p / total
            yield shares
            best = max(shares, key=lambda token: shares[token])
            left = [(tokens[1:], p) for tokens, p in left if tokens[0] == best and tokens[1:]]


class ChatServer(ThreadingHTTPServer):
    """Answers as its model does, and notes what it was sent."""

    daemon_threads = True
    block_on_close = False  # what hangs does not hold up the end
    request_queue_size = 512

    count_reasoning: Callable[[str, str], int] | None = None
    """Tokens of reasoning by prompt and answer, in ``usage``."""

    def __init__(self, model: Planted | None = None, port: int = 0, **settings: Any) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.model = model or Planted()
        self.served = "planted"
        """Name of the model; others are unknown."""
        self.called = "planted-2026-03-01"
        """What it calls itself in its answers."""
        self.created = 1_772_366_400  # 2026-03-01
        self.key = ""
        """Without it in the header the answer is 401."""
        self.logprobs = "on"
        """``on``; ``off``: left out; ``null``; ``refused``: with status 400."""
        self.limit = 100
        """Most ``top_logprobs``; more are refused with status 400."""
        self.newer = False
        """Refuses ``max_tokens`` and ``temperature``, as newer models of OpenAI."""
        self.keeps = False
        """Hands out its first answer again, as a proxy with a cache does."""
        self.think = ""
        """Thought of before the answer, between ``<think>`` and ``</think>``."""
        self.reasoning = ""
        """Thought of, and handed over as ``reasoning_content``."""
        self.latency = 0.0
        """Seconds that each answer takes."""
        self.workers = 0
        """Answers in the making at a time; 0 for as many as are asked for."""
        self.capacity = 0
        """Requests at a time, beyond which they are refused with status 429; 0 for no limit."""
        self.faults: deque[str] = deque()
        """Names of :data:`FAULTS`, for the next requests, one each."""
        self.raw: deque[Any] = deque()
        """What comes in place of the next answers of the model."""
        self.always = ""
        """The fault of every request that has none of its own."""
        self.retry_after = "1"
        for name, value in settings.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        self.at_work = threading.Semaphore(self.workers) if self.workers else nullcontext()
        self.lock = threading.Lock()
        self.count = 0
        """Requests that came."""
        self.answered = 0
        """Requests that got an answer of the model."""
        self.connections = self.side_by_side = self.most = 0
        """Connections that came; requests that are being answered, and the most at a time."""
        self.kept: dict[str, Any] = {}
        """Answers by what was asked."""
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.hanging = threading.Event()  # set where the server ends

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def spec(self) -> str:
        """Its source string."""
        return f"chat:{self.address}?model={self.served}"

    @property
    def texts(self) -> list[str]:
        """What users asked, in the order in which it came."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def get_request(self) -> Any:
        self.connections += 1
        return super().get_request()

    def shutdown(self) -> None:
        self.hanging.set()
        super().shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are gone are no fault."""


class Handler(BaseHTTPRequestHandler):
    """One connection, which is kept open."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: ChatServer

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.count += 1
            server.bodies.append(body)
            server.keys.append(self.headers.get("Authorization"))
            server.paths.append(self.path)
            fault = server.faults.popleft() if server.faults else server.always
            server.side_by_side += 1
            server.most = max(server.most, server.side_by_side)
            if server.capacity and server.side_by_side > server.capacity:
                fault = "rate"
        with server.at_work:
            if server.latency:
                time.sleep(server.latency)
            refusal = refused(server, self.path, self.headers, body)
            with server.lock:
                server.side_by_side -= 1
                content = None if fault or refusal else completion(server, body)
                if content and server.keeps:
                    content = server.kept.setdefault(json.dumps(body), content)
                server.answered += content is not None
            if fault:
                FAULTS[fault](self, body)
            else:
                self.answer(*(refusal or (200, content)))

    def answer(self, status: int, content: Any, **headers: str) -> None:
        """Send JSON, or bytes as they are."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Say nothing."""


def error(message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    """An error as OpenAI writes it."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def refused(
    server: ChatServer, path: str, headers: Mapping[str, str], body: Mapping[str, Any]
) -> tuple[int, dict[str, Any]] | None:
    """Why a request gets no answer."""
    sent = headers.get("Authorization", "")
    reasons = (
        (
            not path.endswith("/chat/completions"),
            (404, error(f"Invalid URL (POST {path})")),
        ),
        (
            server.key and sent != f"Bearer {server.key}",
            (401, error(f"Incorrect API key provided: {sent}.", None, "invalid_api_key")),
        ),
        (
            body.get("model") != server.served,
            (
                404,
                error(
                    f"The model `{body.get('model')}` does not exist", "model", "model_not_found"
                ),
            ),
        ),
        (
            server.newer and "max_tokens" in body,
            (400, error(NO_MAX_TOKENS, "max_tokens", "unsupported_parameter")),
        ),
        (
            server.newer and body.get("temperature", 1) != 1,
            (400, error(NO_TEMPERATURE, "temperature", "unsupported_value")),
        ),
        (
            server.logprobs == "refused" and body.get("logprobs"),
            (400, error("logprobs are not supported with this model", "logprobs")),
        ),
        (
            body.get("top_logprobs", 0) > server.limit,
            (
                400,
                error(
                    f"Invalid value for 'top_logprobs': must be less than or equal to {server.limit}.",
                    "top_logprobs",
                    "invalid_value",
                ),
            ),
        ),
    )
    return next((reason for applies, reason in reasons if applies), None)


def completion(server: ChatServer, body: Mapping[str, Any]) -> dict[str, Any]:
    """What the model answers."""
    model, prompt = server.model, body["messages"][-1]["content"]
    if server.raw:
        return server.raw.popleft()
    most = body.get("max_completion_tokens", body.get("max_tokens", 10**6))
    wanted, listed = bool(body.get("logprobs")), None
    before = f"<think>\n{server.think}\n</think>\n\n" if server.think else ""
    spent = len(model.tokens(before + server.reasoning))
    if wanted and server.logprobs == "on" and not body.get("temperature", 1):
        steps = list(model.steps(prompt))[: max(most - spent, 0)]
        chosen = [max(step, key=step.get) for step in steps]
        content = [
            entry(token, step, body.get("top_logprobs", 0))
            for token, step in zip(chosen, steps, strict=True)
            if token != END
        ]
        own = [token for token in chosen if token != END]
        thoughts = [entry(token, {token: 1.0}, 0) for token in model.tokens(before)[:most]]
        listed = {"content": thoughts + content}
        text, full = "".join([*model.tokens(before)[:most], *own]), END in chosen
    else:
        tokens = model.tokens(before + model.draw(prompt, body.get("temperature", 1)))
        spent = len(model.tokens(server.reasoning))
        text, full = "".join(tokens[: max(most - spent, 0)]), len(tokens) + spent <= most
    message = {"role": "assistant", "content": text}
    if server.reasoning:
        message["reasoning_content"] = server.reasoning
    usage: dict[str, Any] = {
        "prompt_tokens": len(prompt.split()),
        "completion_tokens": len(text.split()),
    }
    if server.count_reasoning:
        count = server.count_reasoning(prompt, text)
        usage["completion_tokens_details"] = {"reasoning_tokens": count}
    choice: dict[str, Any] = {"index": 0, "message": message}
    choice["finish_reason"] = "stop" if full else "length"
    if server.logprobs != "off":
        choice["logprobs"] = listed
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": server.created,
        "model": server.called,
        "choices": [choice],
        "usage": usage,
    }


def entry(token: str, step: Mapping[str, float], top: int) -> dict[str, Any]:
    """Log-probabilities at one token."""
    ranked = sorted(((p, t) for t, p in step.items() if p > 0), reverse=True)[:top]
    listed = [{"token": t, "logprob": math.log(p), "bytes": [*t.encode()]} for p, t in ranked]
    own = {"token": token, "logprob": math.log(step[token]), "bytes": [*token.encode()]}
    return {**own, "top_logprobs": listed}


# --- faults ---------------------------------------------------------------------------------------


def text_of(server: ChatServer, text: str | None) -> dict[str, Any]:
    """An answer of one text."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {"created": server.created, "model": server.called, "choices": [choice]}


def cut(handler: Handler, body: Mapping[str, Any]) -> None:
    """The connection ends in the middle of the answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"index": 0, "mess')
    handler.close_connection = True


def hang(handler: Handler, body: Mapping[str, Any]) -> None:
    """No answer comes."""
    handler.server.hanging.wait(3600)
    handler.close_connection = True


def dropped(handler: Handler, body: Mapping[str, Any]) -> None:
    """The connection ends before the answer."""
    handler.close_connection = True


def long(handler: Handler, body: Mapping[str, Any]) -> None:
    """100 kB."""
    handler.answer(200, text_of(handler.server, "As to these words, much can be said. " * 2_778))


def rate(handler: Handler, body: Mapping[str, Any]) -> None:
    """Too many requests."""
    content = error("Rate limit reached", None, "rate_limit_exceeded")
    handler.answer(429, content, Retry_After=handler.server.retry_after)


def page(handler: Handler, body: Mapping[str, Any]) -> None:
    """A page in place of JSON."""
    handler.answer(200, b"<!doctype html><title>Sign in</title>", Content_Type="text/html")


def plain(status: int, content: Any) -> Callable[[Handler, Mapping[str, Any]], None]:
    """Something that does not depend on the request."""
    return lambda handler, _: handler.answer(status, content)


FAULTS: dict[str, Callable[[Handler, Mapping[str, Any]], None]] = {
    "rate": rate,
    "broken": plain(500, error("The server had an error")),
    "busy": plain(503, b"upstream connect error"),
    "quota": plain(402, error("You exceeded your current quota", None, "insufficient_quota")),
    "cut": cut,
    "hang": hang,
    "dropped": dropped,
    "html": page,
    "empty": lambda handler, _: handler.answer(200, text_of(handler.server, "")),
    "none": lambda handler, _: handler.answer(200, text_of(handler.server, None)),
    "long": long,
    "list": plain(200, []),
    "choices": plain(200, {"choices": []}),
}
"""By name, what comes in place of an answer."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until the process ends; the first line that is printed is the source string."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    with ChatServer(port=options.port, latency=options.latency, workers=options.workers) as server:
        print(server.spec, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
