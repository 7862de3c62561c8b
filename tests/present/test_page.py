import hashlib
import re
from base64 import b64decode, b64encode

import pytest
from tests.present.reading import Page, svg_root
from tests.present.records import full, head, ml_eat, sc_eat, weat

import eatlas
from eatlas.errors import CoverageError, ResultsError
from eatlas.present import report_html, write_report
from eatlas.present.findings import findings_of
from eatlas.results import AssociationResult, Failure, Results

NASTY = '"><script>alert(1)</script>&amp;\x1b[31m'


@pytest.fixture(scope="module")
def ten() -> Results:
    return eatlas.run(measures="ml-eat(resamples=200)")


def test_the_ten_tests_stand_in_a_small_page(ten):
    html = report_html(ten)
    page = Page(html)
    assert len(html.encode()) < 510_000
    headings = re.findall(r'<span class="id" dir="auto">(.*?)</span>', html)
    assert headings == [f"weat-{i}" for i in range(1, 11)]
    for result, finding in zip(ten, findings_of(ten), strict=True):
        assert result.test in page.ids()
        shown = re.sub(r"[\s●■]", "", page.text)
        sentences = (question.sentence for question in finding.questions.values())
        for part in (result.pattern.label, *sentences):
            assert re.sub(r"\s", "", part) in shown


def test_every_link_leads_somewhere_on_the_page(ten):
    page = Page(report_html(Results(ten, [Failure("t", "s", "m", CoverageError("no"))])))
    ids = page.ids()
    assert len(ids) == len(set(ids))
    targets = [a["href"] for tag in ("a", "use") for a in page.all(tag)]
    assert len(targets) > 12
    for target in targets:
        assert target.startswith("#")
        assert target[1:] in ids
    for name in ("aria-labelledby", "data-copy", "data-result"):
        assert {a[name] for _, a in page.tags if name in a} <= set(ids)


def test_the_page_needs_no_network_and_one_script(ten):
    html = report_html(ten)
    page = Page(html)
    assert not {"link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not [a for _, a in page.tags if {"src", "style"} & set(a)]
    assert not [key for _, a in page.tags for key in a if key.startswith("on")]
    assert "url(" not in page.style
    assert "@import" not in page.style
    assert set(re.findall(r"https?://[^\s\"']+", html)) == set()


def test_the_policy_lets_the_one_script_run_and_nothing_else():
    page = Page(report_html([ml_eat()]))
    (script,) = page.scripts
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_every_figure_is_well_formed_svg_with_words_or_beside_words(ten):
    drawn = re.findall(r"<svg.*?</svg>", report_html([*ten, sc_eat({"a": 1.0}), weat()]), re.DOTALL)
    assert len(drawn) > 40
    for svg in drawn:
        root = svg_root(svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
                        if "xmlns" not in svg else svg)  # fmt: skip
        assert root.get("aria-label") or root.get("aria-hidden") == "true"


def test_no_results():
    page = Page(report_html([]))
    assert "There are no results to show." in page.text
    assert "Not measured" not in page.text
    assert "For your paper" not in page.text


def test_failures_are_listed_with_reason_and_remedy():
    error = CoverageError(
        "no term has a vector", got="missing: <b>", allowed="2", remedy="add terms"
    )
    page = Page(report_html(Results([], [Failure("weat-<3>", "vec.txt", "ML-EAT()", error)])))
    assert "There are no results to show; what could not be measured is listed below." in page.text
    assert "weat-<3> vec.txt ML-EAT( ) no term has a vector got missing: <b>" in page.text
    assert "allowed 2 remedy add terms" in page.text


def test_damage_is_listed():
    damage = [ResultsError("r.jsonl, line 4: this line is not a result", got="half")]
    text = Page(report_html([ml_eat()], damage=damage)).text
    assert "1 line of the results could not be read." in text
    assert "r.jsonl, line 4: this line is not a result got half" in text


def nasty_results() -> list[AssociationResult]:
    names = dict.fromkeys("XYAB", NASTY)
    group = {
        "used": [NASTY, "a", "b"],
        "missing": [NASTY],
        "found_as": {"a": NASTY},
        "reasons": {NASTY: NASTY},
    }
    hostile = {
        "test": NASTY,
        "title": NASTY,
        "source": NASTY,
        "warnings": [NASTY],
        "coverage": dict.fromkeys("XYAB", group),
        "provenance": head()["provenance"] | {"version": NASTY, "citation": NASTY},
    }
    given = [full(names=names, **hostile), weat(**hostile), sc_eat({NASTY: 1.0}, **hostile)]
    return [*given, full(names=names, **hostile | {"source": "another"})]


def test_hostile_texts_stay_text():
    failure = Failure(NASTY, NASTY, NASTY, CoverageError(NASTY, got=NASTY, remedy=NASTY))
    html = report_html(Results(nasty_results(), [failure]), damage=[ResultsError(NASTY)])
    page = Page(html)
    assert len(page.scripts) == 1
    assert "alert(1)" not in page.scripts[0]
    assert "\x1b" not in html
    assert page.text.count("<script>alert(1)</script>") > 20


def test_a_record_of_another_package_is_shown_by_its_rows():
    class Other(AssociationResult):
        measure: str = "other"

    other = Other.from_dict(head(signature="OTHER()"))
    html = report_html([other])
    text = Page(html).text
    assert "no test · test-1 · Pleasant / Unpleasant" in text
    first = html[html.index('<section id="findings"') :].partition("</section>")[0]
    assert "these words" not in first
    assert "two-sided" not in first
    assert (
        "test source measure signature X Y A B read_over used missing test-1 some-vectors other OTHER() Flowers"
        in text
    )
    assert "We used OTHER." in text


@pytest.mark.slow
def test_of_many_results_the_details_are_packed():
    few, many = (
        report_html([full(test=f"test-{i}") for i in range(number)]) for number in (40, 41)
    )
    assert "100 of 12,870 permutations" in few
    assert 'class="pack"' not in few
    page = Page(many)
    assert len(page.scripts) == many.count('class="pack"') + 1 > 1  # and the script
    assert "100 of 12,870" not in page.text
    assert page.text.count("No significant association of ● Flowers with Pleasant") == 41
    for pack in page.scripts[:-1]:
        assert b64decode(pack, validate=True)


def test_write_report_replaces_the_file_whole(tmp_path):
    path = tmp_path / "out" / "report.html"
    write_report([ml_eat()], path)
    assert path.read_text(encoding="utf-8") == report_html([ml_eat()])
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
