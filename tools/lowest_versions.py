"""Print the lowest version of each package that pyproject.toml allows, as requirements for pip.

``python tools/lowest_versions.py files plots`` prints the packages that the core, two of its extras
and the packages under ``packages`` need. What these need themselves is left to pip, which takes the
newest.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z,-]+\])?>=(?P<version>[0-9.]+)$")
OURS = re.compile(r"eatlas(-[a-z]+)?==")


def project_of(folder: Path) -> dict[str, Any]:
    """What the pyproject.toml of a folder says of its package."""
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


def requirements(extras: Sequence[str]) -> Iterator[str]:
    """What the core, some of its extras and the packages under packages need of others."""
    core = project_of(ROOT)
    yield from core["dependencies"]
    for extra in extras:
        yield from core["optional-dependencies"][extra]
    for folder in sorted((ROOT / "packages").glob("eatlas-*")):
        for requirement in project_of(folder)["dependencies"]:
            if not OURS.match(requirement):
                yield requirement


def lowest(extras: Sequence[str]) -> Iterator[str]:
    """Lowest allowed versions of all of them: the highest bound of each."""
    bounds: dict[str, str] = {}
    for requirement in requirements(extras):
        bound = BOUND.match(requirement)
        if bound is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound alone")
        known = bounds.get(bound["name"], "0")
        bounds[bound["name"]] = max(known, bound["version"], key=_numbers)
    yield from (f"{name}=={version}" for name, version in bounds.items())


def _numbers(version: str) -> list[int]:
    return list(map(int, version.split(".")))


if __name__ == "__main__":
    print(*lowest(sys.argv[1:]), sep="\n")
