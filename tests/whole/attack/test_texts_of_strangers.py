"""Corpora that are cut off, or that would cut off what stands behind a letter."""

import pytest
import zstandard
from tests.inputs import make_test

from eatlas.errors import SourceError
from eatlas_corpora.reading import find_contexts

FRAME = zstandard.ZstdCompressor().compress(b"love\n" * 1000)


@pytest.mark.parametrize("content", [FRAME[:-1], FRAME + FRAME[:9], FRAME + FRAME[:3]])
def test_N2_a_zst_file_that_ends_early_is_refused(tmp_path, content):
    packed = tmp_path / "some.txt.zst"
    packed.write_bytes(content)
    with pytest.raises(SourceError, match="the compressed data are damaged or end early"):
        find_contexts(packed, make_test())
