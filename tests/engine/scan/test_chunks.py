"""Finished chunks: kept to the last bit, whatever a kill or a bad disk did to the file."""

import errno
import os
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from filelock import FileLock
from tests.engine.scan.vocabularies import concepts, vocabulary

from eatlas.engine.scan import plan as plan_module
from eatlas.engine.scan.chunk import Chunks, measure_all
from eatlas.engine.scan.plan import make_scan
from eatlas.engine.store import left_by_others as others
from eatlas.errors import ResultsError

IDENTITY = "0123456789abcdef" * 4
ROWS = 7


@pytest.fixture(scope="module")
def chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_module, "ROWS", ROWS)
        kept = ChunkFolder()
        measure_all(make_scan(vocabulary(), concepts()), kept)
    assert len(kept) == 7
    return sorted(kept, key=lambda chunk: chunk.index)


class ChunkFolder(list):
    """Chunks as they come."""

    keep = list.append


def same(mine, other):
    for field in fields(mine):
        a, b = getattr(mine, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), field.name
        else:
            assert a == b, field.name
    return True


def store(out, chunks):
    with Chunks(out, IDENTITY) as file:
        for chunk in chunks:
            file.keep(chunk)


def file_of(out):
    (path,) = out.parent.glob(f".{out.name}.*.unfinished")
    return path


def test_what_was_kept_comes_back(tmp_path, chunks):
    out = tmp_path / "out.csv"
    odd = replace(chunks[1], words=["a\nb", '"', "🌹", "\ud800", "", "\x00", "x"])
    store(out, [chunks[2], odd])
    with Chunks(out, IDENTITY) as file:
        assert (len(file), file.words, 2 in file, 1 in file, 0 in file) == (
            2,
            14,
            True,
            True,
            False,
        )
        first, second = file
        assert same(first, odd)
        assert same(second, chunks[2])
        file.keep(chunks[0])
    with Chunks(out, IDENTITY) as file:
        assert [chunk.index for chunk in file] == [0, 1, 2]


def test_a_file_without_chunks_goes(tmp_path, chunks):
    out = tmp_path / "out.csv"
    store(out, [])
    assert list(tmp_path.iterdir()) == []
    with Chunks(out, IDENTITY) as file:
        file.keep(chunks[0])
        file.forget()
        assert (len(file), file.words, list(file)) == (0, 0, [])
    assert list(tmp_path.iterdir()) == []


def test_cut_at_any_byte_the_whole_chunks_stay(tmp_path, chunks):
    out = tmp_path / "out.csv"
    ends = []
    with Chunks(out, IDENTITY) as file:
        for chunk in chunks[:3]:
            file.keep(chunk)
            ends.append(file_of(out).stat().st_size)
    data = file_of(out).read_bytes()
    path = file_of(out)
    chance = np.random.default_rng(0)
    cuts = {0, 1, 40, *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:2])}
    for cut in cuts | set(chance.integers(0, len(data), 12).tolist()):
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends)
        with Chunks(out, IDENTITY) as file:
            assert [chunk.index for chunk in file] == list(range(whole))
            file.keep(chunks[4])
            assert same(list(file)[-1], chunks[4])
        path.write_bytes(data)


def test_a_changed_byte_costs_one_chunk_at_most(tmp_path, chunks):
    out = tmp_path / "out.csv"
    store(out, chunks[:3])
    path = file_of(out)
    data = path.read_bytes()
    chance = np.random.default_rng(1)
    for place in chance.integers(0, len(data), 20).tolist():
        changed = bytearray(data)
        changed[place] ^= 1 << chance.integers(8)
        path.write_bytes(changed)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with Chunks(out, IDENTITY) as file:
                found = list(file)
        assert all(same(chunk, chunks[chunk.index]) for chunk in found)
        # where a line end is changed two lines become one, or the last is none
        assert len(found) == 2 or (len(found) == 1 and data[place] == ord("\n"))
        assert len(said) == (place < len(data) - 1)
        path.write_bytes(data)


def test_a_file_of_something_else_is_begun_anew(tmp_path, chunks):
    out = tmp_path / "out.csv"
    store(out, chunks[:1])
    path = file_of(out)
    path.write_bytes(b"something else" * 100)
    with Chunks(out, IDENTITY) as file:
        assert len(file) == 0
        file.keep(chunks[0])
    with Chunks(out, IDENTITY) as file:
        assert len(file) == 1


def test_other_settings_have_a_file_of_their_own(tmp_path, chunks):
    out = tmp_path / "out [1]*.csv"
    store(out, chunks[:2])
    mine = file_of_odd = next(tmp_path.glob(".out*unfinished"))
    assert others(out, IDENTITY) == []
    assert others(out, "f" * 64) == [mine]
    with Chunks(out, "f" * 64) as file:
        assert len(file) == 0
    assert file_of_odd.exists()


def test_a_full_disk_loses_no_finished_chunk(tmp_path, chunks, monkeypatch):
    out = tmp_path / "out.csv"
    store(out, chunks[:2])
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[: len(data) // 2]))
    with Chunks(out, IDENTITY) as file:
        with pytest.raises(ResultsError) as caught:
            file.keep(chunks[2])
        assert str(caught.value) == (
            f"{file_of(out)}: finished words cannot be kept\n"
            f"  got: {os.strerror(errno.ENOSPC)}\n"
            "  remedy: free some space, or choose another place with --out; repeat the command to "
            "continue"
        )
    monkeypatch.undo()
    with Chunks(out, IDENTITY) as file:
        assert [chunk.index for chunk in file] == [0, 1]
        file.keep(chunks[2])
        assert len(list(file)) == 3


def test_two_scans_do_not_write_one_file(tmp_path):
    out = tmp_path / "out.csv"
    with Chunks(out, IDENTITY):
        with pytest.raises(ResultsError) as caught, Chunks(out, "f" * 64):
            pass
        assert str(caught.value) == (
            f"{out}: another scan is writing here\n"
            "  remedy: wait for it to end, or choose another place with --out"
        )
    assert list(tmp_path.iterdir()) == []
    lock = FileLock(tmp_path / ".out.csv.lock", timeout=0)
    with lock, pytest.raises(ResultsError), Chunks(out, IDENTITY):
        pass


def test_a_folder_that_is_not_there(tmp_path):
    (tmp_path / "file").write_text("")
    there = Chunks(tmp_path / "file" / "out.csv", IDENTITY)
    with pytest.raises(ResultsError, match=r"--out .*file/out.csv: cannot be written to"), there:
        pass


def test_passing_chunks_leave_nothing(tmp_path, chunks, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Chunks() as file:
        file.keep(chunks[3])
        file.keep(chunks[0])
        assert [chunk.index for chunk in file] == [0, 3]
        assert list(tmp_path.iterdir()) == []


def test_what_is_kept_names_all_that_it_depends_on(monkeypatch):
    source, groups = vocabulary(), concepts()
    many = vocabulary(30, 10, 10, 12), concepts(10, 10)
    same_plan = make_scan(source, groups).identity
    assert make_scan(vocabulary(), concepts(), "sc-eat(alpha=0.01)", seed=3).identity == same_plan
    others = [
        make_scan(vocabulary(seed=4), groups),
        make_scan(source, groups[::-1]),
        make_scan(source, (groups[0], ["b0", "b1", "b2"])),
        make_scan(source, groups, "sc-eat(ddof=0)"),
        make_scan(source, groups, first=10),
        make_scan(*many),
        make_scan(*many, seed=1),
    ]
    names = {same_plan, *(other.identity for other in others)}
    monkeypatch.setattr(plan_module, "ROWS", ROWS)
    names.add(make_scan(source, groups).identity)
    monkeypatch.setattr(plan_module, "__version__", "9.9.9")
    names.add(make_scan(source, groups).identity)
    assert len(names) == len(others) + 3
