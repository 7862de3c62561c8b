"""What the package imports comes with eatlas, or with an extra that a message names."""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS_ALONE = {"test", "lint", "docs"}
"""Extras of those who work on eatlas."""
BROUGHT = {
    "PIL": "pillow",
    "datasets": "evaluate",
    "markupsafe": "jinja2",
    "pydantic_core": "pydantic",
    "sklearn": "scikit-learn",
    "typing_extensions": "pydantic",
    "urllib3": "requests",
    "huggingface_hub": "transformers",
    "vl_convert": "vl-convert-python",
    "yaml": "pyyaml",
}
"""Dependencies that bring packages of other names."""


def distribution(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Statements in a block, and what holds further blocks."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        yield from getattr(node, field, ())


def imports(tree: ast.AST) -> Iterator[str]:
    """Packages that are imported at run time, at whatever depth."""
    for node in statements(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]
        else:
            yield from imports(node)


def test_nothing_is_imported_that_no_user_has():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    users = [extras[name] for name in extras.keys() - OURS_ALONE]
    come = {distribution(one) for one in sum(users, project["dependencies"])}
    missing = defaultdict(set)
    for path in (ROOT / "src").rglob("*.py"):
        for package in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if package in sys.stdlib_module_names | {"eatlas"}:
                continue
            if distribution(BROUGHT.get(package, package)) not in come:
                missing[package].add(str(path.relative_to(ROOT)))
    assert not missing
