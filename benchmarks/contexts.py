"""Contexts from a gigabyte of English, beside what it takes to read the file at all.

    python benchmarks/contexts.py [--folder DIR] [--size 1e9] [--tests weat-1] [--per-term 1000]

The text is real: the dictionary GCIDE, WordNet's glosses, the Anarchist FAQ and the King James
Bible, from Debian's packages dict-gcide, wordnet-base, anarchism and bible-kjv-text, as often as
it takes; every round has its number in each line, so that few contexts come twice. Beside
``eatlas.find_contexts``: ``wc -l``, ``grep -c`` of one word, and, on a part of the file, what
finds the same words otherwise: Python's ``re``, and ahocorasick-rs and polars where they are
installed. Each runs after the file was read once. Peak memory is that of a process of its own; it
is printed for a quarter of the file too, since it may not grow.
"""

from __future__ import annotations

import argparse
import gzip
import html
import importlib
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import eatlas
from eatlas_corpora.reading.matching import MatchRule
from eatlas_corpora.reading.sampling import stimuli_of

PART = 10_000_000
"""Bytes that the slow ones are given."""
SHARE = Path("/usr/share")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, help="where to make the file")
    parser.add_argument("--size", type=float, default=1e9)
    parser.add_argument("--tests", default="weat-1")
    parser.add_argument("--per-term", type=int, default=1000)
    parser.add_argument("--window", default="9")
    parser.add_argument("--extract", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.extract:
        print(json.dumps(extract(given.extract, given)))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path, part = Path(folder, "whole.txt"), Path(folder, "quarter.txt")
        write(path, int(given.size))
        write(part, int(given.size / 4))
        compare(path, part, given)


def compare(path: Path, quarter: Path, given: argparse.Namespace) -> None:
    size = path.stat().st_size
    print(f"{size / 1e6:,.0f} MB of English, stimuli of {given.tests}, window {given.window}")
    run("wc", "-l", str(path))  # into the cache
    whole, small = (extraction(one, given) for one in (path, quarter))
    say("eatlas contexts, cold", size, whole["cold"])
    say("eatlas contexts", size, whole["seconds"])
    say("  of that, on the processor", size, whole["busy"])
    print(f"  {whole['found']:,} found, {whole['kept']:,} kept")
    print(f"  peak memory {whole['peak']:.0f} MiB; for a quarter of it {small['peak']:.0f} MiB")
    for command in ("wc -l", "grep -c love"):
        say(command, size, timed(partial(run, *command.split(), str(path))))
    text = path.read_bytes()[:PART].decode("utf-8", "ignore")
    for name, find in rivals(given.tests):
        say(name, len(text), timed(partial(find, text)))


def run(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout


def say(name: str, size: int, seconds: float) -> None:
    print(f"{name:<34} {seconds:8.2f} s  {size / seconds / 1e6:8.1f} MB/s")


def timed(do: Callable[[], object]) -> float:
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun


def extraction(path: Path, given: argparse.Namespace) -> dict[str, float]:
    options = ["--tests", given.tests, "--per-term", str(given.per_term), "--window", given.window]
    command = [sys.executable, __file__, "--extract", str(path), *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def extract(path: Path, given: argparse.Namespace) -> dict[str, float]:
    """Extract once, with loading of compiled code (cold) and without."""
    window = int(given.window) if given.window.isdecimal() else given.window

    def once(corpus: Path) -> eatlas.Contexts:
        return eatlas.find_contexts(corpus, given.tests, per_term=given.per_term, window=window)

    with tempfile.NamedTemporaryFile(suffix=".txt") as small:
        small.write(b"a love\n")
        small.flush()
        loading = timed(lambda: once(Path(small.name)))
    begun, busy = time.perf_counter(), time.process_time()
    contexts = once(path)
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = sum(one.found for one in contexts.counts)
    return {
        "cold": loading + seconds,
        "seconds": seconds,
        "busy": busy,
        "peak": peak,
        "found": found,
        "kept": len(contexts),
    }


def rivals(tests: str) -> Iterator[tuple[str, Callable[[str], object]]]:
    """Other ways to find the same words; those of libraries find parts of words too."""
    rule = MatchRule()
    words = [one for term in stimuli_of(eatlas.load_tests(tests)) for one in rule.spellings(term)]
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)"
    yield "re", lambda text: sum(1 for _ in re.finditer(pattern, text))
    if aho := installed("ahocorasick_rs"):
        kinds = {
            "matchkind": aho.MatchKind.LeftmostLongest,
            "implementation": aho.Implementation.DFA,
        }
        machine = aho.BytesAhoCorasick([word.encode() for word in words], **kinds)
        yield "ahocorasick-rs", lambda text: machine.find_matches_as_indexes(text.encode())
    if polars := installed("polars"):
        either = r"\b(?:" + "|".join(longest_first) + r")\b"
        yield (
            "polars, lines with a match",
            lambda text: polars.Series(text.split("\n")).str.contains(either).sum(),
        )


def installed(name: str) -> object:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed")
        return None


def write(path: Path, size: int) -> None:
    """Write English until the file is large enough."""
    lines = list(english())
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for number in count():
            file.writelines(f"{line} {number}\n" for line in lines)
            if file.tell() >= size:
                return


def english() -> Iterator[str]:
    """Every line of the four books, without markup."""
    with gzip.open(
        SHARE / "dictd" / "gcide.dict.dz", "rt", encoding="utf-8", errors="replace"
    ) as file:
        yield from filled(file)
    for path in sorted((SHARE / "wordnet").glob("data.*")):
        yield from filled(line.partition("| ")[2] for line in path.open(encoding="utf-8"))
    for path in sorted((SHARE / "doc" / "anarchism" / "html").glob("*.html")):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from filled(html.unescape(re.sub(r"<[^>]+>", "", text)).split("\n"))
    yield from filled(run("bible", "-f", "gen1:1-rev22:21").split("\n"))


def filled(lines: Iterable[str]) -> Iterator[str]:
    return (line.rstrip("\n") for line in lines if line.strip())


if __name__ == "__main__":
    main()
