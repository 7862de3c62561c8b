"""What a page says of an opened result, as blocks: evidence, figures, tables, provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from eatlas.errors import join_names, listing
from eatlas.numbers import (
    UNDEFINED,
    count,
    effect,
    explain_p,
    interval,
    number_of,
    p_equals,
    p_value,
    percent,
)
from eatlas.present.blocks import (
    Block,
    Drawing,
    Text,
    bullets,
    cell,
    definitions,
    figure,
    fold,
    heading,
    paragraph,
    table,
    table_of,
)
from eatlas.present.columns import terms_legend, terms_table, values_table
from eatlas.present.commentary import commentaries
from eatlas.present.drawings.eat_map import (
    eat_map,
    in_words,
    map_contents,
    mini,
    mini_of,
    states,
    states_of,
    text_of_d,
    text_of_p,
)
from eatlas.present.drawings.plane import (
    LEFT_ROOM,
    SIDE,
    UPPER_ROOM,
    has_map,
    outermost_first,
    plane_figure,
    points_of,
    truncate,
)
from eatlas.present.drawings.rows import row_of
from eatlas.present.drawings.single import DRIVERS, changes_of, influence, targets, triangle
from eatlas.present.drawings.svg import FILLS, Scales, is_untested, share_bar
from eatlas.present.effects import (
    chance_line,
    chance_range,
    concerns_single_terms,
    interval_in_words,
    levels_of,
    name_of_d,
    only_terms,
    p_heads,
    rank_row,
    short_name,
    without_adjustment,
)
from eatlas.present.findings import NAMES, answers_by_tests
from eatlas.present.rendering import FEW, FILTERS, phrase, render
from eatlas.present.sections import Section, images_of, patterns_seen, score_unit, source_of
from eatlas.present.sentences import limits, statement, statements
from eatlas.present.targets import values_legend
from eatlas.present.text import clean, isolate
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS, draws_of
from eatlas.stimuli import ATTRIBUTES, ROLES
from eatlas.stimuli.kinds import SENTENCE_KINDS

FIGURE, HALF = 720.0, 520.0
"""Pixels of a figure of a result, and of one beside another."""
DIGITS = 3
"""Decimals of effect sizes that a script draws and does not write: a tenth of a pixel."""
NEAR_HALF = 0.06
"""Of the last digit that is written: numbers farther from its half are rounded the same way after
they have lost all but one digit more."""


@dataclass(frozen=True)
class PageParts:
    """The scale, the images and the form of figures that results of a page share."""

    scales: Scales | None = None
    thumbnails: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    packed: bool = False
    """Whether figures are numbers, which the page's script draws."""
    answers: dict[Any, int] = field(default_factory=dict)
    """Answers that results of a packed page have in common, each with its number."""

    def draw(self, kind: str, *of: Any, **look: Any) -> Drawing:
        """A drawing of a kind."""
        if self.packed:
            return {"draw": kind, **_NUMBERS[kind](*of, **look)}
        return _DRAWINGS[kind](*of, **look)

    def number_cells(self, *cells: Text) -> list[Text | None]:
        """Cells with the numbers of the drawing before them, which the page's script can write."""
        return [None] * len(cells) if self.packed and self.scales else list(cells)

    def row(self, section: Section) -> tuple[str, str, Drawing]:
        """The drawing in the line of a finding, behind what is at the ends of its axis."""
        if self.scales is None:
            return "", "", Markup()
        made = row_of(section.result, section.finding, self.scales)
        drawing: Drawing = made.drawing
        if self.packed and drawing:
            rows = [_of_effect(row) for row in section.levels if row.symbol == "d"]
            plain = rows and not only_terms(section.result.effects())
            drawing = {"draw": "glance", "rows": rows} if plain else {"draw": "svg", "svg": drawing}
        return made.left, made.right, drawing


_DRAWINGS: dict[str, Callable[..., Markup]] = {
    "map": lambda result: Markup(eat_map(result)),  # noqa: S704  (escaped there)
    "plane": lambda result: Markup(plane_figure(result, LEFT_ROOM + SIDE + UPPER_ROOM)),  # noqa: S704
    "influence": lambda result: influence(result, HALF).on_page,
    "interval": lambda scales, row: scales.interval(row),
    "random": lambda scales, row: scales.random(row),
    "ruler": lambda scales: scales.ruler(),
    "bar": share_bar,
    "mini": mini,
    "finding": mini_of,
}


def brief(value: float, decimals: int, digits: int) -> float:
    """A number with as few digits as a drawing needs that is still written alike."""
    if abs(abs(value) * 10**decimals % 1 - 0.5) > NEAR_HALF:
        return round(value, digits)
    written = effect(value, decimals)
    rounded = (round(value, n) for n in range(digits, digits + 5))
    return next((number for number in rounded if effect(number, decimals) == written), value)


def _of_plane(result: AssociationResult) -> dict[str, Any]:
    """The points of a map of words: role, name, and means with A and B.

    The order of their names too, if it differs after rounding.
    """
    points = points_of(result)
    shown = [p._replace(a=brief(p.a, 3, 4), b=brief(p.b, 3, 4)) for p in points]
    order = outermost_first(points)
    return {
        "test": [truncate(result.concepts[role], 40) for role in ROLES],
        "whole": {role: isolate(result.concepts[role]) for role in ROLES},
        "unit": f"mean {result.unit}" + (f" ({result.scale})" if result.scale else ""),
        "points": [(p.role, truncate(p.term), p.a, p.b) for p in shown],
        "order": [] if order == outermost_first(shown) else order,
    }


def _of_influence(result: AssociationResult) -> dict[str, Any]:
    """The terms that change each effect size most, each with its role and d without it."""
    levels = []
    for row in levels_of(result):
        changes = changes_of(row, result)
        if row.d is not None and changes:
            most = [
                (isolate(term), role, brief(row.d + change, 2, 4))
                for change, term, role in changes[:DRIVERS]
            ]
            d, name = brief(row.d, 2, 4), isolate(row.name)
            levels.append(
                {"title": row.title, "name": name, "d": d, "all": len(changes), "most": most}
            )
    names = {role: isolate(result.concepts[role]) for role in ROLES}
    return {"test": result.test, "names": names, "levels": levels}


def _of_map(result: AssociationResult) -> dict[str, Any]:
    """What the cells of an EAT-Map and the scales below them show."""
    contents = map_contents(result)
    axis = contents.axis
    return {
        "test": result.test,
        "alt": in_words(result),
        "pattern": result.primary.label,
        "level1": contents.level1,
        "names": {role: isolate(result.concepts[role]) for role in ROLES},
        "axis": (axis.low, axis.high, axis.step),
        "notes": contents.notes,
        "columns": [
            {
                "role": level.place[-1],
                "state": state,
                "d": text_of_d(level),
                "p": text_of_p(level, result),
                "cells": [result.cell_text(level.place[-1] + role) for role in ATTRIBUTES],
                "shown": _of_effect(level),
            }
            for level, state in zip(contents.levels, states(result), strict=True)
        ],
    }


def _of_effect(row: Effect) -> tuple[Any, ...]:
    """An effect size as its mark and its interval show it."""
    low, high = (brief(end, 2, DIGITS) for end in row.interval) if row.interval else (None, None)
    fill = None if is_untested(row) else FILLS[row.verdict].strip()
    d = None if row.d is None or row.symbol != "d" else brief(row.d, 2, DIGITS)
    return row.place, d, fill, low, high, row.adjusted is not None


def _of_random(row: Effect) -> dict[str, Any]:
    """Where most differences of random topics are, and whether the effect size is beyond them."""
    low, high = (brief(end, 2, DIGITS) for end in chance_range(row))
    beyond = row.matched is not None and row.matched.p_two_sided < row.rule.alpha
    return {"shown": _of_effect(row)[:2], "low": low, "high": high, "beyond": beyond}


_NUMBERS: dict[str, Callable[..., dict[str, Any]]] = {
    "map": _of_map,
    "plane": _of_plane,
    "influence": _of_influence,
    "interval": lambda _, row: {"shown": _of_effect(row)},
    "random": lambda _, row: _of_random(row),
    "ruler": lambda _: {},
    "bar": lambda share, strong: {"share": round(share, DIGITS), "strong": strong},
    "mini": lambda label: {"states": states(label)},
    "finding": lambda finding: {"draw": "mini", "states": states_of(finding)},
}
"""What the page's script needs for the same drawings."""


def body_of(section: Section, page: PageParts) -> list[Block]:
    """All that a page says of a result below its finding."""
    result = section.result
    return [
        *([paragraph("title", result.title)] if result.title else []),
        paragraph("meta", [f"{result.measure.upper()} on ", {"bdi": section.source_name}]),
        *evidence_of(section, page),
        *details_of(section, page),
    ]


def evidence_of(section: Section, page: PageParts) -> list[Block]:
    """The questions with their numbers, what counts as one word, what is not meant, and notes."""
    result, shown = section.result, section.finding
    blocks = list(_questions(section, page))
    more, published = phrase("sentences", "more", result), statement("published", result)
    if more or result.remark or published:
        text = " ".join(filter(None, (more, result.remark)))
        blocks.append(paragraph("sentence", [text, *([{"small": published}] if published else [])]))
    if why := list(_reasons(section)):
        blocks.append(bullets("why", why))
    inside = []
    if lines := limits(result, shown):
        inside += [heading("What this does not mean"), bullets("", lines)]
    if result.warnings:
        notes = [section.settings.without_paths(str(note)) for note in result.warnings]
        inside += [heading("Note" if len(notes) == 1 else "Notes"), bullets("", notes)]
    if inside:
        blocks.append({"is": "aside", "kind": "not", "blocks": inside})
    return blocks


def _questions(section: Section, page: PageParts) -> Iterator[Block]:
    """A row for each question: effect size, p-values, verdict."""
    result, alpha, scales = section.result, section.result.rule.alpha, page.scales
    questions = [row for row in section.levels if row.verdict and row.symbol == "d"]
    if not questions:
        return
    names = [part.interval_name for part in result.parts.values() if part.interval_name]
    heads: list[Any] = [cell("Question", kind="text")]
    if scales is not None:
        label = f"Interval, scale from {' to '.join(scales.axis.ends())}"
        heads.append(cell({"span.sr": label}, kind="drawn", drawing=page.draw("ruler", scales)))
    intervals = (f"interval {interval_in_words([result])}", *(f"over {name}" for name in names))
    heads.append([name_of_d([result]), *({"small": text} for text in intervals)])
    p_names = p_heads([result])
    heads += [[name, {"small": "p"}] for name in p_names.values()]
    heads += [["claim", {"small": "p after Holm"}], cell("Verdict", kind="text")]
    rows = []
    for row in questions:
        question = section.finding.questions[row.place]
        cells: list[Any] = [_comparison(row)]
        if scales is not None:
            cells.append(cell("", kind="drawn", drawing=page.draw("interval", scales, row)))
        ends = [question.interval] if question.interval else []
        ends += row.other_intervals.values()
        sizes = [effect(row.d), *({"small": interval(pair)} for pair in ends)]
        cells += page.number_cells(sizes) if ends == [row.interval] else [sizes]
        for name in p_names:
            p = getattr(question.p, name)
            known = name == "adjusted" and question.p.new is not None
            missing = without_adjustment(result) if known else UNDEFINED
            cells.append({"small": missing} if p is None else p_value(p, alpha))
        claim = question.p.claim
        cells.append(UNDEFINED if claim is None else p_value(claim, alpha))
        verdict: list[Text] = [{"b": NAMES[question.verdict]}]
        if question.reason:
            verdict.append({"small": question.reason})
        cells.append(cell(verdict, kind="text"))
        rows.append(cells)
    numbers = table("levels n questions", f"Questions of {section.anchor}", [heads], rows)
    yield _with_switches(section, page, questions, numbers)


def _with_switches(
    section: Section, page: PageParts, questions: Sequence[Effect], numbers: Block
) -> Block:
    """The table of questions below switches for its tests, with all that these can show."""
    result, shown = section.result, section.finding
    known = [question.p for question in shown.questions.values()]
    tests = [
        (2**i, text)
        for i, (name, text) in enumerate(p_heads([result]).items())
        if any(getattr(p, name) is not None for p in known)
    ]
    if len(tests) < 2:
        return numbers
    by_place = answers_by_tests(result, shown)
    states: list[Any] = []
    for row in questions:
        answers, at, crossed = by_place[row.place]
        says = tuple((NAMES[a.verdict], a.reason, clean(a.sentence)) for a in answers)
        verdicts = tuple(answer.verdict for answer in answers)
        if page.packed:
            fills = tuple(FILLS[verdict].strip() for verdict in verdicts)
            number = page.answers.setdefault((at, says, fills), len(page.answers))
            states.append((number, *(round(end, 2) for end in crossed or ())))
            continue
        state: dict[str, Any] = {"at": at, "says": says}
        if page.scales is not None and row.d is not None:
            state |= page.scales.states(row, verdicts, crossed)
        if shown.questions[row.place].interval:
            state["crossed"] = f"not adjusted {interval(crossed)}" if crossed else UNDEFINED
        states.append(state)
    return {"is": "claim", "tests": tests, "states": states, "table": numbers}


def _comparison(row: Effect) -> Text:
    """What an effect size compares, and what else it is known as."""
    return {"bdi": f"{row.name}: {row.remark}" if row.remark else row.name}


def _reasons(section: Section) -> Iterator[Text]:
    """Random topics, near-synonyms, and words that the finding is sensitive to."""
    result, words = section.result, section.finding.sensitive_to
    for row in section.levels:
        if row.place == "level1" and row.matched and row.verdict:
            yield chance_line(row)
    if result.units:
        joined = [
            f"{'; '.join(', '.join(map(isolate, cluster)) for cluster in found)} "
            f"({short_name(result.concepts[role])}, {len(result.scored(role))} words count as "
            f"{result.units.sizes[role]})"
            for role, found in result.units.clusters.items()
            if found
        ]
        yield f"Near-synonyms count as one word: {'; '.join(joined)}."
    if words:
        if len(words) > FEW:
            names = f"any one of {listing(dict.fromkeys(words), FEW)}"
        else:
            names = words[0]
            if len(words) > 1:
                names = f"any one of {', '.join(words[:-1])} or {words[-1]}"
        yield f"Without {names} the first sentence above would be weaker."


def details_of(section: Section, page: PageParts) -> list[Block]:
    """The figures, tables and provenance of a result."""
    result, anchor = section.result, section.anchor
    apart = any(row.over_sentences for row in section.levels)
    blocks: list[Block] = [_groups(section, page)]
    if said := statements(result, section.levels):
        texts = [(head, section.settings.without_paths(text)) for head, text in said]
        said_in_full = [paragraph("trust", [{"strong": head}, f" {text}"]) for head, text in texts]
        blocks.append(fold("checked", "Each test in full", said_in_full))
    if result.section:
        blocks.append(_of_template(result.section, section, page))
    for comment in commentaries([result]):
        for shown in comment.tables(whole=True):
            blocks.append(heading(shown.caption))
            blocks += table_of(shown, "rows", f"{shown.caption}, {anchor}")
    blocks += _pair(section, page, apart=apart)
    blocks += _level3(section)
    if result.diagnosis:
        blocks.append(paragraph("note", statement("space", result)))
    if draws_of(result):
        blocks.append(_of_template("contexts", section, page))
    blocks += _frequency(section, page)
    blocks += _single_terms(section, page)
    if section.has_tests:
        blocks.append(_by_the_papers_rule(section, page, apart=apart))
    return [*blocks, _words(section), _provenance(section)]


def _of_template(name: str, section: Section, page: PageParts) -> Block:
    """What a template says of a result, such as a template of another package."""
    html = render("of_template", name=name, section=section, page=page)
    return {"is": "html", "html": Markup(html)}  # noqa: S704  (escaped there)


def _groups(section: Section, page: PageParts) -> Block:
    """The groups of words with their sizes."""
    result, items = section.result, []
    for role, group in result.coverage.items():
        contexts = result.contexts_of(role)
        noun = (
            "context" if contexts
            else "sentence" if result.stimulus_level
            else "image" if group.image
            else "term" if result.kind not in SENTENCE_KINDS
            else "type" if role == "targets"
            else "sentence"
        )  # fmt: skip
        size = number_of(len(group.scored), noun)
        stimuli = len(contexts)
        if not contexts and result.stimulus_level:
            stimuli = len(result.stimulus_level.sentences[role])
        size += f" of {number_of(stimuli, 'stimulus')}" if stimuli else ""
        size += f", {count(len(group.missing))} missing" if group.missing else ""
        images = [{"image": list(image)} for image in images_of(result, role, page.thumbnails)]
        items.append((role, [{"bdi": result.concepts[role]}, *images, " ", {"small": size}]))
    named = result.kind in ("groups", *SENTENCE_KINDS)
    return definitions("groups named" if named else "groups", items)


def _pair(section: Section, page: PageParts, *, apart: bool) -> Iterator[Block]:
    """The map of the words, and next to it the terms that change effect sizes most."""
    result, columns = section.result, []
    unit = "stimuli" if apart else "terms"
    if has_map(result):
        x, y, a, b = ({"bdi": result.concepts[role]} for role in "XYAB")
        means = "" if apart else ", which are the four means of level 3"
        samples = ", averaged over samples" if draws_of(result) else ""
        caption = [
            {"span.dot x": "●"}, " ", x, " ", {"span.dot y": "■"}, " ", y,
            f"; crosses: their means{means}. Each target {score_unit(result)} has its mean "
            f"{result.unit} with ", b, " on the horizontal axis and with ", a,
            f" on the vertical axis{samples}. On the diagonal it is as close to one as to the "
            "other; its distance from the diagonal is its contribution to level 1.",
        ]  # fmt: skip
        drawing = page.draw("plane", result)
        columns.append([heading(f"The map of the {unit}"), figure("", drawing, caption)])
    if result.primary.influence:
        drawing = page.draw("influence", result)
        columns.append([heading(f"Influential {unit}"), figure("", drawing)])
    if columns:
        blocks = [{"is": "div", "kind": "", "blocks": column} for column in columns]
        yield {"is": "div", "kind": "pair", "blocks": blocks}


def _level3(section: Section) -> Iterator[Block]:
    """The similarities of each target with each attribute."""
    result, level3 = section.result, section.result.level3
    if not level3:
        return
    means = "mean " if draws_of(result) else ""
    scale = f", in {result.scale}" if result.scale else ""
    neutral = "" if result.neutral is None else f"; {result.neutral:g} without a preference"
    yield heading(
        f"Level 3: the {means}{result.unit}s of target terms with attribute terms{scale}{neutral}"
    )
    unit = [{"small": f"{result.unit}s, {result.scale}"}] if result.scale else []
    heads = [["Level 3", *unit], "Mean", "sd", "n", "Min", "Q1", "Median", "Q3", "Max"]
    rows = []
    for place in CELLS:
        found, names = level3[place], (result.concepts[role] for role in place)
        x, a = ({"bdi": name} for name in names)
        numbers = [effect(value, 3) for value in (found.sd, *found.quantiles)]
        mean = {"strong": effect(found.mean, 3)}
        rows.append([[x, " – ", a], mean, numbers[0], count(found.n), *numbers[1:]])
    yield table("cosines n", f"Level 3 of {section.anchor}", [heads], rows)


def _frequency(section: Section, page: PageParts) -> Iterator[Block]:
    """What random topics show, and how frequent the words are."""
    result, scales, alpha = section.result, page.scales, section.result.rule.alpha
    matched = [row for row in section.levels if row.matched]
    if matched and scales is not None:
        yield heading("What do random topics show?")
        label = f"Differences of random topics, scale from {' to '.join(scales.axis.ends())}"
        ruler = cell({"span.sr": label}, kind="drawn", drawing=page.draw("ruler", scales))
        rows = [
            [
                [row.title, {"small": _comparison(row)}],
                cell("", kind="drawn", drawing=page.draw("random", scales, row)),
                *page.number_cells(effect(row.d), interval(chance_range(row))),
                {"strong": p_value(row.matched.p_two_sided, alpha)},
            ]
            for row in matched
            if row.matched
        ]
        heads = ["Level", ruler, "d", "95% of random topics", "two-sided p"]
        yield table("levels frequency n", f"Frequency of {section.anchor}", [heads], rows)
        yield paragraph(
            "note",
            "Gray: 95% of the differences of random topics, in units of d. Level 1 has pairs of "
            "topics as near to each other as the two lists, measured against pairs as near as the "
            "attributes; level 2 has single topics, measured against such pairs. The mark is the "
            "observed effect size, filled if its p among random topics is below alpha.",
        )
    known = result.frequency
    ranked = [role for role in ROLES if known and known.ranks[role].median is not None]
    if not known or not ranked:
        return
    rows = []
    for role in ranked:
        median, first, last = rank_row(result, role)
        middle = {"strong": count(int(round(median or 0.0, 0)))}
        name = {"bdi": result.concepts[role]}
        rows.append([name, middle, *(cell(term, kind="text") for term in (first, last))])
    texts = [cell(name, kind="text") for name in ("Most frequent", "Rarest")]
    vocabulary = section.settings.without_paths(known.ranks.vocabulary)
    rank = ["Rank", {"small": "1 is the most frequent word"}]
    ranks = table("cosines n", f"Ranks of {section.anchor}", [[rank, "Median", *texts]], rows)
    yield fold("", f"Ranks of the words in {vocabulary}", [ranks])


def _single_terms(section: Section, page: PageParts) -> Iterator[Block]:
    """The numbers of single terms or targets, where a measure has them."""
    result, anchor = section.result, section.anchor
    if concerns_single_terms(result):
        over = "Stimuli by association, each over its sentences"
        yield heading(over if result.over_stimuli else "Terms by association")
        yield from table_of(terms_table(result), "terms", f"Terms of {anchor}")
        yield paragraph("note", terms_legend(result))
    elif result.values:
        yield heading("Targets, from the largest number to the smallest")
        yield from table_of(values_table(result), "rows", f"Targets of {anchor}")
        yield paragraph("note", _values_note(result))
    elif result.by_target is not None:
        yield _of_template("targets", section, page)
    elif not section.has_tests:
        rows = result.rows()
        cells = [[str(value) for value in row.values()] for row in rows]
        yield heading("Figures")
        yield table("rows", f"Figures of {anchor}", [list(rows[0])], cells)


def _values_note(result: Any) -> str:
    """What the numbers of targets are, with the p-value for all of them."""
    note: str = values_legend(result)
    if result.p_values:
        p = p_value(result.p_values.two_sided)
        note += f" Two-sided p of the number for all targets, {result.tested}: {p}."
    for pair in result.pairwise:
        groups = " and ".join(map(isolate, pair.groups))
        skew, stereotype = effect(pair.skew, 3), effect(pair.stereotype, 3)
        note += f" {groups}: skew {skew}, stereotype {stereotype}."
    return note


def _by_the_papers_rule(section: Section, page: PageParts, *, apart: bool) -> Block:
    """What the rule of the published tables says, with its p-values and shares of patterns."""
    result, family = section.result, section.family
    rule = result.rule
    threshold = (
        f", and count an effect size smaller than {rule.threshold} as no association"
        if rule.threshold
        else ""
    )
    note = (
        f"{rule.meaning}. The published tables use p-values of single words, without the tests "
        f"above{threshold}. No sentence of this page depends on this rule."
    )
    blocks = [paragraph("note", note)]
    if result.pattern is not None:
        blocks.append(figure("map", page.draw("map", result)))
    level, unit = "Level, over stimuli" if apart else "Level", f"of {result.unit}s"
    scale = [{"small": result.scale}] if result.scale else []
    firsts = [level, "d", ["Difference", {"br": ""}, unit, *scale], "Permuted"]
    heads = [cell(text, rowspan=2) for text in firsts]
    heads.append(cell("Permutation p-value", colspan=2, scope="colgroup", kind="group"))
    if family.family:
        heads.append(cell(family.method, rowspan=2))
    rows = [_row_by_the_rule(row, section) for row in section.levels if row.symbol == "d"]
    two_rows: list[list[Any]] = [heads, ["one-sided", "two-sided"]]
    blocks.append(
        table("levels n", f"Effect sizes and p-values of {section.anchor}", two_rows, rows)
    )
    adjusted = (
        f" {family.method}: two-sided p, adjusted over {family.what}." if family.family else ""
    )
    explained = "One-sided: in the direction of d; the p-value that the rule reads is bold."
    blocks.append(paragraph("note", explained + adjusted))
    blocks += _patterns(section, page, apart=apart)
    name = result.primary.label if result.pattern is not None else "stars of one-sided p-values"
    return fold("paper", f"By the paper’s rule: {name}", blocks)


def _row_by_the_rule(row: Effect, section: Section) -> list[Any]:
    """An effect size with its difference, its permutations and its p-values."""
    cells: list[Any] = [[row.title, {"small": _comparison(row)}]]
    if row.d is None:
        stimulus = "undefined over stimuli: one group has a single stimulus"
        why = "undefined: the scores do not differ" if row.p else stimulus
        cells.append(cell({"span.undefined": UNDEFINED}, title=why))
    else:
        star = [{"span.star": row.star}] if row.star else []
        look = "span.d strong" if row.significant else "span.d"
        cells.append({look: [effect(row.d), *star]})
    if row.p:
        first, second = row.n or ("", "")
        cells += [effect(row.difference, 3), f"{first} v {second}", *_p_pair(row)]
    else:
        missing = "undefined: one group has a single stimulus"
        cells.append(cell(missing, kind="undefined", colspan=4))
    if section.family.family:
        p = section.family.p_adjusted(section.result, row)
        cells.append(UNDEFINED if p is None else p_value(p, row.rule.alpha))
    return cells


def _p_pair(row: Effect) -> Iterator[dict[str, Any]]:
    """P in the direction of d, then two-sided.

    The one that the rule reads has its count, the other has it as a tooltip.
    """
    p, alpha = row.p, row.rule.alpha
    own = explain_p(p, row.tail, alpha)
    for tail in (row.direction if row.tail == "two_sided" else row.tail, "two_sided"):
        number: Text = {"span.p": p_value(getattr(p, tail), alpha)}
        if row.tail == tail:
            look = "small" if p is not None and p.count_of(tail) is not None else "small.long"
            yield cell([number, {look: own}], kind="read")
        else:
            how = explain_p(p, tail, alpha)
            yield cell(number, title=how if how != own else "")


def _patterns(section: Section, page: PageParts, *, apart: bool) -> Iterator[Block]:
    """How often each pattern is seen among resamples."""
    result, draws = section.result, draws_of(section.result)
    shares = patterns_seen(result)
    if not shares:
        return
    left_out = "patterns that none shows are left out."
    if draws:
        of = f"samples of {draws.varied}"
        note = f"Percentage of {count(draws.count)} {of} that show each of the nine patterns; "
        note += left_out
    else:
        unit = "stimuli" if apart else "terms"
        of = f"bootstrap samples of the {unit}"
        judged = ", all judged over stimuli" if apart else ""
        resamples = result.uncertainty.resamples if result.uncertainty else 0
        note = (
            f"Percentage of {count(resamples)} bootstrap samples of the {unit} that show each of "
            f"the nine patterns{judged}; {left_out} It is not the probability that a study with "
            "other words shows the pattern."
        )
    first, share, error = shares[0]
    yield heading(f"Patterns of {of}: {first} in {percent(share, error)}")
    yield paragraph("note", note)
    own = result.primary.label
    rows = [
        [
            cell({"span": label}, drawing=page.draw("mini", label)),
            cell("", drawing=page.draw("bar", share, strong=label == own)),
            percent(share, error),
        ]
        for label, share, error in shares
    ]
    marked = next((i for i, (label, *_) in enumerate(shares) if label == own), None)
    yield table(
        "stability", f"Percentages of patterns of {section.anchor}",
        [["Pattern", "Bar", "Percentage"]], rows, kinds=["", "", "num"], hidden=True, own=marked,
    )  # fmt: skip


def _words(section: Section) -> Block:
    """The words of each group that were used, and those that are missing, with the reasons."""
    result = section.result
    used, missing = result.coverage.counts()
    sentences = result.stimulus_level or result.kind in SENTENCE_KINDS
    noun = "Sentences" if sentences else "Words"
    heads = ["Group", cell("Used", kind="num"), f"{noun} used", "Missing, and why"]
    rows = []
    for role, group in result.coverage.items():
        whole = len(group.used) + len(group.missing)
        look = {"lang": result.provenance.language, "kind": "list"}
        rows.append(
            [
                [role, {"small": {"bdi": result.concepts[role]}}],
                f"{count(len(group.used))} of {count(whole)}",
                cell(_words_used(result, role), **look),
                cell(_missing(section, role), **look),
            ]
        )
    label = f"Terms of {section.anchor}: used and missing"
    words = table("coverage", label, [heads], rows, kinds=["", "num", "", ""])
    return fold("", f"{noun}: {count(used)} used, {count(missing)} missing", [words])


def _words_used(result: AssociationResult, role: str) -> Text:
    """The words of a group, with the spelling in which each was found."""
    group, contexts = result.coverage[role], result.contexts_of(role)
    if contexts:
        return ", ".join(f"{isolate(name)} ({count(n)})" for name, n in contexts.items())
    if not group.found_as:
        return ", ".join(isolate(group.text.get(term, term)) for term in group.used)
    parts: list[list[Text]] = []
    for term in group.used:
        words: list[Text] = [isolate(group.text.get(term, term))]
        if term in group.found_as:
            words += [" ", {"span.as": f"as {isolate(group.found_as[term])}"}]
        parts.append(words)
    return _with_commas(parts)


def _missing(section: Section, role: str) -> Text:
    """The words of a group that are missing, and the contexts that were left out."""
    group, parts = section.result.coverage[role], []
    for term in group.missing:
        words: list[Text] = [isolate(group.text.get(term, term))]
        if reason := group.reasons.get(term):
            words += [" ", {"span.as": f"({section.settings.without_paths(reason)})"}]
        parts.append(words)
    if not parts and not group.without:
        return "none"
    for term, reasons in group.without.items():
        if term in group.contexts:
            lost = number_of(sum(reasons.values()), "context")
            why = {"span.as": f"({'; '.join(reasons)})"}
            parts.append([f"{lost} of {isolate(term)} ", why])
    return _with_commas(parts)


def _with_commas(parts: Sequence[Sequence[Text]]) -> list[Text]:
    """Texts with commas between them."""
    return [text for part in parts for text in (", ", *part)][1:]


def _provenance(section: Section) -> Block:
    """What a reader needs to compute the result again."""
    result, origin = section.result, section.result.provenance
    source: list[Text] = [{"code": source_of(result)}]
    if result.source_from:
        source += [", the name of ", {"code": result.source_from}]
    if result.run_of:
        source += [", a training run of ", {"code": result.run_of}]
    items: dict[str, Text | None] = {
        "Measure": {"signature": result.signature},
        "Source": source,
        "Stimuli": origin.citation,
        "Language": origin.language,
        "Sentences": origin.sentences_from,
    }
    if theme := origin.explored_on:
        towards = result.concepts.get(theme.towards, theme.towards)
        items["Theme"] = [
            f"{theme.theme}, one of {number_of(theme.themes, 'theme')} of {theme.source}, towards "
            f"{towards}: maxT {p_equals(theme.p_max_t)}; fingerprint ",
            {"code": theme.fingerprint},
        ]
    elif origin.explored:
        lists = number_of(origin.explored, "word list")
        items["Explored"] = f"{lists} tried; these words were chosen after results had been seen"
    items["Hash of stimuli"] = {"code": origin.stimuli_sha256}
    items[f"Hash of {result.hashed}"] = {"code": origin.vectors_sha256}
    if covariates := origin.covariates:
        file: list[Text] = [" of ", {"code": covariates.file}] if covariates.file else []
        names = join_names(covariates.names)
        items["Covariates"] = [names, *file, ", hash ", {"code": covariates.sha256}]
    items["Fingerprint of source"] = {"code": origin.source_fingerprint}
    case = f", case rule {origin.case}" if result.cased else ""
    items["eatlas"] = f"version {origin.version}, seed {origin.seed}{case}"
    known = [(name, text) for name, text in items.items() if text]
    return fold("", "Provenance: how to reproduce this result", [definitions("provenance", known)])


def figures(result: AssociationResult) -> dict[str, Markup]:
    """The drawings of targets against groups: by association, and of three groups a triangle."""
    of_three = triangle(result) if len(result.sides[-1]) == 3 else ""
    return {
        "targets": targets(result, FIGURE).on_page,
        "triangle": Markup(of_three),  # noqa: S704  (escaped there)
    }


FILTERS["figures"] = figures
