"""The cache under kills, damage, full disks, and many processes."""

import hashlib
import multiprocessing
import os
import resource
import signal
import sqlite3
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from tests.encoders.letters import Letters, passages
from tests.inputs import wait_until

from eatlas.encoders.cache import cached, entry_of, key_of
from eatlas.encoders.cache_store import CacheStore, clear, contents, renew
from eatlas.errors import SourceWarning
from eatlas.folders import cache_folder
from eatlas.sources import Passage

N = 1000
FORK = multiprocessing.get_context("fork")


class Encoding:
    """Another process that encodes; `before` is called in it first."""

    def __init__(self, number, pause=0.0, before=None):
        self._answer, there = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=encode, args=(there, number, pause, before))
        with warnings.catch_warnings():  # Python 3.12 and later warn of threads in a fork
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()

    def ended(self):
        """How many passages were computed, the digest of all vectors, and what was said."""
        assert self._answer.poll(600)
        answer = self._answer.recv()
        self.process.join()
        return answer

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()


def encode(there, number, pause, before):
    if before:
        before()
    letters = Letters(pause=pause)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        given = cached(letters).encode(passages(number))
    there.send((len(letters.asked), digest_of(given, number), [str(one.message) for one in said]))


def digest_of(given, number):
    return hashlib.sha256(b"".join(given[p].tobytes() for p in passages(number))).hexdigest()


def expected(number):
    return digest_of(Letters().encode(passages(number)), number)


def the_file():
    (path,) = cache_folder().glob("vectors-v1-*.sqlite")
    return path


def kept():
    return sum(model.vectors for model in contents().models)


def test_a_killed_run_goes_on_where_it_was():
    before = 0
    for _ in range(3):
        process = Encoding(N, 0.02)
        wait_until(lambda least=before + 100: kept() >= least)
        process.kill()
        assert before + 100 <= kept() < N
        assert kept() % 50 == 0, "a batch is there or it is not"
        before = kept()
    computed, digest, said = Encoding(N).ended()
    assert (computed, digest, said) == (N - before, expected(N), [])


def test_processes_work_at_once():
    several = [Encoding(400, 0.01) for _ in range(4)]
    answers = [process.ended() for process in several]
    assert [(digest, said) for _, digest, said in answers] == [(expected(400), [])] * 4
    assert kept() == 400


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_file_is_never_trusted(seed):
    cached(Letters()).encode(passages(N))
    rng, path = np.random.default_rng(seed), the_file()
    data = bytearray(path.read_bytes())
    for place in rng.integers(0 if seed % 2 else 100, len(data), 40):
        data[place] ^= int(rng.integers(1, 256))
    path.write_bytes(data)
    check_that_all_is_right()


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 200_000])
def test_a_file_that_is_cut_off_is_never_trusted(size):
    cached(Letters()).encode(passages(N))
    os.truncate(the_file(), size)
    check_that_all_is_right()


def check_that_all_is_right():
    """Nothing is said, all vectors are right, and from then on they are kept again."""
    assert digest_of(cached(Letters()).encode(passages(N)), N) == expected(N)
    cached(Letters()).encode(passages(N))
    again = Letters()
    assert digest_of(cached(again).encode(passages(N)), N) == expected(N)
    assert not again.asked


def test_values_that_changed_are_computed_again():
    cached(Letters()).encode(passages(100))
    with sqlite3.connect(the_file()) as connection:
        connection.execute("UPDATE vectors SET data = zeroblob(108) WHERE rowid <= 10")
        connection.execute("UPDATE vectors SET kind = '<f8' WHERE rowid BETWEEN 11 AND 20")
        connection.execute("UPDATE vectors SET kind = x'ff' WHERE rowid BETWEEN 21 AND 30")
        connection.execute("UPDATE vectors SET verification = 7 WHERE rowid BETWEEN 31 AND 40")
    connection.close()
    source = Letters()
    assert digest_of(cached(source).encode(passages(100)), 100) == expected(100)
    assert len(source.asked) == 40
    assert kept() == 100


@pytest.mark.parametrize("content", [b"not a database " * 500, None])
def test_a_file_that_is_not_ours(content, computed_vectors):
    computed_vectors.mkdir(parents=True)
    path = computed_vectors / "vectors-v1-1.sqlite"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE vectors (mine TEXT)")
        connection.close()
    else:
        path.write_bytes(content)
    assert contents().damaged
    cached(Letters()).encode(passages(10))
    assert kept() == 10
    assert path.exists() is (content is None), "a database of another program stays"


def test_a_table_that_is_missing():
    cached(Letters()).encode(passages(10))
    with sqlite3.connect(the_file()) as connection:
        connection.execute("DROP TABLE vectors")
    connection.close()
    check_that_all_is_right()


def small_files(limit):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.mark.parametrize("limit", [0, 10_000, 300_000])
def test_a_full_disk_costs_the_cache_and_not_the_run(limit):
    computed, digest, said = Encoding(N, before=small_files(limit)).ended()
    assert (computed, digest) == (N, expected(N))
    assert len(said) == 1
    assert "computed vectors cannot be kept there (" in said[0]
    assert "this run continues without" in said[0]
    some = kept()
    assert some < N
    computed, digest, said = Encoding(N).ended()
    assert (computed, digest, said) == (N - some, expected(N), [])


def test_a_database_without_room():
    """SQLite's own limit on pages, which it reports as a full disk."""
    cached(Letters()).encode(passages(10))
    with CacheStore(cache_folder()) as store:
        store._open().execute("PRAGMA max_page_count = 20")
        more = {bytes([i, j]) * 16: entry_of(np.ones(500)) for i in range(20) for j in range(20)}
        with pytest.warns(
            SourceWarning, match=r"cannot be kept there \(database or disk is full\)"
        ):
            store.put("m", "m", more)
        assert not store.usable
    assert kept() == 10


def test_a_folder_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(SourceWarning, match="Set EATLAS_CACHE to a folder") as caught:
        given = cached(Letters()).encode(passages(100))
    assert len(caught) == 1
    assert digest_of(given, 100) == expected(100)


@pytest.mark.parametrize("filled", [False, True])
def test_a_folder_that_may_only_be_read(filled, computed_vectors):
    """As another user, where this one may write anywhere."""
    if filled:
        cached(Letters()).encode(passages(100))
    computed_vectors.mkdir(parents=True, exist_ok=True)
    for path in (*computed_vectors.glob("*"), computed_vectors):
        path.chmod(0o555 if path.is_dir() else 0o444)
    nobody = (lambda: os.setuid(65534)) if os.geteuid() == 0 else None
    for parent in computed_vectors.parents[:3]:
        parent.chmod(0o755)
    computed, digest, said = Encoding(100, before=nobody).ended()
    computed_vectors.chmod(0o755)
    assert digest == expected(100)
    assert computed == 100
    assert ["this run continues without" in text for text in said] == [True]


def test_a_process_that_holds_the_file(monkeypatch):
    monkeypatch.setattr("eatlas.encoders.cache_store.PATIENCE", 0.1)
    cached(Letters()).encode(passages(10))
    holder = sqlite3.connect(the_file(), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.warns(SourceWarning, match="database is locked"):
        given = cached(Letters()).encode(passages(100))
    holder.close()
    assert digest_of(given, 100) == expected(100)


def test_a_process_that_holds_the_lock_is_named_before_it_is_waited_for():
    cache_folder().mkdir(parents=True)
    lock = FileLock(cache_folder() / "vectors-v1-lock", thread_local=False)
    lock.acquire()
    said = "vectors-v1-lock: another process holds this; waiting up to 60 seconds for it"
    heard = pytest.warns(SourceWarning, match=said)
    threading.Thread(target=lambda: (wait_until(lambda: heard.list), lock.release())).start()
    with heard:
        given = cached(Letters()).encode(passages(10))
    assert digest_of(given, 10) == expected(10)
    assert kept() == 10


def test_clearing_while_another_process_encodes():
    process = Encoding(N, 0.01)
    wait_until(lambda: kept() >= 100)
    assert sum(one.vectors for one in clear()) >= 100
    _, digest, said = process.ended()
    assert (digest, said) == (expected(N), [])
    check_that_all_is_right()


def test_a_store_whose_file_was_cleared_goes_on_in_the_new_one():
    cached(Letters()).encode(passages(10))
    with CacheStore(cache_folder()) as store:
        store._generation = 1
        renew(cache_folder(), 1)
        store.put("m", "m", {b"k" * 32: entry_of(np.ones(3))})
    assert [model.vectors for model in contents().models] == [1]


def test_nothing_is_left_of_old_files():
    cached(Letters()).encode(passages(10))
    the_file().write_bytes(b"damaged" * 2000)
    cached(Letters()).encode(passages(10))
    names = sorted(path.name for path in cache_folder().iterdir())
    assert [name for name in names if "lock" not in name] == ["vectors-v1-2.sqlite"]


def test_one_model_of_several_is_removed():
    cached(Letters("one")).encode(passages(10))
    cached(Letters("two", fingerprint="letters:2")).encode(passages(20))
    assert [(m.name, m.vectors) for m in clear("one")] == [("one", 10)]
    assert [(m.name, m.vectors) for m in contents().models] == [("two", 20)]
    assert [m.vectors for m in clear()] == [20]
    assert contents().models == ()


def test_the_folder_follows_the_system_unless_told(monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", "~/mine")
    assert cache_folder() == Path.home() / "mine"
    monkeypatch.delenv("EATLAS_CACHE")
    assert cache_folder().parts[-2:] == ("eatlas", "encodings")


def test_nothing_is_made_where_nothing_is_computed(computed_vectors):
    assert contents().models == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cached(Letters()).encode([]) == {}
    assert clear() == ()
    assert not computed_vectors.exists()


def test_a_journal_that_ends_while_the_folder_is_read_counts_nothing():
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    before = contents().size
    (folder / "vectors-v1-1.new-journal").symlink_to(folder / "gone")
    assert contents().size == before


def test_what_earlier_versions_kept_is_found():
    """Bytes as the first version wrote them; another layout would need another name of the file."""
    key = key_of(Letters(fingerprint="sha256:0"), Passage("An ant.", (3, 6)))
    assert key.hex() == "3e24d32014984224fe3c61c75a1d38b2aef88b25ff84af524555baf2ada05b8b"
    check = bytes.fromhex("743167b0351160eb447701cd75319c2e")
    row = (key, "cut", "<f4", b"\x00\x00\x80?\x00\x00 @", check)
    with CacheStore(cache_folder()) as store:
        store.put("sha256:0", "m", {key: entry_of(np.array([1.0, 2.5], "<f4"), "cut")})
        assert store.get([key])[key].mark == "cut"
    with sqlite3.connect(the_file()) as connection:
        written = connection.execute("SELECT key, mark, kind, data, verification FROM vectors")
        assert written.fetchall() == [row]
    connection.close()
