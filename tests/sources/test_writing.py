"""Vectors that are written: every format read back, its note, and what is refused."""

import hashlib
import json

import numpy as np
import pytest

import eatlas
from eatlas.errors import SourceError
from eatlas.sources.writing import FORMATS

WORDS = ["the", "cat", "Über", "naïve", "日本", "don't", "🌹", "a.b", "none", "the"]
ROWS = np.random.default_rng(2).standard_normal((10, 7)) * 10.0 ** np.arange(-3, 4)
ROWS[8] = 0


def words_and_rows(source):
    parts = list(source.iter_chunks())
    return [w for some, _ in parts for w in some], np.concatenate([rows for _, rows in parts])


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")
def test_what_is_written_is_read_back_to_the_last_bit(suffix, tmp_path):
    path = tmp_path / f"v{suffix}"
    note = eatlas.write_vectors((WORDS, ROWS), path)
    words, rows = words_and_rows(eatlas.open_vectors(path))
    assert words == WORDS
    assert (rows == ROWS.astype(np.float32)).all()
    assert note == tmp_path / f"v{suffix}.json"
    said = json.loads(note.read_text(encoding="utf-8"))
    assert (said["words"], said["dim"], said["transform"]) == (10, 7, None)
    assert said["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert {one.name for one in tmp_path.iterdir()} == {path.name, note.name}


def test_gensim_reads_what_is_written(tmp_path):
    from gensim.models import KeyedVectors

    for suffix in (".vec", ".bin"):
        eatlas.write_vectors((WORDS[:9], ROWS[:9]), tmp_path / f"v{suffix}")
        read = KeyedVectors.load_word2vec_format(
            str(tmp_path / f"v{suffix}"), binary=suffix == ".bin"
        )
        assert read.index_to_key == WORDS[:9]
        assert (read.vectors == ROWS[:9].astype(np.float32)).all()


@pytest.mark.parametrize(
    ("words", "suffix", "message"),
    [
        (["a", "b c"], ".txt", "got: 'b c'\n  allowed: words that are not empty, without line "
         "breaks and zero bytes; in text and .bin without spaces\n  remedy: choose a name that ends in .npz"),
        (["a", ""], ".bin", "got: ''\n"),
        (["a", "b\nc"], ".npz", "got: 'b\\nc'\n  allowed: words that are not empty, without "
         "line breaks and zero bytes"),
    ],
)  # fmt: skip
def test_words_that_a_format_cannot_hold(words, suffix, message, tmp_path):
    with pytest.raises(SourceError) as caught:
        eatlas.write_vectors((words, np.eye(2)), tmp_path / f"v{suffix}")
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []
