"""How many contexts each stimulus has, as a table for a person."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer

from eatlas.sources.corpora import Contexts, Count


def print_contexts(found: Contexts, output: Path) -> None:
    """Print the counts of every stimulus, what was skipped, and where the file lies."""
    width = max(len("stimulus"), *(len(count.stimulus) for count in found.counts))
    typer.echo(f"{'stimulus':<{width}}  {'found':>11}  {'kept':>7}")
    for count in found.counts:
        typer.echo(f"{count.stimulus:<{width}}  {count.found:>11,}  {count.kept:>7,}")
    typer.echo("")
    for line in (*_read(found), *_wanting(found)):
        typer.echo(line)
    typer.echo(f"\ncontexts: {output}")


def _read(found: Contexts) -> list[str]:
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
