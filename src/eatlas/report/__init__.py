"""What results say to a reader: EAT-Maps, sentences, one self-contained page, and tables."""

from __future__ import annotations

from eatlas.report.eat_map import EATMap
from eatlas.report.page import report_html
from eatlas.report.sentences import sentence
from eatlas.report.tables import report_table
from eatlas.report.writing import report_text, write_report

__all__ = ["EATMap", "report_html", "report_table", "report_text", "sentence", "write_report"]
