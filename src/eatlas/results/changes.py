"""Results that are alike but for one choice, such as a prompt or a layer, and what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

from eatlas.errors import ResultsError, listed
from eatlas.lazy import as_frame
from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS
from eatlas.results.parts import Encoding

if TYPE_CHECKING:
    import pandas as pd

By = Literal["prompt", "layer", "level", "weights", "window", "distance"]
NO_PROMPT = "(no prompt)"
NUMBERED: tuple[By, ...] = ("layer", "window", "distance")
"""Choices that rise from one value to the next."""
_IN_TEXTS: tuple[By, ...] = ("window", "distance")
_WITHOUT: dict[By, dict[str, object]] = {
    "prompt": {"prompt": ""},
    "layer": {"layer": ""},
    "level": {"level": "sentence", "pool": "", "subword": ""},
    "weights": {"weights": "trained", "weights_seed": None},
}


@dataclass(frozen=True)
class Varied:
    """Results of one test by one measure on one model, alike but for one choice."""

    by: By
    members: tuple[AssociationResult, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What was chosen, one for each member."""
        return tuple(value_of(member, self.by) for member in self.members)


def value_of(result: AssociationResult, by: By) -> str:
    """What was chosen for a result."""
    value = _value(result, by)
    if value is None:
        no_contexts, no_model = "it was not measured in contexts", "the vectors were not encoded"
        why = no_contexts if by in _IN_TEXTS else no_model
        raise ResultsError(f"{result.test} on {result.source}: {why}")
    return value


def model_of(result: AssociationResult, by: By) -> str:
    """The model that results have in common; the whole source, where only contexts differ."""
    if result.encoding is None or by in _IN_TEXTS:
        return result.source
    return result.encoding.model


def sizes_beside(result: AssociationResult, by: By) -> str:
    """How much of a text the contexts of a result hold, but for what varies; may be empty."""
    sizes = {} if result.contexts is None else result.contexts.columns()
    return ", ".join(f"{name} {size}" for name, size in sizes.items() if name != by)


def choices_beside(result: AssociationResult, by: By) -> dict[By, str]:
    """The other choices of how texts of a result were encoded, in words."""
    if result.encoding is None:
        return {}
    found = {one: _value(result, one) for one in get_args(By) if one not in _IN_TEXTS}
    words = {
        one: value if one in ("weights", "level") or value == NO_PROMPT else f"{one} {value}"
        for one, value in found.items()
        if value and one != by
    }
    return {one: value.strip("()") for one, value in words.items()}


def told_apart(names: Sequence[str], *more: Sequence[str]) -> list[str]:
    """Add to names that stand for several things what else distinguishes these, and no more."""
    told = list(names)
    for additions in more:
        known = Counter(told)
        told = [
            name + (one if known[name] > 1 else "")
            for name, one in zip(told, additions, strict=True)
        ]
    return told


def varied(results: Iterable[AssociationResult], by: By) -> tuple[Varied, ...]:
    """Group results that are alike but for `by`; groups of one value are left out.

    Layers, windows and distances come in their order, trained weights before random ones, vectors
    of stimuli before those of whole texts, prompts as they are given. Of results of one value, the
    first counts.
    """
    if by not in get_args(By):
        raise ResultsError(
            "results cannot be compared by this", got=repr(by), allowed=", ".join(get_args(By))
        )
    groups: dict[tuple[Any, ...], dict[str, AssociationResult]] = {}
    for result in results:
        value = _value(result, by)
        if value is not None:
            groups.setdefault(_alike(result, by), {}).setdefault(value, result)
    return tuple(
        Varied(by, tuple(group[value] for value in _ordered(group, by)))
        for group in groups.values()
        if len(group) > 1
    )


def _value(result: AssociationResult, by: By) -> str | None:
    """The value of a setting of one result, such as its layer; None if it has none."""
    if by in _IN_TEXTS:
        size = None if result.contexts is None else getattr(result.contexts, by)
        return None if size is None else str(size)
    encoding = result.encoding
    if encoding is None:
        return None
    if by == "weights":
        seed = encoding.weights_seed
        return encoding.weights if seed is None else f"{encoding.weights}, seed {seed}"
    if by == "level":
        return f"{encoding.level} ({encoding.subword or encoding.pool or 'its own way'})"
    return encoding.prompt or NO_PROMPT if by == "prompt" else encoding.layer


def _alike(result: AssociationResult, by: By) -> tuple[Any, ...]:
    """All that results which differ in one choice alone have in common.

    The name of a source tells its layer, prompt and weights; so for these its encoding stands.
    """
    source: str | Encoding | None = result.source
    contexts = result.contexts
    if by in _IN_TEXTS:
        contexts = None if contexts is None else contexts.model_copy(update={by: None})
    elif result.encoding is not None:
        source = result.encoding.model_copy(update=_WITHOUT[by])
    return result.test, result.signature, result.period, source, contexts


def _ordered(values: Iterable[str], by: By) -> list[str]:
    if by == "prompt":
        return list(values)
    if by == "weights":
        return sorted(values, key=lambda value: (value != "trained", value))
    if by == "level":
        return sorted(values, key=lambda value: (not value.startswith("word"), value))
    return sorted(values, key=lambda value: (not value.isdigit(), value.zfill(6)))


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
        return as_frame(row for one in self for row in one.rows())


def changes_of(
    results: Iterable[AssociationResult], by: By = "prompt", since: str | None = None
) -> Changes:
    """Compare results that differ in one choice alone."""
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
