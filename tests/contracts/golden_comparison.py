"""Two transcripts or records, and where they differ by more than rounding explains."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+−]?\d+)?(?!\w)")
RELATIVE, ABSOLUTE = 1e-9, 1e-13
"""BLAS adds in another order on another processor, which moves scores by 9e-13 of their size."""
SIX_DECIMALS = 1.01e-6
"""Where both numbers are rounded to six decimals, the last bit can turn the last digit."""
SHOWN = 36
"""Differences of a session that are shown; the others are counted."""


def line_differences(old: list[str], new: list[str]) -> Iterator[str]:
    """Name the lines of two transcripts that differ, with the command that printed them."""
    before, after = _by_command(old), _by_command(new)
    if list(before) != list(after):
        yield "the commands are others: write the goldens with tools/write_goldens.py"
        return
    for command, lines in before.items():
        for n, (line, now) in enumerate(zip_longest(lines, after[command], fillvalue=""), start=1):
            if line.startswith("{") and now.startswith("{"):
                differences = json_differences(line, now)
                yield from (f"{command}, line {n}: {difference}" for difference in differences)
            elif not same_text(line, now):
                yield f"{command}:\n  - {n}: {line}\n  + {n}: {now}"


def _by_command(lines: list[str]) -> dict[str, list[str]]:
    commands: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("$ "):
            commands[line] = []
        else:
            commands[next(reversed(commands))].append(line)
    return commands


def same_text(old: str, new: str) -> bool:
    """Whether two lines say the same, but for the rounding of their numbers."""
    if old == new:
        return True
    if NUMBER.sub("0", old) != NUMBER.sub("0", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(before == after or _close(*map(_number, (before, after))) for before, after in pairs)


def _number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def _close(old: float, new: float) -> bool:
    rounded = round(old, 6) == old and round(new, 6) == new
    return math.isclose(
        old, new, rel_tol=RELATIVE, abs_tol=SIX_DECIMALS if rounded and new % 1 else ABSOLUTE
    )


def json_differences(old: str, new: str) -> Iterator[str]:
    """Name the keys of two JSON objects that differ, and how both are written."""
    yield from _differences(json.loads(old), json.loads(new), "")


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            gone, more = [k for k in old if k not in new], [k for k in new if k not in old]
            yield f"{path or 'the keys'}: gone {gone}, new {more}"
        for key in old.keys() & new.keys() - {"version"}:
            if (path, key) == ("provenance.run", "id"):  # it follows from the version
                continue
            yield from _differences(old[key], new[key], f"{path}.{key}".removeprefix("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, pair in enumerate(zip(old, new, strict=True)):
            yield from _differences(*pair, f"{path}[{i}]")
    elif not _same_value(old, new):
        yield f"{path}: {old!r:.120} before, {new!r:.120} now"


def _same_value(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return _close(old, new)
    if isinstance(old, str) and isinstance(new, str):
        return same_text(old, new)
    return type(old) is type(new) and bool(old == new)


def record_differences(old: list[str], new: list[str]) -> Iterator[str]:
    """Name what differs between the JSON lines of a session."""
    if len(old) != len(new):
        yield f"{len(old)} JSON lines before, {len(new)} now"
        return
    for i, (before, after) in enumerate(zip(old, new, strict=True), start=1):
        record = json.loads(before)
        name = f"JSON line {i} ({record.get('measure')} of {record.get('test')})"
        yield from (f"{name}: {difference}" for difference in json_differences(before, after))


def told(*differences: Iterator[str]) -> str:
    """The first differences, and how many more there are."""
    lines = [line for several in differences for line in several]
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join(lines[:SHOWN] + more)
