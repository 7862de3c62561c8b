"""A corpus that is embedded by whoever, and cut off wherever, gives the same file."""

import json
import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from tests.inputs import ROOT

import eatlas
import eatlas_corpora.reading.files
from eatlas.executors import here
from eatlas_corpora.reading import local

WORDS = [f"w{i}" for i in range(40)]
TARGETS = ["ivy", "rose", "ant", "bee"]
TEST = eatlas.AssociationTest.of_lists(
    {"X": TARGETS[:2], "Y": TARGETS[2:], "A": WORDS[:2], "B": WORDS[2:4]}
)
VECTORS = dict(
    zip([*WORDS, *TARGETS], np.random.default_rng(0).normal(size=(44, 4)).tolist(), strict=True)
)
FILES = 40


@pytest.fixture
def corpus(tmp_path):
    """Small files, which are read in groups; more than 200 documents of the first party."""
    rng = np.random.default_rng(1)
    (tmp_path / "corpus").mkdir()
    for name in range(FILES):
        rows = [
            {"text": " ".join(rng.choice([*WORDS, *TARGETS], 30)), "party": "aaab"[k % 4]}
            for k in range(10)
        ]
        path = tmp_path / "corpus" / f"{name:02}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "corpus"


def embed(corpus, out, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eatlas.embed(corpus, TEST, VECTORS, by="party", out=out, **options)


@pytest.fixture
def whole(corpus, tmp_path):
    embed(corpus, tmp_path / "whole.npz")
    return (tmp_path / "whole.npz").read_bytes()


def backwards(function, items):
    for position in reversed(range(len(items))):
        yield position, function(items[position])


def test_order_changes_nothing_and_blocks_are_alike(corpus, whole, tmp_path):
    parts = embed(corpus, tmp_path / "backwards.npz", executor=backwards)
    assert (tmp_path / "backwards.npz").read_bytes() == whole
    assert parts.about.documents == (320, 80)
    assert parts.about.blocks == (200, 80)
    # documents 201 to 320 are added to the first 120 blocks, whatever files they are in
    contexts = np.zeros(200)
    own = parts.rows[:, 0] == 0
    np.add.at(contexts, parts.rows[own, 1], parts.counts[own])
    texts = [
        row["text"].split()
        for path in sorted(corpus.iterdir())
        for row in map(json.loads, path.read_text().splitlines())
        if row["party"] == "a"
    ]
    of_document = [sum(word in VECTORS and word in parts.terms for word in text) for text in texts]
    assert len(texts) == 320
    expected = np.array(of_document[:200], float)
    expected[:120] += of_document[200:]
    np.testing.assert_array_equal(contexts, expected)


def test_groups_are_of_a_like_size_and_few_are_learned_from(corpus):
    parts = eatlas_corpora.reading.files.parts_of(corpus)
    groups = local.groups_of(parts)
    assert [part for group in groups for part in group.parts] == parts
    assert len(groups) == 14  # of 3 files, as 2.5 of 40 are a sixteenth
    assert all(group.learns for group in groups)
    many = local.groups_of([part for part in parts for _ in range(3)])
    assert sum(group.learns for group in many) <= local.GROUPS


@pytest.mark.slow
def test_two_processes_give_the_same_bytes(corpus, whole, tmp_path):
    embed(corpus, tmp_path / "two.npz", workers=2)
    assert (tmp_path / "two.npz").read_bytes() == whole


KILLED = """
import os, signal
from eatlas_corpora.engine import embedding
from eatlas_corpora.sources.parts import CorpusParts
from tests.embedding.test_kept import embed
class_, name = {where}
was = getattr(class_, name)
calls = []
def cut_off(self, *given):
    was(self, *given)
    calls.append(name)
    if len(calls) == {after}:
        os.kill(os.getpid(), signal.SIGKILL)
setattr(class_, name, cut_off)
embed({corpus!r}, {out!r})
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "after", "left"),
    [
        ("embedding.AddedGroups, 'append'", 5, 9),
        ("CorpusParts, 'write'", 1, 0),  # all is read, and the file half written
    ],
)
def test_what_is_killed_goes_on(corpus, whole, tmp_path, where, after, left):
    out = tmp_path / "parts.npz"
    script = KILLED.format(where=where, after=after, corpus=str(corpus), out=str(out))
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not out.exists()
    read = []

    def watched(function, items):
        read.extend(items)
        yield from here(function, items)

    embed(corpus, out, executor=watched)
    assert len(read) == left
    assert out.read_bytes() == whole
    assert not list(tmp_path.glob(".*.unfinished"))


def test_texts_that_are_left_out_are_counted_where_an_embedding_goes_on(corpus, tmp_path):
    for path in sorted(corpus.iterdir())[::39]:  # the first and the last
        path.write_text(path.read_text() + '{"text": "", "party": "a"}\n')

    def half(function, items):
        yield 0, function(items[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed(corpus, tmp_path / "parts.npz", executor=half)
    files = embed(corpus, tmp_path / "parts.npz").about.corpus.files
    assert [file["skipped"] for file in files] == [{"empty": 1}, *[{}] * 38, {"empty": 1}]


def test_a_file_that_changed_is_read_again(corpus, tmp_path):
    out = tmp_path / "parts.npz"

    def half(function, items):
        yield 0, function(items[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed(corpus, out, executor=half)
    first = corpus / "00.jsonl"
    row = {"text": "ivy w1 w2 rose", "party": "c"}
    first.write_text(first.read_text() + json.dumps(row) + "\n")
    os.utime(first, ns=(0, 1))
    assert embed(corpus, out).parts == ["a", "b", "c"]
