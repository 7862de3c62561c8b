"""Tables for a manuscript: LaTeX, Markdown, HTML and CSV, in the manner of the papers' Table 1."""

from __future__ import annotations

from eatlas.present.tables.entry import FORMATS, report_table

__all__ = ["FORMATS", "report_table"]
