"""What opens as a model that answers, and what is said of anything else."""

import pytest
from tests.encoders.letters import Letters

import eatlas
from eatlas.encoders.cache import contents
from eatlas.errors import SourceError, UntrustedSourceError
from eatlas.untrusted import data_only
from eatlas_models.encoders.chat import FunctionChat, open_answering
from eatlas_models.stimuli.asking import Prompt

PROMPTS = [Prompt(f"Question {i}?", answers=2) for i in range(300)]
CODE = """
calls = []
def answer(prompts):
    calls.append(len(prompts))
    return [prompt.upper() for prompt in prompts]
def numbers(prompts):
    return len(prompts)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A module in the working directory."""
    (tmp_path / "answering_here.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    import sys

    yield
    sys.modules.pop("answering_here", None)


def test_functions_answer(here):
    model = open_answering("py:answering_here:answer")
    replies = model.score(PROMPTS)
    assert model.name == "py:answering_here:answer"
    assert all(reply.texts == (prompt.text.upper(),) * 2 for prompt, reply in replies.items())
    from answering_here import calls

    assert calls == [256, 256, 88]
    open_answering("py:answering_here:answer").score(PROMPTS)
    assert len(calls) == 6, "what a function answers is not kept"
    for _ in range(2):
        open_answering("py:answering_here:answer?cache=yes&version=1").score(PROMPTS)
    assert len(calls) == 9, "but for a version that was named"
    assert [(kept.name, kept.answers) for kept in contents().models] == [
        ("py:answering_here:answer?version=1", 600)
    ]


def test_a_class_of_the_user_answers():
    class Mine:
        def __call__(self, prompts):
            return ["yes"] * len(prompts)

    model = open_answering(Mine())
    assert model.name == "Mine"
    assert open_answering(model) is model
    assert isinstance(model, FunctionChat)


@pytest.mark.parametrize(
    ("function", "what", "got"),
    [
        (lambda prompts: prompts[1:], "not return one text per prompt", "for 2 prompts"),
        (lambda _: "ab", "not return one text per prompt", "'ab' (str) for 2 prompts"),
        (lambda _: None, "not return one text per prompt", "None"),
        (lambda prompts: [1] * len(prompts), "not return one text per prompt", "1 (int)"),
        (lambda _: 1 / 0, "the function failed", "ZeroDivisionError"),
    ],
)
def test_functions_that_fail(function, what, got):
    with pytest.raises(SourceError) as caught:
        open_answering(function).score(PROMPTS[:1])
    assert what in caught.value.what
    assert got in caught.value.got


def test_nothing_is_an_empty_answer():
    replies = open_answering(lambda prompts: [None] * len(prompts)).score(PROMPTS[:1])
    assert set(replies[PROMPTS[0]].texts) == {""}


EVERY = ("chat:URL?model=NAME", "hf:NAME", "GGUF", "CSV", "py:MODULE:FUNCTION", "a function")


@pytest.mark.parametrize(
    "spec",
    ["glove-sample", "missing.txt", "cbow:glove-sample", "st:all-MiniLM-L6-v2", 3, str, {"a": [1.0]},
     Letters(), (["a"], [[1.0]])],
    ids=str,
)  # fmt: skip
def test_anything_else_is_told_what_answers(spec):
    with pytest.raises(SourceError) as caught:
        open_answering(spec)
    assert "this model answers no questions" in caught.value.what
    assert all(text in caught.value.allowed for text in EVERY)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("http://localhost:8000/v1?model=m", "remedy: for a chat server, write chat:http://localhost:8000/v1?model=NAME"),
        ("chat:http://localhost:8000/v1", "no model is named\n  allowed: chat:URL?model=NAME"),
        ("chat:localhost:8000/v1?model=m", "no address\n  got: localhost:8000/v1"),
        ("chat:ftp://a.org/v1?model=m", "no address"),
        ("chat:http://?model=m", "no address"),
        ("chat:http://a.org/v1/embeddings?model=m", "not an address of chat completions"),
        ("chat:http://a.org/v1/completions?model=m", "not an address of chat completions"),
        ("chat:https://me:pass@a.org/v1?model=m", "the address contains a key or password"),
        ("chat:http://a.org/v1?model=m&parallel=0", "got: parallel=0"),
        ("chat:http://a.org/v1?model=m&paralel=3", "remedy: did you mean parallel?"),
        ("chat:http://a.org/v1?model=m&cache=maybe", "allowed: yes or no"),
        ("py:os:getcwd?cache=yes", "add version=1"),
        ("py:os", "no function is given"),
        ("py:os:nothing", "returns a text for each prompt"),
    ],
)  # fmt: skip
def test_addresses_and_places_that_are_none(spec, said):
    with pytest.raises(SourceError) as caught:
        open_answering(spec)
    assert said in str(caught.value)
    assert "pass@" not in str(caught.value)


def test_a_file_may_not_name_a_function():
    spec = "py:os:getcwd"
    with data_only(spec), pytest.raises(UntrustedSourceError, match="refused, as it would import"):
        open_answering(spec)


@pytest.mark.parametrize(
    "spec", ["chat:http://127.0.0.1:9/v1?model=m", "http://127.0.0.1:9/v1/chat/completions?model=m"]
)
@pytest.mark.parametrize("prefix", ["", "mine="])
def test_vectors_of_it_are_refused(spec, prefix):
    with pytest.raises(SourceError) as caught:
        eatlas.run("weat-6", prefix + spec)
    assert "a chat model has no vectors" in caught.value.what
    assert "--measure ask" in caught.value.remedy
