"""A server that means harm, or is broken: of chat completions or embeddings."""

import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.inputs import SHORT_QUESTION

import eatlas
from eatlas.sources import Item
from eatlas_models.encoders.chat import open_answering
from eatlas_models.stimuli.asking import Prompt

KEY = "sk-proj-aZ0+9/0x=0123456789"
OPTIONS = ("love", "war")
BLOCK = 1 << 20
ASK = f'ask(by=samples,opponents=2,answers=1,templates="{SHORT_QUESTION}")'
KINDS = {"chat": "chat/completions", "embeddings": "embeddings"}
"""What is asked for, and the end of its address."""


class Hostile(ThreadingHTTPServer):
    """Does what `behave` does with each request, which is handed over as it was read."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.keys, self.sent = [], [], 0
        self.over = threading.Event()
        self.behave = good

    def spec(self, kind, options="&cache=no"):
        address = f"http://127.0.0.1:{self.server_port}/v1/{KINDS[kind]}?model=m{options}"
        return f"chat:{address}&parallel=1" if kind == "chat" else address

    def handle_error(self, *_):
        """A client that leaves in the middle is what is wanted."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers.get("Authorization"))
        self.close_connection = True
        self.server.behave(self, body)

    def log_message(self, *_):
        """Say nothing."""

    def send(self, data):
        self.wfile.write(data)
        self.server.sent += len(data)

    def begin(self, status=200, **headers):
        self.send_response(status)
        for name, value in {"Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def reply(self, content, status=200, **headers):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.begin(status, Content_Length=str(len(data)), **headers)
        self.send(data)


# --- answers ------------------------------------------------------------------------------------


def answer_to(body):
    """What a sound server answers."""
    if "messages" in body:
        return completion(OPTIONS[0], [entry(OPTIONS[0], -0.5), entry(OPTIONS[1], -1.5)])
    if "input" in body:
        rows = [[len(text), text.count("a"), 1.0] for text in body["input"]]
        return {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}
    raise AssertionError(body)


def good(handler, body):
    handler.reply(answer_to(body))


def changed(change):
    """Answer as a sound server does, but for what `change` does with it."""
    return lambda handler, body: handler.reply(change(answer_to(body)))


def replying(*content, **headers):
    """Answer each request with the same."""
    return lambda handler, _: handler.reply(*content, **headers)


def completion(text, listed=(), **more):
    """A chat completion of one piece."""
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    if listed:
        choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": list(listed)}]}
    return {"model": "m", "choices": [choice], **more}


def entry(token, value):
    return {"token": token, "logprob": value, "bytes": [*token.encode()]}


# --- faults -------------------------------------------------------------------------------------


def endless(handler, _, status=200):
    """Letters that never end."""
    handler.begin(status)
    while not handler.server.over.is_set():
        handler.send(b"a" * BLOCK)


def endless_heads(handler, _):
    """Heads that announce another."""
    while not handler.server.over.is_set():
        handler.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000)


def endless_when_unpacked(handler, _):
    """A thousandth of what it is unpacked."""
    handler.begin(Content_Encoding="gzip")
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(16 * BLOCK)
    while not handler.server.over.is_set():
        handler.send(packer.compress(zeros))


def hanging(handler, _):
    """Nothing at all."""
    handler.server.over.wait(20)


def dripping(handler, _):
    """A letter each time that nearly is too late."""
    handler.begin(Content_Length="1000000")
    while not handler.server.over.wait(0.02):
        handler.send(b" ")


def dripping_head(handler, _):
    """The same before the answer begins."""
    handler.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.server.over.wait(0.02):
        handler.send(b"a")


def cut(handler, _):
    """The connection ends in the middle."""
    handler.begin(Content_Length="1000000")
    handler.send(b'{"data": [')


# --- clients ------------------------------------------------------------------------------------


def opened(kind, spec, **settings):
    """What a user opens; `settings` are of its endpoint."""
    openers = {"chat": open_answering, "embeddings": eatlas.open_vectors}
    source = openers[kind](spec)
    if settings:
        source.endpoint = source.endpoint._replace(**settings)
    return source


def answers_of(source, by="samples"):
    """What a source answers to two questions."""
    if hasattr(source, "encode"):
        texts = [f"This is {word}." for word in OPTIONS]
        return [row.tolist() for row in source.encode([Item(text) for text in texts]).values()]
    asked = [Prompt(f"{who}: love or war?", OPTIONS, by=by) for who in ("Ivy", "Ben")]
    return list(source.score(asked).values())
