"""``eatlas verify`` of files whose warnings are worded as by earlier versions."""

import json

import pytest

OF_SIZES = (
    "Fewer than 8 usable terms in X (4), Y (4), A (4), B (4): the papers hold that too few to "
    "represent a concept."
)
OF_WORDS = (
    "B: jail and prison are nearly one word (cosine 0.94 without what all words of the test "
    "share), and intervals take them for separate draws; "
    'clusters = [["jail", "prison"]] in the test draws them together.'
)


@pytest.fixture
def verify(eatlas_cli, test_file, vectors_csv, tmp_path):
    """Verify the results of a run, with their first warning replaced."""

    def call(replaced, *arguments):
        eatlas_cli("run", *arguments)
        path = tmp_path / "out" / "results.jsonl"
        line = json.loads(path.read_text("utf-8"))
        for place, said in enumerate(line["warnings"]):
            for start, sentences in replaced.items():
                if said.startswith(start):
                    line["warnings"][place : place + 1] = sentences
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        return eatlas_cli("verify", path)

    return call


@pytest.fixture
def small(test_file, vectors_csv):
    return "--tests", test_file, "--vectors", vectors_csv


def test_the_words_of_an_earlier_version_are_the_same(verify, small):
    ended = verify({"Few usable terms": [OF_SIZES]}, *small)
    assert ended.code == 0, ended.out
    ended = verify({"B: jail": [OF_WORDS]}, "--tests", "weat-1")
    assert ended.code == 0, ended.out


def test_another_number_is_another_warning(verify, small):
    ended = verify({"Few usable terms": [OF_SIZES.replace("X (4)", "X (5)")]}, *small)
    assert ended.code == 1
    assert "  warnings[0]: 'Fewer than 8 usable terms in X (5), Y (4), A (4)" in ended.out
    ended = verify({"Few usable terms": [OF_SIZES.replace("than 8", "than 9")]}, *small)
    assert ended.code == 1


def test_a_warning_that_was_removed_or_added_differs(verify, small):
    for sentences in ([], [OF_SIZES, OF_SIZES], ["Too few terms."]):
        ended = verify({"Few usable terms": sentences}, *small)
        assert ended.code == 1
        assert "  warnings" in ended.out
