"""The page in a real browser: labels are saved, people resume, strangers are refused."""

import asyncio
import json
import signal
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page, expect
from tests.apps.annotation.conftest import HOSTILE
from tests.browsing import violations
from tests.served import ask

import eatlas
from eatlas.apps.annotation.journal import journal_of
from eatlas.apps.serving import SILENT_AT_ONCE
from eatlas.errors import EatlasError
from eatlas.present.text import clean

DESK, PHONE = 1280, 390


@pytest.fixture
def open_page(tabs):
    """Open a page as a person would; it may ask for nothing of another address."""

    def opened(address, width=DESK, scheme="light") -> Page:
        within = lambda url: url.startswith(address)  # noqa: E731
        return tabs.open(address, width=width, scheme=scheme, allowed=within)

    return opened


def begin(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#work")).to_be_visible()


def press(page: Page, key: str, said: str) -> None:
    page.keyboard.press(key)
    expect(page.locator("#status")).to_have_text(said)


def shown(page: Page) -> str:
    return page.locator("#context").inner_text()


def label_all(page: Page, n: int, key: str = "1") -> None:
    for done in range(n):
        expect(page.locator("#count")).to_contain_text(f"{done} of {n}")
        page.keyboard.press(key)
    expect(page.locator("#end")).to_be_visible()


def given(sheet: Path) -> dict:
    return {name: dict(labels) for name, labels in eatlas.read_labels(sheet).given.items()}


def test_labels_are_saved_one_by_one_and_a_reload_goes_on(address, open_page, sheet, items):
    page = open_page(address)
    begin(page, "Anna")
    first = shown(page)
    assert first == clean(items.order_of("Anna")[0].text)
    press(page, "1", "Saved: Female")
    assert given(sheet) == {"Anna": {items.order_of("Anna")[0].id: "Female"}}
    press(page, "2", "Saved: Male")
    press(page, "0", "Saved: None of them")
    fourth = shown(page)
    page.reload()
    expect(page.locator("#count")).to_have_text("3 of 13 labelled")
    assert shown(page) == fourth
    order = [one.id for one in items.order_of("Anna")]
    assert given(sheet)["Anna"] == dict(zip(order[:3], ("Female", "Male", "none"), strict=True))


def test_two_people_at_once_see_orders_and_labels_of_their_own(address, open_page, sheet, items):
    anna, ben = open_page(address), open_page(address)
    begin(anna, "Anna")
    begin(ben, "Ben")
    assert [shown(anna), shown(ben)] == [
        clean(items.order_of(name)[0].text) for name in ("Anna", "Ben")
    ]
    press(anna, "1", "Saved: Female")
    press(ben, "2", "Saved: Male")
    press(anna, "1", "Saved: Female")
    expect(ben.locator("#count")).to_have_text("1 of 13 labelled")
    ben.keyboard.press("ArrowLeft")
    expect(ben.locator("[aria-pressed=true]")).to_contain_text("Male")
    assert {name: len(some) for name, some in given(sheet).items()} == {"Anna": 2, "Ben": 1}


def test_undo_takes_back_the_last_also_after_a_reload(address, open_page, sheet, items):
    page = open_page(address)
    begin(page, "Anna")
    texts = []
    for key, said in (("1", "Saved: Female"), ("2", "Saved: Male")):
        texts.append(shown(page))
        press(page, key, said)
    page.reload()
    expect(page.locator("#count")).to_have_text("2 of 13 labelled")
    press(page, "u", "Undone")
    assert shown(page) == texts[1]
    expect(page.locator("#count")).to_have_text("1 of 13 labelled")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#count")).to_have_text("0 of 13 labelled")
    assert shown(page) == texts[0]
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    press(page, "2", "Saved: Male")
    assert given(sheet) == {"Anna": {items.order_of("Anna")[0].id: "Male"}}


def test_what_was_skipped_comes_again_at_the_end(address, open_page, sheet):
    page = open_page(address)
    begin(page, "Anna")
    passed = shown(page)
    press(page, "s", "Skipped")
    for done in range(12):
        expect(page.locator("#count")).to_have_text(f"{done} of 13 labelled, 1 skipped")
        page.keyboard.press("1")
    expect(page.get_by_role("heading", name="You have seen every context")).to_be_visible()
    page.get_by_role("button", name="Go through the skipped").click()
    expect(page.locator("#context")).to_have_text(passed)
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="All contexts are labelled")).to_be_visible()
    assert len(given(sheet)["Anna"]) == 13
    page.get_by_role("button", name="Look through the labels").click()
    expect(page.locator("[aria-pressed=true]")).to_contain_text("Male")


def test_hostile_text_is_text(address, open_page, sheet, items):
    page = open_page(address)
    begin(page, "<b>Anna</b> & co")
    expect(page.locator("#annotator")).to_have_text("<b>Anna</b> & co")
    order = [one.text for one in items.order_of("<b>Anna</b> & co")]
    for _ in range(order.index(HOSTILE)):
        before = shown(page)
        page.keyboard.press("ArrowRight")
        expect(page.locator("#context")).not_to_have_text(before)
    assert shown(page) == clean(HOSTILE)
    assert page.locator("#context mark").inner_text() == "nurse"
    press(page, "1", "Saved: Female")
    page.get_by_role("button", name="Another person").click()
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator(".people")).to_contain_text("<b>Anna</b> & co")
    assert page.evaluate("[window.bad, document.querySelectorAll('img, b').length]") == [None, 0]


def test_labels_outlive_a_kill_and_the_next_call_goes_on(serve, browser, open_page, sheet):
    server = serve(sheet)
    page = browser.new_page()  # an answer that the kill cuts short is no fault of the page
    page.goto(server.address)
    begin(page, "Anna")
    press(page, "1", "Saved: Female")
    press(page, "2", "Saved: Male")  # another text, which is not there before it is saved
    assert server.end(signal.SIGKILL)[0] == -signal.SIGKILL
    journal = journal_of(sheet)
    journal.write_bytes(journal.read_bytes() + b'{"annotator": "Anna", "it')
    page.close()
    again = open_page(serve(sheet).address)
    again.get_by_role("button", name="Anna 2 of 13").click()
    expect(again.locator("#count")).to_have_text("2 of 13 labelled")
    press(again, "2", "Saved: Male")
    assert sorted(given(sheet)["Anna"].values()) == ["Female", "Male", "Male"]


def test_a_server_that_has_ended_is_said(serve, browser, sheet):
    server = serve(sheet)
    page = browser.new_page()
    page.goto(server.address)
    begin(page, "Anna")
    press(page, "1", "Saved: Female")
    code, said = server.end()
    assert code == 0
    assert said.splitlines()[1:] == [
        "Anna: 1 of 13 labelled", f"labels: {journal_of(sheet)}",
        f"read:   eatlas annotate read {sheet}",
    ]  # fmt: skip
    text = shown(page)
    page.keyboard.press("1")
    expect(page.get_by_role("alert")).to_contain_text("Not saved: the server has ended.")
    assert shown(page) == text
    page.close()


def test_the_guide_is_shown_as_text(serve, open_page, sheet, tmp_path):
    guide = tmp_path / "guide.txt"
    guide.write_text("Female: <i>she</i> is meant.\n\nnone: nobody of either group.")
    page = open_page(serve(sheet, "--guide", guide).address)
    expect(page.get_by_text("Female: <i>she</i> is meant.")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_axe_is_content_and_nothing_overflows(address, open_page, sheet, scheme, width):
    page = open_page(address, width, scheme)
    page.locator("details").evaluate("one => { one.open = true; }")

    def check() -> None:
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    check()
    begin(page, "Anna")
    check()
    label_all(page, 13)
    check()


def test_the_keyboard_reaches_everything(address, open_page, sheet):
    page = open_page(address)
    assert page.evaluate("document.activeElement.id") == "name"
    begin(page, "Anna")
    assert page.evaluate("document.activeElement.id") == "context"
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert reached == ["1 Female", "2 Male", "0 None of them", "Forward →", "S Skip", "Keys"]
    page.keyboard.press("Control+1")
    expect(page.locator("#count")).to_have_text("0 of 13 labelled")


def asked(address, name="begin", body=b'{"annotator": "Eve"}', method="POST", **headers):
    """Status and text of an answer, which lets no other page read it."""
    answer = ask(address, name, body, method, **headers)
    if headers.get("Host", "") is not None:  # else the parser of HTTP answers
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert answer.headers["Access-Control-Allow-Origin"] is None
    return answer.status, answer.text


def test_strangers_are_refused_and_change_nothing(address, sheet, items):
    assert asked(address)[0] == 200
    parts = urlsplit(address)
    port, token = parts.port, parts.path.strip("/")
    label = json.dumps({"annotator": "Eve", "item": items.rows[0].id, "choice": 0}).encode()
    for headers in (
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": None},
        {"Origin": f"http://127.0.0.1:{port + 1}"}, {"Origin": f"http://localhost:{port}"},
        {"Host": "evil.example"}, {"Host": f"evil.example:{port}"}, {"Host": "127.0.0.1"},
        {"Host": f"127.0.0.1:{port}.evil.example"},
        {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
    ):  # fmt: skip
        status, text = asked(address, "label", label, **headers)
        assert status == 403, (headers, status, text)
    # the parser of HTTP answers before it reads a body
    assert asked(address, "label", b"", Host=None)[0] == 400
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    for path in (
        f"/{wrong}/label",
        "/label",
        "//label",
        f"/{token}",
        "/",
        f"/x/{token}/label",
    ):
        assert asked(address, path, label)[0] == 403
        assert asked(address, path, b"", "GET")[0] == 403
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert asked(address, "label", label, method)[0] == 405
    assert asked(address, "page.js", b"", "GET", Origin=None)[0] == 200
    assert asked(address, "page.js", b"", "GET", Origin=None, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(address, "label", b"x" * 20_000)[0] == 413
    assert journal_of(sheet).read_text().count("\n") == 1  # the first line alone


def test_a_stranger_whose_body_never_comes_is_answered(address):
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as stranger:
        stranger.sendall(
            f"POST {parts.path}label HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            "Origin: http://evil.example\r\nContent-Length: 100\r\n\r\n".encode()
        )
        assert stranger.recv(99).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("begin", [b"", b"GET /"])
def test_connections_that_ask_nothing_shut_nobody_out(address, begin):
    parts = urlsplit(address)
    with ExitStack() as stack:
        for _ in range(2 * SILENT_AT_ONCE):
            stranger = socket.create_connection((parts.hostname, parts.port), timeout=60)
            stack.enter_context(stranger)
            with suppress(OSError):  # it was closed already
                stranger.sendall(begin)
        assert ask(address, "", b"", "GET", Origin=None).status == 200
        assert asked(address)[0] == 200


def test_requests_that_no_page_makes_are_refused(address, sheet, items):
    item = items.rows[0].id
    for name, body in (
        ("begin", b"{"), ("begin", b"[]"), ("begin", b'{"annotator": 5}'), ("begin", b"[" * 9_000),
        ("begin", b'{"annotator": ""}'), ("begin", b'{"annotator": "a\\u0007b"}'),
        ("begin", json.dumps({"annotator": "x" * 61}).encode()),
        ("label", json.dumps({"annotator": "Eve", "item": item, "choice": 3}).encode()),
        ("label", json.dumps({"annotator": "Eve", "item": item, "choice": -1}).encode()),
        ("label", json.dumps({"annotator": "Eve", "item": item, "choice": "Female"}).encode()),
        ("label", json.dumps({"annotator": "Eve", "item": "../../x", "choice": 0}).encode()),
        ("label", json.dumps({"annotator": "Eve", "item": ["x"], "choice": 0}).encode()),
        ("show", json.dumps({"annotator": "Eve", "at": 13}).encode()),
        ("show", json.dumps({"annotator": "Eve", "at": True}).encode()),
    ):  # fmt: skip
        status, text = asked(address, name, body)
        assert status == 422, (body, text)
        assert "error" in json.loads(text)
    assert asked(address, "items.csv", b"", "GET")[0] == 404
    assert asked(address, "../../etc/passwd", b"", "GET")[0] == 404
    assert journal_of(sheet).read_text().count("\n") == 1


def test_another_origin_in_the_browser_is_refused(address, browser, sheet, items):
    """A page of another site, in the same browser, that even knows the token."""
    page = browser.new_page()
    with eatlas.serve_items(sheet, sheet.with_name("other.jsonl")) as other:
        page.goto(urljoin(other.address, "/nothing"))  # an origin of its own, without a policy
    page.set_content("<p>evil</p>")
    body = json.dumps({"annotator": "Eve", "item": items.rows[0].id, "choice": 0})
    said = page.evaluate(
        """async ([address, body]) => {
          const tries = [{method: "POST", body}, {method: "POST", body, mode: "no-cors"}];
          const found = [];
          for (const one of tries) {
            try { found.push((await fetch(address + "label", one)).type); } catch { found.push("failed"); }
          }
          return found;
        }""",
        [address, body],
    )
    assert "basic" not in said
    assert journal_of(sheet).read_text().count("\n") == 1
    page.close()


def test_a_second_server_of_the_same_labels_is_refused(serve, sheet):
    serve(sheet)
    with pytest.raises(AssertionError, match="another eatlas annotate serve has it open"):
        serve(sheet)


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_second_server_of_the_same_labels_by_a_link_is_refused(sheet, link):
    other = sheet.with_name("other.jsonl")
    with eatlas.serve_items(sheet) as page:
        getattr(other, link)(page.path)
        with pytest.raises(EatlasError, match="has it open|has a second name"):
            eatlas.serve_items(sheet, other)


def test_no_other_address_than_the_loopback(serve, sheet):
    with pytest.raises(AssertionError, match=r"for this machine alone\n  got: 0.0.0.0"):
        serve(sheet, "--host", "0.0.0.0")  # noqa: S104
    server = serve(sheet)
    with pytest.raises(AssertionError, match="cannot be used"):
        serve(sheet, "--labels", sheet.with_name("b.jsonl"), "--port", server.port)


def test_the_page_from_python_runs_beside_the_caller(open_page, sheet, items):
    """As in a notebook, where an event loop runs already: here it is playwright's."""
    assert asyncio.get_running_loop().is_running()
    with eatlas.serve_items(sheet, guide="Read twice.") as served:
        with pytest.raises(EatlasError, match="there are no labels yet"):
            served.labels()
        with pytest.raises(EatlasError, match="another eatlas annotate serve has it open"):
            eatlas.serve_items(sheet)
        page = open_page(served.address)
        expect(page.get_by_text("Read twice.")).to_be_visible()
        begin(page, "Anna")
        label_all(page, len(items))
        assert served.done == {"Anna": len(items)}
        assert len(served.labels().given["Anna"]) == len(items)
        assert repr(served) == f"<LabelPage {served.address}: labelled by Anna {len(items)}>"
    assert served.path == journal_of(sheet)
    assert repr(served) == f"<LabelPage, closed: labelled by Anna {len(items)}>"
    assert given(sheet) == {"Anna": dict(served.labels().given["Anna"])}
    with eatlas.serve_items(sheet) as again:  # the lock is free, and the work goes on
        assert again.done == {"Anna": len(items)}


def test_the_page_from_python_refuses(sheet, items, tmp_path):
    with pytest.raises(EatlasError, match="there is no file for the labels"):
        eatlas.serve_items(items)
    with pytest.raises(EatlasError, match="a page is for this machine alone"):
        eatlas.serve_items(items, tmp_path / "mine.jsonl", host="0.0.0.0")  # noqa: S104
    with eatlas.serve_items(items, tmp_path / "mine.jsonl") as served:  # it was not left locked
        port = int(served.address.split(":")[2].split("/")[0])
        with pytest.raises(EatlasError, match=f"port {port}, cannot be"):
            eatlas.serve_items(items, tmp_path / "other.jsonl", port=port)
