"""The page in a real browser: labels are saved, people resume; the command, and Python."""

import json
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.annotation.conftest import HOSTILE
from tests.browsing import violations
from tests.served import ask

import eatlas
from eatlas.errors import EatlasError
from eatlas.numbers import interval
from eatlas.present.text import clean
from eatlas_workbench.annotation.items import journal_of

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


def given(sheet: Path) -> dict:
    return {name: dict(labels) for name, labels in eatlas.read_labels(sheet).given.items()}


def test_labels_are_saved_undone_and_skipped_and_a_reload_goes_on(address, open_page, sheet, items):
    page = open_page(address)
    assert page.evaluate("document.activeElement.id") == "name"
    begin(page, "Anna")
    order = [items.by_id[item] for item in items.order_of("Anna")]
    assert shown(page) == clean(order[0].text)
    for key, said in (("1", "Saved: Female"), ("2", "Saved: Male"), ("0", "Saved: None of them")):
        press(page, key, said)
    labels = ("Female", "Male", "none")
    assert given(sheet)["Anna"] == {order[i].id: label for i, label in enumerate(labels)}
    page.keyboard.press("Control+1")  # is the browser's
    page.reload()
    expect(page.locator("#count")).to_have_text("3 of 13 labelled")
    assert shown(page) == clean(order[3].text)
    press(page, "u", "Undone")
    expect(page.locator("#count")).to_have_text("2 of 13 labelled")
    assert shown(page) == clean(order[2].text)
    press(page, "s", "Skipped")
    for done in range(2, 12):
        expect(page.locator("#count")).to_have_text(f"{done} of 13 labelled, 1 skipped")
        page.keyboard.press("1")
    expect(page.get_by_role("heading", name="You have seen every context")).to_be_visible()
    page.get_by_role("button", name="Label skipped contexts").click()
    expect(page.locator("#context")).to_have_text(clean(order[2].text))
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="All contexts are labelled")).to_be_visible()
    assert len(given(sheet)["Anna"]) == 13
    page.get_by_role("button", name="Review labels").click()
    expect(page.locator("[aria-pressed=true]")).to_contain_text("Female")


def test_two_people_see_orders_of_their_own_and_hostile_text_is_text(
    address, open_page, sheet, items
):
    anna, eve = open_page(address), open_page(address)
    name = "<b>Eve</b> & co"
    begin(anna, "Anna")
    begin(eve, name)
    assert shown(anna) == clean(items.by_id[items.order_of("Anna")[0]].text)
    press(anna, "1", "Saved: Female")
    expect(eve.locator("#annotator")).to_have_text(name)
    order = [items.by_id[item].text for item in items.order_of(name)]
    for _ in range(order.index(HOSTILE)):
        before = shown(eve)
        eve.keyboard.press("ArrowRight")
        expect(eve.locator("#context")).not_to_have_text(before)
    assert shown(eve) == clean(HOSTILE)
    assert eve.locator("#context mark").inner_text() == "nurse"
    press(eve, "2", "Saved: Male")
    eve.get_by_role("button", name="Another person").click()
    expect(eve.locator(".people")).to_contain_text(name)
    assert eve.evaluate("[window.bad, document.querySelectorAll('img, b').length]") == [None, 0]
    assert {who: len(some) for who, some in given(sheet).items()} == {"Anna": 1, name: 1}


@pytest.mark.slow
def test_labels_outlive_a_kill_and_the_next_call_goes_on(
    serve, browser, open_page, sheet, tmp_path
):
    guide = tmp_path / "guide.txt"
    guide.write_text("Female: <i>she</i> is meant.")
    server = serve(sheet, "--guide", guide)
    page = browser.new_page()  # an answer that the kill cuts short is no fault of the page
    page.goto(server.address)
    expect(page.get_by_text("Female: <i>she</i> is meant.")).to_be_visible()
    begin(page, "Anna")
    press(page, "1", "Saved: Female")
    press(page, "2", "Saved: Male")  # another text, which is not there before it is saved
    with pytest.raises(EatlasError, match="another eatlas annotate serve is using this file"):
        eatlas.serve_items(sheet)
    assert server.end(signal.SIGKILL)[0] == -signal.SIGKILL
    journal = journal_of(sheet)
    journal.write_bytes(journal.read_bytes() + b'{"annotator": "Anna", "it')
    page.close()
    again = serve(sheet)
    page = browser.new_page()
    page.goto(again.address)
    page.get_by_role("button", name="Anna 2 of 13").click()
    expect(page.locator("#count")).to_have_text("2 of 13 labelled")
    press(page, "2", "Saved: Male")
    assert sorted(given(sheet)["Anna"].values()) == ["Female", "Male", "Male"]
    code, said = again.end()
    assert code == 0
    assert said.splitlines()[1:] == [
        "Anna: 3 of 13 labelled", f"labels: {journal}", f"read:   eatlas annotate read {sheet}",
    ]  # fmt: skip
    text = shown(page)
    page.keyboard.press("1")
    expect(page.get_by_role("alert")).to_contain_text("Not saved: the server has stopped.")
    assert shown(page) == text
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", PHONE)])
def test_axe_is_content_and_nothing_overflows(address, open_page, scheme, width):
    page = open_page(address, width, scheme)
    page.locator("details").evaluate("one => { one.open = true; }")

    def check() -> None:
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    check()
    begin(page, "Anna")
    check()
    reached = []
    for _ in range(6):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert reached == [
        "1 Female", "2 Male", "0 None of them", "B Unclear", "Forward →", "S Skip",
    ]  # fmt: skip
    for done in range(13):
        expect(page.locator("#count")).to_contain_text(f"{done} of 13")
        page.keyboard.press("1")
    expect(page.locator("#end")).to_be_visible()
    check()
    page.locator("#asked").evaluate("one => { one.open = true; }")
    check()


@pytest.mark.slow
def test_the_page_says_what_is_asked_and_at_the_end_what_follows(address, open_page, sheet, items):
    page = open_page(address)
    asked = page.locator("#asked")
    for text in (
        "A context is associated with a group if",
        "For example, with",
        "If you are unsure, do not guess",
    ):
        expect(asked.get_by_text(text)).to_be_visible()
    given = {item.id: "Female" if i % 2 else "Male" for i, item in enumerate(items)}
    begin(page, "Anna")
    expect(asked.get_by_text("If you are unsure, do not guess")).to_be_hidden()  # one click away
    keys = {"Female": "1", "Male": "2"}
    for n, item in enumerate(items.order_of("Anna")):
        expect(page.locator("#count")).to_contain_text(f"{n} of 13")
        page.keyboard.press("b" if n == 12 else keys[given[item]])
    expect(page.locator("#learnt")).to_contain_text("It took 1 minute without pauses")
    expect(page.locator("#learnt")).to_contain_text("let a second person label them")
    expect(page.locator("#end pre")).to_have_text("eatlas annotate read items.csv")
    labels = dict(eatlas.read_labels(sheet).given["Anna"])
    assert labels[items.order_of("Anna")[12]] == "unclear"
    other = open_page(address)
    begin(other, "Ben")
    for n, item in enumerate(items.order_of("Ben")):
        expect(other.locator("#count")).to_contain_text(f"{n} of 13")
        other.keyboard.press(keys[given[item]] if n else "1")
    agreed = eatlas.read_labels(sheet).agreement()
    said = other.locator("#learnt")
    text = f"alpha {agreed.alpha.value:.3f} {interval(agreed.alpha.interval, 3)}, on 12 contexts"
    expect(said).to_contain_text(text)
    expect(said).to_contain_text("12 contexts with two labels are too few to say")


def test_requests_that_no_page_makes_are_refused(address, sheet, items):
    item = items.rows[0].id
    for name, values in (
        ("begin", {"annotator": ""}), ("begin", {"annotator": "a\u0007b"}),
        ("begin", {"annotator": "x" * 61}), ("begin", {}),
        ("label", {"item": item, "choice": 4}), ("label", {"item": item, "choice": -1}),
        ("label", {"item": item, "choice": "Female"}), ("label", {"item": "../../x", "choice": 0}),
        ("label", {"item": ["x"], "choice": 0}), ("label", {"choice": 0}),
        ("show", {"at": 13}), ("show", {"at": True}),
    ):  # fmt: skip
        body = json.dumps({"annotator": "Eve"} | values if values else {}).encode()
        answer = ask(address, name, body)
        assert answer.status == 422, (values, answer.text)
        assert "error" in json.loads(answer.text)
    assert journal_of(sheet).read_text().count("\n") == 1


def test_the_page_from_python(sheet, items):
    with eatlas.serve_items(sheet, guide="Read twice.") as served:
        with pytest.raises(EatlasError, match="nothing has been labelled yet"):
            served.labels()
        assert "Read twice." in ask(served.address, "", b"", "GET").text
        body = {"annotator": "Anna", "item": items.rows[0].id, "choice": 1}
        assert ask(served.address, "label", json.dumps(body).encode()).status == 200
        assert served.done == {"Anna": 1}
        assert repr(served) == f"<LabelPage {served.address}: labelled by Anna 1>"
    assert served.journal.path == journal_of(sheet)
    assert repr(served) == "<LabelPage, closed: labelled by Anna 1>"
    assert (
        given(sheet)
        == {"Anna": dict(served.labels().given["Anna"])}
        == {"Anna": {items.rows[0].id: "Male"}}
    )
    with eatlas.serve_items(sheet) as again:  # the lock is free, and the work goes on
        assert again.done == {"Anna": 1}
