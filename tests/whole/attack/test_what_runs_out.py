"""A full disk, connections that say nothing, streams that are closed, keys without end."""

import resource
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest
from tests.encoders.letters import Letters, passages
from tests.encoders.test_cache_file import Encoding, N, digest_of, expected, kept
from tests.inputs import make_test
from tests.served import ask
from tests.sources.files.faults import no_more_memory_than
from tests.test_serving import BODY, app

import eatlas
from eatlas.encoders import cache
from eatlas.encoders.cache import NAME, cached
from eatlas.errors import EatlasError, SourceWarning
from eatlas.paths import cache_folder
from eatlas_workbench.explorer.measuring import lists_of_file
from eatlas_workbench.serving import Served

DOTTED = ".".join("a" * 60_000) + " = 1"
"""120 kB that took 14.5 GB."""


def test_N8_the_explorer_reads_no_key_of_many_parts():
    with no_more_memory_than(256 << 20), pytest.raises(EatlasError) as caught:
        lists_of_file(DOTTED)
    assert "The file: a key has too many parts" in str(caught.value)


def test_N8_the_protocol_reads_no_key_of_many_parts(tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text(DOTTED)
    with no_more_memory_than(256 << 20), pytest.raises(EatlasError) as caught:
        eatlas.protocol("weat", answers=path)
    assert f"{path}: a key has too many parts" in str(caught.value)


def small_files(limit):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.mark.parametrize("limit", [0, 200_000])
def test_N15_a_full_disk_costs_the_cache_and_not_the_run(limit):
    computed, digest, said = Encoding(N, before=small_files(limit)).ended()
    assert (computed, digest) == (N, expected(N))
    assert len(said) == 1
    assert "computed vectors cannot be cached (" in said[0]
    assert "this run continues without" in said[0]
    some = kept()
    assert some < N


def test_N19_connections_on_which_nothing_comes_shut_nobody_out():
    with Served(app()) as page, ExitStack() as stack:
        parts = urlsplit(page.address)
        for i in range(100):
            stranger = socket.create_connection((parts.hostname, parts.port), timeout=60)
            stack.enter_context(stranger)
            stranger.sendall(b"GET /" * (i % 2))
        assert ask(page.address, "say", BODY).status == 200
        stranger = socket.create_connection((parts.hostname, parts.port), timeout=60)
        stack.enter_context(stranger)
        stranger.sendall(  # a body that never comes
            f"POST {parts.path}say HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            "Origin: http://evil.example\r\nContent-Length: 100\r\n\r\n".encode()
        )
        assert b" 403 " in stranger.recv(99)


def test_N22_closed_streams(tmp_path):
    command = f'"{sys.executable}" -m eatlas run --tests weat-6 --measure weat --frequency off --out here >&- 2>&- <&-'
    done = subprocess.run(command, shell=True, cwd=tmp_path, check=False)  # noqa: S602
    assert done.returncode == 0
    assert (tmp_path / "here" / "results.jsonl").exists()


def test_F36_missing_terms_are_counted_and_few_are_named():
    terms = [f"{'x' * 60}{i}" for i in range(3_000)]
    test = make_test().model_copy(update={"X": eatlas.Concept(name="X", terms=terms)})
    with pytest.warns(SourceWarning, match="12 of 3,012"), pytest.raises(EatlasError) as caught:
        eatlas.run(test, measures="weat(resamples=0)", frequency="off")
    assert "and 2,992 more" in str(caught.value)
    assert len(str(caught.value)) < 1_500


def test_F37_a_cache_that_another_process_has_locked_costs_the_cache_and_not_the_run(monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 0.05)
    cached(Letters()).encode(passages(10))
    with closing(sqlite3.connect(cache_folder() / NAME, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.warns(SourceWarning, match="this run continues without") as caught:
            given = cached(Letters()).encode(passages(N))
    assert len(caught) == 1
    assert digest_of(given, N) == expected(N)
