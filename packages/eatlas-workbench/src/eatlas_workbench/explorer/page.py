"""What the page shows of lists of words, as HTML: a finding, its drawings, words, other sources."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from math import hypot
from typing import Any, NamedTuple

from markupsafe import Markup

from eatlas.errors import EatlasError, join_names
from eatlas.notes import Note
from eatlas.numbers import count, number_of
from eatlas.present.blocks import html_of
from eatlas.present.details import PageParts, evidence_of
from eatlas.present.drawings.eat_map import states_of, symbols
from eatlas.present.drawings.plane import (
    CROSS,
    Plane,
    Point,
    draw_frame,
    draw_names,
    in_words,
    mark,
    means_of,
    title_of,
)
from eatlas.present.drawings.plane import arrows as moving
from eatlas.present.drawings.single import influence
from eatlas.present.drawings.svg import (
    COLUMN,
    MARGIN,
    Axis,
    Scales,
    cross,
    estimate,
    interval_line,
    mark_of,
    outline,
    path,
)
from eatlas.present.drawings.svg import mark as mark_effect
from eatlas.present.effects import levels_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import finding_of, p_values
from eatlas.present.rendering import render
from eatlas.present.sections import Section
from eatlas.present.sentences import sentence
from eatlas.present.text import clean
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.settings import Settings
from eatlas.sources import embed_concepts
from eatlas.stimuli import ROLES, TARGETS, Concept, is_bundled
from eatlas_workbench.explorer.measuring import (
    DEFAULT_MEASURE,
    LONGEST_NAME,
    LONGEST_WORD,
    MOST_WORDS,
    NO_LISTS,
    BoardView,
    Explorer,
    Key,
    Lists,
    NamedSource,
    Pair,
    Request,
    make_pasted_test,
    pieces_of,
    require_words,
    starts,
    themes_in_order,
    truncate,
    words_in,
)

FIGURES: dict[str, str] = {
    "plane": "map of the words",
    "eat-map": "EAT-Map",
    "forest": "effect sizes",
    "influence": "influence of words",
}
"""Kinds of drawings that can be exported, and what a person calls them."""
GROUPS = {
    "X": "the first target",
    "Y": "the second target",
    "A": "the first attribute",
    "B": "the second attribute",
}
COMMON = "also a common word: its vector mixes both meanings"
INFLUENCE = 640.0, 400.0
"""Pixels of the drawing of the words on which effect sizes rest, on a desk and on a phone."""
MISSING = 8
"""Words without a vector that are named one by one."""
MOVED = 1.4
"""Pixels by which a mark has to move for its old place to be drawn."""
LEVEL, LEVEL_HEIGHT = 104.0, 22.0
"""Pixels of the scale of an effect size."""
AXIS = Axis(-3.0, 3.0, 1.0, 0.0, 1.0)
"""The scale of effect sizes, whatever words, test and source are chosen: a mark that moves has a
new effect size. For groups of equal size d is between -2 and 2."""


def page_of(explorer: Explorer) -> str:
    """The page itself, without any result."""
    return render(
        "explore",
        tests=list(explorer.tests.values()),
        first=next(iter(explorer.tests)),
        sources=[source.name for source in explorer.sources],
        figures=[pair for pair in FIGURES.items() if explorer.has_patterns or pair[0] == "forest"],
        starts=list(starts(explorer.tests.values())),
        roles=GROUPS.items(),
        symbols=symbols(),
        longest_name=LONGEST_NAME,
        themes=themes_in_order(explorer.themes),
        alpha=explorer.themes and explorer.themes.alpha,
    )


def board_of(explorer: Explorer, request: Request) -> str:
    """What is found with the words of a request, beside what was found before any change."""
    view = explorer.view(request)
    lists = view.lists
    return render(
        "explore_board",
        view=view,
        r=view.result,
        groups=[_group(view, role) for role in ROLES],
        in_memory=not view.source.spec,
        command=command(explorer, request),
        saved=lists.changes or not is_bundled(lists.origin),
        beside=_comparison_view(explorer, request, view),
        **({} if view.result is None else _finding(view, view.result)),
    )


def _was(view: BoardView) -> str:
    """The EAT pattern before any change; empty where there is none."""
    return view.original.primary.label if view.original and view.original.pattern else ""


def _comparison_view(
    explorer: Explorer, request: Request, view: BoardView
) -> dict[str, Any] | None:
    """The finding on the source to compare with, next to that on the first; None without one."""
    if len(request.numbers) < 2:
        return None
    there, problem = explorer.source(request.numbers[1]), ""
    second: AssociationResult | None = None
    try:
        second = explorer.quick(view.lists, there)
    except EatlasError as error:
        problem = error.what
    return {
        "sources": [(view.source.name, view.result, ""), (there.name, second, problem)],
        "scales": Scales.of(result for result in (view.result, second) if result is not None),
    }


class LevelRow(NamedTuple):
    """An effect size as a row of the table of levels."""

    now: Effect
    was: Effect | None
    p_values: str
    """Those of its question, in a line."""
    drawn: Markup


def _rows(result: AssociationResult, original: Any) -> list[LevelRow]:
    """The effect sizes of a result with those before any change."""
    finding = finding_of(result)
    before = {effect.place: effect for effect in levels_of(original)} if original else {}
    return [
        LevelRow(
            now,
            before.get(now.place),
            p_values(result, finding.questions[now.place]).removeprefix("p "),
            effect_with_trail(now, before.get(now.place)),
        )
        for now in levels_of(result, finding)
    ]


def _claim(result: AssociationResult) -> Markup:
    """The table of questions, with switches for its tests."""
    settings, family = Settings.from_results([result]), DeclaredFamily(None)
    section = Section(result.test, result, family, settings, finding_of(result))
    scales = Scales(AXIS.on(MARGIN, MARGIN + COLUMN))
    return html_of(
        [block for block in evidence_of(section, PageParts(scales)) if block["is"] == "claim"]
    )


def _finding(view: BoardView, result: AssociationResult) -> dict[str, Any]:
    """What the template needs of a result."""
    groups = view.lists.groups
    rows = _rows(result, view.original)
    text = sentence(result)
    if view.looked_at > 1 or view.lists.changes:
        if view.lists.changes:
            text += " The words were changed after results had been seen;"
        were = "was" if view.looked_at == 1 else "were"
        text += f" {number_of(view.looked_at, 'word list')} {were} tried."
    rests = any(row.now.d is not None and row.now.influence is not None for row in rows)
    return {
        "rows": rows,
        "states": dict(zip(TARGETS, states_of(finding_of(result)), strict=True)),
        "limit": f"{AXIS.high:g}",
        "claim": _claim(result),
        "text": text,
        "plane": plane_of(view, result) if view.placed.at else "",
        "influence": [influence(result, width).on_page for width in INFLUENCE] if rests else [],
        "table": [
            (word, groups[role].name, word in groups[role].off, a, b)
            for (role, word), (a, b) in view.placed.at.items()
        ],
    }


def _group(view: BoardView, role: str) -> dict[str, Any]:
    """The words of a group as buttons, with a warning about a word if there is one."""
    group, placed = view.lists.groups[role], view.placed
    chips = [
        {
            "id": word_id(view.lists, role, word),
            "word": word,
            "on": word not in group.off,
            "added": word in group.added,
            "missing": (role, word) in placed.missing,
            "remark": _remark(view, role, word),
            "twins": _twins_of(view, role, word),
            "rank": view.ranks.get(word),
        }
        for word in group.words
    ]
    splits = {
        word: pieces
        for word in group.on
        if (role, word) in placed.missing and (pieces := pieces_of(word, view.source.source))
    }
    return {
        "role": role,
        "name": group.name,
        "chips": chips,
        "on": len(group.on),
        "splits": splits,
    }


def _remark(view: BoardView, role: str, word: str) -> str:
    """Why a word has no vector; or that it is common, or has the vector of another one."""
    key, placed = (role, word), view.placed
    if key in placed.missing:
        return placed.missing[key]
    twins = _twins_of(view, role, word)
    about = [COMMON] if key in placed.common else []
    return "; ".join([*about, f"the same vector as {twins}"] if twins else about)


def _twins_of(view: BoardView, role: str, word: str) -> str:
    """Other words that are on and have the very vector of one that is on, with their groups."""
    groups = view.lists.groups
    if word in groups[role].off:
        return ""
    twins = view.placed.twins.get((role, word), ())
    return join_names([f"{w} ({groups[r].name})" for r, w in twins if w not in groups[r].off])


def others_of(explorer: Explorer, request: Request) -> str:
    """How often resampled words show each EAT pattern."""
    view = explorer.view(request)
    try:
        result = explorer.measure_lists(view.lists, view.source, frequency="off")
    except EatlasError as error:
        return render("explore_others", problem=error.what)
    return render("explore_others", result=result, was=_was(view), problem="")


def across_of(explorer: Explorer, request: Request) -> str:
    """The words, and those before any change, on every source; where each goes between two."""
    lists, results = explorer.lists(request), []
    both = {"now": lists} | ({"before": Lists.of(lists.origin)} if lists.changes else {})
    rows: list[tuple[str, list[tuple[AssociationResult | None, str]]]] = []
    for source in explorer.sources:
        cells: list[tuple[AssociationResult | None, str]] = []
        for words in both.values():
            try:
                result = explorer.quick(words, source)
            except EatlasError as error:
                cells.append((None, error.what))
                continue
            cells.append((result, ""))
            results.append(result)
        rows.append((source.name, cells))
    moved, between, why = Markup(), ("", ""), ""
    lacking: list[str] = []
    if len(request.numbers) > 1:
        here, there = (explorer.source(number) for number in request.numbers)
        first, second = (_on(explorer, lists, source) for source in (here, there))
        between = here.name, there.name
        moved, lacking = arrows(lists, first, second, between)
        why = "The two sources have too few of these words in common for a drawing."
    elif request.against is not None:
        why = "Choose another source to compare with; the page then draws each word as an arrow."
    return render(
        "explore_across",
        rows=rows,
        columns=list(both),
        names={role: group.name for role, group in lists.groups.items()},
        scales=Scales.of(results),
        moved=moved,
        lacking=lacking,
        between=between,
        why=why,
    )


def _on(explorer: Explorer, lists: Lists, source: NamedSource) -> dict[Key, Pair]:
    """Places of the target words that are switched on, on one of the sources."""
    places = explorer.places(lists, source).at
    return {key: at for key, at in places.items() if key[1] in lists.groups[key[0]].on}


def look_of(explorer: Explorer, request: Request) -> str:
    """Which pasted words a source has, and what a person should know of them."""
    if not request.lists:
        raise EatlasError(NO_LISTS)
    source = explorer.source(request.source)
    words: dict[str, Concept] = {}
    for role, (_, text) in request.lists.items():
        usable = [word for word in words_in(text)[:MOST_WORDS] if len(word) <= LONGEST_WORD]
        if usable:
            words[role] = Concept(name=role, terms=tuple(usable))
    counts = {str(role): "" for role in request.lists}
    splits: dict[str, tuple[str, list[str]]] = {}
    for group, coverage in embed_concepts(words, source.source).coverage.items():
        terms = words[group].terms
        unsure = coverage.missing if len(terms) > 1 else terms
        pieces = {word: pieces for word in unsure if (pieces := pieces_of(word, source.source))}
        if pieces:
            parted = [piece for word in terms for piece in pieces.get(word, (word,))]
            splits[group] = ", ".join(dict.fromkeys(parted)), list(chain(*pieces.values()))
        counts[group] = f"{count(len(coverage.used))} found in {source.name}"
        if missing := coverage.missing:
            named = ", ".join(truncate(clean(word)) for word in missing[:MISSING])
            more = f" and {len(missing) - MISSING:,} more" if len(missing) > MISSING else ""
            counts[group] += f"; {number_of(len(missing), 'word')} missing: {named}{more}"
    remarks: tuple[Note, ...] = ()
    problem = ""
    try:
        for role, (name, text) in request.lists.items():
            require_words(name or role, words_in(text))
        if len(words) == len(ROLES):
            lists = Lists.of(make_pasted_test(request.lists))
            remarks = explorer.measure_lists(lists, source, resamples=0).warnings
    except EatlasError as error:
        problem = error.what
    return render("explore_remarks", counts=counts, splits=splits, remarks=remarks, problem=problem)


def command(explorer: Explorer, request: Request) -> str:
    """The command that repeats what is shown, with the test that is exported.

    It is a line of Python where vectors are in memory, which no command line can name.
    """
    specs = dict.fromkeys(explorer.source(number).spec for number in request.numbers)
    try:
        tests = explorer.tests_of(request)
    except EatlasError:
        return ""
    name = tests[0].id if is_bundled(tests[0]) else f"{file_name(tests[0].id)}.toml"
    measure = "" if explorer.measure_text == DEFAULT_MEASURE else explorer.measure_text
    if not all(specs):
        return f"eatlas.run({name!r}, vectors{f', {measure!r}' if measure else ''})"
    parts = ["eatlas", "run", "--tests", name]
    for spec in specs:
        parts += ["--vectors", spec]
    return shlex.join([*parts, *(["--measure", measure] if measure else [])])


def file_name(text: str) -> str:
    """A name of a file that any system takes, made of the id of a test.

    >>> file_name("a/b: c")
    'a-b-c'
    """
    return re.sub(r"[^A-Za-z0-9._]+", "-", text)[:80].strip("-.") or "test"


def word_id(lists: Lists, role: str, word: str) -> str:
    """What a word is called in all views of the page, such as ``X3``."""
    return f"{role}{lists.groups[role].words.index(word)}"


def _data(lists: Lists, point: Point) -> dict[str, str]:
    """Attributes by which the page knows the mark or the name of a word."""
    return {"data_word": word_id(lists, point.role, point.term)} if point.term else {}


def plane_of(view: BoardView, result: AssociationResult) -> Markup:
    """Draw the map of the words: words that are on, off, and where all were before."""
    lists, groups = view.lists, view.lists.groups
    now = [Point(*key, *at) for key, at in view.placed.at.items()]
    off = [point for point in now if point.term in groups[point.role].off]
    on = [point for point in now if point not in off]
    on += means_of(on)
    before = [Point(*key, *at) for key, at in view.origins.items()]
    before += means_of(before)
    plane = Plane.from_points(on, result.concepts.A, result.concepts.B, more=[*off, *before])
    there = {(point.role, point.term): point for point in (*off, *on)}
    pale = [point for point in before if _gone(plane, point, there.get((point.role, point.term)))]
    covered = [(x - 4, y - 4, x + 4, y + 4) for x, y in map(plane.at, (*off, *pale))]
    plane = replace(plane, covered=tuple(covered))
    names = dict(result.concepts.items())
    ghosts = [_ghost(plane, point, there[point.role, point.term]) for point in pale]
    marks = [mark(plane, point, names, "off", **_data(lists, point)) for point in off]
    marks += [mark(plane, point, names, **_data(lists, point)) for point in on]
    texts = draw_names(plane, lambda point: _data(lists, point))
    svg = draw_frame(
        plane, f"mean {result.unit}", *ghosts, *marks, texts,
        title=title_of(result), alt=in_words(plane, result),
    )  # fmt: skip
    return Markup(svg)  # noqa: S704  (a drawing of ours, escaped there)


def _clip_to_axis(d: float) -> float:
    """An effect size, or the end of the scale that it is beyond."""
    return max(AXIS.low, min(AXIS.high, d))


def _gone(plane: Plane, before: Point, now: Point | None) -> bool:
    """Whether a word or a mean is not where it was."""
    if now is None:
        return False
    (x, y), (to_x, to_y) = plane.at(before), plane.at(now)
    return hypot(to_x - x, to_y - y) > MOVED


def _ghost(plane: Plane, before: Point, now: Point) -> str:
    """Where a word or a mean was, with a line to where it is."""
    (x, y), (to_x, to_y), kind = plane.at(before), plane.at(now), before.role.lower()
    line = path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}", f"trail {kind}")
    if before.term:
        shape = "circle" if before.role == "X" else "square"
        return line + path(outline(shape, x, y, 0.6), f"ghost {kind}")
    return line + path(cross(x, y, CROSS), f"mean ghost {kind}")


def arrows(
    lists: Lists, first: Mapping[Key, Pair], second: Mapping[Key, Pair], names: tuple[str, str]
) -> tuple[Markup, list[str]]:
    """Draw each word as an arrow from its place on one source to that on another.

    Empty where too few words are on both; also the words that one of the two lacks.
    """
    shared = [key for key in first if key in second]
    before, after = ([Point(*key, *places[key]) for key in shared] for places in (first, second))
    svg = moving(
        [*before, *means_of(before)], [*after, *means_of(after)],
        {role: group.name for role, group in lists.groups.items()}, names, unit="cosine",
        title=f"{names[0]} to {names[1]}", data=lambda point: _data(lists, point),
    )  # fmt: skip
    lacking = [word for role, word in {**first, **second} if (role, word) not in shared]
    return Markup(svg), lacking  # noqa: S704  (a drawing of ours, escaped there)


def effect_with_trail(now: Effect, was: Effect | None) -> Markup:
    """One effect size on its scale, with a hollow mark where it was before any change.

    A mark beyond the scale is at its end.
    """
    axis, y = AXIS.on(MARGIN, MARGIN + LEVEL), LEVEL_HEIGHT / 2
    parts = [
        path(f"M{at:.1f} 0V{LEVEL_HEIGHT:g}", "z" if text == "0" else "g")
        for at, text in axis.ticks()
    ]
    if was is not None and was.d is not None:
        (shape, colour), x = mark_of(was.place), round(axis.at(_clip_to_axis(was.d)), 1)
        if now.d is not None:
            parts.append(path(f"M{x:g} {y:g}H{axis.at(_clip_to_axis(now.d)):.1f}", "trail"))
        parts.append(path(outline(shape, x, y), f"m ghost {colour}".strip()))
    if now.d is None:
        parts.append(estimate(now, axis, y))
    else:
        parts += interval_line(now, axis, y), mark_effect(now, axis.at(_clip_to_axis(now.d)), y)
    width = axis.end + 8
    return Markup(  # noqa: S704  (numbers alone)
        f'<svg width="{width:g}" height="22" viewBox="0 0 {width:g} 22" class="fig interval" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )
