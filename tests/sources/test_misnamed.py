"""Paths that are not usable as they are written, and what was meant."""

import pytest

import eatlas
from eatlas.errors import SourceError


def refused(spec):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(str(spec))
    return caught.value


def test_the_nearest_file_beside_a_missing_one_is_suggested(tmp_path):
    there = tmp_path / "glove.6B.50d.txt"
    there.write_text("up 1 0\ndown 0 1\n")
    (tmp_path / ".glove.6B.50.txt.part").write_text("")
    error = refused(tmp_path / "glove.6B.50.txt")
    assert str(error) == (
        f"{tmp_path}/glove.6B.50.txt: there is no such file\n  remedy: did you mean {there}?"
    )


def test_the_gguf_file_of_a_model_needs_its_ending(tmp_path):
    path = tmp_path / "tiny.bin"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(64))
    error = refused(path)
    assert error.what == f"{path}: unknown file type"
    assert error.got == "a model (GGUF)"
    assert error.remedy == "give it a name that ends in .gguf"


def test_the_weights_of_a_model_are_sent_to_their_folder(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    import numpy as np

    path = tmp_path / "model.safetensors"
    numpy.save_file({"a": np.ones((2, 2)), "b": np.ones((2, 2))}, path)
    assert refused(path).remedy == f"name it: {path}?tensor=NAME"
    (tmp_path / "config.json").write_text("{}")
    assert refused(path).remedy == f"the model itself: {tmp_path}"
