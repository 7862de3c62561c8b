"""What the page shows of lists of words, as HTML: a finding, its drawings, other words, sources."""

from __future__ import annotations

import re
import shlex
from typing import Any, NamedTuple

from markupsafe import Markup

from eatlas.apps.explorer.drawings import arrows, moved_effect, plane_of, word_id
from eatlas.apps.explorer.lists import (
    LONGEST_NAME,
    NO_LISTS,
    Request,
    require_words,
    shortened,
    starts,
    words_in,
)
from eatlas.apps.explorer.measuring import DEFAULT_MEASURE, Explorer, View
from eatlas.errors import EatlasError
from eatlas.notes import Note
from eatlas.present.drawings.eat_map import symbols
from eatlas.present.drawings.rows import influence
from eatlas.present.drawings.svg import Axis
from eatlas.present.effects import levels_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import count, number_of
from eatlas.present.rendering import POWER, render
from eatlas.present.sections import Scales, Section, sections
from eatlas.present.sentences import headline, sentence
from eatlas.present.text import clean
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.stimuli import ROLES

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
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
COMMON = "also a common word: its vector mixes both meanings"
INFLUENCE = 640.0
"""Pixels of the drawing of the words on which effect sizes rest."""
MISSING = 8
"""Words without a vector that are named one by one."""


class Chip(NamedTuple):
    """One word as a button."""

    id: str
    word: str
    on: bool
    added: bool
    remark: str
    """Why it has no vector, or that it is a common word too; mostly empty."""
    missing: bool


class Row(NamedTuple):
    """One effect size, now and before any change."""

    now: Effect
    was: Effect | None
    drawn: Markup


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
    )


def board_of(explorer: Explorer, request: Request) -> str:
    """What is found with the words of a request, beside what was found before any change."""
    view = explorer.view(request)
    lists, original = view.lists, view.original
    return render(
        "explore_board",
        view=view,
        groups=[_group(view, role) for role in ROLES],
        changes=lists.changes,
        was=original.primary.label if original and explorer.has_patterns else "",
        before=original,
        in_memory=not view.source.spec,
        command=command(explorer, request),
        saved=lists.changed or not request.test or lists.origin.id not in explorer.bundled,
        **({"section": None} if view.result is None else _finding(view, view.result)),
    )


def _finding(view: View, result: AssociationResult) -> dict[str, Any]:
    """What the template needs of a result."""
    section = section_of(result)
    before = {} if view.original is None else {one.place: one for one in levels_of(view.original)}
    levels = [(one, before.get(one.place)) for one in section.levels if one.symbol == "d"]
    axis = Axis.of_effects([one.d for pair in levels for one in pair if one])
    text = sentence(result)
    if view.explored:
        changed = view.lists.changed * "The words were changed after results had been seen; "
        were = "was" if view.looked_at == 1 else "were"
        text += f" {changed}{number_of(view.looked_at, 'list')} of words {were} looked at."
    groups = view.lists.groups
    rests = any(now.d is not None and now.influence is not None for now, _ in levels)
    return {
        "section": section,
        "rows": [Row(now, was, moved_effect(now, was, axis)) for now, was in levels],
        "limit": f"{axis.high:g}",
        "text": text,
        "plain": in_letters(text),
        "plane": plane_of(view, result) if view.placed.at else "",
        "influence": Markup(influence(result, INFLUENCE)) if rests else "",  # noqa: S704
        "table": [
            (word, groups[role].name, word in groups[role].off, a, b)
            for (role, word), (a, b) in view.placed.at.items()
        ],
    }


def in_letters(text: str) -> str:
    """A text for a clipboard, which has no raised digits but those of Unicode.

    >>> in_letters("p = 4.5e-06.")
    'p = 4.5 × 10⁻⁶.'
    """
    return POWER.sub(lambda m: f"{m[1]} × 10⁻{m[2].translate(_RAISED)}", text)


def section_of(result: AssociationResult) -> Section:
    """A result arranged as the report has it."""
    (section,) = sections([result], DeclaredFamily.of([result], "none"))
    return section


def _group(view: View, role: str) -> dict[str, Any]:
    """The words of a group as buttons."""
    group, placed = view.lists.groups[role], view.placed
    chips = []
    for word in group.words:
        key, at = (role, word), word_id(view.lists, role, word)
        remark = placed.missing.get(key, COMMON if key in placed.common else "")
        on, added = word not in group.off, word in group.added
        chips.append(Chip(at, word, on, added, remark, key in placed.missing))
    return {"role": role, "name": group.name, "chips": chips, "on": len(group.on)}


def others_of(explorer: Explorer, request: Request) -> str:
    """How often resampled words show each pattern."""
    try:
        section = section_of(explorer.other_words(request))
    except EatlasError as error:
        return render("explore_others", section=None, problem=error.what)
    return render("explore_others", section=section, problem="")


def across_of(explorer: Explorer, request: Request) -> str:
    """The words on every source, and where each goes from one source to another."""
    rows, arranged = [], []
    for name, results in explorer.across(request):
        cells: list[tuple[Section | None, str]] = [
            (None, one.what) if isinstance(one, EatlasError) else (section_of(one), "")
            for one in results
        ]
        found = [section for section, _ in cells if section]
        labels = [
            section.result.primary.label if section.result.pattern else headline(section.result)
            for section in found
        ]
        steps = [one for one, last in zip(labels, ["", *labels], strict=False) if one != last]
        rows.append((name, cells, " → ".join(steps) if len(steps) > 1 else ""))
        arranged += found
    lists, moved, between, why = explorer.lists(request), Markup(), ("", ""), ""
    lacking: list[str] = []
    if request.compared is not None:
        numbers = (request.source, request.compared)
        here, there = (explorer.places_on(request, number) for number in numbers)
        between = explorer.source(numbers[0]).name, explorer.source(numbers[1]).name
        moved, lacking = arrows(lists, here, there, between)
        why = "The two sources have too few of these words in common to draw them."
    elif request.against is not None:
        why = "Choose another source to compare with: each word is then drawn as an arrow."
    return render(
        "explore_across",
        rows=rows,
        sources=[source.name for source in explorer.sources],
        names={role: group.name for role, group in lists.groups.items()},
        scales=Scales.of(arranged),
        moved=moved,
        lacking=lacking,
        between=between,
        why=why,
    )


def look_of(explorer: Explorer, request: Request) -> str:
    """Which pasted words a source has, and what a person should know of them."""
    if not request.lists:
        raise EatlasError(NO_LISTS)
    source, counts = explorer.source(request.source), {}
    for role, (there, missing) in explorer.found_in(request).items():
        counts[role] = f"{count(there)} found in {source.name}" if there or missing else ""
        if missing:
            named = ", ".join(shortened(clean(word)) for word in missing[:MISSING])
            more = f" and {len(missing) - MISSING:,} more" if len(missing) > MISSING else ""
            counts[role] += f"; {number_of(len(missing), 'word')} missing: {named}{more}"
    remarks: tuple[Note, ...] = ()
    problem = ""
    try:
        if all(words_in(text) for _, text in request.lists.values()):
            remarks = explorer.remarks_on(request)
        for role, (name, text) in request.lists.items():
            require_words(name or role, words_in(text))
    except EatlasError as error:
        problem = error.what
    return render("explore_remarks", counts=counts, remarks=remarks, problem=problem)


def command(explorer: Explorer, request: Request) -> str:
    """The command that repeats what is shown, with the test that is exported.

    It is a line of Python where vectors are in memory, which no command line can name.
    """
    numbers = [request.source, *([] if request.compared is None else [request.compared])]
    specs = dict.fromkeys(explorer.source(number).spec for number in numbers)
    try:
        tests = explorer.tests_of(request)
    except EatlasError:
        return ""
    by_id = len(tests) == 1 and tests[0].id in explorer.bundled and request.test
    name = tests[0].id if by_id else f"{file_name(tests[0].id)}.toml"
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
