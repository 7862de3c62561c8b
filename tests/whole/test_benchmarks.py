"""Benchmarks and tools are not run by tests; what they import of eatlas is there."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "tools").rglob("*.py")])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_script_imports_is_there(path):
    lost = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "eatlas":
            module = import_module(node.module)
            lost += [
                f"{node.module}.{one.name}"
                for one in node.names
                if not hasattr(module, one.name) and not find_spec(f"{node.module}.{one.name}")
            ]
    assert not lost
