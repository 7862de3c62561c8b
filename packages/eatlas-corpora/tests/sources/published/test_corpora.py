"""Published corpora are counted by their names."""

import json

import pytest

import eatlas
from eatlas.errors import SourceError
from eatlas.sources.download import find, on_this_machine
from eatlas.sources.downloads import unpack

TEST = eatlas.GroupsTest(
    targets=["nurse"], groups={"Female": ["she"], "Male": ["he"]}, reference="uniform"
)


def test_a_corpus_is_counted_by_name_once_it_is_here(tmp_path):
    served = tmp_path / "served"
    served.write_text(json.dumps({"text": "The nurse said she ran."}) + "\n")
    entry = find("gpt2-output-webtext-train")
    assert on_this_machine("glove.6B.50d", "texts") is None
    with pytest.raises(SourceError, match="these published texts are not downloaded yet"):
        eatlas.count_text("gpt2-output-webtext-train", TEST)
    unpack(served, entry.vectors, entry.target)
    assert on_this_machine("gpt2-output-webtext-train", "texts").read_bytes() == served.read_bytes()
    counts = eatlas.count_text("gpt2-output-webtext-train", TEST)
    assert counts.counts("nurse") == {"female": 1, "male": 0}


def test_samples_of_gpt2_are_json_lines(tmp_path):
    entry = find("gpt2-output-medium-345M-train")
    served = tmp_path / "served"
    served.write_text(json.dumps({"id": 1, "text": "A nurse.\n\nHe ran."}) + "\n")
    unpack(served, entry.vectors, entry.target)
    counts = eatlas.count_text(entry.name, TEST)
    assert counts.counts("nurse") == {"female": 0, "male": 1}
