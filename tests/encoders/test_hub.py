"""Models by name, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

CODE = """
import sys, eatlas
try:
    print(eatlas.open_vectors(sys.argv[1]).fingerprint)
except eatlas.errors.SourceError as error:
    print(error)
"""


@pytest.fixture
def ask(tmp_path):
    """Open a name in a process of its own: the library reads its environment when imported."""

    def ask(text):
        env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path / "hub")}
        code = CODE.replace("sys, eatlas", "sys, eatlas, eatlas.errors")
        done = subprocess.run(
            [sys.executable, "-c", code, text], env=env, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.strip()

    return ask


def test_a_model_that_is_not_here(ask):
    said = ask("hf:somebody/some-model")
    assert said.startswith(
        "hf:somebody/some-model: the model is not on this machine, and cannot be fetched from the "
        "hub\n"
    )
    assert said.endswith("or name a folder: hf:/path/to/model")


def test_a_model_that_was_fetched_before(ask, model, tmp_path):
    place = tmp_path / "hub" / "models--somebody--tiny"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("a" * 40, encoding="ascii")
    shutil.copytree(model("bert"), place / "snapshots" / ("a" * 40))
    assert ask("hf:somebody/tiny") == ask(f"hf:{model('bert')}")
    assert "cannot be fetched from the hub" in ask("hf:somebody/tiny?revision=other")
    (place / "snapshots" / ("a" * 40) / "model.safetensors").unlink()
    assert "cannot be fetched from the hub" in ask("hf:somebody/tiny"), "its weights are missing"
