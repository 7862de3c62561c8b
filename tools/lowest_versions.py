"""Print the lowest version of each package that pyproject.toml allows, as requirements for pip.

``python tools/lowest_versions.py files text`` prints the core packages and those of two extras.
What these packages need themselves is left to pip, which takes the newest.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z,-]+\])?>=(?P<version>[0-9.]+)$")


def lowest(extras: Sequence[str]) -> Iterator[str]:
    """Lowest allowed versions of the core packages and of some extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    for requirement in dict.fromkeys(wanted):
        bound = BOUND.match(requirement)
        if bound is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound alone")
        yield f"{bound['name']}=={bound['version']}"


if __name__ == "__main__":
    print(*lowest(sys.argv[1:]), sep="\n")
