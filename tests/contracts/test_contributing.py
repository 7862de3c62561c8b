"""The steps of CONTRIBUTING.md, followed to the letter: what they add works from outside."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from tools.docs.examples import Block, blocks, check

PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> list[Block]:
    """Blocks of code of a section."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    return blocks(text)


def lay_out(folder: Path, files: list[Block]) -> None:
    """Write the files of a section, and install the package as pip would."""
    for block in files:
        if block.title:
            path = folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"], project["version"]
    info = folder / "src" / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    points = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in named.items())
        for group, named in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("".join(points))


def run_commands(folder: Path, shown: list[Block]) -> None:
    """Run the commands of a section in a process that finds the package, and compare what they print."""
    path = os.pathsep.join(filter(None, [str(folder / "src"), os.environ.get("PYTHONPATH")]))
    for command, printed in pairwise(shown):
        if command.language == "shell":
            done = subprocess.run(
                [sys.executable, "-m", *shlex.split(command.text)], cwd=folder,
                env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
            )  # fmt: skip
            check(printed.text, done.stdout)


@pytest.fixture
def of_section(tmp_path, monkeypatch):
    """Lay a section out, run its commands, and import its test in this process."""

    def followed(title: str, test: str):
        lay_out(tmp_path, section(title))
        run_commands(tmp_path, section(title))
        monkeypatch.syspath_prepend(tmp_path / "src")
        monkeypatch.syspath_prepend(tmp_path / "tests")
        return import_module(test)

    yield followed
    for name in [name for name in sys.modules if name.startswith("eatlas_example")]:
        del sys.modules[name]


@pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")
def test_a_measure(of_section):
    page = of_section("Add a measure", "test_median_gap")
    page.test_it_keeps_the_contract()
    page.test_medians_by_hand()
    del sys.modules["test_median_gap"]
