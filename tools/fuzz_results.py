"""Damage results files at random, read them, and make every table and page of what can be read.

    python tools/fuzz_results.py [--trials 2000] [--seed 1]

A bad line must be named, and good ones shown; any other exception is printed with the seed that
makes the trial again (``--trials 1 --seed S``). The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.results.mutations import try_one

import eatlas

SLOW = 10
"""Seconds that no trial may take."""


def originals() -> list[dict[str, object]]:
    """One result of each kind that needs no model of language."""
    tests = eatlas.load_tests("weat-6")
    texts = [f"Here is {term} again, {i}." for term in tests[0].terms for i in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("\n".join(texts), encoding="utf-8")
        contexts = eatlas.find_contexts(corpus, tests)
        results = [
            *eatlas.run("weat-6", measures=["ml-eat", "weat", "sc-eat"]),
            *eatlas.run("sent-weat-6", "cbow:glove-sample", "ml-eat"),
            *eatlas.run("weat-6", "cbow:glove-sample", "ceat(n=50)", contexts=contexts),
        ]
    return [json.loads(json.dumps(one.to_dict())) for one in results]


def main() -> int:
    """Try many; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-page", action="store_true", help="leave the page out, which is slow")
    asked = parser.parse_args()
    lines, failed = originals(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seed, asked.seed + asked.trials):
            start = time.monotonic()
            try:
                try_one([lines[seed % len(lines)]], seed, Path(folder), page=not asked.no_page)
            except Exception:  # noqa: BLE001  (what is looked for)
                failed += 1
                print(f"--seed {seed}:\n{traceback.format_exc(limit=-4)}")
            if time.monotonic() - start > SLOW:
                failed += 1
                print(f"--seed {seed}: {time.monotonic() - start:.0f} s")
    print(f"{asked.trials} trials, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
