"""Words of charts: notes below titles, tooltips, descriptions for screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from eatlas.present.charts.backend import alt
from eatlas.present.charts.marks import is_narrow
from eatlas.present.charts.theme import LOOKS
from eatlas.present.numbers import UNDEFINED, effect, interval, p_equals, p_value
from eatlas.present.text import isolated
from eatlas.results.effects import Rule

THESE_AND_OTHERS = (
    "p asks about these words, intervals about other words: an interval may cross 0 where p is "
    "small."
)
"""Why an interval and a p-value may seem to contradict each other."""
SHAPES = "Diamonds: level 1, X against Y. Circles and squares: level 2 of X and of Y alone."
"""What the marks of effect sizes are, where no label says so."""
LONGEST_DESCRIPTION = 12
"""Findings that a description spells out; a screen reader reads all of it at once."""


def named(row: Mapping[str, Any]) -> str:
    """A test by its id and, where there is room, its title."""
    title = None if is_narrow() else row.get("title")
    return ": ".join(dict.fromkeys(filter(None, (row["test"], title))))


def of_series(row: Mapping[str, Any], several: bool) -> str:  # noqa: FBT001
    """A test by its id and, where there are several, its source."""
    return isolated(row["test"]) + (f": {row['series']}" if several else "")


def effect_notes(
    rows: list[dict[str, Any]], marks: str = "Filled and starred", bars: str = "Bars"
) -> list[str]:
    """Say what fill, star and bar mean, from the rules that the rows were read by."""
    rules = dict.fromkeys((row["alpha"], row["tail"]) for row in rows)
    meant = " or ".join(Rule(*rule).meaning.removeprefix("* ") for rule in rules)
    notes = [f"{marks}: {meant}."]
    if any(row.get("read_over") == "stimuli" for row in rows):
        notes.append("Tests of sentences: over stimuli.")
    shares = dict.fromkeys(row["confidence"] for row in rows if row["confidence"] is not None)
    if shares:
        levels = " or ".join(f"{100 * share:g}%" for share in shares)
        notes += [f"{bars}: {levels} intervals over resampled terms.", THESE_AND_OTHERS]
    return notes


def in_words(row: dict[str, Any]) -> str:
    """One effect size as a phrase."""
    name = isolated(str(row["name"]))
    year = "" if row["period"] is None else f", {row['period']}"
    what = f"{subject(row)}{year}, {row['level']}, {name}"
    if row["effect_size"] is None:
        return f"{what}: undefined"
    ends = ""
    if row["low"] is not None:
        ends = f", interval {effect(row['low'])} to {effect(row['high'])}"
    p = "" if row["p"] is None else f", {p_equals(row['p'], row['alpha'], row.get('p_low'))}"
    symbol = "d = " if row["role"] in LOOKS else ""
    return f"{what}: {symbol}{effect(row['effect_size'])}{p}{ends}"


def targets(row: Mapping[str, Any]) -> str:
    """The targets or attributes that an effect size is about."""
    role = row["role"]
    return " against ".join(row[one] for one in role) if len(role) > 1 else str(row["name"])


def shown(row: dict[str, Any]) -> dict[str, str]:
    """One effect size as the texts of its tooltip and of its label, with the look of its mark."""
    return {
        "look": LOOKS.get(row["role"], "level 1"),
        "d": effect(row["effect_size"]),
        "interval": interval(None if row["low"] is None else (row["low"], row["high"])),
        "p_shown": UNDEFINED
        if row["p"] is None
        else p_value(row["p"], row["alpha"], row.get("p_low")),
        "words": in_words(row),
    }


def tooltip(**titles: str) -> list[Any]:
    """Texts of a tooltip: columns and what they are called."""
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]


def effect_tooltip() -> list[Any]:
    """What a tooltip tells of an effect size."""
    return tooltip(
        test="test", series="source", level="level", name="targets", d="d", interval="interval",
        p_shown="p",
    )  # fmt: skip


def subject(row: Mapping[str, Any]) -> str:
    """The test and the source of a result, as a description names them."""
    return f"{isolated(row['test'])}, {isolated(row['series'])}"


def described(what: str, rows: list[dict[str, Any]]) -> str:
    """A chart in words: its kind and its first findings."""
    return listed(f"{what} of {len(rows)} effect sizes", [in_words(row) for row in rows])


def listed(what: str, parts: list[str]) -> str:
    """A heading and its parts, the first of them if there are many."""
    more = len(parts) - LONGEST_DESCRIPTION
    text = "; ".join(parts[:LONGEST_DESCRIPTION])
    return f"{what}. {text}{f'; and {more} more' if more > 0 else ''}."


def source_note(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What all results of a chart are about; sources without anything in common are in its key."""
    known = dict.fromkeys(str(row["subject"]) for row in rows if row.get("subject"))
    several = re.compile(r"\d+ (sources|models)")
    return [f"Source: {one}" for one in known if not several.fullmatch(one)][:1]
