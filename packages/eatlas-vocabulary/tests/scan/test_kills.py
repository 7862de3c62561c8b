"""SIGKILL and Ctrl-C in the middle of a scan: no finished chunk is lost or measured again.

The real command in processes of its own, as a user would run it.
"""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from tests.inputs import wait_until

GROUPS = [f"a{i}" for i in range(12)], [f"b{i}" for i in range(12)]
"""12 against 12: chunks of 1024 words that take a while, and drawn relabellings for maxT."""
PROGRESS = re.compile(r"(words|clusterings): [\d,]+ of ")
WORDS = 5_000
THEMES = ("--themes", "80")
"""Each of the 13 clusterings takes a few tenths of a second."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kills")
    words = [*GROUPS[0], *GROUPS[1], *(f"w{spelled(i)}" for i in range(WORDS))]
    rows = np.random.default_rng(5).normal(size=(len(words), 10)).astype(np.float32)
    np.save(folder / "v.npy", rows)
    (folder / "v.vocab").write_text("\n".join(words) + "\n")
    return folder


def spelled(number):
    """A number in letters, for themes are made of words."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


class Scan:
    """The same command again and again."""

    def __init__(self, folder, out, *more):
        a, b = map(",".join, GROUPS)
        options = ["--vectors", "v.npy", "--a", a, "--b", b, "--out", out, *more]
        self.command = [sys.executable, "-m", "eatlas", "scan", *options]
        self.folder, self.out, self.process = folder, out, None

    def start(self):
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def stop_after_a_chunk(self, sent):
        """Send a signal when one chunk more is kept; say whether the scan was still at work."""
        before = len(self.whole())
        wait_until(lambda: self.process.poll() is not None or len(self.whole()) > before)
        if self.process.poll() is None:
            self.process.send_signal(sent)

    def whole(self):
        """Finished chunks; a kill may have cut one more."""
        found = list(self.folder.glob(f".{self.out}.*.unfinished"))
        data = found[0].read_bytes() if found else b""
        return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]

    def ended(self):
        out, err = self.process.communicate(timeout=600)
        # a busy machine is long at work, and says so
        lines = [line for line in err.splitlines(keepends=True) if not PROGRESS.match(line)]
        return self.process.returncode, out, "".join(lines)

    def finish(self):
        self.start()
        code, out, err = self.ended()
        assert code == 0, err
        return out, err

    def files(self):
        return sorted(p.name for p in self.folder.iterdir() if self.out in p.name)


@pytest.fixture(scope="module")
def uninterrupted(folder):
    scan = Scan(folder, "whole.csv")
    out, err = scan.finish()
    assert err == ""
    assert scan.files() == ["whole.csv", "whole.csv.json"]
    summary = (folder / "whole.csv.json").read_text()
    return out, (folder / "whole.csv").read_bytes(), summary


def assert_same(scan, out, uninterrupted):
    wanted, words, summary = uninterrupted
    assert out.replace(scan.out, "whole.csv") == wanted
    assert (scan.folder / scan.out).read_bytes() == words
    found = (scan.folder / f"{scan.out}.json").read_text()
    assert found.replace(scan.out, "whole.csv") == summary
    assert scan.files() == [scan.out, f"{scan.out}.json"]


@pytest.mark.slow
def test_sigkill(folder, uninterrupted):
    scan = Scan(folder, "killed.csv")
    kept = []
    for _ in range(2):
        scan.start()
        scan.stop_after_a_chunk(signal.SIGKILL)
        code, _, err = scan.ended()
        assert code == -signal.SIGKILL, err
        now = scan.whole()
        assert now[: len(kept)] == kept  # nothing that was finished is measured again
        assert len(now) > len(kept)
        assert not (folder / "killed.csv").exists()
        kept = now
    out, err = scan.finish()
    words = min(1024 * len(kept), WORDS + 24)
    assert err == f"words taken over from an interrupted scan: {words:,}\n"
    assert_same(scan, out, uninterrupted)


@pytest.mark.slow
def test_ctrl_c(folder, uninterrupted):
    scan = Scan(folder, "stopped.csv")
    scan.start()
    scan.stop_after_a_chunk(signal.SIGINT)
    code, out, err = scan.ended()
    assert code == 130
    assert out == ""
    said, rest = err.split(" words are done and kept; ")
    assert said.startswith("interrupted; ")
    assert rest == "repeat the command to continue\n"
    kept = int(said.split()[1].replace(",", ""))
    assert kept >= 1024
    out, err = scan.finish()
    assert err == f"words taken over from an interrupted scan: {kept:,}\n"
    assert_same(scan, out, uninterrupted)


@pytest.mark.slow
def test_themes_go_on_after_sigkill_and_ctrl_c(folder):
    whole = Scan(folder, "themes.csv", *THEMES)
    out, err = whole.finish()
    assert err == ""
    uninterrupted = (
        out.replace("themes.csv", "whole.csv"),
        (folder / "themes.csv").read_bytes(),
        (folder / "themes.csv.json").read_text().replace("themes.csv", "whole.csv"),
    )
    scan = Scan(folder, "again.csv", *THEMES)
    scan.start()
    scan.stop_after_a_chunk(signal.SIGKILL)
    assert scan.ended()[0] == -signal.SIGKILL
    kept = scan.whole()
    assert kept
    scan.start()
    scan.stop_after_a_chunk(signal.SIGINT)
    code, out, err = scan.ended()
    assert (code, out) == (130, "")
    taken, interrupted = err.splitlines()
    assert taken == f"clusterings taken over from an interrupted scan: {len(kept)}"
    now = scan.whole()
    assert now[: len(kept)] == kept
    assert interrupted == (
        f"interrupted; {len(now)} clusterings are done and kept; repeat the command to continue"
    )
    out, err = scan.finish()
    assert err == f"clusterings taken over from an interrupted scan: {len(now)}\n"
    assert_same(scan, out, uninterrupted)
