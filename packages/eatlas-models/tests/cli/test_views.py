"""``eatlas views``."""

from __future__ import annotations

import json

import pytest
from tests.chat_server import ChatServer, Planted
from tests.model_views.planted import ASK, QUESTION, STRENGTH, TEST, vectors
from tests.served import running

from eatlas.stimuli import to_toml
from eatlas_models.model_views.record import ViewsRecord

ANSWERS = """\
from tests.model_views import planted
def agree(prompts):
    return planted.answers(prompts)
"""
QUICK = ("--measure", ASK, "--measure", "ml-eat(resamples=200)")


@pytest.fixture
def files(tmp_path):
    """Vectors, a test and a function that answers, in the working directory."""
    rows = [" ".join([word, *map(str, row)]) for word, row in vectors().items()]
    (tmp_path / "planted.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "planted.toml").write_text(to_toml([TEST]), encoding="utf-8")
    (tmp_path / "spoken.py").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


def test_views(eatlas_cli, files):
    given = ("planted.txt", "--answers", "py:spoken:agree", "--tests", "planted.toml", *QUICK)
    ended = eatlas_cli("views", *given, "-o", "o")
    assert (ended.code, ended.err) == (0, "")
    assert ended.said.startswith("planted: Vectors and answers agree: rho 0.9")
    assert "By the paper's rule their EAT pattern is the same: AB-Divergent" in ended.said
    rows = [line.split()[0] for line in ended.out.splitlines() if line.startswith(("vec", "answ"))]
    assert rows == ["vectors", "answers"] * 3  # effect sizes, agreement over both sides
    for side in ("targets", "attributes"):
        assert f"Agreement of views on planted, over {side}." in ended.out
    assert "within" in ended.out
    assert "No log-probabilities: planted.txt: planted.txt: log-probabilities need" in ended.said
    names = {"views.html", "report.html", "results.jsonl", "views.json", "views.csv", "views.tex"}
    assert {path.name for path in (files / "o").iterdir()} == names
    record = json.loads((files / "o" / "views.json").read_text(encoding="utf-8"))
    assert [view["form"] for view in record["views"]] == ["vectors", "answers"]


def test_json_has_the_results_and_the_record(eatlas_cli, files):
    given = ("planted.txt", "--answers", "py:spoken:agree", "--tests", "planted.toml", *QUICK)
    ended = eatlas_cli("views", *given, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert not (files / "views").exists()
    *results, record = map(json.loads, ended.out.splitlines())
    assert [result["measure"] for result in results] == ["ml-eat", "ask"]
    assert ViewsRecord.from_dict(record).agreements[0].targets.rho > 0.9
    again = eatlas_cli("views", *given, "--json", "-o", "o")
    assert (files / "o" / "views.json").read_text(
        encoding="utf-8"
    ) == f"{json.dumps(record, ensure_ascii=False)}\n"
    assert again.out.splitlines()[-1] == ended.out.splitlines()[-1]


def test_vectors_alone_are_shown_without_agreement(eatlas_cli, files):
    ended = eatlas_cli("views", "planted.txt", "--tests", "planted.toml", *QUICK)
    assert ended.code == 0
    assert ended.said.startswith("planted: Vectors.")
    assert "rho" not in ended.out
    assert "No answers: planted.txt" in ended.said


def prefers(target: str, attribute: str) -> float:
    """By the planted strength of a target."""
    toward = 4 * (STRENGTH[target] - 0.55)
    return toward if attribute in TEST.A.terms else -toward


def test_a_served_model_gives_answers_alone(eatlas_cli, files):
    with running(ChatServer(Planted(prefers, templates=(QUESTION,)))) as server:
        ended = eatlas_cli("views", server.spec, "--tests", "planted.toml", *QUICK, "-o", "one")
        both = eatlas_cli(
            "views", "planted.txt", server.spec, "--tests", "planted.toml", *QUICK, "-o", "two"
        )
    assert ended.code == 0
    name = server.spec.rpartition("model=")[2]
    assert f"No vectors: {name}: chat:" in ended.said
    assert f"No log-probabilities: {name}: chat:" in ended.said
    assert both.said.startswith("planted: Vectors and answers agree: rho 1.00")


def test_a_served_model_that_is_not_there_ends_with_2(eatlas_cli, files):
    address = "chat:http://127.0.0.1:1/v1?model=none&retries=0"
    ended = eatlas_cli("views", "planted.txt", address, "--tests", "planted.toml", *QUICK)
    assert (ended.code, ended.out) == (2, "")
    assert "127.0.0.1:1" in ended.err


def test_mistakes_end_with_2_and_nothing_is_written(eatlas_cli, files):
    for given, message in (
        ((), "no source of the model is named"),
        (("nothing.txt",), "nothing.txt: no view of this model can be measured"),
        (("py:spoken:agree",), "--answers"),
        (("planted.txt", "--tests", "weat-66"), "weat-66"),
        (("planted.txt", "--measure", "mac"), "not produce an EAT-Map"),
        (("planted.txt", "--level", "token"), "word or sentence"),
        (("planted.txt", "-o", "planted.toml"), "cannot be written"),
    ):
        ended = eatlas_cli("views", *given, *(() if "-o" in given else ("-o", "new")))
        assert (ended.code, ended.out) == (2, ""), given
        assert message in ended.err, given
        assert not (files / "new").exists()
