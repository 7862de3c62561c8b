"""The cache under kills, damage, full disks, and many processes."""

import hashlib
import multiprocessing
import os
import signal
import warnings
from threading import Barrier, Thread

import pytest
from tests.encoders.letters import Letters, passages
from tests.inputs import wait_until

from eatlas.encoders.cache import NAME, _connect, cached, contents
from eatlas.errors import SourceWarning
from eatlas.paths import cache_folder

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
    return cache_folder() / NAME


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


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b"not a database " * 500),
        lambda path: os.truncate(path, 5000),
        lambda path: path.unlink() or path.mkdir(),
    ],
)
def test_a_file_of_no_use_costs_the_cache_and_not_the_run(harm):
    cached(Letters()).encode(passages(N))
    harm(the_file())
    with pytest.warns(SourceWarning, match="this run continues without") as caught:
        given = cached(Letters()).encode(passages(N))
    assert len(caught) == 1
    assert digest_of(given, N) == expected(N)


def test_those_who_open_a_new_file_at_once_all_use_it(tmp_path):
    """SQLite refuses at once, in 1 of 25 cases here, whoever meets another that sets its journal."""
    for number in range(40):
        path, barrier, opened = tmp_path / str(number) / "v.sqlite", Barrier(4), []

        def connect(path=path, barrier=barrier, opened=opened):
            barrier.wait()
            opened.append(_connect(path))

        threads = [Thread(target=connect) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(opened) == 4
        for connection in opened:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            connection.close()
