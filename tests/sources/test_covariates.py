"""Covariates of words: from files, mappings and frames, and what is wrong with them."""

import math

import numpy as np
import pandas as pd
import pytest

from eatlas.errors import SourceError
from eatlas.sources.covariates import CovariatesAtHand, word_covariates

NORMS = "word,valence,length\njoy,8.2,3\nwar,1.8,3\nthe ants,NA,8\nnan,,2\n"
BY_WORD = {
    "valence": {"joy": 8.2, "war": 1.8, "nan": float("nan")},
    "length": {"war": 3, "joy": 3, "the ants": 8, "nan": np.int64(2)},
}


@pytest.fixture
def write(tmp_path):
    def written(text, name="norms.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def test_forms_of_a_file(write):
    norms = word_covariates(write(NORMS))
    assert (norms.names, norms.file) == (("valence", "length"), "norms.csv")
    assert norms.values["joy"] == (8.2, 3)
    assert math.isnan(norms.values["the ants"][0])
    assert math.isnan(norms.values["nan"][0])
    forms = [
        (NORMS.replace(",", "\t"), "a.tsv"),
        (NORMS.replace(",", ";"), "b.csv"),
        ("\ufeff" + NORMS.replace("\n", "\r\n") + "\r\n", "c.csv"),
        (NORMS.replace("the ants", '" the ants"').replace("8.2", "8.20") + "joy,8.2,3\n", "d.csv"),
        ("word,part,length,valence\njoy,n,3,8.2\nwar,n,3,1.8\nthe ants,n,8,\nnan,n,2,NaN\n", "e.csv"),
    ]  # fmt: skip
    for text, name in forms:
        path = write(text, name)
        spec = f"{path}?columns=valence, length" if "part" in text else path
        assert word_covariates(spec).sha256 == norms.sha256, name


def test_mappings_and_frames_are_the_file_without_a_name(write):
    norms = word_covariates(write(NORMS))
    frame = pd.DataFrame(BY_WORD)
    forms = [
        BY_WORD,
        frame,
        frame.convert_dtypes(),
        frame.rename_axis("word").reset_index(),
        {name: frame[name] for name in frame},
    ]
    for form in forms:
        read = word_covariates(form)
        assert (read.names, read.file, read.sha256) == (norms.names, "", norms.sha256)
    single = word_covariates(BY_WORD["length"])
    assert (single.names, single.values["the ants"]) == (("covariate",), (8,))
    assert single.sha256 != norms.sha256


def test_names_and_numbers_decide_the_hash(write):
    texts = [NORMS, NORMS.replace("8.2", "8.3"), NORMS.replace("length", "letters"), NORMS + "a,1,1\n"]  # fmt: skip
    assert len({word_covariates(write(text)).sha256 for text in texts}) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "norms.csv: the table has no column of numbers"),
        ("word\njoy\n", "norms.csv: the table has no column of numbers"),
        ("word,valence\n", "norms.csv: the file has no words with covariates"),
        (NORMS.replace("1.8", "bad"), "norms.csv, line 3, column valence: this is not a number\n  got: 'bad'\n"),
        (NORMS.replace("1.8", "inf"), "line 3, column valence: this is not a number"),
        (NORMS.replace("1.8", "1_8"), "line 3, column valence: this is not a number"),
        (NORMS.replace("1.8", "1e200"), "line 3, column valence: this is not a number"),
        (NORMS.replace("8.2", '"8,2"'), "line 2, column valence: this is not a number\n  got: '8,2'\n  allowed: a number with a decimal point"),
        (NORMS + "joy,8.1,3\n", "line 6: the word 'joy' has different numbers from before\n  got: 8.1, 3; "),
        (NORMS + "joy,,3\n", "line 6: the word 'joy' has different numbers from before\n  got: nothing, 3; "),
        (NORMS.replace("8.2", "1.8"), "column valence: a covariate must differ between words\n  got: 1.8 for all of them\n  remedy: remove the column"),
        ("word,a,b\nx,1,\ny,2,NA\n", "column b: a covariate must differ between words\n  got: no number\n"),
        (NORMS.replace("length", "Frequency"), "the column name 'Frequency' is reserved for the ranks of the source"),
        (NORMS.replace("length", "valence"), "every column of numbers needs a unique name\n  got: valence twice"),
        (NORMS.replace("length", " "), "every column of numbers needs a unique name\n  got: an empty name"),
        (NORMS + "peace,1\n", "line 6: the row and the header have different numbers of cells\n  got: 2\n  allowed: 3"),
        (NORMS + ",1,2\n", "line 6: there is no word"),
        (NORMS.encode("utf-16"), "norms.csv: the file is not UTF-8\n  got: its first bytes look like UTF-16"),
        ("word,valence\ncaf\xe9,1\n".encode("latin-1"), "norms.csv, line 2: the file is not UTF-8"),
        (b"PK\x03\x04\xff\xfe", "norms.csv, line 1: the file is not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_line_and_column(write, text, message):
    with pytest.raises(SourceError) as caught:
        word_covariates(write(text))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("none.csv", "none.csv: the table cannot be read\n  got: No such file"),
        ("norms.csv?column=valence", "unknown option\n  got: column\n"),
        ("norms.csv?columns=valenz", "there is no column valenz; did you mean valence?\n  allowed: valence, length"),
        ("norms.csv?columns=word", "there is no column word"),
        (5, "not covariates of words\n  got: 5 (int)"),
        ({}, "the file has no words with covariates"),
        ({"joy": "much"}, "covariates, 'joy', column covariate: this is not a number\n  got: 'much'"),
        ({"valence": {"joy": 1}, "length": 3}, "'length' has no numbers by word"),
        ({3: 1.0, 4: 2.0}, "there is no word\n  got: 3"),
        (pd.DataFrame({"valence": [1.0, 2.0]}), "the frame has only numbers, no words"),
        (pd.DataFrame({"word": ["a", "b"]}), "frame: the table has no column of numbers"),
        (pd.DataFrame({"word": ["a", "b"], "pos": ["n", "v"]}), "frame, row 1, column pos: this is not a number"),
        (pd.DataFrame({"word": [], "valence": []}), "frame: there are no words"),
    ],
)  # fmt: skip
def test_what_is_no_covariate(write, monkeypatch, given, message):
    monkeypatch.chdir(write(NORMS).parent)
    with pytest.raises(SourceError) as caught:
        word_covariates(given)
    assert message in str(caught.value)


def test_spellings_are_those_of_the_case_rule():
    norms = word_covariates({"joy": 1, "WAR": 2, "Rose": 3, "rose": 4})
    assert norms.of_word("Joy", "auto") == (1,)
    assert norms.of_word("war", "auto") == (2,)
    assert norms.of_word("Rose", "auto") == (3,)
    assert norms.of_word("war", "exact") is None


def test_a_record_reads_no_file_outside_the_folders(write, tmp_path):
    """Only the last part of a name counts, and only what has the hash is taken."""
    norms = word_covariates(write(NORMS))
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("../norms.csv", str(tmp_path / "norms.csv"), "..", "/", "a\0b", ""):
        origin = norms.origin.model_copy(update={"file": name})
        with pytest.raises(SourceError, match="neither next to it nor in the working folder"):
            CovariatesAtHand(None, [folder]).find(origin)
    write(NORMS, "folder/norms.csv")
    assert CovariatesAtHand(None, [folder]).find(norms.origin) == norms
    write(NORMS.replace("8.2", "8.3"), "folder/norms.csv")
    with pytest.raises(SourceError, match="norms.csv has others, SHA-256"):
        CovariatesAtHand(None, [folder]).find(norms.origin)
    assert CovariatesAtHand([BY_WORD], [folder]).find(norms.origin).file == "norms.csv"
