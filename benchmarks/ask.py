"""Questions to a server of chat completions beside bare clients that send as many at a time.

The server of the tests runs in a process of its own: each answer takes 20 ms, and it makes as many
at a time as are sent, or 4. The bare clients send the same bodies, read the text of each answer and
keep nothing: `requests` in a pool of threads, and httpx in one loop of asyncio.

    python benchmarks/ask.py
    python benchmarks/ask.py --count 2000 --parallel 32
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

from eatlas.encoders.chat import open_answering
from eatlas.stimuli.asking import Prompt

ROOT = Path(__file__).parents[1]


@contextmanager
def serving(latency, workers):
    """The source string of a server."""
    command = ["-m", "tests.chat_server", "--latency", str(latency), "--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        yield server.stdout.readline().strip()
        server.kill()


def make_prompts(count):
    texts = (f"Which goes better with {i}: yes or no? Answer with one word." for i in range(count))
    return [Prompt(text, ("yes", "no"), "samples") for text in texts]


def body_of(prompt):
    messages = [{"role": "user", "content": prompt.text}]
    return {"model": "planted", "messages": messages, "max_tokens": 32, "temperature": 1.0}


def by_requests(address, prompts, parallel):
    local = threading.local()

    def ask(prompt):
        if not hasattr(local, "session"):
            local.session = requests.Session()
        return local.session.post(address, json=body_of(prompt)).json()["choices"][0]["message"]

    with ThreadPoolExecutor(parallel) as pool:
        return list(pool.map(ask, prompts))


def by_httpx(address, prompts, parallel):
    async def ask_all():
        left = iter(prompts)
        async with httpx.AsyncClient(timeout=60, trust_env=False) as client:

            async def work():
                for prompt in left:
                    answer = await client.post(address, json=body_of(prompt))
                    answers.append(answer.json()["choices"][0]["message"])

            await asyncio.gather(*(work() for _ in range(parallel)))

    answers = []
    asyncio.run(ask_all())
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 4])
    options = parser.parse_args()
    parallel, rounds = options.parallel, options.rounds
    prompts, rng = make_prompts(options.count), np.random.default_rng(0)
    for workers in options.workers:
        with serving(options.latency, workers) as server, tempfile.TemporaryDirectory() as folder:
            os.environ["EATLAS_CACHE"] = folder
            address = server.removeprefix("chat:").partition("?")[0] + "/chat/completions"
            spec = f"{server}&parallel={parallel}"
            ways = {
                "requests": lambda part, a=address: by_requests(a, part, parallel),
                "httpx": lambda part, a=address: by_httpx(a, part, parallel),
                "eatlas": lambda part, s=spec: open_answering(s).score(part),
            }
            wall, own = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0.0)
            for number in range(rounds):  # side by side, whatever else the machine does
                for name in rng.permutation(list(ways)):
                    begun, used = time.perf_counter(), time.process_time()
                    ways[name](prompts[number::rounds])
                    wall[name] += time.perf_counter() - begun
                    own[name] += time.process_time() - used
            begun = time.perf_counter()
            open_answering(spec).score(prompts)
            wall["eatlas, kept"] = time.perf_counter() - begun
            most = min(workers or parallel, parallel) / options.latency
            print(f"\n{workers or 'any number of'} answers at a time: {most:.0f} a second at most")
            for name, seconds in wall.items():
                rate = options.count / seconds
                print(
                    f"{name:14}{rate:8.0f} a second, {rate / most:5.0%} of the most, "
                    f"{wall['requests'] / seconds:5.2f} times requests; ms of a processor each: "
                    f"{1000 * own.get(name, np.nan) / options.count:.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
