"""Sources that a run calls by a name: NAME=SOURCE, and a mapping from names to sources."""

import json

import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.sources.opening import NamedSpec, specs_of, split_name

TINY = make_test()


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A file of vectors, in the working folder, of whatever name."""
    monkeypatch.chdir(tmp_path)

    def write(name, seed=7):
        vectors = make_vectors(TINY, seed=seed)
        lines = (f"{word} {' '.join(map(str, row))}" for word, row in vectors.items())
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return name

    return write


@pytest.mark.parametrize(
    ("text", "spec", "name"),
    [
        ("50d=glove.txt", "glove.txt", "50d"),
        (" 50 d =glove.txt?a=b", "glove.txt?a=b", "50 d"),
        ("base=hf:M?layer=3", "hf:M?layer=3", "base"),
        ("α (2) =x=y.txt", "x=y.txt", "α (2)"),
        ("hf:M?layer=3", "hf:M?layer=3", ""),
        ("glove-sample?transform=center", "glove-sample?transform=center", ""),
        ("/data/a=b.txt", "/data/a=b.txt", ""),
        ("./a=b.txt", "./a=b.txt", ""),
        ("C:\\a=b.txt", "C:\\a=b.txt", ""),
        ("vectors.zip#a=b.txt", "vectors.zip#a=b.txt", ""),
        ("glove-sample=glove-sample", "glove-sample", "glove-sample"),
    ],
)
def test_a_name_is_what_no_source_string_begins_with(text, spec, name):
    assert split_name(text) == NamedSpec(spec, name)


def test_one_source_twice_is_one():
    assert specs_of(["a=glove-sample", "b=glove-sample"], "") == [
        NamedSpec("glove-sample", "a"),
        NamedSpec("glove-sample", "b"),
    ]
    assert len(eatlas.run("weat-6", ["a=glove-sample", "a=glove-sample"], "weat")) == 1


def test_results_have_the_name_and_where_it_came_from(written, tmp_path):
    results = eatlas.run(TINY, {"first": written("a.txt"), "second": written("b.txt", 8)}, "weat")
    assert [(one.source, one.source_from) for one in results] == [
        ("first", "a.txt"),
        ("second", "b.txt"),
    ]
    assert list(results.to_frame()["source"]) == ["first", "second"]
    results.save(tmp_path / "r.jsonl")
    again = eatlas.read_results(tmp_path / "r.jsonl")
    assert again == results
    assert [one.status for one in eatlas.verify(again)] == ["same", "same"]
    (bare,) = eatlas.run(TINY, "a.txt", "weat")
    assert "source_from" not in bare.to_dict()
    named = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    plain = json.loads(json.dumps(named).replace("first has", "a.txt has"))
    assert plain.pop("source_from") == "a.txt"
    of_bare = bare.to_dict()
    assert plain["provenance"].pop("run")["results"] == 2
    assert of_bare["provenance"].pop("run")["results"] == 1
    assert plain | {"source": "a.txt"} == of_bare
