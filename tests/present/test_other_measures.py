"""Records of other packages have their row in the page, in tables and in notebooks."""

import re
from typing import Literal

from tests.present.records import head, weat

from eatlas.present import report_html, sentence
from eatlas.results import AssociationResult
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
    assert 'data-v="0.724"' in page
    shown = text(page)
    assert "MAC Finding" in shown
    assert "0.724 MAC = 0.724." in shown
    assert "Figures" in shown
    assert sentence(mac()) == "MAC = 0.724."
