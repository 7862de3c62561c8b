"""Print the part of constraints.txt that some extras need, as requirements for pip.

``python tools/locked.py docs packages`` prints what the core needs, an extra of it, the packages
beside the core with all their extras, and what they are built with: each with its version and the
hashes of its files. The comments of constraints.txt say what needs what.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAME = re.compile(r"[A-Za-z0-9._-]+")
PACKAGES = "packages"
NESTED = re.compile(r"eatlas\[(?P<extras>[a-z,]+)\]")
OURS = re.compile(r"eatlas\b")
NEEDED_BY = re.compile(r"^ +#(?: via)? +([a-z0-9-]+)$", re.MULTILINE)
SEPARATE = re.compile(r"torch|triton|(cuda|nvidia)-.*")
"""Which build of torch fits is the machine's to say; what the build needs, it brings."""


def beside_the_core() -> Iterator[str]:
    """Requirements of the packages beside the core, with all their extras."""
    for path in sorted((ROOT / PACKAGES).glob("*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        yield from project["dependencies"]
        for extra in project.get("optional-dependencies", {}).values():
            yield from extra


def named(extras: Sequence[str]) -> Iterator[str]:
    """Packages that pyproject.toml names for the core, the build and some extras."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = document["project"]["optional-dependencies"]
    wanted = [*document["project"]["dependencies"], *document["dependency-groups"]["build"]]
    for extra in extras:
        wanted += beside_the_core() if extra == PACKAGES else optional[extra]
    for requirement in wanted:
        if nested := NESTED.match(requirement):
            yield from named(nested["extras"].split(","))
        elif OURS.match(requirement):
            continue
        elif name := NAME.match(requirement):
            yield re.sub(r"[._-]+", "-", name[0]).lower()


def entries() -> list[tuple[str, str]]:
    """Name and lines of each pin of constraints.txt."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    _, *found = re.split(r"\n(?=[a-z0-9])", text.rstrip())
    return [(entry.partition("==")[0], entry) for entry in found]


def locked(extras: Sequence[str]) -> list[str]:
    """Pins of what some extras need, of what that needs and so on, but for builds of torch."""
    every = entries()
    wanted, before = set(named(extras)), set[str]()
    while wanted != before:
        before = set(wanted)
        wanted |= {name for name, entry in every if before & set(NEEDED_BY.findall(entry))}
    return [entry for name, entry in every if name in wanted and not SEPARATE.fullmatch(name)]


if __name__ == "__main__":
    print(*locked(sys.argv[1:]), sep="\n")
