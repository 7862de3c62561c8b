"""Ctrl-C at any moment: one line, exit code 130, no traceback."""

import subprocess
import sys

import pytest

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
        ("numpy", "run"),
        ("eatlas.present", "run --tests weat-6"),
        ("eatlas.engine.verify", "verify out/results.jsonl"),
    ],
)
def test_one_line_and_no_traceback(tmp_path, module, command):
    arguments = [sys.executable, "-c", CODE, module, *command.split()]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "interrupted\n"
    assert done.stdout == ""
