"""Formulas as MathML, made when the site is built: no script and no other host at reading time.

`pymdownx.arithmatex` finds `$...$` and `$$...$$` in the pages; here its marks become MathML.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

MARK = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)

REPAIRS = {
    # signs that the converter takes for variables, so that browsers give them no room
    "<mi>&#x000B1;</mi>": "<mo>&#x000B1;</mo>",
    "<mi>&#x0007E;</mi>": "<mo>&#x0223C;</mo>",
    "<mi>&#x02032;</mi>": "<mo>&#x02032;</mo>",
    # accents that would stretch, or print twice
    "<mo>&#x0005E;</mo></mover>": '<mo stretchy="false">&#x002C6;</mo></mover>',
    '<mo stretchy="true">&#x000AF;</mo></mover>': '<mo stretchy="false">&#x000AF;</mo></mover>',
}


def to_mathml(latex: str, *, display: bool) -> str:
    """One formula as MathML.

    Raises
    ------
    ValueError
        If the formula holds a command that the converter does not know.
    """
    mathml = convert(latex, display="block" if display else "inline")
    for wrong, right in REPAIRS.items():
        mathml = mathml.replace(wrong, right)
    unknown = re.findall(r"\\[A-Za-z]+", mathml)
    if unknown:
        raise ValueError(f"the formula {latex!r} has unknown commands: {', '.join(unknown)}")
    return mathml


def _replaced(match: re.Match[str]) -> str:
    latex = html.unescape(match["latex"]).strip()
    display = match["tag"] == "div"
    mathml = to_mathml(latex, display=display)
    return f'<div class="formula" tabindex="0">{mathml}</div>' if display else mathml


def on_page_content(content: str, **_: Any) -> str:
    """MkDocs hands over the page's HTML."""
    return MARK.sub(_replaced, content)
