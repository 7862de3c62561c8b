"""Write src/eatlas/siblings.toml: what each package under packages/ adds to the core.

Read from the entry points of each ``pyproject.toml`` and the public names of its ``__init__.pyi``.
The core knows these names from this file alone, so that a name whose package is not installed
says what to install, and the help of the command line lists all commands without importing them.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src" / "eatlas" / "siblings.toml"
HEAD = """# What each package of this repository adds to the core: its public names, then names by
# group of entry points, without "eatlas." in front; commands with the first line of their help.
# Written by tools/write_siblings.py.
"""
GROUP = "eatlas."


Names = dict[str, list[str]]


def names_of(package: Path) -> tuple[Names, dict[str, str]]:
    """Public names of a package and names of its entry points by group; help by command."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stub = package / "src" / package.name.replace("-", "_") / "__init__.pyi"
    public = re.findall(r"\bas (\w+)", stub.read_text(encoding="utf-8"))
    groups = {
        group.removeprefix(GROUP): list(points)
        for group, points in sorted(project.get("entry-points", {}).items())
        if group.startswith(GROUP)
    }
    commands = project["entry-points"].get(f"{GROUP}commands", {})
    helps = {name: first_line(package / "src", value) for name, value in commands.items()}
    del groups["commands"]
    return {"names": sorted(public), **groups}, helps


def first_line(source: Path, value: str) -> str:
    """The first line of the help of a command, or of a group of them, that an entry point names."""
    module, _, name = value.partition(":")
    tree = ast.parse((source / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return str(ast.literal_eval(node.value.keywords[0].value))  # type: ignore[attr-defined]
    raise LookupError(value)


def siblings(root: Path = ROOT) -> str:
    """The text of the file."""
    text = HEAD
    for package in sorted((root / "packages").glob("eatlas-*")):
        text += f"\n[{package.name.removeprefix('eatlas-')}]\n"
        groups, helps = names_of(package)
        for group, names in groups.items():
            text += f"{group} = [\n" + "".join(f"  {json.dumps(name)},\n" for name in names) + "]\n"
        text += f"\n[{package.name.removeprefix('eatlas-')}.commands]\n"
        for name, line in helps.items():
            text += f"{json.dumps(name)} = {json.dumps(line)}\n"
    return text


if __name__ == "__main__":
    TARGET.write_text(siblings(), encoding="utf-8")
