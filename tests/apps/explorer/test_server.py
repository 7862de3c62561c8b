"""The page is for this machine alone, and takes words and numbers alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from tests.apps.explorer.conftest import MINE
from tests.cli.conftest import eatlas_cli  # noqa: F401  (a fixture)

VIEW = {"test": "weat-6", "off": {}, "added": {}, "source": 0, "against": None}


def test_the_page_and_its_views(server):
    status, page = server.ask("", method="GET", Origin=None)
    assert status == 200
    assert "<title>eatlas explore</title>" in page
    assert "glove-sample" not in page.replace("GloVe", "")  # a person's name for it
    assert server.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert server.headers["Cache-Control"] == "no-store"
    status, board = server.ask("view", VIEW)
    assert (status, "BY-Singular" in board) == (200, True)
    assert server.ask("others", VIEW)[1].count("Share of") >= 1
    assert server.ask("across", {**VIEW, "against": 1})[0] == 200


def test_strangers_are_refused(server):
    port = server.port
    for headers in (
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": None},
        {"Origin": f"http://127.0.0.1:{port + 1}"}, {"Origin": f"http://localhost:{port}"},
        {"Host": "evil.example"}, {"Host": f"evil.example:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
    ):  # fmt: skip
        for name in ("view", "export"):
            assert server.ask(name, {**VIEW, "what": "toml"}, **headers)[0] == 403, headers
    # the parser of HTTP answers before it reads a body
    assert server.ask("view", method="GET", Host=None)[0] == 400
    wrong = server.token[:-1] + ("A" if server.token[-1] != "A" else "B")
    for path in (f"/{wrong}/view", "/view", "//view", "/"):
        status, text = server.ask(path, VIEW)
        assert status == 403
        assert "Traceback" not in text
    for method in ("PUT", "DELETE", "OPTIONS"):
        assert server.ask("view", VIEW, method)[0] == 405
    assert server.ask("page.js", method="GET", Origin=None, Sec_Fetch_Site="cross-site")[0] == 403


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "This is not a request of the page."),
        ({**VIEW, "source": 9}, "This source is not among those"),
        ({**VIEW, "source": "/etc/passwd"}, "This is not a request of the page."),
        ({**VIEW, "source": "py:os:getcwd"}, "This is not a request of the page."),
        ({**VIEW, "test": "weat-1"}, "This test is not among those"),
        ({**VIEW, "test": "/etc/passwd"}, "This test is not among those"),
        ({**VIEW, "added": {"X": ["x" * 10_000]}}, "a word of 10,000 letters"),
        ({**VIEW, "added": {"X": [f"w{i}" for i in range(1_000)]}}, "1,008 words"),
        ({"test": "", "lists": None, "source": 0}, "There is no list of words."),
    ],
)
def test_what_the_page_cannot_mean_is_said(server, body, said):
    status, text = server.ask("view", body)
    assert status == 422
    assert said in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("act", "status"),
    [("view", 422), ("others", 200), ("across", 422), ("look", 422), ("export", 422)],
)
def test_every_act_takes_words(server, act, status):
    """Where a part of the page shows why there is nothing, that is its answer."""
    found, text = server.ask(act, {"test": "", "what": "toml"})
    assert found == status
    assert "There is no list of words." in text


def test_a_body_that_is_too_long(server):
    assert server.ask("view", b"x" * (300 << 10))[0] == 413
    long = {**VIEW, "added": {"X": ["x" * 100_000]}}
    assert server.ask("view", long)[0] == 422  # within the limit of a body, not of a word


def test_there_is_nothing_else(server):
    for name in ("items.csv", "../../etc/passwd", "static/x", "openapi.json"):
        assert server.ask(name, method="GET", Origin=None)[0] == 404
    assert server.ask("view", method="GET", Origin=None)[0] == 405


def test_downloads_have_a_name(server):
    changed = {**VIEW, "off": {"Y": ["Diana"]}}
    server.ask("view", VIEW)
    server.ask("view", changed)
    status, text = server.ask("export", {**changed, "what": "toml"})
    assert status == 200
    assert server.headers["Content-Disposition"] == 'attachment; filename="weat-6-explored.toml"'
    assert "explored = " in text


def test_a_file_is_text_and_no_path(server):
    for text in ("/etc/passwd", "[[test]]\nX = '/etc/passwd'"):
        status, said = server.ask("file", {"text": text})
        assert (status, "root:" in said) == (422, False)
    status, text = server.ask("file", {"text": MINE})
    assert status == 200
    assert json.loads(text)["lists"]["A"] == ["Female", "she, woman, her, mother"]


def test_a_word_moves_to_another_group(server):
    moved = {**VIEW, "off": {"X": ["John"]}, "added": {"B": ["John"]}}
    status, text = server.ask("view", moved)
    assert (status, "John moved from Male names to Family" in text) == (200, True)
    status, text = server.ask("export", {**moved, "what": "toml"})
    assert "# Changed: John moved from Male names to Family." in text


def test_two_tabs_do_not_disturb_each_other(server):
    one, other = ({**VIEW, "off": {"Y": [word]}} for word in ("Diana", "Amy"))
    first = server.ask("view", one)[1]
    second = server.ask("view", other)[1]
    assert "without Diana (Female names)" in first
    assert "without Amy (Female names)" in second
    again = server.ask("view", one)[1]
    assert "without Diana (Female names)" in again
    assert "Amy (Female" not in again


@pytest.fixture
def explore(eatlas_cli, server):  # noqa: F811
    """Call the command in this process; what it serves, at a port in use, would not be served."""

    def called(*arguments):
        ended = eatlas_cli("explore", *arguments, "--port", server.port)
        assert (ended.code, ended.out) == (2, "")
        return ended.err

    return called


def test_a_port_in_use_and_other_addresses(explore):
    assert "cannot be used" in explore("--tests", "weat-6")
    said = explore("--tests", "weat-6", "--host", "0.0.0.0")  # noqa: S104
    assert "for this machine alone\n  got: 0.0.0.0" in said


def test_what_cannot_be_explored_is_said_before_anything_is_served(explore, tmp_path):
    for arguments, said in (
        (["--tests", "weat-66"], "there is no test or battery 'weat-66'"),
        (["--vectors", tmp_path / "nothing.txt"], "nothing.txt"),
        (["--tests", "sent-weat-6"], "none of the tests can be explored"),
        (["--measure", "mac"], "the explorer shows what ML-EAT or WEAT finds"),
    ):
        assert said in explore(*arguments)


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv = ['eatlas', 'explore'];"
        "from eatlas.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "the page needs starlette and uvicorn" in done.stderr
    assert "pip install 'eatlas[explore]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_it(serve):
    one = serve("--tests", "weat-6")
    code, said = one.end(signal.SIGINT)
    assert code == 0
    assert "Ctrl-C ends it" in said
    assert "Traceback" not in said
    assert json.dumps(said)
