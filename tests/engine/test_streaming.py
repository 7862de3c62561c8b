"""Results in a store: the same as in a list, resumed, bounded in memory, and safe to read."""

import gc
import json
import shutil
import signal
import subprocess
import sys
import time

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import eatlas
from eatlas.engine import streaming
from eatlas.engine.plan import prepare
from eatlas.errors import EatlasWarning, ResultsError
from eatlas.results import AssociationResult
from eatlas.results import parquet as layout
from eatlas.results import scan as scanning
from eatlas.results.collection import find_runs
from eatlas.results.scan import ResultsScan

TESTS = ["weat-6", "weat-7", "weat-8"]
MEASURES = ["ml-eat(resamples=0,frequency=off)", "sc-eat", "mac"]
QUICK = "weat(resamples=0,frequency=off,adjust=none)"
SOURCES = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}


def without_run(results):
    """Records without the run that they are of."""
    return [
        each.model_copy(update={"provenance": each.provenance.model_copy(update={"run": None})})
        for each in results
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store that tests only read."""
    path = tmp_path_factory.mktemp("store") / "results.parquet"
    eatlas.run(TESTS, SOURCES, MEASURES, store=path)
    return path


@pytest.fixture(scope="module")
def store_of_two(tmp_path_factory):
    """The same results in a store of two workers."""
    path = tmp_path_factory.mktemp("store") / "two.parquet"
    eatlas.run(TESTS, SOURCES, MEASURES, workers=2, store=path)
    return path


@pytest.fixture(scope="module")
def listed():
    """The same results in a list."""
    return eatlas.run(TESTS, SOURCES, MEASURES)


def test_records_and_frame_are_those_of_a_list(store, listed):
    scan = eatlas.Results.scan(store)
    assert len(scan) == len(listed)
    assert without_run(scan.read()) == without_run(listed)
    assert eatlas.read_results(store) == scan.read()
    expected = listed.to_frame("all")
    assert {"supported", "these words"} <= set(expected["verdict"].dropna())
    pd.testing.assert_frame_equal(scan.to_frame("all"), expected, check_exact=True)
    assert scan.columns == list(expected.columns)


def test_verdicts_are_adjusted_over_all_tests_whichever_rows_are_selected(store, listed):
    scan, whole = eatlas.Results.scan(store), listed.to_frame("all")
    chosen = whole[(whole["test"] == "weat-8") & (whole["effect_size"] < 1)]
    where = ["test=weat-8", "effect_size<1"]
    columns = ["source", "p_claim", "verdict", "verdict_X"]
    found = scan.to_frame(columns, where)
    pd.testing.assert_frame_equal(found, chosen[columns].reset_index(drop=True), check_exact=True)
    records = scan.read(where)
    assert {each.test for each in records} == {"weat-8"}


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("measure=mac", 6),
        ("measure!=mac", 12),
        (["measure=mac", "source=plain"], 3),
        ("effect_size>=1.5", 2),
        ("effect_size>99", 0),
    ],
)
def test_conditions(store, where, count):
    assert len(eatlas.Results.scan(store).read(where)) == count


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_lazy_columns_are_those_that_are_stored(tmp_path, monkeypatch, backend):
    path = tmp_path / "results.parquet"
    eatlas.run(TESTS, "glove-sample", "mac", store=path)
    scan = eatlas.run(TESTS, SOURCES, QUICK, store=path)
    assert len({tuple(parquet.read_schema(part).names) for part in scan.parts}) == 2
    monkeypatch.setattr(scanning, "find_spec", lambda name: None if name != backend else name)
    lazy = scan.lazy()
    assert isinstance(lazy.to_native(), pl.LazyFrame if backend == "polars" else pa.Table)
    assert lazy.collect_schema().names() == scan.columns
    chosen = lazy.filter(nw.col("measure") == "weat").select("test", "source", "verdict")
    alone = [(each.test, each.source, each.finding.verdict) for each in scan.read("measure=weat")]
    assert chosen.collect().rows() == alone
    assert lazy.collect().shape == scan.to_frame("all").shape


def test_a_store_without_results_has_no_lazy_columns(tmp_path):
    path = tmp_path / "results.parquet"
    eatlas.run(TESTS[:1], "glove-sample", QUICK, store=path)
    for part in ResultsScan(path).parts:
        part.unlink()
    with pytest.raises(ResultsError, match="the store has no results"):
        ResultsScan(path).lazy()


def test_workers_write_the_same(store, store_of_two):
    one, two = ResultsScan(store), ResultsScan(store_of_two)
    assert len(two.parts) == 2
    assert two.run == one.run
    assert list(two) == list(one)


def test_jobs_of_a_single_source_are_divided(tmp_path):
    scan = eatlas.run(TESTS, "glove-sample", QUICK, workers=2, store=tmp_path / "a.parquet")
    assert sorted(scan.to_frame(["test"])["test"]) == TESTS


def test_what_is_there_is_not_done_again(tmp_path, monkeypatch):
    path, measured = tmp_path / "results.parquet", []
    perform = streaming.perform
    monkeypatch.setattr(streaming, "perform", lambda job: measured.append(job) or perform(job))
    first = eatlas.run(TESTS, {"plain": "glove-sample"}, QUICK, store=path)
    before = {part: part.read_bytes() for part in first.parts}
    again = eatlas.run(TESTS, SOURCES, QUICK, store=path)
    assert (len(measured), len(first), len(again)) == (6, 3, 6)
    assert all(part.read_bytes() == data for part, data in before.items())
    assert again.run == eatlas.run(TESTS, SOURCES, QUICK, store=tmp_path / "new.parquet").run


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a signal of Unix")
def test_a_killed_run_leaves_whole_parts_and_is_continued(tmp_path):
    path = tmp_path / "results.parquet"
    script = (
        "import eatlas; from eatlas.results import parquet; parquet.RESULTS_OF_A_PART = 2\n"
        f"eatlas.run('caliskan', {SOURCES!r}, {QUICK!r}, store={str(path)!r})"
    )
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        before = len(list(path.glob("part-*")))
        for _ in range(3000):
            if len(list(path.glob("part-*"))) > before or process.poll() is not None:
                break
            time.sleep(0.02)
        process.kill()
        process.wait()
        scan = ResultsScan(path)
        assert len(list(scan)) == len(scan) > 0
    scan = eatlas.run("caliskan", SOURCES, QUICK, store=path)
    assert len(scan) == 20
    assert not list(path.glob(".part*"))
    key = ["source", "test"]
    expected = (
        eatlas.run("caliskan", SOURCES, QUICK).to_frame("all").sort_values(key, ignore_index=True)
    )
    found = scan.to_frame("all").sort_values(key, ignore_index=True)
    expected = expected.astype(found.dtypes)  # p_claim, undefined in all, is None in a list
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_memory_holds_no_more_results_than_a_part(tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "RESULTS_OF_A_PART", 3)
    monkeypatch.setattr(streaming, "RESULTS_OF_A_PART", 3)
    terms = {term.lower() for test in eatlas.load_tests(TESTS) for term in test.terms}
    sources = {
        f"random {seed}": dict(
            zip(terms, np.random.default_rng(seed).normal(size=(len(terms), 5)), strict=True)
        )
        for seed in range(12)
    }
    alive = []

    def count(done, total):
        gc.collect()
        alive.append(sum(isinstance(each, AssociationResult) for each in gc.get_objects()))

    before = sum(isinstance(each, AssociationResult) for each in gc.get_objects())
    plan = prepare(TESTS, QUICK)
    streaming.run_into_store(tmp_path / "a.parquet", plan, sources, progress=count)
    assert len(alive) == 12
    assert max(alive) - before <= 3


def test_a_source_that_cannot_be_opened_costs_no_other(tmp_path):
    path = tmp_path / "results.parquet"
    sources = {"plain": "glove-sample", "lost": "lost.txt"}
    with pytest.warns(EatlasWarning, match="3 of 6 jobs failed"):
        scan = eatlas.run(TESTS, sources, QUICK, store=path)
    (failure,) = scan.failures
    assert (failure["source"], len(scan)) == ("lost", 3)
    assert "there is no such file" in failure["error"]
    with pytest.raises(eatlas.EatlasError, match="no such file"):
        eatlas.run(TESTS, ["lost.txt", "glove-sample"], QUICK, store=tmp_path / "b.parquet")
    assert not (tmp_path / "b.parquet").exists()


def test_missing_results_are_noticed(store, store_of_two, tmp_path, listed):
    scan = ResultsScan(store)
    assert scan.run_found().whole
    (found,) = find_runs(scan)
    assert found == scan.run_found()
    two = ResultsScan(shutil.copytree(store_of_two, tmp_path / "two.parquet"))
    two.parts[0].unlink()
    left = ResultsScan(two.path).run_found()
    assert (left.here, left.results, left.whole) == (len(listed) // 2, len(listed), False)


def test_other_readers(store):
    table = dataset.dataset(store).to_table(columns=["test", "source"])
    frame = pd.read_parquet(store, columns=["test", "source"])
    assert table.to_pylist() == frame.to_dict("records")
    lazy = pl.scan_parquet(store / "*.parquet").filter(pl.col("measure") == "mac")
    assert lazy.collect().height == len(ResultsScan(store).to_frame(["test"], "measure=mac"))


def test_columns_of_other_measures_and_kinds_are_joined(tmp_path):
    path = tmp_path / "results.parquet"
    eatlas.run("weat-6", measures="mac", store=path)
    eatlas.run("weat-6", measures=QUICK, store=path)
    scan = eatlas.run("weat-6", {"named": "glove-sample"}, "sc-eat", store=path)
    frame = scan.to_frame("all")
    assert len(scan.parts) == 3
    assert scan.first_rows(["source_from"])["source_from"].isna().tolist() == [True, True, False]
    assert len(frame) > len(scan) == 3
    assert len(scan.first_rows(["measure"])) == 3


# --- what a stranger's file holds -----------------------------------------------------------------


def rewrite(store, path, **columns):
    """Copy a store with other values in columns."""
    path.mkdir()
    for part in ResultsScan(store).parts:
        table = parquet.read_table(part, partitioning=None)
        for name, change in columns.items():
            values = [None if v is None else change(v) for v in table[name].to_pylist()]
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(values, table[name].type))
        parquet.write_table(table, path / part.name)
    return path


def test_a_changed_record_is_refused(store, tmp_path):
    path = rewrite(store, tmp_path / "a.parquet", _record=lambda line: line.replace("0.", "1."))
    assert len(ResultsScan(path)) == 18
    with pytest.raises(ResultsError, match="row 1: this record is not as it was written"):
        list(ResultsScan(path))


def test_a_record_that_is_no_result_is_refused(store, tmp_path):
    line = json.dumps({"schema": "eatlas/result/1", "measure": "weat"})
    digest = layout.sha256(line.encode()).hexdigest()
    changes = {"_record": lambda _: line, "_sha256": lambda _: digest}
    path = rewrite(store, tmp_path / "a.parquet", **changes)
    with pytest.raises(ResultsError, match="row 1: this result lacks a key"):
        eatlas.read_results(path)


def test_a_file_that_expands_is_refused(store, tmp_path):
    long = "x" * (1 << 20)
    digest = layout.sha256(long.encode()).hexdigest()
    table = parquet.read_table(ResultsScan(store).parts[0], partitioning=None).slice(0, 1)
    rows = pa.table({
        name: pa.array([
            {"_record": long, "_sha256": digest, "source": long}.get(name, table[name][0].as_py())
        ] * 400, table[name].type)
        for name in table.column_names
    })  # fmt: skip
    path = tmp_path / "a.parquet"
    parquet.write_table(rows, path, compression="zstd")
    assert path.stat().st_size < 1 << 20
    with pytest.raises(ResultsError, match="expands to far more data"):
        ResultsScan(path).to_frame(["source"])
    with pytest.raises(ResultsError, match="not JSON|expands"):
        list(ResultsScan(path))


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"{}\n"])
def test_a_damaged_file_is_named(store, tmp_path, content):
    path = rewrite(store, tmp_path / "a.parquet")
    (path / "part-009-000000-0000.parquet").write_bytes(content)
    with pytest.raises(ResultsError, match=r"part-009\S+: the file is damaged"):
        ResultsScan(path)


@pytest.mark.parametrize("content", ["[]", "{", '{"run": {"id": 1}}', " " * 20_000])
def test_damaged_files_beside_parts_are_named(store, tmp_path, content):
    path = rewrite(store, tmp_path / "a.parquet")
    (path / layout.RUN).write_text(content, encoding="utf-8")
    (path / layout.FAILURES).write_text("none", encoding="utf-8")
    scan = ResultsScan(path)
    with pytest.raises(ResultsError, match="_run.json"):
        list(scan)
    with pytest.raises(ResultsError, match="_failures.jsonl"):
        _ = scan.failures


def test_columns_of_other_types_are_refused(store, tmp_path):
    path = tmp_path / "a.parquet"
    table = parquet.read_table(ResultsScan(store).parts[0], partitioning=None)
    for name in ("_setting", "_question", "_identity"):
        place, values = table.column_names.index(name), ["not a number"] * len(table)
        parquet.write_table(table.set_column(place, name, pa.array(values)), path)
        scan = ResultsScan(path)
        with pytest.raises(ResultsError, match="a.parquet: the file is damaged"):
            scan.to_frame("all"), scan.make_run(), scan.identities()


def test_mistakes(store, tmp_path, monkeypatch):
    with pytest.raises(ResultsError, match="there is no such store"):
        ResultsScan(tmp_path / "none.parquet")
    pd.DataFrame({"test": ["a"]}).to_parquet(tmp_path / "frame.parquet")
    with pytest.raises(ResultsError, match="does not hold results"):
        ResultsScan(tmp_path / "frame.parquet")
    scan = ResultsScan(store)
    with pytest.raises(ResultsError, match="no such column") as caught:
        scan.to_frame(["vedict"])
    assert caught.value.remedy == "did you mean verdict?"
    for where, message in (("test", "not a condition"), ("effect_size>big", "has numbers")):
        with pytest.raises(ResultsError, match=message):
            scan.to_frame(where=where)
    with pytest.raises(ResultsError, match="too many results"):
        scan.read(most=5)
    for name, message in (("a.jsonl", "ends in .parquet"), ("frame.parquet", "this is a file")):
        with pytest.raises(ResultsError, match=message):
            eatlas.run("weat-6", measures=QUICK, store=tmp_path / name)
    (tmp_path / "other.parquet").mkdir()
    (tmp_path / "other.parquet" / "mine.txt").touch()
    with pytest.raises(ResultsError, match="this folder has other files"):
        eatlas.run("weat-6", measures=QUICK, store=tmp_path / "other.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResultsError, match="pyarrow is needed") as caught:
        eatlas.run("weat-6", measures=QUICK, store=tmp_path / "new.parquet")
    assert caught.value.remedy == "pip install 'eatlas[files]'"


def test_two_runs_cannot_write_at_once(store):
    with (
        streaming._open_store(store.with_name("locked.parquet")),
        pytest.raises(ResultsError, match="another run is writing here"),
    ):
        eatlas.run("weat-6", measures=QUICK, store=store.with_name("locked.parquet"))
    assert not (store.with_name("locked.parquet") / streaming.LOCK).exists()
