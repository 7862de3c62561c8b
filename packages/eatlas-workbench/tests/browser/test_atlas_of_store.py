"""The atlas of a store in a browser: pages of sources, filters, sorting, cells, keyboard, axe."""

import shlex
import shutil

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import expect
from pyarrow import parquet
from tests.browsing import violations
from tests.present.browser.conftest import DESK, PHONE
from tests.present.test_page import NASTY

import eatlas
from eatlas_workbench import atlas

TESTS = ["weat-6", "weat-7", "weat-8"]
SOURCES = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
MEASURES = ["ml-eat(resamples=0,frequency=off)", "sc-eat"]
COPIES = 150
HOSTILE = f"{NASTY}' it"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of 300 sources, copies of two with other effect sizes, and one hostile name."""
    path = tmp_path_factory.mktemp("atlas") / "results.parquet"
    (part,) = eatlas.run(TESTS, SOURCES, MEASURES, store=path).parts
    table = parquet.read_table(part, partitioning=None)
    for number in range(COPIES):
        names = [f"{name} {number}" for name in table["source"].to_pylist()]
        if number == COPIES - 1:
            names = [HOSTILE if name.startswith("plain") else name for name in names]
        shifted = table["effect_size"].to_numpy() + np.random.default_rng(number).normal()
        copied = table
        for name, values in (("source", names), ("effect_size", shifted)):
            copied = copied.set_column(copied.column_names.index(name), name, pa.array(values))
        parquet.write_table(copied, path / f"part-001-{number:06d}-0000.parquet")
    return path


@pytest.fixture(scope="module")
def site(store):
    """Its atlas."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(atlas, "MOST_OF_STORE", 100)
        return eatlas.write_atlas(store, store.parent / "site").page


def column(page, number):
    """Numbers in a column of the table of sources."""
    texts = page.locator(f".grid tbody td:nth-child({number}) a span").all_text_contents()
    return [float(text.replace("−", "-")) for text in texts]


def test_pages_of_sources(site, open_page):
    page = open_page(site)
    expect(page.locator("#shown")).to_have_text("300 sources, 3 tests")
    expect(page.locator("#range")).to_have_text("Sources 1 to 200 of 300")
    assert page.locator(".grid tbody tr").count() == 200
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#range")).to_have_text("Sources 201 to 300 of 300")
    assert page.locator(".grid tbody tr").count() == 100
    expect(page.get_by_role("button", name="Next")).to_be_disabled()


def test_filters_and_sorting(site, store, open_page):
    page = open_page(site)
    shown = page.locator("#shown")
    page.get_by_label("Find sources").fill("CENTRED 14")
    expect(shown).to_have_text("12 of 300 sources, 3 tests")
    page.get_by_label("Find tests").fill("math")
    expect(shown).to_have_text("12 of 300 sources, 1 of 3 tests")
    sizes = column(page, 2)
    page.get_by_role("button", name="weat-7").click()
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")
    assert column(page, 2) == sorted(sizes, reverse=True) != sizes
    page.get_by_role("button", name="weat-7").click()
    assert column(page, 2) == sorted(sizes)
    page.get_by_role("button", name="Source").click()
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    names = page.locator(".grid tbody th span").all_text_contents()
    assert names == [f"centred {number}" for number in (14, 114, *range(140, 150))]
    page.get_by_label("Find sources").fill("")
    page.get_by_label("Find tests").fill("weat-7")
    page.locator("#verdict-filter").select_option(label="these word lists only")
    frame = eatlas.Results.scan(store).first_rows(["source", "test", "verdict", "measure"])
    fits = frame[(frame["verdict"] == "these words") & (frame["test"] == "weat-7")]
    assert 0 < len(fits) < 300
    expect(shown).to_have_text(f"{len(fits)} of 300 sources, 1 of 3 tests")
    page.get_by_label("Find tests").fill("")
    page.locator("#verdict-filter").select_option(label="all verdicts")
    page.locator("#measure-filter").select_option("1")
    assert set(page.locator(".grid td a span").all_text_contents()) == {"–"}


def test_a_cell_names_the_command_of_its_details_and_its_link_leads_back(
    site, store, open_page, eatlas_cli, tmp_path
):
    page = open_page(site)
    page.get_by_label("Find sources").fill("centred 7")
    page.locator(".grid td a[aria-label^='weat-7, centred 7:']").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Math / Arts; Male terms / Female terms; weat-7")
    frame = eatlas.Results.scan(store).first_rows(
        ["effect_size", "signature"], ["test=weat-7", "source=centred 7", "measure=ml-eat"]
    )
    assert f"d = {frame['effect_size'][0]:.2f}".replace("-", "−") in dialog.inner_text()
    command = page.locator("#cell-command").text_content()
    assert command == (
        "eatlas report results.parquet --where 'test=weat-7' --where 'source=centred 7' "
        f"--where 'signature={frame['signature'][0]}' -o report.html"
    )
    link = page.evaluate("location.hash")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_function("location.hash === ''")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "weat-7, centred 7:"
    )
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "weat-8, centred 7:"
    )
    again = open_page(site, at=link)
    expect(again.locator("#cell-source")).to_have_text("centred 7")
    # the command is one that works
    shutil.copytree(store, tmp_path / "results.parquet")
    arguments = shlex.split(command)[1:]
    ended = eatlas_cli(*arguments)
    assert (ended.code, ended.err) == (0, "")


def test_hostile_names_are_text(site, open_page):
    page = open_page(site)
    page.get_by_label("Find sources").fill("alert")
    expect(page.locator("#shown")).to_have_text("1 of 300 sources, 3 tests")
    expect(page.locator(".grid tbody th span")).to_have_text(HOSTILE)
    page.locator(".grid td a").first.click()
    expect(page.locator("#cell-source")).to_have_text(HOSTILE)
    command = page.locator("#cell-command").text_content()
    assert "source=" not in command, "control characters do not reach a terminal"
    assert page.locator("script:not([class])").count() == 1


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", PHONE)])
def test_axe_is_content_and_nothing_is_wider_than_the_screen(site, open_page, scheme, width):
    page = open_page(site, scheme=scheme, width=width)
    expect(page.locator("#range")).to_contain_text("Sources 1 to")

    def check():
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width

    check()
    page.locator(".grid td a").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check()
