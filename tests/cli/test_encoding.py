"""``eatlas run`` with vectors that are computed: progress, Ctrl-C, what is kept."""

import json
import signal
import subprocess
import sys

import pytest
from tests.inputs import wait_until

from eatlas.encoders.cache import contents

MODULE = """
import time
from pathlib import Path


def slow(texts):
    with Path("asked").open("a") as file:
        file.write("".join(f"{text}\\n" for text in texts))
    time.sleep(0.7)
    return [[len(text), text.count("a"), text.count("e"), text.count("s")] for text in texts]
"""
COMMAND = (
    "run --tests sent-weat-7 --vectors py:slow_one:slow?cache=yes&version=1 --measure weat --json"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "slow_one.py").write_text(MODULE)
    return tmp_path


def started(folder):
    return subprocess.Popen(
        [sys.executable, "-m", "eatlas", *COMMAND.split()],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def kept():
    return sum(model.vectors for model in contents().models)


def texts_asked(folder):
    """Texts that the function was called with so far."""
    path = folder / "asked"
    return path.read_text().count("\n") if path.exists() else 0


@pytest.mark.slow
def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(folder):
    process = started(folder)
    # some texts are kept, and the next are being encoded
    wait_until(lambda: 0 < kept() < texts_asked(folder) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, b" of " in err) == (130, True), err.decode()
    total = err.decode().split(" of ")[1].split(" texts")[0]
    assert out == b""
    assert err.decode() == (
        f"interrupted; {kept():,} of {total} texts are encoded and kept; repeat the command "
        "to continue\n"
    )
    assert 0 < kept() < int(total.replace(",", ""))
    process = started(folder)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, b""), "nothing is said in a pipe"
    assert json.loads(out)["test"] == "sent-weat-7"
    asked = (folder / "asked").read_text().splitlines()
    assert kept() == int(total.replace(",", ""))
    assert len(asked) - len(set(asked)) <= 256, "only the batch that was cut off comes twice"


def test_without_the_cache_nothing_is_kept(folder, eatlas_cli, computed_vectors):
    (folder / "quick.py").write_text("def f(texts):\n    raise KeyboardInterrupt\n")
    ended = eatlas_cli(
        "run", "--tests", "sent-weat-7", "--vectors", "py:quick:f?cache=yes&version=1"
    )
    assert (ended.code, ended.err) == (130, "interrupted; nothing is kept\n")
    ended = eatlas_cli("run", "--tests", "sent-weat-7", "--vectors", "py:quick:f")
    assert (ended.code, ended.err) == (130, "interrupted\n")
    assert not computed_vectors.exists()
    assert not (folder / "out").exists()
