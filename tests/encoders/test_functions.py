"""``py:module:function``, and functions that are handed over."""

import re

import numpy as np
import pytest
import torch

import eatlas
from eatlas.encoders.functions import FunctionSource
from eatlas.errors import SourceError
from eatlas.sources import Item, is_contextual

MODULE = '''
"""Encoders for the tests."""
import helper_of_mine


def lengths(texts):
    return [[len(text), text.count("e"), helper_of_mine.ONE] for text in texts]


def around(passages):
    return [[one.span[0], len(one.stimulus), len(one.text)] for one in passages]


class Model:
    def encode(self, texts, normalize=False):
        return lengths(texts)


model = Model()


def fails(texts):
    if texts:
        raise ValueError("the model\\nhas no weights")


def two(texts, more):
    return lengths(texts)


answer = 42
'''


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """A module of its own name in the working directory, for modules stay imported."""
    monkeypatch.chdir(tmp_path)
    name = "mine_" + re.sub(r"\W", "_", request.node.name)
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "helper_of_mine.py").write_text("ONE = 1.0\n", encoding="utf-8")
    return name


def error_of(spec):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(spec).lookup(["some", "words"])
    return caught.value


def test_a_function_of_the_working_directory(module):
    source = eatlas.open_vectors(f"py:{module}:lengths")
    assert is_contextual(source)
    assert source.lookup(["edge", "a"])["edge"].tolist() == [4, 2, 1]
    assert source.dim == 3
    assert source.name == f"py:{module}:lengths"
    assert source.encoding.level == "sentence"
    assert source.fingerprint.startswith(f"py:{module}:lengths;file=sha256:")


def test_a_function_that_asks_for_passages(module):
    source = eatlas.open_vectors(f"py:{module}:around")
    assert source.encoding.level == "word"
    (vector,) = source.encode([Item("This is ivy.", (8, 11))]).values()
    assert vector.tolist() == [8, 3, 12]


def test_any_function_in_python():
    source = eatlas.open_vectors(lambda texts: np.eye(2)[: len(texts)])
    assert source.dim == 2
    assert "file=sha256:" in source.fingerprint
    named = FunctionSource(len, name="unit", version="7")
    assert (named.name, named.fingerprint[-10:]) == ("unit", ";version=7")


def test_each_text_comes_once_and_256_at_most():
    sizes = []

    def encode(texts):
        sizes.append(len(texts))
        assert len(set(texts)) == len(texts)
        return np.ones((len(texts), 2))

    asked = [
        Item(f"{i} {j}", span) for i in range(30) for j in range(10) for span in (None, (0, 1))
    ]
    told = []
    given = FunctionSource(encode).encode(asked, lambda *n: told.append(n))
    assert sizes == [256, 44]
    assert told == [(512, 600), (600, 600)]
    assert given.keys() == set(asked)


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (torch.ones(2, 3, requires_grad=True), np.float32),
        (torch.ones(2, 3, dtype=torch.bfloat16), np.float32),
        (np.ones((2, 3), np.float16), np.float32),
        ([[1, 2, 3], [4, 5, 6]], np.float64),
        (np.ones((2, 3)), np.float64),
        ([np.ones(3, np.float32)] * 2, np.float32),
    ],
)
def test_what_a_function_may_return(array, kind):
    given = FunctionSource(lambda _: array).lookup(["a", "b"])
    assert {vector.dtype.type for vector in given.values()} == {kind}
    assert {vector.shape for vector in given.values()} == {(3,)}


@pytest.mark.parametrize(
    ("given", "what", "got"),
    [
        (np.ones(2), "one vector of numbers for each", r"an array of shape \(2,\)"),
        (np.ones((3, 2)), "one vector of numbers for each of 2 texts", r"of shape \(3, 2\)"),
        (np.ones((2, 0)), "not return one vector of", r"\(2, 0\)"),
        ([[1, 2], [3]], "not return one vector of", "inhomogeneous"),
        (None, "not return one vector of", "of shape \\(\\) and type object"),
        ([["a"], ["b"]], "not return one vector of", "<U1"),
        (np.ones((2, 2), complex), "not return one vector of", "complex128"),
        ([[1.0, 2.0], [float("nan"), 1.0]], "a component that is not finite: 'words'", "nan"),
        ([[float("inf"), 2.0], [0.0, 1.0]], "a component that is not finite: 'some'", "inf"),
    ],
)
def test_what_a_function_may_not_return(given, what, got):
    error = error_of(lambda _: given)
    assert re.search(what, error.what)
    assert re.search(got, error.got)


def test_vectors_of_two_lengths():
    source = FunctionSource(lambda texts: np.ones((len(texts), len(texts[0]))))
    source.lookup(["a"])
    with pytest.raises(SourceError, match="two calls returned vectors of different lengths"):
        source.lookup(["ab"])


def test_a_fault_of_the_function_is_shown_with_its_place(module):
    error = error_of(f"py:{module}:fails")
    assert error.what == f"py:{module}:fails: the function failed"
    line = MODULE.splitlines().index('        raise ValueError("the model\\nhas no weights")') + 1
    assert error.got.startswith("ValueError: the model\nhas no weights (")
    assert error.got.endswith(f"{module}.py, line {line})")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("py:{}:length", "this function cannot be imported\n  got: AttributeError: module"),
        ("py:{}:model.embed", "got: AttributeError: 'Model' object has no attribute 'embed'"),
        ("py:{}:answer", "got: TypeError: 42 (int) is not a function"),
        ("py:{}:Model", "is not a function\n  allowed: a function, or an instance or its method"),
        ("py:{}.py:lengths", "or of one in the working directory, without .py"),
        ("py:not_there.at_all:f", "got: ModuleNotFoundError: No module named 'not_there'"),
        ("py:{}", "no function is given\n  allowed: py:MODULE:FUNCTION"),
        ("py:", "no function is given"),
        ("py:{}:lengths?version", "cannot parse an option"),
        ("py:{}:lengths?layer=1", "unknown option\n  got: layer\n  allowed: cache, version"),
        ("py:{}:lengths?cache=on", "the option cache cannot have this value\n  got: cache=on"),
        ("py:{}:lengths?cache=yes", "remedy: add version=1, and raise it when the model"),
    ],
)
def test_what_cannot_be_opened(module, spec, said):
    assert said.replace("{}", module) in str(error_of(spec.replace("{}", module))).replace(
        f"<class '{module}.Model'>", "Model"
    )


def test_vectors_are_kept_under_a_version(module, tmp_path):
    first = eatlas.open_vectors(f"py:{module}:lengths?cache=yes&version=1")
    first.lookup(["edge"])
    again = eatlas.open_vectors(f"py:{module}:lengths?cache=yes&version=1")
    assert again.name == f"py:{module}:lengths?version=1"
    assert again.fingerprint.endswith(";version=1")
    again.source._function = None  # would fail
    assert again.lookup(["edge"])["edge"].tolist() == [4, 2, 1]
    other = eatlas.open_vectors(f"py:{module}:lengths?cache=yes&version=2")
    assert other.fingerprint != again.fingerprint
    other.source._function = lambda texts: [[0.0]] * len(texts)
    assert other.lookup(["edge"])["edge"].tolist() == [0]
    bare = eatlas.open_vectors(f"py:{module}:lengths?version=1")
    assert isinstance(bare, FunctionSource)
    assert bare.fingerprint == again.fingerprint
