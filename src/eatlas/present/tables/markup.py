"""Tables as LaTeX, Markdown and HTML, whatever the names in them hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from eatlas.present.rendering import render
from eatlas.present.tables.content import Cell, Column, Table

PREAMBLE = r"""% Needs \usepackage{booktabs,array} in the preamble.
% Letters that pdfLaTeX may not know: other engines set them, pdfLaTeX writes their number.
\providecommand{\eatlasletter}[2]{\ifx\Umathchar\undefined[U+#1]\else#2\fi}
"""
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
    "`": r"{\char96}",
    # what LaTeX takes for an option or a star where it begins a row
    "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{MINUS SIGN}": r"$-$", "–": r"\textendash{}", "…": r"\ldots{}", "×": r"$\times$",
    "≤": r"$\leq$",
    "\N{NO-BREAK SPACE}": "~", "\N{REPLACEMENT CHARACTER}": "?",
    "’": r"\textquoteright{}", "‘": r"\textquoteleft{}",
    "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}",
}  # fmt: skip
# what the default encoding of pdfLaTeX can set since 2018
_KNOWN = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽžŁł"
_JOINING = re.compile("--+|,,+|''+")
"""Letters that LaTeX sets as one other."""
_POWER = re.compile(r"([\d.]+)e(-?\d+)")
WIDE = frozenset({"Concepts", "Finding", "Term", "Source"})
"""Columns whose texts are broken into lines."""
_WIDTH = "0.145\\linewidth"


def latex_text(text: str) -> str:
    r"""Write a text so that LaTeX prints it, whatever it holds.

    Examples
    --------
    >>> print(latex_text("R&D_50% of [Ω]"))
    R\&D\_50\% of {[}\eatlasletter{3A9}{Ω}{]}
    """
    return "".join(map(_latex_letter, _JOINING.sub(lambda pair: "\0".join(pair[0]), text)))


def _latex_letter(char: str) -> str:
    if char == "\0":
        return "{}"
    if char in _LATEX:
        return _LATEX[char]
    if char in _KNOWN or " " <= char <= "~":
        return char
    return f"\\eatlasletter{{{ord(char):X}}}{{{char}}}"


def latex(tables: Iterable[Table]) -> str:
    """Write tables as LaTeX, one float each."""
    return PREAMBLE + "".join("\n" + "\n".join(_latex_table(table)) + "\n" for table in tables)


def _latex_table(table: Table) -> Iterator[str]:
    yield r"\begin{table*}"
    yield r"\centering\scriptsize\setlength{\tabcolsep}{4pt}"
    breakable = latex_text(table.caption).replace(",", r",\allowbreak ")
    yield rf"\caption{{{breakable}}}"
    yield rf"\label{{tab:eatlas-{re.sub('[^a-z0-9-]', '-', table.id.lower())}}}"
    yield rf"\begin{{tabular}}{{@{{}}{''.join(map(_latex_alignment, table.columns))}@{{}}}}"
    yield r"\toprule"
    yield from _latex_head(table)
    yield r"\midrule"
    for place, row in enumerate(table.rows):
        if place:
            yield r"\addlinespace"
        yield _latex_line(
            _latex_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)
        )
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if table.notes:
        yield ""
        yield r"\smallskip"
        yield rf"\parbox{{\linewidth}}{{\scriptsize {latex_text(' '.join(table.notes))}}}"
    yield r"\end{table*}"


def _latex_alignment(column: Column) -> str:
    if column.number:
        return "r"
    if column.title in WIDE:
        return rf">{{\raggedright\arraybackslash}}p{{{_WIDTH}}}"
    return "l"


def _latex_head(table: Table) -> Iterator[str]:
    groups = table.groups()
    if any(name for name, _ in groups):
        yield _latex_line(rf"\multicolumn{{{n}}}{{c}}{{{latex_text(name)}}}" for name, n in groups)
        rules, start = [], 1
        for name, n in groups:
            rules += [rf"\cmidrule(lr){{{start}-{start + n - 1}}}"] if name else []
            start += n
        yield " ".join(rules)
    yield _latex_line(latex_text(column.title) for column in table.columns)


def _latex_cell(column: Column, cell: Cell) -> str:
    """The lines of a cell below each other, from the top of the row."""
    lines = [latex_text(line) for line in cell.lines]
    if column.number:
        lines = [_POWER.sub(r"$\1\\times10^{\2}$", line) for line in lines]
    if cell.strong:
        lines[0] = rf"\textbf{{{lines[0]}}}"
    if cell.star:
        lines[0] += r"\rlap{$^{*}$}"
    if len(lines) == 1:
        return lines[0]
    if column.title in WIDE:
        return r" \newline ".join(lines)
    side = "r" if column.number else "l"
    stacked = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{stacked}\end{{tabular}}"


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


# GitHub takes a dollar for mathematics even behind a backslash, @ for a person, # for an issue
_MARKDOWN = {char: f"\\{char}" for char in "\\`*_[]|~"} | {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>", "@": "<span>@</span>",
    "#": "<span>#</span>",
}  # fmt: skip
_EMOJI = re.compile(r":(?=[\w+-]+:)")


def markdown_text(text: str) -> str:
    r"""Write a text so that it stands in a cell as it is.

    Examples
    --------
    >>> print(markdown_text("A|B *is* <b>"))
    A\|B \*is\* &lt;b&gt;
    """
    safe = "".join(_MARKDOWN.get(char, char) for char in text)
    return _EMOJI.sub("<span>:</span>", safe)


def markdown(tables: Iterable[Table]) -> str:
    """Write tables as GitHub Flavored Markdown."""
    return "\n".join("\n".join(_markdown_table(table)) + "\n" for table in tables)


def _markdown_table(table: Table) -> Iterator[str]:
    yield f"**{markdown_text(table.caption)}**"
    yield ""
    yield _markdown_row(_markdown_title(column) for column in table.columns)
    yield _markdown_row("---:" if column.number else "---" for column in table.columns)
    for row in table.rows:
        yield _markdown_row(map(_markdown_cell, row))
    for note in table.notes:
        yield ""
        yield markdown_text(note)


def _markdown_title(column: Column) -> str:
    """A pipe table has one head alone, so a group's name stands above each of its columns'."""
    title = markdown_text(column.title)
    return f"{markdown_text(column.group)}<br>{title}" if column.group else title


def _markdown_cell(cell: Cell) -> str:
    first, *others = map(markdown_text, cell.lines)
    if cell.strong:
        first = f"**{first}**"
    if cell.star:
        first += "\\*"
    return "<br>".join([first, *others])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def html(tables: Iterable[Table]) -> str:
    """Write tables as bare HTML elements, to paste into a page or a word processor.

    Pure ASCII, so that no encoding errs; without style of their own but the alignment.
    """
    text = "\n".join(render("table", table=table) + "\n" for table in tables)
    return text.encode("ascii", "xmlcharrefreplace").decode()
