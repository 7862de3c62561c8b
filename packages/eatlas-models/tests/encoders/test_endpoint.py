"""An endpoint on this machine: what it is sent, what is read of it, and how it fails."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.served import running

import eatlas
from eatlas.errors import SourceError
from eatlas.sources import Item
from eatlas_models.encoders.endpoint import note_served

KEY = "sk-proj-aZ0+9/0x=0123456789"
TEXTS = [f"This is {word}." for word in ("love", "war", "ivy", "a flea", "peace")]
ASKED = [Item(text) for text in TEXTS]


ANSWERS = {
    "/api/embed": lambda asked, embed: {"embeddings": embed(asked["input"])},
    "/api/embeddings": lambda asked, embed: {"embedding": embed([asked["prompt"]])[0]},
    "/tei/embed": lambda asked, embed: embed(asked["inputs"]),
}
"""By path, what other servers than OpenAI's answer."""


class Server(ThreadingHTTPServer):
    """Answers what ``answers`` says, one after the other, then with vectors."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.answers, self.paths = [], [], []
        self.embed = lambda texts: [[float(len(t)), t.count("a"), 1.0] for t in texts]

    @property
    def host(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def address(self):
        return f"{self.host}/v1/embeddings"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        server.asked.append((asked, self.headers.get("Authorization")))
        status, headers, answer = server.answers.pop(0) if server.answers else (200, {}, None)
        server.paths.append(self.path)
        if answer is None and not self.path.endswith("/v1/embeddings"):
            answer = ANSWERS[self.path](asked, server.embed)
        if answer is None:
            rows = server.embed(asked["input"])
            data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
            answer = {"data": data[::-1], "model": asked["model"]}
        payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("EATLAS_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with running(Server()) as server:
        yield server


@pytest.fixture
def waits(monkeypatch):
    """Seconds that would have been waited."""
    found = []
    monkeypatch.setattr("eatlas_models.encoders.endpoint.time.sleep", found.append)
    return found


def test_what_is_sent(server):
    source = eatlas.open_vectors(f"{server.address}?model=small&batch=2&dimensions=3")
    rows = {item.content: row.tolist() for item, row in source.encode(ASKED).items()}
    assert rows == {text: [len(text), text.count("a"), 1] for text in TEXTS}
    assert [len(body["input"]) for body, _ in server.asked] == [2, 2, 1]
    assert {body["model"] for body, _ in server.asked} == {"small"}
    assert {body["dimensions"] for body, _ in server.asked} == {3}
    assert {key for _, key in server.asked} == {f"Bearer {KEY}"}
    assert sorted(text for body, _ in server.asked for text in body["input"]) == sorted(TEXTS)


@pytest.mark.parametrize(
    ("given", "path", "sent"),
    [
        ("?model=m", "/v1/embeddings", {"model": "m", "input": TEXTS}),
        ("/v1?model=m", "/v1/embeddings", {"model": "m", "input": TEXTS}),
        ("/api/v1/?model=m", "/api/v1/embeddings", {"model": "m", "input": TEXTS}),
        ("/api?model=m", "/api/embed", {"model": "m", "input": TEXTS, "truncate": False}),
        ("/api/embed?model=m", "/api/embed", {"model": "m", "input": TEXTS, "truncate": False}),
        ("/api/embeddings?model=m", "/api/embeddings", {"model": "m", "prompt": TEXTS[3]}),
        ("/tei/embed", "/tei/embed", {"inputs": TEXTS, "truncate": False}),
    ],
)
def test_forms_of_addresses(server, given, path, sent):
    source = eatlas.open_vectors(f"{server.host}{given}")
    rows = {item.content: row.tolist() for item, row in source.encode(ASKED).items()}
    assert rows == {text: [len(text), text.count("a"), 1] for text in TEXTS}
    assert {*server.paths} == {path}
    asked = [
        {k: sorted(v) if isinstance(v, list) else v for k, v in b.items()} for b, _ in server.asked
    ]
    assert {k: sorted(v) if isinstance(v, list) else v for k, v in sent.items()} in asked
    assert source.name == f"{server.host}{path}" + ("?model=m" if "model" in sent else "")
    assert eatlas.open_vectors(source.name).fingerprint == source.fingerprint


def test_a_number_of_components_that_is_ignored(server):
    error = error_of(eatlas.open_vectors(f"{server.address}?model=m&dimensions=2"))
    assert "another number of components" in error.what
    assert error.got == "3"


def test_a_client_names_the_way():
    client = type("OpenAI", (type("BaseClient", (), {"__module__": "openai._base_client"}),), {})()
    client.base_url = "http://localhost:8000/v1/"
    with pytest.raises(SourceError, match=r"its address: http://localhost:8000/v1\?model=NAME"):
        eatlas.open_vectors(client)


def test_the_key_is_the_first_of_two_and_may_be_missing(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    source = eatlas.open_vectors(f"{server.address}?model=m&cache=no")
    source.lookup(["a"])
    monkeypatch.delenv("EATLAS_API_KEY")
    source.lookup(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    source.lookup(["a"])
    assert [key for _, key in server.asked] == [f"Bearer {KEY}", "Bearer other", None]


def test_a_run_asks_once_and_says_what_nobody_knows(server):
    spec = f"{server.address}?model=small"
    first, again = (eatlas.run("sent-weat-7", spec, "weat(resamples=0)")[0] for _ in range(2))
    texts = [text for body, _ in server.asked for text in body["input"]]
    assert len(texts) == len(set(texts))
    assert first.to_dict() == again.to_dict()
    assert first.source == spec
    assert first.provenance.source_fingerprint == f"endpoint:{spec}"
    assert any(" is served at 127.0.0.1; " in note for note in map(str, first.warnings))
    assert "by others, who can change it" in str(note_served("m", "https://example.org/v1"))
    assert KEY not in json.dumps(first.to_dict())


def error_of(source):
    with pytest.raises(SourceError) as caught:
        source.encode(ASKED)
    assert KEY not in str(caught.value)
    return caught.value


def test_it_is_asked_again_as_late_as_it_says(server, waits):
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    later = [(429, {"Retry-After": after}, {}) for after in ("7", date, "soon")]
    server.answers = later
    eatlas.open_vectors(f"{server.address}?model=m&cache=no").encode(ASKED)
    assert waits == [7.0, 1.0, 2.0]
    server.answers = [(503, {}, {"error": "busy"})] * 2
    eatlas.open_vectors(f"{server.address}?model=m").encode(ASKED)
    assert waits[3:] == [0.5, 1.0]


def test_a_model_that_is_loading_is_waited_for(server, waits):
    message = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
    server.answers = [(503, {}, message)] * 6
    eatlas.open_vectors(f"{server.address}?model=m&cache=no").encode(ASKED)
    assert waits == [0.5, 1, 2, 4, 8, 16]


def test_patience_ends(server, waits):
    source = eatlas.open_vectors(f"{server.address}?model=m&cache=no")
    server.answers = [(503, {}, {"error": f"overloaded, {KEY}"})] * 4
    error = error_of(source)
    assert "the endpoint returned no vectors" in error.what
    assert error.got == 'status 503: {"error": "overloaded, ***"}'
    server.answers = [(429, {"Retry-After": "3600"}, {})]
    assert error_of(source).got == "status 429: {}"
    assert waits == [0.5, 1, 2]
    nobody = eatlas.open_vectors("http://127.0.0.1:9/v1/embeddings?model=m")
    assert error_of(nobody).got.startswith("ConnectionError: ")


def test_what_came_before_a_failure_is_kept(server):
    spec = f"{server.address}?model=m&batch=2"
    server.answers = [(200, {}, None), (400, {}, {"error": {"message": "no more money"}})]
    assert "no more money" in error_of(eatlas.open_vectors(spec)).got
    eatlas.open_vectors(spec).encode(ASKED)
    assert [len(body["input"]) for body, _ in server.asked] == [2, 2, 2, 1]


def one(index, row):
    return {"index": index, "embedding": row}


@pytest.mark.parametrize(
    ("answer", "what", "got"),
    [
        (b"<html>hello", "does not contain one vector per text", "<html>hello"),
        ({"vectors": []}, "does not contain one vector per text", None),
        ([1], "does not contain one vector per text", None),
        ({"data": [one(0, [1, 2])] * 5}, "does not contain one vector per text", None),
        ({"data": [one(i, [1] * (i + 1)) for i in range(5)]}, "does not contain one vector per text", None),
        ({"data": [one(i, "AAAA") for i in range(5)]}, "does not contain one vector per text", None),
        ({"data": [one(i, [1]) for i in range(6)]}, "one vector of numbers", "an array of shape (6, 1) and type float32"),
        ({"data": [one(i, [float("nan")]) for i in range(5)]}, "not finite", "nan"),
    ],
)  # fmt: skip
def test_answers_that_are_none(server, answer, what, got):
    server.answers = [(200, {}, answer)]
    error = error_of(eatlas.open_vectors(f"{server.address}?model=m"))
    assert what in error.what
    assert got is None or error.got == got
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("https://a.org/vectors.txt", "no model is named\n  allowed: an endpoint of embeddings with its"),
        ("https://me:pass@a.org/v1?model=m", "https://a.org: the address contains a key or password"),
        ("https://?model=m", "no model is named"),
        ("https://a.org/v1?model=m&key=1", "unknown option\n  got: key"),
        ("http://a.org/v1", "allowed: an endpoint of embeddings with its model: https://HOST/v1/embeddings?model=NAME, or without"),
        ("https://a.org/v1?model=m&batch=0", "got: batch=0\n  allowed: greater than 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(spec, said):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(spec)
    assert said in str(caught.value)
    assert "pass@" not in str(caught.value)
