"""Pages of HTML are refused before a corpus is read."""

import gzip

import pytest
from tests.inputs import make_test

from eatlas.errors import SourceError
from eatlas_corpora.reading import find_contexts


def test_a_folder_of_pages_is_refused_by_their_names_before_anything_is_read(tmp_path):
    for name in ("b.html", "c.htm", "a.txt"):
        (tmp_path / name).write_text("An aster.")
    (tmp_path / "d.html.gz").write_bytes(gzip.compress(b"An aster."))
    with pytest.raises(SourceError) as caught:
        find_contexts(tmp_path, make_test(), progress=pytest.fail)
    assert "b.html: this is a page of HTML or XML; its tags" in str(caught.value)
    assert "got: the name b.html" in str(caught.value)


@pytest.mark.parametrize("text", ["<doc id='12'>\nAn aster.\n</doc>\n", "2 < 3 <html>\naster\n"])
def test_texts_with_angles_are_no_pages(tmp_path, text):
    (tmp_path / "corpus.txt").write_text(text)
    assert len(find_contexts(tmp_path, make_test())) == 1
