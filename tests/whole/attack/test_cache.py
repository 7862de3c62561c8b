"""What is kept on disk, after a bit of it changed, or all of it."""

import json
import os
import sqlite3
import stat
from contextlib import closing

import numpy as np
import pytest
from tests.encoders.letters import Letters, passages
from tests.inputs import make_test
from tests.tiny_models import make_model
from tests.whole.attack.hostile import answers_of, completion, entry, opened, replying

import eatlas
from eatlas.encoders.cache import NAME, cached, contents, hash_of_row
from eatlas.errors import SourceWarning
from eatlas.paths import cache_folder

N = 40


def the_file():
    return cache_folder() / NAME


def rows_of(*columns):
    with closing(sqlite3.connect(the_file())) as connection:
        chosen = ", ".join(f"cast({column} as blob)" for column in columns)
        return connection.execute(f"select {chosen} from vectors").fetchall()  # noqa: S608


def change(statement, *values):
    with closing(sqlite3.connect(the_file())) as connection, connection:
        connection.execute(statement, values)


def flip(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def encoded():
    """Bytes of all vectors, and how many were computed."""
    letters = Letters()
    given = cached(letters).encode(passages(N))
    return b"".join(given[each].tobytes() for each in passages(N)), len(letters.asked)


def ask(server):
    """Replies of a model, and how many answers were not kept."""
    before = len(server.asked)
    replies = answers_of(opened("chat", server.spec("chat", "")), "logprobs")
    return replies, len(server.asked) - before


# --- one bit --------------------------------------------------------------------------------------


def test_A1_a_bit_of_a_vector_in_the_raw_file():
    whole, computed = encoded()
    assert computed == N
    raw, (data, *_) = the_file().read_bytes(), rows_of("data")
    the_file().write_bytes(flip(raw, 8 * raw.rindex(data[0]) + 30))
    with pytest.warns(SourceWarning) as said:
        assert encoded() == (whole, 1)
    (message,) = {str(each.message) for each in said}
    assert message == f"1 row of {the_file()} is damaged and will be computed again."
    assert encoded() == (whole, 0), "it was kept again"


@pytest.mark.parametrize("column", ["kind", "mark", "data", "hash"])
def test_A1_any_bit_of_a_row(column):
    whole, _ = encoded()
    (key, was), *_ = rows_of("key", column)
    cast = "text" if column in {"kind", "mark"} else "blob"
    for bit in range(0, 8 * len(was), len(was) // 8 * 8 + 7):
        changed = flip(was, bit)
        query = f"update vectors set {column} = cast(? as {cast}) where key = ?"  # noqa: S608
        change(query, changed, key)
        with pytest.warns(SourceWarning, match="1 row of .* is damaged"):
            assert encoded() == (whole, 1)


def test_A1_a_row_under_the_key_of_another_text():
    whole, _ = encoded()
    (key, *_), (_, data, hash_), *_ = rows_of("key", "data", "hash")
    change("update vectors set data = ?, hash = ? where key = ?", data, hash_, key)
    with pytest.warns(SourceWarning, match="1 row of"):
        assert encoded() == (whole, 1)


def test_A1_digits_of_answers_in_the_raw_file(server):
    listed = [entry("love", -0.5), entry("war", -1.5)]
    server.behave = replying(completion("love", listed))
    replies, asked = ask(server)
    assert asked == 2
    raw = the_file().read_bytes()
    assert raw.count(b"[-0.5, -1.5]") == 2
    the_file().write_bytes(raw.replace(b"[-0.5, -1.5]", b"[-9.5, -1.5]"))
    with pytest.warns(SourceWarning, match="2 rows of .* are damaged and will be computed again"):
        assert ask(server) == (replies, 2)
    assert ask(server) == (replies, 0)


# --- rows that fit their hash, and are none -------------------------------------------------------


def put(data, kind=None, mark=None):
    """Write the same into all rows, with the hash that it has, as any program could."""
    rows = []
    for key, *was in rows_of("key", "kind", "mark"):
        kept = (text.decode() for text in was)
        row = (
            data,
            *(old if new is None else new for old, new in zip(kept, (kind, mark), strict=True)),
        )
        hash_ = hash_of_row(key, row) if isinstance(data, bytes) else b""
        rows.append((*row, hash_, key))
    with closing(sqlite3.connect(the_file())) as connection, connection:
        query = "update vectors set data = ?, kind = ?, mark = ?, hash = ? where key = ?"
        connection.executemany(query, rows)


NUMBERS = np.ones(28, np.float32)


@pytest.mark.parametrize(
    "row",
    [
        (b"",), (b"123",), ("abc",), (12,),
        (np.full(27, np.nan, np.float32).tobytes(),), (np.full(27, np.inf, np.float32).tobytes(),),
        (NUMBERS.tobytes(), "O"), (NUMBERS.tobytes(), "|b1"), (NUMBERS.tobytes(), "<c8"), (NUMBERS.tobytes(), "<M8[s]"),
        (NUMBERS.tobytes(), "|V999999999"), (NUMBERS.tobytes(), "answer"), (NUMBERS.tobytes(), ""),
        (NUMBERS.tobytes(), None, ""), (NUMBERS.tobytes(), None, "[]"), (NUMBERS.tobytes(), None, "5"),
        (NUMBERS.tobytes(), None, '["maybe", false, []]'), (NUMBERS.tobytes(), None, '["", 1, []]'),
        (NUMBERS.tobytes(), None, '["", false, [1]]'), (NUMBERS.tobytes(), None, "[" * 100_000),
    ],
    ids=lambda row: "-".join(str(part)[-24:] for part in row),
)  # fmt: skip
def test_A1_what_is_no_vector_is_computed_again(row):
    whole, _ = encoded()
    put(*row)
    with pytest.warns(SourceWarning, match=f"{N} rows of"):
        assert encoded() == (whole, N)


@pytest.mark.parametrize(
    "data",
    [
        b"x", b"5", b"[]", b"null", b"\xff", "abc", 12, b"[" * 100_000, b'{"a": 1}',
        b"[1, 2, 3, 4, 5, 6, 7, 8]", b'["a", [1], {}, 7, "x"]',
        b'["a", ["x", "y"], "m", "d", false]', b'["a", null, "m", "d", 0]',
        b'["a", null, 5, "d", false]',
    ],
    ids=lambda data: str(data)[:30],
)  # fmt: skip
def test_A1_what_is_no_answer_is_asked_again(server, data):
    server.behave = replying(completion("love", [entry("love", -0.5), entry("war", -1.5)]))
    replies, _ = ask(server)
    put(data)
    with pytest.warns(SourceWarning, match="2 rows of"):
        assert ask(server) == (replies, 2)


@pytest.mark.parametrize(
    "statements",
    [
        ["alter table vectors rename to old", "create view vectors as with recursive r(x) as (select 1 "
         "union all select x + 1 from r) select key, fingerprint, name, data, kind, mark, hash from old, r"],
        ["create trigger t after insert on vectors begin update vectors set data = zeroblob(1e8); end"],
        ["drop table vectors", "create table vectors (a)"],
        ["drop table vectors", "create table vectors (key, fingerprint, name, kind, mark, hash, "
         "data generated always as (zeroblob(1e8)))"],
        ["create table other (a)"],
    ],
    ids=["view", "trigger", "table", "column", "other"],
)  # fmt: skip
def test_A1_other_tables_are_not_used(statements):
    whole, _ = encoded()
    with closing(sqlite3.connect(the_file())) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    with pytest.warns(SourceWarning, match="it holds other tables than eatlas makes"):
        assert encoded() == (whole, N)
    assert contents().damaged == "it holds other tables than eatlas makes"


def test_A1_a_result_is_the_same_with_a_damaged_cache(server):
    spec = server.spec("embeddings", "")
    first = eatlas.run(make_test(), spec, "weat(resamples=0)")[0].to_dict()
    for key, data in rows_of("key", "data"):
        change("update vectors set data = ? where key = ?", flip(data, 30), key)
    with pytest.warns(SourceWarning, match="rows of .* are damaged"):
        again = eatlas.run(make_test(), spec, "weat(resamples=0)")[0].to_dict()
    assert json.dumps(again) == json.dumps(first)


# --- rows of another program ----------------------------------------------------------------------


def poison():
    """Put other vectors into all rows, with the hashes that they have."""
    rng, others = np.random.default_rng(0), []
    for key, kind, mark, data in rows_of("key", "kind", "mark", "data"):
        vector = rng.normal(size=len(data) // np.dtype(kind.decode()).itemsize)
        row = vector.astype(kind.decode()).tobytes(), kind.decode(), mark.decode()
        others.append((row[0], hash_of_row(key, row), key))
    with closing(sqlite3.connect(the_file())) as connection, connection:
        query = "update vectors set data = ?, hash = ? where key = ?"
        connection.executemany(query, others)
    return len(others)


def test_F7_verify_reads_no_vector_that_is_kept(eatlas_cli, tmp_path):
    make_model(tmp_path / "model", "bert")
    command = ("run", "--tests", "weat-6", "--measure", "weat(resamples=0)")
    source = ("--vectors", "hf:model?pool=mean")
    eatlas_cli(*command, *source, "--out", "honest")
    assert poison() > 20
    eatlas_cli(*command, *source, "--out", "poisoned")
    honest, poisoned = (
        eatlas.read_results(f"{folder}/results.jsonl")[0].level1.effect_size
        for folder in ("honest", "poisoned")
    )
    assert abs(honest - poisoned) > 0.01
    assert eatlas_cli("verify", "honest/results.jsonl").code == 0
    ended = eatlas_cli("verify", "poisoned/results.jsonl")
    assert ended.code == 1
    assert "level1.effect_size: " in ended.said


def test_F7_verify_reads_no_vector_of_a_function_that_is_kept(eatlas_cli, tmp_path):
    (tmp_path / "counting.py").write_text(
        "def f(texts):\n    return [[len(t), t.count('a') + 1.0, t.count('e')] for t in texts]\n",
        encoding="utf-8",
    )
    name = "py:counting:f?cache=yes&version=1"
    command = ("run", "--tests", "weat-6", "--vectors", name, "--measure", "weat(resamples=0)")
    eatlas_cli(*command)
    source = eatlas.read_results("out/results.jsonl")[0].source
    assert eatlas_cli("verify", "out/results.jsonl", "--trust", source).code == 0
    poison()
    eatlas_cli(*command)
    assert eatlas_cli("verify", "out/results.jsonl", "--trust", source).code == 1


# --- who may read it ------------------------------------------------------------------------------


def test_A20_nobody_else_may_read_what_is_kept(server, tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "new" / "cache"))
    before = os.umask(0)
    try:
        ask(server)
        with closing(sqlite3.connect(the_file())) as connection:
            connection.execute("select * from vectors").fetchone()
            modes = {
                path.name: stat.S_IMODE(path.stat().st_mode) for path in cache_folder().iterdir()
            }
    finally:
        os.umask(before)
    assert modes == {NAME: 0o600, f"{NAME}-wal": 0o600, f"{NAME}-shm": 0o600}
    assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path))
    tmp_path.chmod(0o755)
    ask(server)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755, "a folder of the user's stays as it was"
    assert stat.S_IMODE(the_file().stat().st_mode) == 0o600
