"""Servers that answer without end, too slowly, or with what is no answer."""

import gzip
import json
from functools import partial

import numpy as np
import pytest
from tests.inputs import make_test
from tests.whole.attack.hostile import (
    ASK,
    BLOCK,
    OPTIONS,
    answer_to,
    answers_of,
    completion,
    cut,
    dripping,
    dripping_head,
    endless,
    endless_heads,
    endless_when_unpacked,
    entry,
    good,
    hanging,
    opened,
    replying,
)

import eatlas
from eatlas.errors import SourceError
from eatlas_models.encoders import chat_endpoint
from eatlas_models.encoders.chat_endpoint import MORE_PIECES, Piece, chances_of
from eatlas_models.encoders.connection import json_of_server

IN_BUFFERS = 16 * BLOCK
"""Bytes that the system takes from a server before anybody reads them."""


def error_of(server, kind, options="&cache=no", by="samples", **settings):
    with pytest.raises(SourceError) as caught:
        answers_of(opened(kind, server.spec(kind, options), **settings), by)
    return caught.value


def is_brief(error):
    """Whether a message is short enough to be read."""
    return len(str(error)) < 1500


# --- bytes and time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", [endless, partial(endless, status=400), endless_heads], ids=["200", "400", "100"]
)
def test_A2_an_answer_without_end_is_left(server, kind, answer, waits):
    server.behave = answer
    error = error_of(server, kind, "&cache=no&batch=4" if kind == "embeddings" else "&cache=no")
    assert error.what.endswith("the server's reply was refused")
    assert error.got.startswith("more than ")
    limit = int(error.got.removeprefix("more than ").removesuffix(" bytes").replace(",", ""))
    assert f"up to {limit:,} bytes" in error.allowed
    assert limit < 4 * BLOCK
    assert server.sent < limit + IN_BUFFERS
    assert waits == [], "it is not asked again"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "deflate", "identity, gzip"])
def test_A2_an_answer_is_packed_once_and_in_one_way(server, kind, encoding, waits):
    server.behave = replying(gzip.compress(gzip.compress(b"{}")), Content_Encoding=encoding)
    error = error_of(server, kind)
    assert error.got == f"the encoding {encoding}"
    assert "compressed once by gzip" in error.allowed
    assert waits == []


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP", "identity"])
def test_A2_an_answer_that_is_packed_is_read(server, kind, encoding):
    plain = answers_of(opened(kind, server.spec(kind)))

    def packed(handler, body):
        data = json.dumps(answer_to(body)).encode()
        data = gzip.compress(data) if "gzip" in encoding.lower() else data
        handler.reply(data, Content_Encoding=encoding)

    server.behave = packed
    assert repr(answers_of(opened(kind, server.spec(kind)))) == repr(plain)


def test_A2_a_packed_answer_that_is_cut_is_asked_for_again(server, kind, waits):
    server.behave = replying(gzip.compress(b"{}")[:-9], Content_Encoding="gzip")
    error = error_of(server, kind)
    assert "the endpoint returned no " in error.what
    assert "no end" in error.got
    assert waits == [0.5, 1, 2]


def test_F20_an_answer_that_is_unpacked_without_end_is_left(server, kind, waits):
    server.behave = endless_when_unpacked
    error = error_of(server, kind)
    assert error.what.endswith("the server's reply was refused")
    assert error.got.startswith("more than ")
    assert waits == []


@pytest.mark.parametrize("answer", [dripping, dripping_head, hanging])
def test_F20_the_time_is_that_of_the_whole_answer(server, kind, answer, waits):
    server.behave = answer
    error = error_of(server, kind, timeout=0.3)
    assert "the endpoint returned no " in error.what
    assert "imed out" in error.got
    assert "timeout=SECONDS" in error.remedy


def test_F30_an_answer_that_is_cut_is_asked_for_again(server, kind, waits):
    def first_cut(handler, body):
        (cut if len(server.asked) < 3 else good)(handler, body)

    plain = answers_of(opened(kind, server.spec(kind)))
    server.asked.clear()
    server.behave = first_cut
    assert repr(answers_of(opened(kind, server.spec(kind)))) == repr(plain)
    assert waits == [0.5, 1.0]
    server.behave = cut
    assert "IncompleteRead" in error_of(server, kind).got


def test_A10_a_wait_that_is_no_number_is_none(server, kind, waits):
    for after in ("\u00b2", "9" * 5000, "nan", "-5", "1e3"):
        server.behave = replying({"error": "busy"}, 429, Retry_After=after)
        error = error_of(server, kind)
        assert error.got == 'status 429: {"error": "busy"}'
    assert set(waits) <= {0.5, 1, 2, 4, 8, 16, 32}


# --- what is no answer ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("depth", [50_000, 200_000])
def test_F32_values_that_are_nested_without_end(server, kind, status, depth):
    server.behave = replying(b"[" * depth, status)
    error = error_of(server, kind)
    assert "[" * 100 in error.got
    assert is_brief(error)


@pytest.mark.parametrize("number", ["1e300", "-3.5e38", "1e400", "1" + "0" * 400])
def test_F31_components_beyond_single_precision_are_refused_and_not_kept(server, number):
    row = f'[{{"index": 0, "embedding": [1, {number}]}}, {{"index": 1, "embedding": [1, 2]}}]'
    server.behave = replying(f'{{"data": {row}}}'.encode())
    error = error_of(server, "embeddings", options="")
    assert "not finite" in error.what or "does not contain one vector per text" in error.what
    server.behave = good
    rows = answers_of(opened("embeddings", server.spec("embeddings", "")))
    assert np.isfinite(rows).all()
    assert len(server.asked) == 2, "nothing of the first answer was kept"


@pytest.mark.parametrize("digits", [400, 5000])
def test_A10_numbers_of_hundreds_of_digits(server, kind, digits):
    def huge(handler, body):
        text = json.dumps(answer_to(body))
        for number in ("-0.5", "-1.0", "12", "13"):
            text = text.replace(number, "-" + "9" * digits)
        handler.reply(text.encode())

    server.behave = huge
    assert is_brief(error_of(server, kind, by="logprobs"))


def test_A2_lists_that_take_more_than_they_say_are_not_made():
    for empty in ("[]", "{}"):
        many = f"[{','.join([empty] * 150_000)}]"
        with pytest.raises(ValueError, match="lists and objects alone"):
            json_of_server(many)
        some = f"[{','.join([empty] * 50_000)}]"
        assert len(json_of_server(some)) == 50_000


@pytest.mark.parametrize("half", ["\\ud800", "x\\udfff"])
def test_A10_half_a_character_in_the_name_of_a_model(server, tmp_path, half):
    answer = json.dumps(completion("love", model="MODEL")).replace("MODEL", half)
    server.behave = replying(answer.encode())
    results = eatlas.run(make_test(), server.spec("chat"), ASK)
    results.write(tmp_path / "results.jsonl")
    (name,) = eatlas.read_results(tmp_path / "results.jsonl")[0].answers.models
    assert name == half.replace("\\ud800", "\ufffd").replace("\\udfff", "\ufffd")


def test_A19_the_name_of_a_model_is_cut(server):
    server.behave = replying(completion("love", model="M" * 1_000_000))
    replies = answers_of(opened("chat", server.spec("chat")))
    assert {reply.models for reply in replies} == {("M" * 200,)}


@pytest.mark.parametrize("data", [10**10, 3, True, "abc", {"a": 1}, [999], [-1], ["a"], [0.5]])
def test_A3_bytes_of_a_piece_are_a_list_of_bytes(server, data):
    listed = [entry("love", -0.5), {**entry("war", -1.5), "bytes": data}]
    server.behave = replying(completion("love", listed))
    error = error_of(server, "chat", by="logprobs")
    assert "the log-probabilities cannot be read" in error.what
    assert is_brief(error)


def repeated(count, pieces=1, text="x"):
    listed = [entry("love", -0.5), *[entry(text, -5.0)] * count]
    answer = completion("love", listed)
    content = answer["choices"][0]["logprobs"]["content"]
    content += [entry(text, -5.0)] * (pieces - 1)
    return answer


@pytest.mark.parametrize(
    "answer",
    [repeated(300), repeated(1, pieces=MORE_PIECES + 40), repeated(1, text="x" * 2000)],
    ids=["listed", "pieces", "letters"],
)
def test_A11_more_than_was_asked_for_is_refused(server, answer):
    server.behave = replying(answer)
    error = error_of(server, "chat", by="logprobs")
    assert "the log-probabilities cannot be read" in error.what


@pytest.mark.parametrize(
    ("options", "before", "after", "chances"),
    [
        (OPTIONS, b" " * 100, b"love", [-100.5, -np.inf]),  # says nothing yet
        (("art", "art deco"), b"art deco" + b" x" * 50, b".", [-np.inf, -np.inf]),  # says too much
    ],
)
def test_A11_what_is_before_a_piece_is_read_once(monkeypatch, options, before, after, chances):
    letters, begun = [], chat_endpoint._begun
    monkeypatch.setattr(chat_endpoint, "_begun", lambda t: letters.append(len(t)) or begun(t))
    pieces = [Piece(before, -0.1, ((before, -0.1), (b"\n" * 100, -3.0)))] * 1000
    assert chances_of(options, [*pieces, Piece(after, -0.5)]) == pytest.approx(chances)
    assert sum(letters) < 4 * 1000 * 110
