"""The packages beside the core: one version, and the names that the core knows of them."""

import runpy
import tomllib
from pathlib import Path

import eatlas

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(ROOT.glob("packages/*/pyproject.toml"))


def test_the_core_knows_the_names_that_the_packages_add():
    """If this fails, run tools/write_siblings.py."""
    write_siblings = runpy.run_path(str(ROOT / "tools" / "write_siblings.py"))
    assert write_siblings["TARGET"].read_text(encoding="utf-8") == write_siblings["siblings"]()


def test_all_packages_have_one_version():
    assert len(PROJECTS) == 4
    for path in PROJECTS:
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        assert project["version"] == eatlas.__version__
        assert f"eatlas=={eatlas.__version__}" in project["dependencies"]
