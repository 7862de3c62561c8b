"""Objects that hold words and vectors: one set of vectors in every form, and what is wrong."""

import datasets
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from pyarrow import parquet

import eatlas
from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources.covariates import word_covariates

WORDS = ["up", "down", "left"]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def keyed(words, rows):
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(vector_size=rows.shape[1])
    vectors.add_vectors(words, rows)
    return vectors


def pipeline(words, rows):
    import spacy

    nlp = spacy.blank("en")
    for word, row in zip(words, rows, strict=True):
        nlp.vocab.set_vector(word, row.astype(np.float32))
    return nlp


def wide(words, rows):
    return {"word": words, **{f"v{k}": column for k, column in enumerate(rows.T)}}


def lists(words, rows):
    return {"word": words, "count": list(range(len(words))), "vector": rows.tolist()}


def text_file(words, rows):
    lines = (" ".join([w, *map(repr, row)]) for w, row in zip(words, rows.tolist(), strict=True))
    return "\n".join(lines)


FORMS = {
    "dict of lists": lambda w, r: dict(zip(w, r.tolist(), strict=True)),
    "dict of arrays": lambda w, r: dict(zip(w, r, strict=True)),
    "dict of tensors": lambda w, r: dict(
        zip(w, torch.tensor(r, requires_grad=True).unbind(), strict=True)
    ),
    "array": lambda w, r: (w, r),
    "tensor": lambda w, r: (w, torch.tensor(r, requires_grad=True)),
    "list of tensors": lambda w, r: (np.array(w), list(torch.tensor(r, requires_grad=True))),
    "pandas index": lambda w, r: pd.DataFrame(r, index=w),
    "pandas wide": lambda w, r: pd.DataFrame(wide(w, r)),
    "pandas nullable": lambda w, r: pd.DataFrame(wide(w, r)).convert_dtypes(),
    "pandas lists": lambda w, r: pd.DataFrame(lists(w, r)),
    "pandas lists by index": lambda w, r: pd.Series(list(r), w, name="vector").to_frame(),
    "pandas series": lambda w, r: pd.Series(list(r), w),
    "pandas objects": lambda w, r: pd.DataFrame(wide(w, r)).astype(object),
    "narwhals": lambda w, r: narwhals.from_native(pl.DataFrame(wide(w, r))),
    "polars wide": lambda w, r: pl.DataFrame(wide(w, r)),
    "polars lists": lambda w, r: pl.DataFrame(lists(w, r)),
    "polars arrays": lambda w, r: pl.DataFrame({"word": w, "vector": r}),
    "polars lazy": lambda w, r: pl.DataFrame(lists(w, r)).lazy(),
    "pyarrow wide": lambda w, r: pa.table(wide(w, r)),
    "pyarrow lists": lambda w, r: pa.table(lists(w, r)),
    "datasets wide": lambda w, r: datasets.Dataset.from_dict(wide(w, r)),
    "datasets lists": lambda w, r: datasets.Dataset.from_dict(lists(w, r)),
    "gensim": keyed,
    "nlp": pipeline,
    "vocab": lambda w, r: pipeline(w, r).vocab,
    "vectors": lambda w, r: pipeline(w, r).vocab.vectors,
}
SINGLE = ("gensim", "nlp", "vocab", "vectors")
"""Forms that hold numbers in single precision."""


@pytest.fixture(scope="module")
def of_one_set(tmp_path_factory):
    """Sources of the words of weat-6 in every form, files with them."""
    (test,) = eatlas.load_tests("weat-6")
    vectors = eatlas.open_vectors("glove-sample").lookup({term.lower() for term in test.terms})
    words, rows = list(vectors), np.array(list(vectors.values()), np.float64)
    folder = tmp_path_factory.mktemp("forms")
    parquet.write_table(pa.table(lists(words, rows)), folder / "lists.parquet")
    parquet.write_table(pa.table(wide(words, rows)), folder / "wide.parquet")
    (folder / "mine.txt").write_text(text_file(words, rows), encoding="utf-8")
    sources = {form: open_vectors(make(words, rows)) for form, make in FORMS.items()}
    return test, sources | {path.name: open_vectors(path) for path in sorted(folder.iterdir())}


def test_the_same_d_through_every_form(of_one_set):
    test, sources = of_one_set
    measure = eatlas.WEAT(resamples=0, frequency="off")
    d = {form: measure(test, source).value for form, source in sources.items()}
    assert len(d) == len(FORMS) + 3
    assert max(d.values()) - min(d.values()) < 1e-6
    assert d["array"] == pytest.approx(1.717767, abs=1e-6)


def test_words_and_numbers_are_the_same(of_one_set):
    _, sources = of_one_set
    files = {name for name in sources if "." in name}
    assert len({sources[form].fingerprint for form in {*FORMS} - {*SINGLE}}) == 1
    assert len({tuple(source.vocabulary()) for source in sources.values()}) == 1
    assert {source.name for form, source in sources.items() if form not in files} == {
        "dict", "array", "frame", "KeyedVectors", "en_pipeline", "spaCy",
    }  # fmt: skip


def test_a_run_takes_them_by_name_and_in_lists(tiny, tiny_vectors):
    words, rows = list(tiny_vectors), np.array(list(tiny_vectors.values()))
    frame, dataset = pl.DataFrame(wide(words, rows)), FORMS["datasets lists"](words, rows)
    nlp, lazy = pipeline(words, rows), FORMS["polars lazy"](words, rows)
    named = {"a": frame, "b": dataset, "c": nlp, "d": lazy, "e": pa.table(lists(words, rows))}
    measure = "weat(resamples=0,frequency=off)"
    assert [result.source for result in eatlas.run(tiny, named, measure)] == [*"abcde"]
    assert [r.source for r in eatlas.run(tiny, [frame, nlp], measure)] == ["frame", "en_pipeline"]


def test_duplicates_and_half_precision():
    frame = pl.DataFrame({"term": ["up", "down", "up"], "a": [1.0, 2.0, 9.0], "b": [0.0, 1.0, 9.0]})
    source = open_vectors(frame)
    assert source["up"].tolist() == [1, 0]
    assert str(source.notes[0]) == "frame: 1 duplicate word; the first entry of each was used."
    half = torch.tensor(ROWS, dtype=torch.bfloat16, requires_grad=True)
    assert open_vectors((WORDS, half))["left"].tolist() == [5, 6]
    assert open_vectors(lambda texts: [half[0] for _ in texts])["x"].tolist() == [1, 2]


def test_a_column_named_word_is_the_one():
    frame = {"id": list("abc"), "Word": WORDS, "pos": list("NNV"), "vector": ROWS.tolist()}
    assert open_vectors(pl.DataFrame(frame))["left"].tolist() == [5, 6]
    tagged = pd.DataFrame({"id": list("abc"), "a": ROWS[:, 0], "word": WORDS}, index=list("xyz"))
    assert "frame: the column id contains neither numbers" in refusal(tagged)
    assert open_vectors(tagged.drop(columns="id"))["down"].tolist() == [3]


def refusal(thing):
    with pytest.raises(SourceError) as caught:
        open_vectors(thing)
    return str(caught.value)


def iterable():
    return datasets.Dataset.from_dict(lists(WORDS, ROWS)).to_iterable_dataset()


NUMBERS = {"a": [1.0, 2.0, 3.0]}
REFUSED = [
    (lambda: pl.DataFrame({"w": WORDS, "pos": list("NNV"), **NUMBERS}), "frame: the column pos contains neither numbers nor the words\n  got: 'N' (str); the words are in w"),
    (lambda: pl.DataFrame({"id": list("abc"), "w": WORDS, "v": ROWS}), "the column w contains neither numbers"),
    (lambda: pl.DataFrame({"w": WORDS, "a": ["0.1", "0.2", "0.3"]}), "remedy: its numbers are text"),
    (lambda: pl.DataFrame({"w": WORDS, "a": [True, False, True]}), "the column a contains neither numbers"),
    (lambda: pl.DataFrame({"w": ["up", None, "left"], **NUMBERS}), "frame, row 2: there is no word\n  got: None"),
    (lambda: pd.DataFrame({"w": ["up", None, "left"], **NUMBERS}), "frame, row 2: there is no word\n  got: nan"),
    (lambda: pd.DataFrame({"w": ["up", 1984, "left"], **NUMBERS}), "frame, row 2: there is no word\n  got: 1984"),
    (lambda: pl.DataFrame({"w": ["up", "", "left"], **NUMBERS}), "frame, row 2: there is no word\n  got: ''"),
    (lambda: pd.DataFrame({"word": WORDS, **NUMBERS, "z": [1.0, "-", 2.0]}), "the column z contains neither numbers nor the words\n  got: '-'"),
    (lambda: pa.table({"w": WORDS, "a": [1.0, None, 3.0]}), "frame, row 2 (down), column a: a component is missing"),
    (lambda: pl.DataFrame({"w": WORDS, "a": [1.0, 2.0, float("nan")]}), "row 3 (left), column a: a component is missing"),
    (lambda: pa.table({"w": WORDS, "v": [[1.0, 2.0], [None, 2.0], [1.0, 2.0]]}), "row 2 (down), column v: a component is missing"),
    (lambda: pa.table({"w": WORDS, "v": [[1.0, 2.0], None, [1.0, 2.0]]}), "frame, row 2 (down) has the wrong shape\n  got: shape ()"),
    (lambda: pl.DataFrame({"w": WORDS, "v": [[1.0, 2.0], [1.0], [1.0, 2.0]]}), "frame, row 2 (down) has the wrong shape\n  got: shape (1,)"),
    (lambda: pl.DataFrame({"w": WORDS}), "frame: the frame does not have one vector per word\n  got: no column of numbers"),
    (lambda: pl.DataFrame({"w": WORDS, "v": ROWS, "u": ROWS}), "got: lists in v, u"),
    (lambda: pl.DataFrame(ROWS), "frame: the frame has only numbers, no words"),
    (lambda: pl.DataFrame({"word": [], "a": []}), "frame: there are no words\n  got: a frame of shape (0, 2)"),
    (lambda: pd.DataFrame(ROWS, WORDS, ["a", "a"]), "frame: every column needs a name of its own\n  got: a, a"),
    (lambda: datasets.DatasetDict(train=datasets.Dataset.from_dict(lists(WORDS, ROWS))), "got: DatasetDict\n  allowed: a split: dataset['train']"),
    (iterable, "got: IterableDataset\n  allowed: a Dataset, such as"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refusals(make, message):
    assert message in refusal(make())


def test_a_dataset_of_splits_is_refused_by_a_run(tiny):
    splits = datasets.DatasetDict(train=datasets.Dataset.from_dict(lists(WORDS, ROWS)))
    with pytest.raises(SourceError, match=r"a split: dataset\['train'\]"):
        eatlas.run(tiny, splits)


def test_spacy_without_vectors(tmp_path):
    import spacy
    from spacy.vectors import Vectors

    hashed = Vectors(data=ROWS, keys=[10**18, 10**18 + 1, 10**18 + 2])
    blank = spacy.blank("en")
    assert "en_pipeline: this pipeline has no word vectors" in refusal(blank)
    assert "such as en_core_web_md" in refusal(blank.vocab.vectors)
    blank.vocab.vectors = Vectors(
        strings=blank.vocab.strings, data=np.ones((9, 2), "f"), mode="floret", hash_count=1
    )
    assert "n-grams and has no list of words\n  remedy: a function of texts" in refusal(blank)
    blank.to_disk(tmp_path)
    assert "hand over the object: spacy.load(FOLDER)" in refusal(tmp_path)
    assert "by hashes alone\n  remedy: pass nlp" in refusal(hashed)


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, datasets.Dataset.from_dict])
def test_covariates_of_any_frame(make):
    numbers = {"word": WORDS, "valence": [1.0, 2.0, None], "length": [2, 4, 4]}
    assert word_covariates(make(numbers)) == word_covariates(pd.DataFrame(numbers))
    lengths = pd.Series(numbers["length"], WORDS, name="length")
    assert word_covariates(lengths) == word_covariates({"length": lengths})
