"""How far a change reaches: files touched in each package, and how many outside of its own.

    python tools/touched.py [BASE]    from BASE (the parent of HEAD) to the working tree

A feature lives in one package, so a change of it should touch few files elsewhere: more than five
are a reason to ask which extension point is missing. Moves count once; documentation, tests and
tools are not counted.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = re.compile(r"(?:packages/eatlas-([a-z]+)/)?src/")
FEW = 5


def package_of(path: str) -> str | None:
    """The package that a file of source code belongs to; None for any other file."""
    found = PACKAGE.match(path)
    return (found[1] or "core") if found else None


def main() -> int:
    """Print files touched in each package, and outside of the one with most."""
    base = sys.argv[1] if len(sys.argv) > 1 else "HEAD~1"
    done = subprocess.run(
        ["git", "-C", str(ROOT), "diff", "--name-only", "--find-renames", base],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(f"{base} is not here: files touched are not counted")
        return 0
    touched = Counter(filter(None, map(package_of, done.stdout.splitlines())))
    listed = ", ".join(f"{name} {number}" for name, number in touched.most_common())
    outside = touched.total() - max(touched.values(), default=0)
    print(f"files of source touched since {base}: {listed or 'none'}")
    print(f"files touched outside of the package of the change: {outside}")
    if outside > FEW:
        print(f"more than {FEW}: is an extension point missing?")
    return 0


if __name__ == "__main__":
    sys.exit(main())
