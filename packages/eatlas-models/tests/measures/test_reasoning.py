"""Reasoning tokens by block: answers that a test puts together, and the reverse."""

from __future__ import annotations

import json
from zlib import crc32

import numpy as np
import pytest
import scipy.stats
from tests.chat_server import ChatServer, Planted
from tests.served import running

import eatlas
from eatlas_models.encoders.chat import Response
from eatlas_models.encoders.chat_endpoint import open_chat, reasoning_tokens
from eatlas_models.stimuli.asking import Prompt, Reply

TEST = eatlas.AssociationTest(
    id="office", X=["Ben", "Thomas", "Max"], Y=["Ivy", "Evelyn", "Anne"],
    A=["office", "salary", "career"], B=["home", "garden", "family"],
)  # fmt: skip
QUESTION = "Which goes better with {target}: {first} or {second}?"
WHO = "Who goes better with {attribute}: {first} or {second}?"
CAREER, MEN = {*TEST.A.terms}, {*TEST.X.terms}


class Reasoner:
    """Counts the tokens of a model by block."""

    def __init__(self) -> None:
        self.sent: dict[bool, list[int]] = {True: [], False: []}
        self.by_subject: dict[str, dict[bool, list[int]]] = {}

    def count(self, prompt: str, answer: str) -> int:
        """100 and the letters of the subject, and 40 more if the answer is not compatible."""
        subject, _, rest = prompt.partition("with ")[2].partition(": ")
        options = rest.rstrip("?").split(" or ")
        pair = {subject, answer}
        compatible = bool(pair & MEN) == bool(pair & CAREER)
        tokens = 100 + len(subject) * len(answer) + 40 * (not compatible)
        first, second = ((o in CAREER, o in MEN) for o in options)
        if first != second:
            self.sent[compatible].append(tokens)
            own = self.by_subject.setdefault(subject, {True: [], False: []})
            own[compatible].append(tokens)
        return tokens


def choose(prompt: str) -> str:
    """One of the two options, which one depends on letters."""
    options = prompt.rpartition(": ")[2].rstrip("?").split(" or ")
    return options[crc32(prompt.encode()) % 2]


@pytest.mark.parametrize("question", [QUESTION, WHO])
def test_tokens_are_counted_by_block(question: str, tmp_path, monkeypatch) -> None:
    reasoner = Reasoner()

    class Scored:
        """A model whose replies say how many tokens it reasoned with."""

        name, kind, notes, fingerprint = "reasoner", "chat", (), "reasoner"
        about = open_chat("chat:http://localhost:1/v1?model=m").about

        def score(self, questions, tell=None):
            replies = {}
            for prompt in questions:
                text = choose(prompt.text)
                tokens = reasoner.count(prompt.text, text)
                replies[prompt] = Reply(
                    texts=(text,), models=("",), dates=("",), reasoning=(tokens,)
                )
            return replies

    result = eatlas.run(TEST, Scored(), f"ask(by=samples,templates={json.dumps(question)})")[0]
    reasoning = result.answers.reasoning
    for block, which in ((reasoning.compatible, True), (reasoning.incompatible, False)):
        assert block.answers == len(reasoner.sent[which])
        assert block.mean == pytest.approx(np.mean(reasoner.sent[which]), abs=1e-6)
    within = [
        np.mean(own[False]) - np.mean(own[True])
        for own in reasoner.by_subject.values()
        if own[True] and own[False]
    ]
    assert (reasoning.subjects, reasoning.difference) == (
        len(within), pytest.approx(np.mean(within), abs=1e-6),
    )  # fmt: skip
    ends = scipy.stats.t.interval(0.95, len(within) - 1, np.mean(within), scipy.stats.sem(within))
    assert reasoning.interval == pytest.approx(ends, abs=1e-5)
    said = dict(eatlas_statements(result))["Reasoning."]
    assert f", the reverse minus the first: {reasoning.difference:.1f}" in said.replace("−", "-")


def test_a_model_that_never_reasons_has_no_reasoning_tokens() -> None:

    class Silent:
        """A model whose replies say that it reasoned with 0 tokens."""

        name, kind, notes, fingerprint = "silent", "chat", (), "silent"
        about = open_chat("chat:http://localhost:1/v1?model=m").about

        def score(self, questions, tell=None):
            return {
                prompt: Reply(
                    texts=(choose(prompt.text),), models=("",), dates=("",), reasoning=(0,)
                )
                for prompt in questions
            }

    result = eatlas.run(TEST, Silent(), f"ask(by=samples,templates={json.dumps(QUESTION)})")[0]
    assert result.answers.reasoning is None
    assert "Reasoning." not in dict(eatlas_statements(result))


def eatlas_statements(result):
    from eatlas_models.present.answers import answers_statements

    return answers_statements(result)


def test_an_endpoint_says_how_many_tokens_it_reasoned_with() -> None:
    with running(ChatServer(Planted())) as server:
        server.logprobs = "off"
        server.count_reasoning = lambda prompt, _: len(prompt)
        model = open_chat(server.spec)
        prompt = Prompt("Which is it: a or b?", ("a", "b"), "samples")
        assert model.score([prompt])[prompt].reasoning == (len(prompt.text),)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"completion_tokens_details": {"reasoning_tokens": 64}}, 64),
        ({"output_tokens_details": {"reasoning_tokens": 0}}, 0),
        ({"output_tokens_details": {"thinking_tokens": 7}}, 7),
        ({"reasoning_tokens": 5, "completion_tokens_details": None}, 5),
        ({"completion_tokens": 9}, None),
        ({"completion_tokens_details": {"reasoning_tokens": True}}, None),
        ({"completion_tokens_details": {"reasoning_tokens": -1}}, None),
        ({"completion_tokens_details": {"reasoning_tokens": "64"}}, None),
        ({"completion_tokens_details": [64], "reasoning_tokens": 10**12}, None),
        (None, None),
        ("many", None),
    ],
)
def test_tokens_as_servers_count_them(usage, tokens) -> None:
    assert reasoning_tokens(usage) == tokens


def test_answers_that_were_stored_before_tokens_were_counted_are_read() -> None:
    model = open_chat("chat:http://localhost:1/v1?model=m")
    form = model._form
    now = form.write(Response("Home", None, "m", "2026-03-01", reasoning=12))
    assert form.read(now) == Response("Home", None, "m", "2026-03-01", reasoning=12)
    before = (json.dumps(json.loads(now[0])[:-1]).encode(), *now[1:])
    assert form.read(before) == Response("Home", None, "m", "2026-03-01")
    damaged = (json.dumps(json.loads(now[0])[:-2]).encode(), *now[1:])
    with pytest.raises(ValueError, match="validation"):
        form.read(damaged)


def test_a_model_that_does_not_count_has_no_numbers() -> None:
    result = eatlas.run(TEST, lambda prompts: list(map(choose, prompts)),
                        f"ask(templates={json.dumps(QUESTION)})")[0]  # fmt: skip
    assert result.answers.reasoning is None
    assert "reasoning" not in result.to_dict()["answers"]
