"""The examples of a page, run as a reader would run them, and what they print.

A page is run from top to bottom in an empty directory:

- a fence with a title is a file of that name, and so is a file of docs/data that it links to;
- `python` runs, all blocks of a page in one namespace;
- of `sh`, the commands that begin with `eatlas` run; others (`make`, `pip`) do not;
- nothing of `shell` runs: commands that need a model, a download or a corpus;
- `text` right after one of these is what it prints. A line `...` there stands for any lines.

`<!-- exit 2 -->` before an `sh` block says that its last command ends so.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"]+)"')
DATA = Path(__file__).parents[2] / "docs/data"
LINKED = re.compile(r"\]\((?:\.\./)*data/([\w.-]+)\)")
EXIT = re.compile(r"<!-- exit (\d+) -->\s*$")
SAID = re.compile(r"""print\(.*\)\s+# (?P<words>[-+\d"'(\[A-Z]\S*(?: of \S+)?)""", re.MULTILINE)
"""A value, or a count such as `1 of 20`. A comment that begins in lower case only explains."""
GAP = "..."


@dataclass(frozen=True)
class Block:
    """One fence of a page."""

    language: str
    title: str | None
    text: str
    exit_code: int
    """With which its last command is said to end."""
    follows: bool
    """Whether nothing but white space stands between it and the fence before."""
    start: int
    end: int
    """Where the body stands in the page."""
    indent: str


class MismatchError(AssertionError):
    """An example does not print what the page shows."""


def blocks(page: str) -> list[Block]:
    """All fences of a page in order."""
    found, last = [], 0
    for match in FENCE.finditer(page):
        info = match["info"].strip()
        before = page[last : match.start()]
        title, end = TITLE.search(info), EXIT.search(before)
        found.append(
            Block(
                language=info.split()[0] if info else "",
                title=title[1] if title else None,
                text=textwrap.dedent(match["body"]),
                exit_code=int(end[1]) if end else 0,
                follows=not before.strip() and last > 0,
                start=match.start("body"),
                end=match.end("body"),
                indent=match["indent"],
            )
        )
        last = match.end()
    return found


def run_page(page: str) -> Iterator[tuple[Block, str]]:
    """Run a page in the current directory; hand out each shown output with what was printed.

    Raises
    ------
    MismatchError
        If a command ends otherwise than the page says, or a comment after a print is not said.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for name in LINKED.findall(page):
        shutil.copy(DATA / name, name)
    for block in blocks(page):
        if block.title is not None:
            path = Path(block.title)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            printed = None
        elif block.language == "python":
            printed = _python(block.text, names)
        elif block.language == "sh":
            printed = _shell(block)
        elif block.language == "text" and block.follows and printed is not None:
            yield block, printed
            printed = None
        else:
            printed = None


def check(shown: str, printed: str) -> None:
    """Compare an output that a page shows with what was printed.

    Raises
    ------
    MismatchError
        If they differ.
    """
    lines = [line.rstrip() for line in shown.strip("\n").splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line == GAP else re.escape(line) + "\n" for line in lines)
    actual = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    if not re.fullmatch(pattern, actual):
        raise MismatchError(f"the page shows:\n{shown}\nbut this is printed:\n{actual}")


def with_outputs(page: str) -> str:
    """The page with the outputs that its examples print now; those with a gap stay."""
    found = list(run_page(page))
    for block, printed in reversed(found):
        if GAP not in block.text.splitlines():
            lines = (line.rstrip() for line in printed.strip("\n").splitlines())
            body = "".join(f"{block.indent}{line}".rstrip() + "\n" for line in lines)
            page = page[: block.start] + body + page[block.end :]
    return page


def _python(code: str, names: dict[str, Any]) -> str:
    with _captured() as out:
        exec(compile(code, "<example>", "exec"), names)  # noqa: S102
    printed = out.getvalue()
    for match in SAID.finditer(code):
        if match["words"] not in printed:
            raise MismatchError(
                f"a comment says {match['words']!r}, but this is printed:\n{printed}"
            )
    return printed


def _shell(block: Block) -> str | None:
    commands = block.text.replace("\\\n", " ").splitlines()
    ours = [line for line in commands if line.startswith("eatlas")]
    printed, code = "", 0
    for line in ours:
        more, code = _command(line)
        printed += more
        if code != (block.exit_code if line is ours[-1] else 0):
            raise MismatchError(f"{line}: exit code {code}\n{printed}")
    return printed if ours else None


def _command(line: str) -> tuple[str, int]:
    from eatlas.cli import main  # noqa: PLC0415  (hooks import this file, and need no CLI)

    words = shlex.split(line, comments=True)
    end = words.index(">") if ">" in words else len(words)
    before, sys.argv = sys.argv, words[:end]
    code: Any = 0
    try:
        with _captured() as out:
            main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    if end == len(words):
        return out.getvalue(), code
    Path(words[end + 1]).write_text(out.getvalue(), encoding="utf-8")
    return "", code


class _Capture(io.TextIOWrapper):
    """What is printed, as text or as bytes, in one."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)

    def getvalue(self) -> str:
        raw: Any = self.buffer
        return str(raw.getvalue().decode("utf-8"))


@contextmanager
def _captured() -> Iterator[_Capture]:
    out = _Capture()
    with redirect_stdout(out), redirect_stderr(out):
        yield out
