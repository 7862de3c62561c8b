"""What results say to a reader: EAT-Maps, sentences, one self-contained page, and tables."""

from __future__ import annotations

from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.page import report_html, report_text, write_report
from eatlas.present.sentences import sentence
from eatlas.present.tables import report_table

__all__ = ["EATMap", "report_html", "report_table", "report_text", "sentence", "write_report"]
