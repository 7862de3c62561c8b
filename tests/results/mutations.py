"""Results files that are damaged at random, and all that is done with what can be read of them."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasError
from eatlas.present import report_text, write_report
from eatlas.results import salvage_results

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53 + 1, 10**300, 10**4000, -0.0, 0.5, 1e-320, 1e9, 3e8, 1e308,
    -1e308, 1e149, "", " ", "\x00", "\x1b[2J", "\u2028", "a" * 5000, "<script>", "=1+1", "nan",
    "\U0001f600", "e\u0301", [], {}, [[]], [None], [0.5, 0.5], {"X": 1}, {"": ""}, ["", ""],
)  # fmt: skip
STRINGS = tuple(one for one in ODD if isinstance(one, str))
RAW = (
    b"NaN", b"Infinity", b"1e400", b'"\\ud800"', b"[" * 3000, b"{" + b'"a":' * 50, b"01", b"\xff",
    b"\xed\xa0\x80", b"\x00", b'"x":1,"x":2,', b"\n", b"",
)  # fmt: skip
FORMATS = ("latex", "markdown", "html-table", "csv")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in nested values."""
    if isinstance(value, dict):
        inner = [place for key, one in value.items() for place in places(one, (*path, key))]
    elif isinstance(value, list):
        few = list(enumerate(value))[:3] + list(enumerate(value))[-1:]
        inner = [place for i, one in few for place in places(one, (*path, i))]
    else:
        inner = []
    return [path, *inner] if path else inner


def mutated(lines: list[dict[str, Any]], seed: int) -> bytes:
    """A results file with one to three faults."""
    rng = random.Random(seed)
    changed = copy.deepcopy(lines)
    for _ in range(rng.choice((1, 1, 2, 3))):
        line = rng.choice(changed)
        *above, last = rng.choice(places(line))
        holder = line
        for key in above:
            holder = holder[key]
        _change(holder, last, rng)
    data = b"".join(
        json.dumps(line, ensure_ascii=rng.random() < 0.5).encode() + b"\n" for line in changed
    )
    if rng.random() < 0.1:
        at, raw = rng.randrange(len(data)), rng.choice(RAW)
        data = data[:at] + raw + data[at + rng.choice((0, 1, len(raw), 200)) :]
    return data


def _change(holder: Any, key: Any, rng: random.Random) -> None:
    """Change one value; mostly into another of its kind, so that it can be read."""
    value, how = holder[key], rng.random()
    if how < 0.15:
        holder[key] = rng.choice(ODD)
    elif how < 0.25 and isinstance(holder, dict):
        del holder[key]
    elif how < 0.35 and isinstance(holder, dict):
        other = rng.choice(list(holder))
        holder[key], holder[other] = holder[other], value
    elif isinstance(value, list) and value:
        holder[key] = rng.choice((value[:-1], value * 2, value[::-1], value[:1], []))
    elif isinstance(value, int):
        holder[key] = rng.choice((0, 1, -1, value + 1, value * 1000, 2**53 + 1, 10**30))
    elif isinstance(value, float):
        holder[key] = rng.choice((0.0, 1.0, -value, value * 1e6, 1e-300, 1e9, 1e140, -1e5, None))
    elif isinstance(value, str):
        holder[key] = rng.choice((value * 2, value[:1], "", "other", *STRINGS))
    else:
        holder[key] = rng.choice(ODD)


def try_one(lines: list[dict[str, Any]], seed: int, folder: Path, *, page: bool = True) -> None:
    """Read a damaged file and do all that is done with results; only errors in words may come.

    Parameters
    ----------
    lines : list of dict
        Results as they are.
    seed : int
        Of the damage.
    folder : Path
        For the file, and the report of it.
    page : bool, default True
        Whether to make the page too, which takes the longest.
    """
    path = folder / "mutated.jsonl"
    path.write_bytes(mutated(lines, seed))
    good, damage = salvage_results(path)
    for error in damage:
        str(error).encode()
    for result in good:
        repr(result).encode()
        result._repr_html_()
    if len(good):
        good.to_frame()
        for form in FORMATS:
            try:
                report_text(good, form).encode()
            except EatlasError as error:
                str(error).encode()
    if page:
        try:
            write_report(good, folder / "report.html", damage=damage)
        except EatlasError as error:
            str(error).encode()
