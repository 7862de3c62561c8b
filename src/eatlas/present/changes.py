"""What a prompt changes: effect sizes before and after, for terminal and page alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from eatlas.present.columns import Cell, Column, Table
from eatlas.present.numbers import effect
from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult
from eatlas.results.compare import NO_PROMPT, Change, Changes, EffectChange, changes_of
from eatlas.results.levels import CELLS
from eatlas.results.settings import Settings

ARROW = "\u2192"
FLIPS, SAME = "sign flips", "same"


@dataclass(frozen=True)
class ChangeTable:
    """All tests by one measure on one model, with two prompts."""

    measure: str
    since: str
    to: str
    changes: Changes

    @property
    def title(self) -> str:
        """Measure, model, and both prompts."""
        of = Settings.among(one for each in self.changes for one in (each.before, each.after))
        on = f" on {of.common}" if of.common else ""
        since, to = (one if one == NO_PROMPT else f"“{one}”" for one in (self.since, self.to))
        return f"{self.measure}{on}, from prompt {since} to {to}"

    @cached_property
    def names(self) -> list[str]:
        """Each test, with its setting where there are several: a layer, a transform."""
        of = Settings.among(one.after for one in self.changes)
        return [of.named(one.after) for one in self.changes]

    @property
    def heads(self) -> tuple[str, ...]:
        """Titles of the effect sizes, as any test has them."""
        titles = {one.after.place: one.after.title for each in self.changes for one in each.effects}
        return tuple(titles.values())

    @property
    def with_patterns(self) -> bool:
        """Whether any result has an EAT pattern."""
        return any(one.after.pattern is not None for one in self.changes)

    @property
    def table(self) -> Table:
        """A row for each test: its effect sizes before and after, and its EAT pattern."""
        places = {one.after.place: one for each in self.changes for one in each.effects}
        columns = [Column(head, number=True) for head in self.heads]
        if self.with_patterns:
            columns.append(Column("EAT pattern"))
        rows = []
        for name, each in zip(self.names, self.changes, strict=True):
            known = {one.after.place: one for one in each.effects}
            cells = [_cell(known.get(place)) for place in places]
            rows.append((Cell((name,)), *cells, *[_pattern(each)] * self.with_patterns))
        return Table("changes", (Column("Test"), *columns), tuple(rows))

    @property
    def means(self) -> Table | None:
        """A row for each test: its means of level 3; None where there are none."""
        if not any(one.rises for one in self.changes):
            return None
        rows = zip(self.names, self.changes, strict=True)
        columns = (
            Column(f"{name[0]} with {name[1]}", number=True, short=f"{name[0]},{name[1]}")
            for name in CELLS
        )
        return Table(
            "means",
            (Column("Test", short="Level 3: means"), *columns),
            tuple((Cell((name,)), *_means(one)) for name, one in rows),
        )

    @property
    def sentence(self) -> str:
        """Which signs flip, which patterns change, and where the means of level 3 go."""
        return phrase("sentences", "changed", self)

    @property
    def flips(self) -> list[tuple[str, list[str]]]:
        """Title of each effect size with the tests in which its sign flips."""
        return self._where(lambda one: one.sign_flips)

    @property
    def significance(self) -> list[tuple[str, list[str]]]:
        """Title of each effect size with the tests in which its significance changes."""
        return self._where(lambda one: one.significance_changes)

    @property
    def patterns(self) -> list[tuple[str, str, str]]:
        """Tests whose pattern changes, with both labels."""
        return [
            (name, one.before.primary.label, one.after.primary.label)
            for name, one in zip(self.names, self.changes, strict=True)
            if one.pattern_changes
        ]

    @property
    def rises(self) -> list[float]:
        """Changes of all means of level 3; of shares, which sum to 1, those of A."""
        step = 2 if self.changes[0].after.unit == "share" else 1
        return [value for one in self.changes for value in one.rises[::step]]

    @property
    def unit(self) -> str:
        """What these are means of."""
        unit = self.changes[0].after.unit
        return "share of A" if unit == "share" else unit

    def _where(self, condition: Callable[[EffectChange], bool]) -> list[tuple[str, list[str]]]:
        found: dict[str, list[str]] = {title: [] for title in self.heads}
        for name, each in zip(self.names, self.changes, strict=True):
            for one in each.effects:
                if condition(one):
                    found[one.after.title].append(name)
        return [(title, tests) for title, tests in found.items() if tests]


def tables_of_changes(results: Iterable[AssociationResult]) -> list[ChangeTable]:
    """A table for each measure, model and prompt but the first; none where no prompt varies.

    Results of single terms are left out.
    """
    given = list(results)
    settings = Settings.among(given)
    of_tests = (one for one in changes_of(given, "prompt") if one.effects)
    return [
        ChangeTable(settings.short(changes[0].after), since, to, changes)
        for (_, _, since, to), changes in Changes(of_tests).groups.items()
    ]


def _cell(found: EffectChange | None) -> Cell:
    """An effect size before and after, below it whether its sign flips."""
    if found is None:
        return Cell(("",))
    before, after = (
        effect(one.d) + one.star if one.d is not None else "undefined"
        for one in (found.before, found.after)
    )
    said = f"{before} {ARROW} {after}"
    return Cell((said, FLIPS), strong=True) if found.sign_flips else Cell((said,))


def _means(change: Change) -> tuple[Cell, ...]:
    one, other = change.before.level3, change.after.level3
    if one is None or other is None:
        return ()
    pairs = ((one.cell(name).mean, other.cell(name).mean) for name in CELLS)
    return tuple(Cell((f"{effect(before)} {ARROW} {effect(after)}",)) for before, after in pairs)


def _pattern(change: Change) -> Cell:
    """The EAT pattern before and after; empty where there is none."""
    if change.after.pattern is None:
        return Cell(("",))
    before, after = (one.primary.label for one in (change.before, change.after))
    return Cell((f"{before} {ARROW} {after}" if change.pattern_changes else f"{after} ({SAME})",))
