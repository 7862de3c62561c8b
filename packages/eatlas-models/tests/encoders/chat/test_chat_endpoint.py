"""Models behind an address: what is sent, what is read, how it fails, and what is kept."""

import itertools
import json
import math
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from tests.chat_server import FAULTS, REFUSAL, ChatServer, Planted, text_of
from tests.inputs import ROOT, SHORT_QUESTION, make_test, wait_until
from tests.served import running

import eatlas
from eatlas.encoders.cache import contents
from eatlas.errors import SourceError, UntrustedSourceError
from eatlas.untrusted import data_only
from eatlas_models.encoders.chat import open_answering
from eatlas_models.encoders.chat_endpoint import PROBE
from eatlas_models.stimuli.asking import Prompt

KEY = "sk-proj-aZ0+9/0x=0123456789"
QUESTION = "Which word goes better with {}: {} or {}? Answer with one of the two alone."
WORDS = ("office", "home", "family", "salary", "career", "wedding")


def prompts(subjects=("Ivy", "Ben"), **options):
    return [
        Prompt(QUESTION.format(subject, first, second), (first, second), **options)
        for subject in subjects
        for first, second in itertools.permutations(WORDS, 2)
    ]


@pytest.fixture
def serve(monkeypatch):
    """Servers of a test."""
    monkeypatch.delenv("EATLAS_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    begun = []

    def begin(model=None, **settings):
        server = running(ChatServer(model, **settings))
        begun.append(server)
        return server.__enter__()

    yield begin
    for server in begun:
        server.__exit__(None, None, None)


@pytest.fixture
def waits(monkeypatch):
    """Seconds that would have been waited."""
    found = []
    clock = SimpleNamespace(sleep=found.append, monotonic=time.monotonic)
    monkeypatch.setattr("eatlas_models.encoders.endpoint.time", clock)
    return found


def error_of(server, options="", **prompt):
    with pytest.raises(SourceError) as caught:
        open_answering(server.spec + options).score(prompts(["Ivy"], **prompt))
    return caught.value


# --- what is sent, what is read -------------------------------------------------------------------


def liking(subject, option):
    return 0.3 * len(subject) * WORDS.index(option)


@pytest.mark.parametrize("piece", [0, 2])
def test_planted_preferences_are_read_from_log_probabilities(serve, piece):
    model = Planted(liking, position=0.7, refusal=0.2, variants=0.3, piece=piece)
    server = serve(model)
    replies = open_answering(server.spec).score(prompts(tokens=9))
    assert len(replies) == len(prompts())
    for prompt, reply in replies.items():
        p, (first, second) = model.chance(model.read(prompt.text)), reply.chances
        assert math.exp(first) == pytest.approx(0.8 * p)
        assert math.exp(second) == pytest.approx(0.8 * (1 - p))
        assert reply.models == ("planted-2026-03-01",)
        assert reply.dates == ("2026-03-01",)
        assert reply.texts == ()
    assert server.texts[0] == PROBE.text
    assert server.count == len(prompts()) + 1
    assert {json.dumps(b | {"messages": []}) for b in server.bodies[1:]} == {
        '{"model": "planted", "messages": [], "max_tokens": 4, "temperature": 0.0, '
        '"logprobs": true, "top_logprobs": 100}'
    }


@pytest.mark.parametrize("how", ["off", pytest.param("null", marks=pytest.mark.slow), "refused"])
def test_answers_are_drawn_where_no_log_probabilities_are_given(serve, how):
    model = Planted(liking, position=0.7, refusal=0.25)
    server = serve(model, logprobs=how)
    replies = open_answering(server.spec).score(prompts(["Ivy"], answers=10, temperature=1.0))
    drawn = [(prompt, text) for prompt, reply in replies.items() for text in reply.texts]
    assert len(drawn) == 10 * len(prompts(["Ivy"]))
    expected = [model.chance(model.read(prompt.text)) for prompt, _ in drawn]
    chosen = [prompt.options.index(text) == 0 for prompt, text in drawn if text != REFUSAL]
    assert np.mean([text == REFUSAL for _, text in drawn]) == pytest.approx(0.25, abs=0.06)
    assert np.mean(chosen) == pytest.approx(np.mean(expected), abs=0.06)
    assert all(reply.chances is None for reply in replies.values())
    assert server.bodies[-1]["temperature"] == 1.0
    assert "logprobs" not in server.bodies[-1]


def test_a_message_of_the_system_comes_first_and_is_part_of_what_answers(serve):
    server = serve()
    plain = open_answering(server.spec)
    model = open_answering(
        f"{server.spec}&system=Be brief %26 polite: 100%25?&parallel=3&timeout=9"
    )
    model.score([Prompt("Hello?", answers=2, temperature=0.5)])
    assert server.bodies[0]["messages"] == [
        {"role": "system", "content": "Be brief & polite: 100%?"},
        {"role": "user", "content": "Hello?"},
    ]
    assert model.fingerprint != plain.fingerprint
    again = open_answering(model.name)
    assert (again.name, again.fingerprint) == (model.name, model.fingerprint)
    again.score([Prompt("Hello?", answers=2, temperature=0.5)])
    assert server.count == 2
    plain.score([Prompt("Hello?", answers=2, temperature=0.5)])
    assert server.count == 4


def test_names_of_the_same_address_are_the_same(serve):
    server = serve()
    host = server.address.removesuffix("/v1")
    specs = [
        f"chat:{host}?model=planted", f"chat:{host}/v1/?model=planted",
        f"chat:{host}/v1/chat/completions?model=planted",
        f"{host}/v1/chat/completions?model=planted&timeout=5",
    ]  # fmt: skip
    models = [open_answering(spec) for spec in specs]
    assert {(model.name, model.fingerprint) for model in models} == {
        (server.spec, f"endpoint:{server.spec}")
    }
    for model in models:
        model.score([Prompt("Hello?")])
    assert server.count == 1
    assert server.paths == ["/v1/chat/completions"]


def test_newer_models_are_asked_in_their_own_way(serve):
    server = serve(newer=True, logprobs="refused")
    replies = open_answering(f"{server.spec}&parallel=1").score(prompts())
    assert {reply.by for reply in replies.values()} == {"samples"}
    refused = server.count - server.answered
    assert refused == 5, "tokens, temperature and log-probabilities (100, 20, 5) are learnt once"
    assert server.bodies[-1].keys() == {"model", "messages", "max_completion_tokens"}


def test_another_temperature_is_not_passed_over(serve):
    server = serve(newer=True)
    error = error_of(server, by="samples", temperature=0.2)
    assert "Only the default (1) value is supported" in error.got


@pytest.mark.parametrize(("limit", "refused", "listed"), [(5, 2, 5), (20, 1, 20), (99, 1, 20)])
def test_servers_that_list_few_log_probabilities(serve, limit, refused, listed):
    server = serve(Planted(liking), limit=limit)
    replies = open_answering(server.spec).score(prompts())
    assert {reply.by for reply in replies.values()} == {"logprobs"}
    assert server.count - server.answered == refused
    assert server.bodies[-1]["top_logprobs"] == listed


def test_answers_are_longer_where_few_tokens_say_nothing(serve):
    server = serve(Planted(piece=1))
    alike = [
        Prompt(QUESTION.format("Ivy", *pair), pair, by="logprobs")
        for pair in itertools.permutations(("personal", "personable"))
    ]
    replies = open_answering(f"{server.spec}&parallel=1").score(alike)
    assert [body["max_tokens"] for body in server.bodies] == [4, 32, 32], "learnt once"
    for reply in replies.values():
        assert np.exp(reply.chances) == pytest.approx([0.5, 0.5])
    ends = [Prompt(QUESTION.format("Ivy", "per", "pert"), ("per", "pert"), by="logprobs")]
    open_answering(server.spec).score(ends)
    assert [body["max_tokens"] for body in server.bodies[3:]] == [4], "it is over"


def test_reasoning_is_left_out(serve):
    server = serve(Planted(liking, piece=4), think="Home or office? I would say home.")
    model = open_answering(server.spec)
    replies = model.score(prompts(by="samples", tokens=100))
    assert {text for reply in replies.values() for text in reply.texts} <= set(WORDS)
    plain = open_answering(serve(Planted(liking, piece=4)).spec).score(prompts())
    reasoned = model.score(prompts(by="logprobs", tokens=100))
    assert [*reasoned.values()] == [*plain.values()]
    assert [note.code for note in model.notes] == ["source.served"]


@pytest.mark.parametrize("by", ["logprobs", "samples"])
@pytest.mark.parametrize("how", ["think", "reasoning"])
def test_reasoning_without_an_end_asks_for_more_tokens(serve, how, by):
    server = serve(Planted(piece=4), **{how: "Home or office? " * 20})
    error = error_of(server, by=by)
    assert "the model never reaches an answer" in error.what
    assert error.remedy.startswith("raise tokens: ask(tokens=2000)")
    model = open_answering(server.spec)
    replies = model.score(prompts()[:3])
    assert len(replies) == 3
    assert str(model.notes[-1]).startswith("3 of 3 answers ended at the token limit")


def test_other_forms_of_messages(serve):
    server = serve()
    for created, message in (
        (0, {"content": None, "refusal": "I'm sorry."}),
        (1e15, {"content": [{"type": "thinking"}, {"type": "text", "text": "office"}]}),
        ("now", {"content": None}),
    ):
        choice = {"message": message, "finish_reason": "stop"}
        server.raw.append({"choices": [choice], "created": created})
    replies = open_answering(f"{server.spec}&parallel=1").score([Prompt("Hello?", answers=3)])
    (reply,) = replies.values()
    assert sorted(reply.texts) == ["", "I'm sorry.", "office"]
    assert {*reply.dates} == {time.strftime("%Y-%m-%d", time.gmtime())}, "of the header"


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["rate", "broken", "busy", "cut", "dropped"])
def test_what_passes_is_asked_again(serve, fault):
    server = serve(Planted(liking), retry_after="0")
    server.faults.extend(["", fault, "", fault])
    replies = open_answering(f"{server.spec}&parallel=4").score(prompts(["Ivy"]))
    assert len(replies) == 30
    assert server.count == 30 + 1 + 2


def test_a_busy_server_says_how_long(serve, waits):
    server = serve(retry_after="7")
    server.faults.extend(["rate"] * 2)
    open_answering(server.spec).score([Prompt("Hello?")])
    assert waits == [7.0, 7.0]
    server.always = "rate"
    error = error_of(server, "&timeout=60&parallel=1", by="samples")
    assert error.got.startswith("status 429: ")
    assert waits[2:] == [7.0, 7.0, 7.0, 7.0, 8.0, 16.0], "52 seconds, and 32 more are too many"


def test_a_server_of_few_requests_at_a_time_is_asked_less_often(serve):
    server = serve(Planted(liking), capacity=2, latency=0.01, retry_after="0")
    replies = open_answering(server.spec).score(prompts(["Ivy"], by="samples"))
    assert len(replies) == 30
    assert server.answered == 30


def test_there_are_as_many_requests_at_a_time_as_were_asked_for(serve):
    server = serve(Planted(liking), latency=0.05)
    open_answering(f"{server.spec}&parallel=5").score(prompts(["Ivy"], by="samples"))
    assert server.most == 5
    assert server.connections == 5, "they are kept open"


@pytest.mark.parametrize(
    ("fault", "what", "got"),
    [
        ("broken", "the endpoint returned no answer", "status 500: "),
        ("quota", "the endpoint returned no answer", "status 402: "),
        ("html", "this is no chat completion", "<!doctype html>"),
        ("list", "this is no chat completion", "[]"),
        ("choices", "this is no chat completion", '{"choices": []}'),
    ],
)
@pytest.mark.parametrize("by", ["auto", "samples"])
def test_what_does_not_pass_ends_the_run(serve, waits, fault, what, got, by):
    server = serve(always=fault)
    error = error_of(server, by=by)
    assert what in error.what
    assert error.got.startswith(got)
    assert error.remedy
    assert not getattr(error, "__notes__", ()), "nothing is kept"


def test_a_server_that_hangs(serve, waits):
    server = serve(always="hang")
    begun = time.monotonic()
    error = error_of(server, "&timeout=1&parallel=2", by="samples")
    assert "ReadTimeout" in error.got
    assert time.monotonic() - begun < 60


def test_unknown_models(serve):
    server = serve()
    error = error_of(server, "-7b")
    assert "The model `planted-7b` does not exist" in error.got
    assert "the model (planted-7b)" in error.remedy
    assert "end in /v1" in error.remedy
    assert server.count == 1


def test_keys(serve, monkeypatch):
    server = serve(key=KEY)
    monkeypatch.setenv("EATLAS_API_KEY", "sk-wrong")
    error = error_of(server)
    assert error.got.startswith("status 401: ")
    assert "sk-wrong" not in str(error)
    monkeypatch.setenv("EATLAS_API_KEY", KEY)
    model = open_answering(server.spec)
    model.score(prompts())
    assert {*server.keys[1:]} >= {f"Bearer {KEY}"}
    assert KEY not in model.name + model.fingerprint + str(model.about) + str(model.notes)


def test_no_log_probabilities_where_they_are_asked_for(serve):
    for how in ("off", "null", "refused"):
        error = error_of(serve(logprobs=how), by="logprobs")
        assert "the server returns no log-probabilities" in error.what
        assert "vLLM" in error.remedy
        assert "ask(by=samples" in error.remedy


@pytest.mark.parametrize("fault", ["empty", "none", "long"])
def test_answers_without_a_choice_are_answers(serve, fault):
    server = serve(always=fault, logprobs="off")
    replies = open_answering(server.spec).score(prompts(["Ivy"], by="samples"))
    sizes = {len(text) for reply in replies.values() for text in reply.texts}
    assert sizes == ({102_786} if fault == "long" else {0})


def test_an_empty_answer_without_log_probabilities_lists_no_option(serve):
    server = serve(Planted(liking))
    model = open_answering(server.spec)
    assert model.gives_logprobs()
    server.raw.append(text_of(server, ""))
    replies = model.score(prompts(["Ivy"])).values()
    assert sum(reply.chances == (-math.inf, -math.inf) for reply in replies) == 1
    assert sum(min(reply.chances) > -math.inf for reply in replies) == len(replies) - 1


def test_every_fault_was_tried():
    tried = {"rate", "broken", "busy", "cut", "dropped", "quota", "html", "list", "choices"}
    assert tried | {"hang", "empty", "none", "long"} == set(FAULTS)


# --- what is kept ---------------------------------------------------------------------------------


def kept():
    return sum(model.answers for model in contents().models)


def test_nothing_is_asked_twice(serve):
    server = serve(Planted(liking))
    first = open_answering(server.spec).score(prompts())
    count = server.count
    told = []
    again = open_answering(server.spec).score(prompts(), lambda *n: told.append(n))
    assert server.count == count == len(prompts()) + 1
    assert [*again.items()] == [*first.items()]
    assert told == [(60, 60)]
    open_answering(f"{server.spec}&cache=no").score(prompts())
    assert server.count == 2 * count


def test_two_programs_ask_each_question_once(serve):
    server = serve(Planted(liking), latency=0.02)
    asked = prompts(["Ivy", "Ben", "Amy", "Zoe", "Max"], by="samples", answers=2)
    open_answering(server.spec).score(asked[:1])  # makes the file
    with ThreadPoolExecutor() as pool:
        programs = [open_answering(f"{server.spec}&parallel=4") for _ in range(2)]
        both = list(pool.map(lambda program: program.score(asked), programs))
    assert both[0].keys() == both[1].keys()
    assert 300 <= server.answered < 450  # with what was in flight


def test_what_came_before_a_failure_is_kept(serve, waits):
    server = serve(Planted(liking), latency=0.001)
    server.faults.extend([""] * 21 + ["quota"] * 60)
    error = error_of(server, "&parallel=4", by="samples")
    assert error.got.startswith("status 402: ")
    assert error.__notes__ == [
        f"{kept()} of 30 questions are answered and kept; repeat the command to continue"
    ]
    assert server.answered - 4 <= kept() <= server.answered == 21
    before = kept()
    server.faults.clear()
    open_answering(server.spec).score(prompts(["Ivy"], by="samples"))
    assert server.answered == 21 + 30 - before


CHILD = f"""
import signal, sys
sys.path.insert(0, {str(ROOT)!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.encoders.chat.test_chat_endpoint import many
from eatlas_models.encoders.chat import open_answering
try:
    open_answering(sys.argv[1]).score(many())
except KeyboardInterrupt as stop:
    print("; ".join(stop.__notes__))
    sys.exit(130)
"""


def many():
    return prompts([f"subject {i}" for i in range(20)], by="samples")


def is_time(server, moment, child):
    return server.answered > moment or child.poll() is not None


def test_a_stop_asks_nothing_twice_but_what_was_in_flight(serve):
    server = serve(Planted(liking), latency=0.03)
    total = len(many())
    stops = ((50, "SIGKILL"), (150, "SIGINT"))
    for step, how in stops:
        moment = server.answered + step
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, server.spec], stdout=subprocess.PIPE, text=True
        )
        wait_until(partial(is_time, server, moment, child))
        child.send_signal(getattr(signal, how))
        out, _ = child.communicate(timeout=60)
        assert child.returncode == (-9 if how == "SIGKILL" else 130)
        wait_until(lambda: server.side_by_side == 0)
        if how == "SIGINT" and kept():
            assert out == (
                f"{kept()} of {total} questions are answered and kept; repeat the command to "
                "continue\n"
            )
    stopped = server.count
    open_answering(server.spec).score(many())
    twice = server.count - total
    assert server.count - stopped < total
    assert twice <= len(stops) * 4 * 8, "what was asked, and what had just been answered"
    open_answering(server.spec).score(many())
    assert server.count == total + twice


# --- who may open it ------------------------------------------------------------------------------


def test_a_file_may_not_name_an_address(serve):
    server = serve()
    for spec in (server.spec, f"{server.address}/chat/completions?model=planted"):
        with (
            data_only(spec),
            pytest.raises(UntrustedSourceError, match="refused, as it would send"),
        ):
            open_answering(spec)
    assert server.count == 0


def test_a_run_by_name(serve):
    test = make_test()
    x, a = (set(test.concepts[role].terms) for role in "XA")
    server = serve(Planted(lambda s, o: 1.5 * ((s in x) == (o in a)), position=0.5))
    server.model.templates = (SHORT_QUESTION,)
    measure = f'ask(opponents=2,templates="{SHORT_QUESTION}")'
    (result,) = eatlas.run(test, f"mine={server.spec}", measure)
    assert result.source == "mine"
    assert result.provenance.source_fingerprint == f"endpoint:{server.spec}"
    assert result.level1.effect_size > 1.7
    assert result.answers.models == ("planted-2026-03-01",)
    assert " is served at 127.0.0.1; the fingerprint" in str(result.warnings[0])


@pytest.mark.parametrize("keeps", [True, False])
def test_draws_that_are_the_same_are_told_of(serve, keeps):
    model = open_answering(serve(keeps=keeps).spec)
    replies = model.score(prompts(by="samples", answers=3)[:20])
    assert all(len(set(reply.texts)) == 1 for reply in replies.values()) == keeps
    said = [note for note in model.notes if note.code == "source.same-draws"]
    assert len(said) == keeps
    assert all("In 20 of 20 questions" in str(note) for note in said)
    model.score(prompts(by="samples", answers=1)[:20])
    assert [note.code for note in model.notes] == ["source.served"]


def test_the_same_draws_of_texts_are_told_of_and_answers_at_temperature_0_are_not(serve):
    model = open_answering(serve().spec)
    model.score(prompts(by="samples", answers=3, temperature=0.0)[:20])
    assert [note.code for note in model.notes] == ["source.served"]
    model.score([Prompt("Tell a story.", answers=19)])
    assert [note.code for note in model.notes] == ["source.served"]
    model.score([Prompt("Tell a story.", answers=20)])
    assert "In 1 of 1 question all" in str(model.notes[-1])
