"""Two records of one result, and where they differ by more than machines do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eatlas.engine.wordings import current

RELATIVE = 1e-11
"""Machines add cosines in different orders (BLAS, SIMD), which changes their last bits. Results of
looked-up vectors on seven kinds of processors of OpenBLAS, with one and two threads, and with every
component changed by one unit in the last place: scores moved by 9e-13 of their size at most."""
NOUGHT = 1e-14
"""A difference that should be 0 is as large as its rounding error, so no relative bound fits. In
the same trials no score moved by more than 2.3e-16 and no effect size by more than 2.6e-15."""
STATED = 1e-9
"""The stated error of an inversion moved most, by 2e-11 of its size."""
LAST_DIGIT = 1.01e-6
"""Some parts are kept to six decimals, where the last bit of a number can turn the last digit."""
OF_KEPT = "kept_patterns"
"""Patterns of draws that are kept, a digit each; earlier files do not have them."""
OF_PAIRS = "similarities"
"""Earlier files have none of CEAT."""
LAST_DIGIT_OF_KEPT = 1.01e-4
"""Effect sizes of draws are kept to four."""
TO_SIX_DECIMALS = frozenset(
    {"uncertainty", "kept", "influence", "similarities", "diagnosis", "matched"}
    | {"power", "patterns", "readings", "share_intervals"}
)
DRAWS = ("resamples", "draws", "count")
"""Keys beside shares that say of how many draws they are; one draw may fall on the other side of a
threshold."""
UNITS = 8
"""Cosines of vectors that a model computes, in units of the roundoff of its arithmetic. Four tests
by MiniLM and two by a tiny BERT of random weights, on other kinds of processors (of OpenBLAS, torch
and oneDNN), with one and two threads, in batches of 50 to 2,000 tokens: 6.4 at most, of cosines of
.9; means of many moved by 0.4."""
SPREADS = 2
"""An effect size moves by so many units of roundoff over the spread of its scores: 0.3 in the same
trials."""
RESAMPLED = 10
"""Resampled effect sizes move by so many times more, where the resampled spread is smaller: in the
same trials they moved by a last digit of six."""
P_UNITS = 100
"""p-values that are no counts follow the effect size: by so many times its move, of their size.
Seen: 50, of p = 4e-6."""
NOISE = 1e-3
"""Where effect sizes could move by more, scores differ by little more than their rounding:
resampled effect sizes may have a spread on one machine and none on another, and are not
compared."""
RESTING_ON_RESAMPLES = frozenset(("uncertainty", "influence"))


@dataclass(frozen=True)
class Tolerance:
    """How far two computations of one number may be apart."""

    relative: float
    score: float
    """Absolute; of cosines or log-ratios, and of what has no other bound."""
    variance: float
    """Absolute, of variances of scores."""
    effect: float
    """Absolute, of effect sizes."""
    p: float
    """Relative, of p-values."""
    stated: float
    """Relative, of the error that is stated for a p-value."""


LOOKED_UP = Tolerance(RELATIVE, NOUGHT, NOUGHT, effect=NOUGHT, p=RELATIVE, stated=STATED)
CROSSED = {"t": 1e-4, "df": 1e-4, "p_greater": 1e-3, "p_less": 1e-3, "p_two_sided": 1e-3}
"""Relative, of the crossed tests of computed vectors, which divide by a standard error that is
small where all cosines are alike. With noise of two units in the last place in vectors whose mean
cosine is 0, .9 and .9999, t moved by 4e-7, 2e-6 and 4e-5 of its size, p by 1e-6, 1e-6 and 8e-5."""
DRAWN, DRAWN_P = 1e-4, 1e-2
"""Of draws of contexts whose vectors are computed, some of which have a small spread: absolute, of
effect sizes; relative, of p-values. Between processors with and without AMX quantiles moved by
2e-6, z by 1e-5 of its size, a p of 6e-61 by 2e-3 of its size."""
OF_THE_PROGRAM = "provenance.version"
COMPUTED = ";transform="
"""In a fingerprint: the vectors are computed, and the last bits of their hash are the machine's."""
SHOWN = 80
NEAR_TIES = "near_ties"
BLOCK = "stimulus_level"
"""A part of a record with scores, and so a spread, of its own."""
OF_EFFECTS = frozenset(("effect_size", "smallest_d", "t", "df", "effects"))
OF_DRAWN_EFFECTS = frozenset(("quantiles", "sd"))
"""Of the effect sizes of draws, where cells of level 3 have those of scores."""
OF_VARIANCES = frozenset(("targets", "attributes", "residual", "difference"))
SENTENCES = frozenset(("warnings", "reason", "frequency_reason"))
"""Parts whose wording may be that of an earlier version."""
Path = tuple[str | int, ...]


def differences(old: Any, new: Any, limits: Sequence[Any] = ()) -> Iterator[str]:
    """Say what differs between two records, as plain values."""
    yield from _no_fractions(old, "")
    whole = _Comparison(new, tolerance_of(new), tuple(limits))
    yield from whole.differences(old, new, ())


def tolerance_of(record: Any) -> Tolerance:
    """How far numbers of a record may be apart from those of another machine."""
    if not isinstance(record, Mapping):
        return LOOKED_UP
    about = record.get("encoding") or record.get("language_model") or {}
    roundoff: float | None = about.get("roundoff")
    if not roundoff:
        return LOOKED_UP
    unit = roundoff * (_magnitude(record) if record.get("language_model") else 1.0)
    unit *= _magnified(record)
    effect = SPREADS * unit / (_least_spread(record) or 1.0)
    score, relative = UNITS * unit, max(RELATIVE, UNITS**2 * roundoff)
    return Tolerance(relative, score, score / UNITS, effect, p=P_UNITS * effect, stated=0.5)


def tolerance_of_block(record: Mapping[str, Any]) -> Tolerance:
    """The tolerance of the part that is read over stimuli, whose scores have their own spread."""
    about = {key: record.get(key) for key in ("encoding", "language_model", "level3")}
    return tolerance_of({**about, **record[BLOCK]})


def not_compared(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Parts of a result that rest on the rounding of its vectors, in whole lines."""
    parts = {"": tolerance_of(record)}
    if record.get(BLOCK):
        parts[f"{BLOCK}."] = tolerance_of_block(record)
    return tuple(
        f"not compared: {', '.join(before + key for key in sorted(RESTING_ON_RESAMPLES))}, since "
        "the scores differ by little more than the rounding of the vectors"
        for before, tolerance in parts.items()
        if tolerance.effect > NOISE
    )


def _magnified(record: Mapping[str, Any]) -> float:
    """By how much a softmax makes the rounding of cosines larger."""
    return max((record.get("logit_scale") or 0.0) / 2, 1.0)


def _magnitude(record: Mapping[str, Any]) -> float:
    """The greatest log-ratio that a record shows."""
    cells = (record.get("level3") or {}).values()
    ends: list[float] = [abs(value) for cell in cells for value in cell["quantiles"]]
    return max([1.0, *ends])


def _least_spread(record: Mapping[str, Any]) -> float:
    """The least standard deviation of scores behind an effect size of a record."""
    found: list[float] = []

    def look(value: Any) -> None:
        if isinstance(value, Mapping):
            d, difference = value.get("effect_size"), value.get("difference")
            if isinstance(d, float) and isinstance(difference, float) and d and difference:
                found.append(abs(difference / d))
            for key, inner in value.items():
                if key != BLOCK:
                    look(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                look(inner)

    look(record)
    return min(found, default=0.0)


def _no_fractions(old: Any, path: str) -> Iterator[str]:
    """Name p-values that are not their count over their total, to the last bit."""
    if isinstance(old, Mapping):
        counts, total = old.get("count"), old.get("total")
        if isinstance(counts, Mapping) and isinstance(total, int):
            for tail, count in counts.items():
                p = old.get(tail)
                if isinstance(count, int) and isinstance(p, float) and p != _share(count, total):
                    yield (
                        f"{path}.{tail}: {p!r} in the file, which is not its count over its total, "
                        f"{shortly(count)} / {shortly(total)}"
                    )
        for key, value in old.items():
            yield from _no_fractions(value, f"{path}.{key}" if path else str(key))
    elif isinstance(old, list):
        for i, value in enumerate(old):
            if isinstance(value, Mapping | list):
                yield from _no_fractions(value, f"{path}[{i}]")


def _share(count: int, total: int) -> float | None:
    """A count over its total, correctly rounded; never 0, as no p-value is."""
    return None if total <= 0 else min(count / total, 1.0) or math.nextafter(0.0, 1.0)


def lacking(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Parts of a record that another lacks."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in new.items():
            place = f"{path}.{key}" if path else str(key)
            if key in old:
                yield from lacking(old[key], value, place)
            elif key not in (NEAR_TIES, OF_KEPT) and value not in (None, "", [], {}, (), False):
                yield place, value
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from lacking(one, other, f"{path}[{i}]")


@dataclass(frozen=True)
class _Comparison:
    """Two records of one result, compared number by number."""

    record: Any
    tolerance: Tolerance
    limits: tuple[Any, ...]

    def differences(self, old: Any, new: Any, path: Path) -> Iterator[str]:
        """Say what differs below a place."""
        if old == new or _called(path) == OF_THE_PROGRAM or self._is_noise(path):
            return
        if path == (OF_PAIRS,) and old is None and self.record.get("measure") == "ceat":
            return
        if path == ("warnings",):
            old, new = _but_for_noise(old), _but_for_noise(new)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from self._of_mappings(old, new, path)
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            for i, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from self.differences(one, other, (*path, i))
        elif not (
            self._near(old, new, path)
            or self._of_kept(old, new, path)
            or _worded_alike(old, new, path)
        ):
            yield f"{_called(path)}: {shortly(old)} in the file, {shortly(new)} now"

    def _of_mappings(
        self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path
    ) -> Iterator[str]:
        """Differences of two objects, key by key; near ties and level 3's block by own rules."""
        for key, value in old.items():
            if key == "vectors_sha256" and self._computed_alike(old, new):
                continue
            if key == BLOCK and isinstance(new.get(key), Mapping):
                own = _Comparison(self.record, tolerance_of_block(self.record), self.limits)
                yield from own.differences(value, new[key], (*path, key))
            elif key != NEAR_TIES:
                yield from self.differences(value, new.get(key), (*path, key))
        if old.get(NEAR_TIES) or new.get(NEAR_TIES):
            yield from self._near_ties(old, new, path)

    def _is_noise(self, path: Path) -> bool:
        resting = RESTING_ON_RESAMPLES | {"share_intervals"}
        return self.tolerance.effect > NOISE and bool(resting & set(path))

    def _computed_alike(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Whether both vectors were computed in the same way from the same source."""
        fingerprint = str(old.get("source_fingerprint"))
        computed = self.tolerance is not LOOKED_UP or COMPUTED in fingerprint
        return computed and fingerprint == new.get("source_fingerprint")

    def _near(self, old: Any, new: Any, path: Path) -> bool:  # noqa: PLR0911  (by kind of number)
        """Whether two numbers differ by no more than another machine's arithmetic explains."""
        if isinstance(old, int) and isinstance(new, int):
            return "count" in path and self._between(old, path)
        if not (isinstance(old, float) and isinstance(new, float)):
            return False
        if TO_SIX_DECIMALS & set(path):
            digit = LAST_DIGIT_OF_KEPT if "kept" in path else LAST_DIGIT
            step = self._step(path) if "patterns" in path else 0.0
            return abs(old - new) <= max(digit, step) + RESAMPLED * self.tolerance.effect
        last = next((key for key in reversed(path) if isinstance(key, str)), "")
        if "generalisation" in path and last in CROSSED:
            computed = self.tolerance is not LOOKED_UP
            relative = CROSSED[last] if computed else self.tolerance.relative
            return math.isclose(old, new, rel_tol=relative, abs_tol=NOUGHT if last == "t" else 0.0)
        if path[0] == "draws" and self.tolerance is not LOOKED_UP:
            relative, absolute = (DRAWN_P, 0.0) if "p" in path else (DRAWN, DRAWN)
            return math.isclose(old, new, rel_tol=relative, abs_tol=absolute)
        if "p" in path or last.startswith("p_"):
            return self._near_p(old, new, path)
        of_effects = last in OF_EFFECTS or (path[0] == "draws" and last in OF_DRAWN_EFFECTS)
        bound, least = self.tolerance.score, NOUGHT * _magnified(self.record)
        bound = self.tolerance.effect if of_effects else bound
        bound = self.tolerance.variance if last in OF_VARIANCES else bound
        return math.isclose(old, new, rel_tol=self.tolerance.relative, abs_tol=max(bound, least))

    def _near_ties(
        self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path
    ) -> Iterator[str]:
        """Compare counts without near ties; where there are none, these are the counts."""
        said = (old.get(NEAR_TIES) or {}).get("tolerance")
        now = (new.get(NEAR_TIES) or {}).get("tolerance")
        if said is not None and now is not None and not math.isclose(said, now, rel_tol=1e-6):
            yield f"{_called((*path, NEAR_TIES, 'tolerance'))}: {said} in the file, {now} now"
        ours, theirs = _without(old), _without(new)
        ends = [_without(_at(one, path)) for one in self.limits]
        for tail, count in ours.items():
            found = [one[tail] for one in (*ends, theirs) if isinstance(one.get(tail), int)]
            # among near ties some may be equal to the last bit, on one machine and not on another
            known = [_at(one, (*path, "count", tail)) for one in self.limits]
            band = max([c - min(found) for c in known if isinstance(c, int)], default=0)
            if count == theirs.get(tail):
                continue
            if not (found and min(found) - band <= count <= max(found) + band):
                place = _called((*path, NEAR_TIES, "without", tail))
                yield f"{place}: {shortly(count)} in the file, {shortly(theirs.get(tail))} now"

    def _between(self, old: Any, path: Path) -> bool:
        """Whether a number is between those at the limits."""
        found = [value for one in self.limits if (value := _at(one, path)) is not None]
        return len(found) > 1 and min(found) <= old <= max(found)

    def _near_p(self, old: float, new: float, path: Path) -> bool:
        """A p-value is never 0 and may be smaller than any rounding error of a mean."""
        if "rel_err" in path:
            return math.isclose(old, new, rel_tol=self.tolerance.stated)
        drawn = _at(self.record, (*path[:-1], "draws"))  # the limits draw others
        limits = () if drawn else self.limits
        ends: list[float] = [value for one in limits if (value := _at(one, path)) is not None]
        slack = self.tolerance.p
        return min([new, *ends]) * (1 - slack) <= old <= max([new, *ends]) * (1 + slack)

    def _of_kept(self, old: Any, new: Any, path: Path) -> bool:
        """Whether these are patterns of draws, of which few enough differ."""
        if path[-1:] != (OF_KEPT,) or len(str(old)) != len(str(new)):
            return False
        pairs = zip(str(old), str(new), strict=True)
        return sum(one != now for one, now in pairs) <= self._on_the_other_side

    def _step(self, path: Path) -> float:
        """What draws on the other side of a threshold move a share by."""
        holder = _at(self.record, path[: path.index("patterns")])
        numbers = (holder.get(key) for key in DRAWS if isinstance(holder, Mapping))
        draws = next((number for number in numbers if isinstance(number, int)), None)
        return self._on_the_other_side * 1.01 / draws if draws else 0.0

    @property
    def _on_the_other_side(self) -> int:
        """Draws that may be on the other side of a threshold."""
        return 1 if self.tolerance is LOOKED_UP else 2


def _but_for_noise(warnings: Any) -> Any:
    """Warnings without the one that counts resamples without a spread, which rounding decides."""
    if not isinstance(warnings, list):
        return warnings
    return [
        one for one in warnings if not (isinstance(one, str) and "resamples have no spread" in one)
    ]


def _worded_alike(old: Any, new: Any, path: Path) -> bool:
    """Whether a sentence says the same as one in the wording of an earlier version."""
    return isinstance(old, str) and bool(SENTENCES & set(path)) and current(old) == new


def _without(p: Any) -> Mapping[str, Any]:
    """Counts of p-values without near ties."""
    if not isinstance(p, Mapping):
        return {}
    found = p.get(NEAR_TIES)
    return (found["without"] if found else p.get("count")) or {}


def _at(record: Any, path: Path) -> Any:
    """What is at a place of a record; None where there is no such place."""
    for key in path:
        try:
            record = record[key]
        except (KeyError, IndexError, TypeError):
            return None
    return record


def _called(path: Path) -> str:
    """A place as a reader names it."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


def shortly(value: Any) -> str:
    """A value as it is written, cut where it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
