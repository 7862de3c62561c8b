"""A key goes to its address alone, and never comes back."""

import html
import json
import logging
import traceback
from urllib.parse import quote

import pytest
from tests.inputs import make_test
from tests.whole.attack.hostile import (
    ASK,
    KEY,
    answers_of,
    changed,
    completion,
    entry,
    good,
    opened,
    replying,
)

import eatlas
from eatlas.errors import SourceError, SourceWarning

TEST = make_test()
MEASURES = {"chat": ASK, "embeddings": "weat(resamples=0)"}


def error_of(server, kind, key=KEY, by="samples"):
    with pytest.raises(SourceError) as caught:
        answers_of(opened(kind, server.spec(kind)), by)
    shown = "".join(traceback.format_exception(caught.value))
    assert key not in shown
    assert quote(key, safe="") not in shown
    return caught.value


# --- what a key is --------------------------------------------------------------------------------


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}\t", "\n{}"])
def test_F3_ends_of_lines_around_a_key_do_not_count(server, kind, monkeypatch, around):
    monkeypatch.setenv("EATLAS_API_KEY", around.format(KEY))
    answers_of(opened(kind, server.spec(kind)))
    assert set(server.keys) == {f"Bearer {KEY}"}


@pytest.mark.parametrize("bad", ["\n", "\r", " ", "\x1b", "é", "\u202e", "\u201c"])
def test_F3_a_key_that_is_none_is_refused_before_anything_is_sent(server, kind, monkeypatch, bad):
    monkeypatch.setenv("EATLAS_API_KEY", f"{KEY[:9]}{bad}{KEY[9:]}")
    error = error_of(server, kind)
    assert error.what == "EATLAS_API_KEY: not a valid key"
    assert KEY[:9] not in str(error)
    assert server.asked == []


@pytest.mark.parametrize("quoted", ['"{}"', "'{}'", ' "{}"\n', '" {} "'])
def test_A5_quotation_marks_around_a_key_are_left_out_aloud(server, kind, monkeypatch, quoted):
    monkeypatch.setenv("EATLAS_API_KEY", quoted.format(KEY))
    with pytest.warns(SourceWarning, match="quotation marks around the key") as said:
        answers_of(opened(kind, server.spec(kind)))
    assert {str(each.message) for each in said} == {
        "EATLAS_API_KEY: the quotation marks around the key are not part of it, so eatlas left them "
        "out. Environment files for docker (--env-file) keep them."
    }
    assert set(server.keys) == {f"Bearer {KEY}"}


# --- where a key goes -----------------------------------------------------------------------------


def test_F23_netrc_and_proxies_have_no_say_on_this_machine(server, kind, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login alice password NETRCSECRET\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("http_proxy", "http://me:pass@127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    answers_of(opened(kind, server.spec(kind)))
    monkeypatch.delenv("EATLAS_API_KEY")
    count = len(server.keys)
    answers_of(opened(kind, server.spec(kind)))
    assert set(server.keys[:count]) == {f"Bearer {KEY}"}
    assert set(server.keys[count:]) == {None}


def test_F29_a_key_does_not_go_over_http_to_another_machine(server, kind, monkeypatch):
    # a proxy on this machine stands for the network, and sees all that is sent
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
    spec = server.spec(kind).replace(f"127.0.0.1:{server.server_port}", "far.example")
    with pytest.raises(SourceError) as caught:
        answers_of(opened(kind, spec))
    assert "http would send the key unencrypted" in caught.value.what
    assert server.asked == []
    monkeypatch.delenv("EATLAS_API_KEY")
    answers_of(opened(kind, spec))
    assert set(server.keys) == {None}


# --- how a key could come back --------------------------------------------------------------------

JSON = json.dumps({"error": {"message": f"bad key {KEY}"}})
ECHOES = {
    "JSON": JSON.encode(),
    "JSON in JSON": json.dumps({"detail": JSON}).encode(),
    "name": json.dumps({KEY: 1}).encode(),
    "in an address": f"key={quote(KEY, safe='')}".encode(),
    "slashes": JSON.replace("/", "\\/").encode(),
    "signs as numbers": JSON.replace("+", "\\u002B").replace("/", "\\u002f").encode(),
    "all as numbers": "".join(f"\\u{ord(letter):04x}" for letter in KEY).encode(),
    "page": f"<p>{html.escape(KEY)}</p>".encode(),
    "where it is cut": b"x" * 270 + KEY.encode(),
    "behind": b"x" * 1000 + KEY.encode(),
}


@pytest.mark.parametrize("way", ECHOES)
@pytest.mark.parametrize("status", [200, 401])
def test_F22_no_message_repeats_a_key(server, kind, way, status):
    server.behave = replying(ECHOES[way], status)
    error = error_of(server, kind)
    assert "***" in str(error) or way == "behind"
    for part in (KEY[:12], KEY[-8:], "\\u0073\\u006b", "sk-proj"):
        assert part not in str(error)


@pytest.mark.parametrize("kind", ["chat"])
def test_F22_no_message_repeats_a_key_in_a_place_that_is_read(server, kind):
    answers = [completion(f"as {KEY}"), completion("x", [entry(KEY, 5.0)])]
    for answer in answers:
        server.behave = replying(answer)
        assert "***" in error_of(server, kind, by="logprobs").got


def test_F22_no_message_repeats_a_key_in_a_head(server, kind):
    server.behave = replying(b"", 302, Location=f"http://x/?k={KEY}")
    assert error_of(server, kind).got == "status 302, to http://x/?k=***: "
    assert len(server.asked) == 1, "a redirect is not followed"
    server.behave = replying(b"", Content_Encoding=KEY)
    assert error_of(server, kind).got == "the encoding ***"


@pytest.mark.parametrize("key", ['sk-a"b\\c/d', "sk-\\\\\\", "sk-X", "'sk-X", 'x"'])
def test_A5_a_key_of_odd_signs_is_known_however_it_is_escaped(server, kind, monkeypatch, key):
    monkeypatch.setenv("EATLAS_API_KEY", key)
    once = json.dumps({"error": f'bad key "{key}"'})
    for content in (once, json.dumps({"error": once}), f"bad key {quote(key, safe='')}"):
        server.behave = replying(content.encode(), 401)
        error = error_of(server, kind, key)
        assert "bad key ***" in error.got or 'bad key \\"***' in error.got.replace("\\\\\\", "\\")
        assert json.dumps(key)[1:-1] not in str(error)


def debugging(handler, body):
    """A proxy for debugging puts what it got into the answer."""
    if "messages" in body:
        prompt = body["messages"][-1]["content"]
        option = next(word for role in "AB" for word in TEST.concepts[role].terms if word in prompt)
        answer = completion(f"{option} {KEY}", model=f"gpt {KEY}")
    elif "input" in body:
        rows = [[len(text), text.count("a"), 1.0] for text in body["input"]]
        data = [{"index": i, "embedding": row, KEY: KEY} for i, row in enumerate(rows)]
        answer = {"data": data, "model": KEY}
    else:
        log = {"tokens": [KEY, "."], "token_logprobs": [None, -1.0]}
        answer = {"choices": [{"text": text, "logprobs": log} for text in body["prompt"]]}
    escaped = KEY.replace("/", "\\u002f")
    handler.reply(json.dumps(answer).replace(KEY, escaped, 1).encode())


@pytest.mark.parametrize("kind", ["chat", "embeddings"])
def test_A4_a_key_in_an_answer_is_in_no_file(server, kind, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))
    caplog.set_level(logging.DEBUG)
    server.behave = debugging
    results = eatlas.run(TEST, server.spec(kind, ""), MEASURES[kind])
    results.write(tmp_path / "results.jsonl")
    eatlas.write_report(results, tmp_path / "report.html")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    for path in files:
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in caplog.text + str(results) + repr(opened(kind, server.spec(kind)))
    if kind == "chat":
        assert results[0].answers.models == ("gpt ***",)


@pytest.mark.parametrize("key", ["EMPTY", "none", "null", "m", "0", "-1", "love", "index", "-"])
def test_A4_what_servers_without_keys_are_given_changes_no_answer(server, kind, monkeypatch, key):
    """A short word or number is no secret, and may be in any answer."""
    server.behave = changed(lambda answer: {**answer, "id": f"{key}-1"})
    monkeypatch.delenv("EATLAS_API_KEY")
    plain = answers_of(opened(kind, server.spec(kind)), "logprobs")
    monkeypatch.setenv("EATLAS_API_KEY", key)
    assert repr(answers_of(opened(kind, server.spec(kind)), "logprobs")) == repr(plain)
    assert server.keys[-1] == f"Bearer {key}"
    server.behave = good
