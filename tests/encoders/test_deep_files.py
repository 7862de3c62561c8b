"""Files of models with values nested so deep that a parser gives up: one message each."""

from __future__ import annotations

import struct

import pytest

from eatlas import open_vectors
from eatlas.encoders.model_config import read_gguf_header
from eatlas.encoders.model_conventions import _read
from eatlas.encoders.model_files import number_of_weights
from eatlas.errors import SourceError

DEEP = "[" * 100_000


def gguf(value: bytes) -> bytes:
    """A header with one key."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    return head + struct.pack("<Q", 1) + b"k" + value


def test_arrays_in_arrays_of_gguf(tmp_path):
    nested = struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 50_000
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(nested))
    with pytest.raises(SourceError) as caught:
        read_gguf_header(path)
    assert str(caught.value) == (
        f"{path}: the header of this GGUF file is damaged or cut off\n  remedy: fetch the file again"
    )
    with pytest.raises(SourceError):
        open_vectors(f"hf:{path}")


def test_a_few_arrays_in_arrays_are_stepped_over(tmp_path):
    nested = struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 3 + struct.pack("<IQ", 4, 1)
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(nested + bytes(4)))
    assert read_gguf_header(path).weights == 0


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("hf", "config.json", "config.json: the configuration cannot be read"),
        ("st", "modules.json", "modules.json: cannot be read as a part of a model"),
    ],
)
def test_settings_of_a_model(tmp_path, kind, name, said):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / name).write_text(DEEP)
    with pytest.raises(SourceError, match=said):
        open_vectors(f"{kind}:{tmp_path}")


def test_prompts_that_cannot_be_read_are_none(tmp_path):
    (tmp_path / "prompts.json").write_text(DEEP)
    assert _read(tmp_path / "prompts.json") == {}


@pytest.mark.parametrize("head", [DEEP.encode(), b"[]", b'{"a": 1}', b'{"a": {"shape": ["x"]}}'])
def test_the_head_of_weights(tmp_path, head):
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head)
    with pytest.raises(SourceError, match="the head of these weights is damaged"):
        number_of_weights(tmp_path, None)
