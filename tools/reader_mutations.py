"""Sound files with random damage, and what must hold whatever a reader makes of them."""

from __future__ import annotations

import gzip
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.sources.files import writers
from tests.sources.series_files import write_histwords

from eatlas.errors import EatlasWarning, SourceError
from eatlas.sources import open_sources

WORDS, VECTORS = writers.WORDS, writers.VECTORS
# Lengths, counts and types that programs stumble over.
_NUMBERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1)
_INSERTED = (
    b"\n", b" ", b"\t", b"\r\n", b"\x00", b'"', b",", b"\xff\xfe", b"\xef\xbb\xbf", b"nan",
    b"1e999", b"-", b"1_0", b"\xe9", b"9" * 400, b"{" * 40, b"((((", b"[" * 3000,
)  # fmt: skip


def histwords(folder: Path) -> str:
    decades = {1900: dict(zip(WORDS, VECTORS, strict=True))}
    return str(write_histwords(folder / "sgns", decades))


def gz_of_damaged_text(folder: Path) -> str:
    """The damage comes before the compression: see :func:`damage`."""
    (folder / "v.txt.gz").write_bytes(gzip.compress(writers.as_text()))
    return str(folder / "v.txt.gz")


# what gensim, h5py and pyarrow make of damage is theirs
FORMATS: tuple[Callable[[Path], str], ...] = (
    writers.glove, writers.glove_crlf_bom, writers.fasttext_vec,
    writers.word2vec_binary, writers.word2vec_binary_lines, writers.npy, writers.npz,
    writers.npz_compressed_with_vocabulary, writers.safetensors,
    writers.csv_file, writers.tsv, writers.gz_of_binary, writers.bz2_of_csv, writers.xz,
    writers.zst, writers.zip_member, histwords, gz_of_damaged_text,
)  # fmt: skip


@dataclass(frozen=True)
class Original:
    """A sound file, or several that belong together, and how they are opened."""

    folder: Path
    spec: str
    kind: str

    @classmethod
    def of(cls, writer: Callable[[Path], str], folder: Path) -> Original:
        """Let a library write the files."""
        folder.mkdir()
        return cls(folder, writer(folder), writer.__name__)

    def damaged(self, target: Path, rng: np.random.Generator) -> str:
        """Copy it with one of its files damaged; the copy's spec."""
        shutil.copytree(self.folder, target)
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        if self.kind in {"gz_of_binary", "bz2_of_csv"}:  # beside what was packed
            files = [path for path in files if path.suffix in {".gz", ".bz2"}]
        chosen = files[rng.integers(len(files))]
        raw = chosen.read_bytes()
        if self.kind == "gz_of_damaged_text":
            raw = gzip.compress(damage(gzip.decompress(raw), rng), 1)
        else:
            raw = damage(raw, rng)
        (target / chosen.relative_to(self.folder)).write_bytes(raw)
        return self.spec.replace(str(self.folder), str(target))


def damage(raw: bytes, rng: np.random.Generator) -> bytes:
    """Change a few bytes, or leave some out, or put some in."""
    for _ in range(rng.integers(1, 4)):
        raw = _DAMAGES[rng.integers(len(_DAMAGES))](raw, rng)
    return raw


def _place(raw: bytes, rng: np.random.Generator) -> int:
    """Anywhere, but one time in two near the beginning, where heads are."""
    end = len(raw) if rng.integers(2) else min(len(raw), 256)
    return int(rng.integers(end + 1))


def _flip(raw: bytes, rng: np.random.Generator) -> bytes:
    at = _place(raw, rng)
    return (
        raw[:at]
        + bytes(byte ^ 1 << int(rng.integers(8)) for byte in raw[at : at + 1])
        + raw[at + 1 :]
    )


def _overwrite(raw: bytes, rng: np.random.Generator) -> bytes:
    at, size = _place(raw, rng), int(rng.integers(1, 9))
    return raw[:at] + rng.bytes(size) + raw[at + size :]


def _number(raw: bytes, rng: np.random.Generator) -> bytes:
    at, size = _place(raw, rng), int(rng.choice([1, 2, 4, 8]))
    number = _NUMBERS[rng.integers(len(_NUMBERS))] % 256**size
    return (
        raw[:at] + number.to_bytes(size, "big" if rng.integers(2) else "little") + raw[at + size :]
    )


def _digits(raw: bytes, rng: np.random.Generator) -> bytes:
    """Another number where digits stand."""
    at = next((i for i in range(_place(raw, rng), len(raw)) if 48 <= raw[i] <= 57), len(raw))
    return raw[:at] + str(_NUMBERS[rng.integers(len(_NUMBERS))]).encode() + raw[at + 1 :]


def _cut(raw: bytes, rng: np.random.Generator) -> bytes:
    return raw[: _place(raw, rng)]


def _drop(raw: bytes, rng: np.random.Generator) -> bytes:
    at = _place(raw, rng)
    return raw[:at] + raw[at + int(rng.integers(1, 40)) :]


def _repeat(raw: bytes, rng: np.random.Generator) -> bytes:
    at, size = _place(raw, rng), int(rng.integers(1, 200))
    return raw[: at + size] + raw[at:]


def _insert(raw: bytes, rng: np.random.Generator) -> bytes:
    at = _place(raw, rng)
    return raw[:at] + _INSERTED[rng.integers(len(_INSERTED))] + raw[at:]


_DAMAGES = (_flip, _overwrite, _number, _digits, _cut, _drop, _repeat, _insert)


class Broken(AssertionError):  # noqa: N818  (it is an assertion)
    """An answer that contradicts itself, or an error that hides a blow-up of memory."""


def try_one(original: Original, target: Path, rng: np.random.Generator) -> bool:
    """Read a damaged copy; whether it could be read. Anything but a SourceError is raised."""
    try:
        spec = original.damaged(target, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", EatlasWarning)
            try:
                check(spec)
            except SourceError as error:
                _check_error(error)
                return False
        return True
    finally:
        shutil.rmtree(target)


def check(spec: str) -> None:
    """Read all of a source in every way; the answers must agree."""
    for source in open_sources(spec):
        dim = source.dim
        rows: dict[str, np.ndarray] = {}
        count = 0
        for words, vectors in source.iter_chunks(5):
            if vectors.shape != (len(words), dim) or vectors.dtype.kind != "f":
                raise Broken(f"{len(words)} words, {vectors.dtype}, {vectors.shape}")
            if not np.isfinite(vectors).all():
                raise Broken("not finite")
            count += len(words)
            for word, row in zip(words, vectors, strict=True):
                rows.setdefault(word, row)
        listed = list(source.vocabulary()) if hasattr(source, "vocabulary") else list(rows)
        if set(listed) != set(rows) or (len(listed) != count and hasattr(source, "vocabulary")):
            raise Broken(f"{len(listed)} words listed, {count} in chunks")
        _check_lookup(source, rows)
        if not source.fingerprint.startswith("sha256:"):
            raise Broken(source.fingerprint)


def _check_lookup(source: object, rows: dict[str, np.ndarray]) -> None:
    found = source.lookup({*WORDS, *rows})
    if set(found) != set(rows):
        raise Broken(f"{len(found)} words looked up, {len(rows)} in chunks")
    for word, row in rows.items():
        if not np.array_equal(found[word], row):
            raise Broken(f"two vectors for {word!r}")


def _check_error(error: SourceError) -> None:
    cause: BaseException | None = error
    # of brackets in brackets, Python's parser raises a MemoryError that says nothing of memory
    while "the head of the array cannot be read" not in error.what and cause is not None:
        if isinstance(cause, MemoryError):
            raise Broken("asks for more memory than there is") from error
        cause = cause.__cause__
    if not error.what.strip():
        raise Broken("an error without words")
