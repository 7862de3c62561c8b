"""Pickles that are small and would take for ever, or all memory, to hash, compare or print."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.inputs import wait_until
from tests.sources.files.faults import fault, no_more_memory_than, written

from eatlas import open_vectors
from eatlas.sources.files import pickles

PROTO, STOP = b"\x80\x04", b"."


def tuples(times: int) -> bytes:
    """A tuple that holds the one before it twice: 2 to the power of `times` when it is hashed."""
    return b")\x94" + b"".join(
        b"0h" + bytes([n]) + b"h" + bytes([n]) + b"\x86\x94" for n in range(times)
    )


def lists(times: int) -> bytes:
    """A list that holds the one before it twice."""
    return b"]\x94" + b"".join(
        b"0]\x94(h" + bytes([n]) + b"h" + bytes([n]) + b"e" for n in range(times)
    )


DEEP = 200_000
KEYS = {
    "shared tuples as a key": b"}" + tuples(40) + b"Ns",
    "shared tuples as keys": b"}(" + tuples(40) + b"Nu",
    "shared tuples in a dict": b"(" + tuples(40) + b"Nd",
    "shared tuples in a set": b"\x8f(" + tuples(40) + b"\x90",
    "shared tuples in a frozen set": b"(" + tuples(40) + b"\x91",
    "a deep tuple as a key": b"})" + b"\x85" * DEEP + b"Ns",
    "a frozen set as a key": b"}(\x91Ns",
    "an object as a key": b"}cgensim.models\nX\n)\x81Ns",
}
WORDS = {
    "shared lists": b"(" + lists(40) + b"l",
    "shared tuples": b"(" + tuples(40) + b"l",
    "a deep list": b"]" * DEEP + b"a" * (DEEP - 1),
    "a deep tuple": b")" + b"\x85" * DEEP,
    "a dict of shared lists": b"}X\x01\x00\x00\x00a" + lists(40) + b"s",
}
GENSIM = b"cgensim.models.keyedvectors\nKeyedVectors\n)\x81"


def as_vocabulary(folder, data: bytes) -> str:
    np.save(folder / "v.npy", np.eye(2))
    written(folder / "w.pkl", PROTO + data + STOP)
    return f"{folder / 'v.npy'}?vocab=w.pkl"


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("model", [True, False])
def test_keys_that_are_no_texts_or_numbers(tmp_path, monkeypatch, kind, model):
    monkeypatch.setattr(pickles, "SECONDS", 1)
    begun = sum(os.times()[:4])  # of this process and its children
    data = PROTO + KEYS[kind] + STOP
    if model:
        said = fault(written(tmp_path / "v.kv", data))
        assert "FILE: this pickle " in said
    else:
        assert "w.pkl: this " in fault(as_vocabulary(tmp_path, KEYS[kind]))
    assert sum(os.times()[:4]) - begun < 10


@pytest.mark.parametrize("kind", WORDS)
def test_words_that_hold_each_other(tmp_path, kind):
    spec = as_vocabulary(tmp_path, WORDS[kind])
    with no_more_memory_than(256 << 20):
        said = fault(spec)
    assert "a value of the type " in said or "this is not a vocabulary" in said
    assert len(said) < 1000


@pytest.mark.parametrize(
    "number",
    [
        b"\x8b" + struct.pack("<i", 5000) + b"\x7f" * 5000,
        b"L0x" + b"f" * 20_000 + b"L\n",
        b"I0x" + b"f" * 20_000 + b"\n",
    ],
)
def test_huge_integers(tmp_path, number):
    said = fault(as_vocabulary(tmp_path, b"]" + number + b"a"))
    assert "w.pkl: this " in said
    assert len(said) < 1000


def test_integers_that_share_a_hash(tmp_path, monkeypatch):
    """Each is compared with all before it."""
    monkeypatch.setattr(pickles, "SECONDS", 1)
    keys = (pickle.dumps(k * (2**61 - 1), 2)[2:-1] for k in range(1, 60_000))
    data = b"}(" + b"".join(key + b"N" for key in keys) + b"u"
    assert "takes far more time than a file of its size accounts for" in fault(
        as_vocabulary(tmp_path, data)
    )


@pytest.mark.skipif(sys.platform != "linux", reason="finds the process that reads through /proc")
def test_ctrl_c_ends_the_wait(tmp_path):
    path = written(tmp_path / "v.kv", PROTO + b"}" + tuples(40) + b"Ns" + STOP)
    command = [sys.executable, "-m", "eatlas", "run", "--tests", "weat-1", "--vectors", str(path)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        reading = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(reading.read_text)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=600)
    assert process.returncode == 130


def test_an_array_whose_type_or_shape_is_made_of_tuples(tmp_path):
    dtype = b"cnumpy\ndtype\n%s\x85R(NX\x01\x00\x00\x00<tb"
    frombuffer = b"cnumpy.core.numeric\n_frombuffer\n"
    text = b"X\x02\x00\x00\x00f4"
    for kind, shape in ((tuples(40), b"K\x01K\x01\x86"), (text, tuples(40))):
        array = frombuffer + b"(C\x04\x00\x00\x80\x3f" + dtype % kind + shape
        array += b"X\x01\x00\x00\x00CtR"
        words = b"X\x0c\x00\x00\x00index_to_key](X\x01\x00\x00\x00ae"
        state = b"}" + words + b"sX\x07\x00\x00\x00vectors" + array + b"s"
        said = fault(written(tmp_path / "v.kv", PROTO + GENSIM + state + b"b" + STOP))
        assert "FILE, vectors: this is not an array of numbers" in said
        assert len(said) < 300


def test_a_bomb_ends_in_a_process_of_its_own(tmp_path):
    """The whole command: one message, no traceback, the exit status of a mistake."""
    path = written(tmp_path / "v.kv", PROTO + b"}" + tuples(40) + b"Ns" + STOP)
    command = [sys.executable, "-m", "eatlas", "run", "--tests", "weat-1", "--vectors", str(path)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 2
    assert "got: more than 2 s of a processor" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("protocol", range(6))
def test_honest_keys_of_every_kind(tmp_path, protocol):
    path = written(tmp_path / "w.pkl", pickle.dumps({"cat": 0, "dog": 1}, protocol))
    np.save(tmp_path / "v.npy", np.eye(2))
    source = open_vectors(f"{tmp_path / 'v.npy'}?vocab={path.name}")
    assert list(source.vocabulary()) == ["cat", "dog"]
