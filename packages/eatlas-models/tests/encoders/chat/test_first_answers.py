"""A model that only answers nonsense is stopped early; one that answers some of it is not."""

from __future__ import annotations

import math

import pytest
from tests.chat_server import REFUSAL, ChatServer, Planted
from tests.encoders.chat.test_chat_endpoint import prompts
from tests.served import running

import eatlas
from eatlas.errors import SourceError
from eatlas_models.encoders.chat import (
    FIRST,
    FIRST_TEXTS,
    FirstAnswers,
    Request,
    Response,
    open_answering,
)
from eatlas_models.stimuli.asking import Prompt

SUBJECTS = [f"Ivy {i}" for i in range(20)]
"""Of 30 questions each."""


def test_a_server_that_refuses_all_is_stopped_and_what_came_is_kept():
    asked = prompts(SUBJECTS, by="samples")
    with running(ChatServer(Planted(refusal=1.0), logprobs="off")) as server:
        for last in (FIRST, 2 * FIRST):
            with pytest.raises(SourceError) as caught:
                open_answering(f"{server.spec}&parallel=4").score(asked)
            assert last <= server.answered < last + FIRST / 2  # with what was in flight
        replies = open_answering(server.spec).score(asked)  # the rest, to the end
    error = caught.value
    assert "answers chooses one of its two options" in error.what
    assert error.got == repr(REFUSAL)
    assert "templates=" in error.remedy
    assert "by=logprobs" in error.remedy
    (note,) = error.__notes__
    assert note.endswith(
        f"of {len(asked)} questions are answered and kept; repeat the command to continue"
    )
    assert all(reply.texts == (REFUSAL,) for reply in replies.values())


def test_three_different_answers_are_shown():
    def nonsense(texts):
        return [f"Banana {len(text)}" for text in texts]

    with pytest.raises(SourceError) as caught:
        open_answering(nonsense).score(prompts([*SUBJECTS, "A longer name"]))
    assert caught.value.got.count("'Banana ") == 3


def test_log_probabilities_of_other_tokens_alone():
    nowhere = Response(chances=(-math.inf, -math.inf))
    options = {
        Request(str(i), ("a", "b"), 0.0, 32, 0): Prompt(str(i), ("a", "b"))
        for i in range(FIRST + 1)
    }
    review = FirstAnswers("model", options)
    answers = dict.fromkeys(list(options)[:FIRST], nowhere)
    review(answers, FIRST - 1)
    with pytest.raises(SourceError) as caught:
        review(answers, FIRST)
    review(dict.fromkeys(options, nowhere), FIRST + 1)  # nothing is left to ask
    assert caught.value.got == "neither option is among the tokens that the model lists"
    assert "by=samples" in caught.value.remedy


def test_a_model_that_declines_about_most_targets_goes_on():
    def declines(texts):
        return [
            text.split(": ")[1].split(" or ")[0] if "Ivy 19" in text else REFUSAL for text in texts
        ]

    replies = open_answering(declines).score(prompts(SUBJECTS))
    assert sum(reply.texts != (REFUSAL,) for reply in replies.values()) == 30


def test_few_questions_are_not_reviewed():
    few = prompts(SUBJECTS[:6])
    assert len(few) < FIRST
    assert len(open_answering(lambda texts: [""] * len(texts)).score(few)) == len(few)


def lists(count):
    words = "office", "home"
    return [
        Prompt(f"List {i}", ("Ben", "Ivy"), "samples", words=words, tokens=99) for i in range(count)
    ]


def parrot(text):
    """A server that answers one text to everything."""
    return ChatServer(Planted(story=lambda _: text), logprobs="off", latency=0.01)


@pytest.mark.parametrize("text", ["", "Error 500: overloaded", REFUSAL, "office - Julia"])
def test_lists_that_assign_nothing_are_stopped(text):
    with running(parrot(text)) as server:
        with pytest.raises(SourceError) as caught:
            open_answering(f"{server.spec}&parallel=2").score(lists(300))
        assert FIRST_TEXTS <= server.answered < 200  # with what was in flight
    assert "answers assigns a word to a target" in caught.value.what
    assert caught.value.got == repr(text)
    assert "templates=" in caught.value.remedy


def test_lists_some_of_which_are_assigned_go_on():
    with running(parrot("Of course!\nHome - Ivy")) as server:
        assert len(open_answering(server.spec).score(lists(300))) == 300
    few = open_answering(lambda texts: [""] * len(texts)).score(lists(FIRST_TEXTS))
    assert len(few) == FIRST_TEXTS  # nothing is left to ask


def test_empty_stories_are_stopped_and_others_are_not():
    stories = [Prompt(f"Write a story about {i}.", by="samples") for i in range(300)]
    for text in (" ", "I cannot."):
        with running(parrot(text)) as server:
            model = open_answering(f"{server.spec}&parallel=2")
            if text.strip():
                assert len(model.score(stories)) == 300
                continue
            with pytest.raises(SourceError, match="texts are empty") as caught:
                model.score(stories)
            assert server.answered < 200
            assert "tokens" in caught.value.remedy


def test_the_first_questions_are_about_all_subjects():
    seen = []

    def first_word(texts):
        seen.extend(texts)
        return [text.split(": ")[1].split(" or ")[0] for text in texts]

    asked = prompts(SUBJECTS)
    open_answering(first_word).score(asked)
    assert sorted(seen) == sorted(prompt.text for prompt in asked)
    assert all(any(f"{subject}:" in text for text in seen[:FIRST]) for subject in SUBJECTS)


def test_runs_are_stopped():
    with pytest.raises(SourceError, match="none of 256 answers"):
        eatlas.run("weat-6", {"parrot": lambda texts: texts}, "ask")
    with pytest.raises(SourceError, match="none of 256 answers assigns"):
        eatlas.run(
            "weat-6", {"parrot": lambda texts: [text[:9] for text in texts]}, "assign(lists=300)"
        )
    with pytest.raises(SourceError, match="all of 256 texts are empty"):
        eatlas.generate(
            lambda texts: [None] * len(texts), "On {target}:", ["nurse", "pilot", "cook"]
        )
