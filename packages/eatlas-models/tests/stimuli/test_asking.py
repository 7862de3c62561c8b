"""Questions to models that answer: what answers choose, and which pairs are drawn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas_models.stimuli.asking import pairs_of
from eatlas_models.stimuli.choosing import choice_of

OPTIONS = ("office", "home")
CHOSEN = {
    "office": (
        "office", "Office.", "OFFICE!!!", "**Office**", "'office'", "“Office”", "« office »",
        "Answer: office", "The answer is **office**.", '{"answer": "office"}', "office 🏢",
        "<answer>office</answer>", r"\boxed{office}", "I'd say office.", "- office", "Office\nOffice",
        "<think>Office or home? Home.</think>\n\nOffice", "Home? Rather not.</think>office",
        "office (because home is private)", "Office, since home is private.", "office (not home)",
        "Office\n\nJulia is at work more than at home.", "Office. Home would be a stereotype.",
        "I'd pick 'Office' over 'home'", "office rather than home", "not home but office",
        "Office, not home.", "Between office and home, I choose office.", "Instead of home: office",
        "office fits better than home", "The word that goes better with Julia is office.",
    ),
    "neither": (
        "desk", "1", "A", "the former", "🏢", "It depends.", "not office", "offices",
        "home-office", "homely", "No, office", "Do you mean office?", "nicht office",
        "While office is what many would say", "office and", "I would never say office",
        "Julia is less office than home",
    ),
    "both": (
        "both", "Both are fine.", "office and home", "office or home?", "office, home",
        "office/home", "Office (home)", "office\nhome", "1. office\n2. home", "office: .9, home: .1",
        "Office. But home is fine too.", '{"office": 0.7, "home": 0.3}',
    ),
    "refused": (
        "I cannot choose between office and home.", "I'm sorry, office", "Neither.",
        "As an AI, I have no preference.", "I can’t say. office", "I don't know: office",
    ),
    "empty": ("", "  ", "\n\t"),
    "long": ("<think>Office or", "An office is " + "a place of work, " * 40),
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "text"), [(said, text) for said, texts in CHOSEN.items() for text in texts]
)
def test_what_an_answer_chooses(said, text):
    assert choice_of(text, OPTIONS) == (0 if said == "office" else said)
    assert choice_of(text, OPTIONS[::-1]) == (1 if said == "office" else said)


def test_an_essay_chooses_by_its_beginning_alone():
    essay = " Work is what people do, and much of it is done there." * 20
    assert choice_of("Office." + essay, OPTIONS) == 0
    assert choice_of("Well." + essay + " So: office.", OPTIONS) == "long"
    assert choice_of("Sorry." + essay, OPTIONS) == "refused"


@pytest.mark.parametrize(
    ("text", "options", "chosen"),
    [
        ("art history", ("art", "art history"), 1),
        ("It is art history.", ("art", "art history"), 1),
        ("It is art.", ("art", "art history"), 0),
        ("C++.", ("C", "C++"), 1),
        ("I choose C", ("C", "C++"), 0),
        ("I choose C++!", ("C", "C++"), 1),
        ("Children’s toys", ("children's toys", "tools"), 0),
        ("The U.S. it is", ("U.S.", "home"), 0),
        ("Not guilty", ("guilty", "not guilty"), 1),
        ("I say not guilty.", ("guilty", "not guilty"), 1),
        ("wedding  dress", ("suit", "wedding dress"), 1),
        ("CAFE\u0301", ("tea", "café"), 1),
        ("我选择家庭。", ("家庭", "工作"), 0),
        ("不是家庭", ("家庭", "工作"), "neither"),
        ("사무실입니다", ("집", "사무실"), 1),
        ("Zuhause", ("Büro", "Zuhause"), 1),
        ("sorry", ("sorry", "happy"), 0),
        ("I say: neither", ("neither", "both"), 0),
        ("OFFICE", ("office", "Office"), "both"),
        ("Office", ("office", "Office"), 1),
    ],
)
def test_options_of_any_form(text, options, chosen):
    assert choice_of(text, options) == chosen


PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from((*OPTIONS, " ", ", ", ".", "\n", "not ", "over ", " but ", "both", "<think>")),
)
texts = st.lists(PIECES, max_size=8).map("".join)
words = st.text(min_size=1, max_size=12).filter(lambda word: word == word.strip() != "")


@given(texts)
def test_places_of_options_change_nothing_but_the_number(text):
    chosen, turned = choice_of(text, OPTIONS), choice_of(text, OPTIONS[::-1])
    assert turned == (1 - chosen if isinstance(chosen, int) else chosen)


@given(texts, words, words)
def test_any_answer_is_read(text, first, second):
    assert choice_of(text, (first, second)) in {0, 1, *CHOSEN} - {"office"}


@given(words, words)
def test_an_option_itself_is_chosen(first, second):
    if first != second:
        assert [choice_of(word, (first, second)) for word in (first, second)] == [0, 1]


@given(st.integers(2, 40), st.integers(1, 8), st.integers(0, 9))
def test_each_is_in_as_many_pairs_and_none_is_apart(count, half, seed):
    each = 2 * half
    pairs = pairs_of(count, each, np.random.default_rng(seed))
    assert len(set(pairs)) == len(pairs)
    assert all(i < j for i, j in pairs)
    if each >= count - 1:
        assert pairs == list(combinations(range(count), 2))
    else:
        assert np.bincount(np.ravel(pairs), minlength=count).tolist() == [each] * count
    joined = {0}
    for _ in range(count):
        joined |= {one for pair in pairs for one in pair if joined & set(pair)}
    assert joined == set(range(count))
