"""Log-probabilities against a plain loop over transformers, one input at a time."""

from __future__ import annotations

import math

import pytest
from tests.encoders.language import tiny

from eatlas_models.encoders.language import Question, Step, language_model

AGREES = 1e-5
"""Single precision in batches of other sizes; the worst difference seen was 2e-6."""
TEXTS = [
    ("Ivy is nice.", (0, 3), (7, 11)),
    ("The rose person is unlovely.", (4, 8), (19, 27)),
    ("Hornets are interested in peace.", (0, 7), (26, 31)),
    ("Ant is peace and war.", (0, 3), (7, 20)),
]


def masked(build, name="tiny"):
    return language_model(*build(), name=name)


def causal():
    return language_model(*tiny.gpt2(), name="tiny-gpt2")


def log_softmax(row):
    row = row.double()
    return row - row.logsumexp(-1)


def one_at_a_time(model, tokenizer, ids, place, piece):
    import torch

    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, place]
    return float(log_softmax(logits)[piece])


def by_hand(model, tokenizer, pieces_before, stimulus, pieces_after, how):
    """Log-probability of a word of several pieces between pieces, by definition."""
    total = 0.0
    mask = tokenizer.mask_token_id
    for i, piece in enumerate(stimulus):
        if how == "product":
            ids = [*pieces_before, mask, *pieces_after]
            total += one_at_a_time(model, tokenizer, ids, len(pieces_before), piece)
            continue
        shown = [
            mask if j == i or (how == "joint" and j > i) else p for j, p in enumerate(stimulus)
        ]
        ids = [*pieces_before, *shown, *pieces_after]
        total += one_at_a_time(model, tokenizer, ids, len(pieces_before) + i, piece)
    return total


def cut(tokenizer, text):
    return tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("build", [tiny.bert, tiny.roberta])
@pytest.mark.parametrize("how", ["joint", "pll", "product"])
@pytest.mark.parametrize("hidden", [False, True])
def test_a_masked_model_is_asked_as_by_hand(build, how, hidden):
    model, tokenizer = build()
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    questions = [Question(t, x, a, hidden=hidden, how=how) for t, x, a in TEXTS]
    found = masked(build).score(questions)
    for question in questions:
        text, x, a = question.text, question.asked, question.other
        # pieces of the parts of a text; a space belongs to the word behind it
        start, gap = (x[0] - 1 if x[0] else 0), a[0] - 1
        before, stimulus = cut(tokenizer, text[:start]), cut(tokenizer, text[start : x[1]])
        between = cut(tokenizer, text[x[1] : gap])
        other, after = cut(tokenizer, text[gap : a[1]]), cut(tokenizer, text[a[1] :])
        assert cut(tokenizer, text) == [*before, *stimulus, *between, *other, *after]
        masks = [tokenizer.mask_token_id] * (1 if how == "product" else len(other))
        shown = masks if hidden else other
        expected = by_hand(
            model, tokenizer, [first, *before], stimulus, [*between, *shown, *after, last], how
        )
        assert found[question].log_probability == pytest.approx(expected, abs=AGREES)
        assert (found[question].pieces, found[question].other_pieces) == (len(stimulus), len(other))


def test_one_mask_before_another_moves_it():
    """The attribute of two pieces stands before the target: the prior is read at its own mask."""
    model, tokenizer = tiny.bert()
    question = Question("Unlovely is ivy.", (12, 15), (0, 8), hidden=True, how="product")
    (answer,) = masked(tiny.bert).score([question]).values()
    ids = tokenizer(f"{tokenizer.mask_token} is {tokenizer.mask_token}.")["input_ids"]
    expected = sum(
        one_at_a_time(model, tokenizer, ids, 3, piece) for piece in cut(tokenizer, "ivy")
    )
    assert answer.log_probability == pytest.approx(expected, abs=AGREES)
    assert (answer.pieces, answer.other_pieces) == (2, 2)


def test_a_causal_model_is_asked_as_by_hand():
    model, tokenizer = tiny.gpt2()
    questions = [Question(text, a, x, how="next") for text, x, a in TEXTS]
    found = causal().score(questions)
    for question in questions:
        start = question.asked[0] - 1
        before = [tokenizer.bos_token_id, *cut(tokenizer, question.text[:start])]
        stimulus = cut(tokenizer, question.text[start : question.asked[1]])
        expected = sum(
            one_at_a_time(model, tokenizer, [*before, *stimulus[:i]], len(before) + i - 1, piece)
            for i, piece in enumerate(stimulus)
        )
        assert found[question].log_probability == pytest.approx(expected, abs=AGREES)
        assert found[question].pieces == len(stimulus)


def test_the_probabilities_of_all_words_of_one_piece_sum_to_one():
    _, tokenizer = tiny.bert()
    model = masked(tiny.bert)
    plain = [
        word for word, piece in tokenizer.get_vocab().items()
        if word.isalpha() and piece not in tokenizer.all_special_ids
    ]  # fmt: skip
    questions = [Question(f"{word} is nice.", (0, len(word))) for word in plain]
    shares = [math.exp(one.log_probability) for one in model.score(questions).values()]
    assert 0 < sum(shares) < 1
    # all pieces, by the engine that the model uses
    ids = tuple(tokenizer(f"{tokenizer.mask_token} is nice.")["input_ids"])
    steps = [Step(ids, 1, piece) for piece in range(model.about.vocabulary)]
    values = model.log_probabilities(steps)
    assert sum(math.exp(values[step]) for step in steps) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "span", "at", "fault"),
    [
        ("☃ is nice.", (0, 1), "asked", "the tokenizer does not know it, or a part of it"),
        (
            "[MASK] is nice.", (0, 6), "asked",
            "the tokenizer takes it, or a part of it, for the special token [MASK]",
        ),
        ("Tulips are nice.", (0, 4), "asked", "merges it with adjacent text, 'ip'"),
        ("\x00 is nice.", (0, 1), "asked", "the tokenizer removes it entirely"),
    ],
)  # fmt: skip
def test_a_stimulus_that_the_tokenizer_cannot_stand_for_is_said(text, span, at, fault):
    other = (len(text) - 5, len(text) - 1)
    answers = masked(tiny.bert).score([Question(text, span, other)])
    (answer,) = answers.values()
    assert answer.log_probability is None
    assert answer.at == at
    assert fault in answer.fault


def test_a_text_that_is_too_long_is_said():
    text = "Ant is " + "nice " * 80
    short = Question("Ant is nice.", (0, 3))
    answers = masked(tiny.bert).score([Question(text, (0, 3)), short])
    (long, other) = answers.values()
    assert (long.log_probability, long.at, long.pieces) == (None, "text", 1)
    assert long.fault == "a sentence has 84 pieces, and the model takes 64 at most"
    assert other.fault == ""


def test_what_questions_share_is_read_once():
    read, told = [], []
    model = masked(tiny.bert)
    compute = model._logits
    model._logits = lambda ids: read.extend(ids.tolist()) or compute(ids)
    questions = [
        Question(
            f"{x.capitalize()} is {a}.", (0, len(x)), (len(x) + 4, len(x) + 4 + len(a)), hidden=h
        )
        for x in ("ant", "rose", "flea")
        for a in ("nice", "vile", "kind")
        for h in (False, True)
    ]
    answers = model.score(questions, lambda done, total: told.append((done, total)))
    pieces = {one.pieces for one in answers.values()}
    # of one piece each: a text for each attribute, and one whose attribute is masked
    assert pieces == {1}
    assert len(read) == 4
    assert told[-1] == (18, 18)
