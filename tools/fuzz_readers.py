"""Damage vector files at random and read them, for as long as one likes.

    python tools/fuzz_readers.py [--trials 2000] [--seed 1] [--format NAME]... [--megabytes 300]

Every trial must end in an answer that does not contradict itself, or in a SourceError. Each format
is read by a process of its own, which may take so much more memory than it has at first, and 20
seconds a trial. A crash, a hang, any other exception and any call for memory that is not there are
printed with the numbers that make the trial again (``--format NAME --seed S --only N``). The exit
status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.reader_mutations import FORMATS, Original, try_one

SECONDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=2000, help="of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", choices=[w.__name__ for w in FORMATS])
    parser.add_argument("--only", type=int, help="make this one trial")
    parser.add_argument("--megabytes", type=int, default=300)
    given = parser.parse_args()
    numbers = range(given.trials) if given.only is None else range(given.only, given.only + 1)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EATLAS_CACHE"] = str(Path(folder) / "cache")
        for writer in FORMATS:
            if given.format and writer.__name__ not in given.format:
                continue
            original = Original.of(writer, Path(folder) / writer.__name__)
            begun, start, faults, sound = time.perf_counter(), numbers.start, 0, 0
            while start < numbers.stop:
                start, some, fine = batch(original, given.seed, range(start, numbers.stop), given)
                faults, sound = faults + some, sound + fine
            seconds = time.perf_counter() - begun
            print(
                f"{writer.__name__:32} {len(numbers)} trials, {sound} readable, {faults} wrong, "
                f"{seconds:.0f} s",
                flush=True,
            )
            wrong += faults
    sys.exit(bool(wrong))


def batch(
    original: Original, seed: int, numbers: range, given: argparse.Namespace
) -> tuple[int, int, int]:
    """Try numbers in a process until it dies; the number to go on with, faults, readable files."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        limit(given.megabytes)
        with os.fdopen(send, "w", buffering=1) as out:
            for number in numbers:
                out.write(f"at {number}\n")
                out.write(trial(original, seed, number))
        os._exit(0)
    os.close(send)
    last, faults, sound = numbers.start, 0, 0
    with os.fdopen(receive) as lines:
        for line in lines:
            if line.startswith("at "):
                last = int(line[3:])
            elif line == "sound\n":
                sound += 1
            elif line != "refused\n":
                faults += line.startswith("WRONG")
                print(line, end="", flush=True)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        print(f"WRONG {original.kind} --seed {seed} --only {last}: killed by {name}", flush=True)
        faults += 1
    return last + 1, faults, sound


def trial(original: Original, seed: int, number: int) -> str:
    """What became of one."""
    signal.alarm(SECONDS)  # kills, wherever it hangs
    target = original.folder.with_name(f"{original.kind}-{os.getpid()}")
    try:
        sound = try_one(original, target, np.random.default_rng([seed, number]))
        return "sound\n" if sound else "refused\n"
    except BaseException as error:  # noqa: BLE001
        told = "".join(traceback.format_exception(error)[-6:])
        told = told.strip().replace("\n", "\n    ")
        return f"WRONG {original.kind} --seed {seed} --only {number}\n    {told}\n"
    finally:
        signal.alarm(0)


def limit(megabytes: int) -> None:
    """Let this process have so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
