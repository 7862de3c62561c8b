"""Verifying results of models that answer: by the answers that are kept, and no others unasked."""

import pytest
from tests.chat_server import ChatServer, Planted
from tests.inputs import SHORT_QUESTION, make_test
from tests.served import running

import eatlas
from eatlas.engine.verify import verify
from eatlas.paths import CACHE

TEST = make_test(X=("rose", "ivy"), Y=("wasp", "flea"), A=("nice", "kind"), B=("vile", "awful"))
MEASURE = f'ask(resamples=0,by=samples,templates="{SHORT_QUESTION}")'


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    with running(ChatServer(Planted(templates=(SHORT_QUESTION,)))) as served:
        yield served


def test_answers_that_are_kept_are_enough_and_nothing_is_asked(server, monkeypatch, tmp_path):
    results = eatlas.run(TEST, server.spec, MEASURE)
    asked = len(server.bodies)
    (verdict,) = verify(results)
    assert (verdict.status, len(server.bodies)) == ("same", asked)
    assert verdict.details == ("answers: from the cache of this machine; no new requests",)
    monkeypatch.setenv(CACHE, str(tmp_path / "another"))
    (verdict,) = verify(results)
    assert (verdict.status, len(server.bodies)) == ("refused", asked)
    of_answers, remedy = verdict.details
    assert f"{results[0].answers.asked} of the answers are not kept here" in of_answers
    assert f"--trust {results[0].source}" in remedy.replace("'", "")
    (verdict,) = verify(results, trust=results[0].source)
    again = f"answers: {results[0].answers.asked} requested again"
    assert verdict.details[-1].startswith(again)
    assert len(server.bodies) == asked + results[0].answers.asked


def test_missing_terms_do_not_change_what_was_measured(tmp_path):
    attributes = [*TEST.A.terms, *TEST.B.terms]
    rows = [
        f"{target},{a}|{b},{max(a, b) if target != 'wasp' else 'I cannot say'}"
        for target in (*TEST.X.terms, *TEST.Y.terms)
        for a in attributes
        for b in attributes
        if a != b
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["target,options,answer", *rows]))
    results = eatlas.run(TEST, path, "ask(resamples=0)")
    assert list(results[0].coverage["Y"].missing) == ["wasp"]
    (verdict,) = verify(results)
    assert (verdict.status, verdict.details) == ("same", ())
    asked = TEST.model_copy(update={"questions": ("Say {target}: {first} or {second}?",)})
    assert [verdict.status for verdict in verify(results, tests=[asked])] == ["same"]


def test_another_number_than_the_kept_answers_give_is_a_difference(server):
    result = eatlas.run(TEST, server.spec, MEASURE)[0]
    answers = result.answers.model_copy(update={"first_place": 0.123})
    (verdict,) = verify([result.model_copy(update={"answers": answers})])
    assert verdict.status == "differs"
    assert verdict.details[0].startswith("answers.first_place: 0.123 in the file, ")
