"""What no source is opened from, or done to one: the call, and what is said."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.inputs import make_test
from tests.sources.files.writers import as_text
from tests.sources.series_files import write_histwords
from tests.sources.test_passages import WORDS, Letters, sentences

import eatlas
from eatlas import ArraySource, open_vectors, transformed
from eatlas.errors import SourceError
from eatlas.sources import embed, open_sources
from eatlas.sources.opening import LONGEST
from eatlas.sources.prompts import PromptSet, add_prompt

TERMS, ROWS = ["up", "down", "left"], np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
FEW = {"a": [1.0, 2.0], "b": [0.0, 1.0], "c": [3.0, 0.0]}
SETS = """
schema = 1
groups = ["Left", "Right"]
defining = [["l0", "r0"], ["l1", "r1"]]
specific = ["l0", "r0", "l1", "r1", "special"]
"""
ALL_SETS = "allowed: hard-debias:SETS, with gender, race, religion, or a TOML file of sets"
array = partial(ArraySource, TERMS)
sample = partial(transformed, "glove-sample")


def run(vectors, **options):
    return eatlas.run("weat-6", vectors, **options)


def lettered(prompts):
    return eatlas.run(make_test(**WORDS), Letters(), prompts=[prompts])


def first(vectors, transform):
    return transformed(vectors, transform).lookup(["a"])


def by_sets(old, new):
    Path("sets.toml").write_text(SETS.replace(old, new), encoding="utf-8")
    return sample("hard-debias:sets.toml")


def fitted(vectors):
    Path("sets.toml").write_text(SETS, encoding="utf-8")
    return transformed(vectors, "hard-debias:sets.toml").lookup(["w"])


def options(text):
    Path("v.txt").write_bytes(as_text())
    return open_vectors(f"v.txt?{text}")


def decades(text):
    row = {"up": [1.0, 0.0]}
    folder = write_histwords(Path("sgns"), {1990: row, 1810: row, 1900: row})
    return open_sources(f"{folder}?{text}")


def prompts_of(content):
    Path("p.txt").write_bytes(content)
    return PromptSet.read("p.txt")


REFUSED = [
    # objects
    (open_vectors, {"a": [1.0], "b": [1.0, 2.0]}, "vector of 'b' has the wrong shape\n  got: shape (2,)"),
    (open_vectors, {}, "there are no vectors"),
    (open_vectors, {"a": 1.0}, "dict: the vector of 'a' has the wrong shape\n  got: shape ()"),
    (open_vectors, {"a": [[1], [1, 2]]}, "dict: the vector of 'a': not real numbers\n  got: "),
    (open_vectors, {"a": ["x"]}, "dict: the vector of 'a': not real numbers\n  got: <U1"),
    (open_vectors, (["a"], ROWS), "the numbers of words and vectors differ\n  got: 1 words, 3 vectors"),
    (open_vectors, (["a", 2, "c"], ROWS), "word 1 is not a string\n  got: 2"),
    (open_vectors, (TERMS, ROWS[0]), "not an array of vectors"),
    (open_vectors, (ROWS, TERMS), "remedy: the words come first, then the vectors"),
    (open_vectors, ROWS, "remedy: pass the words as well: (words, array)"),
    (open_vectors, 42, "eatlas cannot open this object as vectors\n  got: 42 (int)"),
    (open_vectors, pd.DataFrame({"w": TERMS, "a": ROWS[:, 0], "t": TERMS}), "frame: the column t contains neither numbers nor the words\n  got: 'up' (str); the words are in w"),
    (open_vectors, pd.DataFrame(), "frame: there are no words\n  got: a frame of shape (0, 0)"),
    (open_vectors, pd.DataFrame(ROWS), "frame: the frame has only numbers, no words\n  allowed: a column or an index of words"),
    (array, ROWS + 1j, "array: not real numbers\n  got: complex128"),
    (array, ROWS.astype("datetime64[s]"), "got: datetime64[s]"),
    (array, [[1.0, 2.0], [3.0]], "inhomogeneous"),
    (partial(first, {"b": [1.0, 2.0], "a": [np.nan, 2.0]}), "center", "the vector of 'a' has a component that is not usable"),
    (run, [FEW, dict(FEW)], "two sources have the name 'dict'"),
    # source strings
    (open_vectors, " ", "no vectors were given\n  got: an empty text\n  allowed: a file, a name"),
    (open_vectors, "glove-smple", "there are no vectors called 'glove-smple'"),
    (open_vectors, "glove-sample?oov=1", "unknown option\n  got: oov\n  allowed: counts, transform"),
    (options, "foo=1", "unknown option\n  got: foo\n  allowed: encoding, format"),
    (options, "encodin=latin-1", "remedy: did you mean encoding?"),
    (options, "encoding", "cannot parse an option\n  got: encoding\n  allowed: key=value, with & between"),
    (options, "=yes", "cannot parse an option\n  got: =yes"),
    (options, "encoding=a&encoding=b", "an option is given twice\n  got: encoding"),
    (options, "encoding=ebcdic", "allowed: utf-8, utf8, latin-1, latin1"),
    (options, "format=glove", "the option format cannot be glove\n  got: format=glove\n  allowed: text, table"),
    (decades, "period=1991", "the series has no such period\n  got: period=1991\n  allowed: 1810, 1900, 1990"),
    (decades, "from=early", "the option from is not a year"),
    (decades, "form=1900", "did you mean from"),
    (partial(embed, make_test(), open_vectors(FEW)), "lower", "unknown case rule\n  got: 'lower'\n  allowed: auto or exact"),
    # names
    (run, "=glove-sample", "the name of a source is not usable"),
    (run, "50d=", "nothing is named '50d'\n  got: 50d="),
    (run, {"a/b": "glove-sample"}, "the name of a source is not usable\n  got: 'a/b' (str)"),
    (run, {"a\x1b[2J": "glove-sample"}, "the name of a source is not usable"),
    (run, {"n" * (LONGEST + 1): "glove-sample"}, "the name of a source is not usable"),
    (run, {3: "glove-sample"}, "the name of a source is not usable\n  got: 3 (int)"),
    (run, "glove-sample=other.txt", "'glove-sample' is already the name of other vectors"),
    (run, ["a=glove-sample", "a=glove-sample?transform=center"], "two sources have the name 'a'"),
    (run, {"a": "glove-sample", "b": [1.0, 2.0]}, "not real numbers\n  got: <U12"),
    (run, "nope=nope.txt", "nope.txt: there is no such file"),
    # prompts
    (lettered, ["a {}", "a {}"], "a prompt of a set occurs twice"),
    (lettered, [], "a set of prompts is empty"),
    (lettered, ["a {}", "b"], "the prompt has no placeholder for the word"),
    (lettered, ["a {}", 3], "a prompt of a set is not a text"),
    *((lettered, text, "allowed: one placeholder, {}, as in 'This is {}'") for text in ("{} and {}", "{words}", "{} {")),
    (partial(add_prompt, add_prompt(Letters(), "the {}")), PromptSet(("a {}",)), "two options set a prompt"),
    (partial(eatlas.run, sentences(), Letters(), prompts="This is {}"), None, "prompts apply only to tests of words\n  got: the sentence "),
    (partial(run, prompts=["This is {}"]), "glove-sample", "glove-sample: a prompt has no effect on vectors of single words"),
    (prompts_of, b"# nothing\n", "the file contains no prompts"),
    (prompts_of, b"\xff\xfe\x00", "the file is not UTF-8"),
    # transforms
    (sample, "centre", "unknown transform\n  got: 'centre'\n  allowed: center, standardize, whiten, all-but-the-top:K"),
    (sample, "centre", "did you mean center?"),
    (sample, "all-but-the-top:0", "all-but-the-top needs a number of components"),
    (sample, "whiten,,center", "got: ''"),
    (partial(first, {"a": [1.0, 2.0]}), "center", "dict: the transform center: too few nonzero vectors\n  got: 1 nonzero vectors with 2 components\n  allowed: 2 or more"),
    (partial(first, FEW), "whiten", "allowed: 4 or more\n  remedy: center needs the fewest"),
    (partial(first, FEW), "all-but-the-top:2", "without its first 2 principal components the vectors would have no variance\n  got: 2 components with any variance\n  allowed: up to 1"),
    (partial(first, {"a": [1.0, 2.0], "b": [np.inf, 1.0]}), "center", "dict: the vector of 'b' has a component that is not usable\n  got: inf\n  allowed: finite numbers up to 1e+100"),
    (sample, "hard-debias", f"hard-debias needs word sets\n  got: 'hard-debias'\n  {ALL_SETS}"),
    (sample, "hard-debias:gendre", "there are no word sets called 'gendre'\n  allowed: gender, race, religion, or a TOML file of sets\n  remedy: did you mean gender?"),
    (fitted, {"l0": [1.0, 0.0], "l1": [0.0, 1.0], "w": [1.0, 1.0]}, "no defining set has a usable word for each group\n  got: without a vector: r0, r1\n  allowed: one set or more with a word for each of Left, Right"),
    (fitted, {"l0": [1.0, 0.0], "r0": [2.0, 0.0], "w": [1.0, 1.0]}, "the defining sets do not differ in enough directions\n  got: 0 of 1"),
    (partial(by_sets, "schema = 1"), "schema = 2", "sets.toml: key schema: Input should be 1"),
    (partial(by_sets, '["l1", "r1"]]'), '["l1"]]', "key sets: ('l1',) (allowed: a word for each of"),
    (partial(by_sets, '["l1", "r1"]]'), '["l1", "l0"]]', "key defining: 'l0' stands for two groups"),
    (partial(by_sets, "specific"), "spesific", "key spesific: Extra inputs are not permitted"),
    (partial(by_sets, '"special"]'), '"special"]\nequalize = [["l0", "L0"]]', "key equalize: 'l0' stands for two groups, or"),
    (eatlas.residual_bias, "glove-sample", "these vectors were not transformed, so nothing could leave a bias"),
    (eatlas.residual_bias, "glove-sample?transform=center", "the diagnosis needs the word sets that define the bias"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "argument", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refusals(tmp_path, monkeypatch, call, argument, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as caught:
        call(argument) if argument is not None else call()
    assert message in str(caught.value)
