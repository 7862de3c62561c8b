"""Pickles are read as data: whatever one asks for, nothing is imported or called."""

from __future__ import annotations

import os
import pickle
import struct
import sys

import numpy as np
import pytest
from tests.sources.files.faults import fault, no_more_memory_than, written

from eatlas.errors import SourceError
from eatlas.sources.files.pickles import load


class Runs:
    """A pickle of this makes a folder when it is loaded: harmless, and seen."""

    def __init__(self, path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "it ran"


def pickles(mark) -> dict[str, bytes]:
    name = str(mark).encode()
    mkdir = b"posix\nmkdir\n"
    found = {f"reduce, protocol {p}": pickle.dumps(Runs(mark), p) for p in range(6)}
    found |= {f"in a list, protocol {p}": pickle.dumps(["cat", Runs(mark)], p) for p in range(6)}
    found["inst"] = b"\x80\x02(S'" + name + b"'\ni" + mkdir + b"."
    found["obj"] = b"\x80\x02(c" + mkdir + b"S'" + name + b"'\no."
    found["newobj"] = b"\x80\x02c" + mkdir + b"S'" + name + b"'\n\x85\x81."
    found["newobj_ex"] = b"\x80\x04c" + mkdir + b"S'" + name + b"'\n\x85}\x92."
    found["dotted"] = b"\x80\x04\x8c\x05numpy\x8c\x09os.system\x93."
    found["through gensim"] = b"\x80\x04\x8c\x0cgensim.utils\x8c\x08os.mkdir\x93\x8c" + (
        struct.pack("<B", len(name)) + name + b"\x85R."
    )
    found["build"] = b"\x80\x02c__builtin__\neval\nS'1'\nb."
    found["codecs"] = b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00rot13\x86R."
    return found


KINDS = list(pickles("x"))


@pytest.mark.parametrize("kind", KINDS)
def test_code_in_a_model(tmp_path, mark, kind):
    # pickles of protocols 0 and 1 do not begin as others do, so what they are must be said
    path = written(tmp_path / "v.kv", pickles(mark)[kind])
    assert "this pickle " in fault(f"{path}?format=gensim")
    assert not mark.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_code_in_a_vocabulary(tmp_path, mark, kind):
    np.save(tmp_path / "v.npy", np.eye(2))
    (tmp_path / "w.pkl").write_bytes(pickles(mark)[kind])
    said = fault(f"{tmp_path / 'v.npy'}?vocab=w.pkl")
    assert "w.pkl: this pickle " in said
    assert not mark.exists()


def test_what_is_said(tmp_path, mark):
    said = fault(written(tmp_path / "v.kv", pickle.dumps(Runs(mark))))
    assert said == (
        f"FILE: this pickle names something that vectors do not need\n  got: {os.name}.mkdir\n"
        "  allowed: lists, dicts, strings, numbers and what gensim and numpy store vectors in\n"
        "  remedy: do not open it elsewhere either, unless you know who made it"
    )


def test_no_module_is_imported(tmp_path):
    name = "antigravity"
    path = written(
        tmp_path / "v.kv", b"\x80\x02cgensim.models.x\nY\nc" + name.encode() + b"\nfly\n."
    )
    assert name not in sys.modules
    assert f"got: {name}.fly" in fault(path)
    assert name not in sys.modules
    assert "gensim.models.x" not in sys.modules


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (pickle.dumps([1, 2]), "list"),
        (pickle.dumps({"cat": [1.0, 2.0]}), "dict"),
        (b"\x80\x04cgensim.models\nX\n)\x81.", "gensim.models.X"),
    ],
)
def test_pickles_of_other_things(tmp_path, data, got):
    said = fault(written(tmp_path / "v.kv", data))
    assert f"FILE: this pickle holds no word vectors\n  got: {got}\n  allowed: KeyedVectors" in said


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04\x8e" + struct.pack("<Q", 1 << 50) + b"few",  # BINBYTES8
        b"\x80\x04\x8d" + struct.pack("<Q", 1 << 50) + b"few",  # BINUNICODE8
        b"\x80\x05\x96" + struct.pack("<Q", 1 << 50) + b"few",  # BYTEARRAY8
        b"\x80\x04\x95" + struct.pack("<Q", 1 << 50) + b"few",  # FRAME
        b"\x80\x04\x8b" + struct.pack("<i", 1 << 30) + b"few",  # LONG4
        b"\x80\x04r" + struct.pack("<I", 0xFFFFFFFF) + b".",  # LONG_BINPUT
        b"\x80\x02I" + b"9" * 100_000 + b"\n.",
        b"\x80\x04" + b"(" * 200_000,
        b"\x80\x04" + b"]" * 200_000 + b"a" * 199_999 + b".",
        # one text of 50 kB, made into bytes 20,000 times: a gigabyte
        b"\x80\x02c_codecs\nencode\nq\x00X" + struct.pack("<I", 50_000) + b"a" * 50_000 + b"q\x01"
        + b"U\x06latin1q\x02000]" + b"h\x00h\x01h\x02\x86Ra" * 20_000 + b".",
    ],
)  # fmt: skip
def test_pickles_that_ask_for_more_than_there_is(tmp_path, data):
    path = written(tmp_path / "v.kv", data)
    with no_more_memory_than(64 << 20):
        assert "FILE: this pickle " in fault(path)


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_come_back(tmp_path, protocol):
    value = {"cat": 0, "dog": 1, "n": None, "l": [1.5, True, b"x", ("a", 2**70)]}
    assert load(written(tmp_path / "p", pickle.dumps(value, protocol))) == value


def test_every_way_to_end_early(tmp_path):
    data = pickle.dumps({"cat": 0, "dog": [1, 2.5, "x" * 30]})
    for size in range(0, len(data), 3):
        path = written(tmp_path / "p", data[:size])
        with pytest.raises(SourceError, match="this pickle is damaged, or no"):
            load(path)
