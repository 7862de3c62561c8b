"""One set of vectors, written in every format by the library that defines the format."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

WORDS = ["the", "cat", "Über", "naïve", "日本", "don't", "a.b", "🌹", "x-1", "rose", "end", "1999"]
DIM = 8


def matrix(rows: int = len(WORDS), dim: int = DIM, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, dim)).astype(np.float32)


VECTORS = matrix()


@dataclass(frozen=True)
class Data:
    """What is written."""

    words: list[str]
    vectors: np.ndarray

    @property
    def dim(self) -> int:
        return self.vectors.shape[1]

    def rows(self, words: list[str]) -> list[int]:
        places = {word: row for row, word in enumerate(self.words)}
        return [places[word] for word in words]


SAMPLE = Data(WORDS, VECTORS)


def as_text(
    data: Data = SAMPLE, header: bool = False, separator: str = " ", end: str = "\n"
) -> bytes:
    """The shortest decimals that give the same float32 again."""
    lines = [f"{len(data.words)} {data.dim}"] if header else []
    rows = zip(data.words, data.vectors, strict=True)
    lines += [separator.join([word, *row.astype(str).tolist()]) for word, row in rows]
    return "".join(line + end for line in lines).encode()


def keyed_vectors(data: Data):
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(data.dim)
    vectors.add_vectors(data.words, data.vectors)
    return vectors


def glove(folder: Path, data: Data = SAMPLE) -> str:
    (folder / "v.txt").write_bytes(as_text(data))
    return str(folder / "v.txt")


def glove_crlf_bom(folder: Path, data: Data = SAMPLE) -> str:
    (folder / "v.txt").write_bytes(b"\xef\xbb\xbf" + as_text(data, end="\r\n"))
    return str(folder / "v.txt")


def word2vec_text(folder: Path, data: Data = SAMPLE) -> str:
    keyed_vectors(data).save_word2vec_format(str(folder / "v.txt"), binary=False)
    return str(folder / "v.txt")


def fasttext_vec(folder: Path, data: Data = SAMPLE) -> str:
    (folder / "v.vec").write_bytes(as_text(data, header=True, end=" \n"))
    return str(folder / "v.vec")


def word2vec_binary(folder: Path, data: Data = SAMPLE) -> str:
    keyed_vectors(data).save_word2vec_format(str(folder / "v.bin"), binary=True)
    return str(folder / "v.bin")


def word2vec_binary_lines(folder: Path, data: Data = SAMPLE) -> str:
    """As the tool in C writes it: with a line break after each vector."""
    rows = zip(data.words, data.vectors, strict=True)
    body = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in rows)
    (folder / "v.bin").write_bytes(f"{len(data.words)} {data.dim}\n".encode() + body)
    return str(folder / "v.bin")


def gensim_kv(folder: Path, data: Data = SAMPLE) -> str:
    keyed_vectors(data).save(str(folder / "v.kv"))
    return f"{folder / 'v.kv'}?trust=yes"


def gensim_model(folder: Path, data: Data = SAMPLE) -> str:
    from gensim.models import Word2Vec

    model = Word2Vec([data.words] * 2, vector_size=data.dim, min_count=1, epochs=1, workers=1)
    model.wv.vectors[:] = data.vectors[data.rows(model.wv.index_to_key)]
    model.save(str(folder / "v.model"))
    return f"{folder / 'v.model'}?trust=yes"


def fasttext_bin(folder: Path, data: Data = SAMPLE) -> str:
    """A model without sub-words; those with sub-words have tests of their own."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText([data.words] * 2, vector_size=data.dim, min_count=1, max_n=0, epochs=1, seed=1)
    model.wv.vectors_vocab[:] = data.vectors[data.rows(model.wv.index_to_key)]
    save_facebook_model(model, str(folder / "v.bin"))
    return str(folder / "v.bin")


def npy(folder: Path, data: Data = SAMPLE) -> str:
    np.save(folder / "v.npy", data.vectors)
    (folder / "v.vocab").write_text("".join(f"{word}\n" for word in data.words), encoding="utf-8")
    return str(folder / "v.npy")


def npz(folder: Path, data: Data = SAMPLE) -> str:
    np.savez(folder / "v.npz", vectors=data.vectors, words=np.array(data.words))
    return str(folder / "v.npz")


def npz_compressed_with_vocabulary(folder: Path, data: Data = SAMPLE) -> str:
    np.savez_compressed(folder / "v.npz", data.vectors)
    rows = {word: row for row, word in enumerate(data.words)}
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    return f"{folder / 'v.npz'}?vocab=rows.json"


def safetensors(folder: Path, data: Data = SAMPLE) -> str:
    from safetensors.numpy import save_file

    save_file({"vectors": data.vectors, "bias": np.zeros(3, np.float32)}, folder / "v.safetensors")
    (folder / "v.vocab.txt").write_text(
        "".join(f"{word}\n" for word in data.words), encoding="utf-8"
    )
    return str(folder / "v.safetensors")


def csv_file(folder: Path, data: Data = SAMPLE) -> str:
    with (folder / "v.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["word", *range(data.dim)])
        writer.writerows(
            [w, *row] for w, row in zip(data.words, data.vectors.tolist(), strict=True)
        )
    return str(folder / "v.csv")


def tsv(folder: Path, data: Data = SAMPLE) -> str:
    (folder / "v.tsv").write_bytes(as_text(data, separator="\t"))
    return str(folder / "v.tsv")


def parquet_lists(folder: Path, data: Data = SAMPLE) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"word": data.words, "vector": data.vectors.tolist()})
    pq.write_table(table, folder / "v.parquet", row_group_size=5)
    return str(folder / "v.parquet")


def hdf5(folder: Path, data: Data = SAMPLE) -> str:
    import h5py

    with h5py.File(folder / "v.h5", "w") as file:
        file["embedding"] = data.vectors
        file.create_dataset("words_flatten", data=data.words, dtype=h5py.string_dtype())
    return str(folder / "v.h5")


def hdf5_sent_bias(folder: Path, data: Data = SAMPLE) -> str:
    """As sent-bias caches encodings: a group for each set, a data set for each text."""
    import h5py

    with h5py.File(folder / "v.h5", "w") as file:
        for word, row in zip(data.words[:6], data.vectors[:6], strict=True):
            file.require_group("targ1")[word] = row
        for word, row in zip(data.words[6:], data.vectors[6:], strict=True):
            file.require_group("attr1")[word] = row[None, :]
        file["targ1/category"], file["attr1/category"] = "Things", "Others"
    return str(folder / "v.h5")


def packed(folder: Path, name: str, raw: bytes) -> str:
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[Path(name).suffix]
    (folder / name).write_bytes(pack(raw))
    return str(folder / name)


def gz(folder: Path, data: Data = SAMPLE) -> str:
    return packed(folder, "v.txt.gz", as_text(data))


def gz_of_binary(folder: Path, data: Data = SAMPLE) -> str:
    return packed(folder, "v.bin.gz", Path(word2vec_binary(folder, data)).read_bytes())


def bz2_of_csv(folder: Path, data: Data = SAMPLE) -> str:
    return packed(folder, "v.csv.bz2", Path(csv_file(folder, data)).read_bytes())


def xz(folder: Path, data: Data = SAMPLE) -> str:
    return packed(folder, "v.vec.xz", as_text(data, header=True))


def zst(folder: Path, data: Data = SAMPLE) -> str:
    import zstandard

    raw = as_text(data)
    frames = [zstandard.ZstdCompressor().compress(part) for part in (raw[:90], raw[90:])]
    (folder / "v.txt.zst").write_bytes(b"".join(frames))
    return str(folder / "v.txt.zst")


def zip_member(folder: Path, data: Data = SAMPLE) -> str:
    with zipfile.ZipFile(folder / "v.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README", "not vectors")
        archive.writestr("en/my vectors#1.txt", as_text(data))
    return f"{folder / 'v.zip'}#en/my%20vectors%231.txt"


FORMATS = (
    glove, glove_crlf_bom, word2vec_text, fasttext_vec, word2vec_binary,
    word2vec_binary_lines, fasttext_bin, gensim_kv, gensim_model,
    npy, npz, npz_compressed_with_vocabulary, safetensors,
    csv_file, tsv, parquet_lists, hdf5,
    hdf5_sent_bias, gz, gz_of_binary, bz2_of_csv, xz, zst, zip_member,
)  # fmt: skip
