"""The page of a study: what it says follows from the record, is escaped, and is bounded."""

import itertools
import random
import re
from xml.etree import ElementTree as ET

import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas_workbench.studies.analysis import analyse
from eatlas_workbench.studies.drawing import (
    MOST,
    MOST_ROWS,
    specification_curve,
    thin_specifications,
)
from eatlas_workbench.studies.record import Specification, StudyRecord
from eatlas_workbench.studies.study import MOST_ROWS as TABLE_ROWS
from eatlas_workbench.studies.study import share, study_html

PLAN = {
    "study": {"title": "Career", "question": "Does it depend on how?"},
    "tests": {"career": {"names": "c6-name", "terms": "c6-term"}, "w7": "weat-7", "w8": "weat-8"},
    "choices": {"transform": ["none", "center"], "ddof": [1, 0]},
    "family": {"over": ["test"]},
}
HOSTILE = "<script>alert(1)</script>&\"'"


def text_of(html):
    return " ".join(
        re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(style|script)>.*?</\1>", "", html)).split()
    )


def spec(number, choices, d, **more):
    values = {
        "test": choices["test"], "source": "s", "signature": "W", "metric": "cosine",
        "line": number, "status": "done", "p": 0.2,
        "two_sided": 0.4, "significant": abs(d or 0) > 0.5,
    }  # fmt: skip
    return Specification(number=number, choices=choices, d=d, **(values | more))


def made(choices, *, seed=1, **more):
    """A study of every combination of the choices, with effect sizes at random."""
    rng = random.Random(seed)
    found = [
        spec(n, dict(zip(choices, combination, strict=True)), rng.gauss(0.4, 0.5), **more)
        for n, combination in enumerate(itertools.product(*choices.values()), start=1)
    ]
    return record(choices, found)


def record(choices, found, **more):
    return StudyRecord(
        version="1", plan_sha256="ab" * 32, choices=choices, alpha=0.05,
        specifications=tuple(found), **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def study():
    return eatlas.multiverse(PLAN)


def titled(study):
    html = study_html(study, analyse(study), [0])
    return " ".join(re.search(r"(?s)<h1[^>]*>(.*?)</h1>", html)[1].split())


def test_the_title_answers_the_question():
    choices = {"test": ("career",), "stimuli": ("names", "terms")}
    sizes = {"names": (1.5, 1.7), "terms": (0.1, 0.3)}

    def told(*alternatives):
        rows = [
            spec(n, {"test": "career", "stimuli": words}, d)
            for n, (words, d) in enumerate(
                [(words, d) for words in alternatives for d in sizes[words]], start=1
            )
        ]
        return titled(record(choices, rows))

    assert told("names", "terms") == (
        "2 of 4 specifications are significant: 2 of 2 with names (d 1.50 to 1.70), "
        "0 of 2 with terms (d 0.10 to 0.30)"
    )
    assert told("names") == "All 2 specifications are significant (d 1.50 to 1.70)"
    assert told("terms") == "None of 2 specifications are significant (d 0.10 to 0.30)"


def test_the_findings_come_first_and_follow_from_the_record(study):
    html = study_html(study.record, study.analysis(), [0])
    said = text_of(html)
    effects = sorted(one.d for one in study.record.specifications)
    significant = sum(one.significant for one in study.record.specifications)
    assert len(effects) == 16
    assert (
        f"16 specifications have an effect size d: median {(effects[7] + effects[8]) / 2:.2f}, "
        f"from {effects[0]:.2f} to {effects[-1]:.2f}." in said
    )
    part = f"{100 * significant / 16:.0f}% of the specifications with a p-value are significant"
    assert f"{part} ({significant} of 16)" in said
    top = max(study.analysis().shares, key=lambda one: one.shapley)
    assert f"{top.choice} matters most: it explains {share(top.shapley)}" in said
    assert "These percentages hold only for this set of alternatives." in said
    assert "decides more is open" not in said
    assert said.index("matters most") < said.index("Each column is one specification")
    for heading in ("Findings", "Specification curve", "Which choices matter", "Data"):
        assert f">{heading}</h2>" in html
    for folded in (
        "Stability of the EAT patterns", "Contrasts", "Correlations of methods", "Specifications",
        "Provenance",
    ):  # fmt: skip
        assert f"<summary>{folded}</summary>" in html
    assert study.record.plan_sha256 in html
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert "Failed and skipped" not in said


def test_the_curve_has_a_mark_for_each_specification_and_each_choice(study):
    choices = {name: study.record.choices[name] for name in study.record.varying}
    svg = ET.fromstring(specification_curve(study.record.measured, choices))  # noqa: S314  (ours)
    marks = [one for one in svg.iter() if one.get("class", "").startswith("study-mark")]
    assert len(marks) == 16
    filled = [one for one in marks if one.get("class") == "study-mark on"]
    assert len(filled) == sum(one.significant for one in study.record.measured)
    ticks = [one.get("d") for one in svg.iter() if one.get("class", "").startswith("study-tick")]
    taken = sum(bool(one.choices[name]) for one in study.record.measured for name in choices)
    assert sum(d.count("M") for d in ticks) == taken + 16  # a pattern each
    heights = [float(re.match(r"M\S+ (\S+?)a", one.get("d"))[1]) for one in marks]
    assert heights == sorted(heights, reverse=True)


def test_names_are_escaped_everywhere():
    choices = {"test": tuple(f"{HOSTILE}{n}" for n in range(4)), "way": (HOSTILE, "b\u202eb")}
    study = made(choices, pattern="A-Uniform")
    lost = [
        spec(9, study.specifications[0].choices, None, status=status, reason=HOSTILE, line=None)
        for status in ("failed", "skipped")
    ]
    study = record(
        choices, [*study.specifications, *lost], title=HOSTILE, question=HOSTILE, notes=(HOSTILE,)
    )
    html = study_html(study, analyse(study))
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert html.count("<script>") == 1
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 20
    assert "Failed and skipped" in html


def test_a_thousand_specifications_are_less_than_a_megabyte():
    choices = {
        "test": tuple(f"test {n}" for n in range(50)), "transform": tuple("abcde"),
        "ddof": ("1", "0"), "tail": ("one", "two"),
    }  # fmt: skip
    study = made(choices, low=-1.0, high=1.0, pattern="A-Uniform")
    assert len(study.specifications) == 1000
    html = study_html(study, analyse(study))
    assert len(html.encode()) < 1_000_000
    assert f"The {TABLE_ROWS // 2} least and the {TABLE_ROWS // 2} greatest of 1,000" in html
    assert f"{50 - MOST_ROWS + 1} others" in html
    assert "evenly spaced in this order" not in html


def test_of_more_specifications_some_are_drawn_and_that_is_said():
    choices = {"test": tuple(f"{n}" for n in range(600)), "ddof": ("1", "0"), "tail": ("a", "b")}
    study = made(choices)
    drawn = thin_specifications(study.measured)
    d = sorted(one.d for one in study.measured)
    assert len(drawn) == MOST
    assert (drawn[0].d, drawn[-1].d) == (d[0], d[-1])
    assert [one.d for one in drawn] == sorted({one.d for one in drawn})
    html = study_html(study, analyse(study))
    assert "The drawing has 1,000 of 2,400 specifications" in html
    assert len(html.encode()) < 1_500_000


def test_without_effect_sizes_it_says_so():
    study = record({"test": ("t",)}, [spec(1, {"test": "t"}, None, significant=None, p=None)])
    said = text_of(study_html(study, analyse(study)))
    assert "No specification has an effect size d, so there is no specification curve." in said
    assert "matters most" not in said
    assert "Percentages of the variance are undefined:" in said
    assert "correlations need at least three tests" in said


def test_save_and_the_folder_write_the_same_page(study, tmp_path):
    study.save(tmp_path / "report.html")
    again = eatlas.multiverse(PLAN, out=tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_bytes()
    assert (tmp_path / "report.html").read_bytes() == page
    assert again.record == study.record
    with pytest.raises(ResultsError, match="cannot be written"):
        study.save(tmp_path / "out" / "report.html" / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.html").write_text("mine")
    with pytest.raises(eatlas.EatlasError, match="this folder holds other files of these names"):
        eatlas.multiverse(PLAN, out=tmp_path / "other")
    assert (tmp_path / "other" / "report.html").read_text() == "mine"


def test_a_study_is_drawn_as_its_specification_curve():
    study = eatlas.multiverse({"tests": ["weat-6"], "measures": ["weat", "weat(ddof=0)"]})
    plot = eatlas.plot(study)
    assert plot.title == titled(study.record)
    assert plot.title.startswith("All 2 specifications are significant (d ")
    assert "Lines: 95% intervals. " in plot.description
    with pytest.raises(ResultsError, match="there is no report of this"):
        eatlas.write_report(study.record, "report.html")
