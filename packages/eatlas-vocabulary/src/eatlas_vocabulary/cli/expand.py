"""``eatlas tests expand``: words in place of wildcards."""

from __future__ import annotations

from pathlib import Path

from eatlas.cli.messages import remark
from eatlas.cli.tests import hand_out
from eatlas.sources import open_vectors
from eatlas.stimuli.batteries import read_test_file
from eatlas_vocabulary.sources.wildcards import expand as expand_wildcards


def expand(path: Path, vectors: str, *, output: Path | None = None) -> None:
    """Expand wildcards such as nurs* in a test file against the vocabulary of vectors.

    Warnings name wildcards without a matching word.

    Parameters
    ----------
    path : FILE.toml
        The test file.
    vectors : SOURCE
        Vectors with the vocabulary.
    output : -o, --output FILE.toml
        File to write. [default: standard output]
    """
    tests = read_test_file(path).tests
    written = expand_wildcards(tests, open_vectors(vectors))
    for before, after in zip(tests, written, strict=True):
        for role, concept in after.concepts.items():
            known = dict(before.concepts[role].absent)
            for term, reason in concept.absent:
                if term not in known:
                    remark(f"warning: test {after.id}, group {role}: {term}: {reason}")
    hand_out(written, output, [path])
