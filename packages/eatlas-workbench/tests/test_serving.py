"""A page is for one person on this machine: who is refused, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from pydantic import BaseModel
from tests.served import Served as Command
from tests.served import ask

from eatlas.errors import EatlasError
from eatlas_workbench.serving import LARGEST_REQUEST, App, Served, as_json

SAID: list[str] = []
SLOW = threading.Event()


class Said(BaseModel):
    text: str


def say(request):
    if request.text == "fault":
        raise ZeroDivisionError
    if request.text == "refused":
        raise EatlasError("not this")
    if request.text == "slow":
        SLOW.set()
        time.sleep(0.5)
    SAID.append(request.text)
    return as_json({"said": len(SAID)})


def app():
    refused = lambda error: as_json({"error": str(error)}, 422)  # noqa: E731
    return App("annotate", lambda: "<p>a page</p>", Said, {"say": say}, refused)


@pytest.fixture(scope="module")
def served():
    with Served(app()) as page:
        yield page


@pytest.fixture
def address(served):
    SAID.clear()
    return served.address


BODY = b'{"text": "hello"}'


def test_a_page_its_files_and_its_acts(address):
    page = ask(address, "", b"", "GET", Origin=None)
    assert (page.status, page.text) == (200, "<p>a page</p>")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["Cache-Control"] == "no-store"
    assert "Python" not in page.headers["Server"]
    assert ask(address, "", b"", "HEAD", Origin=None).text == ""
    for name, kind in (("page.css", "text/css"), ("page.js", "text/javascript")):
        assert ask(address, name, b"", "GET").headers["Content-Type"].startswith(kind)
    assert ask(address, "say", BODY).text == '{"said":1}'
    for name in ("items.csv", "../../etc/passwd", "static/x", "say"):
        assert ask(address, name, b"", "GET").status == 404
    assert ask(address, "page.js", BODY).status == 404


@pytest.mark.parametrize(
    ("status", "method", "headers"),
    [
        *((403, "POST", headers) for headers in (
            {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": None},
            {"Origin": "http://127.0.0.1:1"}, {"Host": "evil.example"}, {"Host": "127.0.0.1"},
            {"Host": None}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
        )),
        (403, "GET", {"Origin": None, "Sec_Fetch_Site": "cross-site"}),
        *((405, method, {}) for method in ("PUT", "DELETE", "OPTIONS", "PATCH")),
        (413, "POST", {"Transfer_Encoding": "chunked"}),
    ],
)  # fmt: skip
def test_strangers_are_refused_and_change_nothing(address, status, method, headers):
    answer = ask(address, "say", BODY, method, **headers)
    assert answer.status == status
    assert answer.headers["Access-Control-Allow-Origin"] is None
    assert SAID == []


def test_hosts_and_tokens_that_are_nearly_right(address):
    parts = urlsplit(address)
    token = parts.path.strip("/")
    for host in (f"{parts.netloc}.evil.example", f"evil.example:{parts.port}"):
        assert ask(address, "say", BODY, Host=host).status == 403
    assert ask(address, "say", BODY, Origin=f"http://localhost:{parts.port}").status == 403
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    for path in (f"/{wrong}/say", "/say", "//say", f"/{token}", "/", f"/x/{token}/say"):
        for answer in (ask(address, path, BODY), ask(address, path, b"", "GET")):
            assert (answer.status, "lacks its token" in answer.text) == (403, True)
    assert ask(address, "say", b"x" * (LARGEST_REQUEST + 1)).status == 413
    assert SAID == []


def test_what_the_page_cannot_mean_is_said(address, capsys):
    for body in (b"", b"{", b"[]", b"[" * 9_000, b'{"text": 5}', b"\xff", b'{"text": "\\ud800"}'):
        answer = ask(address, "say", body)
        assert (answer.status, "does not send such a request" in answer.text) == (422, True)
    answer = ask(address, "say", b'{"text": "refused"}')
    assert (answer.status, json.loads(answer.text)) == (422, {"error": "not this"})
    answer = ask(address, "say", b'{"text": "fault"}')
    assert (answer.status, "Traceback" in answer.text) == (500, False)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_page_of_another_origin_gets_nothing(address, browser):
    """In the same browser, and it even knows the token."""
    page = browser.new_page()
    with Served(app()) as other:
        page.goto(other.address.rsplit("/", 2)[0] + "/nothing")  # an origin without a policy
        expect(page.locator("body")).to_contain_text("The address lacks its token")
    page.set_content("<p>evil</p>")
    said = page.evaluate(
        """async (address) => {
          const found = [];
          for (const mode of ["cors", "no-cors"]) {
            try { found.push((await fetch(address + "say", { method: "POST", body: '{"text": "evil"}', mode })).type); }
            catch { found.push("failed"); }
          }
          return found;
        }""",
        address,
    )
    assert not {"basic", "cors"} & set(said)
    assert SAID == []
    page.close()


def test_what_was_asked_is_answered_before_the_end():
    answers = []
    with Served(app()) as page:
        slow = threading.Thread(
            target=lambda: answers.append(ask(page.address, "say", b'{"text": "slow"}').status)
        )
        slow.start()
        SLOW.wait(60)
    slow.join()
    assert answers == [200]
    assert not page.open
    with pytest.raises(ConnectionRefusedError):
        ask(page.address, "", b"", "GET")


def test_a_port_in_use(served):
    for port in (urlsplit(served.address).port, 99_999):
        with pytest.raises(EatlasError, match=f"port {port}, cannot be used"):
            Served(app(), port=port)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_page_in_the_background_of_a_shell_ends_on_signals(number):
    """There SIGINT is ignored by inheritance; what was set is set again behind it."""
    code = (
        "import signal\n"
        "from pydantic import BaseModel\n"
        "from eatlas_workbench.serving import App, Served\n"
        "from eatlas_workbench.cli.serving import serve\n"
        "serve(Served(App('explore', str, BaseModel, {}, str)), 'it ends')\n"
        "print(*map(signal.getsignal, (signal.SIGINT, signal.SIGTERM)))\n"
    )
    script = subprocess.Popen(
        ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-u", "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert re.match("page:  http://", script.stdout.readline())
    script.send_signal(number)
    said, _ = script.communicate(timeout=60)
    assert (script.returncode, said) == (0, f"{signal.SIG_IGN!s} {signal.SIG_DFL!s}\n")


@pytest.mark.slow
def test_ctrl_c_ends_a_command_and_a_script():
    command = Command("explore", "--tests", "weat-6")
    assert ask(command.address, "", b"", "GET").status == 200
    code, said = command.end(signal.SIGINT)
    assert (code, "Traceback" in said) == (0, False)
    assert "Ctrl-C ends it; it writes nothing but downloads" in said
    code = (
        "import eatlas\n"
        "page = eatlas.explore('weat-6')\n"
        "print(page.address, flush=True)\n"
        "page.wait()\n"
        "print('ended', flush=True)\n"
    )
    script = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert re.match(r"http://127.0.0.1:\d+/", script.stdout.readline())
    time.sleep(1)  # the page answers before the script has come to wait
    script.send_signal(signal.SIGINT)
    out, err = script.communicate(timeout=60)
    assert (script.returncode, out, err) == (0, "ended\n", "")
