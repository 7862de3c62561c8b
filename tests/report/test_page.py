import re
from pathlib import Path

import pytest
from tests.report.reading import Page, contrast, svg_root, variables
from tests.report.records import PATTERNS, head, ml_eat, p_values, sc_eat, weat

import eatlas
from eatlas.errors import CoverageError, ResultsError
from eatlas.report import report_html, sentence, write_report
from eatlas.results import AssociationResult, Failure, Results

NASTY = '"><script>alert(1)</script>&amp;\x1b[31m'
CSS = Path(eatlas.report.__file__).parent / "templates" / "report.css"


@pytest.fixture(scope="module")
def ten() -> Results:
    return eatlas.run()


def test_the_ten_tests_stand_in_a_small_page(ten):
    html = report_html(ten)
    page = Page(html)
    assert len(html.encode()) < 400_000
    headings = re.findall(r'<span class="id" dir="auto">(.*?)</span>', html)
    assert headings == [f"weat-{i}" for i in range(1, 11)]
    for result in ten:
        assert result.pattern.label in page.text
        assert " ".join(sentence(result).split()) in page.text


def test_every_link_leads_somewhere_on_the_page(ten):
    page = Page(report_html(Results(ten, [Failure("t", "s", "m", CoverageError("no"))])))
    ids = page.ids()
    assert len(ids) == len(set(ids))
    targets = [a["href"] for a in page.all("a")]
    assert len(targets) > 12
    for target in targets:
        assert target.startswith("#")
        assert target[1:] in ids
    labelled = [a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a]
    assert set(labelled) <= set(ids)


def test_the_page_needs_no_network_and_no_script(ten):
    html = report_html(ten)
    page = Page(html)
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not [a for _, a in page.tags if {"src", "style"} & set(a)]
    assert not [key for _, a in page.tags for key in a if key.startswith("on")]
    assert "url(" not in page.style
    assert "@import" not in page.style
    assert set(re.findall(r"https?://[^\s\"']+", html)) == {"http://www.w3.org/2000/svg"}
    policy = next(a for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_every_figure_is_well_formed_svg(ten):
    drawn = re.findall(r"<svg.*?</svg>", report_html([*ten, sc_eat({"a": 1.0}), weat()]), re.DOTALL)
    assert len(drawn) > 40
    for svg in drawn:
        assert svg_root(svg).get("aria-label")


def test_the_page_is_the_same_each_time(ten):
    assert report_html(ten) == report_html(list(ten))


def test_tables_have_headers_with_scope(ten):
    page = Page(report_html([*ten, sc_eat({"a": 1.0}), weat()]))
    assert all(a.get("scope") in {"col", "row", "colgroup"} for a in page.all("th"))
    assert len(page.all("h1")) == 1
    assert {"main", "header", "nav", "footer", "article", "aside"} <= {t for t, _ in page.tags}
    assert next(a for a in page.all("html"))["lang"] == "en"


@pytest.mark.parametrize("label", PATTERNS)
def test_each_pattern_can_be_shown(label):
    page = Page(report_html([ml_eat(label)]))
    assert page.text.count(f"{label} ") >= 3  # summary, legend, map


def test_the_summary_holds_three_levels_and_both_patterns():
    text = Page(report_html([ml_eat(two_sided_label="Non-Directional")])).text
    assert "test-1 Flowers / Insects Pleasant / Unpleasant 1.40 * .0078 0.90 * 0.10" in text
    assert "0.10 (0.05)" in text
    assert "AX-Singular two-sided: Non-Directional" in text
    assert "two-sided: same" in Page(report_html([ml_eat()])).text


def test_counts_beyond_two_to_the_53_stand_in_full():
    total = 9007199254740993 * 3
    values = ml_eat().to_dict()
    values["level1"]["p"] = p_values(9007199254740993, total)
    text = Page(report_html([type(ml_eat()).from_dict(values)])).text
    assert "9,007,199,254,740,993" in text
    assert "27,021,597,764,222,979" in text


def test_coverage_tells_used_missing_reason_and_spelling():
    group = {
        "used": ["Ebony", "Brad"],
        "missing": ["gladiola"],
        "found_as": {"Ebony": "ebony"},
        "reasons": {"gladiola": "not in some-vectors"},
    }
    coverage = head()["coverage"] | {"Y": group}
    text = Page(report_html([sc_eat({"one": 0.9}, coverage=coverage)])).text
    assert "2 of 3 Ebony as ebony , Brad gladiola (not in some-vectors)" in text
    assert "2 terms, 1 missing" in text


def test_provenance_and_warnings_are_written():
    text = Page(report_html([ml_eat(warnings=["Fewer than 8 usable terms."])])).text
    assert "Note. Fewer than 8 usable terms." in text
    for part in (
        "5" * 64,
        "7" * 64,
        "sha256:" + "f" * 64,
        "Someone (2001)",
        "version 1.2.3, seed 7",
    ):
        assert part in text


def test_the_caution_says_what_the_numbers_cannot():
    text = Page(report_html([])).text
    assert "Absence of evidence is not absence of bias." in text
    assert "Association is what is measured; bias is how it may be interpreted." in text
    assert "about 2\N{NO-BREAK SPACE}alpha of cases for each target" in "".join(
        Page(report_html([])).words
    )


def test_no_results():
    page = Page(report_html([]))
    assert "There are no results to show." in page.text
    assert "Not measured" not in page.text


def test_failures_are_listed_with_reason_and_remedy():
    error = CoverageError(
        "no term has a vector", got="missing: <b>", allowed="2", remedy="add terms"
    )
    page = Page(report_html(Results([], [Failure("weat-<3>", "vec.txt", "ML-EAT()", error)])))
    assert "There are no results to show: see below what could not be measured." in page.text
    assert "weat-<3> vec.txt ML-EAT() no term has a vector got missing: <b>" in page.text
    assert "allowed 2 remedy add terms" in page.text


def test_damage_is_listed():
    damage = [ResultsError("r.jsonl, line 4: this line is no result", got="half")]
    text = Page(report_html([ml_eat()], damage=damage)).text
    assert "r.jsonl, line 4: this line is no result got half" in text


def test_hostile_texts_stay_text():
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
    }
    results = [ml_eat(names=names, **hostile), weat(**hostile), sc_eat({NASTY: 1.0}, **hostile)]
    failure = Failure(NASTY, NASTY, NASTY, CoverageError(NASTY, got=NASTY, remedy=NASTY))
    html = report_html(Results(results, [failure]), damage=[ResultsError(NASTY)])
    page = Page(html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert "\x1b" not in html
    assert page.text.count("<script>alert(1)</script>") > 20


def test_long_right_to_left_and_emoji_names_stand_in_full():
    names = {"X": "name " * 60, "Y": "שמות של גברים", "A": "👩‍👩‍👧‍👦🇩🇪", "B": "长" * 300}
    page = Page(report_html([ml_eat(names=names, test="id-" * 40)]))
    for text in (*names.values(), "id-" * 40):
        assert " ".join(text.split()) in page.text
    assert any(a.get("dir") == "auto" for a in page.all("a"))


def test_undefined_levels_are_dashes_not_zeros():
    result = ml_eat("Non-Directional", d=None, undefined="XY")
    text = Page(report_html([result])).text
    assert "Pleasant / Unpleasant – 1 – –" in text
    assert "0.00 *" not in text


def test_one_mean_without_spread_is_shown():
    values = ml_eat().to_dict()
    values["level3"]["XA"] = {"mean": 0.5, "sd": None, "n": 1, "quantiles": [0.5] * 5}
    assert "0.50 (–)" in Page(report_html([type(ml_eat()).from_dict(values)])).text


def test_sc_eat_terms_are_sorted_and_undefined_ones_last():
    html = report_html([sc_eat({"low": -1.2, "none": None, "high": 1.9, "mid": 0.1})])
    assert re.findall(r'<th scope="row" dir="auto">(\w+)</th>', html) == [
        "high",
        "mid",
        "low",
        "none",
    ]
    assert html.count('class="figure bar"') == 3


def test_weat_has_no_map():
    page = Page(report_html([weat()]))
    assert "How to read an EAT-Map" not in page.text
    assert "Level 1: differential association" in page.text
    assert not [a for a in page.all("svg") if "eat-map" in a["class"]]


def test_a_record_of_another_package_is_shown_by_its_rows():
    class Other(AssociationResult):
        measure: str = "other"

    other = Other.from_dict(head(signature="OTHER()"))
    text = Page(report_html([other])).text
    assert "test-1 Flowers / Insects Pleasant / Unpleasant 12 terms." in text
    assert "test source measure signature X Y A B test-1 some-vectors other OTHER() Flowers" in text


def test_a_signature_that_cannot_be_read_costs_nothing():
    text = Page(report_html([weat(signature="not a signature (")])).text
    assert "* p < .05 in the direction of d" in text


def test_scores_that_do_not_match_the_terms_are_not_drawn():
    coverage = head()["coverage"] | {"X": {"used": ["only one"], "missing": []}}
    assert "Lean of each target term" not in Page(report_html([weat(coverage=coverage)])).text
    assert "Lean of each target term" in Page(report_html([weat()])).text


def test_several_sources_are_told_apart():
    text = Page(report_html([ml_eat(source="one.txt"), ml_eat(source="two.txt")])).text
    assert "Sources one.txt , two.txt" in text
    assert "Pleasant / Unpleasant two.txt" in text


def test_write_report_replaces_the_file_whole(tmp_path):
    path = tmp_path / "out" / "report.html"
    write_report([ml_eat()], path)
    assert path.read_text(encoding="utf-8") == report_html([ml_eat()])
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_write_report_says_where_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"report\.html: cannot be written\n  got: "):
        write_report([], tmp_path / "file" / "report.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme):
    css = CSS.read_text(encoding="utf-8")
    light, dark = css.split("@media screen and (prefers-color-scheme: dark)")
    colours = variables(light) | (variables(dark.split("* {")[0]) if scheme == "dark" else {})
    paper, ink = colours["paper"], colours["ink"]
    assert contrast(colours["on"], colours["off"]) >= 3.0
    assert contrast(colours["edge"], paper) >= 3.0
    for text, ground in (
        (ink, paper),
        (ink, colours["raised"]),
        (ink, colours["note"]),
        (ink, colours["off"]),
        (colours["muted"], paper),
        (colours["accent"], paper),
        (colours["on-text"], colours["on"]),
    ):
        assert contrast(text, ground) >= 4.5, (text, ground)


def test_several_signatures_of_one_measure_are_told_apart():

    measures = ["ml-eat", "ml-eat(alpha=0.01)"]
    page = report_html(eatlas.run(tests="weat-6", measures=measures))
    summary = page[page.index('id="summary"') : page.index('id="details-title"')]
    for measure in measures:
        assert eatlas.get_measure(measure).signature in summary
