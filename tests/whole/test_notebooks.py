"""The notebooks are those of the tutorials, and every cell runs."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from tests.inputs import ROOT
from tools.docs import notebooks

NAMES = [
    pytest.param(name, marks=pytest.mark.xdist_group("smollm2") if name == "language-model" else ())
    for name in notebooks.NOTEBOOKS
]


def read(name):
    audience, _ = notebooks.NOTEBOOKS[name]
    return nbformat.read(ROOT / "notebooks" / f"{audience}.ipynb", as_version=4)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_the_one_of_its_tutorial(name):
    assert read(name) == notebooks.notebook(name), "run python tools/docs/notebooks.py"
    assert not any(broken in str(read(name)) for broken in ("/../", "/)", ".md)"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_cell_runs_as_in_a_browser(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    found = read(name)
    _, install, *found.cells = found.cells
    assert install.source.startswith("%pip install -q ")
    client = NotebookClient(found, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    printed = [
        output.text
        for cell in found.cells
        for output in cell.get("outputs", ())
        if "text" in output
    ]
    assert not [text for text in printed if "Traceback" in text or "error:" in text]
