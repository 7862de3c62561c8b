"""What an import and a run pull in, seen from a fresh process; and imports go one way."""

import ast
import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import eatlas

HEAVY = {"pandas", "vl_convert", "sklearn", "torch", "statsmodels", "gensim", "PIL", "ray"}
ON_USE = {"numpy", "scipy", "numba", "pydantic", "typer", "rich", "jinja2", "safetensors"}


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys, json; print('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_import_alone_is_light():
    assert not modules_after("import eatlas") & (HEAVY | ON_USE)


def test_the_help_waits_for_no_command():
    code = (
        "import sys; sys.argv = ['eatlas', '--help']\nfrom eatlas.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
    )
    loaded = modules_after(code)
    assert not loaded & (HEAVY | {"numpy", "numba", "jinja2", "pydantic"})
    assert not [name for name in loaded if name.startswith("eatlas_")]


def test_the_main_job_needs_nothing_heavy_and_few_modules(tmp_path):
    code = (
        f"import sys; sys.argv = ['eatlas', 'run', '--tests', 'weat-6', '--out', {str(tmp_path)!r}]"
        "\nfrom eatlas.cli import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "loaded = {name for name in sys.modules if name.split('.')[0] == 'eatlas'}\n"
        "assert not [name for name in sys.modules if name.startswith('eatlas_')]\n"
        "seldom = {'encoders', 'stimuli.importers', 'present.comparison', 'sources.prompts'}\n"
        "assert not loaded & {f'eatlas.{one}' for one in seldom}, loaded\n"
        "assert len(loaded) < 130, sorted(loaded)\n"
    )
    assert not modules_after(code) & (HEAVY | {"pooch", "requests"})


@pytest.mark.slow
def test_a_small_design_needs_no_compiler():
    code = "import eatlas; eatlas.run(tests=['weat-6', 'weat-7', 'weat-9'])"
    assert "numba" not in modules_after(code)


def test_the_public_names_are_there_and_no_others_are_promised():
    for name in eatlas.__all__:
        assert getattr(eatlas, name) is not None
    assert set(eatlas.__all__) <= set(dir(eatlas))
    with pytest.raises(AttributeError, match="nothing"):
        _ = eatlas.nothing


def test_no_module_imports_itself_by_way_of_others():
    assert not circle_in(Path(eatlas.__file__).parent)


@pytest.mark.parametrize("back", [
    "from eatlas_like import one",
    "from eatlas_like.one import thing",
    "import eatlas_like.one",
    "if TYPE_CHECKING:\n    from eatlas_like.one import Thing",
    "def late():\n    from eatlas_like.one import thing",
])  # fmt: skip
def test_a_circle_is_found_however_it_is_imported(tmp_path, back):
    package = tmp_path / "eatlas_like"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("from eatlas_like import two\n")
    (package / "two.py").write_text("import json\n")
    assert not circle_in(package)
    (package / "two.py").write_text(back)
    assert set(circle_in(package)) == {"eatlas_like.one", "eatlas_like.two"}


def circle_in(package):
    """Names of modules that import each other in turn, the first one twice; none if there are none.

    Imports for types and within functions count. The package itself does not: it imports no module
    before a name of it is used, and its applications use it as anyone does.
    """
    modules = {name_of(path, package): path for path in package.rglob("*.py")}
    del modules[package.name]
    graph = {
        name: {one for one in imports_of(path, modules) if one != name}
        for name, path in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def name_of(path, package):
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports_of(path, modules):
    """Modules of the package that a file imports, a name of a package by the package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{one.name}" for one in node.names]
            yield from (one if one in modules else node.module for one in inside)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def test_toml_has_one_reader():
    """It refuses what the parser would take minutes and gigabytes for."""
    package = Path(eatlas.__file__).parent
    reading = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "tomllib" in path.read_text(encoding="utf-8") and "tomllib" in imports_of(path, {})
    }
    assert reading == {"decoding.py"}
