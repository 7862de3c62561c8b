"""Sentences, the page and tables under their public names."""

from __future__ import annotations

from eatlas.present import (
    report_html,
    report_table,
    report_text,
    sentence,
    write_report,
)

__all__ = ["report_html", "report_table", "report_text", "sentence", "write_report"]
