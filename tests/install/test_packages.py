"""The packages beside the core: one version, and the names that the core knows of them."""

import ast
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


def packages_imported(project):
    """Other packages that the modules of a package import at their top."""
    own = project.parent.name
    found = set()
    for path in (project.parent / "src").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            found |= {name.partition(".")[0].replace("_", "-") for name in names}
    return {name for name in found - {own} if name.startswith("eatlas-")}


def test_what_a_package_imports_of_others_is_installed_with_it():
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {path: packages_imported(path) for path in PROJECTS}
    assert any(needed.values())
    for path, others in needed.items():
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        extra = root["optional-dependencies"][path.parent.name.removeprefix("eatlas-")]
        for name in others:
            assert f"{name}=={eatlas.__version__}" in project["dependencies"]
            assert any(
                requirement.startswith(f"{name}{{env:EATLAS_PIN: @") for requirement in extra
            )
