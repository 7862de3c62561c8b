"""Compressed files and archives: which member, what is refused, and how little memory it takes."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.sources.files import writers
from tests.sources.files.faults import fault, no_more_memory_than, written
from tests.sources.files.writers import VECTORS, as_text

from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources import archives
from eatlas.sources.files import text

TEXT = as_text()


def zipped(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def tarred(path: Path, *members: tuple[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


ARCHIVES = pytest.mark.parametrize(("make", "name"), [(zipped, "v.zip"), (tarred, "v.tar")])


@ARCHIVES
def test_a_member_by_name(tmp_path, make, name):
    other = as_text(writers.Data(writers.WORDS, -VECTORS))
    path = make(tmp_path / name, ("a/v.txt", TEXT), ("b.txt", other))
    for member, sign in (("a/v.txt", 1), ("b.txt", -1)):
        source = open_vectors(f"{path}#{member}")
        np.testing.assert_array_equal(source.lookup({"cat"})["cat"], sign * VECTORS[1])
        assert source.name == f"{path}#{member}"
    assert (
        "the archive holds several files\n  got: a/v.txt, b.txt\n  remedy: choose one: FILE#a/v.t"
        in (fault(path))
    )
    with pytest.raises(
        SourceError, match="the archive has no such member\n  got: c.txt\n  allowed: a/v"
    ):
        open_vectors(f"{path}#c.txt")


@ARCHIVES
@pytest.mark.parametrize(
    "member", ["../v.txt", "/etc/v.txt", "a/../../v.txt", "..\\v.txt", "~/v.txt"]
)
def test_names_that_lead_out_of_the_archive(tmp_path, make, name, member):
    path = make(tmp_path / name, (member, TEXT))
    said = fault(path)
    assert f"FILE: a member's name leads out of the archive\n  got: {member}" in said
    assert "remedy: do not trust this archive" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@ARCHIVES
def test_an_archive_that_holds_nothing(tmp_path, make, name):
    path = make(tmp_path / name, ("__MACOSX/._v.txt", b"x"), (".DS_Store", b"x"))
    assert "FILE: the archive holds no file" in fault(path)


def test_an_empty_zip_file(tmp_path):
    assert "FILE: the archive holds no file" in fault(zipped(tmp_path / "v.zip"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice(tmp_path):
    path = zipped(tmp_path / "v.zip", ("v.txt", TEXT), ("v.txt", b"cat 1\n"))
    with pytest.raises(
        SourceError, match="the archive has this member more than once\n  got: v.txt"
    ):
        open_vectors(f"{path}#v.txt")


def test_a_link_in_an_archive_is_no_file(tmp_path):
    with tarfile.open(tmp_path / "v.tar", "w") as archive:
        info = tarfile.TarInfo("v.txt")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    assert "FILE: the archive holds no file" in fault(tmp_path / "v.tar")


def test_an_encrypted_member(tmp_path):
    raw = bytearray(zipped(tmp_path / "v.zip", ("v.txt", TEXT)).read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + flags] |= 1
    said = fault(written(tmp_path / "v.zip", raw))
    assert "the archive cannot be read" in said
    assert "password required" in said


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("part", [0.2, 0.6, 0.99])
def test_compressed_files_that_end_early(tmp_path, pack, part):
    packed = pack(TEXT)
    path = written(tmp_path / "v.txt.z", packed[: int(part * len(packed))])
    said = fault(path)
    assert "FILE: the compressed data are damaged or end early" in said
    assert "remedy: get the file again; the copy is probably incomplete" in said


def test_a_checksum_that_is_wrong(tmp_path):
    packed = gzip.compress(TEXT)[:-8] + b"12345678"
    assert "got: CRC check failed" in fault(written(tmp_path / "v.txt.gz", packed))


def test_a_member_of_what_is_no_archive(tmp_path):
    for data in (TEXT, gzip.compress(TEXT)):
        path = written(tmp_path / "v", data)
        with pytest.raises(
            SourceError, match="this is not an archive, so it has no members\n  got: #x"
        ):
            open_vectors(f"{path}#x")


def test_formats_that_need_to_be_unpacked(tmp_path):
    for writer in (
        writers.npy,
        writers.safetensors,
        writers.hdf5,
        writers.parquet_lists,
        writers.npz,
    ):
        raw = Path(writer(tmp_path)).read_bytes()
        said = fault(written(tmp_path / "v.gz", gzip.compress(raw)))
        assert "cannot be read while compressed\n  allowed: text, tables and word2vec's bin" in said
        assert "remedy: unpack it and open the file itself" in said


FREE, LINE = 3 << 20, 4 << 20
BOMBS = {
    "lines": (b"", b"the" + b" 0.25" * 800 + b"\n", "this grows too much when it is decompressed"),
    "line": (b"", b"0 ", "this line is too long for a vector"),
    "blanks": (b"the 1 2\n", b"\n" * 4096, "this grows too much when it is decompressed"),
}


def packed_as_gz(path: Path, data: bytes) -> Path:
    return written(path, gzip.compress(data))


def packed_as_zip(path: Path, data: bytes) -> Path:
    return zipped(path, ("v.txt", data))


def packed_as_tar(path: Path, data: bytes) -> Path:
    return tarred(path, ("v.txt", data), mode="w:gz")


@pytest.mark.parametrize("pack", [packed_as_gz, packed_as_zip, packed_as_tar])
@pytest.mark.parametrize("kind", BOMBS)
def test_files_that_grow_beyond_all_proportion(tmp_path, monkeypatch, kind, pack):
    """With limits a twentieth of the real ones: bombs of 6 MB instead of 72 MB."""
    head, piece, said = BOMBS[kind]
    if kind == "line":
        monkeypatch.setattr(text, "MAX_LINE", LINE)
    else:
        monkeypatch.setattr(archives, "FREE_BYTES", FREE)
    bomb = pack(tmp_path / "bomb", head + piece * (2 * FREE // len(piece)))
    assert bomb.stat().st_size < FREE / archives.MAX_RATIO
    # a tar declares the size of its members, and is refused before it is decompressed
    early = pack is packed_as_tar and kind != "line"
    # three million blank lines take up to 120 MB before they are refused
    with no_more_memory_than(200 << 20):
        assert ("this declares far more than a file of its size" if early else said) in fault(bomb)


def test_a_fingerprint_of_the_content_not_of_the_packing(tmp_path):
    one = written(tmp_path / "a.gz", gzip.compress(TEXT, 1))
    other = written(tmp_path / "b.gz", gzip.compress(TEXT, 9))
    assert one.read_bytes() != other.read_bytes()
    assert open_vectors(one).fingerprint == open_vectors(other).fingerprint
