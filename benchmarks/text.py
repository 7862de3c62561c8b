"""Counting associations in English text, beside plain Python and what reading the file takes.

    python benchmarks/text.py [--folder DIR] [--size 5e8] [--span 3]

The text is that of ``benchmarks/contexts.py``: real English from Debian's packages dict-gcide,
wordnet-base, anarchism and bible-kjv-text, a line a document. Counted are the 288 professions of
divdist-gender against the groups of gender and of race, in one pass and one process. Beside
``eatlas.count_text``: two loops of plain Python over a part of the text that is already split into
spans, ``wc -l``, and reading the file alone. One loop finds all words by one regular expression and
must give the same counts. The other looks every word up in a dictionary, which is quicker, but
finds no term of several words. Seconds are those of the processor. Peak memory is that of a process
of its own, for the whole file and for a quarter of it.
The first lines are the command ``eatlas text`` for nine bytes: the first time on a machine, when
numba compiles, and the second.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from contexts import english

import eatlas
import eatlas_corpora.reading.counts
from eatlas_corpora.reading import kernels
from eatlas_corpora.reading.matching import MatchRule, abbreviations, character_table

PART = 4_000_000
"""Bytes that plain Python is given."""
TESTS = ("divdist-gender", "divdist-race")
PROSE = 31_000
"""Last lines of the text: verses of the Bible, where every second span names a man or a woman."""
_BLOCK = 1 << 22


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, help="where to make the files")
    parser.add_argument("--size", type=float, default=5e8)
    parser.add_argument("--span", type=int, default=3)
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.count:
        print(json.dumps(count(given.count, given.span)))
        return
    compare_first_use()
    lines = list(english())
    prose = lines[-PROSE:]
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for name, some in (("all four books", lines), ("the Bible alone", prose)):
            whole, quarter = Path(folder, "whole.txt"), Path(folder, "quarter.txt")
            write(whole, some, int(given.size))
            write(quarter, some, int(given.size / 4))
            compare(name, whole, quarter, given.span)


def compare_first_use() -> None:
    """Print processor seconds of the command with an empty folder of compiled code, and again."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "text.txt").write_text("A nurse.\n", encoding="utf-8")
        command = [sys.executable, "-m", "eatlas", "text", "text.txt", "--tests", TESTS[0]]
        used = [0.0]
        for _ in range(3):
            subprocess.run(
                command,
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
                cwd=folder,
                check=True,
                capture_output=True,
            )
            children = resource.getrusage(resource.RUSAGE_CHILDREN)
            used.append(children.ru_utime + children.ru_stime)
        first, second, third = (after - before for before, after in pairwise(used))
    again = min(second, third)
    print(f"nine bytes: {first:.2f} s, again {again:.2f} s: {first / again:.1f} times as long")


def compare(name: str, whole: Path, quarter: Path, span: int) -> None:
    size = whole.stat().st_size
    print(f"{name}: {size / 1e6:,.0f} MB, {', '.join(TESTS)}, spans of {span} sentences")
    counted, small = (in_a_process(path, span) for path in (whole, quarter))
    say("eatlas text, one process", size, counted["busy"])
    say("  by the clock", size, counted["seconds"])
    print(f"  {counted['spans']:,} spans, {counted['found']:,} mentions of a target")
    print(f"  peak {counted['peak']:.0f} MiB; for a quarter {small['peak']:.0f} MiB")
    say("reading the file", size, timed(partial(read, whole)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["wc", "-l", str(whole)], check=True, capture_output=True)  # noqa: S607
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    say("wc -l", size, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    part = whole.with_name("part.txt")
    text = whole.read_bytes()[:PART].rpartition(b"\n")[0]
    part.write_bytes(text)
    spans, right = spans_of(text.decode(), span), in_eatlas(part, span)
    for rival in (by_one_expression, by_dictionary):
        count_in = rival()
        begun = time.process_time()
        counts = count_in(spans)
        say(f"plain Python, {rival.__name__}", len(text), time.process_time() - begun)
        same = (counts & right).total()
        print(f"  {same:,} of {right.total():,} counts the same, {counts.total() - same:,} more")


def say(name: str, size: int, seconds: float) -> None:
    print(f"{name:<36} {seconds:8.2f} s  {size / seconds / 1e6:8.1f} MB/s")


def timed(do: Callable[[], object]) -> float:
    begun = time.process_time()
    do()
    return time.process_time() - begun


def read(path: Path) -> None:
    buffer = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def in_a_process(path: Path, span: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--count", str(path), "--span", str(span)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def quietly(path: Path, span: int) -> eatlas_corpora.reading.counts.TextCounts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return eatlas.count_text(path, TESTS, span=span)


def count(path: Path, span: int) -> dict[str, float]:
    """Count once, after compiled code was loaded."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as small:
        small.write(b"A nurse.\n")
        small.flush()
        quietly(Path(small.name), span)
    begun, busy = time.perf_counter(), time.process_time()
    counts = quietly(path, span)
    return {
        "seconds": time.perf_counter() - begun,
        "busy": time.process_time() - busy,
        "peak": peak(),
        "spans": int(counts.totals[2]),
        "found": sum(counts.spans.values()),
    }


def peak() -> float:
    """MiB; the maximum of getrusage would begin with that of the process that started this one."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def in_eatlas(path: Path, span: int) -> Counter[tuple[str, str]]:
    """Counts of every target and group that are not 0."""
    counts = quietly(path, span)
    found: Counter[tuple[str, str]] = Counter()
    for target in counts.targets:
        for group, number in (counts.counts(target) or {}).items():
            if number:
                found[target, group] = int(number)
    return found


def sentences(text: str) -> list[str]:
    """Part a text into sentences."""
    data, tables = np.frombuffer(text.encode(), np.uint8), (character_table(), abbreviations())
    words = (match.start() for match in re.finditer(rb"(?<=\s)\S", data.tobytes()))
    cuts = [0, *(k for k in words if kernels.begins(data, k, -1, tables)), len(data)]
    parts = (data[a:b].tobytes().decode().strip() for a, b in pairwise(cuts))
    return [part for part in parts if part]


def spans_of(text: str, span: int) -> list[str]:
    """Spans of sentences, split as eatlas splits them, so that the counts can be the same."""
    spans = []
    for line in text.split("\n"):
        whole = sentences(line)
        spans += [" ".join(whole[i : i + span]) for i in range(0, len(whole), span)]
    return spans


Roles = dict[str, tuple[str | None, tuple[tuple[int, str], ...]]]
"""Of each spelling the target, and the groups by their family."""
Loop = Callable[[list[str]], Counter[tuple[str, str]]]


def roles() -> Roles:
    """What each spelling of the tests stands for."""
    tests = eatlas.load_tests(TESTS)
    targets: dict[str, str] = {}
    groups: dict[str, list[tuple[int, str]]] = {}
    for term in tests[0].targets.terms:
        targets |= dict.fromkeys(MatchRule().spellings(term), term)
    for family, test in enumerate(tests):
        for group in test.groups:
            for term in group.terms:
                for spelling in MatchRule().spellings(term):
                    groups.setdefault(spelling, []).append((family, group.name.casefold()))
    return {
        spelling: (targets.get(spelling), tuple(groups.get(spelling, ())))
        for spelling in targets | groups
    }


def count_of(find: Callable[[str], list[str]], known: Roles) -> Loop:
    """Count spans by the words that are found in them."""

    def count_in(spans: list[str]) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        for span in spans:
            words = known.keys() & find(span)
            targets = {known[word][0] for word in words} - {None}
            if not targets:
                continue
            groups = {group for word in words for group in known[word][1]}
            for family in range(len(TESTS)):
                present = [name for number, name in groups if number == family]
                if len(present) == 1:
                    counts.update((str(target), present[0]) for target in targets)
        return counts

    return count_in


def by_one_expression() -> Loop:
    """Find all words by one regular expression, the longest first."""
    known = roles()
    spellings = sorted(known, key=len, reverse=True)
    return count_of(
        re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, spellings))})(?!\w)").findall, known
    )


def by_dictionary() -> Loop:
    """Look every word of a span up."""
    return count_of(re.compile(r"\w+").findall, roles())


def write(path: Path, lines: list[str], size: int) -> None:
    """Write English until the file is large enough."""
    with path.open("w", encoding="utf-8", errors="replace") as file:
        while file.tell() < size:
            file.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
