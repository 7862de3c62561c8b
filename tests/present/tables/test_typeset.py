"""Tables as pdfLaTeX sets them: between the margins of a page, whatever was measured."""

import re
import shutil
import subprocess

import pytest
from tests.present.kinds import KINDS, results_of
from tests.present.records import HOSTILE, full, sc_eat, weat

import eatlas
from eatlas.present import report_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs TeX"),
]

ARTICLE = (
    r"\documentclass{article}\usepackage[a4paper,margin=2.5cm]{geometry}\usepackage{%s}"
    "\n\\begin{document}\n%s\n\\end{document}\n"
)
"""Text of 455 by 702 points."""
LENGTHENED = 60
"""Times that a test is repeated, for a table that is longer than a page."""


def typeset(results, folder, columns=None):
    """What pdfLaTeX says of a table that is too wide or too tall, and the number of pages."""
    table = report_table(results, "latex", columns=columns)
    packages = re.search(r"usepackage\{(.*?)\}", table)[1]
    (folder / "table.tex").write_text(ARTICLE % (packages, table), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    for _ in range(2):  # longtable knows its widths in the second run
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        log = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, log[-2000:]
    wrong = re.findall(r"^Overfull .*|.*Float too large.*|.*undefined control.*", log, re.MULTILINE)
    return wrong, int(re.search(r"\((\d+) pages?", log)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_narrow_table_is_between_the_margins(kind, tmp_path):
    assert typeset(results_of(kind, tmp_path), tmp_path)[0] == []


LONG = dict.fromkeys("XYAB", "a b " * 30)


@pytest.mark.parametrize(
    "result",
    [weat(), full(names=LONG), sc_eat({"a": 1.0})],
    ids=["weat", "long", "sc-eat"],
)
@pytest.mark.parametrize("columns", ["narrow", "wide"])
def test_any_table_is_between_the_margins_and_goes_on_over_pages(result, columns, tmp_path):
    within_margins_over_pages(result, columns, tmp_path)


def within_margins_over_pages(result, columns, tmp_path):
    assert typeset([result], tmp_path, columns) == ([], 1)
    many = [result.model_copy(update={"test": f"test-{n}"}) for n in range(LENGTHENED)]
    wrong, pages = typeset(many, tmp_path, columns)
    assert wrong == []
    assert pages > 1


def test_the_three_levels_of_a_paper_are_between_the_margins_and_go_on_over_pages(tmp_path):
    result = full(names=LONG)
    assert typeset([result], tmp_path, "published") == ([], 1)
    many = [result.model_copy(update={"test": f"test-{n}"}) for n in range(LENGTHENED)]
    wrong, pages = typeset(many, tmp_path, "published")
    assert wrong == []
    assert pages > 1


def test_targets_by_source_are_between_the_margins(tmp_path):
    (result,) = eatlas.run(tests="divdist-race", measures="divdist(p=off)")
    sources = ("a", "a-source-of-a-long-name", "another one")
    results = [result.model_copy(update={"source": name}) for name in sources]
    wrong, pages = typeset(results, tmp_path, "published")
    assert wrong == []
    assert 4 <= pages <= 8


def test_the_ten_tests_of_the_paper_are_on_one_page_with_their_shades(tmp_path):
    assert typeset(eatlas.run(tests="caliskan"), tmp_path, "published") == ([], 1)


@pytest.mark.parametrize("columns", ["narrow", "wide", "published"])
def test_names_that_have_no_place_to_be_broken_still_compile(columns, tmp_path):
    assert typeset([full(names=HOSTILE, test="<b>&")], tmp_path, columns)[1] == 1


def test_targets_go_on_over_pages(tmp_path):
    wrong, pages = typeset(eatlas.run(tests="divdist-race", measures="divdist(p=off)"), tmp_path)
    assert wrong == []
    assert 4 <= pages <= 6
