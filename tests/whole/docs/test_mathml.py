"""Formulas become MathML that browsers lay out."""

import re
from pathlib import Path

import pytest
from tools.docs.mathml import on_page_content, to_mathml

DOCS = Path(__file__).parents[3] / "docs"


def formulas():
    for path in sorted(DOCS.rglob("*.md")):
        text = re.sub(
            r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for latex in re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL):
            yield pytest.param(latex, id=f"{path.stem}: {latex[:40]}")


@pytest.mark.parametrize("latex", list(formulas()))
def test_every_formula_of_the_pages(latex):
    mathml = to_mathml(latex, display=True)
    assert mathml.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">')
    assert "\\" not in mathml


def test_a_mark_becomes_mathml():
    page = '<p><span class="arithmatex">\\(a &lt; b\\)</span></p>'
    assert on_page_content(page) == (
        '<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>a</mi>'
        "<mo>&#x0003C;</mo><mi>b</mi></mrow></math></p>"
    )


@pytest.mark.parametrize(
    ("latex", "part"),
    [
        (r"a \pm b", "<mo>&#x000B1;</mo>"),
        (r"T \sim N", "<mo>&#x0223C;</mo>"),
        (r"\hat{\mu}", '<mo stretchy="false">&#x002C6;</mo></mover>'),
        ("F'", "<mo>&#x02032;</mo>"),
    ],
)
def test_what_the_converter_gets_wrong_is_mended(latex, part):
    assert part in to_mathml(latex, display=False)


def test_an_unknown_command_is_refused():
    with pytest.raises(ValueError, match=r"unknown commands: \\nosuch"):
        to_mathml(r"a \nosuch b", display=False)
