"""Ctrl-C at any moment: one line, exit code 130, no traceback."""

import subprocess
import sys

import pytest

from eatlas.cli import main

# Ctrl-C in the moment in which a module is about to be imported
CODE = """
import sys

class Interrupting:
    module, sys.argv = sys.argv[1], ["eatlas", *sys.argv[2:]]

    def find_spec(self, name, path=None, target=None):
        if name == self.module:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from eatlas.cli import main
main()
"""


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("typer", "run"),
        ("eatlas.present", "run --tests weat-6"),
        pytest.param("eatlas.engine.verify", "verify out/results.jsonl", marks=pytest.mark.slow),
    ],
)
def test_one_line_and_no_traceback(tmp_path, module, command):
    arguments = [sys.executable, "-c", CODE, module, *command.split()]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "interrupted\n"
    assert done.stdout == ""


def test_an_interrupt_within_a_class_body_of_an_import(monkeypatch, capsys):
    """Until Python 3.12, Ctrl-C in `__set_name__` arrives as the cause of a RuntimeError."""

    class Interrupted:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    def run_app():
        type("Record", (), {"field": Interrupted()})

    monkeypatch.setattr("eatlas.cli.app.run_app", run_app)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
