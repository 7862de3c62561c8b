"""The rooms of the package say what is where, and name modules that exist."""

import ast
import re
from pathlib import Path

import eatlas

ROOT = Path(eatlas.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


def is_module(name: str, room: Path) -> bool:
    """Whether a name is one of the package, or of the room whose docstring has it."""
    parts = name.removeprefix("~").split(".")
    place = ROOT.joinpath(*parts[1:]) if parts[0] == "eatlas" else room.joinpath(*parts)
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
