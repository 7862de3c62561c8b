"""LPBS beside the loop that asks a masked model for one sentence at a time, on this CPU.

The model is a BERT of random weights: the numbers mean nothing, the work is that of a trained one.
It has 6 layers of 384 components, or what --layers and --hidden say, and BERT's 30,522 pieces.

    python benchmarks/lpbs.py --test weat-6
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

import eatlas

VOCABULARY = 30_522
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def build(test, layers, hidden):
    """A BERT whose vocabulary holds the test's words; every third of them in two pieces."""
    pieces = dict.fromkeys([*SPECIAL, ".", "is", "are"])
    for number, word in enumerate(term.lower() for term in test.terms):
        cut = 3 if number % 3 == 0 and len(word) > 3 else len(word)
        pieces |= dict.fromkeys([word[:cut], *([f"##{word[cut:]}"] if cut < len(word) else [])])
    pieces |= dict.fromkeys(f"[unused{i}]" for i in range(VOCABULARY - len(pieces)))
    cutting = BertWordPieceTokenizer({piece: i for i, piece in enumerate(pieces)}, lowercase=True)
    tokenizer = BertTokenizerFast(tokenizer_object=cutting._tokenizer, model_max_length=512)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=hidden, num_hidden_layers=layers,
        num_attention_heads=hidden // 64, intermediate_size=4 * hidden,
    )  # fmt: skip
    return BertForMaskedLM(config).eval(), tokenizer


def log_p(model, tokenizer, ids, places):
    """Log-probability of the pieces at some places, filled in from left to right."""
    total = 0.0
    for i, place in enumerate(places):
        masked = list(ids)
        for later in places[i:]:
            masked[later] = tokenizer.mask_token_id
        with torch.inference_mode():
            row = model(input_ids=torch.tensor([masked])).logits[0, place].double()
        total += float(row[ids[place]] - row.logsumexp(-1))
    return total


def one_at_a_time(model, tokenizer, test):
    """Ratios of all pairs, one sentence after the other."""
    targets, attributes = (*test.X.terms, *test.Y.terms), (*test.A.terms, *test.B.terms)
    m = np.empty((len(targets), len(attributes)))
    for i, x in enumerate(targets):
        n = len(tokenizer(x, add_special_tokens=False)["input_ids"])
        for j, a in enumerate(attributes):
            ids = tokenizer(f"{x} is {a}.")["input_ids"]
            hidden = list(ids)
            for place in range(n + 2, len(ids) - 2):
                hidden[place] = tokenizer.mask_token_id
            places = list(range(1, n + 1))
            given, prior = (log_p(model, tokenizer, each, places) for each in (ids, hidden))
            m[i, j] = given - prior
    return m


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", default="weat-6")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=384)
    given = parser.parse_args()
    (test,) = eatlas.load_tests(given.test)
    model, tokenizer = build(test, given.layers, given.hidden)
    source = eatlas.language_model(model, tokenizer, name="random")
    eatlas.LPBS(resamples=0)(test, source)  # what is compiled and read once
    began = time.perf_counter()
    result = eatlas.LPBS(resamples=0)(test, source)
    ours = time.perf_counter() - began
    began = time.perf_counter()
    loop = one_at_a_time(model, tokenizer, test)
    theirs = time.perf_counter() - began
    far = np.abs(np.array(result.similarities) - loop).max()
    print(f"{test.id}: {loop.size} pairs, {given.layers} layers of {given.hidden}")
    print(f"one sentence at a time {theirs:.2f} s, eatlas {ours:.2f} s, ratio {theirs / ours:.1f}")
    print(f"largest difference of a log-ratio {far:.1e}")


if __name__ == "__main__":
    main()
