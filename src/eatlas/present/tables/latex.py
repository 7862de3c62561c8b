"""LaTeX: needs the packages booktabs and array, and compiles whatever the names hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from eatlas.present.tables.content import Cell, Column, Table

PREAMBLE = r"""% Needs \usepackage{booktabs,array} in the preamble.
% Letters that pdfLaTeX may not know: other engines set them, pdfLaTeX writes their number.
\providecommand{\eatlasletter}[2]{\ifx\Umathchar\undefined[U+#1]\else#2\fi}
"""
_SPECIAL = {
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


def escape(text: str) -> str:
    r"""Write a text so that LaTeX prints it, whatever it holds.

    Examples
    --------
    >>> print(escape("R&D_50% of [Ω]"))
    R\&D\_50\% of {[}\eatlasletter{3A9}{Ω}{]}
    """
    return "".join(map(_letter, _JOINING.sub(lambda pair: "\0".join(pair[0]), text)))


def _letter(char: str) -> str:
    if char == "\0":
        return "{}"
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char in _KNOWN or " " <= char <= "~":
        return char
    return f"\\eatlasletter{{{ord(char):X}}}{{{char}}}"


def latex(tables: Iterable[Table]) -> str:
    """Write tables as LaTeX, one float each."""
    return PREAMBLE + "".join("\n" + "\n".join(_float(table)) + "\n" for table in tables)


def _float(table: Table) -> Iterator[str]:
    yield r"\begin{table*}"
    yield r"\centering\scriptsize\setlength{\tabcolsep}{4pt}"
    breakable = escape(table.caption).replace(",", r",\allowbreak ")
    yield rf"\caption{{{breakable}}}"
    yield rf"\label{{tab:eatlas-{re.sub('[^a-z0-9-]', '-', table.id.lower())}}}"
    yield rf"\begin{{tabular}}{{@{{}}{''.join(map(_alignment, table.columns))}@{{}}}}"
    yield r"\toprule"
    yield from _head(table)
    yield r"\midrule"
    for place, row in enumerate(table.rows):
        if place:
            yield r"\addlinespace"
        yield _line(_cell(column, cell) for column, cell in zip(table.columns, row, strict=True))
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if table.notes:
        yield ""
        yield r"\smallskip"
        yield rf"\parbox{{\linewidth}}{{\scriptsize {escape(' '.join(table.notes))}}}"
    yield r"\end{table*}"


def _alignment(column: Column) -> str:
    if column.number:
        return "r"
    if column.title in WIDE:
        return rf">{{\raggedright\arraybackslash}}p{{{_WIDTH}}}"
    return "l"


def _head(table: Table) -> Iterator[str]:
    groups = table.groups()
    if any(name for name, _ in groups):
        yield _line(rf"\multicolumn{{{n}}}{{c}}{{{escape(name)}}}" for name, n in groups)
        rules, start = [], 1
        for name, n in groups:
            rules += [rf"\cmidrule(lr){{{start}-{start + n - 1}}}"] if name else []
            start += n
        yield " ".join(rules)
    yield _line(escape(column.title) for column in table.columns)


def _cell(column: Column, cell: Cell) -> str:
    """The lines of a cell below each other, from the top of the row."""
    lines = [escape(line) for line in cell.lines]
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


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
