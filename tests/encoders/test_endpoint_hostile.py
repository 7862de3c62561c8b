"""An endpoint that means harm, or is broken: it gets no key that is not its own, and no memory."""

import base64
import gzip
import json
import logging
import threading
import traceback
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import numpy as np
import pytest
from tests.served import running

import eatlas
from eatlas.encoders import http_requests
from eatlas.encoders.http_requests import Secret
from eatlas.errors import SourceError, SourceWarning
from eatlas.sources import Passage

KEY = "sk-proj-aZ0+9/0x=0123456789"
ASKED = [Passage(text) for text in ("This is love.", "This is war.")]


class Server(ThreadingHTTPServer):
    """Does what `behave` does with each request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.over = [], threading.Event()
        self.behave = good

    def spec(self, options=""):
        return f"http://127.0.0.1:{self.server_port}/v1/embeddings?model=m&cache=no{options}"

    def handle_error(self, *_):
        """A client that leaves in the middle is what we want."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(dict(self.headers))
        self.close_connection = True
        self.server.behave(self, asked["input"])

    def log_message(self, *_):
        """Say nothing."""

    def reply(self, content, status=200, **headers):
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.begin(status, **{"Content-Length": str(len(content)), **headers})
        self.wfile.write(content)

    def begin(self, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()


def vectors(texts):
    return {"data": [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(texts)]}


def good(handler, texts):
    handler.reply(vectors(texts))


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("EATLAS_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with running(Server()) as server:
        yield server
        server.over.set()


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    found = []
    monkeypatch.setattr(http_requests.post, "__defaults__", (found.append,))
    return found


def error_of(spec):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(spec).encode(ASKED)
    shown = "".join(traceback.format_exception(caught.value))
    for part in (KEY, "aZ0+9/", "0123456789", quote(KEY, safe="")):
        assert part not in shown
    return caught.value


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}\t", "\n{}"])
def test_ends_of_lines_around_a_key_do_not_count(server, monkeypatch, around):
    monkeypatch.setenv("EATLAS_API_KEY", around.format(KEY))
    eatlas.open_vectors(server.spec()).encode(ASKED)
    assert server.seen[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("bad", ["\n", "\r", "\x00", " ", "\x1b", "é", "\u202e"])
def test_a_key_that_is_none_is_refused_before_anything_is_sent(server, monkeypatch, bad):
    if bad == "\x00":
        monkeypatch.setattr("os.environ", {"EATLAS_API_KEY": f"{KEY[:9]}{bad}{KEY[9:]}"})
    else:
        monkeypatch.setenv("EATLAS_API_KEY", f"{KEY[:9]}{bad}{KEY[9:]}")
    error = error_of(server.spec())
    assert error.what == "EATLAS_API_KEY: this is not a key"
    assert error.got == (
        f"a space, a control character or a letter beyond ASCII in place 10 of {len(KEY) + 1}"
    )
    assert server.seen == []


def test_an_empty_key_is_none(server, monkeypatch):
    monkeypatch.setenv("EATLAS_API_KEY", " \n")
    monkeypatch.setenv("OPENAI_API_KEY", "other\n")
    eatlas.open_vectors(server.spec()).encode(ASKED)
    monkeypatch.delenv("OPENAI_API_KEY")
    eatlas.open_vectors(server.spec()).encode(ASKED)
    assert [one.get("Authorization") for one in server.seen] == ["Bearer other", None]


ECHOES = {
    "401": (401, {"error": {"message": f"bad key Bearer {KEY}"}}),
    "400": (400, {"error": {"message": KEY[:20]}}),
    "no JSON": (200, f"not json {KEY}".encode()),
    "cut in the middle": (400, b"x" * 280 + KEY.encode()),
    "cut early": (200, b"x" * 60 + KEY.encode()),
    "shape": (200, {KEY: 1, "b": 2}),
    "long shape": (200, {"x" * 3990 + KEY: 1}),
    "index": (200, {"data": [{"index": KEY, "embedding": [1, 2]}] * 2}),
    "vector": (200, {"data": [{"index": i, "embedding": [KEY]} for i in range(2)]}),
    "quoted": (400, f"key={quote(KEY, safe='')}".encode()),
    "escaped": (400, json.dumps({"detail": KEY.replace("/", "\\/")}).encode()),
    "base64": (400, base64.b64encode(f"Bearer {KEY}".encode())),
    "status 503": (503, {"error": f"overloaded, {KEY}"}),
}


@pytest.mark.parametrize("way", ECHOES)
def test_no_message_repeats_the_key(server, way):
    status, content = ECHOES[way]
    server.behave = lambda handler, _: handler.reply(content, status)
    shown = str(error_of(server.spec()))
    for shift in range(3):
        # not one of its parts, whatever stands before it
        letters = base64.b64encode(b" " * shift + KEY.encode()).decode()
        assert letters[8:16] not in shown
    assert "***" in shown or way in {"vector", "cut early", "long shape"}


def test_a_redirect_is_not_followed_and_shows_no_key(server):
    with running(Server()) as other:
        to = f"http://localhost:{other.server_port}/?k="
        server.behave = lambda handler, _: handler.reply(b"", 307, Location=to + KEY)
        error = error_of(server.spec())
    assert error.got == f"status 307, to {to}***"
    assert other.seen == []


def test_netrc_neither_replaces_the_key_nor_sends_its_own(server, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login alice password NETRCSECRET\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    eatlas.open_vectors(server.spec()).encode(ASKED)
    monkeypatch.delenv("EATLAS_API_KEY")
    eatlas.open_vectors(server.spec()).encode(ASKED)
    assert [one.get("Authorization") for one in server.seen] == [f"Bearer {KEY}", None]


def test_what_is_on_this_machine_is_asked_without_a_proxy(server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://me:pass@127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    eatlas.open_vectors(server.spec()).encode(ASKED)
    assert "Proxy-Authorization" not in server.seen[0]


def test_a_key_does_not_go_over_http_to_another_machine(server, monkeypatch):
    # a proxy on this machine stands for the network, and sees all that is sent
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
    spec = "http://embeddings.example/v1/embeddings?model=m&cache=no"
    error = error_of(spec)
    assert error.what == (
        "http://embeddings.example/v1/embeddings: over http, everybody on the way can read the key"
    )
    assert error.remedy == "use https; or unset the key; or add insecure=yes to the address"
    assert server.seen == []
    source = eatlas.open_vectors(f"{spec}&insecure=yes&batch=1")
    with pytest.warns(SourceWarning, match="the key is sent over http, where everybody") as said:
        source.encode(ASKED)
    assert len(said) == 1
    assert "insecure" not in source.name
    assert {one["Authorization"] for one in server.seen} == {f"Bearer {KEY}"}
    monkeypatch.delenv("EATLAS_API_KEY")
    eatlas.open_vectors(spec).encode(ASKED)
    assert "Authorization" not in server.seen[-1]


def test_what_insecure_may_be():
    with pytest.raises(SourceError, match=r"got: insecure=maybe\n  allowed: yes or no"):
        eatlas.open_vectors("http://a.org/v1/embeddings?model=m&insecure=maybe")


def endless(handler, _):
    handler.begin()
    while not handler.server.over.is_set():
        handler.wfile.write(b" " * (1 << 20))


def bomb(handler, _):
    handler.begin(Content_Encoding="gzip")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 24)
    while not handler.server.over.is_set():
        handler.wfile.write(packer.compress(zeros))


@pytest.mark.parametrize("answer", [endless, bomb])
def test_an_answer_without_end_is_left(server, answer, waits):
    server.behave = answer
    error = error_of(server.spec())
    assert "there is no usable answer" in error.what
    assert error.got == "the answer has more than 16,777,216 bytes"
    assert error.allowed.startswith("up to 16,777,216 bytes for 2 texts")
    assert waits == []


def drip(handler, _):
    handler.begin(Content_Length="1000000")
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")


def drip_in_the_head(handler, _):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b"a")


def hang(handler, _):
    handler.server.over.wait(20)


def busy_then_hang(handler, texts):
    if len(handler.server.seen) == 1:
        handler.reply(b"", 503, Retry_After="0")
    else:
        hang(handler, texts)


# of two tries the second must begin in time, also on a busy machine
@pytest.mark.parametrize(
    ("answer", "seconds", "tries"),
    [(drip, 1, 1), (drip_in_the_head, 1, 1), (hang, 1, 1), (busy_then_hang, 5, 2)],
)
def test_the_time_holds_for_all_tries_together(server, answer, seconds, tries, waits):
    server.behave = answer
    error = error_of(server.spec(f"&timeout={seconds}"))
    assert error.what.endswith(f"/v1/embeddings: the endpoint gave no vectors within {seconds} s")
    assert "in time" in error.got
    assert error.allowed == f"a whole answer within {seconds} s, all tries together"
    assert "timeout=SECONDS" in error.remedy
    assert len(waits) == tries - 1
    assert len(server.seen) <= tries  # on a busy machine the last may not have been read


def test_nobody_waits_longer_than_the_time(server, waits):
    server.behave = lambda handler, _: handler.reply({"error": "slow down"}, 429, Retry_After="9")
    error = error_of(server.spec("&timeout=5"))
    assert error.what.endswith("the endpoint gave no vectors within 5 s")
    assert error.got == "status 429: slow down (the server requests another try after 9 s)"
    assert waits == []
    assert "after several tries" in error_of(server.spec("&timeout=10")).what
    assert waits == [9.0] * 3


@pytest.mark.parametrize("tries", [2, 4])
def test_quick_failures_are_tried_again_within_the_time(server, waits, tries):
    def busy(handler, texts):
        if len(server.seen) < tries:
            handler.reply(b"", 503)
        else:
            good(handler, texts)

    server.behave = busy
    found = eatlas.open_vectors(server.spec("&timeout=30")).encode(ASKED)
    assert found[ASKED[0]].tolist() == [13, 1]
    assert waits == [0.5, 1.0, 2.0][: tries - 1]


def test_a_cut_answer_is_asked_for_again(server, waits):
    def cut(handler, texts):
        if len(server.seen) < 3:
            handler.begin(Content_Length="1000000")
            handler.wfile.write(b'{"data": [')
        else:
            good(handler, texts)

    server.behave = cut
    found = eatlas.open_vectors(server.spec()).encode(ASKED)
    assert found[ASKED[0]].tolist() == [13, 1]
    assert waits == [0.5, 1.0]


def test_a_packed_answer_is_unpacked_or_refused(server):
    server.behave = lambda handler, texts: handler.reply(
        gzip.compress(json.dumps(vectors(texts)).encode()), Content_Encoding="gzip"
    )
    assert eatlas.open_vectors(server.spec()).encode(ASKED)[ASKED[0]].tolist() == [13, 1]
    assert server.seen[0]["Accept-Encoding"] == "identity"
    server.behave = lambda handler, _: handler.reply(b"", Content_Encoding="br")
    assert error_of(server.spec()).got == (
        "the answer is packed in a way that was not requested: br"
    )


@pytest.mark.parametrize("status", [200, 400, 503])
def test_nesting_without_end(server, status):
    server.behave = lambda handler, _: handler.reply(b"[" * 200_000, status)
    error = error_of(server.spec())
    if status == 200:
        assert error.what.endswith("the answer is not JSON: nested too deeply")
    assert len(str(error)) < 1000


@pytest.mark.parametrize("number", ["1e300", "-3.5e38", "1" + "0" * 400])
def test_numbers_that_single_precision_cannot_hold(server, number, tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))
    row = f'{{"index": 0, "embedding": [1, {number}]}}, {{"index": 1, "embedding": [1, 2]}}'
    server.behave = lambda handler, _: handler.reply(f'{{"data": [{row}]}}'.encode())
    spec = server.spec().replace("&cache=no", "")
    error = error_of(spec)
    assert "too large" in error.what or "not an array of numbers" in error.what
    server.behave = good
    found = eatlas.open_vectors(spec).encode(ASKED)  # nothing of it was kept
    assert all(np.isfinite(row).all() for row in found.values())


def test_the_key_stands_nowhere(server, tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))
    spec = server.spec().replace("&cache=no", "")
    results = eatlas.run("sent-weat-7", spec, "weat")
    results.write(tmp_path / "results.jsonl")
    eatlas.write_report(results, tmp_path / "report.html")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    for path in files:
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in caplog.text
    assert KEY not in repr(eatlas.open_vectors(spec)) + repr(Secret(KEY))


@pytest.mark.parametrize(
    ("key", "text", "shown"),
    [
        ("abc", "xabcx", "x***x"),
        ("sk-0123456789", "sk-01234 and 3456789", "*** and ***"),
        ("sk-0123456789", "the 1st of 56789", "the 1st of 56789"),
        (None, "nothing to hide", "nothing to hide"),
    ],
)
def test_parts_of_a_key(key, text, shown):
    assert Secret(key).hide(text) == shown
