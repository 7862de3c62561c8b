"""The published figures of conText's quickstart, from the data of that R package.

    python benchmarks/context_sample.py FOLDER

FOLDER has cr_sample_corpus.rda, cr_glove_subset.rda and cr_transform.rda of the folder data of
https://github.com/prodriguezsosa/conText (GPL-3, so they do not come with eatlas). The package
rdata reads them. Printed are the squared norms of party and gender for *immigration*, each
occurrence an observation, and the cosines of the vectors of *immigr** in both parties with two
words, beside those of the quickstart.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import eatlas
from eatlas_corpora.engine import embedding
from eatlas_corpora.reading.local import Parting

NORMS = {"party": 10.139940, "gender": 6.908761}
COSINES = {
    ("D", "reform"): 0.5949757, ("R", "reform"): 0.4270958,
    ("D", "enforcement"): 0.6059709, ("R", "enforcement"): 0.5968879,
}  # fmt: skip
FORMS = ("immigration", "immigrant", "immigrants")
LEAST = 3
"""Characters of a word; the corpus has no stop words."""
REFERENCE = {"party": "D", "gender": "F"}
Vectors = dict[str, np.ndarray]


def read(folder: Path) -> tuple[list[dict[str, str]], Vectors, np.ndarray]:
    """Documents with their fields, vectors, and the transformation."""
    import rdata  # noqa: PLC0415  (optional)

    def value(name: str) -> Any:
        return next(iter(rdata.read_rda(folder / f"{name}.rda").values()))

    parsed = rdata.parser.parse_file(folder / "cr_sample_corpus.rda").object.value[0]
    attributes = parsed.attributes
    fields: dict[str, list[str]] = {}
    while attributes is not None and isinstance(attributes.value, tuple):
        held = rdata.conversion.convert(attributes.value[0])
        if hasattr(held, "columns") and "party" in held.columns:
            fields = {name: [*held[name]] for name in REFERENCE}
        attributes = attributes.value[1]
    texts = [each.value.decode() for each in parsed.value]
    rows = [
        {"text": " ".join(word for word in text.split() if len(word) >= LEAST), **dict(own)}
        for text, own in zip(
            texts, (zip(fields, each, strict=True) for each in zip(*fields.values(), strict=True)),
            strict=True,
        )
    ]  # fmt: skip
    glove = value("cr_glove_subset")
    words = map(str, glove.coords[glove.dims[0]].values)
    vectors = dict(zip(words, glove.values.astype(np.float32), strict=True))
    return rows, vectors, np.asarray(value("cr_transform"))


def norms(path: Path, vectors: Vectors, transform: np.ndarray) -> tuple[int, dict[str, float]]:
    """Occurrences of *immigration*, and the squared norm of each covariate."""
    result = eatlas.embedding_regression(
        path, "immigration", vectors, ["party", "gender"], reference=REFERENCE,
        matrix=transform.T, unit="occurrence", stop_words=(), permutations=99,
    )  # fmt: skip
    (term,) = result.terms
    return term.observations, {c.field: c.squared_norm for c in term.coefficients}


def cosines(path: Path, vectors: Vectors, transform: np.ndarray) -> dict[tuple[str, str], float]:
    """Cosines of the mean vector of all forms in each party with two words."""
    how = embedding.Reading(
        embedding.WINDOW, (), transform.T, "auto", "either", None, "line", None, 1, None, None
    )
    parting = Parting("party", (), "", ("party",), occurrences=True)
    found = {}
    with embedding.sum_contexts(path, FORMS, "en", vectors, parting, how) as contexts:
        for number, part in enumerate(contexts.sums.parts):
            own = contexts.sums.rows[:, 0] == number
            vector = contexts.sums.sums[own].sum(axis=0) @ contexts.matrix.astype(float)
            for word in dict.fromkeys(word for _, word in COSINES):
                other = vectors[word].astype(float)
                lengths = np.linalg.norm(vector) * np.linalg.norm(other)
                found[json.loads(part)[0], word] = float(vector @ other / lengths)
    return found


def figures(folder: Path) -> tuple[int, dict[str, float], dict[tuple[str, str], float]]:
    """Occurrences, norms and cosines."""
    rows, vectors, transform = read(folder)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "corpus.jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        number, squared = norms(path, vectors, transform)
        return number, squared, cosines(path, vectors, transform)


def main() -> None:
    """Print the figures beside the published ones."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    number, squared, near = figures(parser.parse_args().folder)
    print(f"{number} occurrences of immigration")
    for field, norm in squared.items():
        print(f"squared norm of {field}: {norm:.6f}, published {NORMS[field]:.6f}")
    for (party, word), cosine in near.items():
        print(f"{party}, {word}: cosine {cosine:.7f}, published {COSINES[party, word]:.7f}")


if __name__ == "__main__":
    main()
