"""What listed log-probabilities of pieces say of two options, by hand and as it was planted."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.chat_server import Planted, entry

from eatlas_models.encoders.chat import without_reasoning
from eatlas_models.encoders.chat_endpoint import Piece, chances_of

OPTIONS = ("office", "home")
NONE = -math.inf


def piece(*shares, own=0):
    """A piece by texts and probabilities; the model went on with number `own`."""
    listed = tuple((text.encode(), math.log(p)) for text, p in shares)
    return Piece(*listed[own], listed)


def read(options, *pieces):
    return [round(math.exp(chance), 9) for chance in chances_of(options, pieces)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        # each first piece is of one option, in any case, and behind what is ignored
        ([piece(("office", 0.5), ("home", 0.25))], [0.5, 0.25]),
        ([piece(("off", 0.5), (" Off", 0.1), ('"Home', 0.2), ("**h", 0.05))], [0.6, 0.25]),
        ([piece(("OFFICE.", 0.5), ("home\n", 0.25))], [0.5, 0.25]),
        # what is something else counts for none
        ([piece(("I", 0.5), ("home", 0.3), ("offer", 0.1), ("homes", 0.1))], [0, 0.3]),
        ([piece(("office", 0.7))], [0.7, 0]),
        # nothing is said yet: a piece of what is ignored is followed, and the others count
        (
            [piece(("**", 0.5), ("home", 0.25)), piece(("office", 0.8), ("home", 0.1))],
            [0.4, 0.3],
        ),
        # the pieces behind the place where they part say nothing more
        ([piece(("off", 0.5), ("ho", 0.5)), piece(("ense", 0.9), ("ice", 0.1))], [0.5, 0.5]),
        # what the model went on with counts even if it is not listed
        ([Piece(b"home", math.log(0.01), ((b"office", math.log(0.9)),))], [0.9, 0.01]),
        ([], [0, 0]),
    ],
)  # fmt: skip
def test_options_that_part_at_the_first_letter(pieces, expected):
    assert read(OPTIONS, *pieces) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "pieces", "expected"),
    [
        # "of" is the beginning of both: the next place decides, weighted by what is before it
        (("office", "offer"), [piece(("off", 0.8)), piece(("ice", 0.5), ("er", 0.25))], [0.4, 0.2]),
        # another beginning of both that the model did not go on with counts for none
        (
            ("office", "offer"),
            [piece(("off", 0.6), ("o", 0.2), ("offer", 0.1)), piece(("ice", 0.5))],
            [0.3, 0.1],
        ),
        # the answer ends where one option does
        (("art", "artist"), [piece(("art", 0.75), ("artist", 0.25))], [0.75, 0.25]),
        (("art", "artist"), [piece(("art", 0.5)), piece((".", 0.5), ("ist", 0.5))], [0.25, 0.25]),
        (
            ("art", "artist"),
            [piece(("art", 0.5)), piece(("ist", 0.6), ("<|end|>", 0.4))],
            [0.2, 0.3],
        ),
        (("art", "work of art"), [piece(("work", 0.5), ("art", 0.5))], [0.5, 0.5]),
        (("New York", "New Delhi"), [piece(("New", 1)), piece((" Y", 0.7), (" D", 0.3))], [0.7, 0.3]),
    ],
)  # fmt: skip
def test_options_with_a_common_beginning(options, pieces, expected):
    assert read(options, *pieces) == pytest.approx(expected)
    assert read(options[::-1], *pieces) == pytest.approx(expected[::-1])


def test_pieces_of_characters_are_joined():
    first, second = "é".encode()[:1], "é".encode()[1:]
    pieces = [
        Piece(first, math.log(0.8), ((first, math.log(0.8)), (b"eau", math.log(0.2)))),
        Piece(second, 0.0, ((second, 0.0),)),
        piece(("t", 0.9), ("p", 0.1)),
    ]
    assert read(("été", "eau"), *pieces) == pytest.approx([0.8, 0.2])
    assert read(("été", "épée"), *pieces) == pytest.approx([0.72, 0.08])


def test_reasoning_is_passed_over():
    thoughts = [
        piece((text, 1.0)) for text in ("<think>", "home or", " office", "</think>", "\n\n")
    ]
    answer = piece(("home", 0.25), ("office", 0.75))
    assert read(OPTIONS, *thoughts, answer) == pytest.approx([0.75, 0.25])
    assert read(OPTIONS, *thoughts[:3]) == [0, 0]
    assert read(OPTIONS, *thoughts[1:], answer) == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("office", "office"),
        ("<think>\nOffice, or home?\n</think>\n\nhome", "home"),
        ("Office, or home?\n</think>\n\nhome", "home"),
        ("<think>\nOffice, or", ""),
        ("\n<think>", ""),
        ("I think home.", "I think home."),
    ],
)
def test_reasoning_is_no_answer(text, answer):
    assert without_reasoning(text) == answer


WORDS = st.text("abcé", min_size=1, max_size=5)


@given(
    first=WORDS, second=WORDS, piece=st.integers(0, 3), position=st.floats(-3, 3),
    refusal=st.sampled_from([0, 0.1, 0.6]), liked=st.booleans(),
)  # fmt: skip
def test_what_was_planted_is_read(first, second, piece, position, refusal, liked):
    if first.startswith(second) or second.startswith(first):
        return
    model = Planted(lambda _, o: float(liked and o == first), position, refusal, piece=piece)
    text = f"Which word goes better with x: {first} or {second}? Answer with one of the two alone."
    pieces = []
    for step in model.steps(text):
        best = max(step, key=step.get)
        pieces.append(Piece.of(json.loads(json.dumps(entry(best, step, 20)))))
    read = chances_of((first, second), pieces)
    p = model.chance(model.read(text))
    if refusal < 0.5 or first[0] != second[0]:
        assert sum(map(math.exp, read)) == pytest.approx(1 - refusal)
        assert math.exp(read[0]) == pytest.approx(p * (1 - refusal))
    else:  # it went the way of the refusal, so that the place where they part was not seen
        assert sum(map(math.exp, read)) <= 1 - refusal + 1e-9
