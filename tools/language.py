"""Phrases of tools/language.toml in pages, printed texts and docstrings, and better ones.

    python tools/language.py            fail if a phrase of [never] occurs; ``make lint`` runs this
    python tools/language.py FILE ...   print every phrase of both lists in files, with its line

How often phrases of [falling] occur is a figure of tools/budget.py.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTS = ("never", "falling")
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "docs/*.ipynb", "packages/*/README.md")
TEXTS = (
    "**/*.py", "**/*.j2", "notes.toml", "present/data/*.toml", "texts/*.toml", "cards/data/*.toml",
    "studies/data/*.toml",
)  # fmt: skip
"""Files of a package that hold what is printed."""
CODE_OF_PAGES = re.compile(r"^[ ]*```.*?^[ ]*```|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
CODE_OF_TEMPLATES = re.compile(r"\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}", re.DOTALL)

Fault = tuple[int, str, str]
"""A line, the phrase, and what to write instead."""


@cache
def phrases(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Phrases of a list of language.toml, with what to write instead."""
    table = tomllib.loads((ROOT / "tools" / "language.toml").read_text(encoding="utf-8"))[name]
    # spaces of a phrase stand for any white space, as a sentence runs on in the next line
    return tuple(
        (re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])", re.IGNORECASE), instead)
        for pattern, instead in table.items()
        for spaced in [pattern.replace(" ", r"\s+")]
    )


def blank(match: re.Match[str]) -> str:
    """The line ends of a match, so that lines keep their numbers."""
    return "\n" * match[0].count("\n") or " "


def passages(path: Path) -> Iterator[tuple[int, str]]:
    """What a reader sees of a file, with the line where it begins."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            # a literal without a space is a key or a name
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield node.lineno, re.sub(r"`[^`\n]*`", " ", node.value)
    elif path.suffix == ".md":
        yield 1, CODE_OF_PAGES.sub(blank, text)
    else:
        yield 1, CODE_OF_TEMPLATES.sub(blank, text)


def faults(path: Path, name: str) -> list[Fault]:
    """Phrases of a list that a file has."""
    return [
        (line + text.count("\n", 0, match.start()), " ".join(match[0].split()), instead)
        for line, text in passages(path)
        for phrase, instead in phrases(name)
        for match in phrase.finditer(text)
    ]


def files(root: Path, patterns: Iterable[str]) -> list[Path]:
    """Files below a folder; decisions are left as they were taken."""
    found = {path for pattern in patterns for path in root.glob(pattern)}
    return sorted(path for path in found if "decisions" not in path.parts)


def count(root: Path, patterns: Iterable[str]) -> int:
    """How many phrases of [falling] the files of a folder have."""
    return sum(len(faults(path, "falling")) for path in files(root, patterns))


def main() -> int:
    """Print faults; 1 if there is one."""
    named = [Path(name) for name in sys.argv[1:]]
    sources = [ROOT / "src/eatlas", *ROOT.glob("packages/*/src/*")]
    searched = named or [*files(ROOT, PAGES), *(p for s in sources for p in files(s, TEXTS))]
    found = [
        (path, *fault)
        for path in searched
        for name in (LISTS if named else LISTS[:1])
        for fault in faults(path, name)
    ]
    for path, line, phrase, instead in found:
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{shown}:{line}: {phrase!r}  (write: {instead})", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
