"""What the page shows of lists of words, as HTML: a finding, its drawings, other words, sources."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup

from eatlas.apps.explorer.drawings import arrows, moved_effect, plane_of, strip, word_id
from eatlas.apps.explorer.lists import (
    LONGEST_NAME,
    Request,
    pasted,
    require_words,
    shortened,
    starts,
    words_in,
)
from eatlas.apps.explorer.measuring import DEFAULT_MEASURE, Explorer, View
from eatlas.errors import EatlasError
from eatlas.present.drawings.eat_map import symbols
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
from eatlas.stimuli import ROLES, TARGETS

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
        sources=[one.name for one in explorer.sources],
        figures=[one for one in FIGURES.items() if explorer.has_patterns or one[0] == "forest"],
        starts=list(starts(explorer.tests.values())),
        roles=GROUPS.items(),
        symbols=symbols(),
        longest_name=LONGEST_NAME,
    )


def board_of(explorer: Explorer, request: Request) -> str:
    """What is found with the words of a request, beside what was found before any change."""
    view = explorer.view(request)
    shown: dict[str, Any] = {"section": None}
    if view.result is not None:
        shown = _found(view, view.result)
    test = view.lists.origin
    return render(
        "explore_board",
        view=view,
        groups=[_group(view, role) for role in ROLES],
        changes=view.lists.changes,
        was=view.original.primary.label if view.original and explorer.has_patterns else "",
        before=view.original,
        in_memory=not view.source.spec,
        command=command(explorer, request),
        saved=view.lists.changed or not request.test or test.id not in explorer.bundled,
        **shown,
    )


def _found(view: View, result: AssociationResult) -> dict[str, Any]:
    """What the template needs of a result."""
    section = section_of(result)
    before = {} if view.original is None else {one.place: one for one in levels_of(view.original)}
    levels = [one for one in section.levels if one.symbol == "d"]
    was = {one.place: before.get(one.place) for one in levels}
    axis = Axis.of_effects([one.d for one in (*levels, *filter(None, was.values()))])
    off = {(role, word) for role in TARGETS for word in view.lists.groups[role].off}
    return {
        "section": section,
        "rows": [
            Row(one, was[one.place], moved_effect(one, was[one.place], axis)) for one in levels
        ],
        "limit": f"{axis.high:g}",
        "said": said(view, sentence(result)),
        "plain": in_letters(said(view, sentence(result))),
        "plane": plane_of(view.lists, result, view.places, view.origins),
        "strip": strip(view.lists, result, levels),
        "table": [
            {
                "word": word,
                "group": view.lists.groups[role].name,
                "off": (role, word) in off,
                "a": a,
                "b": b,
            }
            for (role, word), (a, b) in view.places.items()
        ],
    }


def said(view: View, sentence: str) -> str:
    """The finding in sentences, with how many lists were looked at."""
    if not view.explored:
        return sentence
    changed = "The words were changed after results had been seen; " if view.lists.changed else ""
    were = "was" if view.looked_at == 1 else "were"
    return f"{sentence} {changed}{number_of(view.looked_at, 'list')} of words {were} looked at."


def in_letters(text: str) -> str:
    """A text for a clipboard, which has no raised digits but those of Unicode.

    >>> in_letters("p = 4.5e-06.")
    'p = 4.5 × 10⁻⁶.'
    """
    return POWER.sub(lambda m: f"{m[1]} × 10⁻{m[2].translate(_RAISED)}", text)


def section_of(result: AssociationResult) -> Section:
    """A result arranged as the report has it."""
    (section,) = sections([result], DeclaredFamily.of([result], "none"), dots=False)
    return section


def _group(view: View, role: str) -> dict[str, Any]:
    """The words of a group as buttons."""
    group, reasons = view.lists.groups[role], view.placed.missing.get(role, {})
    chips = [
        Chip(
            word_id(view.lists, role, word),
            word,
            word not in group.off,
            word in group.added,
            reasons.get(word, COMMON if (role, word) in view.placed.common else ""),
            word in reasons,
        )
        for word in group.words
    ]
    return {"role": role, "name": group.name, "chips": chips, "on": len(group.on)}


def others_of(explorer: Explorer, request: Request) -> str:
    """How often resampled words show each pattern."""
    try:
        section = section_of(explorer.other_words(request))
    except EatlasError as error:
        return render("explore_others", section=None, problem=error.what)
    return render("explore_others", section=section, problem="")


@dataclass(frozen=True)
class Cell:
    """A result on one source, or why there is none."""

    section: Section | None
    problem: str


def across_of(explorer: Explorer, request: Request) -> str:
    """The words on every source, and where each goes from one source to another."""
    names = tuple(one.name for one in explorer.sources)
    rows, found = [], []
    for name, results in explorer.across(request):
        cells = [
            Cell(None, one.what) if isinstance(one, EatlasError) else Cell(section_of(one), "")
            for one in results
        ]
        labels = [_found_in_short(c.section) for c in cells if c.section is not None]
        steps = [one for i, one in enumerate(labels) if i == 0 or one != labels[i - 1]]
        differs = " → ".join(steps) if len(steps) > 1 else ""
        rows.append({"name": name, "cells": cells, "differs": differs})
        found += [cell.section for cell in cells if cell.section is not None]
    lists, moved, why, between = explorer.lists(request), None, "", ("", "")
    if request.against is not None and request.against != request.source:
        one, here = explorer.places_on(request, request.source)
        other, there = explorer.places_on(request, request.against)
        between = (one.name, other.name)
        moved = arrows(lists, here, there, between)
        why = "" if moved else "The two sources have too few of these words in common to draw them."
    elif request.against is not None:
        why = "Choose another source to compare with: each word is then drawn as an arrow."
    return render(
        "explore_across",
        rows=rows,
        sources=names,
        names={role: group.name for role, group in lists.groups.items()},
        scales=Scales.of(found),
        moved=moved,
        between=between,
        why=why,
    )


def _found_in_short(section: Section) -> str:
    """The pattern, or whether the effect is significant where a measure has no patterns."""
    if section.result.pattern is not None:
        return section.result.primary.label
    return headline(section.result)


def look_of(explorer: Explorer, request: Request) -> str:
    """Which pasted words a source has, and what a person should know of them."""
    where = explorer.source(request.source)
    counts = explorer.missing(request.lists, request.source)
    found = {}
    for role, (there, missing) in counts.items():
        text = "" if not there and not missing else f"{count(there)} found in {where.name}"
        if missing:
            named = ", ".join(shortened(clean(one)) for one in missing[:MISSING])
            more = f" and {len(missing) - MISSING:,} more" if len(missing) > MISSING else ""
            text += f"; {number_of(len(missing), 'word')} missing: {named}{more}"
        found[role] = text
    begun = [role for role in ROLES if words_in(request.lists[role][1])]
    remarks, problem = [], ""
    try:
        if len(begun) == len(ROLES):
            remarks = explorer.remarks_on(pasted(request.lists), where)
        else:
            _require_lengths(request)
    except EatlasError as error:
        problem = error.what
    return render("explore_remarks", found=found, remarks=remarks, problem=problem)


def _require_lengths(request: Request) -> None:
    """Refuse lists that are too long while others are not written yet."""
    for role in ROLES:
        name, text = request.lists[role]
        require_words(name or role, words_in(text))


def command(explorer: Explorer, request: Request) -> str:
    """The command that repeats what is shown, with the test that is exported.

    It is a line of Python where vectors are in memory, which no command line can name.
    """
    numbers = [request.source]
    if request.against is not None and request.against != request.source:
        numbers.append(request.against)
    specs = dict.fromkeys(explorer.source(number).spec for number in numbers)
    try:
        tests = explorer.tests_of(replace(request, against=None))
    except EatlasError:
        return ""
    known = len(tests) == 1 and tests[0].id in explorer.bundled and request.test
    name = tests[0].id if known else f"{file_name(tests[0].id)}.toml"
    if not all(specs):
        chosen = "" if explorer.measure_text == DEFAULT_MEASURE else f", {explorer.measure_text!r}"
        return f"eatlas.run({name!r}, vectors{chosen})"
    parts = ["eatlas", "run", "--tests", name]
    for spec in specs:
        parts += ["--vectors", spec]
    if explorer.measure_text != DEFAULT_MEASURE:
        parts += ["--measure", explorer.measure_text]
    return shlex.join(parts)


def file_name(text: str) -> str:
    """A name of a file that any system takes, made of the id of a test.

    >>> file_name("a/b: c")
    'a-b-c'
    """
    kept = "".join(
        char if char.isascii() and (char.isalnum() or char in "._") else "-" for char in text
    )
    return "-".join(filter(None, kept.split("-")))[:80].strip(".") or "test"
