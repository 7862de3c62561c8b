"""``eatlas cache``, and what other commands say of it."""

import warnings

import pytest
from tests.encoders.language import tiny
from tests.encoders.letters import Letters, passages

from eatlas.encoders.cache import cached
from eatlas.encoders.language import Question, open_language_model
from eatlas.errors import SourceWarning


def test_nothing_is_kept_at_first(eatlas_cli, computed_vectors):
    ended = eatlas_cli("cache", "show")
    assert ended.out == f"path:    {computed_vectors}\nsize:    nothing is kept\n"
    assert (ended.code, ended.err) == (0, "")


def test_show_and_clear(eatlas_cli, computed_vectors):
    cached(Letters("one")).encode(passages(1200))
    cached(Letters("two", fingerprint="letters:2")).encode(passages(3))
    lines = eatlas_cli("cache", "show").out.splitlines()
    assert lines[0] == f"path:    {computed_vectors}"
    assert lines[1].startswith("size:    ")
    assert lines[1].endswith("kB")
    assert lines[2:] == [
        "vectors: 1,200 of one",
        "         letters:1",
        "vectors: 3 of two",
        "         letters:2",
    ]
    assert eatlas_cli("cache", "clear", "one").out == "removed: 1,200 vectors\n"
    assert eatlas_cli("cache", "clear").out == "removed: 3 vectors\n"
    assert "vectors" not in eatlas_cli("cache", "show").out.partition("\n")[2]


def test_show_and_clear_know_answers_of_language_models(eatlas_cli, tmp_path):
    for part in tiny.bert():
        part.save_pretrained(tmp_path / "bert")
    source = f"hf:{tmp_path / 'bert'}"
    asked = [Question("Ant is nice.", span) for span in ((0, 3), (7, 11))]
    cached(Letters(source)).encode(passages(1))
    open_language_model(source, "masked").score(asked)
    lines = eatlas_cli("cache", "show").out.splitlines()
    assert [lines[2], lines[4]] == [f"vectors: 1 of {source}", f"answers: 2 of {source}"]
    assert eatlas_cli("cache", "clear", source).out == "removed: 1 vectors and 2 answers\n"
    open_language_model(source, "masked").score(asked[:1])
    assert eatlas_cli("cache", "clear").out == "removed: 1 answers\n"


def test_a_source_that_is_not_there(eatlas_cli, computed_vectors):
    cached(Letters("letters")).encode(passages(3))
    ended = eatlas_cli("cache", "clear", "leters")
    assert ended.code == 2
    assert ended.err == (
        f"error: {computed_vectors}: nothing is kept of this source\n"
        "  got: leters\n  allowed: letters\n  remedy: did you mean letters?\n"
    )


def test_damage_is_said(eatlas_cli, computed_vectors):
    computed_vectors.mkdir(parents=True)
    (computed_vectors / "vectors-v2.sqlite").write_bytes(b"damage" * 1000)
    ended = eatlas_cli("cache", "show")
    assert ended.code == 0
    assert "damaged: file is not a database; eatlas cache clear begins it anew\n" in ended.out
    assert eatlas_cli("cache", "clear").out == "removed: 0 vectors\n"
    assert "damaged" not in eatlas_cli("cache", "show").out


def test_a_folder_that_is_none(eatlas_cli, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "file" / "under"))
    assert "nothing is kept" in eatlas_cli("cache", "show").out


@pytest.mark.parametrize(("kind", "said"), [(SourceWarning, "warning: it is full\n")])
def test_warnings_are_said_in_words(eatlas_cli, monkeypatch, kind, said):
    def contents():
        warnings.simplefilter("default")
        warnings.warn("it is full", kind, stacklevel=2)
        raise KeyboardInterrupt

    monkeypatch.setattr("eatlas.encoders.cache_store.contents", contents)
    ended = eatlas_cli("cache", "show")
    assert ended.err == f"{said}interrupted\n"
    assert ended.code == 130


def test_ctrl_c_says_what_is_kept(eatlas_cli, monkeypatch):
    def contents():
        stop = KeyboardInterrupt()
        stop.add_note("7 of 9 texts are encoded and kept")
        raise stop

    monkeypatch.setattr("eatlas.encoders.cache_store.contents", contents)
    assert eatlas_cli("cache", "show").err == "interrupted; 7 of 9 texts are encoded and kept\n"
