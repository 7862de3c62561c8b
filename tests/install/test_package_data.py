"""What the wheel must carry, and the house rules that no linter knows."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", target, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = target.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.mark.slow
def test_the_wheel_is_complete(wheel):
    names = set(wheel.namelist())
    for name in (
        "eatlas/py.typed",
        "eatlas/notes.toml",
        "eatlas/results/data/earlier.toml",
        "eatlas/stimuli/data/caliskan.toml",
        "eatlas/sources/data/glove-sample.safetensors",
        "eatlas/sources/data/glove-sample.vocab.txt",
        "eatlas/sources/data/glove-sample.json",
        "eatlas/sources/data/glove-840b-words.safetensors",
        "eatlas/sources/data/glove-840b-words.vocab.txt",
        "eatlas/sources/data/glove-840b-words.json",
        "eatlas/sources/data/published.toml",
        "eatlas/sources/data/LICENSE-PDDL-1.0.txt",
        "eatlas/siblings.toml",
        "eatlas/present/templates/theme.js",
        "eatlas/present/templates/report.html.j2",
        "eatlas/present/templates/methods.txt.j2",
        "eatlas/present/templates/notebook.html.j2",
        "eatlas/notes.toml",
        "eatlas/present/data/references.bib",
        "eatlas/present/data/wording.toml",
    ):
        assert name in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("__pycache__" in name for name in names)


def test_files_are_short():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "src").rglob("*.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 900
    }
    assert not long
