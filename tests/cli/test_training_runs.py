"""``--vectors "NAME=run-*.txt"``: files that are training runs of one source."""

import json

import pytest
from tests.inputs import TOML, make_test, make_vectors

import eatlas
from eatlas.errors import SourceError
from eatlas.sources.opening import NamedSpec, specs_of


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Three runs, two of something else, and a test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").write_text(TOML, encoding="utf-8")
    for name, seed in (("run-10", 1), ("run-2", 2), ("run-9", 3), ("b[1]-x", 4), ("b[1]-y", 5)):
        rows = make_vectors(make_test(), seed=seed).items()
        text = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows)
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path


RUNS = [("w2v run 2", "run-2.txt"), ("w2v run 9", "run-9.txt"), ("w2v run 10", "run-10.txt")]


def test_runs_are_known_from_the_command_to_verify(eatlas_cli, folder):
    ended = eatlas_cli("run", "--tests", "t.toml", "--vectors", "w2v=run-*.txt")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("3 training runs of w2v: ")
    lines = [json.loads(line) for line in (folder / "out/results.jsonl").read_text().splitlines()]
    assert [(line["source"], line["source_from"]) for line in lines] == RUNS
    assert {line["run_of"] for line in lines} == {"w2v"}
    page = (folder / "out/report.html").read_text(encoding="utf-8")
    assert '<code dir="auto">run-2.txt</code>, a training run of <code dir="auto">w2v' in page
    assert "We treated each test on several training runs as one claim" in page
    assert eatlas_cli("verify", "out/results.jsonl").code == 0
    table = eatlas_cli("report", "out/results.jsonl", "--format", "markdown")
    assert table.out.startswith("**1 test, each as one claim over 3 training runs**")
    assert "run_of" in eatlas_cli("report", "out/results.jsonl", "--format", "csv").out


def test_a_list_a_pattern_and_objects():
    pattern = eatlas.run(make_test(), {"w2v": "run-*.txt"})
    listed = eatlas.run(make_test(), {"w2v": [path for _, path in RUNS]})
    assert [(r.source, r.run_of) for r in listed] == [(f"w2v run {n}", "w2v") for n in (1, 2, 3)]
    assert len({r.provenance.source_fingerprint for r in listed}) == 3
    assert [r.level1 for r in listed] == [r.level1 for r in pattern]
    vectors = [make_vectors(make_test(), seed=seed) for seed in (2, 3, 1)]
    held = eatlas.run(make_test(), {"w2v": vectors}).pooled()[0]
    assert (held.over, held.noun, len(held.sources)) == ("run", "training runs", 3)
    pattern.save("r.jsonl")
    assert eatlas.read_results("r.jsonl") == pattern
    assert pattern.pooled()[0] == pattern.pooled("run")[0]
    assert "run_of" not in eatlas.run(make_test(), "one=run-2.txt")[0].to_dict()


def test_each_name_is_pooled_over_its_runs_and_other_sources_over_sources():
    runs = {"w2v": "run-*.txt", "b": "b[1]-*.txt?transform=center"}
    results = eatlas.run(make_test(), runs | {"e": "run-2.txt", "f": "run-9.txt"})
    id_, pooled = make_test().id, {test.name: test for test in results.pooled()}
    assert [(name, t.noun, len(t.sources)) for name, t in pooled.items()] == [
        (f"{id_} (w2v)", "training runs", 3),
        (f"{id_} (b)", "training runs", 2),
        (f"{id_} (e)", "embeddings", 2),
    ]
    alone = eatlas.run(make_test(), {"w2v": "run-*.txt"}).pooled()[0]
    assert pooled[f"{id_} (w2v)"].questions == alone.questions
    assert "each as one claim over 2 to 3 sources" in str(results.pooled())
    assert [row.name for row in results.compare("source")] == list(pooled)


def test_options_stay_and_other_sources_are_as_they_were():
    assert specs_of(["w=run-*.txt?a=b#c", "v=st:a?prompt=* {}"], "") == [
        *(NamedSpec(f"run-{n}.txt?a=b#c", f"w run {n}", "w") for n in (2, 9, 10)),
        NamedSpec("st:a?prompt=* {}", "v"),
    ]
    words = {"up": [1.0, 0.0]}
    assert specs_of(words, "") == [NamedSpec(words)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("w=run-1*.txt", "w: only one training run was found"),
        ("w=no-*.txt", "w: no file matches no-*.txt"),
        ("w=r*-*.txt", "a pattern must have exactly one *"),
        ("w=run-?.txt", "for training runs of one source use *: NAME=run-*.txt"),
        ("run-*.txt", "training runs of one source have a name: NAME=run-*.txt"),
        ({"w": ["run-2.txt"]}, "only one training run was found"),
    ],
)
def test_what_names_no_runs_is_refused(text, said):
    with pytest.raises(SourceError) as caught:
        eatlas.run(make_test(), text)
    assert said in str(caught.value)
