"""Write recipe/recipe.yaml, with which conda-forge builds all packages.

``python tools/write_conda_recipe.py`` reads requirements and licences from each ``pyproject.toml``,
and addresses from ``publication.toml``. It has the form of grayskull and an output for each
package. The SHA-256 of the archives are zeros: they are known when the archives are built, and
``make release`` writes the recipe with them into ``dist/``.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))
import lowest_versions
import publication

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "recipe" / "recipe.yaml"
HEAD = """\
# Written by tools/write_conda_recipe.py from the pyproject.toml files and publication.toml.
#
# One recipe with an output for each package: all packages have the same version, require each other
# in this version, and are released together. conda has no extras. Packages that an extra of PyPI
# installs are optional here, and run_constraints states their lowest versions.
"""
CONDA_NAMES = {"ray": "ray-core", "torch": "pytorch"}
"""Packages whose name on conda-forge differs from their name on PyPI."""
FOR_DEVELOPERS = ("test", "lint", "docs")
"""Extras that users do not install."""
UNKNOWN = "0" * 64
PYTHON = "python ${{ python_min }}.*"


class _Indented(yaml.SafeDumper):
    """YAML whose lists are indented, as grayskull writes it."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002  (its signature)
        super().increase_indent(flow, indentless=False)


def recipe(values: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """The recipe, with values of publication.toml and the SHA-256 of each archive by its name."""
    folders = [ROOT, *sorted((ROOT / "packages").glob("eatlas-*"))]
    maintainers = [each["github"] for each in publication.authors(values) if "github" in each]
    core = lowest_versions.project_of(ROOT)
    archives = f"{values['repository']}/releases/download/v${{{{ version }}}}"
    document = {
        "schema_version": 1,
        "context": {
            "version": publication.version(),
            "python_min": core["requires-python"].removeprefix(">="),
        },
        "recipe": {"name": "eatlas", "version": "${{ version }}"},
        "build": {
            "number": 0,
            "noarch": "python",
            "script": {
                # extras of the core name the other packages by this version, not by folders
                "env": {"EATLAS_PIN": "==${{ version }}"},
                "content": "${{ PYTHON }} -m pip install . -vv --no-deps --no-build-isolation",
            },
        },
        "outputs": [output(folder, archives, digests) for folder in folders],
        "about": {
            "homepage": values["repository"],
            **about(core),
            "documentation": values["documentation"],
            "repository": values["repository"],
        },
        "extra": {"recipe-maintainers": maintainers or ["AddYourGitHubIdHere"]},
    }
    return HEAD + yaml.dump(document, Dumper=_Indented, sort_keys=False, width=1000)


def output(folder: Path, archives: str, digests: Mapping[str, str]) -> dict[str, Any]:
    """The output of the package in a folder, from the address of the archives of a release."""
    project = lowest_versions.project_of(folder)
    name = project["name"]
    module = name.replace("-", "_")
    run = requirements(project["dependencies"])
    optional = requirements(
        requirement
        for extra, needed in project.get("optional-dependencies", {}).items()
        if extra not in FOR_DEVELOPERS
        for requirement in needed
        if not requirement.startswith("eatlas")
    )
    imports = {
        "imports": [module],
        "pip_check": True,
        "python_version": ["${{ python_min }}.*", "*"],
    }
    found: dict[str, Any] = {
        "package": {"name": name},
        "source": {
            "url": f"{archives}/{module}-${{{{ version }}}}.tar.gz",
            "sha256": digests.get(f"{module}-{publication.version()}.tar.gz", UNKNOWN),
        },
        "requirements": {
            "host": [PYTHON, "pip", *requirements(build_requirements(folder)).values()],
            "run": ["python >=${{ python_min }}", *run.values()],
        },
        "tests": [{"python": imports}],
        "about": about(project),
    }
    if constraints := [line for name, line in optional.items() if name not in run]:
        found["requirements"]["run_constraints"] = constraints
    if scripts := project.get("scripts"):
        found["build"] = {"python": {"entry_points": [f"{k} = {v}" for k, v in scripts.items()]}}
        commands = [f"{command} run" for command in scripts]
        found["tests"].append({"requirements": {"run": [PYTHON]}, "script": commands})
    return found


def about(project: Mapping[str, Any]) -> dict[str, Any]:
    """What a package is, and its licences."""
    return {
        "summary": project["description"],
        "license": project["license"],
        "license_file": list(project["license-files"]),
    }


def build_requirements(folder: Path) -> list[str]:
    """What builds the package in a folder."""
    document = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    return list(document["build-system"]["requires"])


def requirements(listed: Iterable[str]) -> dict[str, str]:
    """Requirements in the syntax of conda, by the name of the required package."""
    found: dict[str, str] = {}
    for requirement in listed:
        if lowest_versions.OURS.match(requirement):
            name = requirement.partition("==")[0]
            found[name] = f'${{{{ pin_subpackage("{name}", exact=True) }}}}'
        elif bound := lowest_versions.BOUND.match(requirement):
            name = CONDA_NAMES.get(bound["name"], bound["name"])
            found[name] = f"{name} >={bound['version']}"
        else:
            raise SystemExit(f"{requirement!r} has no lower bound alone")
    return found


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(recipe(publication.publication(), {}), encoding="utf-8", newline="\n")
