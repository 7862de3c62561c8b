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
from textwrap import indent

import pytest
from tools.docs.examples import Block, blocks, check

from eatlas.installed import entry_points_of

MEASURE = "Add a measure"
PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> list[Block]:
    """Blocks of code of a section."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    return blocks(text)


def lay_out(folder: Path, titles: tuple[str, ...]) -> None:
    """Write the files of some sections, and install the package as pip would.

    What a section has of a file that is already there comes below it.
    """
    for block in (block for title in titles for block in section(title) if block.title):
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(block.text)
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


def run_commands(folder: Path, title: str) -> None:
    """Run the commands of a section beside the package, and compare what they print."""
    path = os.pathsep.join(filter(None, [str(folder / "src"), os.environ.get("PYTHONPATH")]))
    for command, printed in pairwise(section(title)):
        if command.language == "shell":
            program, *rest = shlex.split(command.text)
            start = [sys.executable] if program == "python" else [sys.executable, "-m", program]
            done = subprocess.run(
                [*start, *rest], cwd=folder, env={**os.environ, "PYTHONPATH": path},
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            check(printed.text, done.stdout)


@pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")
def test_a_measure(tmp_path, monkeypatch):
    lay_out(tmp_path, (MEASURE,))
    run_commands(tmp_path, MEASURE)
    entry_points_of("eatlas.measures")  # read before, so that later tests do not see the example
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.syspath_prepend(tmp_path / "tests")
    page = import_module("test_median_gap")
    page.test_it_keeps_the_contract()
    page.test_medians_by_hand()
    for name in [name for name in sys.modules if "median_gap" in name]:
        del sys.modules[name]
    del sys.modules["eatlas_example"]


def test_a_chart(tmp_path):
    lay_out(tmp_path, (MEASURE, "Add a chart"))
    run_commands(tmp_path, "Add a chart")
    assert "weat-7" in (tmp_path / "gaps.svg").read_text(encoding="utf-8")


def test_a_note(tmp_path):
    lay_out(tmp_path, (MEASURE, "Add a note"))
    module = tmp_path / "src/eatlas_example/median_gap.py"
    imports, remark = (block.text for block in section("Add a note")[:2])
    text = module.read_text(encoding="utf-8")
    remark = indent(remark, " " * 8)
    for added, below in (
        (imports, "from eatlas.results import"),
        (remark, "        return MedianGap"),
    ):
        assert text.count(below) == 1
        text = text.replace(below, added + below)
    module.write_text(text, encoding="utf-8")
    (tmp_path / "src/eatlas_example/texts/__init__.py").touch()
    run_commands(tmp_path, "Add a note")
