"""Files of some kilobytes that declare gigabytes: refused before memory is taken for them."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.files.faults import fault, no_more_memory_than, written
from tests.sources.files.writers import VECTORS, WORDS, npz, parquet_lists

from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources import archives

GROWS = "this declares far more than a file of its size holds"
LIMIT = 400 << 20


def npy_head(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    head = io.BytesIO()
    facts = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, facts)
    return head.getvalue()


# --- numpy ----------------------------------------------------------------------------------------


def test_a_head_of_numpy_that_announces_gigabytes(tmp_path):
    head = b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + b" " * (300 << 20)
    with zipfile.ZipFile(tmp_path / "v.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors.npy", head)
    del head
    with no_more_memory_than(64 << 20):
        assert "the head of the array cannot be read" in fault(tmp_path / "v.npz")


def test_a_head_of_numpy_in_a_file_with_holes(tmp_path):
    with (tmp_path / "v.npy").open("wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", (1 << 32) - 1))
        file.truncate(8 << 30)
    with no_more_memory_than(64 << 20):
        assert "the head of the array cannot be read" in fault(tmp_path / "v.npy")


def test_an_array_that_grows_beyond_all_proportion(tmp_path):
    shape = (40, 1_000_000)
    with zipfile.ZipFile(tmp_path / "v.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("vectors.npy", "w") as member:
            member.write(npy_head(shape))
            for _ in range(shape[0]):
                member.write(bytes(4 * shape[1]))
        words = io.BytesIO()
        np.save(words, np.array([f"w{n}" for n in range(shape[0])]))
        archive.writestr("words.npy", words.getvalue())
    with no_more_memory_than(64 << 20):
        said = fault(tmp_path / "v.npz")
    assert (
        f"FILE, vectors: {GROWS}\n  got: 160,000,000 bytes\n  allowed: 200 times the size" in said
    )
    assert "remedy: if you trust it, set EATLAS_MAX_GROWTH to a larger number" in said


def test_the_limit_is_raised_by_the_user(tmp_path, monkeypatch):
    path = npz(tmp_path)
    monkeypatch.setattr(archives, "FREE_BYTES", 10)
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "1")
    np.savez_compressed(tmp_path / "zeros.npz", vectors=np.zeros((500, 50)), words=["a"] * 500)
    assert GROWS in fault(tmp_path / "zeros.npz")
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "5000")
    assert open_vectors(tmp_path / "zeros.npz").dim == 50
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "much")
    with pytest.raises(SourceError, match="EATLAS_MAX_GROWTH: this environment variable is not a"):
        open_vectors(path)


def test_vectors_of_a_thousand_million_components(tmp_path):
    with (tmp_path / "v.npy").open("wb") as file:
        file.write(npy_head((2, 1 << 30)))
        file.truncate(9 << 30)
    (tmp_path / "v.vocab").write_text("cat\ndog\n")
    with no_more_memory_than(64 << 20):
        assert "FILE: the file cannot be read\n  got: Cannot allocate" in fault(tmp_path / "v.npy")
    said = fault(tmp_path / "v.npy")
    assert "FILE: these vectors are too long\n  got: 1,073,741,824 components" in said


def test_a_type_that_is_a_list_in_safetensors(tmp_path):
    head = b'{"v":{"dtype":[[]],"shape":[1,1],"data_offsets":[0,4]}}'
    path = written(tmp_path / "v.safetensors", struct.pack("<Q", len(head)) + head + bytes(4))
    (tmp_path / "v.vocab").write_text("cat\n")
    assert "FILE: the head of this safetensors file is damaged\n  got: " in fault(path)


# --- tar ------------------------------------------------------------------------------------------


def tar_member(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo("v.txt")
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def test_a_member_of_a_tar_archive_that_lies_about_its_size(tmp_path):
    path = written(tmp_path / "v.tar", tar_member(1 << 62) + b"cat 1 2\n".ljust(1024, b"\0"))
    said = fault(path)
    assert f"FILE, the member v.txt: {GROWS}\n  got: 4,611,686,018,427,387,904 bytes" in said


def test_a_size_in_an_extended_header(tmp_path):
    with tarfile.open(tmp_path / "v.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("v.txt")
        info.pax_headers = {"size": str(10**14)}
        archive.addfile(info, io.BytesIO(b""))
    assert f"{GROWS}\n  got: 100,000,000,000,000 bytes" in fault(tmp_path / "v.tar")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
@pytest.mark.parametrize("size", [2 << 20, 1 << 60])
def test_endless_names_and_headers(tmp_path, kind, size):
    path = written(tmp_path / "v.tar", tar_member(size, kind) + bytes(4 << 20))
    with no_more_memory_than(64 << 20):
        assert f"a name or an extended header of {size:,} bytes" in fault(path)


def test_ten_thousand_extended_headers(tmp_path):
    one = tar_member(13, tarfile.XHDTYPE) + b"13 path=a.tx\n".ljust(512, b"\0")
    assert "FILE: the archive cannot be read" in fault(written(tmp_path / "v.tar", one * 10_000))


# --- HDF5 -----------------------------------------------------------------------------------------


def made(tmp_path, fill):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        fill(file)
    return tmp_path / "v.h5"


def wide(file) -> None:
    file.create_dataset("vectors", (14, 10**6), "f4", chunks=(1, 1000))
    file.create_dataset("vectors2", (14,), "f4")
    file["words"] = [f"w{n}" for n in range(14)]


def long(file) -> None:
    file.create_dataset("vectors", (10**9, 2), "f4", chunks=(1000, 2))
    file.create_dataset("words", (10**9,), "S4", chunks=(1000,))


def fill_values(file) -> None:
    file.create_dataset("vectors", (2_000_000, 2), "f4", fillvalue=1)
    file.create_dataset("words", (2_000_000,), "S1", fillvalue=b"a")


def chunk(file) -> None:
    file.create_dataset("vectors", (2, 4), "f4", maxshape=(None, None), chunks=(10**5, 1000))
    file["words"] = ["a", "b"]


def named(file) -> None:
    for name in ("cat", "dog"):
        file.create_dataset(name, (1 << 20,), "f4", chunks=(1 << 20,))
    for number in range(10):
        file.create_dataset(f"w{number}", (1 << 20,), "f4")


@pytest.mark.parametrize("fill", [wide, long, fill_values, chunk, named])
def test_hdf5_that_declares_what_it_does_not_hold(tmp_path, fill):
    path = made(tmp_path, fill)
    assert path.stat().st_size < 100_000
    said_limit = 32 << 20 if fill is wide else archives.FREE_BYTES
    with pytest.MonkeyPatch.context() as patched, no_more_memory_than(LIMIT):
        patched.setattr(archives, "FREE_BYTES", said_limit)
        assert GROWS in fault(path)


def test_vectors_that_are_too_long_in_hdf5(tmp_path):
    def fill(file):
        file.create_dataset("vectors", (14, 10**9), "f4", chunks=(1, 1000))
        file["words"] = [f"w{n}" for n in range(14)]

    assert "these vectors are too long\n  got: 1,000,000,000 components" in fault(
        made(tmp_path, fill)
    )


def test_content_of_other_files_is_not_read(tmp_path):
    other = written(tmp_path / "secret", b"0123456789abcdef")
    (tmp_path / "other").mkdir()
    source = made(tmp_path / "other", lambda file: file.create_dataset("x", data=np.eye(2)))

    def external(file):
        file.create_dataset("vectors", (2, 2), "f4", external=[(str(other), 0, 16)])
        file["words"] = ["a", "b"]

    def virtual(file):
        layout = h5py.VirtualLayout((2, 2), "f8")
        layout[:] = h5py.VirtualSource(source, "x", (2, 2))
        file.create_virtual_dataset("vectors", layout)
        file["words"] = ["a", "b"]

    for fill, got in ((external, "external storage"), (virtual, "a virtual data set")):
        said = fault(made(tmp_path, fill))
        assert "/vectors: this data set takes its content from other files" in said
        assert f"got: {got}" in said


def test_one_long_word_in_many_rows_of_hdf5(tmp_path):
    def fill(file):
        count = 3000
        file["vectors"] = np.ones((count, 2))
        words = file.create_dataset(
            "words", (count,), h5py.string_dtype(), chunks=(count,), compression="gzip"
        )
        words[0] = "x" * (1 << 20)

    path = made(tmp_path, fill)
    # every reference is made that of the first word, as only a file made by hand has it
    with h5py.File(path, "r+") as file:
        _, raw = file["words"].id.read_direct_chunk((0,))
        rows = np.frombuffer(zlib.decompress(raw), np.uint8).reshape(3000, -1).copy()
        rows[:] = rows[0]
        file["words"].id.write_direct_chunk((0,), zlib.compress(rows.tobytes()))
    with no_more_memory_than(1 << 30):
        assert f"the words: {GROWS}" in fault(path)


# --- Parquet --------------------------------------------------------------------------------------


def table(tmp_path, **columns):
    pq.write_table(pa.table(columns), tmp_path / "v.parquet", compression="zstd")
    return tmp_path / "v.parquet"


def test_one_giant_list(tmp_path):
    zeros = pa.array(np.zeros(12_000_000, np.float32))
    vectors = pa.LargeListArray.from_arrays(pa.array([0, len(zeros)]), zeros)
    path = table(tmp_path, word=["cat"], vector=vectors)
    assert path.stat().st_size < 10_000
    del zeros, vectors
    with no_more_memory_than(LIMIT):
        assert f"FILE: {GROWS}\n  got: 96,000,064 bytes" in fault(path)


def test_a_list_that_is_no_vector(tmp_path):
    zeros = pa.array(np.zeros(2_000_000, np.float32))
    vectors = pa.LargeListArray.from_arrays(pa.array([0, len(zeros)]), zeros)
    said = fault(table(tmp_path, word=["cat"], vector=vectors))
    assert "FILE: these vectors are too long\n  got: 2,000,000 components" in said


@pytest.mark.parametrize("schema", [True, False])
def test_one_giant_word_in_many_rows(tmp_path, schema):
    rows = 4000
    words = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["x" * (1 << 20)])
    data = pa.table({"word": words, "x": np.ones(rows), "y": np.ones(rows)})
    # with Arrow's schema the column comes back as a dictionary, without it as plain texts
    pq.write_table(data, tmp_path / "v.parquet", compression="zstd", store_schema=schema)
    assert (tmp_path / "v.parquet").stat().st_size < 100_000
    with no_more_memory_than(LIMIT):
        source = open_vectors(tmp_path / "v.parquet")
        assert source.lookup({"cat"}) == {}
        assert sum(len(word) for word in source.vocabulary()) == rows << 20
        (chunk,) = source.iter_chunks()
        assert len(chunk.words) == rows


def test_millions_of_rows(tmp_path):
    rows = 2_000_000
    path = table(tmp_path, word=pa.array(["a"] * rows), x=np.zeros(rows, np.float32))
    assert path.stat().st_size < 20_000
    with no_more_memory_than(LIMIT):
        assert f"FILE: {GROWS}" in fault(path)


def test_words_that_stand_in_several_rows_are_themselves(tmp_path):
    words = ["a", "b", "a", "Über", "b"]
    path = table(tmp_path, word=words, x=np.arange(5.0))
    assert list(open_vectors(path).vocabulary()) == words
    lists = open_vectors(parquet_lists(tmp_path))
    assert list(lists.vocabulary()) == WORDS
    np.testing.assert_array_equal(lists.lookup({"cat"})["cat"], VECTORS[1])


# --- what is no file ------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
@pytest.mark.parametrize("place", ["fifo", "/dev/stdin", "/dev/zero"])
def test_a_pipe_or_a_device_as_vectors(tmp_path, place):
    if place == "fifo":
        os.mkfifo(tmp_path / place)
    command = [sys.executable, "-m", "eatlas", "run", "--tests", "weat-1", "--vectors", place]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            process.wait(timeout=600)  # it does not wait for what may come through the pipe
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        said = process.stderr.read()
    assert process.returncode == 2
    assert f"{place}: this is neither a file nor a folder" in said
    assert "remedy: save what comes from it in a file" in said
