"""Precomputed vectors as CSV and TSV."""

import numpy as np
import pytest

from eatlas import open_vectors


def write(tmp_path, content: str | bytes, name: str = "v.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "head", ["", ",0,1\n", "word,x,y\n", "Term,1,2\n", "stimulus,dim0,dim1\n", "\ufeffword,a,b\n"]
)
def test_headers(tmp_path, head):
    found = open_vectors(write(tmp_path, head + "cat,1,2\ndog,3,4.5\n")).lookup({"cat", "dog"})
    np.testing.assert_array_equal(found["dog"], [3, 4.5])
    assert len(found) == 2
