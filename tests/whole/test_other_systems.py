"""What Windows and macOS lack has another branch, which is taken here.

The workflows of the repository run the tests on those systems; here they cannot be had.
"""

import ast
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import SoftFileLock
from tests.inputs import ROOT

import eatlas
from eatlas import executors
from eatlas.engine import store, streaming

ONLY_UNIX = {
    "os": {"fork", "sched_getaffinity", "getuid", "geteuid", "mkfifo", "setsid", "killpg", "O_NOFOLLOW"},
    "signal": {"pthread_sigmask", "SIGKILL", "SIGHUP", "alarm", "SIG_BLOCK", "SIG_SETMASK"},
    "socket": {"AF_UNIX"},
}  # fmt: skip
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "posix"}
KNOWN = {
    "executors.py": {"sched_getaffinity", "pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK"},
    "ray_watch.py": {"AF_UNIX", "SIGKILL"},  # the process that needs them is started where they are
}
"""Files that use a name of Unix alone, each behind a question whether it is there."""
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "packages").glob("*/src/**/*.py")]


def test_names_of_unix_alone_are_known():
    found, imported = {}, set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.attr in ONLY_UNIX.get(node.value.id, ()):
                    found.setdefault(path.name, set()).add(node.attr)
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
    assert found == KNOWN
    assert not imported & MODULES


def test_texts_are_read_and_written_in_utf8_whatever_the_system_prefers():
    without = [
        f"{path.name}:{node.lineno}"
        for path in SOURCES
        if "_text(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in ("read_text", "write_text")
        and "encoding" not in {keyword.arg for keyword in node.keywords}
    ]
    assert not without


def test_processors_where_a_process_cannot_be_bound_to_some(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert executors.processors() == os.cpu_count()


def test_workers_start_where_signals_cannot_be_blocked(monkeypatch):
    names = set(dir(signal)) - {"pthread_sigmask"}
    without = SimpleNamespace(**{name: getattr(signal, name) for name in names})
    monkeypatch.setattr(executors, "signal", without)
    results = eatlas.run(["weat-6", "weat-7"], measures="weat(resamples=0)", workers=2)
    assert [result.test for result in results] == ["weat-6", "weat-7"]


@pytest.mark.parametrize("target", [["--out", "new"], ["--store", "new.parquet"]])
def test_a_lock_that_removes_its_own_file(monkeypatch, eatlas_cli, target):
    """As filelock's of Windows does; that of Unix leaves it."""
    monkeypatch.setattr(store, "FileLock", SoftFileLock)
    monkeypatch.setattr(streaming, "FileLock", SoftFileLock)
    ended = eatlas_cli("run", "--tests", "weat-6", "--measure", "weat(resamples=0)", *target)
    assert (ended.code, ended.err) == (0, "")
    assert list(Path().rglob("*"))
    assert not [path for path in Path().rglob("*") if "lock" in path.name]
