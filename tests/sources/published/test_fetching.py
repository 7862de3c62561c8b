"""Fetch from a real server: what comes is whole, checked, recorded, and comes once."""

import gzip
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from tests.inputs import wait_until
from tests.sources.published.serving import Publisher, register, serving, sha256, text_of, zip_of
from tests.sources.series_files import write_histwords

from eatlas import fetch_vectors, open_vectors
from eatlas.errors import SourceError
from eatlas.sources import downloads, open_sources
from eatlas.sources.download import find
from eatlas.sources.downloads import CHUNK


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(downloads, "PAUSE", 0)


MANY = text_of([f"w{number}" for number in range(500)], dim=5)


def serve(publisher, data, content=MANY, **more):
    """Serve a file, and list it as vectors called mine."""
    publisher.files["mine.vec"] = content
    register(data, publisher.url, "mine.vec", {"name": "mine", "title": "t"}, **more)


def left_over(data):
    return sorted(p.name for p in data.iterdir() if p.suffix not in {".hash", ".lock", ".toml"})


def test_an_archive_with_two_sets_comes_once(publisher, data):
    files = {"tiny.3d.txt": text_of(), "tiny.5d.txt": text_of(dim=5)}
    archive = publisher.files["tiny.zip"] = zip_of({**files, "more/readme.txt": b"no vectors"})
    sets = [{"name": n.removesuffix(".txt"), "title": "t", "member": n} for n in files]
    register(data, publisher.url, "tiny.zip", *sets, hash=sha256(archive), size=len(archive))
    path = fetch_vectors("tiny.3d")
    assert path == data / "tiny.3d" / "tiny.3d.txt"
    assert path.read_bytes() == files["tiny.3d.txt"]
    assert fetch_vectors("tiny.5d").read_bytes() == files["tiny.5d.txt"]
    assert publisher.asked == [None]
    assert left_over(data) == ["tiny.3d", "tiny.5d"]


@pytest.mark.parametrize("file", ["plain.vec", "packed.vec.gz"])
def test_a_file_by_name(publisher, data, file):
    publisher.files[file] = gzip.compress(MANY) if file.endswith(".gz") else MANY
    register(data, publisher.url, file, {"name": "mine", "title": "t"})
    path = fetch_vectors("mine")
    assert path.read_bytes() == MANY
    source = open_vectors("mine?encoding=utf-8")
    assert (source.name, source.dim) == ("mine?encoding=utf-8", 5)
    np.testing.assert_array_equal(
        source.lookup(["w7"])["w7"], open_vectors(path).lookup(["w7"])["w7"]
    )
    assert left_over(data) == ["mine"]


def test_a_series(publisher, data, tmp_path):
    decades = {year: {"sun": [1.0, 0.0], "moon": [0.0, year]} for year in (1980, 1990)}
    folder = write_histwords(tmp_path / "made", decades)
    held = {f"sgns/{path.name}": path.read_bytes() for path in folder.iterdir()}
    publisher.files["hist.zip"] = zip_of(
        {**held, "sgns/README": b"no vectors", "__MACOSX/._1990-w.npy": b"x"}
    )
    register(data, publisher.url, "hist.zip", {"name": "hist", "title": "t", "kind": "series"})
    path = fetch_vectors("hist")
    assert sorted(p.name for p in path.iterdir()) == sorted(p.name for p in folder.iterdir())
    periods = open_sources("hist?from=1985")
    assert [(each.name, each.period) for each in periods] == [("hist?from=1985", 1990)]
    assert [each.period for each in open_sources("hist")] == [1980, 1990]
    assert open_vectors("hist?period=1980").lookup(["moon"])["moon"][1] == 1980


def test_a_broken_connection_goes_on_where_it_stopped(publisher, data):
    publisher.cuts = [1000, 2000]
    serve(publisher, data, hash=sha256(MANY))
    seen = []
    path = fetch_vectors("mine", watch=lambda *now: seen.append(now))
    assert path.read_bytes() == MANY
    assert publisher.asked == [None, "bytes=1000-", "bytes=3000-"]
    assert seen[-1] == (len(MANY), len(MANY))


def test_a_process_that_is_killed_leaves_what_came(publisher, data):
    large = MANY * (1 + 3 * CHUNK // len(MANY))
    publisher.hold, publisher.stall = threading.Event(), 2 * CHUNK + 1000
    serve(publisher, data, large)
    left = data / "mine" / ".mine.vec.unpacking"
    left.mkdir(parents=True)
    (left / "vectors").write_bytes(b"of another process that was killed")
    command = [sys.executable, "-m", "eatlas", "vectors", "fetch", "mine"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        part = data / "mine.vec.part"
        wait_until(
            lambda: (
                (part.exists() and part.stat().st_size == 2 * CHUNK) or process.poll() is not None
            )
        )
        process.kill()
    publisher.hold.set()
    publisher.hold, publisher.stall, publisher.asked = None, None, []
    assert fetch_vectors("mine").read_bytes() == large
    assert publisher.asked == [f"bytes={2 * CHUNK}-"]
    assert [path.name for path in (data / "mine").iterdir()] == ["mine.vec"]


@pytest.mark.parametrize(
    ("length", "ranges"), [("shorter", True), ("same", True), ("longer", False)]
)
def test_a_file_that_changed_is_begun_anew(publisher, data, ranges, length):
    new = {"shorter": MANY[:900], "same": MANY[::-1], "longer": MANY + MANY}[length]
    publisher.cuts = [1500, *[0] * 9]
    serve(publisher, data)
    with pytest.raises(SourceError):
        fetch_vectors("mine")
    publisher.files["mine.vec"], publisher.etag = new, '"two"'
    publisher.cuts, publisher.ranges = [], ranges
    assert fetch_vectors("mine").read_bytes() == new


REFUSED = [
    ({"status": 404}, {"page": "https://a.org"}, "mine.vec cannot be downloaded\n  got: 404 Not Found\n  remedy: see https://a.org; or download the file yourself"),
    ({"type": "text/html"}, {}, "mine.vec cannot be downloaded\n  got: a web page, as of a login of the network"),
    ({}, {"hash": sha256(b"other")}, f"mine.vec serves is not the file that was published\n  got: {sha256(MANY)[7:]}\n  allowed: {sha256(b'other')[7:]}\n  remedy: get it again"),
]  # fmt: skip


@pytest.mark.parametrize(("server", "entry", "message"), REFUSED)
def test_what_is_refused_and_removed(publisher, data, server, entry, message):
    vars(publisher).update(server)
    serve(publisher, data, **entry)
    with pytest.raises(SourceError) as caught:
        fetch_vectors("mine")
    assert message in str(caught.value)
    assert publisher.asked == [None]
    assert left_over(data) == []


def test_no_network_and_on_by_hand(data):
    with serving(Publisher()) as gone:
        pass
    register(data, gone.url, "mine.vec", {"name": "mine", "title": "t"}, hash=sha256(MANY))
    with pytest.raises(SourceError) as caught:
        fetch_vectors("mine")
    assert caught.value.got == "Connection refused"
    assert f"{data / 'mine.vec'} and run eatlas vectors fetch mine" in caught.value.remedy
    (data / "mine.vec").write_bytes(MANY[:-1])
    with pytest.raises(
        SourceError, match="mine.vec: this file is not the file that was published\n"
    ):
        fetch_vectors("mine")
    assert (data / "mine.vec").exists()
    (data / "mine.vec").write_bytes(MANY)
    assert fetch_vectors("mine").read_bytes() == MANY
    assert (data / "mine.vec").exists()  # whoever put it there may remove it


def test_two_processes_fetch_once(publisher, data):
    publisher.hold = threading.Event()
    serve(publisher, data)
    command = [sys.executable, "-m", "eatlas", "vectors", "fetch", "mine"]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: publisher.asked or first.poll() is not None)
    second = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = second.stderr.readline()
    publisher.hold.set()
    for process in (first, second):
        out, _ = process.communicate(timeout=600)
        assert (process.returncode, out) == (0, f"mine: {data / 'mine' / 'mine.vec'}\n")
    assert line == "mine: another process is fetching this file; waiting for it\n"
    assert publisher.asked == [None]


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"readme.txt": b"x"}, "the archive has no such member"),
        (
            {"a/mine.txt": b"x" * (66 << 20)},
            "it expands to far more data than a file of its size should",
        ),
    ],
)
def test_an_archive_that_is_not_what_it_should_be(publisher, data, held, message):
    publisher.files["mine.zip"] = zip_of(held)
    register(
        data, publisher.url, "mine.zip", {"name": "mine", "title": "t", "member": "a/mine.txt"}
    )
    with pytest.raises(SourceError, match=message):
        fetch_vectors("mine")
    assert not any(path.is_file() for path in (data / "mine").iterdir())


def test_a_way_from_https_to_http_is_not_taken(data):
    register(data, "https://example.org", "mine.vec", {"name": "mine", "title": "t"})
    answer = SimpleNamespace(status_code=200, url="http://example.org/mine.vec", headers={})
    with pytest.raises(SourceError, match="the server leads from https to http://example.org"):
        downloads._write(find("mine"), answer, None)
