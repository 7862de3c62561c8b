"""Tables for a manuscript, in the manner of the papers' Table 1: LaTeX, Markdown, HTML and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eatlas.csv_cells import cell
from eatlas.errors import ResultsError, did_you_mean
from eatlas.present.columns import (
    Cell,
    Column,
    Table,
    ends_table,
    page_table,
    tables,
    terms_table,
)
from eatlas.present.effects import only_terms
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import POWER, UNDEFINED, effect, number_of
from eatlas.present.rendering import FILTERS, render, text
from eatlas.present.targets import leans
from eatlas.present.text import clean, one_line
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results.compare import SideBySide

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
        LaTeX needs the packages booktabs and array; Markdown is GitHub's.
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
    given = list(results)
    if not given:
        raise ResultsError("there are no results to put in a table")
    declared = DeclaredFamily.of(given, family, adjust)
    if format == "csv":
        return _csv(given, declared)
    return _MARKUP[format](tables(given, declared))


def _csv(results: Iterable[AssociationResult], family: DeclaredFamily) -> str:
    """Write the rows of :meth:`eatlas.Results.to_frame` and the adjusted p-values.

    Undefined values are empty cells; texts that a spreadsheet would run begin with a backslash, as
    `eatlas.csv_cells` says.
    """
    return csv_text([row for result in results for row in _rows(result, family)])


def _rows(result: AssociationResult, family: DeclaredFamily) -> Iterator[dict[str, Any]]:
    """The rows of a result, each with the adjusted p-values of its effect sizes."""
    effects, rows = result.effects(), result.rows()
    terms = only_terms(effects) and len(rows) == len(effects)
    name = f"p_two_sided_{family.family.method}" if family.family else ""
    for number, row in enumerate(rows):
        for one in (effects[number],) if terms else effects:
            if family.has(one.place):
                row[f"{name}{one.suffix}"] = family.adjusted(result, one)
        yield row


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a CSV table, with a column for each name that any of them has."""
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
    given = [shown] if is_result(shown) else list(shown)
    settings, alone = Settings.among(given), is_result(shown)
    by_signature: dict[str, list[AssociationResult]] = {}
    for result in given[:MOST_ROWS]:
        by_signature.setdefault(result.signature, []).append(result)
    made = [
        page_table(members, settings, DeclaredFamily(None)) for members in by_signature.values()
    ]
    if alone and (given[0].by_target is not None or given[0].values is not None):
        made = [ends_table(given[0])]
    elif alone and only_terms(given[0].effects()):
        made = [terms_table(given[0])]
    return render(
        "notebook",
        given=given,
        result=given[0] if alone else None,
        source=settings.common,
        tables=[replace(table, rows=table.rows[:MOST_ROWS]) for table in made],
        more=max(0, (len(made[0].rows) if alone and made else len(given)) - MOST_ROWS),
        legends=list(dict.fromkeys(_legend(result) for result in given[:MOST_ROWS])),
        failures=() if alone else tuple(getattr(shown, "failures", ())),
    )


def _legend(result: AssociationResult) -> str:
    """What a star says."""
    if result.by_target is not None:
        return leans(result).legend
    over = ", over stimuli in tests of sentences" if result.over_stimuli else ""
    return f"{result.rule.meaning}{over}"


STARS = "* significant as each measure reads its p-value."


def summary(found: SideBySide) -> str:
    """How many rows and columns there are, and how many patterns differ."""
    rows = number_of(len(found), "setting" if found.by == "test" else "test")
    patterned = [row for row in found if any(row.labels)]
    noun = Settings.among(found.results).noun if found.by == "setting" else found.by
    size = f"{rows}, {number_of(len(found.values), noun)}"
    if not patterned:
        return size
    many = len(found.changed)
    if not many:
        return f"{size}; no EAT pattern differs"
    return f"{size}; {number_of(many, 'EAT pattern')} {'differs' if many == 1 else 'differ'}"


def plain(found: SideBySide) -> str:
    """A table in plain text: effect size of level 1 and EAT pattern by setting."""
    head = [_first(found), *found.values, "differs"]
    lines = [head]
    for row in found:
        cells = [" ".join(cell_of(one)) if one is not None else UNDEFINED for one in row.members]
        lines.append([row.name, *cells, row.differs])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([summary(found), *text])


def _first(found: SideBySide) -> str:
    return "setting" if found.by == "test" else "test"


def cell_of(result: AssociationResult) -> tuple[str, ...]:
    """The first effect size, with a star, and the EAT pattern where the measure has one."""
    effects = result.effects()
    d = effect(effects[0].d) + effects[0].star if effects else result.summary()
    return (d,) if result.pattern is None else (d, result.primary.label)


def table_of(found: SideBySide) -> Table:
    """A table for a manuscript: a row for each effect size, a column for each setting."""
    with_patterns = any(any(row.labels) for row in found)
    columns = [
        Column(_first(found).capitalize()),
        Column("Effect size"),
        *(Column(one_line(value), number=True) for value in found.values),
    ]
    rows = []
    for row in found:
        for number, place in enumerate(row.places):
            title = next(one.title for one in row.effects(place) if one is not None)
            cells = [
                Cell((effect(one.d),), star=bool(one.star)) if one else Cell((UNDEFINED,))
                for one in row.effects(place)
            ]
            name = Cell((one_line(row.name) if number == 0 else "",), strong=number == 0)
            rows.append((name, Cell((title,)), *cells))
        if with_patterns:
            labels = (Cell((label or UNDEFINED,), strong=bool(row.differs)) for label in row.labels)
            rows.append((Cell(("",)), Cell(("EAT pattern",)), *labels))
    return Table(
        id=f"by-{found.by}",
        caption=f"Effect sizes by {found.by}: {summary(found)}.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(STARS, *(("Patterns in bold differ between the columns.",) * with_patterns)),
    )


def latex_of(found: SideBySide) -> str:
    """The table in LaTeX."""
    return latex([table_of(found)])


def html_of(found: SideBySide) -> str:
    """The table in HTML, for notebooks."""
    return html([table_of(found)])
