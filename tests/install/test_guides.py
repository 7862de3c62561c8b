"""The rooms of the package say what is where, and name modules that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {
    path.name: path
    for path in sorted((*ROOT.glob("src/eatlas"), *ROOT.glob("packages/*/src/eatlas_*")))
    if path.is_dir()
}
FILES = sorted(path for package in PACKAGES.values() for path in package.rglob("*.py"))


def is_module(name: str, room: Path) -> bool:
    """Whether a name is one of the package, or of the room whose docstring has it."""
    parts = name.removeprefix("~").split(".")
    place = (
        PACKAGES[parts[0]].joinpath(*parts[1:]) if parts[0] in PACKAGES else room.joinpath(*parts)
    )
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_modules_that_docstrings_name_exist():
    named = {
        (str(path.relative_to(ROOT)), name)
        for path in FILES
        for name in re.findall(r":mod:`([^`]+)`", path.read_text(encoding="utf-8"))
        if not is_module(name, path.parent)
    }
    assert not named


def test_each_room_says_what_it_holds():
    rooms = [path for path in FILES if path.name == "__init__.py"]
    assert all(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in rooms)
