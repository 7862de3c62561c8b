"""What one choice, such as a prompt, changes: signs, significance, patterns, means of level 3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from eatlas.errors import ResultsError, listed
from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS
from eatlas.results.varied import By, Varied, model_of, value_of, varied

if TYPE_CHECKING:
    import pandas as pd


class EffectChange(NamedTuple):
    """One effect size before and after."""

    before: Effect
    after: Effect

    @property
    def sign_flips(self) -> bool:
        """Whether both are defined and are on two sides of 0."""
        one, other = self.before.d, self.after.d
        return one is not None and other is not None and one * other < 0

    @property
    def significance_changes(self) -> bool:
        """Whether one is significant and the other is not, both read as the rule says."""
        return self.before.significant != self.after.significant


@dataclass(frozen=True)
class Change:
    """One test by one measure on one model, with two values of a choice."""

    by: By
    before: AssociationResult
    after: AssociationResult

    @property
    def test(self) -> str:
        """Id of the test."""
        return self.after.test

    @property
    def since(self) -> str:
        """The value that is compared with, such as a prompt."""
        return value_of(self.before, self.by)

    @property
    def to(self) -> str:
        """The other value."""
        return value_of(self.after, self.by)

    @cached_property
    def effects(self) -> tuple[EffectChange, ...]:
        """Effect sizes of the result as a whole that both have."""
        known = {one.place: one for one in self.before.effects() if one.term is None}
        return tuple(
            EffectChange(known[one.place], one)
            for one in self.after.effects()
            if one.term is None and one.place in known
        )

    @property
    def flips(self) -> tuple[str, ...]:
        """Places of the effect sizes whose sign flips, such as ``level1``."""
        return tuple(one.after.place for one in self.effects if one.sign_flips)

    @property
    def pattern_changes(self) -> bool:
        """Whether both have an EAT pattern, and another one."""
        one, other = self.before.primary, self.after.primary
        return None not in (one.pattern, other.pattern) and one.label != other.label

    @property
    def rises(self) -> tuple[float, ...]:
        """Change of each mean of level 3: XA, XB, YA, YB; empty without a level 3."""
        one, other = self.before.level3, self.after.level3
        if one is None or other is None:
            return ()
        return tuple(other.cell(name).mean - one.cell(name).mean for name in CELLS)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each effect size."""
        means = dict(zip(CELLS, self.rises, strict=False))
        labels = [
            None if one.primary.pattern is None else one.primary.label
            for one in (self.before, self.after)
        ]
        return [
            {
                "test": self.test,
                "model": model_of(self.after, self.by),
                "signature": self.after.signature,
                "by": self.by,
                "since": self.since,
                "to": self.to,
                "place": one.after.place,
                "effect_size_since": one.before.d,
                "effect_size": one.after.d,
                "p_since": one.before.p_value,
                "p": one.after.p_value,
                "sign_flips": one.sign_flips,
                "significance_changes": one.significance_changes,
                "pattern_since": labels[0],
                "pattern": labels[1],
                "pattern_changes": self.pattern_changes,
                **{f"rise_{name}": value for name, value in means.items()},
            }
            for one in self.effects
        ]


class Changes(Sequence[Change]):
    """What a choice changes, for each test and value.

    Parameters
    ----------
    changes : iterable of Change
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self._changes = tuple(changes)

    @overload
    def __getitem__(self, place: int) -> Change: ...

    @overload
    def __getitem__(self, place: slice) -> Changes: ...

    def __getitem__(self, place: int | slice) -> Change | Changes:
        return Changes(self._changes[place]) if isinstance(place, slice) else self._changes[place]

    def __len__(self) -> int:
        return len(self._changes)

    def __repr__(self) -> str:
        what = "change" if len(self) == 1 else "changes"
        return f"<{len(self)} {what}: {self.summary()}>"

    @property
    def flips(self) -> Changes:
        """Those in which the sign of an effect size flips."""
        return Changes(one for one in self if one.flips)

    @property
    def pattern_changes(self) -> Changes:
        """Those in which the EAT pattern is another one."""
        return Changes(one for one in self if one.pattern_changes)

    @property
    def groups(self) -> dict[tuple[str, str, str, str], Changes]:
        """Changes of all tests together, by model, signature, and the two values."""
        found: dict[tuple[str, str, str, str], list[Change]] = {}
        for one in self:
            key = model_of(one.after, one.by), one.after.signature, one.since, one.to
            found.setdefault(key, []).append(one)
        return {key: Changes(some) for key, some in found.items()}

    def summary(self) -> str:
        """How many signs flip, and how many patterns change."""
        effects = [effect for one in self for effect in one.effects]
        flips = sum(effect.sign_flips for effect in effects)
        patterns = [one for one in self if one.after.pattern is not None]
        changed = sum(one.pattern_changes for one in patterns)
        return (
            f"{flips} of {len(effects)} signs flip, {changed} of {len(patterns)} EAT patterns "
            "change"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each effect size of each change."""
        import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

        return pd.DataFrame([row for one in self for row in one.rows()])


def changes_of(
    results: Iterable[AssociationResult], by: By = "prompt", since: str | None = None
) -> Changes:
    """Compare results that differ in one choice alone.

    Parameters
    ----------
    results : iterable of results
    by : {"prompt", "layer", "level", "weights", "window", "distance"}
    since : str, optional
        The value that the others are compared with; by default the first.

    Raises
    ------
    ResultsError
        If there is no such choice, or no result has the value `since`.
    """
    groups = varied(results, by)
    known = list(dict.fromkeys(value for group in groups for value in group.values))
    if since is not None and since not in known:
        raise ResultsError(
            f"no result to compare with has this {by}",
            got=repr(since),
            allowed=listed(known) or f"results that differ in their {by}",
        )
    return Changes(one for group in groups for one in _of_group(group, since))


def _of_group(group: Varied, since: str | None) -> Iterable[Change]:
    """Changes from one member of a group to each of the others; none where it has no such."""
    values = dict(zip(group.values, group.members, strict=True))
    first = group.values[0] if since is None else since
    if first not in values:
        return ()
    return [
        Change(group.by, values[first], member)
        for value, member in values.items()
        if value != first
    ]
