"""Finished chunks: kept to the last bit, whatever a kill or a bad disk did to the file."""

from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.scan.vocabularies import concepts, vocabulary

import eatlas
from eatlas.engine.store import leftover_files as others
from eatlas_vocabulary.engine import scan as module
from eatlas_vocabulary.engine.scan import Chunks, make_scan, measure_all

IDENTITY = "0123456789abcdef" * 4
ROWS = 7


@pytest.fixture(scope="module")
def chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS", ROWS)
        plan = make_scan(vocabulary(), concepts())
        kept = Chunks(plan)
        measure_all(plan, kept)
    assert len(kept.done) == 7
    return [kept.done[index] for index in range(7)]


def same(mine, other):
    for field in fields(mine):
        a, b = getattr(mine, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), field.name
        else:
            assert a == b, field.name
    return True


def chunks_of(out, identity=IDENTITY):
    return Chunks(SimpleNamespace(out=out, identity=identity))


def store(out, chunks):
    with chunks_of(out) as file:
        for chunk in chunks:
            file.keep(chunk.index, chunk)


def test_what_was_kept_comes_back(tmp_path, chunks):
    out = tmp_path / "out.csv"
    odd = replace(chunks[1], words=["a\nb", '"', "🌹", "\ud800", "", "\x00", "x"])
    store(out, [chunks[2], odd])
    with chunks_of(out) as file:
        assert (sorted(file.done), file.n_finished) == ([1, 2], 14)
        assert same(file.done[1], odd)
        assert same(file.done[2], chunks[2])
        file.keep(0, chunks[0])
    with chunks_of(out) as file:
        assert sorted(file.done) == [0, 1, 2]


def test_other_settings_have_a_file_of_their_own(tmp_path, chunks):
    out = tmp_path / "out [1]*.csv"
    store(out, chunks[:2])
    mine = file_of_odd = next(tmp_path.glob(".out*unfinished"))
    assert others(out, IDENTITY) == []
    assert others(out, "f" * 64) == [mine]
    with chunks_of(out, "f" * 64) as file:
        assert not file.done
    assert file_of_odd.exists()


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
    monkeypatch.setattr(module, "ROWS", ROWS)
    names.add(make_scan(source, groups).identity)
    monkeypatch.setattr(module, "__version__", "9.9.9")
    names.add(make_scan(source, groups).identity)
    assert len(names) == len(others) + 3


def test_a_scan_shows_its_progress():
    told = []
    eatlas.scan("glove-sample", "weat-6", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (10_496, 10_496)
