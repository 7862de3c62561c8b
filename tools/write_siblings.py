"""Write src/eatlas/siblings.toml: what each package under packages/ adds to the core.

Read from the entry points of each ``pyproject.toml`` and the public names of its ``__init__.pyi``.
The core knows these names from this file alone, so that a name whose package is not installed
says what to install.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src" / "eatlas" / "siblings.toml"
HEAD = """# What each package of this repository adds to the core: its public names, then names by
# group of entry points, without "eatlas." in front. Written by tools/write_siblings.py.
"""
GROUP = "eatlas."


def names_of(package: Path) -> dict[str, list[str]]:
    """Public names of a package, and the names of its entry points by group."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stub = package / "src" / package.name.replace("-", "_") / "__init__.pyi"
    public = re.findall(r"\bas (\w+)", stub.read_text(encoding="utf-8"))
    groups = {
        group.removeprefix(GROUP): list(points)
        for group, points in sorted(project.get("entry-points", {}).items())
        if group.startswith(GROUP)
    }
    return {"names": sorted(public), **groups}


def siblings(root: Path = ROOT) -> str:
    """The text of the file."""
    text = HEAD
    for package in sorted((root / "packages").glob("eatlas-*")):
        text += f"\n[{package.name.removeprefix('eatlas-')}]\n"
        for group, names in names_of(package).items():
            text += f"{group} = [\n" + "".join(f"  {json.dumps(name)},\n" for name in names) + "]\n"
    return text


if __name__ == "__main__":
    TARGET.write_text(siblings(), encoding="utf-8")
