"""What a package may hold: figures above the budget fail, and a raise needs a page of reasons."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
BUDGET = """[words]
dialect = ["told"]
first = ["placed"]
verbs = ["need"]

[package.core]
folder = "src/core"
tests_in = "tests"
code = 4
modules = 1
tests = 1
names = 1
lazy = 0
participles = 1
dialect = 1
phrases = 1

[pages]
phrases = 1
"""
MODULE = '''"""A docstring is no code."""

from math import pi


# nor is a comment
def placed(told: float) -> float:
    """Nor that of others."""
    if told:
        return pi
    return told
'''


class Repository:
    """A repository with one package, and what its tools say of it."""

    def __init__(self, root):
        self.root = root
        for folder in ("tools", "src/core", "tests"):
            (root / folder).mkdir(parents=True)
        for tool in ("budget.py", "language.py", "language.toml", "touched.py"):
            shutil.copy(TOOLS / tool, root / "tools" / tool)
        self.write("budget.toml", BUDGET)
        self.write("src/core/module.py", MODULE)
        self.write("src/core/__init__.pyi", "from .module import placed as placed\n")
        self.write("tests/test_it.py", "assert True\n")
        self.git("init", "-q", "-b", "main")
        self.commit("first")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def change(self, old, new, path="budget.toml"):
        text = (self.root / path).read_text("utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def git(self, *arguments):
        names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(self.root), *names, *arguments], check=True)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def ran(self, tool, *arguments):
        return subprocess.run(
            [sys.executable, str(self.root / "tools" / tool), *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_what_is_within_passes_and_every_figure_is_counted(repository):
    done = repository.ran("budget.py")
    assert done.returncode == 0, done.stderr
    figures = (
        "code 4/4  modules 1/1  tests 1/1  names 1/1  lazy 0/0  participles 1/1  dialect 1/1  "
    )
    figures += "phrases 1/1"
    assert figures in done.stdout


@pytest.mark.parametrize(
    ("figure", "path", "text"),
    [
        ("code 5 is above its budget of 4", "src/core/module.py", MODULE + "\nx = 1\n"),
        ("modules 2", "src/core/other.py", ""),
        ("tests 2", "tests/test_other.py", "assert 1\n"),
        ("names 2", "src/core/__init__.pyi", "from .m import a as a, b as b\n"),
        ("lazy 1", "src/core/module.py", MODULE.replace("import pi", "import pi  # noqa: PLC0415")),
        ("participles 2", "src/core/module.py", MODULE.replace("def placed", "def named(): 0\ndef placed")),
        ("dialect 2", "src/core/module.py", MODULE.replace("(told: ", "(told_apart: 0, told: ")),
        ("phrases 2", "src/core/note.j2", "{{ this }} is red,\n too."),
    ],
)  # fmt: skip
def test_what_is_above_fails(repository, figure, path, text):
    repository.write(path, text)
    done = repository.ran("budget.py")
    assert done.returncode == 1
    assert f"core: {figure}" in done.stderr


def test_phrases_of_pages_have_a_budget_and_code_in_them_is_not_read(repository):
    repository.write("docs/page.md", "That of `those of`.\n\n```text\nthose of\n```\n")
    assert "pages        phrases 1/1" in repository.ran("budget.py").stdout
    repository.write("README.md", "Those\nof [others](those of).\n")
    assert "pages: phrases 2 is above" in repository.ran("budget.py").stderr


def test_a_verb_in_ed_is_no_participle(repository):
    repository.change("def placed", "def need", "src/core/module.py")
    assert "participles 0/1" in repository.ran("budget.py").stdout


def test_figures_that_fell_are_written_and_others_stay(repository):
    repository.change("code = 4", "code = 9")
    repository.change("tests = 1", "tests = 0")
    assert repository.ran("budget.py", "--lower").returncode == 1
    text = (repository.root / "budget.toml").read_text("utf-8")
    assert "code = 4" in text
    assert "tests = 0" in text


def test_a_raise_needs_a_new_page_of_reasons(repository):
    repository.change("code = 4", "code = 5")
    done = repository.ran("budget.py")
    assert done.returncode == 1
    assert "raised without a page in docs/decisions: core.code" in done.stderr
    repository.write("docs/decisions/0001-why.md", "Because.\n")
    assert repository.ran("budget.py").returncode == 0
    repository.commit("with a page")
    assert repository.ran("budget.py").returncode == 0


def test_a_raise_that_was_committed_without_a_page_is_found(repository):
    repository.change("code = 4", "code = 5")
    repository.commit("without a page")
    done = repository.ran("budget.py")
    assert done.returncode == 1
    assert "raises without a page" in done.stderr


def test_files_outside_of_the_package_of_a_change_are_counted(repository):
    repository.write("packages/eatlas-models/src/eatlas_models/a.py", "")
    repository.write("packages/eatlas-models/src/eatlas_models/b.py", "")
    repository.write("src/core/other.py", "")
    repository.write("docs/page.md", "")
    repository.commit("a feature")
    done = repository.ran("touched.py")
    assert "models 2, core 1" in done.stdout
    assert "outside of the package of the change: 1" in done.stdout
    assert repository.ran("touched.py", "nowhere").returncode == 0
