"""What a corpus, files of contexts and choices may not be: what, and what was there instead."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.inputs import make_test

from eatlas.errors import EatlasError
from eatlas.stimuli import load_tests
from eatlas_corpora.reading import (
    Context,
    Contexts,
    PairContext,
    Pairs,
    find_contexts,
    find_pairs,
    helm_counts,
    load_contexts,
    with_contexts,
)
from eatlas_corpora.reading.matching import Matcher, MatchRule

TEST = make_test()
HEAD = MatchRule(compounds="head")
ROW = Context("love", "a love b", 2, 6)
CONTEXTS = Contexts.of([ROW], provenance={"window": 3}, name="c.parquet")
OWN = Contexts.of([ROW])
PAIR = PairContext("ant", "love", "ant love", 0, 3, 4, 8)
PAIRS = Pairs.of([PAIR], provenance={"window": 9, "distance": 18}, name="p.csv")


def refused(call, what, got):
    with pytest.raises(EatlasError) as caught:
        call()
    assert what in caught.value.what
    assert got in (caught.value.got or "")


@pytest.mark.parametrize(
    ("call", "what", "got"),
    [
        (lambda p: find_contexts(p, TEST, per_term=0), "per_term is not usable", "0 (int)"),
        (lambda p: find_contexts(p, TEST, window=-1), "window is not usable", "-1 (int)"),
        (lambda p: find_contexts(p, TEST, seed=True), "seed is not usable", "True (bool)"),
        (lambda p: find_contexts(p, TEST, unit="page"), "the unit cannot be used", "'page'"),
        (lambda p: find_contexts(p, TEST, compounds="?"), "unknown rule for compounds", "'?'"),
        (lambda p: find_contexts(p, TEST, repeats=True), "repeats is not usable", "True"),
        (lambda p: find_contexts(p, TEST, workers=0), "the number of workers is not usable", "0"),
        (lambda p: find_contexts(p, "sent-weat-6"), "test sent-weat-6: its stimuli are sentences already", ""),
        (lambda p: find_contexts(p.with_name("none.txt"), TEST), "none.txt: there is no such file", ""),
        (lambda p: find_contexts(p.parent / "empty", TEST), "empty: there is no file in this folder", ""),
        (lambda _: find_contexts([], TEST), "no corpus is given", ""),
        (lambda _: find_contexts(3, TEST), "this is not a corpus", "3 (int)"),
        (lambda _: find_contexts([None], TEST), "this is not a corpus", "None (NoneType)"),
        (lambda p: find_pairs(p, TEST, distance=-1), "distance is not usable", "-1 (int)"),
        (lambda p: find_pairs(p, "divdist"), "has no pairs", "a test of the kind groups"),
        (lambda _: Matcher(["fried-chicken", "chicken"], HEAD), "two stimuli have the same head, 'chicken'", "fried-chicken, chicken"),
        (lambda _: MatchRule("loose"), "unknown rule for case", "'loose'"),
        (lambda p: OWN.write(p.with_name("c.xlsx")), "c.xlsx: contexts cannot be written in this format", ".xlsx"),
        (lambda p: load_contexts(p.with_name("none.parquet")), "none.parquet: there is no such file", ""),
        (lambda _: with_contexts("weat-6", 3), "these are not contexts", "3 (int)"),
        (lambda _: with_contexts("sent-weat-6", OWN), "test sent-weat-6: its stimuli are sentences already", ""),
        (lambda _: with_contexts("divdist", OWN), "group targets (Professions): no stimulus has a context", ""),
        (lambda _: helm_counts("one", *load_tests("divdist-gender")), "texts are counted one by one", "one text"),
        (lambda _: CONTEXTS.cut(9), "c.parquet: its contexts cannot be shortened to this window", "a window of 9 words"),
        (lambda _: OWN.cut("sentence"), "the contexts: its contexts cannot be shortened to this window", "a window of sentence"),
        (lambda _: CONTEXTS.cut(-1), "window is not usable", "-1 (int)"),
        (lambda _: PAIRS.cut(True), "window is not usable", "True (bool)"),
    ],
)  # fmt: skip
def test_calls(tmp_path, call, what, got):
    (tmp_path / "empty").mkdir()
    path = tmp_path / "some.txt"
    path.write_text("aster love")
    refused(lambda: call(path), what, got)


@pytest.mark.parametrize(
    ("name", "data", "what", "got"),
    [
        ("a.jsonl", b'{"id": 1, "content": "x"}\n', "there is no field 'contents'; did you mean content?", "content, id"),
        ("a.csv", b"id,content\n1,x\n", "there is no column 'contents'; did you mean content?", "content, id"),
        ("a.csv", b"", "there is no column 'contents'", "no column"),
        ("a.txt", "love".encode("utf-16"), "the file is not UTF-8", "UTF-16"),
        ("a.txt", b"love \xff\n", "none of its text can be read", "line 1: not UTF-8"),
        ("a.txt", b"<!DOCTYPE html>\n<html>", "this is a page of HTML or XML", "it begins with <!DOCTYPE"),
        ("a.txt", "\ufeff  <HTML lang='en'>".encode(), "this is a page of HTML or XML", "it begins with <HTML"),
        ("a.txt", b"<!-- saved from (0022) -->\n<html>", "this is a page of HTML or XML", "it begins with <html"),
        ("a.txt", b"<?xml version='1.0'?><mediawiki>", "this is a page of HTML or XML", "it begins with <?xml"),
        ("a.html", b"An aster.", "this is a page of HTML or XML", "the name a.html"),
    ],
)  # fmt: skip
def test_files_of_a_corpus(tmp_path, name, data, what, got):
    (tmp_path / name).write_bytes(data)
    refused(lambda: find_contexts(tmp_path / name, TEST, field="contents"), what, got)


def test_columns_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1], "content": ["x"]}), path)
    refused(lambda: find_contexts(path, TEST), "there is no column 'text' or 'body'", "content, id")
    refused(lambda: find_contexts(path, TEST, field="id"), "'id' does not contain text", "int64")


@pytest.mark.parametrize(
    ("name", "text", "got"),
    [
        ("c.jsonl", "[1]", "stimulus: "),
        ("c.jsonl", '{"text": "a"}', "stimulus: "),
        ("c.jsonl", '{"stimulus": "a", "text": "a", "start": "x", "end": 1}', "start: Input should"),
        ("c.jsonl", '{"stimulus": "a", "text": "a", "start": 0, "end": 2}', "a span 0 to 2 of 'a'"),
        ("c.jsonl", '{"stimulus": "a", "text": ["a"], "start": 0, "end": 1}', "text: Input should"),
        ("c.jsonl", '{"stimulus": "a", "text": "a", "start": 0, "end": 1e999}', "1e999"),
        ("c.jsonl", "[" * 100_000, "values that are nested too deep"),
        ("c.jsonl", "9" * 10_000, "Exceeds the limit"),
        ("c.csv", "text,start\na,0\n", "stimulus: "),
        ("c.parquet", "PAR1", ""),
        ("c.txt", "", ""),
    ],
)  # fmt: skip
def test_files_of_contexts(tmp_path, name, text, got):
    (tmp_path / name).write_text(text)
    refused(lambda: load_contexts(tmp_path / name), name, got)
