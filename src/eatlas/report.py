"""EAT-Maps, sentences, the page and tables under their public names."""

from __future__ import annotations

from eatlas.present import (
    EATMap,
    report_html,
    report_table,
    report_text,
    sentence,
    write_report,
)

__all__ = ["EATMap", "report_html", "report_table", "report_text", "sentence", "write_report"]
