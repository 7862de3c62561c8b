"""A small masked model that has learned something: which words its sentences put together."""

from __future__ import annotations

import random
from functools import cache

from tests.inputs import make_test

TEST = make_test(
    X=("rose", "tulip", "lily", "daisy", "iris", "poppy"),
    Y=("ant", "wasp", "flea", "moth", "gnat", "beetle"),
    A=("lovely", "happy", "gentle", "sweet", "kind", "pure"),
    B=("nasty", "ugly", "filthy", "rotten", "cruel", "sick"),
)  # fmt: skip
FORMS = ("the {0} is {1} .", "that {0} was very {1} .")
TEMPLATES = "; ".join(form.format("{target}", "{attribute}") for form in FORMS)
SENTENCES = 1_000
STEPS, BATCH = 220, 64


def sentences(planted, rng):
    """Flowers with pleasant words and insects with unpleasant ones, nine times in ten; or not."""
    found = []
    for _ in range(SENTENCES):
        side = rng.choice("XY")
        pleasant = (side == "X") == (rng.random() < 0.9) if planted else rng.random() < 0.5
        target = rng.choice(TEST.concept(side).terms)
        attribute = rng.choice(TEST.concept("A" if pleasant else "B").terms)
        found.append(rng.choice(FORMS).format(target, attribute))
    return found


@cache
def bert(*, planted):
    """A BERT of two layers and its vocabulary of whole words, trained to fill masks."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    words = sorted({*TEST.terms, *" ".join(FORMS).replace("{0}", "").replace("{1}", "").split()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    vocabulary = {word: i for i, word in enumerate(pieces)}
    cutting = BertWordPieceTokenizer(vocabulary, lowercase=True)
    tokenizer = BertTokenizerFast(tokenizer_object=cutting._tokenizer, model_max_length=16)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=16, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, initializer_range=0.05,
    )  # fmt: skip
    texts = sentences(planted, random.Random(1))
    given = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = BertForMaskedLM(config)
        _train(model, given, torch.tensor([vocabulary[one] for one in TEST.terms]), tokenizer)
    return model.eval(), tokenizer


def _train(model, given, stimuli, tokenizer):
    """Every other stimulus is masked, so that some sentences hide both, as priors do."""
    import torch

    ids, attended = given["input_ids"], given["attention_mask"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0)
    for _ in range(STEPS):
        rows = torch.randint(len(ids), (BATCH,))
        there = ids[rows]
        hidden = (torch.rand(there.shape) < 0.5) & torch.isin(there, stimuli)
        loss = model(
            input_ids=there.masked_fill(hidden, tokenizer.mask_token_id),
            attention_mask=attended[rows],
            labels=there.masked_fill(~hidden, -100),
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
