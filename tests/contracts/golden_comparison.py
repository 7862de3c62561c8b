"""Two transcripts or records, and where they differ by more than rounding explains."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+−]?\d+)?(?!\w)")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
NOT_COMPARED = frozenset(("version",))
OF_COMPUTED_VECTORS = frozenset(("vectors_sha256",))
SIX_DECIMALS = 1.01e-6
"""Where both numbers are rounded to six decimals, the last bit can turn the last digit."""
SHOWN = 12
"""Differences of a session that are shown; the others are counted."""
CONTEXT = 60
"""Characters shown before a difference in a long line."""


@dataclass(frozen=True)
class Tolerance:
    """How far two numbers of one quantity may be apart."""

    relative: float
    absolute: float
    counts: float
    """Relative, of whole numbers in parts of records that count ties or draws."""


LOOKED_UP = Tolerance(relative=1e-9, absolute=1e-13, counts=0.0)
"""BLAS adds in another order on another processor, which moves scores by 9e-13 of their size."""
COMPUTED = Tolerance(relative=1e-3, absolute=2e-4, counts=0.02)
"""A model computes in single precision: cosines on other processors move by 4e-7, effect sizes with
them by 1e-5 and resampled ones by 1e-4; scores that nearly tie do so on one machine alone, which
moves counts and the p-values that are their shares."""
COUNTED = frozenset(("count", "without", "near_ties", "counts", "draws", "undefined"))
NEAR_TIES = frozenset(("near_ties",))
"""Shown only where there are some, which rounding decides where a model computes."""


def line_differences(old: list[str], new: list[str], tolerance: Tolerance) -> Iterator[str]:
    """Name the lines of two transcripts that differ, with the command that printed them."""
    before, after = _by_command(old), _by_command(new)
    if [one[0] for one in before] != [one[0] for one in after]:
        yield "the commands are others: write the goldens with tools/write_goldens.py"
        return
    for (command, was), (_, now) in zip(before, after, strict=True):
        if len(was) != len(now):
            place = next((i for i, pair in enumerate(zip(was, now, strict=False))
                          if not same_text(*pair, tolerance)), min(len(was), len(now)))  # fmt: skip
            yield f"{command}: {len(was)} lines before, {len(now)} now; the first that differs:"
            yield from _shown(place, _at(was, place), _at(now, place))
            continue
        for i, (one, other) in enumerate(zip(was, now, strict=True)):
            if one == other:
                continue
            if one.startswith("{") and other.startswith("{"):
                yield from (f"{command}, line {i + 1}: {said}"
                            for said in json_differences(one, other, tolerance))  # fmt: skip
            elif not same_text(one, other, tolerance):
                yield f"{command}:"
                yield from _shown(i, one, other)


def _by_command(lines: list[str]) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


def _at(lines: list[str], place: int) -> str:
    return lines[place] if place < len(lines) else "(no such line)"


def _shown(place: int, old: str, new: str) -> Iterator[str]:
    """Both lines, from a little before the place where they part."""
    parts = next((i for i, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
    start = max(0, parts - CONTEXT)
    for sign, line in (("-", old), ("+", new)):
        yield f"  {sign} {place + 1}: {'...' if start else ''}{line[start : start + 3 * CONTEXT]}"


def same_text(old: str, new: str, tolerance: Tolerance) -> bool:
    """Whether two lines say the same, but for the rounding of their numbers."""
    if old == new:
        return True
    if tolerance is COMPUTED:  # columns are as wide as their numbers, hashes are of all their bits
        old, new = (HASH.sub("(hash)", " ".join(line.split())) for line in (old, new))
        if old == new:
            return True
    if NUMBER.sub("0", old) != NUMBER.sub("0", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(_same_number(one, other, tolerance) for one, other in pairs)


def _same_number(old: str, new: str, tolerance: Tolerance) -> bool:
    if old == new:
        return True
    one, other = (float(text.replace("−", "-").replace(",", "")) for text in (old, new))
    if "." not in old + new and "e" not in old + new:
        return abs(one - other) <= tolerance.counts * max(abs(one), abs(other))
    if tolerance is COMPUTED and max(map(_digits, (old, new))) < 6:
        last_digit = abs(one - other) <= 1.01 * max(map(_last_place, (old, new)))
        return last_digit or math.isclose(one, other, rel_tol=tolerance.relative)
    return _close(one, other, tolerance)


def _digits(text: str) -> int:
    return len(re.sub(r"e.*|\D", "", text).lstrip("0"))


def _last_place(text: str) -> float:
    """What one in the last digit of a printed number is worth."""
    mantissa, _, exponent = text.replace("−", "-").partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def _close(old: float, new: float, tolerance: Tolerance) -> bool:
    rounded = round(old, 6) == old and round(new, 6) == new
    absolute = max(tolerance.absolute, SIX_DECIMALS if rounded else 0.0)
    return math.isclose(old, new, rel_tol=tolerance.relative, abs_tol=absolute)


def json_differences(old: str, new: str, tolerance: Tolerance) -> Iterator[str]:
    """Name the keys of two JSON objects that differ, and how both are written."""
    was, now = json.loads(old), json.loads(new)
    for text, record in ((old, was), (new, now)):
        loose = (json.dumps(record, ensure_ascii=False), json.dumps(record))
        if text not in (*loose, json.dumps(record, ensure_ascii=False, separators=(",", ":"))):
            yield f"it is not written as JSON is elsewhere: {text[:CONTEXT]}"
    yield from _differences(was, now, (), tolerance)


def _differences(old: Any, new: Any, path: tuple[Any, ...], tolerance: Tolerance) -> Iterator[str]:
    computed = tolerance is COMPUTED
    if isinstance(old, dict) and isinstance(new, dict):
        left_out = NOT_COMPARED | (OF_COMPUTED_VECTORS | NEAR_TIES if computed else frozenset())
        keys, others = ([key for key in one if key not in left_out] for one in (old, new))
        if keys != others:
            where = _called(path) or "the keys"
            gone, more = [k for k in keys if k not in new], [k for k in others if k not in old]
            yield f"{where}: gone {gone}, new {more}" if gone or more else f"{where}: another order"
        for key in keys:
            if key in new:
                yield from _differences(old[key], new[key], (*path, key), tolerance)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, (*path, i), tolerance)
    elif not _same_value(old, new, path, tolerance):
        yield f"{_called(path)}: {_short(old)} before, {_short(new)} now"


def _same_value(old: Any, new: Any, path: tuple[Any, ...], tolerance: Tolerance) -> bool:
    if type(old) is not type(new):
        return False
    if isinstance(old, float):
        counted = COUNTED & set(path) or "p" in path or str(path[-1]).startswith("p_")
        loose = tolerance.counts if counted else 0.0
        return _close(old, new, tolerance) or abs(old - new) <= loose * max(abs(old), abs(new))
    if isinstance(old, int) and not isinstance(old, bool) and COUNTED & set(path):
        return abs(old - new) <= tolerance.counts * max(abs(old), abs(new), 100)
    if isinstance(old, str):
        return same_text(old, new, tolerance)
    return bool(old == new)


def _called(path: tuple[Any, ...]) -> str:
    named = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return named.removeprefix(".")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 2 * CONTEXT else f"{text[: 2 * CONTEXT]}..."


def record_differences(old: list[str], new: list[str], tolerance: Tolerance) -> Iterator[str]:
    """Name what differs between the JSON lines of a session."""
    for i, (one, other) in enumerate(zip_longest(old, new)):
        if one is None or other is None:
            yield f"{len(old)} JSON lines before, {len(new)} now"
            return
        if one != other:
            head = json.loads(one)
            name = f"JSON line {i + 1} ({head.get('measure')} of {head.get('test')})"
            yield from (f"{name}: {said}" for said in json_differences(one, other, tolerance))


def told(differences: Iterator[str]) -> str:
    """The first differences, and how many more there are."""
    found = list(differences)
    more = len(found) - 3 * SHOWN
    return "\n".join([*found[: 3 * SHOWN], *([f"and {more} more"] if more > 0 else [])])
