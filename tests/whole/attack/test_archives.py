"""Arrays, tables and pickles of others: a few kilobytes that stand for gigabytes, or for code."""

import io
import json
import struct
import tarfile
import warnings
import zipfile

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.inputs import make_test
from tests.sources.files.faults import fault, no_more_memory_than, written
from tests.sources.files.writers import VECTORS
from tests.whole.attack.bounded import ends_within

import eatlas
from eatlas.errors import EatlasError
from eatlas.sources.tables import table_cells
from eatlas_corpora.sources.parts import (
    ARRAYS,
    KEY,
    MOST_BLOCKS,
    MOST_PARTS,
    SCHEMA,
    is_parts,
    read_parts,
)
from eatlas_vocabulary.results.scan import COLUMNS, read_words
from eatlas_vocabulary.stimuli.collections import import_tests

GROWS = "it expands to far more data than a file of its size should"
TEST = make_test()
TERMS = TEST.terms


# --- parts of a corpus ----------------------------------------------------------------------------

FILE = {
    "file": "a.jsonl",
    "size": 9,
    "ends_sha256": "0" * 64,
    "texts": 8,
    "damaged": 0,
    "skipped": {},
}
ABOUT = {
    "schema": SCHEMA, "terms": list(TERMS), "version": "1.0", "parts": ["a", "b"], "years": [1990, 1991],
    "documents": [8, 8], "blocks": [3, 3], "units": [[], []], "by": "year", "resample": "",
    "targets": list(TERMS), "tests": ["t"], "source": "glove-sample", "source_fingerprint": "x",
    "ranks": {"in": "glove", "size": 99, "of": {term: i + 1 for i, term in enumerate(TERMS)}},
    "window": 6, "stop_words": ["the"], "case": "auto", "language": "",
    "transformation": {"quality": 0.9, "words": 50}, "words": 90, "known": 80, "repeats": 0, "left_out": {},
    "corpus": {"corpus_sha256": "0" * 64, "files": [FILE], "damaged": []},
}  # fmt: skip
D = 4


def sound():
    """Arrays in which each term is in each block of two parts."""
    rng = np.random.default_rng(1)
    rows = np.array(
        [(p, b, t, 0) for p in range(2) for b in range(3) for t in range(len(TERMS))], np.int32
    )
    sums = rng.normal(size=(len(rows), D)).astype(np.float32)
    published = rng.normal(size=(len(TERMS), D)).astype(np.float32)
    matrix = np.eye(D, dtype=np.float32)
    return dict(zip(ARRAYS, (rows, sums, np.ones(len(rows), int), matrix, published), strict=True))


def parts(folder, about=None, **arrays):
    """A file of parts, with some changes."""
    said = ABOUT | {"about": None}
    said.pop("about")
    text = json.dumps(said | about if isinstance(about, dict) else said if about is None else about)
    made = sound() | arrays
    np.savez_compressed(
        folder / "parts.npz",
        **{KEY: np.array(text)},
        **{n: a for n, a in made.items() if a is not None},
    )
    return folder / "parts.npz"


def said_of(path):
    """What a run says of a file of parts, in which no warning is of ours."""
    with warnings.catch_warnings(), ends_within(), no_more_memory_than(600 << 20):
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(EatlasError) as caught:
            eatlas.run(TEST, path, measures="weat(resamples=0)", frequency="off")
    assert len(str(caught.value)) < 1000
    return str(caught.value).replace(str(path), "FILE")


DAMAGED = "FILE: the file of parts is damaged, or of a kind that cannot be read\n  got: "


def test_A7_sound_parts_are_read(tmp_path):
    path = parts(tmp_path)
    assert is_parts(path)
    assert read_parts(path).sha256 == read_parts(parts(tmp_path)).sha256
    assert [one.period for one in eatlas.run(TEST, path, measures="weat(resamples=0)")] == [
        1990,
        1991,
    ]


@pytest.mark.parametrize(
    ("about", "got"),
    [
        ([1, 2], "eatlas_parts is not a JSON object"),
        ({"schema": "eatlas/parts/9"}, None),
        ({"terms": None}, "terms: no list of texts"),
        ({"terms": [1, 2]}, "terms: no list of texts"),
        ({"terms": [TERMS[0]] * len(TERMS)}, "a term occurs twice"),
        ({"terms": list(TERMS[1:])}, "published: float32, shape "),
        ({"parts": {"a": 1}}, "parts: input should be a valid list"),
        ({"parts": [[1], [2]]}, "parts, number 1: input should be a valid string"),
        ({"parts": ["a", "a"]}, "parts has a value twice"),
        ({"parts": [f"p{i}" for i in range(MOST_PARTS + 1)]}, "parts: list should have at most 200 items"),
        ({"parts": []}, "parts: "),
        ({"years": "x"}, "years: input should be a valid list"),
        ({"years": {"0": 1}}, "years: input should be a valid list"),
        ({"years": [1]}, "years of 1 parts, where there are 2"),
        ({"years": [10**400, 1]}, "years, number 1: input should be less than or equal to 9999"),
        ({"years": [1, 1]}, "years has a value twice"),
        ({"documents": "x"}, "documents: "),
        ({"documents": [8]}, "documents of 1 parts, where there are 2"),
        ({"blocks": [3, 10**12]}, f"blocks, number 2: input should be less than or equal to {MOST_BLOCKS}"),
        ({"blocks": [2, 3]}, "rows: a part, block, term or tier that is not there"),
        ({"blocks": "x"}, "blocks: "),
        ({"units": [[]]}, "units of 1 parts"),
        ({"resample": {"a": 1}}, "resample: "),
        ({"targets": 5}, "targets: "),
        ({"targets": [[1]]}, "targets, number 1: "),
        ({"ranks": 7}, "ranks"),
        ({"ranks": {"of": 5}}, "ranks"),
        ({"ranks": {"in": "x", "size": 1, "of": {"love": 2}}}, "ranks: a rank is beyond the number of words"),
        ({"ranks": {"in": "x", "size": 9, "of": {"love": 0}}}, "ranks"),
        ({"corpus": 3}, "corpus: "),
        ({"corpus": eval("[" * 60 + "]" * 60)}, "corpus: "),  # noqa: S307
        ({"transformation": {"quality": "x", "words": 1}}, "transformation.quality: "),
        ({"transformation": {"quality": float("nan"), "words": 1}}, "transformation.quality: "),
        ({"source": None}, "source: "),
        ({"more": 1}, "more: unknown key"),
    ],
)  # fmt: skip
def test_A7_what_is_said_of_parts_is_of_its_kind(tmp_path, about, got):
    form = "FILE: an unknown version of the file\n  got: 'eatlas/parts/9'"
    assert (DAMAGED + got if got else form) in said_of(parts(tmp_path, about))


def test_A7_what_is_said_is_json_of_some_depth(tmp_path):
    path = tmp_path / "parts.npz"
    for text, got in (
        ("[" * 100_000, "values that are nested too deep"),
        ("{", "Expecting property"),
    ):
        np.savez(path, **{KEY: np.array(text)}, **sound())
        assert DAMAGED + got in said_of(path)
    np.savez(path, **{KEY: np.array(["a", "b"])}, **sound())
    assert DAMAGED in said_of(path)


GOOD = sound()
ROWS, SUMS = GOOD["rows"], GOOD["sums"]


@pytest.mark.parametrize(
    ("arrays", "got"),
    [
        ({"rows": None}, "no array rows"),
        ({"rows": -ROWS}, "rows: a part, block, term or tier that is not there"),
        ({"rows": np.full_like(ROWS, 2**31 - 1)}, "rows: a part, block, term or tier that is not there"),
        ({"rows": ROWS.astype(float)}, "rows: float64"),
        ({"rows": ROWS[::-1]}, "rows: they are not in order, or one is twice"),
        ({"rows": ROWS[:, :2]}, "rows: int32, shape (96, 2), where there should be whole numbers, shape (96, 4)"),
        ({"sums": np.full_like(SUMS, np.nan)}, "sums and matrix: numbers up to nan and 1"),
        ({"sums": np.full_like(SUMS, np.inf)}, "sums and matrix: numbers up to inf and 1"),
        ({"sums": np.full_like(SUMS, 3e38)}, "sums and matrix: numbers up to 3e+38 and 1"),
        ({"sums": SUMS[0]}, "sums: float32, shape (4,)"),
        ({"sums": np.full(SUMS.shape, "a")}, "sums: <U1"),
        ({"counts": -GOOD["counts"]}, "counts: not all of them are from 0"),
        ({"counts": np.full_like(GOOD["counts"], 2**62)}, "counts: not all of them are from 0"),
        ({"counts": GOOD["counts"][:3]}, "counts: int64, shape (3,)"),
        ({"matrix": np.eye(D)[0]}, "matrix: float64, shape (4,)"),
        ({"matrix": np.float64(1)}, "matrix: float64, shape ()"),
        ({"matrix": np.eye(D)[:2]}, "matrix: float64, shape (2, 4)"),
        ({"matrix": np.full((D, D), np.nan)}, "sums and matrix: "),
        ({"matrix": np.full((D, D), 1e30)}, "sums and matrix: "),
        ({"published": GOOD["published"][:2]}, "published: float32, shape (2, 4)"),
        ({"published": np.full_like(GOOD["published"], np.inf)}, "published: numbers that are not finite"),
    ],
)  # fmt: skip
def test_A7_arrays_of_parts_fit_each_other(tmp_path, arrays, got):
    assert DAMAGED + got in said_of(parts(tmp_path, **arrays))


def test_A7_nothing_is_taken_beyond_the_size_of_the_file(tmp_path):
    path = parts(tmp_path, sums=np.zeros((200_000, 100), np.float32))
    assert is_parts(path)
    assert f"FILE: {GROWS}\n  got: 80," in said_of(path)
    path = parts(tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.npy", bytes(70 << 20))
    assert f"FILE: {GROWS}" in said_of(path)


def test_A7_no_code_of_parts_runs(tmp_path):
    class Runs:
        def __reduce__(self):
            return (tmp_path / "it ran").mkdir, ()

    for name in (KEY, "rows"):
        np.savez(
            tmp_path / "parts.npz", **(sound() | {KEY: np.array("{}")} | {name: np.array([Runs()])})
        )
        assert f"{DAMAGED}Object arrays cannot be loaded" in said_of(tmp_path / "parts.npz")
    assert not (tmp_path / "it ran").exists()


# --- pickles --------------------------------------------------------------------------------------


def doubled(step, last):
    """Each value holds the one before twice, and the memory of the pickle one more."""
    return b"".join(step(b"h" + bytes([i]), i) for i in range(40)) + last


PICKLES = {
    "F10_tuples": b"\x80\x04}\x94)q\x00" + doubled(lambda h, i: h + h + b"\x86q" + bytes([i + 1]), b"Ns."),
    "F10_set": b"\x80\x04\x8f(]q\x00" + doubled(lambda h, i: h + h + b"\x86q" + bytes([i + 1]), b"\x90."),
    "F11_deep": b"\x80\x04})" + b"\x85" * 2_000_000 + b"Ns.",
    "F11_marks": b"\x80\x04" + b"(" * 200_000,
    "F12_lists": b"\x80\x04]q\x00" + doubled(lambda h, i: b"]q" + bytes([i + 1]) + b"(" + h + h + b"e", b"."),
    "F12_word": b"\x80\x04]q\x00" + doubled(lambda h, i: b"]q" + bytes([i + 1]) + b"(" + h + h + b"e", b"\x85."),
    "F10_long": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 50) + b"few",  # BINUNICODE8
    "F10_frame": b"\x80\x04\x95" + struct.pack("<Q", 1 << 50) + b"few",
    "F10_memory": b"\x80\x04r" + struct.pack("<I", 0xFFFFFFFF) + b".",
}  # fmt: skip


@pytest.mark.parametrize("kind", PICKLES)
def test_F10_F11_F12_pickles_that_ask_for_more_than_there_is(tmp_path, kind):
    np.save(tmp_path / "v.npy", VECTORS)
    (tmp_path / "w.pkl").write_bytes(PICKLES[kind])
    with ends_within(), no_more_memory_than(128 << 20):
        said = fault(f"{tmp_path}/v.npy?vocab=w.pkl")
    assert "not a list of words" in said
    assert len(said) < 800


def test_F12_a_word_of_megabytes_is_shown_in_part(tmp_path):
    (tmp_path / "v.vocab").write_text("x" * (4 << 20))
    np.save(tmp_path / "v.npy", np.eye(1))
    with pytest.raises(EatlasError) as caught:
        eatlas.run(TEST, tmp_path / "v.npy", measures="weat")
    assert "its first words are 'xxxxx" in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_F10_gensims_pickles_are_not_read_without_trust(tmp_path):
    path = written(tmp_path / "v.kv", PICKLES["F10_tuples"])
    with ends_within():
        assert "gensim saved this file as a pickle, which can run code" in fault(path)


# --- numpy, tar -----------------------------------------------------------------------------------


def test_F13_a_head_of_many_megabytes(tmp_path):
    head = b"\x93NUMPY\x02\x00" + struct.pack("<I", 80 << 20) + b" " * (80 << 20)
    with zipfile.ZipFile(tmp_path / "v.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors.npy", head)
    with no_more_memory_than(64 << 20):
        assert f"FILE: {GROWS}\n  got: 83,886,0" in fault(tmp_path / "v.npz")


def test_F14_arrays_of_a_few_long_rows(tmp_path):
    np.savez_compressed(tmp_path / "v.npz", vectors=np.zeros((20, 1_000_000)))
    out = io.BytesIO()
    facts = {"descr": "<f4", "fortran_order": False, "shape": (2, 1 << 30)}
    np.lib.format.write_array_header_1_0(out, facts)
    with (tmp_path / "v.npy").open("wb") as file:
        file.write(out.getvalue())
        file.truncate(9 << 30)
    with no_more_memory_than(400 << 20):
        assert f"FILE: {GROWS}\n  got: 160,000,128 bytes" in fault(tmp_path / "v.npz")
        assert "Cannot allocate memory" in fault(tmp_path / "v.npy")


def test_F15_a_tar_archive_that_announces_more_than_it_holds(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        member = tarfile.TarInfo("v.txt")
        member.size = 1 << 62
        out.write(member.tobuf(tarfile.GNU_FORMAT))
        archive.offset = out.tell()
    path = written(tmp_path / "v.tar", out.getvalue())
    with ends_within():
        assert "unknown file type\n  got: binary data: 76 2e 74 78 74 00" in fault(path)


# --- HDF5 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(10**9, 2), (14, 10**9)])
@pytest.mark.parametrize("chunks", [True, None])
def test_F16_data_sets_that_announce_gigabytes(tmp_path, shape, chunks):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file.create_dataset("vectors", shape, "f4", chunks=chunks, fillvalue=0.5)
        file.create_dataset("words", shape[:1], "S4", chunks=chunks)
    assert (tmp_path / "v.h5").stat().st_size < 10_000
    with ends_within(), no_more_memory_than(400 << 20):
        assert f"FILE: {GROWS}" in fault(tmp_path / "v.h5")


def test_F16_a_vector_for_each_name(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        for name in ("cat", "dog"):
            file.create_dataset(name, (10**9,), "f4")
    with ends_within(), no_more_memory_than(400 << 20):
        assert f"FILE: {GROWS}" in fault(tmp_path / "v.h5")


def test_F21_data_sets_that_take_their_numbers_from_other_files(tmp_path):
    other = written(tmp_path / "secret", b"0123456789abcdef")
    with h5py.File(tmp_path / "external.h5", "w") as file:
        file.create_dataset("vectors", (2, 2), "f4", external=[(str(other), 0, 16)])
        file["words"] = ["a", "b"]
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["vectors"] = np.eye(2)
    with h5py.File(tmp_path / "virtual.h5", "w") as file:
        layout = h5py.VirtualLayout((2, 2), "f4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "vectors", (2, 2))
        file.create_virtual_dataset("vectors", layout)
        file["words"] = ["a", "b"]
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["vectors"] = h5py.ExternalLink("other.h5", "vectors")
        file["words"] = ["a", "b"]
    for name in ("external.h5", "virtual.h5"):
        assert "a data set of this file is stored in other files" in fault(tmp_path / name)
    assert "no single array of this file contains the vectors" in fault(tmp_path / "link.h5")


# --- Parquet --------------------------------------------------------------------------------------


def repeated(count, text="x" * (1 << 20)):
    """A text that the file has once."""
    return pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), [text])


def test_F17_one_giant_word_in_many_rows(tmp_path):
    data = pa.table({"word": repeated(4000), "x": np.ones(4000)})
    pq.write_table(data, tmp_path / "v.parquet", compression="zstd")
    with no_more_memory_than(400 << 20):
        assert eatlas.open_vectors(tmp_path / "v.parquet").lookup({"cat"}) == {}


@pytest.mark.parametrize(
    "columns",
    [
        lambda: {"word": pa.array(["a"] * 9_000_000), "x": np.zeros(9_000_000, np.float32)},
        lambda: {"word": ["a"], "v": pa.array([np.zeros(20_000_000, np.float32)])},
    ],
)
def test_F17_rows_and_lists_of_millions(tmp_path, columns):
    pq.write_table(pa.table(columns()), tmp_path / "v.parquet", compression="zstd")
    assert (tmp_path / "v.parquet").stat().st_size < 100_000
    with no_more_memory_than(400 << 20):
        assert f"FILE: {GROWS}" in fault(tmp_path / "v.parquet")


@pytest.mark.parametrize(
    ("name", "columns", "read"),
    [
        ("counts", {"term": 1, "Male": 0}, lambda path: table_cells(path, "counts", "a table")),
        ("contexts", {"stimulus": 1, "text": 1, "start": 0, "end": 0}, eatlas.load_contexts),
        ("words", {name: name == "word" for name in COLUMNS}, read_words),
        ("weathub", {"language": 1, "weat": 1}, lambda path: import_tests(path, "weathub")),
    ],
)
def test_F17_tables_whose_text_is_there_once(tmp_path, name, columns, read):
    table = {key: repeated(400) if of_text else np.zeros(400) for key, of_text in columns.items()}
    path = tmp_path / f"{name}.parquet"
    pq.write_table(pa.table(table), path, compression="zstd")
    assert path.stat().st_size < 100_000
    with no_more_memory_than(300 << 20), pytest.raises(EatlasError) as caught:
        read(path)
    assert f"{path}: {GROWS}" in str(caught.value)


def test_F17_lists_of_a_text_that_is_there_once(tmp_path):
    words = pa.ListArray.from_arrays(pa.array([0, 400], pa.int32()), repeated(400))
    sets = pa.StructArray.from_arrays([words, pa.array(["Flowers"])], ["examples", "category"])
    table = pa.table({"language": ["de"], "weat": ["WEAT1"], "targ1": sets})
    pq.write_table(table, tmp_path / "w.parquet", compression="zstd", store_schema=False)
    with no_more_memory_than(300 << 20), pytest.raises(EatlasError, match=GROWS):
        import_tests(tmp_path / "w.parquet", "weathub")
