"""Results that are alike but for one respect, side by side: one pivot, and what differs in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from eatlas.errors import ResultsError, did_you_mean
from eatlas.lazy import as_frame, find_offer
from eatlas.numbers import number_of
from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect, parameters
from eatlas.results.finding import PLACES
from eatlas.results.levels import CELLS
from eatlas.results.parts import KnownDifference, at, finite, finite_ends
from eatlas.results.settings import Settings
from eatlas.results.trend import Years, series_source
from eatlas.results.unit_tables import CommonWords
from eatlas.stats.correlation import intraclass_correlation
from eatlas.stats.multiplicity import holm_adjusted
from eatlas.stimuli.kinds import TARGETS

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.methods import MethodPair


By = Literal["prompt", "layer", "level", "weights", "window", "distance"]
"""Choices of how texts are encoded, and of contexts."""
RESPECTS: tuple[str, ...] = ("setting", "source", "test", "measure", "period", *get_args(By))
NO_PROMPT = "(no prompt)"
NUMBERED: tuple[By, ...] = ("layer", "window", "distance")
"""Choices that rise from one value to the next."""
_ASIDE = {
    "prompt": {"prompt"},
    "layer": {"layer"},
    "level": {"level", "pool", "subword"},
    "weights": {"weights", "weights_seed"},
}
"""Fields of an encoding to ignore if results differ in a choice."""


def choices_of(result: AssociationResult) -> dict[str, str]:
    """What was chosen for a result in each respect that it has, such as its layer."""
    sizes = {} if result.contexts is None else result.contexts.columns()
    choices = {name: str(size) for name, size in sizes.items()}
    if (encoding := result.encoding) is not None:
        seed = "" if encoding.weights_seed is None else f", seed {encoding.weights_seed}"
        choices |= {
            "prompt": encoding.prompt or NO_PROMPT,
            "layer": encoding.layer,
            "level": f"{encoding.level} ({encoding.subword or encoding.pool or 'its own way'})",
            "weights": f"{encoding.weights}{seed}",
        }
    return choices


def distinguish_names(names: Sequence[str], *more: Sequence[str]) -> list[str]:
    """Add to names that stand for several things what else distinguishes these, and no more."""
    told = list(names)
    for additions in more:
        times = Counter(told)
        told = [
            f"{name}{added if times[name] > 1 else ''}"
            for name, added in zip(told, additions, strict=True)
        ]
    return told


def comparable_signatures(result: AssociationResult, signatures: Iterable[str]) -> list[str]:
    """Of some signatures, those with whose results a result is compared: its own alone.

    Answers that were collected elsewhere have no parameters of questions. They are compared with
    answers of models to whatever questions, where all other parameters are the same.
    """
    if not (at(result, "answers.collected") or at(result, "collected")):
        return [result.signature]
    own = parameters(result.signature).items()
    measure = result.signature.partition("(")[0]
    asked = [
        signature
        for signature in dict.fromkeys(signatures)
        if signature != result.signature
        and signature.partition("(")[0] == measure
        and own <= parameters(signature).items()
    ]
    return asked or [result.signature]


def pivot(results: Iterable[AssociationResult], by: str) -> list[dict[str, AssociationResult]]:
    """Results that are alike but for one respect, by their value; groups of one are left out.

    Periods, layers, windows and distances come in their order, trained weights before random ones,
    vectors of stimuli before those of whole texts, all else as given. Of results of one value, the
    first counts.
    """
    require_respect(by)
    results = tuple(results)
    settings = Settings.from_results(results)
    groups: dict[Hashable, dict[str, AssociationResult]] = {}
    for result in results:
        if (value := value_in(result, by, settings)) is not None:
            for signature in comparable_signatures(result, settings.measures):
                groups.setdefault(_alike(result, by, signature), {}).setdefault(value, result)
    if by == "period":
        ordered = [sorted(group.items(), key=_middle_of_years) for group in groups.values()]
    else:
        ordered = [
            sorted(group.items(), key=lambda item: _order(item[0], by)) for group in groups.values()
        ]
    return [dict(group) for group in ordered if len(group) > 1]


def require_respect(by: object) -> None:
    """Refuse what is no respect in which results differ."""
    if by not in RESPECTS:
        raise ResultsError(
            f"results cannot be compared by {by!r}{did_you_mean(str(by), RESPECTS)}",
            allowed=", ".join(RESPECTS),
        )


def value_in(result: AssociationResult, by: str, settings: Settings) -> str | None:
    """What a result is in a respect, such as the name of its source; None if it has none.

    `settings` belong to all results that are shown together. A test of groups that a measure makes
    of an association test counts as the association test.
    """
    if by == "setting":
        return settings.of(result)
    if by == "source":
        return settings.sources[result.source]
    if by == "test":
        return association_id(result)
    if by == "measure":
        return settings.measures[result.signature] or result.measure.upper()
    if by == "period":
        return result.member or str(result.period or "")
    return choices_of(result).get(by)


def association_id(result: AssociationResult) -> str:
    """Id of the test of a result, or of the association test that its groups come from."""
    origin, _, compared = result.test.rpartition("-")
    is_made = result.kind == "groups" and origin and compared in {"XY", "AB"}
    return origin if is_made else result.test


def _alike(result: AssociationResult, by: str, signature: str) -> Hashable:
    """All that results which differ in one respect have in common, at one signature.

    The name of a source tells its layer, prompt and weights; so for these its encoding stands.
    """
    if by == "setting":
        return result.test
    contexts, encoding = result.contexts, result.encoding
    facts: dict[str, Hashable] = {
        "test": association_id(result) if by == "measure" else result.test,
        "measure": signature,
        "period": result.period,
        "source": series_source(result) if by == "period" else result.source,
        "contexts": contexts and contexts.size,
        "run_of": by == "source" and result.run_of,
    }
    if by in get_args(By) and contexts is not None:
        facts["contexts"] = contexts.model_dump_json(exclude={by})
    if by in _ASIDE and encoding is not None:
        facts["source"] = encoding.model_dump_json(exclude=_ASIDE[by])
    facts.pop(by, None)
    return tuple(facts.values())


def _middle_of_years(item: tuple[str, AssociationResult]) -> float:
    """Where a result is in time; those without a period are in front."""
    result = item[1]
    return -math.inf if result.period is None else Years.of(result).middle


def _order(value: str, by: str) -> tuple[bool, str]:
    if by in NUMBERED:
        return not value.isdigit(), value.zfill(6)
    first = {"weights": "trained", "level": "word"}.get(by, "")
    return not value.startswith(first), value if first else ""


class Difference(NamedTuple):
    """Difference of an effect size from the effect size of the first setting."""

    d: float
    """Effect size minus the effect size of the first setting; where there is an interval, on the
    words that both have."""
    interval: tuple[float, float] | None
    """Interval for other words, of the crossed test of differences on the words that both have;
    None if these are too few, or a result keeps no associations of single attributes."""
    p: float | None = None
    """Its two-sided p-value."""
    known: KnownDifference | None = None
    """What the package says that knows more of both results, as of two subcorpora."""

    @property
    def best(self) -> Difference:
        """What the package says that knows more of both results, if it has an interval."""
        known = self.known
        if known is None or known.difference is None or known.interval is None:
            return self
        return self._replace(d=known.difference, interval=known.interval, p=known.p)


def holm_over(p_values: Iterable[float | None]) -> list[float | None]:
    """P-values of differences that are shown together, adjusted by Holm; None if undefined."""
    return holm_adjusted(p_values)


@dataclass(frozen=True)
class Row:
    """Results that belong in one row, such as one test in several settings."""

    name: str
    """What the members have in common, such as ``weat-6``."""
    members: tuple[AssociationResult | None, ...]
    """One for each setting of the comparison; None where there is no result."""
    values: tuple[str, ...]
    """What the settings are called."""

    @property
    def first(self) -> AssociationResult:
        """The first result that is there, for what all have in common."""
        return next(result for result in self.members if result is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """EAT pattern of each member; empty where it has none, or is not there."""
        return tuple(r.primary.label if r and r.pattern else "" for r in self.members)

    @property
    def differs(self) -> str:
        """How EAT patterns differ between the settings; empty where they are the same.

        Patterns that differ do not show that effect sizes do: see :meth:`difference`.

        Examples
        --------
        >>> import eatlas
        >>> both = ["glove-sample", "glove-sample?transform=center"]
        >>> eatlas.run(["weat-1", "weat-6"], both).compare("source")[0].differs
        'AX-Singular → Non-Directional'
        """
        labels = [label for label in self.labels if label]
        counts = Counter(labels)
        if len(labels) == 2 == len(counts):
            return " → ".join(labels)
        several = [f"{label} in {n}" for label, n in counts.most_common()]
        return ", ".join(several) if len(several) > 1 else ""

    @cached_property
    def _effects(self) -> dict[str, tuple[Effect | None, ...]]:
        """Effect sizes of results as a whole, one of each member, by their place."""
        members = [
            {effect.place: effect for effect in result.effects() if effect.term is None}
            if result
            else {}
            for result in self.members
        ]
        places = dict.fromkeys(place for effects in members for place in effects)
        return {place: tuple(effects.get(place) for effects in members) for place in places}

    @property
    def places(self) -> tuple[str, ...]:
        """Places of the effect sizes of results as a whole, such as ``level1``."""
        return tuple(self._effects)

    @property
    def first_effects(self) -> tuple[Effect | None, ...]:
        """The effect size of each member at the first place."""
        return self._effects.get(next(iter(self.places), ""), ())

    @property
    def spread(self) -> float | None:
        """How far apart the first effect sizes are; None of fewer than two, or of two measures.

        Of two settings it is the size of their :meth:`difference`.
        """
        known = [e for e in self.first_effects if e is not None and e.d is not None]
        sizes = [effect.d for effect in known if effect.d is not None]
        of_one_scale = len({effect.symbol for effect in known}) == 1
        if len(self.members) == 2 and (gap := self.difference(self.places[0], 1)):
            return abs(gap.best.d)
        return max(sizes) - min(sizes) if len(sizes) > 1 and of_one_scale else None

    def effects(self, place: str) -> tuple[Effect | None, ...]:
        """One effect size of each member."""
        return self._effects[place]

    def difference(self, place: str, number: int) -> Difference | None:
        """Difference of a member's effect size from the first one; None if undefined."""
        effects = self.effects(place)
        first, second = effects[0], effects[number]
        if number == 0 or first is None or second is None or first.d is None or second.d is None:
            return None
        if first.symbol != second.symbol:  # numbers of two measures
            return None
        known = _known_difference(self.members[0], self.members[number], place)
        common = self.words_in_common[number]
        level = common.level(place) if common and place in PLACES else None
        if common is None or level is None or not level.is_enough:
            return Difference(second.d - first.d, None, None, known)
        gap = float(level.effect_sizes @ [-1, 1]) if common.n_left_out else second.d - first.d
        test = level.difference(0, 1)
        ends, p = finite_ends((test.low, test.high)), finite(test.p_two_sided)
        return Difference(gap, ends, p, known)

    def icc(self, *, consistency: bool = False) -> tuple[float, float]:
        """Intraclass correlation of the scores of targets among the settings, such as models.

        Parameters
        ----------
        consistency : bool, default False
            Allow settings that differ by a constant.

        Returns
        -------
        single, average : float
            Of one setting, ICC(A,1), and of the mean of all, ICC(A,k), after McGraw and Wong
            (1996), over the targets that all settings have; with `consistency` ICC(C,1) and
            ICC(C,k). NaN for fewer than two settings or targets.
        """
        scored = [
            {
                (role, term): score
                for role in TARGETS
                for term, score in zip(result.scored(role), at(result.scores, role), strict=False)
            }
            for result in self.members
            if result is not None and result.scores is not None
        ]
        shared = [key for key in (scored or [{}])[0] if all(key in scores for scores in scored)]
        if len(scored) < 2 or len(shared) < 2:
            return math.nan, math.nan
        table = [[scores[key] for scores in scored] for key in shared]
        return intraclass_correlation(table, consistency=consistency)

    @cached_property
    def words_in_common(self) -> list[CommonWords | None]:
        """Of the first member and of each, the words that both have."""
        first = self.members[0]
        return [
            CommonWords.of([first, result]) if first and result else None for result in self.members
        ]


def _known_difference(
    first: AssociationResult | None, second: AssociationResult | None, place: str
) -> KnownDifference | None:
    """What a package knows of the difference of two results, second less first."""
    if first is None or second is None:
        return None
    known = (part.difference_from(first, second, place) for part in second.parts.values())
    return next(filter(None, known), None)


@dataclass(frozen=True, repr=False)
class SideBySide(Sequence[Row]):
    """Results in several settings side by side: a row for each test, a column for each setting.

    Examples
    --------
    >>> import eatlas
    >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    >>> print(eatlas.run(["weat-1", "weat-6"], both).compare("source"))
    2 tests, 2 sources; d at level 1 differs by at most 0.04 (weat-1)
    Test    plain           centred         Difference
    weat-1  1.17 supported  1.21 supported  0.04 [0.00, 0.09]
    weat-6  1.72 supported  1.72 supported  0.00 [−0.03, 0.03]
    """

    by: str
    """In which respect the columns differ, such as ``source``."""
    values: tuple[str, ...]
    """What the columns are called, in the order of the results."""
    rows: tuple[Row, ...]

    def __getitem__(self, place: Any) -> Any:
        """Take a row by its position or its name."""
        if not isinstance(place, str):
            return self.rows[place]
        for row in self.rows:
            if row.name == place:
                return row
        raise KeyError(f"{place}: no such row; there are {', '.join(r.name for r in self)}")

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def results(self) -> tuple[AssociationResult, ...]:
        """All results that are compared."""
        return tuple(result for row in self.rows for result in row.members if result is not None)

    @property
    def changed(self) -> SideBySide:
        """Rows whose EAT patterns differ."""
        return SideBySide(self.by, self.values, tuple(row for row in self if row.differs))

    @property
    def spreads(self) -> dict[str, float]:
        """How far apart the first effect sizes d of each row are, by its name."""
        of_d = (row for row in self if any(e and e.symbol == "d" for e in row.first_effects))
        return {row.name: row.spread for row in of_d if row.spread is not None}

    @property
    def has_other_words(self) -> bool:
        """Whether a difference leaves out words, because only one of the two results has them."""
        return any(common and common.n_left_out for row in self for common in row.words_in_common)

    def pairs(self) -> tuple[MethodPair, ...]:
        """Return every two settings as two methods over the same tests, with their correlation.

        Examples
        --------
        >>> import eatlas
        >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
        >>> (pair,) = eatlas.run("caliskan", both, "weat").compare("source").pairs()
        >>> round(pair.correlation.pearson, 2), pair.correlation.n
        (0.93, 10)
        """
        from eatlas.results.methods import method_pairs  # noqa: PLC0415  (of correlations alone)

        return method_pairs([row.members for row in self.rows], self.values, self.by)

    def __repr__(self) -> str:
        return f"<SideBySide: {number_of(len(self), 'row')}, {len(self.values)} by {self.by}>"

    def __str__(self) -> str:
        return str(find_offer("compared_text")(self))

    def _repr_html_(self) -> str:
        return str(find_offer("compared_html")(self))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each effect size of each setting.

        Returns
        -------
        DataFrame
            The common part as ``row``, what it is compared by (such as ``source``), ``pattern``;
            ``place``, ``name``, ``effect_size``, ``low`` and ``high`` (its interval), ``p``,
            ``significant``; ``adjusted_effect_size``, ``adjusted_p``, ``adjusted_significant``
            and ``adjusted_pattern``, at equal covariates of the words; ``difference`` from the
            first setting, with ``difference_low``, ``difference_high`` and ``difference_p_words``
            of the crossed test on the words that both have; of subcorpora also
            ``difference_documents_low``, ``..._high``, ``difference_both_low``, ``..._high`` (over
            documents, and over documents and words) and ``difference_p`` (documents relabelled);
            ``pattern_differs`` and ``sign_flips`` from
            the first; means of level 3.
        """
        return as_frame(line for row in self for line in self._lines(row))

    def _lines(self, row: Row) -> Iterator[dict[str, Any]]:
        """Each effect at each setting, and its difference from the first."""
        labels = row.labels
        for number, member in enumerate(row.members):
            for place in row.places:
                first, effect = row.effects(place)[0], row.effects(place)[number]
                if member is None or effect is None:
                    continue
                gap, level3 = row.difference(place, number), member.level3
                low, high = effect.interval or (None, None)
                after = effect.after
                ends = (gap and gap.interval) or (None, None)
                of_parts = dict.fromkeys(
                    name for part in member.parts.values() for name in part.difference_names
                )
                if of_parts and gap and gap.known:
                    of_parts |= gap.known.columns
                yield {
                    "row": row.name, self.by: self.values[number],
                    "pattern": labels[number] or None,
                    "place": place, "name": effect.name, "effect_size": effect.d,
                    "low": low, "high": high, "p": effect.p_of(),
                    "significant": effect.significant,
                    "adjusted_effect_size": after and after.d, "adjusted_p": after and after.p_of(),
                    "adjusted_significant": after and after.significant,
                    "adjusted_pattern": at(member.adjusted, "pattern.label"),
                    "difference": gap and gap.d,
                    "difference_low": ends[0], "difference_high": ends[1],
                    "difference_p_words": gap and gap.p,
                    **of_parts,
                    "pattern_differs": "" not in {labels[0], labels[number]}
                    and labels[0] != labels[number],
                    "sign_flips": bool(
                        first
                        and first.symbol == effect.symbol
                        and (first.d or 0) * (effect.d or 0) < 0
                    ),
                    **{f"mean_{cell}": level3[cell].mean for cell in CELLS if level3},
                }  # fmt: skip

    def to_latex(self) -> str:
        """Return a table for a manuscript, in LaTeX: effect sizes and patterns by setting."""
        return str(find_offer("compared_latex")(self))

    def plot(self, *, width: str | float | None = None, title: str | None = None) -> Any:
        """Draw small EAT-Maps and forests side by side: the drawing ``matrix``."""
        return find_offer("plot")(self, "matrix", width=width, title=title)


def group_names(groups: Iterable[Mapping[str, AssociationResult]], by: str) -> list[str]:
    """The test of each group of :func:`pivot`, and what distinguishes it from the other groups."""
    firsts = [next(iter(group.values())) for group in groups]
    if by == "source":
        firsts = [_with_name_of_runs(first) for first in firsts]
    tests, among = Counter(first.test for first in firsts), Settings.from_results(firsts)
    return [r.test if tests[r.test] == 1 else among.label(r) for r in firsts]


def _with_name_of_runs(result: AssociationResult) -> AssociationResult:
    """A result whose source has the name that it shares with other training runs."""
    if not result.run_of:
        return result
    options = result.source.removeprefix(re.split("[?#]", result.source, maxsplit=1)[0])
    return result.model_copy(update={"source": result.run_of + options})


def side_by_side(results: Iterable[AssociationResult], by: str = "setting") -> SideBySide:
    """Put results that are alike but for one respect next to each other."""
    given = tuple(results)
    groups = pivot(given, by)
    if not groups and by == "source":  # members by year are a series
        groups = pivot([result for result in given if result.member], "period")
    if not groups:
        others = [name for name in RESPECTS if name not in {by, "setting"} and pivot(given, name)]
        raise ResultsError(
            f"the results do not differ only in their {by}",
            got=number_of(len(given), "result"),
            allowed="two or more results that are otherwise alike, such as one test on two sources",
            remedy=f"they differ in: {', '.join(others)}" if others else None,
        )
    values = tuple(dict.fromkeys(value for group in groups for value in group))
    if by == "test":
        firsts = [next(iter(group.values())) for group in groups]
        among, sources = Settings.from_results(firsts), Settings.from_results(given).sources
        names = [among.of(first) or sources[first.source] for first in firsts]
    else:
        names = group_names(groups, by)
    return SideBySide(by, values, tuple(
        Row(name, tuple(map(group.get, values)), values)
        for name, group in zip(names, groups, strict=True)
    ))  # fmt: skip
