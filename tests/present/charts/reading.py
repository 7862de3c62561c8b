"""What is written in a drawing."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

NAMESPACE = "{http://www.w3.org/2000/svg}"
_ISOLATES = dict.fromkeys(range(0x2066, 0x206A))


def parsed(svg: str) -> ET.Element:
    """The drawing's root; it must be well-formed."""
    return ET.fromstring(svg.encode())  # noqa: S314  (of our own making)


def texts(svg: str) -> list[str]:
    """All lines of text."""
    return [line for node in parsed(svg).iter(f"{NAMESPACE}text") for line in _lines(node)]


def _lines(node: ET.Element) -> list[str]:
    spans = [span.text or "" for span in node.iter(f"{NAMESPACE}tspan")]
    return spans or [node.text or ""]


def squeezed(*parts: str) -> str:
    """Texts without spaces and isolates, so that line breaks do not matter."""
    return "".join("".join(parts).translate(_ISOLATES).split())


def holds(svg: str, text: str) -> bool:
    """Whether a text stands in a drawing, on one line or broken into several."""
    return squeezed(text) in squeezed(*texts(svg))


def rows(chart: Any) -> list[dict[str, Any]]:
    """Rows of the data that a chart draws."""
    return [row for data in chart.to_dict()["datasets"].values() for row in data if row]


def layers(chart: Any) -> list[dict[str, Any]]:
    """Layers of a chart of one panel, or of its panels."""
    specification = chart.to_dict()
    found: list[dict[str, Any]] = specification.get("spec", specification)["layer"]
    return found
