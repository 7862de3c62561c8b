"""Every example in a docstring runs and gives what it says."""

import ast
import doctest
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

import eatlas
from eatlas.plugins import siblings

pytestmark = pytest.mark.usefixtures("all_resamples")
PACKAGES = [
    spec
    for name in ("eatlas", *(f"eatlas_{one}" for one in siblings()))
    if (spec := find_spec(name))
]
"""Those that are installed."""
MODULES = {
    ".".join((spec.name, *path.relative_to(folder).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for spec in PACKAGES
    for folder in spec.submodule_search_locations
    for path in sorted(Path(folder).rglob("*.py"))
}
WITH_EXAMPLES = [
    name for name, path in MODULES.items() if ">>> " in path.read_text(encoding="utf-8")
]
SLOW = {
    "eatlas_workbench.atlas", "eatlas_workbench.replication.replicate", "eatlas_workbench.studies.study",
    "eatlas_models.model_views.measuring", "eatlas.engine.verify", "eatlas_models.integrations.evaluate",
    "eatlas_models.integrations.training", "eatlas.present.drawings.plot", "eatlas.present.report",
    "eatlas.results.base", "eatlas.results.collection", "eatlas.results.compare",
    "eatlas_vocabulary.sources.diagnosis", "eatlas.testing", "eatlas_corpora.engine.embedding",
    "eatlas_corpora.engine.text", "eatlas_corpora.reading.sampling", "eatlas_vocabulary.engine.scan",
    "eatlas.results.methods",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in WITH_EXAMPLES],
)
def test_examples(name, monkeypatch):
    if name == "eatlas_vocabulary.sources.diagnosis":
        monkeypatch.setattr(f"{name}.DIRECTIONS", 4)  # of 19 to compare with
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for docstring in doctest.DocTestFinder().find(importlib.import_module(name)):
        if docstring.examples:  # the runner takes as long for the thousands that have none
            runner.run(docstring)
    assert runner.failures == 0


def test_public_objects_show_an_example():
    bare = [
        name
        for name in eatlas.__all__
        if callable(getattr(eatlas, name))
        and not isinstance(getattr(eatlas, name), type)
        and ">>>" not in (getattr(eatlas, name).__doc__ or "")
    ]
    assert not bare


LONG = 20
"""Lines of a function or class that needs no docstring, at most."""


def test_long_private_functions_and_classes_say_what_they_do():
    bare = [
        f"{name}: {node.name}"
        for name, path in MODULES.items()
        for node in of_modules_and_classes(ast.parse(path.read_text(encoding="utf-8")))
        if node.end_lineno - node.lineno >= LONG
        and not node.name.startswith("__")
        and not ast.get_docstring(node)
    ]
    assert not bare


def of_modules_and_classes(scope):
    """Functions and classes but those within functions, whose own docstring covers them."""
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from of_modules_and_classes(node)
