"""What results say to a reader: EAT-Maps, sentences, and one self-contained HTML page."""

from __future__ import annotations

from eatlas.report.eat_map import EATMap
from eatlas.report.page import report_html, write_report
from eatlas.report.sentences import sentence

__all__ = ["EATMap", "report_html", "sentence", "write_report"]
