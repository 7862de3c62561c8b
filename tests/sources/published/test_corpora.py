"""Corpora by name: kept as they are served, counted by name, and no source of vectors."""

from eatlas.sources.download import published_vectors

CORPORA = [one for one in published_vectors() if one.vectors.kind == "texts"]


def test_the_corpora_of_the_paper():
    names = [one.name for one in CORPORA]
    assert {"gpt2-output-webtext-train", "gpt2-output-medium-345M-train"} <= set(names)
    assert len(names) == len(set(names))
