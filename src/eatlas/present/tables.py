"""Tables for a manuscript, in the manner of the papers' Table 1: LaTeX, Markdown, HTML and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from eatlas.csv_cells import cell
from eatlas.errors import ResultsError, did_you_mean
from eatlas.numbers import (
    MINUS,
    UNDEFINED,
    brief_p,
    effect,
    in_powers,
    interval,
    number_of,
    p_equals,
)
from eatlas.present.columns import (
    DAGGER,
    WIDTHS,
    Cell,
    Column,
    Table,
    ends_table,
    explanations,
    little_legend,
    tables,
    terms_table,
)
from eatlas.present.commentary import commentaries
from eatlas.present.effects import number_of_result, only_terms
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import NAMES, finding_of, findings_of
from eatlas.present.rendering import FILTERS, own_words, phrase, render, text
from eatlas.present.text import clean, one_line, pixels
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.finding import Finding
from eatlas.results.pooled import Pooled, PooledResult, pool_groups
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results.compare import Difference, SideBySide

PREAMBLE = r"""% Needs \usepackage{{{packages}}} in the preamble.
% Letters that pdfLaTeX may not know: other engines set them, pdfLaTeX writes their number.
\providecommand{{\eatlasletter}}[2]{{\ifx\Umathchar\undefined[U+#1]\else#2\fi}}
"""
SHADES = r"""% Shades of cells, which you may define otherwise before the table.
\providecommand{\eatlaspositive}{\cellcolor[rgb]{.96,.78,.76}}
\providecommand{\eatlasnegative}{\cellcolor[rgb]{.74,.85,.94}}
\providecommand{\eatlasneutral}{\cellcolor[rgb]{.90,.90,.90}}
"""
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
    "`": r"{\char96}",
    # what LaTeX takes for an option or a star where it begins a row
    "[": "{[}", "]": "{]}", "*": "{*}",
    "\N{MINUS SIGN}": r"$-$", "–": r"\textendash{}", "…": r"\ldots{}", "×": r"$\times$",
    "≤": r"$\leq$", "†": r"\textdagger{}",
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


PAGE_WIDTH, PAGE_HEIGHT, TURNED_WIDTH = 455.0, 560.0, 702.0
"""Points between margins of 2.5 cm on A4, of a page's height what caption and notes leave, and
between the margins of a page turned sideways."""
SIZES = (("footnotesize", 7.6, 9.5, 10.0), ("scriptsize", 7.4, 8.0, 10.0))
"""Letters of tables, the largest first: command, points of a sans-serif letter of their width,
points of a line, and between columns."""
SMALLEST = ("tiny", 6.4, 6.0, 6.0)
"""Letters of a table that is too wide for a page turned sideways."""
LEAST_TEXT = 66.0
"""Points of a column of text at least."""


class LatexLayout(NamedTuple):
    """How LaTeX sets a table: in letters that fit between the margins, on pages if it is long."""

    size: str
    separation: float
    """Points on each side of a column."""
    columns: str
    texts: tuple[bool, ...]
    """Which columns are broken into lines."""
    scaled: bool
    """Whether it is too wide: scaled down to the width of the text, or on pages turned sideways."""
    paged: bool


def layout(table: Table) -> LatexLayout:
    """Set a table in the largest letters that fit; the widths of its lines are estimates."""
    tried = [_layout(table, PAGE_WIDTH, *size) for size in SIZES]
    how = next((how for how in tried if not how.scaled), tried[-1])
    if not (how.scaled and how.paged):
        return how
    turned = [_layout(table, TURNED_WIDTH, *size) for size in (*SIZES, SMALLEST)]
    how = next((how for how in turned if not how.scaled), turned[-1])
    return how._replace(scaled=True, paged=True)


def _layout(
    table: Table, page: float, size: str, letter: float, line: float, between: float
) -> LatexLayout:
    """The layout in letters of one size: columns of text share the room that numbers leave."""
    widths = [letter * width for width in column_widths(table)]
    texts = tuple(
        width > LEAST_TEXT and not column.number
        for width, column in zip(widths, table.columns, strict=True)
    )
    wanted = sum(width - LEAST_TEXT for width, text in zip(widths, texts, strict=True) if text)
    room = page - between * len(widths) - (sum(widths) - wanted)
    share = min(1.0, max(0.0, room) / (wanted or 1.0))
    widths = [
        LEAST_TEXT + share * (width - LEAST_TEXT) if text else width
        for width, text in zip(widths, texts, strict=True)
    ]
    spec = "".join(
        f">{{\\raggedright\\arraybackslash}}p{{{width:.0f}pt}}" if text else "lr"[column.number]
        for width, text, column in zip(widths, texts, table.columns, strict=True)
    )
    height = 0.0
    for row in table.rows:
        most = max(
            sum(ceil(letter * _ems(part) / width) for part in cell.lines)
            if text
            else len(cell.lines)
            for cell, width, text in zip(row, widths, texts, strict=True)
        )
        height += line * most + 4 * (most > 1)
    return LatexLayout(size, between / 2, spec, texts, room < 0, height > PAGE_HEIGHT)


def column_widths(table: Table) -> Iterator[float]:
    """The longest line of each column in ems, heads among them."""
    alone = {name for name, n in table.groups() if n == 1}
    for n, column in enumerate(table.columns):
        heads = head_lines(column)
        heads += [column.group] if column.group in alone else []
        yield max(_ems(part) for part in (*heads, *(p for row in table.rows for p in row[n].lines)))


def head_lines(column: Column) -> list[str]:
    """The lines of a head; that of numbers has each word on its own line."""
    return column.title.split() if column.number and ", " not in column.title else [column.title]


def _ems(line: str) -> float:
    """The width of a line, whose minus signs and powers LaTeX sets as mathematics."""
    return pixels(in_powers(line, r"\1MM10M").replace(MINUS, "M"), 1.0)


def _in_line(table: Table) -> Table:
    """A table whose numbers have their intervals beside them instead of below."""
    return replace(
        table,
        rows=tuple(
            tuple(
                replace(cell, lines=(" ".join(cell.lines),)) if column.number else cell
                for cell, column in zip(row, table.columns, strict=True)
            )
            for row in table.rows
        ),
    )


def _laid(table: Table) -> tuple[Table, LatexLayout]:
    """A table and its layout: a long one has each row on one line, where that fits."""
    if layout(table).paged and not (how := layout(_in_line(table))).scaled:
        return _in_line(table), how
    return table, layout(table)


def latex(tables: Iterable[Table]) -> str:
    """Write tables as LaTeX, one float each; a long one goes on over pages."""
    laid = list(map(_laid, tables))
    needed = ["booktabs", "array"]
    needed += ["longtable"] * any(how.paged for _, how in laid)
    needed += ["lscape"] * any(how.paged and how.scaled for _, how in laid)
    needed += ["graphicx"] * any(how.scaled and not how.paged for _, how in laid)
    shaded = any(table.shading for table, _ in laid)
    needed += ["colortbl"] * shaded
    floats = (f"\n{text('table.tex', table=table, how=how)}\n" for table, how in laid)
    return PREAMBLE.format(packages=",".join(needed)) + SHADES * shaded + "".join(floats)


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


def with_powers(table: Table) -> Table:
    """A table for a page or paper, whose small p-values are written with powers of ten."""
    rows = tuple(
        tuple(replace(cell, lines=tuple(map(in_powers, cell.lines))) for cell in row)
        for row in table.rows
    )
    return replace(table, rows=rows, notes=tuple(map(in_powers, table.notes)))


def markdown(tables: Iterable[Table]) -> str:
    """Write tables as GitHub Flavored Markdown."""
    pages = (text("table.md", table=with_powers(table)) for table in tables)
    return "\n".join(f"{page.rstrip()}\n" for page in pages)


def html(tables: Iterable[Table]) -> str:
    """Write tables as bare HTML elements, to paste into a page or a word processor.

    Pure ASCII, so that no encoding errs; without style of their own but the alignment.
    """
    text = "\n".join(render("table", table=with_powers(table)) + "\n" for table in tables)
    return text.encode("ascii", "xmlcharrefreplace").decode()


FILTERS |= {
    "anchor": lambda name: re.sub("[^a-z0-9-]", "-", name.lower()),
    "latex": latex_text,
    "head_lines": head_lines,
    "latex_number": lambda line: in_powers(latex_text(line), r"$\1\\times10^{-\2}$"),
    "markdown": markdown_text,
}
PUBLISHED = "published"
"""The columns of published tables."""
MARKUP = {"latex": latex, "markdown": markdown, "html-table": html}
WORD = "docx"
FORMATS = (*MARKUP, "csv")
BRIEF = re.compile(
    "test|source|setting|year|signature|[XYAB]|term|group|effect_size(_[XY])?|low(_[XY])?|high(_[XY])?|"
    "p_two_sided|p_these(_[XY])?|crossed_p_two_sided(_[XY])?|adjusted_p_two_sided(_[XY])?|"
    "p_claim(_[XY])?|verdict(_[XY])?"
)
"""Columns of a narrow CSV table: effect sizes with intervals, p-values and verdicts."""


def report_table(
    results: Iterable[AssociationResult],
    format: str = "markdown",  # noqa: A002  (as the command line calls it)
    *,
    family: str = "level1",
    adjust: str = "holm",
    columns: str | None = None,
) -> str:
    """Write results as tables, one for each signature; as CSV with one row for each result."""
    if format not in FORMATS:
        raise ResultsError(
            f"there is no table in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    results = list(results)
    made = tables_of_report(results, format, family=family, adjust=adjust, columns=columns)
    if format != "csv":
        return MARKUP[format](made)
    declared = DeclaredFamily.of(results, family, adjust)
    pairs = zip(results, findings_of(results), strict=True)
    rows = [row for pair in pairs for row in _rows(*pair, declared)]
    if columns == "narrow":
        rows = [{name: row[name] for name in row if BRIEF.fullmatch(name)} for row in rows]
    return csv_text(rows)


def tables_of_report(
    results: Iterable[AssociationResult],
    format: str,  # noqa: A002  (as the command line calls it)
    *,
    family: str,
    adjust: str,
    columns: str | None,
) -> list[Table]:
    """The tables of a report in a format, whichever markup writes them.

    Raises
    ------
    ResultsError
        If an option has no such value, or there are no results.
    """
    results = list(results)
    if not results:
        raise ResultsError("there are no results to put in a table")
    declared = DeclaredFamily.of(results, family, adjust)
    layout = layout_of(format, columns, (*WIDTHS, PUBLISHED))
    if layout == PUBLISHED:
        from eatlas.present.paper_tables import paper_tables  # noqa: PLC0415  (few ask for them)

        return paper_tables(results)
    pooled = [test for _, test in pool_groups(results)]
    over_sources = [table_over_sources(pooled)] if pooled else []
    return [*over_sources, *tables(results, declared, layout)]


def layout_of(
    format: str,  # noqa: A002
    columns: str | None,
    layouts: Iterable[str] = WIDTHS,
) -> str:
    """The columns of a table that a user chose, or those of its format."""
    columns = columns or ("narrow" if format in {"latex", WORD} else "wide")
    if columns not in (known := list(layouts)):
        raise ResultsError(
            f"there is no table with the columns {columns!r}{did_you_mean(columns, known)}",
            allowed=", ".join(known),
        )
    return columns


def _rows(
    result: AssociationResult, finding: Finding, family: DeclaredFamily
) -> Iterator[dict[str, Any]]:
    """The rows of a result, each with the adjusted p-values of its effect sizes."""
    effects, rows = result.effects(), result.rows_with(finding)
    terms = only_terms(effects) and len(rows) == len(effects)
    name = f"p_two_sided_{family.family.method}" if family.family else ""
    for number, row in enumerate(rows):
        for shown in (effects[number],) if terms else effects:
            if family.has(shown.place):
                row[f"{name}{shown.suffix}"] = family.p_adjusted(result, shown)
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
    return ",".join(map(_cell_text, values)) + "\n"


def _cell_text(value: Any) -> str:
    if isinstance(value, str):
        return cell(clean(value)) if value else ""
    return "" if value is None else str(value)


MOST_ROWS = 50
"""Rows of a table in a notebook, which keeps every output in its file."""


def notebook_html(shown: Any) -> str:
    """What a notebook shows of a result, or of several: their numbers, in light colours."""
    results = [shown] if is_result(shown) else list(shown)
    alone = results[0] if is_result(shown) else None
    if alone and (alone.by_target is not None or alone.values is not None):
        made, legends = [ends_table(alone)], explanations([alone])
    elif alone and only_terms(alone.effects()):
        made, legends = [terms_table(alone)], explanations([alone])
    else:
        made = tables(results, DeclaredFamily(None), "narrow")
        legends = [note for table in made for note in table.notes]
    return render(
        "notebook",
        given=results,
        result=alone,
        drawn=alone is not None and "level1" in finding_of(alone).questions,
        tables=[with_powers(replace(table, rows=table.rows[:MOST_ROWS])) for table in made],
        more=sum(max(0, len(table.rows) - MOST_ROWS) for table in made),
        legends=list(dict.fromkeys(legends)),
        failures=() if alone else tuple(getattr(shown, "failures", ())),
    )


def comparison_table(found: SideBySide) -> Table:
    """Rows by settings: the first effect size of each result, its verdict, and how far apart."""
    results = found.results
    told = dict(zip(map(id, results), findings_of(results), strict=True))
    two, head = len(found.values) == 2, Column("Setting" if found.by == "test" else "Test")
    columns = [head, *map(Column, map(one_line, found.values)), *[Column("Difference")] * two]
    rows = []
    for row in found:
        cells = [Cell((one_line(row.name),), strong=True)]
        for result in row.members:
            number = UNDEFINED if result is None else number_of_result(result)
            verdict = told[id(result)].verdict if result else None
            lines = number, verdict or "", _little(result)
            cells.append(Cell(tuple(filter(None, lines))))
        gap = row.difference(row.places[0], 1) if two and row.places else None
        digits = row.first.effects()[0].decimals if gap else 2
        rows.append((*cells, *[Cell(_between(gap, digits))] * two))
    notes = tuple(filter(None, [little_legend(results)]))
    return Table(f"by-{found.by}", tuple(columns), tuple(rows), summary(found), notes)


def _little(result: AssociationResult | None) -> str:
    """Why a result shows little, where it does."""
    if result is None or not result.shows_little:
        return ""
    return f"{DAGGER} {own_words(result, 'little_mark')}"


def _between(gap: Difference | None, digits: int) -> tuple[str, ...]:
    """How far the second setting is from the first, with an interval, and p between parts."""
    if gap is None:
        return (UNDEFINED,)
    best = gap.best
    decimals = digits if best is gap else 2
    ends = interval(best.interval, decimals) if best.interval else ""
    p = "" if best is gap or best.p is None else p_equals(best.p)
    return tuple(filter(None, (effect(best.d, decimals), ends, p)))


def summary(found: SideBySide) -> str:
    """How many rows and columns there are, and how far apart the first effect sizes are."""
    tests = {row.first.test for row in found}
    noun = "setting" if found.by == "test" else "test" if len(tests) == len(found) else "row"
    rows = number_of(len(found), noun)
    noun = Settings.from_results(found.results).noun if found.by == "setting" else found.by
    size = f"{rows}, {number_of(len(found.values), noun)}"
    gaps = found.spreads
    between = "".join(comment.caption_end() for comment in commentaries(found.results))
    if not between and found.has_other_words:
        between = "; differences are for the words that both have"
    if not gaps:
        return f"{size}{between}"
    furthest = max(gaps, key=gaps.__getitem__)
    of = f" ({one_line(furthest)})" * (len(gaps) > 1)
    return f"{size}; d at level 1 differs by at most {effect(gaps[furthest])}{of}{between}"


def table_over_sources(tests: Sequence[PooledResult]) -> Table:
    """Tests on several sources: mean d, p-values, verdict and heterogeneity."""
    heads = "Test", "Mean d", "These words", "New words", "Adjusted", "Verdict", "SD between"
    rows = []
    for test in tests:
        question, between = test.questions["level1"], test.heterogeneity.get("level1")
        known, ends = (question.p.these, question.p.new, question.p.adjusted), question.interval
        sd = ["–"] if between is None else [effect(between.sd)]
        if between is not None and between.p is not None:
            sd.append(f"({p_equals(between.p)})")
        cells = (
            (effect(question.effect_size), *([interval(ends)] if ends else ())),
            *((UNDEFINED if p is None else brief_p(p, test.alpha),) for p in known),
            (NAMES[question.verdict],),
            tuple(sd),
        )
        name = Cell((one_line(test.name),), strong=True)
        rows.append((name, *map(Cell, cells)))
    sources = {len(test.sources) for test in tests}
    size = f"{min(sources)} to {max(sources)}" if len(sources) > 1 else str(min(sources))
    nouns = {test.noun for test in tests}
    noun = nouns.pop() if len(nouns) == 1 else "sources"
    caption = f"{number_of(len(tests), 'test')}, each as one claim over {size} {noun}"
    columns = tuple(Column(head, number=head not in {"Test", "Verdict"}) for head in heads)
    note = phrase("sentences", "note_pooled", sorted(sources), noun)
    return Table(f"over-{tests[0].over}s", columns, tuple(rows), caption, (note,))


def text_over_sources(found: Pooled) -> str:
    """The same in plain text."""
    return plain_text(table_over_sources(found.tests))


def comparison_text(found: SideBySide) -> str:
    """The table in plain text."""
    lines = plain_text(comparison_table(found)), little_legend(found.results)
    return "\n".join(filter(None, lines))


def plain_text(table: Table) -> str:
    """A table in plain text, a row a line."""
    lines = [
        [column.title for column in table.columns],
        *([" ".join(cell.lines) for cell in row] for row in table.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join([table.caption, *text])


def comparison_latex(found: SideBySide) -> str:
    """The table in LaTeX."""
    return latex([comparison_table(found)])


def comparison_html(found: SideBySide) -> str:
    """The table in HTML, for notebooks."""
    return html([comparison_table(found)])
