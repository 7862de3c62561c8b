"""What results say to a reader: EAT-Maps, sentences, one self-contained page, and tables.

:mod:`sentences` and :mod:`summaries` say what was found, :mod:`columns` declares the columns of
tables and :mod:`tables` writes them, :mod:`report` makes the report of :mod:`sections` and
``templates``. :mod:`drawings` are the figures, as SVG.
"""

from __future__ import annotations

from eatlas.present.report import report_html, report_text, write_report
from eatlas.present.sentences import sentence
from eatlas.present.tables import report_table

__all__ = ["report_html", "report_table", "report_text", "sentence", "write_report"]
