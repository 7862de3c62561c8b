"""What it costs to ask a model: by hand, and beside what is asked then."""

from __future__ import annotations

from typing import Any

import pytest

import eatlas
from eatlas_models.encoders.chat import FunctionChat
from eatlas_models.engine.asking import BYTES, FRAME, cost_of
from eatlas_models.stimuli.asking import Prompt

LISTS = {"X": ["Ivy"], "Y": ["Ben"], "A": ["lead", "plan"], "B": ["cook", "sew"]}


def first(prompts: list[str]) -> list[str]:
    """The first option of each."""
    return [prompt.rstrip("?").rpartition(": ")[2].partition(" or ")[0] for prompt in prompts]


def tiny(**changes: Any) -> eatlas.AssociationTest:
    texts = ("Which suits {target}: {first} or {second}?",)
    return eatlas.AssociationTest(**{"id": "tiny", **LISTS, "questions": texts, **changes})


def test_by_hand() -> None:
    # 2 targets, 6 pairs of 4 attributes, 1 template, 2 orders
    (cost,) = eatlas.ask_cost(tiny(), first, "ask(opponents=4)", price=(2.0, 10.0))
    assert (cost.tests, cost.questions, cost.answers, cost.kept) == (1, 24, 24, 0)
    # "Which suits Ivy: " has 17 bytes, " or " 4, "?" 1: 22 and both words, in steps of four
    sizes = {"lead": 4, "plan": 4, "cook": 4, "sew": 3}
    pairs = [a + b for i, a in enumerate(sizes.values()) for b in [*sizes.values()][i + 1 :]]
    prompt_tokens = 4 * sum(-(-(22 + both) // BYTES) + FRAME for both in pairs)
    assert cost.prompt_tokens == prompt_tokens
    assert cost.answer_tokens == 24 * 2  # a word of four bytes, and an end
    assert cost.most_answer_tokens == 24 * 32
    assert cost.cost == pytest.approx((2 * prompt_tokens + 10 * 48) / 1e6, rel=1e-12)
    assert cost.most_cost == pytest.approx((2 * prompt_tokens + 10 * 768) / 1e6, rel=1e-12)
    assert cost.estimated
    assert not cost.unsure


def test_as_many_are_asked_as_were_counted() -> None:
    came: list[str] = []

    def model(prompts: list[str]) -> list[str]:
        came.extend(prompts)
        return first(prompts)

    measure = "ask(answers=3,opponents=2)"
    (cost,) = eatlas.ask_cost(tiny(), model, measure)
    assert not came
    eatlas.run(tiny(), model, measure)
    assert (len(came), len(set(came))) == (cost.answers, cost.questions)


def test_tests_that_share_questions_are_asked_once() -> None:
    (alone,) = eatlas.ask_cost(tiny(), first)
    (both,) = eatlas.ask_cost([tiny(), tiny(id="again")], first)
    assert (both.tests, both.questions, both.prompt_tokens) == (
        2,
        alone.questions,
        alone.prompt_tokens,
    )


def test_several_models_by_their_names() -> None:
    costs = eatlas.ask_cost(tiny(), {"one": first, "two": FunctionChat(first)})
    assert [cost.source for cost in costs] == ["one", "two"]


def test_letters_of_other_scripts_are_more_tokens() -> None:
    texts = ("abcdefgh", "\u6211\u5011\u6211\u5011\u6211\u5011\u6211\u5011")  # 8 and 24 bytes
    latin, chinese = (
        cost_of(FunctionChat(first), [Prompt(text, tokens=400)]).prompt_tokens - FRAME
        for text in texts
    )
    assert (latin, chinese) == (2, 6)


def test_free_text_is_counted_as_long_as_it_may_be() -> None:
    prompt = Prompt("Write a story about a nurse.", answers=5, by="samples", tokens=400)
    cost = cost_of(FunctionChat(first), [prompt])
    assert (cost.questions, cost.answers) == (1, 5)
    assert cost.answer_tokens == cost.most_answer_tokens == 2000


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"models": None}, ("no model was named",)),
        ({"measures": "ml-eat"}, ("ml-eat", "does not prompt a model", "eatlas run")),
        ({"measures": "ask(by=logprobs)"}, ("log-probabilities", "samples")),
        ({"tests": "divdist-gender"}, ("divdist-gender", "kind 'groups'", "association")),
        ({"tests": "sent-weat-6"}, ("sent-weat-6", "already sentences", "a test of words")),
        ({"price": (1.0,)}, ("price", "two amounts", "(0.15, 0.60)")),
        ({"price": "0.15,0.60"}, ("price", "two amounts")),
        ({"price": (float("nan"), 1.0)}, ("price", "nan")),
        ({"price": (-1, 2)}, ("price", "(-1, 2)")),
    ],
)
def test_a_mistake_is_named(arguments: dict[str, Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(eatlas.EatlasError) as error:
        eatlas.ask_cost(**{"tests": tiny(), "models": first, **arguments})
    assert all(part in str(error.value) for part in parts), error.value
