"""Refuse large files in a commit: data belongs to the packages that carry it, or is downloaded.

``python tools/large_files.py FILE...`` returns 1 if a file that is not committed yet is too large.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MOST = 512 * 1024
"""Bytes of a new file; four files are larger: bundled vectors, and the frozen numbers."""


def committed() -> set[str]:
    """Files of the last commit."""
    command = ["git", "ls-tree", "-r", "-z", "--name-only", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split("\0"))


def too_large(names: Sequence[str], known: set[str]) -> list[str]:
    """Files that are new and too large, with their size."""
    sizes = {name: Path(name).stat().st_size for name in names if name not in known}
    return [f"{name}: {size:,} bytes" for name, size in sizes.items() if size > MOST]


if __name__ == "__main__":
    found = too_large(sys.argv[1:], committed())
    print(*found, sep="\n", file=sys.stderr)
    sys.exit(bool(found))
