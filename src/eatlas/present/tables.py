"""Tables for a manuscript, in the manner of the papers' Table 1: LaTeX, Markdown, HTML and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eatlas.csv_cells import cell
from eatlas.errors import ResultsError, did_you_mean
from eatlas.numbers import POWER, UNDEFINED, effect, number_of
from eatlas.present.columns import (
    Cell,
    Column,
    Table,
    ends_table,
    legend_of,
    page_table,
    tables,
    terms_table,
)
from eatlas.present.effects import after_legend, only_terms, title_after
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import FILTERS, render, text
from eatlas.present.text import clean, one_line
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results.compare import SideBySide

PREAMBLE = r"""% Needs \usepackage{booktabs,array,graphicx} in the preamble.
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


def latex_text(text: str) -> str:
    r"""Write a text so that LaTeX prints it, whatever it holds."""
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
    return PREAMBLE + "".join(f"\n{text('table.tex', table=table)}\n" for table in tables)


# GitHub takes a dollar for mathematics even behind a backslash, @ for a person, # for an issue
_MARKDOWN = {char: f"\\{char}" for char in "\\`*_[]|~"} | {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>", "@": "<span>@</span>",
    "#": "<span>#</span>",
}  # fmt: skip
_EMOJI = re.compile(r":(?=[\w+-]+:)")


def markdown_text(text: str) -> str:
    r"""Write a text so that it is in a cell as it is."""
    safe = "".join(_MARKDOWN.get(char, char) for char in text)
    return _EMOJI.sub("<span>:</span>", safe)


def markdown(tables: Iterable[Table]) -> str:
    """Write tables as GitHub Flavored Markdown."""
    return "\n".join(f"{text('table.md', table=table).rstrip()}\n" for table in tables)


def html(tables: Iterable[Table]) -> str:
    """Write tables as bare HTML elements, to paste into a page or a word processor.

    Pure ASCII, so that no encoding errs; without style of their own but the alignment.
    """
    text = "\n".join(render("table", table=table) + "\n" for table in tables)
    return text.encode("ascii", "xmlcharrefreplace").decode()


FILTERS |= {
    "anchor": lambda name: re.sub("[^a-z0-9-]", "-", name.lower()),
    "latex": latex_text,
    "latex_number": lambda line: POWER.sub(r"$\1\\times10^{-\2}$", latex_text(line)),
    "markdown": markdown_text,
}
_MARKUP = {"latex": latex, "markdown": markdown, "html-table": html}
FORMATS = (*_MARKUP, "csv")


def report_table(
    results: Iterable[AssociationResult],
    format: str = "markdown",  # noqa: A002  (as the command line calls it)
    *,
    family: str = "level1",
    adjust: str = "holm",
) -> str:
    """Write results as tables for a manuscript.

    One table for each signature: effect sizes with intervals and p-values in both readings, mean
    cosines, EAT pattern. CSV has one row for each result, at full precision.

    Parameters
    ----------
    results : Results or iterable of results
    format : {"latex", "markdown", "html-table", "csv"}
        LaTeX needs the packages booktabs, array and graphicx; Markdown is GitHub's.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.

    Raises
    ------
    ResultsError
        If there is no result, or an option has no such value.

    Examples
    --------
    >>> import eatlas
    >>> print(report_table(eatlas.run(tests="weat-6", measures="weat"), "csv").split(",")[0])
    test
    """
    if format not in FORMATS:
        raise ResultsError(
            f"there is no table in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    results = list(results)
    if not results:
        raise ResultsError("there are no results to put in a table")
    declared = DeclaredFamily.of(results, family, adjust)
    if format == "csv":
        return csv_text([row for result in results for row in _rows(result, declared)])
    return _MARKUP[format](tables(results, declared))


def _rows(result: AssociationResult, family: DeclaredFamily) -> Iterator[dict[str, Any]]:
    """The rows of a result, each with the adjusted p-values of its effect sizes."""
    effects, rows = result.effects(), result.rows()
    terms = only_terms(effects) and len(rows) == len(effects)
    name = f"p_two_sided_{family.family.method}" if family.family else ""
    for number, row in enumerate(rows):
        for shown in (effects[number],) if terms else effects:
            if family.has(shown.place):
                row[f"{name}{shown.suffix}"] = family.adjusted(result, shown)
        yield row


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a CSV table, with a column for each name that any of them has.

    Undefined values are empty cells; texts that a spreadsheet would run begin with a backslash, as
    `eatlas.csv_cells` says.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_line(names) + "".join(csv_line(map(row.get, names)) for row in rows)


def csv_line(values: Iterable[Any]) -> str:
    """One line of a CSV table; what is None is empty."""
    return ",".join(map(_written, values)) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return cell(clean(value)) if value else ""
    return "" if value is None else str(value)


MOST_ROWS = 50
"""Rows of a table in a notebook, which keeps every output in its file."""


def notebook_html(shown: Any) -> str:
    """What a notebook shows of a result, or of several: their numbers, in light colours."""
    results = [shown] if is_result(shown) else list(shown)
    settings, alone = Settings.among(results), results[0] if is_result(shown) else None
    listed = results[:MOST_ROWS]
    if alone and (alone.by_target is not None or alone.values is not None):
        made = [ends_table(alone)]
    elif alone and only_terms(alone.effects()):
        made = [terms_table(alone)]
    else:
        made = [
            page_table(
                [r for r in listed if r.signature == signature], settings, DeclaredFamily(None)
            )
            for signature in dict.fromkeys(result.signature for result in listed)
        ]
    return render(
        "notebook",
        given=results,
        result=alone,
        source=settings.common,
        tables=[replace(table, rows=table.rows[:MOST_ROWS]) for table in made],
        more=max(0, (len(made[0].rows) if alone and made else len(results)) - MOST_ROWS),
        legends=list(filter(None, dict.fromkeys((*map(legend_of, listed), after_legend(listed))))),
        failures=() if alone else tuple(getattr(shown, "failures", ())),
    )


STARS = "* significant as each measure reads its p-value."


def compared(found: SideBySide) -> Table:
    """Rows by settings: the first effect size of each result, its EAT pattern, what differs."""
    differs = any(row.differs for row in found)
    head = Column("Setting" if found.by == "test" else "Test")
    columns = [head, *map(Column, map(one_line, found.values)), *[Column("Differs")] * differs]
    rows = []
    for row in found:
        cells = [Cell((one_line(row.name),), strong=True)]
        for result, label in zip(row.members, row.labels, strict=True):
            effects = result.effects() if result else ()
            d = effect(effects[0].d) if effects else result.summary() if result else UNDEFINED
            star = bool(effects and effects[0].star)
            after = effects[0].after if effects else None
            left = f"({effect(after.d)}{after.star})" if after else ""
            cells.append(Cell(tuple(filter(None, (d, label, left))), star))
        rows.append((*cells, *[Cell((row.differs,))] * differs))
    return Table(f"by-{found.by}", tuple(columns), tuple(rows), summary(found), (STARS,))


def summary(found: SideBySide) -> str:
    """How many rows and columns there are, how many patterns differ, and what brackets hold."""
    adjusted = any(level.after for result in found.results for level in result.effects()[:1])
    brackets = f"; in brackets: d {title_after(found.results).lower()}" if adjusted else ""
    return f"{_sizes(found)}{brackets}"


def _sizes(found: SideBySide) -> str:
    rows = number_of(len(found), "setting" if found.by == "test" else "test")
    noun = Settings.among(found.results).noun if found.by == "setting" else found.by
    size = f"{rows}, {number_of(len(found.values), noun)}"
    if not any(any(row.labels) for row in found):
        return size
    many = len(found.changed)
    if not many:
        return f"{size}; no EAT pattern differs"
    return f"{size}; {number_of(many, 'EAT pattern')} {'differs' if many == 1 else 'differ'}"


def compared_text(found: SideBySide) -> str:
    """The table in plain text."""
    table = compared(found)
    lines = [
        [column.title for column in table.columns],
        *([" ".join((c.lines[0] + "*" * c.star, *c.lines[1:])) for c in row] for row in table.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([table.caption, *text])


def compared_latex(found: SideBySide) -> str:
    """The table in LaTeX."""
    return latex([compared(found)])


def compared_html(found: SideBySide) -> str:
    """The table in HTML, for notebooks."""
    return html([compared(found)])
