"""LPBS beside the loop that asks a masked model for one sentence at a time, on this CPU.

The model is a BERT of random weights: the numbers mean nothing, the work is that of a trained one.
It has 6 layers of 384 components, or what --layers and --hidden say, and BERT's 30,522 pieces.
With --draws: LPBS within CEAT of 25 terms a group, 10 sentences a pair, 10,000 draws, from the
log-probability ratios to the record, beside the loop that takes one draw after the other.

    python benchmarks/lpbs.py --test weat-6
    OPENBLAS_NUM_THREADS=1 python benchmarks/lpbs.py --draws
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
import torch
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

import eatlas
from eatlas.measures.base import Input
from eatlas.results.parts import Concepts, Coverage, GroupCoverage, Provenance
from eatlas_models.measures.lpbs import Ratios
from eatlas_models.measures.lpbs_ceat import PairSentences
from eatlas_models.results.language_model import LanguageModelRecord

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


TERMS, SENTENCES, DRAWS = 25, 10, 10_000
LOOP = 100
"""Draws of the plain loop."""


def some_ratios():
    """Ratios of 10 sentences of each pair; X is nearer to A by a tenth of their spread."""
    used = {role: tuple(f"{role.lower()}{i}" for i in range(TERMS)) for role in "XYAB"}
    coverage = Coverage(**{r: GroupCoverage(used=used[r], missing=()) for r in used})
    rng = np.random.default_rng(0)
    single = rng.normal(size=(2 * TERMS, 2 * TERMS, SENTENCES))
    single[:TERMS, :TERMS] += 0.1
    counts = np.full(single.shape[:2], SENTENCES)
    ones = dict.fromkeys(used, (1,) * TERMS)
    return Ratios(single.mean(axis=2), coverage, ones, single.ravel(), counts)


def given_of(found, measure):
    """What the measure finds a result from, once the model has answered."""
    (test,) = eatlas.load_tests("weat-6")
    origin = Provenance(
        version="", seed=0, case="auto", stimuli_sha256="", source_fingerprint="",
        vectors_sha256="", citation="",
    )  # fmt: skip
    about = LanguageModelRecord(model="none", architecture="None", kind="masked", vocabulary=1)
    head = {
        "signature": measure.signature, "test": test.id, "title": test.title, "source": "none",
        "concepts": Concepts(**{role: test.concept(role).name for role in "XYAB"}),
        "coverage": found.coverage, "provenance": origin, "language_model": about,
    }  # fmt: skip
    return Input({}, found.coverage, head, np.random.default_rng(0), asked=found)


def plain(scores, n):
    return (scores[:n].mean() - scores[n:].mean()) / np.std(scores, ddof=1)


def one_draw_at_a_time(found, seed):
    """Effect sizes of some draws, and the seconds: pair by pair, then the formulas as written."""
    rows = np.stack(list(PairSentences.of(found).draw(DRAWS, "auto", seed)))[:, :, :LOOP]
    sentences = found.single.reshape(2 * TERMS, 2 * TERMS, SENTENCES)
    order = np.argsort([f"{i}" for i in range(TERMS)], kind="stable")
    order = np.concatenate([order, order + TERMS])
    sentences = sentences[np.ix_(order, order)]
    places = (sentences[:, :, None] == rows[..., None]).argmax(axis=3).transpose(2, 0, 1).tolist()
    began, effects = time.process_time(), []
    for chosen in places:
        m = np.empty((2 * TERMS, 2 * TERMS))
        for x in range(2 * TERMS):
            for a in range(2 * TERMS):
                m[x, a] = sentences[x, a][chosen[x][a]]
        s = m[:, :TERMS].mean(axis=1) - m[:, TERMS:].mean(axis=1)
        of_x, of_y = m[:TERMS].mean(axis=0), m[TERMS:].mean(axis=0)
        effects.append([plain(one, TERMS) for one in (s, of_x, of_y, of_x - of_y)])
    return time.process_time() - began, np.array(effects)


def draws():
    """Time of 10,000 draws; of the loop, a hundredth of them."""
    found, measure = some_ratios(), eatlas.LPBSCEAT(n=DRAWS)
    measure.compute(given_of(found, measure), [])  # what is compiled and read once
    began = time.perf_counter(), time.process_time()
    result = measure.compute(given_of(found, measure), [])
    wall, ours = time.perf_counter() - began[0], time.process_time() - began[1]
    tracemalloc.start()
    measure.compute(given_of(found, measure), [])
    most = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    loop, effects = one_draw_at_a_time(found, seed=0)
    far = np.abs(np.array(result.samples.kept)[:LOOP] - effects[:, :3]).max()
    theirs = loop * DRAWS / LOOP
    print(f"{DRAWS:,} draws of {4 * TERMS} terms, {SENTENCES} sentences a pair, seconds of CPU")
    print(f"a draw at a time {theirs:.0f}, eatlas {ours:.2f} ({wall:.2f} by the clock)", end=", ")
    print(f"ratio {theirs / ours:.0f}; memory at most {most:.0f} MiB")
    print(f"largest difference of a d, kept to 4 decimals: {far:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", default="weat-6")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--draws", action="store_true")
    given = parser.parse_args()
    if given.draws:
        draws()
        return
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
