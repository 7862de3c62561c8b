"""``eatlas cache``, and what other commands say of it."""

from tests.encoders.letters import Letters, passages

from eatlas.encoders.cache import NAME, cached


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


def test_a_source_that_is_not_there(eatlas_cli, computed_vectors):
    cached(Letters("letters")).encode(passages(3))
    ended = eatlas_cli("cache", "clear", "leters")
    assert ended.code == 2
    assert ended.err == (
        f"error: {computed_vectors}: nothing is cached for this source\n"
        "  got: leters\n  allowed: letters\n  remedy: did you mean letters?\n"
    )


def test_damage_is_said(eatlas_cli, computed_vectors):
    computed_vectors.mkdir(parents=True)
    (computed_vectors / NAME).write_bytes(b"damage" * 1000)
    ended = eatlas_cli("cache", "show")
    assert ended.code == 0
    assert "damaged: file is not a database; eatlas cache clear begins it anew\n" in ended.out
    assert eatlas_cli("cache", "clear").out == "removed: 0 vectors\n"
    assert "damaged" not in eatlas_cli("cache", "show").out


def test_ctrl_c_says_what_is_kept(eatlas_cli, monkeypatch):
    def contents():
        stop = KeyboardInterrupt()
        stop.add_note("7 of 9 texts are encoded and kept")
        raise stop

    monkeypatch.setattr("eatlas.cli.cache.contents", contents)
    assert eatlas_cli("cache", "show").err == "interrupted; 7 of 9 texts are encoded and kept\n"
