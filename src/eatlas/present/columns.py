"""The columns of tables of results: their heads, what their cells say, and the notes below them.

Each column is declared here once. A form is the columns that a manuscript, a page or a terminal
chooses, with the lines of their cells; LaTeX, Markdown, HTML and the terminal only write them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from eatlas.errors import join_names
from eatlas.numbers import UNDEFINED, effect, interval, number_of, p_value, percent
from eatlas.present.commentary import commentaries
from eatlas.present.effects import (
    after_legend,
    chance_cell,
    chance_legend,
    covariates_of,
    interval_in_words,
    levels_of,
    name_of_d,
    only_terms,
    own_share,
    p_heads,
    title_after,
    topic_baseline,
    without_adjustment,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import NAMES, finding_of, findings_of, terms_adjusted
from eatlas.present.rendering import lines, own_words, phrase
from eatlas.present.targets import (
    DECIMALS,
    Lean,
    at_ends,
    format_bias,
    format_interval_end,
    format_points,
    leans,
    values_in_order,
    values_legend,
)
from eatlas.present.text import isolate, one_line
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding, Question
from eatlas.results.levels import CELLS, Interval, draws_of
from eatlas.results.parts import at
from eatlas.results.settings import Settings
from eatlas.stimuli.kinds import SENTENCE_KINDS

if TYPE_CHECKING:
    from eatlas.results.targets import TargetValue, TargetValuesResult


@dataclass(frozen=True)
class Column:
    """One column; neighbours of one group are under a common head."""

    title: str
    group: str = ""
    number: bool = False
    """Numbers are on the right, names on the left."""
    short: str = ""
    """Head in a terminal, where it is another: in two lines it has that of the group."""


Tone = Literal["", "positive", "negative", "neutral"]
"""Shade of a cell: red, blue or gray."""


@dataclass(frozen=True)
class Cell:
    """Lines of text below each other."""

    lines: tuple[str, ...]
    star: bool = False
    """Whether the first line is significant."""
    strong: bool = False
    faint: bool = False
    value: float | None = None
    """The number of the first line, by which a page sorts its rows."""
    tone: Tone = ""
    """Shade behind it, in formats that have any: LaTeX and HTML."""


@dataclass(frozen=True)
class Table:
    """Rows under columns, with a caption above and notes below."""

    id: str
    """A short name for references."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    shading: str = ""
    """What shades mean, below the notes of formats that have them."""

    def groups(self) -> list[tuple[str, int]]:
        """Heads over several columns, each with their number."""
        runs = groupby(self.columns, key=lambda column: column.group)
        return [(name, len(list(columns))) for name, columns in runs]


class Row(NamedTuple):
    """A result with its effect sizes, or with that of one of its terms."""

    result: AssociationResult
    effects: Mapping[str, Effect]
    """By place."""
    setting: str = ""
    """What distinguishes the result from the others of its test."""
    family: DeclaredFamily = DeclaredFamily(None)
    """Whose adjusted p-values are shown."""
    finding: Finding | None = None
    """What the result shows among the others of the table."""

    @property
    def question(self) -> Question | None:
        """The first question of a test of X, Y, A and B."""
        return None if self.finding is None else self.finding.questions.get("level1")


def rows_of(result: AssociationResult, *how: Any) -> list[Row]:
    """The row of a result; of a measure of single terms one for each term."""
    effects = result.effects()
    if only_terms(effects):
        return [Row(result, {shown.place: shown}, *how) for shown in effects]
    return [Row(result, {shown.place: shown for shown in effects}, *how)]


def label_with_year(result: AssociationResult) -> str:
    """The test, and of a series also the year."""
    return result.test if result.period is None else f"{result.test}, {result.period}"


DAGGER = "†"


def mark_name(name: str, result: AssociationResult) -> str:
    """A name in a table, with a mark where the result shows little."""
    return f"{name} {DAGGER}" if result.shows_little else name


def little_legend(results: Iterable[AssociationResult]) -> str:
    """What the mark says; nothing where no result has it."""
    some = (result for result in results if result.shows_little)
    reasons = dict.fromkeys(own_words(result, "little_legend") for result in some)
    return f"{DAGGER} {'; '.join(reasons)}: this shows little." if reasons else ""


def _two_sided(row: Row) -> str:
    """The pattern under the two-sided rule, where it is another."""
    read = row.result.primary
    return "" if read.two_sided_label == read.label else f"two-sided:\n{read.two_sided_label}"


def _value_of_p(name: str) -> Callable[[Row], float | None]:
    """A p-value of the first question as a number."""
    return lambda row: at(row.question, f"p.{name}")


def _p_of_question(name: str) -> Callable[[Row], str]:
    """A p-value of the first question; why there is none."""
    value_of = _value_of_p(name)

    def p_text(row: Row) -> str:
        if row.question is None:
            return ""
        p = value_of(row)
        if p is not None:
            return p_value(p, row.result.rule.alpha)
        missing = name == "adjusted" and row.question.p.new is not None
        return without_adjustment(row.result).replace(" ", "\n") if missing else UNDEFINED

    return p_text


def _verdict(row: Row) -> str:
    """The verdict on the first question, and below it why nothing more is claimed."""
    if row.question is None:
        return ""
    reason = "\n".join(textwrap.wrap(row.question.reason, REASON))
    return "\n".join(filter(None, (NAMES[row.question.verdict], reason)))


def _draws(row: Row) -> str:
    share = own_share(row.result)
    of = "bootstrap" if draws_of(row.result) is None else "samples"
    return "" if share is None else f"{of}: {percent(share)}"


def _p(shown: Effect, p: float | None) -> str:
    return "" if p is None else p_value(p, shown.rule.alpha)


def _p_two_sided(_: Row, shown: Effect) -> str:
    p = _p(shown, shown.p_of("two_sided"))
    return f"({p})" if p else ""


def _p_adjusted(row: Row, shown: Effect) -> str:
    return "" if shown.d is None else _p(shown, row.family.p_adjusted(row.result, shown))


def _other_intervals(_: Row, shown: Effect) -> str:
    known = shown.other_intervals.items()
    return "\n".join(f"{name} {interval(ends)}" for name, ends in known)


REASON = 28
"""Letters of a line of a reason."""
OF_RESULT: dict[str, Callable[[Row], str]] = {
    "test": lambda row: mark_name(one_line(row.result.test), row.result),
    "source": lambda row: one_line(row.setting),
    "concepts": lambda row: "\n".join(" / ".join(map(one_line, side)) for side in row.result.sides),
    "attributes": lambda row: "\n".join(map(one_line, row.result.sides[-1])),
    "pattern": lambda row: row.result.primary.label,
    "two-sided pattern": _two_sided,
    "draws": _draws,
    "chance": lambda row: chance_cell(row.result),
    "finding": lambda row: row.result.summary(),
    "sentence": lambda row: str(row.finding or finding_of(row.result)),
    "these words": _p_of_question("these"),
    "new words": _p_of_question("new"),
    "adjusted words": _p_of_question("adjusted"),
    "verdict": _verdict,
}
"""What a line of a cell says of a result."""
OF_EFFECT: dict[str, Callable[[Row, Effect], str]] = {
    "d": lambda _, shown: effect(shown.d, shown.decimals),
    "interval": lambda _, shown: interval(shown.interval) if shown.interval else "",
    "other intervals": _other_intervals,
    "p in the direction of d": lambda _, shown: _p(shown, shown.p_of(shown.direction)),
    "two-sided p": _p_two_sided,
    "adjusted p": _p_adjusted,
    "term": lambda _, shown: one_line(shown.name),
    "role": lambda _, shown: "".join(shown.roles),
    "group": lambda row, shown: row.result.concepts[shown.roles[0]],
}
"""What it says of an effect size."""
VALUES: dict[str, Callable[[Row, Effect], float | None]] = {
    "d": lambda _, shown: shown.d,
    "p in the direction of d": lambda _, shown: shown.p_of(shown.direction),
    "adjusted p": lambda row, shown: row.family.p_adjusted(row.result, shown),
}
"""The number behind a first line that says something of an effect size."""
VALUES_OF_RESULT: dict[str, Callable[[Row], float | None]] = {
    "these words": _value_of_p("these"),
    "new words": _value_of_p("new"),
    "adjusted words": _value_of_p("adjusted"),
    "chance": lambda row: at(topic_baseline(row.result), "level1.p_two_sided"),
}
"""The number behind one that says something of a result."""


@dataclass(frozen=True)
class Declared:
    """A column as it is declared: head, lines of its cells, and when a table has it."""

    title: str
    lines: tuple[str, ...]
    of: Literal["result", "effect", "after", "level 3"] = "result"
    """Whether a table has it once, for each effect size, for the first one after covariates, or for
    each cell of level 3."""
    short: str = ""
    """Head in a terminal, where it is another."""
    number: bool = False
    strong: bool = False
    starred: bool = True
    """Whether stars of the paper's rule stand at its effect sizes."""
    when: str = ""
    """What the results of the table have, as :func:`arrange_rows` tells it."""

    def only(self, *lines: str, **changes: Any) -> Declared:
        """The column with some of its lines alone."""
        return replace(self, lines=lines, **changes)


TEST = Declared("Test", ("test",))
SOURCE = Declared("Source", ("source",), when="settings")
CONCEPTS = Declared("Concepts", ("concepts",), when="effects")
ATTRIBUTES = Declared("Concepts", ("attributes",), when="terms")
TERM = Declared("Term", ("term",), of="effect", when="terms")
GROUP = Declared("Group", ("role",), of="effect", when="terms")
P_LINES = ("p in the direction of d", "two-sided p")
EFFECT = Declared("d", ("d", "interval", "other intervals", *P_LINES), of="effect", number=True)
ADJUSTED = Declared("adjusted p", ("adjusted p",), of="effect", number=True)
LEVEL3 = Declared("Level 3", (), of="level 3", number=True, when="level 3")
PATTERN = Declared(
    "EAT pattern (paper's rule)",
    ("pattern", "two-sided pattern", "draws"),
    short="EAT pattern",
    when="pattern",
)
AFTER = Declared(
    "After", ("d", "two-sided p"), of="after", number=True, starred=False, when="after"
)
QUESTION = (
    Declared("these words", ("these words",), number=True, when="question"),
    Declared("new words", ("new words",), number=True, when="question"),
    Declared("adjusted", ("adjusted words",), number=True, when="question"),
    Declared("Verdict", ("verdict",), strong=True, when="question"),
)
"""The p-values of the first question, and the verdict on it."""
STACKED = Declared(
    "p",
    ("these words", "new words", "adjusted words"),
    number=True,
    when="question",
)
CHANCE = Declared("Random topics", ("chance",), number=True, when="chance")
FINDING = Declared("Finding", ("finding",), when="no d")

MANUSCRIPT = (
    TEST, SOURCE, CONCEPTS, ATTRIBUTES, TERM, GROUP, EFFECT, ADJUSTED, *QUESTION, LEVEL3, PATTERN,
    AFTER, CHANCE, FINDING,
)  # fmt: skip
NARROW = (
    TEST.only("test", "concepts", "source", strong=True, when="no terms"),
    TEST.only("test", "attributes", "source", strong=True, when="terms"),
    TERM, GROUP, EFFECT.only("d", "interval", "other intervals", when="no terms", starred=False),
    EFFECT.only("d", *P_LINES, when="terms"), replace(ADJUSTED, when="another family"), STACKED,
    QUESTION[-1], FINDING,
)  # fmt: skip
"""Of a manuscript what fits between the margins of a page: d, interval, p-values and verdict."""
WIDTHS: dict[str, tuple[Declared, ...]] = {"narrow": NARROW, "wide": MANUSCRIPT}
PUBLISHED = (
    *NARROW[:2], TERM, GROUP, EFFECT.only("d", *P_LINES), PATTERN.only("pattern"), FINDING,
)  # fmt: skip
"""The numbers of the published tables: d with stars, p-values of single words, EAT pattern."""
PAGE = (
    TEST, SOURCE, CONCEPTS, EFFECT, ADJUSTED, *QUESTION, PATTERN, AFTER, CHANCE,
    FINDING.only("sentence", when="no question"),
)  # fmt: skip
"""Each result in one line, whose columns can be sorted."""


def arrange_rows(rows: Sequence[Row], form: Iterable[Declared]) -> Table:
    """Rows under the columns of a form, as far as there is something to say in them.

    Neighbours that are there for each effect size are repeated together.
    """
    places = dict.fromkeys(place for row in rows for place in row.effects)
    keys = {"result": [""], "after": [""], "level 3": list(CELLS), "effect": list(places)}
    columns, filled, first = [], [], rows[0]
    terms = only_terms(tuple(first.effects.values()))
    has_d = any(shown.symbol == "d" for shown in first.effects.values())
    has = {
        "": True,
        "settings": any(row.setting for row in rows),
        "effects": bool(first.effects) and not terms,
        "no effects": not first.effects,
        "terms": terms,
        "no terms": not terms,
        "d": has_d,
        "no d": not has_d and not terms,
        "pattern": first.result.pattern is not None,
        "no pattern": first.result.pattern is None,
        "level 3": first.result.level3 is not None,
        "after": has_d and any(row.result.adjusted is not None for row in rows),
        "question": any(row.question for row in rows),
        "another family": not (first.family.of_verdicts and any(row.question for row in rows)),
        "no question": not any(row.question for row in rows),
        "chance": any(topic_baseline(row.result) is not None for row in rows),
    }
    shown = [declared for declared in form if has[declared.when]]
    for of, neighbours in groupby(shown, key=lambda declared: declared.of):
        for key, declared in product(keys[of], list(neighbours)):
            of_family = "adjusted p" in declared.lines
            if of_family and not first.family.has(key.partition(".")[0]):
                continue
            columns.append(_column(declared, key, rows))
            filled.append([_cell(declared, key, row) for row in rows])
    return Table(first.result.measure, tuple(columns), tuple(zip(*filled, strict=True)))


def _column(declared: Declared, key: str, rows: Sequence[Row]) -> Column:
    """The head of one column of an effect size, of a cell of level 3, or of results."""
    title, short, group = declared.title, declared.short, ""
    if declared.of == "after":
        if title == AFTER.title:
            title = title_after(row.result for row in rows)
    elif declared.of == "result":
        if declared in QUESTION:
            group = "p at level 1" * declared.number
            heads = p_heads(row.result for row in rows)
            title = {"adjusted": heads["adjusted"], "new words": heads["new"]}.get(title, title)
    elif declared.of == "level 3":
        group, title = title, f"{key[0]}, {key[1]}"
    else:
        shown = next(row.effects[key] for row in rows if key in row.effects)
        several = any(len(row.effects) > 1 for row in rows)
        group = shown.title if several and shown.symbol != shown.title else ""
        if "d" in declared.lines:
            title = shown.symbol
        elif "adjusted p" in declared.lines:
            title = rows[0].family.method
    return Column(title, group, declared.number, short)


def _cell(declared: Declared, key: str, row: Row) -> Cell:
    """The lines of a cell that say something, or a dash."""
    shown, value, lines = row.effects.get(key), None, []
    if declared.of == "after":
        first = row.effects.get("level1") or row.effects.get("level2")
        shown = first and first.after
    if declared.of == "level 3" and row.result.level3:
        mean = row.result.level3[key]
        lines = [effect(mean.mean), f"({effect(mean.sd)})"]
    elif declared.of in {"effect", "after"} and shown:
        lines = [
            OF_EFFECT[line](row, shown) if line in OF_EFFECT else OF_RESULT[line](row)
            for line in declared.lines
        ]
        if declared.lines[0] in VALUES:
            value = VALUES[declared.lines[0]](row, shown)
    elif declared.of == "result":
        lines = [OF_RESULT[line](row) for line in declared.lines]
        if declared.lines[0] in VALUES_OF_RESULT:
            value = VALUES_OF_RESULT[declared.lines[0]](row)
    written = tuple(part for line in lines if line for part in line.split("\n"))
    star = bool(declared.starred and "d" in declared.lines and shown and shown.significant)
    return Cell(written or (UNDEFINED,), star, declared.strong, value=value)


NAMED = 4
"""Sources that a caption names."""
OVER = "over_attributes"
OVER_ATTRIBUTES = "Over attributes: {}, whose p-values permute the labels of attributes."


def over_attributes(by_place: Iterable[Mapping[str, Effect]]) -> str:
    """What the effect size over attributes is; nothing where there is none."""
    shown = next((effects[OVER] for effects in by_place if OVER in effects), None)
    if shown is None:
        return ""
    return OVER_ATTRIBUTES.format("the LPBS" if shown.remark else "X minus Y")


def tables(
    results: Iterable[AssociationResult], family: DeclaredFamily, columns: str = "wide"
) -> list[Table]:
    """Tables of a manuscript: one for each signature, in order of first appearance."""
    return tables_in_form(results, family, WIDTHS[columns])


def tables_in_form(
    results: Iterable[AssociationResult], family: DeclaredFamily, form: Sequence[Declared]
) -> list[Table]:
    """Tables with the columns of a form: one for each signature."""
    whole = form is MANUSCRIPT
    by_signature: dict[str, list[AssociationResult]] = {}
    every = list(results)
    for result in every:
        by_signature.setdefault(result.signature, []).append(result)
    findings = dict(zip(map(id, every), findings_of(every), strict=True))
    made = []
    for members in by_signature.values():
        if members[0].by_target is None:
            told = [findings[id(member)] for member in members]
            made.append(_of_signature(members, told, family, form))
            made += [t for each in commentaries(members) for t in each.tables(whole=whole)]
        else:  # a row for each target
            made += [_of_targets(r, number, whole=whole) for number, r in enumerate(members, 1)]
    return made


def _of_signature(
    members: Sequence[AssociationResult],
    findings: Sequence[Finding],
    family: DeclaredFamily,
    form: Sequence[Declared],
) -> Table:
    """The results of one signature, and what a reader needs below them."""
    settings = Settings.from_results(members)
    rows = [
        row
        for result, finding in zip(members, findings, strict=True)
        for row in rows_of(result, settings.of(result), family, finding)
    ]
    sources = list(map(one_line, settings.in_words()))
    named = ", ".join(sources) if len(sources) <= NAMED else number_of(len(sources), "source")
    return replace(
        arrange_rows(rows, form),
        caption=f"{phrase('sentences', 'little_among', members)} "
        f"{number_of(len(members), 'result')} of {members[0].signature} on {named}.".lstrip(),
        notes=(
            *_notes(members, rows, family, form),
            *filter(None, [little_legend(members)]),
        ),
    )


def page_table(
    told: Sequence[tuple[AssociationResult, Finding]], settings: Settings, family: DeclaredFamily
) -> Table:
    """The results of one signature with what they show, one line for each."""
    members = [result for result, _ in told]
    rows = [
        Row(result, {e.place: e for e in levels_of(result)}, settings.of(result), family, finding)
        for result, finding in told
    ]
    notes = (
        over_attributes(row.effects for row in rows),
        *(comment.legend() for comment in commentaries(members)),
        after_legend(members),
        little_legend(members),
    )
    return replace(
        arrange_rows(rows, PAGE), caption=members[0].signature, notes=tuple(filter(None, notes))
    )


def _of_targets(result: AssociationResult, number: int, *, whole: bool) -> Table:
    """Every target of a result, and what a reader needs below them."""
    shown, source = leans(result), ", ".join(Settings.from_results([result]).in_words())
    return replace(
        targets_table(result, after=whole),
        id=f"{result.measure}-{number}" if number > 1 else result.measure,
        caption=f"{one_line(result.test)} on {one_line(source)}: targets by {result.signature}.",
        notes=(
            " ".join(f"{e.title}: {effect(e.d)}." for e in result.effects()),
            shown.legend(after=whole),
            f"Reference: {shown.reference}.",
        ),
    )


def ends_table(result: AssociationResult) -> Table:
    """Targets at either end, above what all of them show in words."""
    make = targets_table if result.by_target is not None else values_table
    return replace(make(result, ends=True), caption=str(finding_of(result)))


def targets_table(result: AssociationResult, *, ends: bool = False, after: bool = True) -> Table:
    """A row for each target, or for those at either end, and one for the concept as a whole."""
    shown = leans(result)
    groups = [isolate(shown.groups[j]) for j in shown.columns]
    adjusted = title_after([result]) if after and result.adjusted is not None else ""

    def row(lean: Lean, name: str) -> tuple[Cell, ...]:
        cells = [Cell((name,), strong=ends and lean is shown.whole)]
        for j in shown.columns:
            interval = lean.intervals[j]
            between = [f"[{', '.join(map(format_interval_end, interval))}]"] if interval else []
            cells.append(Cell((format_points(lean.points[j]), *between)))
        cells.append(Cell((format_bias(lean.shown.bias),)))
        if shown.counted:
            cells.append(Cell((f"{lean.shown.contexts or 0:,}",)))
        p = UNDEFINED if lean.shown.labels is None else p_value(lean.shown.labels.p)
        cells.append(Cell((p,), star=lean.star))
        if adjusted:
            left, size = lean.after, UNDEFINED
            if left is not None and left.deviation is not None:
                points = format_points(100 * left.deviation[0])
                size = points if len(groups) == 1 else format_bias(left.bias)
            p = UNDEFINED if left is None or left.p is None else p_value(left.p)
            cells += [Cell((size,)), Cell((p,))]
        return tuple(cells)

    every, left_out = at_ends(shown.known) if ends else (shown.rows, 0)
    rows = _with_gap([row(lean, one_line(lean.term)) for lean in every], left_out)
    if shown.whole is not None:
        rows.append(row(shown.whole, f"{one_line(shown.whole.term)} as a whole"))
    columns = (
        Column("Target", short=label_with_year(result) if len(groups) > 1 else _heading(result)),
        *(Column("Points", name, number=True, short=f"{name}\npoints") for name in groups),
        Column("Bias", number=True),
        *([Column("Contexts", number=True)] if shown.counted else []),
        Column("p", number=True),
    )
    if adjusted:
        what = "Points" if len(groups) == 1 else "Bias"
        columns += (
            Column(what, adjusted, number=True, short=f"{adjusted}\n{what.lower()}"),
            Column("p", adjusted, number=True),
        )
    return Table(result.measure, columns, tuple(rows))


def values_table(result: AssociationResult, *, ends: bool = False) -> Table:
    """Numbers of the targets, or of those at either end, and of all; by group where there are any.

    Of a measure that gives each target one number.
    """
    every = values_in_order(result)
    shown, left_out = at_ends(every) if ends else (every, 0)
    (whole,) = result.effects()
    groups = result.sides[-1] if any(t.association or t.counts for t in shown) else ()
    of: TargetValuesResult = result  # type: ignore[assignment]  # its values are there
    counted = any(target.counts and target.p is not None for target in every)
    adjusted = dict(zip((target.term for target in of.targets), of.holm, strict=True))

    def number(value: float | None, ends: Interval | None) -> Cell:
        return Cell((effect(value, DECIMALS), *([interval(ends)] if ends else [])))

    def group_cells(target: TargetValue) -> list[Cell]:
        """Its numbers by group; of counts its p too."""
        texts = [effect(number, DECIMALS) for number in target.association or ()]
        if target.counts:
            texts = [f"{number:,g}" for number in target.counts]
        if not counted:
            return [Cell((text,)) for text in texts]
        p = adjusted[target.term]
        star = p is not None and p < result.rule.alpha
        return [
            *(Cell((text,)) for text in texts),
            Cell((UNDEFINED if p is None else p_value(p),), star=star),
        ]

    rows = [
        (Cell((one_line(t.term),)), number(t.value, t.interval), *group_cells(t)) for t in shown
    ]
    every_one = "All " + SENTENCE_KINDS.get(result.kind, "targets")
    last = Cell((every_one,), strong=True), number(whole.d, of.interval)
    names = [isolate(name) for name in (whole.title, *groups)] + ["p (Holm)"] * counted
    return Table(
        result.measure,
        (Column("Target", short=_heading(result)), *(Column(n, number=True) for n in names)),
        (*_with_gap(rows, left_out), last),
    )


def _heading(result: AssociationResult) -> str:
    """Over the terms or targets of one result: its test and attributes."""
    return f"{label_with_year(result)}: {' / '.join(result.sides[-1])}"


def _with_gap(rows: list[tuple[Cell, ...]], left_out: int) -> list[tuple[Cell, ...]]:
    """Rows with one in their middle that says how many are left out there."""
    gap = [(Cell((f"… {left_out} more",), faint=True),)] if left_out else []
    return [*rows[: len(rows) // 2], *gap, *rows[len(rows) // 2 :]]


def terms_table(result: AssociationResult) -> Table:
    """A row for each term, from the strongest association with A to that with B; stars by Holm."""
    every = sorted(
        terms_adjusted(result), key=lambda pair: (pair[0].d is None, -(pair[0].d or 0.0))
    )
    with_after = any(shown.after for shown, _ in every)
    rows = []
    for shown, holm in every:
        p_values = [_p(shown, p) or UNDEFINED for p in (shown.p_of("two_sided"), holm)]
        star = holm is not None and holm <= shown.rule.alpha
        group = result.concepts[shown.roles[0]]
        cells = [
            Cell((one_line(shown.name),)),
            Cell((one_line(group),)),
            Cell((effect(shown.d),), star, value=shown.d),
            *(Cell((p,)) for p in p_values),
        ]
        if with_after:
            after = shown.after
            lines = (effect(after.d), f"({_p(after, after.p_of('two_sided'))})") if after else ()
            cells.append(Cell(lines or (UNDEFINED,)))
        rows.append(tuple(cells))
    columns = [
        Column("Term", short=_heading(result)),
        Column("Group", short="group"),
        *(Column(name, number=True) for name in ("d", "p", "Holm")),
        *[Column(title_after([result]), number=True)] * with_after,
    ]
    return Table(result.measure, tuple(columns), tuple(rows))


def unit_in_words(result: AssociationResult) -> str:
    """What level 3 has means of."""
    return f"{result.unit} in {result.scale}" if result.scale else result.unit


def legend_of(result: AssociationResult) -> str:
    """What a star of a result says by the paper's rule, or what its numbers are."""
    if result.by_target is not None:
        return leans(result).legend()
    if result.values is not None:
        return values_legend(result)
    over = {
        "stimuli": ", over stimuli in tests of sentences",
        "sentences": ", over single sentences",
    }
    return f"{result.rule.meaning}{over.get(result.read_over, '')}"


def explanations(members: Sequence[AssociationResult]) -> list[str]:
    """What is below a table of single terms or targets."""
    legends = dict.fromkeys(
        terms_legend(result) if only_terms(result.effects()) else legend_of(result)
        for result in members
    )
    return list(filter(None, ["\n".join(legends), after_legend(members)]))


def terms_legend(result: AssociationResult) -> str:
    """What the p-values of a table of single terms are."""
    alpha = f"{result.rule.alpha:g}".lstrip("0")
    terms = number_of(len(result.effects()), "term")
    return f"p: two-sided; * p after Holm over all {terms} ≤ {alpha}."


def _notes(
    members: Sequence[AssociationResult],
    rows: Sequence[Row],
    family: DeclaredFamily,
    form: Sequence[Declared],
) -> list[str]:
    """What a reader needs below a table of effect sizes d; nothing below other numbers."""
    whole, published = form is MANUSCRIPT, form is PUBLISHED
    questions = any(row.question for row in rows) and not published
    effects = [shown for row in rows for shown in row.effects.values()]
    terms, places = any(e.term is not None for e in effects), {e.place for e in effects}
    if not terms and all(shown.symbol != "d" for shown in effects):
        return []
    uncertain = [known for result in members if (known := result.primary.uncertainty)]
    return lines(
        "notes",
        first=members[0],
        terms=terms,
        over_attributes=over_attributes(row.effects for row in rows),
        name_of_d=name_of_d(members),
        over_stimuli=any(result.over_stimuli for result in members),
        means=dict.fromkeys(draws.drawn for result in members if (draws := draws_of(result))),
        intervals=interval_in_words(members),
        held=join_names(covariates_of(members)),
        questions=questions,
        published=published,
        adjusted=any(family.has(place.partition(".")[0]) for place in places)
        and not published
        and (whole or not (questions and family.of_verdicts)),
        family=family,
        unit=unit_in_words(members[0]),
        resampled=any(known.patterns for known in uncertain),
        comments=[comment.legend() for comment in commentaries(members)],
        after=after_legend(members) if whole else "",
        by_chance=chance_legend(members) if whole else "",
        whole=whole,
    )
