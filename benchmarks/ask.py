"""Questions to a server of chat completions beside bare clients that send as many at a time.

The server of the tests runs in a process of its own: each answer takes 20 ms, and it makes as many
at a time as are sent, or 4. --server takes another. The bare clients send bodies of the same form,
read the text of each answer and keep nothing: `requests` in a pool of threads, and httpx in one
loop of asyncio. Each way has questions of its own, as servers keep what they have read.

    python benchmarks/ask.py
    python benchmarks/ask.py --count 2000 --parallel 32
    python benchmarks/ask.py --count 64 --rounds 16 --server chat:http://localhost:8080/v1?model=M
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import requests

from eatlas_models.encoders.chat import open_answering
from eatlas_models.stimuli.asking import Prompt, fill_template
from eatlas_models.stimuli.questions import built_in_questions

ROOT = Path(__file__).parents[1]


@contextmanager
def serving(latency, workers):
    """The source string of a server."""
    command = ["-m", "tests.chat_server", "--latency", str(latency), "--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def make_prompts(count, tokens):
    question = built_in_questions().questions["words"][0]
    options = {"first": "office", "second": "home"}
    texts = (fill_template(question, target=f"word{i}", **options) for i in range(count))
    return [Prompt(text, tuple(options.values()), "samples", tokens=tokens) for text in texts]


def body_of(model, prompt):
    messages = [{"role": "user", "content": prompt.text}]
    return {"model": model, "messages": messages, "max_tokens": prompt.tokens, "temperature": 1.0}


def by_requests(address, model, prompts, parallel):
    local = threading.local()

    def ask(prompt):
        if not hasattr(local, "session"):
            local.session = requests.Session()
        return local.session.post(address, json=body_of(model, prompt)).json()["choices"][0][
            "message"
        ]

    with ThreadPoolExecutor(parallel) as pool:
        return list(pool.map(ask, prompts))


def by_httpx(address, model, prompts, parallel):
    async def ask_all():
        left = iter(prompts)
        async with httpx.AsyncClient(timeout=600, trust_env=False) as client:

            async def work():
                for prompt in left:
                    answer = await client.post(address, json=body_of(model, prompt))
                    answers.append(answer.json()["choices"][0]["message"])

            await asyncio.gather(*(work() for _ in range(parallel)))

    answers = []
    asyncio.run(ask_all())
    return answers


def compare(server, options, most=None):
    """Let all ways ask a server in turn, and print how many answers a second came, of `most`."""
    parallel, rounds, count = options.parallel, options.rounds, options.count
    base, model = server.removeprefix("chat:").split("?model=")
    address, spec = f"{base}/chat/completions", f"{server}&parallel={parallel}"
    ways = {
        "requests": lambda part: by_requests(address, model, part, parallel),
        "httpx": lambda part: by_httpx(address, model, part, parallel),
        "eatlas": lambda part: open_answering(spec).score(part),
    }
    prompts, rng = make_prompts(count * len(ways), options.tokens), np.random.default_rng(0)
    own_prompts = {name: prompts[number :: len(ways)] for number, name in enumerate(ways)}
    wall, own = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0.0)
    ratios = []
    for number in range(rounds):  # side by side, whatever else the machine does
        seconds = {}
        for name in rng.permutation(list(ways)):
            begun, used = time.perf_counter(), time.process_time()
            ways[name](own_prompts[name][number::rounds])
            seconds[name] = time.perf_counter() - begun
            wall[name] += seconds[name]
            own[name] += time.process_time() - used
        ratios.append(seconds["requests"] / seconds["eatlas"])
    begun = time.perf_counter()
    open_answering(spec).score(own_prompts["eatlas"])
    wall["eatlas, kept"] = time.perf_counter() - begun
    for name, seconds in wall.items():
        rate = count / seconds
        share = f"{rate / most:5.0%} of the most, " if most else ""
        print(
            f"{name:14}{rate:8.1f} a second, {share}"
            f"{wall['requests'] / seconds:5.2f} times requests; ms of a processor each: "
            f"{1000 * own.get(name, np.nan) / count:.2f}",
            flush=True,
        )
    print(f"eatlas over requests, by round: {np.percentile(ratios, [25, 50, 75]).round(2)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 4])
    parser.add_argument("--server", help="chat:URL?model=NAME, without other options")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EATLAS_CACHE"] = folder
        if options.server:
            compare(options.server, options)
            return
        for workers in options.workers:
            with serving(options.latency, workers) as server:
                most = min(workers or options.parallel, options.parallel) / options.latency
                print(
                    f"\n{workers or 'any number of'} answers at a time: {most:.0f} a second at most"
                )
                compare(server, options, most)


if __name__ == "__main__":
    main()
