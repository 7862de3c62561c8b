"""How many contexts each stimulus has, as a table for a person."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from eatlas.cli.say import print_line
from eatlas.corpora import Contexts, Count, Pairs


def print_contexts(found: Contexts | Pairs, output: Path) -> None:
    """Print the counts of every stimulus, what was skipped, and where the file lies."""
    if isinstance(found, Contexts):
        _print_counts(found)
        wanting = _wanting(found)
    else:
        wanting = _of_pairs(found)
    for line in (*_read(found), *wanting):
        print_line(line)
    print_line("")
    print_line(f"{'contexts' if isinstance(found, Contexts) else 'pairs'}: {output}")


def _print_counts(found: Contexts) -> None:
    width = max(len("stimulus"), *(len(count.stimulus) for count in found.counts))
    print_line(f"{'stimulus':<{width}}  {'found':>11}  {'kept':>7}")
    for count in found.counts:
        print_line(f"{count.stimulus:<{width}}  {count.found:>11,}  {count.kept:>7,}")
    print_line("")


def _of_pairs(found: Pairs) -> list[str]:
    """Say how many pairs there are; a test of 50 and 50 stimuli has 2,500."""
    there = [count for count in found.counts if count.kept]
    targets = dict.fromkeys(count.target for count in found.counts)
    alone = [one for one in targets if not any(count.target == one for count in there)]
    said = [
        f"pairs with a context: {len(there):,} of {len(found.counts):,}; "
        f"contexts kept: {len(found):,}"
    ]
    return [*said, f"targets without any pair: {', '.join(alone)}"] if alone else said


def _read(found: Contexts | Pairs) -> list[str]:
    files = found.provenance["files"]
    texts = sum(file["texts"] for file in files)
    damaged = sum(file["damaged"] for file in files)
    skipped: Counter[str] = sum((Counter(file["skipped"]) for file in files), Counter())
    lines = [f"{texts:,} texts of {len(files)} file(s), {sum(f['size'] for f in files):,} bytes"]
    if damaged:
        lines.append(f"skipped, damaged lines: {damaged:,}")
    lines += [f"skipped, {reason}: {n:,}" for reason, n in skipped.items()]
    return lines


def _wanting(found: Contexts) -> list[str]:
    """Name the stimuli without contexts, and those with fewer than were asked for."""
    none = [count for count in found.few if not count.kept]
    fewer = [count for count in found.few if count.kept]
    said = []
    if none:
        said.append(f"without any context: {', '.join(count.stimulus for count in none)}")
    if fewer:
        asked = found.provenance["per_term"]
        said.append(f"with fewer than {asked:,}: {', '.join(map(_few, fewer))}")
    return said


def _few(count: Count) -> str:
    return f"{count.stimulus} ({count.kept:,})"
