"""What each package may hold: a figure above its budget fails; ``make lint`` runs this.

    python tools/budget.py            compare the tree with budget.toml
    python tools/budget.py --lower    write figures that fell into budget.toml; none rises here

Figures of a package:

- ``code``: lines of statements, without imports, docstrings, comments and blank lines
- ``modules``: files of Python
- ``tests``: lines of tests
- ``names``: public names of ``import eatlas``
- ``lazy``: imports inside a function, marked ``noqa: PLC0415``
- ``participles``: functions whose name begins with a participle or a preposition: a word in -ed, or
  one that budget.toml lists
- ``dialect``: functions, arguments and variables with a word of the private dialect that
  budget.toml lists
- ``phrases``: phrases of tools/language.toml in docstrings and printed texts; pages have only
  this figure

A figure is raised by hand in budget.toml, in a commit that adds a page to docs/decisions: who needs
it and what goes in exchange. Commits that raise one without such a page fail, as does a change of
this file's own rules that is not committed yet.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import language

ROOT = Path(__file__).parents[1]
BUDGET = "budget.toml"
DECISIONS = "docs/decisions"
COMMITS = 50
"""Commits of the budget that are looked at."""
Figures = dict[str, int]
Budgets = dict[str, dict[str, Any]]


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines of statements."""
    without: set[int] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            is_text and isinstance(node.value.value, str)
        ):
            without |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and line[0] != "#" and n not in without for n, line in lines)


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Names of functions, classes, arguments and variables, where they are defined."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def words_of(name: str) -> list[str]:
    """Words of a name in snake case or in camel case, in lower case."""
    return re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower())


def begins_with_participle(name: str, words: Mapping[str, Sequence[str]]) -> bool:
    """Whether the name of a function begins with a participle or a preposition."""
    first = name.strip("_").split("_")[0]
    return first not in words["verbs"] and (first in words["first"] or first.endswith("ed"))


def figures_of(
    package: Mapping[str, Any], words: Mapping[str, Sequence[str]], root: Path = ROOT
) -> Figures:
    """All figures of a package."""
    code = lazy = participles = dialect = 0
    silent = set(words["dialect"])
    modules = sorted((root / package["folder"]).rglob("*.py"))
    for module in modules:
        text = module.read_text(encoding="utf-8")
        tree = ast.parse(text)
        code += code_lines(text, tree)
        lazy += text.count("noqa: PLC0415")
        functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        participles += sum(begins_with_participle(name, words) for name in functions)
        dialect += sum(not silent.isdisjoint(words_of(name)) for name in identifiers(tree))
    tests = (root / package["tests_in"]).rglob("*.py")
    stub = root / package["folder"] / "__init__.pyi"
    names = re.findall(r"\bas (\w+)", stub.read_text("utf-8")) if stub.exists() else []
    return {
        "code": code,
        "modules": len(modules),
        "tests": sum(path.read_text(encoding="utf-8").count("\n") for path in tests),
        "names": len(names),
        "lazy": lazy,
        "participles": participles,
        "dialect": dialect,
        "phrases": language.count(root / package["folder"], language.TEXTS),
    }


def above(budgets: Budgets, found: Mapping[str, Figures]) -> list[str]:
    """What is above its budget."""
    return [
        f"{name}: {figure} {value:,} is above its budget of {budgets[name][figure]:,}"
        for name, figures in found.items()
        for figure, value in figures.items()
        if value > budgets[name][figure]
    ]


def lowered(text: str, found: Mapping[str, Figures]) -> str:
    """budget.toml with every figure that fell."""
    for name, figures in found.items():
        for figure, value in figures.items():
            place = re.compile(
                rf"(^\[(?:package\.)?{name}\]$(?:(?!^\[).)*?^{figure} = )(\d+)$",
                re.DOTALL | re.MULTILINE,
            )
            text = place.sub(lambda m, v=value: f"{m[1]}{min(v, int(m[2]))}", text)
    return text


def raised(old: Budgets, new: Budgets) -> list[str]:
    """Figures that a change raises; those of a new package, too."""
    return [
        f"{name}.{figure}"
        for name, budget in new.items()
        for figure, value in budget.items()
        if isinstance(value, int) and value > old.get(name, {}).get(figure, 0)
    ]


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def _budgets(text: str) -> Budgets:
    content = tomllib.loads(text)
    return {**content.get("package", {}), "pages": content.get("pages", {})}


def without_reason(text: str) -> list[str]:
    """Raises of the last commits, and of what is not committed, that no new page explains."""
    faults = []
    for commit in _git("log", f"-{COMMITS}", "--format=%h", "--", BUDGET).split():
        before = _git("show", f"{commit}~1:{BUDGET}")
        if not before:
            continue  # the first budget, or the end of a shallow clone
        up = raised(_budgets(before), _budgets(_git("show", f"{commit}:{BUDGET}")))
        pages = _git("diff", "--name-only", "--diff-filter=A", f"{commit}~1", commit, DECISIONS)
        if up and not pages:
            faults.append(f"{commit} raises without a page in {DECISIONS}: {', '.join(up)}")
    if committed := _git("show", f"HEAD:{BUDGET}"):
        up = raised(_budgets(committed), _budgets(text))
        if up and not _git("status", "--short", DECISIONS).strip():
            faults.append(f"raised without a page in {DECISIONS}: {', '.join(up)}")
    return faults


def main() -> int:
    """Print every figure beside its budget; 1 if one is above it or was raised without a reason."""
    path = ROOT / BUDGET
    text = path.read_text(encoding="utf-8")
    budgets, words = _budgets(text), tomllib.loads(text)["words"]
    found = {
        name: figures_of(package, words) for name, package in budgets.items() if name != "pages"
    }
    found["pages"] = {"phrases": language.count(ROOT, language.PAGES)}
    for name, figures in found.items():
        cells = [
            f"{figure} {value:,}/{budgets[name][figure]:,}" for figure, value in figures.items()
        ]
        print(f"{name:12} {'  '.join(cells)}")
    if "--lower" in sys.argv[1:]:
        text = lowered(text, found)
        path.write_text(text, encoding="utf-8")
    faults = [*above(budgets, found), *without_reason(text)]
    print("\n".join(faults), file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
