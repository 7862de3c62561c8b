"""Results that are alike but for one choice, such as a prompt or a layer, and what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

import numpy as np

from eatlas.errors import ResultsError, did_you_mean
from eatlas.lazy import as_frame
from eatlas.results.base import AssociationResult, of_present
from eatlas.results.effects import Effect
from eatlas.results.levels import CELLS
from eatlas.results.parts import Encoding
from eatlas.results.settings import Settings
from eatlas.signature import Signature
from eatlas.stimuli.association_test import ROLES

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


RESAMPLES = 10_000
"""Of the terms, for the interval of a difference."""
LEVELS = {"level1": 0, "level2.X": 1, "level2.Y": 2}
"""Effect sizes whose differences have intervals, by their order in a bootstrap."""
EXCEPTIONS = 3
"""Settings that differ from most others and are named one by one."""
OTHERS: tuple[str, ...] = ("setting", "source", "test", "measure", "period")
"""Respects besides the choices of encoding and of contexts."""


class Difference(NamedTuple):
    """How far an effect size is from that of the first setting."""

    d: float
    """Effect size less that of the first setting."""
    interval: tuple[float, float] | None
    """Percentile interval of the difference over terms that are resampled for both alike; None
    where the two do not have the same terms, or do not keep their cosines."""


@dataclass(frozen=True)
class Row:
    """One test in several settings, or whatever else its members have in common."""

    name: str
    """What the members have in common, such as ``weat-6``."""
    members: tuple[AssociationResult | None, ...]
    """One for each setting of the comparison; None where there is no result."""
    values: tuple[str, ...]
    """What the settings are called."""

    @property
    def first(self) -> AssociationResult:
        """The first result that is there, for what all have in common."""
        return next(one for one in self.members if one is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """EAT pattern of each member; empty where it has none, or is not there."""
        return tuple(
            one.primary.label if one is not None and one.pattern is not None else ""
            for one in self.members
        )

    @property
    def differs(self) -> str:
        """How EAT patterns differ between the settings; empty where they are the same.

        Of measures without patterns, where the first effect size is significant and where not.

        Examples
        --------
        >>> import eatlas
        >>> both = ["glove-sample", "glove-sample?transform=center"]
        >>> eatlas.run(["weat-1", "weat-6"], both).compare("source")[0].differs
        'AX-Singular → Non-Directional'
        """
        known = [(v, one) for v, one in zip(self.values, self.labels, strict=True) if one]
        if not known:
            stars = [bool(one and one.effects() and one.effects()[0].star) for one in self.members]
            named = [value for value, star in zip(self.values, stars, strict=True) if star]
            return "" if len(set(stars)) < 2 else f"significant in {', '.join(named)}"
        counts = Counter(label for _, label in known)
        if len(counts) < 2:
            return ""
        if len(known) == 2:
            return " → ".join(label for _, label in known)
        most, times = counts.most_common(1)[0]
        rest = [(value, label) for value, label in known if label != most]
        if times > 1 and len(rest) <= EXCEPTIONS:
            return ", ".join([most, *(f"{value}: {label}" for value, label in rest)])
        return ", ".join(f"{label} in {n}" for label, n in counts.items())

    @property
    def places(self) -> tuple[str, ...]:
        """Places of the effect sizes of results as a whole, such as ``level1``."""
        effects = (one.effects() for one in self.members if one is not None)
        return tuple(dict.fromkeys(e.place for some in effects for e in some if e.term is None))

    def effects(self, place: str) -> tuple[Effect | None, ...]:
        """One effect size of each member."""
        return tuple(None if one is None else _effect(one, place) for one in self.members)

    def difference(self, place: str, number: int) -> Difference | None:
        """How far the effect size of a member is from that of the first; None where undefined."""
        first, other = self.members[0], self.members[number]
        if first is None or other is None or number == 0:
            return None
        before, after = _effect(first, place), _effect(other, place)
        if before is None or after is None or before.d is None or after.d is None:
            return None
        return Difference(after.d - before.d, self._intervals.get((place, number)))

    @cached_property
    def _intervals(self) -> dict[tuple[str, int], tuple[float, float]]:
        """Intervals of differences from the first member, by place and member."""
        first, *others = self.members
        found: dict[tuple[str, int], tuple[float, float]] = {}
        if first is None or first.uncertainty is None:
            return found
        tail = (1 - first.uncertainty.confidence) / 2
        base: tuple[Any, ...] = ()
        for n, one in enumerate(others, start=1):
            if one is None or not _paired(first, one):
                continue
            base, own = base or _drawn(first), _drawn(one)
            for place, i in LEVELS.items():
                differences = own[i] - base[i]
                differences = differences[~np.isnan(differences)]
                if differences.size > 1:
                    low, high = np.quantile(differences, [tail, 1 - tail]).tolist()
                    found[place, n] = low, high
        return found


def _effect(result: AssociationResult, place: str) -> Effect | None:
    return next((e for e in result.effects() if e.place == place and e.term is None), None)


def _paired(first: AssociationResult, other: AssociationResult) -> bool:
    """Whether both have the cosines of the same terms, so that both can be resampled alike."""
    for one in (first, other):
        plain = one.similarities and one.stimulus_level is None and one.draws is None
        clusters = any(one.coverage.group(role).cluster for role in one.coverage)
        if not plain or clusters or one.unit != "cosine" or set(one.coverage) != set(ROLES):
            return False
        if one.uncertainty is None or one.uncertainty.unit != "term":
            return False
    same = all(first.coverage.group(r).used == other.coverage.group(r).used for r in ROLES)
    return same and first.uncertainty.over == other.uncertainty.over  # type: ignore[union-attr]


def _drawn(result: AssociationResult) -> tuple[Any, ...]:
    """Effect sizes over resampled terms; the same terms for results of the same test and seed."""
    from eatlas.stats.bootstrap import draw, streams_of  # noqa: PLC0415  (few compare)
    from eatlas.stats.weighted import Design  # noqa: PLC0415

    sizes = [len(result.coverage.group(role).used) for role in ROLES]
    digits = int(result.provenance.stimuli_sha256[:16], 16)
    streams = streams_of(np.random.default_rng([result.provenance.seed, digits]))
    ddof = int(dict(Signature.parse(result.signature).params).get("ddof", 1))
    test = Design(np.asarray(result.similarities), sizes[0], sizes[2])
    over = result.uncertainty.over  # type: ignore[union-attr]
    found: list[list[Any]] = [[], [], []]
    for weights in draw(test, over, RESAMPLES, streams):
        for i, pair in enumerate(test.sides(weights)):
            found[i].append(test.levels[i].effect(*pair, ddof, whole=weights.whole))
    return tuple(np.concatenate(parts) for parts in found)


class SideBySide(Sequence[Row]):
    """Results in several settings side by side: a row for each test, a column for each setting.

    Parameters
    ----------
    by : str
        In which respect the columns differ, such as ``source``.
    values : sequence of str
        What the columns are called, in the order of the results.
    rows : iterable of Row

    Examples
    --------
    >>> import eatlas
    >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    >>> eatlas.run(["weat-1", "weat-6"], both).compare("source")
    2 tests, 2 sources; 1 EAT pattern differs
    test    plain              centred                differs
    weat-1  1.17* AX-Singular  1.21* Non-Directional  AX-Singular → Non-Directional
    weat-6  1.72* BY-Singular  1.72* BY-Singular
    """

    def __init__(self, by: str, values: Sequence[str], rows: Iterable[Row]) -> None:
        self.by = by
        self.values = tuple(values)
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, place: int | str) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> SideBySide: ...

    def __getitem__(self, place: int | str | slice) -> Row | SideBySide:
        """Take a row by its position or its name, or several by a slice."""
        if isinstance(place, slice):
            return SideBySide(self.by, self.values, self._rows[place])
        if isinstance(place, int):
            return self._rows[place]
        found = [one for one in self._rows if one.name == place]
        if not found:
            raise KeyError(f"{place}: no such row; there are {', '.join(r.name for r in self)}")
        return found[0]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def results(self) -> tuple[AssociationResult, ...]:
        """All results that are compared."""
        return tuple(one for row in self._rows for one in row.members if one is not None)

    @property
    def changed(self) -> SideBySide:
        """Rows whose EAT patterns differ."""
        return SideBySide(self.by, self.values, (row for row in self if row.differs))

    def __repr__(self) -> str:
        text: str = of_present("tables:plain")(self)
        return text

    def _repr_html_(self) -> str:
        html: str = of_present("tables:html_of")(self)
        return html

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each effect size of each setting.

        Returns
        -------
        DataFrame
            The common part as ``row``, what it is compared by (such as ``source``), ``pattern``;
            ``place``, ``name``, ``effect_size``, ``low`` and ``high`` (its interval), ``p``,
            ``significant``; ``difference`` from the first setting, with ``difference_low`` and
            ``difference_high`` where both have the same terms; ``pattern_differs``,
            ``sign_flips`` and ``significance_differs`` from the first; means of level 3.
        """
        return as_frame(one for row in self for one in self._frame_rows(row))

    def _frame_rows(self, row: Row) -> Iterable[dict[str, Any]]:
        """Rows of a data frame: each effect at each setting, and its difference from the first."""
        for number, (value, member, label) in enumerate(
            zip(self.values, row.members, row.labels, strict=True)
        ):
            level3 = member and member.level3
            for place in row.places if member is not None else ():
                effect = row.effects(place)[number]
                if effect is None:
                    continue
                first, gap = row.effects(place)[0], row.difference(place, number)
                low, high = effect.interval or (None, None)
                ends = (gap and gap.interval) or (None, None)
                yield {
                    "row": row.name, self.by: value, "pattern": label or None,
                    "place": place, "name": effect.name, "effect_size": effect.d,
                    "low": low, "high": high, "p": effect.p_of()[0],
                    "significant": effect.significant, "difference": gap and gap.d,
                    "difference_low": ends[0], "difference_high": ends[1],
                    "pattern_differs": bool(label and row.labels[0]) and label != row.labels[0],
                    "sign_flips": bool(first and (first.d or 0) * (effect.d or 0) < 0),
                    "significance_differs": bool(first and first.star != effect.star),
                    **{f"mean_{cell}": level3.cell(cell).mean for cell in CELLS if level3},
                }  # fmt: skip

    def to_latex(self) -> str:
        """Return a table for a manuscript, in LaTeX: effect sizes and patterns by setting."""
        table: str = of_present("tables:latex_of")(self)
        return table

    def plot(self, *, width: str | float | None = None) -> Any:
        """Draw small EAT-Maps and forests side by side: the drawing ``matrix``."""
        return of_present("drawings.plot:plot")(self, "matrix", width=width)


Key = tuple[Hashable, ...]


def side_by_side(results: Iterable[AssociationResult], by: str = "setting") -> SideBySide:
    """Put results that are alike but for one respect beside each other."""
    given = tuple(results)
    settings = Settings.among(given)
    choices = (*OTHERS, *get_args(By))
    if by not in choices:
        raise ResultsError(
            f"results cannot be compared by {by!r}{did_you_mean(str(by), choices)}",
            allowed=", ".join(choices),
        )
    groups = _choices(given, by) if by in get_args(By) else _respects(given, by, settings)
    groups = {key: members for key, members in groups.items() if len(members) > 1}
    values = list(dict.fromkeys(value for members in groups.values() for value in members))
    if not groups:
        raise ResultsError(
            f"the results do not differ in their {by} alone",
            got=f"{len(given)} results",
            allowed="two or more results that are alike in all else, such as one test on two "
            "sources",
            remedy=_differing(given, choices, by),
        )
    rows = [tuple(members.get(value) for value in values) for members in groups.values()]
    names = _names([next(one for one in row if one is not None) for row in rows], by, settings)
    return SideBySide(
        by, values, (Row(n, row, tuple(values)) for n, row in zip(names, rows, strict=True))
    )


def _choices(given: Sequence[AssociationResult], by: Any) -> dict[Key, dict[str, Any]]:
    """Groups that differ in a choice of encoding or of contexts."""
    return {
        (number,): {value_of(one, by): one for one in group.members}
        for number, group in enumerate(varied(given, by))
    }


def _respects(
    given: Sequence[AssociationResult], by: str, settings: Settings
) -> dict[Key, dict[str, Any]]:
    """Groups that differ in their source, test, measure or period, or in all that a setting is."""
    value: dict[str, Callable[[AssociationResult], str]] = {
        "setting": settings.of,
        "source": lambda one: settings.sources[one.source],
        "test": lambda one: one.test,
        "measure": lambda one: settings.measures[one.signature] or one.measure,
        "period": lambda one: "" if one.period is None else str(one.period),
    }
    groups: dict[Key, dict[str, Any]] = {}
    for one in given:
        parts: dict[str, Hashable] = {
            "test": one.test, "source": one.source, "measure": one.signature,
            "period": one.period, "contexts": one.contexts and one.contexts.size,
        }  # fmt: skip
        alike = (one.test,) if by == "setting" else tuple(v for k, v in parts.items() if k != by)
        groups.setdefault(alike, {}).setdefault(value[by](one), one)
    return groups


def _names(firsts: Sequence[AssociationResult], by: str, settings: Settings) -> list[str]:
    """What the members of each row have in common: the test, and what else distinguishes rows."""
    of = Settings.among(firsts)
    if by == "test":
        return [of.of(one) or settings.sources[one.source] for one in firsts]
    tests = Counter(one.test for one in firsts)
    return [one.test if tests[one.test] == 1 else of.named(one) for one in firsts]


def _differing(given: Sequence[AssociationResult], choices: Sequence[str], by: str) -> str | None:
    """In which other respects the results differ."""
    known = []
    for one in choices:
        if one in (by, "setting"):
            continue
        settings = Settings.among(given)
        groups = _choices(given, one) if one in get_args(By) else _respects(given, one, settings)
        known += [one] if any(len(members) > 1 for members in groups.values()) else []
    return f"they differ in: {', '.join(known)}" if known else None
