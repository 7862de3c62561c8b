"""Records of other packages have their row in the page, in tables and in notebooks."""

import csv
import io
import re
from typing import Literal

import pytest
from tests.present.records import head, weat

from eatlas.present import notebook
from eatlas.report import report_html, report_table, sentence
from eatlas.results import AssociationResult, Results
from eatlas.results.base import GroupsResult


class MAC(AssociationResult):
    """A number without a p-value."""

    measure: Literal["mac"] = "mac"
    value: float

    def rows(self):
        return [{**self.head(), "mac": self.value}]

    def summary(self):
        return f"MAC = {self.value:.3f}"


class Nearness(GroupsResult):
    """A number of a test of targets against groups."""

    measure: Literal["nearness"] = "nearness"
    nearest: float | None


def mac(value=0.724, **changes):
    return MAC.from_dict(head(measure="mac", signature="MAC(alpha=0.05)", value=value, **changes))


def nearness(nearest=0.3):
    given = head(measure="nearness", signature="NEARNESS()", nearest=nearest)
    used = given["coverage"]["X"]
    names = {"targets": "Jobs", "men": "Men", "women": "Women", "others": "Others"}
    given |= {"concepts": names, "coverage": dict.fromkeys(names, used)}
    given |= {"groups": list(names)[1:], "reference": [0.5, 0.25, 0.25]}
    return Nearness.from_dict(given)


def text(page):
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_a_number_has_its_column_in_the_summary_and_its_finding():
    page = report_html([mac(), weat()])
    assert 'class="summary mac"' in page
    assert 'data-v="0.724"' in page
    shown = text(page)
    assert "MAC Finding" in shown
    assert "0.72 MAC = 0.724." in shown
    assert "Figures" in shown
    assert sentence(mac()) == "MAC = 0.724."


def test_a_number_is_compared_over_sources_without_a_scale_of_effect_sizes():
    shown = text(report_html([mac(), mac(0.5, source="other")]))
    assert "MAC goes from 0.50 to 0.72." in shown
    assert "bootstrap interval of an effect size" not in shown
    assert "MAC and interval" not in shown


@pytest.mark.parametrize("form", ["markdown", "latex", "html-table"])
def test_tables_have_a_column_of_the_number(form):
    table = report_table([mac(), nearness(), weat()], form)
    for part in ("MAC", "0.72", "Nearest", "0.30", "Men / Women / Others", "Finding"):
        assert part in table


def test_csv_has_all_digits_and_no_adjusted_p():
    first, second = csv.DictReader(io.StringIO(report_table([mac(), weat()], "csv")))
    assert first["mac"] == "0.724"
    assert first["p_two_sided_holm"] == ""
    assert second["p_two_sided_holm"] != ""


def test_an_undefined_number_is_a_dash():
    assert "| – |" in report_table([nearness(None)], "markdown")


def test_notebooks_show_the_number_and_results_of_groups():
    assert "0.72" in notebook.html(mac())
    assert "Men</bdi> / <bdi>Women" in notebook.html(Results([nearness(), mac()]))
