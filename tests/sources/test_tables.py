"""Precomputed vectors as CSV and TSV."""

import numpy as np
import pytest

from eatlas import open_vectors
from eatlas.errors import SourceError


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("cat,1,2\ndog,3\n", "a component is not a number\n  got: '' in the row of 'dog'"),
        (
            "cat,1,2\ndog,3,4,5\n",
            "the table cannot be read\n  got: Error tokenizing data. C error: Expected 3 fields in line 2",
        ),
        ("cat,1,2\ndog,3,x\n", "a component is not a number\n  got: 'x' in the row of 'dog'"),
        ("cat,1,2\ndog,3,\n", "a component is not a number\n  got: '' in the row of 'dog'"),
        ("cat,1,2\ndog,3,nan\n", "a component is not a number\n  got: 'nan' in the row of 'dog'"),
        (b"cat,1,2\ncaf\xe9,3,4\n", "the file is not UTF-8"),
        ("", "got: an empty file"),
        ("word,a,b\n", "the table has a header and no rows"),
    ],
)
def test_faults(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(SourceError) as caught:
        open_vectors(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
