"""Tables as a Word document: what most people paste into a manuscript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.tables import column_widths, with_powers
from eatlas.present.text import clean

if TYPE_CHECKING:
    from eatlas.present.columns import Cell, Table

POINTS = 8
"""Size of letters in a table."""
LONGEST_LINE = 16.0
"""Ems of a line that is not broken."""
RULE = "4"
"""Width of a rule, in eighths of a point."""


def docx_bytes(tables: Iterable[Table]) -> bytes:
    """A Word document of tables, each with its caption above and its notes below.

    The same tables give the same bytes.

    Raises
    ------
    ResultsError
        If python-docx is not installed.
    """
    docx = _library()
    document = docx.Document()
    section = document.sections[0]
    section.orientation = docx.enum.section.WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = section.page_height, section.page_width
    room = section.page_width - section.left_margin - section.right_margin
    about = document.core_properties
    about.author, about.title = "eatlas", "Results of association tests"
    about.created = about.modified = datetime(2000, 1, 1)  # the same bytes at any time
    for number, table in enumerate(tables):
        if number:
            document.add_page_break()
        _write(docx, document, room, with_powers(table))
    content = BytesIO()
    document.save(content)
    return content.getvalue()


def _library() -> Any:
    """The package python-docx."""
    try:
        return import_module("docx")
    except ImportError as error:
        raise ResultsError(
            "tables of Word need the package python-docx",
            remedy="pip install 'eatlas[docx]', or use --format html-table and paste the page",
        ) from error


def _write(docx: Any, document: Any, room: int, table: Table) -> None:
    """Append a table with its caption and notes."""
    document.add_paragraph(
        clean(table.caption), style="Caption"
    ).paragraph_format.keep_with_next = True
    groups = table.groups()
    heads = 2 if any(name for name, _ in groups) else 1
    made = document.add_table(heads + len(table.rows), len(table.columns))
    made.autofit = False
    _set_widths(made, room, list(column_widths(table)))
    column = 0
    for name, width in groups if heads == 2 else ():
        first, last = made.cell(0, column), made.cell(0, column + width - 1)
        _fill(docx, first.merge(last), (name,), strong=True, align="CENTER")
        column += width
    for n, head in enumerate(table.columns):
        align = "RIGHT" if head.number else "LEFT"
        _fill(docx, made.cell(heads - 1, n), (head.title,), strong=True, align=align)
    for r, row in enumerate(table.rows, heads):
        _set(docx, made.rows[r]._tr.get_or_add_trPr(), "w:cantSplit")
        cells = made.rows[r].cells
        for cell, content, head in zip(cells, row, table.columns, strict=True):
            _fill_row(docx, cell, content, number=head.number)
    for r in range(heads):
        _set(docx, made.rows[r]._tr.get_or_add_trPr(), "w:tblHeader")
    _rule(docx, made.rows[0], "top")
    _rule(docx, made.rows[heads - 1], "bottom")
    _rule(docx, made.rows[-1], "bottom")
    for note in table.notes:
        run = document.add_paragraph().add_run(clean(note))
        run.font.size = docx.shared.Pt(POINTS)


def _fill_row(docx: Any, cell: Any, content: Cell, *, number: bool) -> None:
    """Write the lines of a cell, with the star of a significant number."""
    first, *others = content.lines
    lines = first + "*" * content.star, *others
    _fill(docx, cell, lines, strong=content.strong, align="RIGHT" if number else "LEFT")


def _fill(docx: Any, cell: Any, lines: Iterable[str], *, strong: bool, align: str) -> None:
    """Write lines into a cell; the first is bold if it is strong."""
    paragraph = cell.paragraphs[0]
    paragraph.alignment = getattr(docx.enum.text.WD_ALIGN_PARAGRAPH, align)
    paragraph.paragraph_format.space_after = docx.shared.Pt(2)
    for n, line in enumerate(lines):
        run = paragraph.add_run(clean(line))
        run.bold = strong and not n
        run.font.size = docx.shared.Pt(POINTS)
        if n:
            run._r.insert(0, docx.oxml.OxmlElement("w:br"))


def _set(docx: Any, properties: Any, name: str) -> None:
    """Switch a property of a row on: heads repeat on each page, rows are not split over two."""
    element = docx.oxml.OxmlElement(name)
    element.set(docx.oxml.ns.qn("w:val"), "true")
    properties.append(element)


def _set_widths(made: Any, room: int, ems: Sequence[float]) -> None:
    """Share the width of the text: each column as wide as its longest line, texts what is left."""
    shortest = min(LONGEST_LINE, max(ems))
    shares = [min(width, shortest) + 1 for width in ems]
    for n, share in enumerate(shares):
        width = int(room * share / sum(shares))
        made.columns[n].width = width
        for cell in made.columns[n].cells:
            cell.width = width


def _rule(docx: Any, row: Any, side: str) -> None:
    """Draw a rule above or below a row."""
    for cell in row.cells:
        properties = cell._tc.get_or_add_tcPr()
        borders = properties.find(docx.oxml.ns.qn("w:tcBorders"))
        if borders is None:
            borders = docx.oxml.OxmlElement("w:tcBorders")
            properties.append(borders)
        rule = docx.oxml.OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", RULE), ("color", "000000")):
            rule.set(docx.oxml.ns.qn(f"w:{name}"), value)
        borders.append(rule)
