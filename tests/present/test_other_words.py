"""What reports and the page of findings print of the study of claims with other words."""

import re
from pathlib import Path

from tests.present.reading import Page
from tests.present.records import ml_eat

from eatlas.numbers import count, percent
from eatlas.present import report_html

ROOT = Path(__file__).parents[2]
SENTENCE = re.compile(
    r"In a study of ([\d,]+) tests of word lists, (\d+%) of supported claims with 8 words a list, "
    r"and (\d+%) with 16, kept their direction"
)


def test_a_report_has_the_figures_of_the_page():
    page = (ROOT / "docs" / "methods" / "findings.md").read_text(encoding="utf-8")
    section = page.split("## Do claims replicate with other words?")[1].split("\n## ")[0]
    answers = re.findall(r"^\| [\w ]+ \| \d+ \| ([\d,]+) \|", section, re.MULTILINE)
    tests = sum(int(n.replace(",", "")) for n in answers) // 3
    kept = re.findall(r"^\| supported \| \d+ \| [\d,]+ \| (\.\d\d) \|", section, re.MULTILINE)
    (said,) = SENTENCE.findall(Page(report_html([ml_eat()])).text)
    assert said == (count(tests), *(percent(float(share)) for share in kept))
    assert f"{count(tests)} tests" in section
