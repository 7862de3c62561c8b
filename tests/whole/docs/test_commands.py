"""Commands that pages name, and do not run, exist, with the options that they name."""

import re
from pathlib import Path

import pytest
import typer

from eatlas.cli.app import application

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("packages/*/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCES = re.compile(r"^[ ]*```.*?^[ ]*```", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"^[ ]*```shell\n(.*?)^[ ]*```", re.MULTILINE | re.DOTALL)


def faults(page: str) -> list[str]:
    """Commands of a page that are none, and options that their command does not have."""
    found = []
    not_run = "\n".join(NOT_RUN.findall(page)).replace("\\\n", " ")
    named = [
        *re.findall(r"`eatlas ([^`]+)`", FENCES.sub("", page)),
        *re.findall(r"^[ ]*eatlas ([^#\n]+)", not_run, re.MULTILINE),
    ]
    for words in named:
        command, path = typer.main.get_command(application()), ["eatlas"]
        rest = words.split()
        while rest and hasattr(command, "commands"):
            name = rest.pop(0)
            if name not in command.commands:
                break
            command, path = command.commands[name], [*path, name]
        else:
            known = {option for param in command.params for option in param.opts}
            used = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", f" {words}"))
            found += [f"{' '.join(path)} {one}" for one in used - known - {"--help", "-h"}]
            continue
        if not name.startswith(("-", "COMMAND", "...")):
            found.append(f"{' '.join(path)} {name}")
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_exist(path):
    assert faults(path.read_text(encoding="utf-8")) == []


def test_a_command_that_is_none_is_seen():
    page = "Use `eatlas runn --tests x`, `eatlas run --tets x`, `eatlas tests power mine.toml`."
    assert faults(page) == ["eatlas runn", "eatlas run --tets"]
    assert faults("```sh\neatlas runn\n```\n") == []
    assert faults("```shell\neatlas run --tets x  # why\n```\n") == ["eatlas run --tets"]


def test_what_the_copy_button_takes_is_a_command():
    """What a command prints is a `text` block after it; no prompt is before it."""
    for path in [ROOT / "CONTRIBUTING.md", *PAGES]:
        for fence in FENCES.findall(path.read_text(encoding="utf-8")):
            assert not re.search(r"^\s*(\w*\$|%) ", fence, re.MULTILINE), f"{path.name}: {fence}"
            assert not fence.lstrip().startswith("```console"), f"{path.name}: {fence}"
