"""Files of others that are no files, have no end, or are small and take for ever."""

import hashlib
import json
import multiprocessing
import os
import struct
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import make_test
from tests.sources.files.faults import fault, no_more_memory_than
from tests.sources.files.test_index import (
    DATA,
    WANTED,
    _index_of_small_files,  # noqa: F401  (a fixture of every test here)
    expected,
    index_of,
    same,
    text,
    vectors,
)
from tests.whole.attack.bounded import ends_within

import eatlas
from eatlas.decoding import MAX_IMPORT
from eatlas.encoders.gguf_files import gguf_reader
from eatlas.errors import EatlasError, SourceError, StimulusError
from eatlas.stimuli.importers import FORMATS, import_test
from eatlas_vocabulary.sources.wildcards import expand
from eatlas_vocabulary.stimuli.collections import COLLECTIONS, import_tests
from eatlas_vocabulary.stimuli.dictionaries import read_quanteda

NO_FILE = "this is neither a file nor a folder"


# --- words with * ---------------------------------------------------------------------------------


def words_of(wildcard, words):
    source = eatlas.open_vectors({word: [1.0, 2.0] for word in words})
    (test,) = expand([make_test(X=(wildcard, "lily"))], source, "exact")
    return {*test.X.terms} - {"lily"}


WORDS = st.lists(st.text("ab.\n", min_size=1, max_size=9), min_size=1, max_size=8)


@given(st.text("ab.*?", max_size=8), WORDS)
def test_A6_wildcards_match_as_those_of_shells(wildcard, words):
    wildcard += "a*"  # with a letter and a sign, or it is a word
    terms = {word for word in words if word == word.strip()}
    assert words_of(wildcard, words) == {word for word in terms if fnmatchcase(word, wildcard)}


@pytest.mark.parametrize(
    ("wildcard", "word"),
    [
        ("*" * 300 + "a", "b" * 1000),
        ("a*a*a*a*a*a*z", "a" * 1000),
        ("*a" * 200 + "*z", "a" * 100_000),
        ("a?*" * 200 + "z", "a" * 100_000),
        ("*" + "a" * 1000 + "b", "a" * 100_000),
    ],
)
def test_A6_no_word_keeps_a_wildcard_busy(wildcard, word):
    with ends_within():
        assert words_of(wildcard, [word]) == set()
        assert words_of(wildcard, [word, word + wildcard[-1]]) <= {word + wildcard[-1]}


# --- tests of other software ----------------------------------------------------------------------

READERS = dict.fromkeys((*FORMATS, "liwc", "quanteda"), import_test) | dict.fromkeys(
    COLLECTIONS, import_tests
)


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("form", READERS)
def test_A8_what_has_no_end_is_not_imported(form, pipe):
    with ends_within():
        for path in (Path("/dev/zero"), pipe):
            with pytest.raises(StimulusError, match=NO_FILE):
                READERS[form](path, form)


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("ending", ["csv", "json", "tsv", "parquet"])
def test_A8_no_more_is_read_than_shows_that_it_is_too_large(form, ending, tmp_path):
    path = tmp_path / f"sparse.{ending}"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with no_more_memory_than(64 << 20), pytest.raises(StimulusError) as caught:
        READERS[form](path, form)
    limit = 1 << 20 if form == "quanteda" else MAX_IMPORT
    assert f"{path}: this file is too large\n  got: more than {limit:,} bytes" in str(caught.value)


def test_A8_the_command_says_so(eatlas_cli, pipe):
    with ends_within():
        for form in ("wefe", "weathub", "liwc"):
            ended = eatlas_cli("tests", "import", pipe, "--format", form)
            assert (ended.code, f"{pipe}: {NO_FILE}" in ended.err) == (2, True)


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["report", "verify"])
@pytest.mark.parametrize("name", ["pipe", "words.csv", "words.csv.json", "words.parquet"])
def test_A9_a_pipe_is_not_waited_for(eatlas_cli, tmp_path, command, name):
    """Some names are those of a scan, whose summary is beside them."""
    for each in {name, f"{name.removesuffix('.json')}.json" if "." in name else name}:
        os.mkfifo(tmp_path / each)
    with ends_within():
        ended = eatlas_cli(command, name)
    assert ended.code == 2
    assert NO_FILE in ended.err


# --- dictionaries in YAML -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: " + "[" * 5000 + "]" * 5000, "lists are nested too deep\n  allowed: at most 10"),
        ("{" * 300_000, "not usable as the name of a category"),
        ("a: " + "{b: " * 100_000, "lists are nested too deep"),
        ("? " * 300_000, "not usable as the name of a category"),
        ("a: " + "- " * 300_000, "not valid YAML"),
        ("- " * 300_000, "not a dictionary of quanteda"),
        ("\n".join(" " * i + f"a{i}:" for i in range(1000)), "lists are nested too deep"),
        ("a: [" + "b," * 1_000_000 + "c]", "this file is too large\n  got: more than 1,048,576 bytes"),
        ("? " + "k" * 300_000 + "\n: [a]\n", "not usable as the name of a category\n  got: 'kkk"),
        ("a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "YAML reads a word behind * as a reference"),
        ("a: !!python/object/apply:os.system [exit]\n---\nb: [c]", "one document"),
    ],
)  # fmt: skip
def test_A12_yaml_that_a_reader_would_be_busy_with(tmp_path, text, said):
    path = tmp_path / "d.yml"
    path.write_text(text)
    with ends_within(), no_more_memory_than(256 << 20), pytest.raises(StimulusError) as caught:
        read_quanteda(path)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 800


def test_A12_a_long_list_is_read(tmp_path):
    path = tmp_path / "d.yml"
    path.write_text("a: [" + ",".join(f"w{i}" for i in range(100_000)) + "]")
    with ends_within():
        assert len(read_quanteda(path).lists["a"]) == 100_000


# --- heads of GGUF --------------------------------------------------------------------------------


def named(name):
    return struct.pack("<Q", len(name)) + name


def head(entries=b"", *, count=1, tensors=0, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, count) + entries


def array(kind, count, content=b""):
    return named(b"a") + struct.pack("<IIQ", 9, kind, count) + content


HEADS = {
    "numbers without end": head(array(4, 2**61)),
    "bytes": head(array(0, 3 * 10**9)),
    "texts": head(array(8, 10**6, named(b"x") * 50)),
    "too many": head(array(0, 5_000_000, bytes(5_000_000))),
    "a text": head(named(b"a") + struct.pack("<IQ", 8, 2**62)),
    "a key": head(struct.pack("<Q", 2**60) + b"abc"),
    "arrays in arrays": head(array(9, 1, struct.pack("<IQ", 9, 1) * 20_000)),
    "entries": head(count=2**40),
    "tensors": head(count=0, tensors=2**40),
    "axes": head(named(b"t") + struct.pack("<I", 2**31) + bytes(64), count=0, tensors=1),
    "another kind": head(named(b"a") + struct.pack("<I", 77)),
    "short": b"GGUF",
    "empty": b"",
}


@pytest.mark.parametrize("kind", HEADS)
def test_A13_a_head_announces_no_more_than_the_file_holds(tmp_path, kind):
    path = tmp_path / "m.gguf"
    path.write_bytes(HEADS[kind])
    with ends_within(), no_more_memory_than(256 << 20), pytest.raises(SourceError) as caught:
        gguf_reader(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("order", ["<", ">"])
def test_A13_a_sound_head_is_read(tmp_path, order):
    path = tmp_path / "m.gguf"
    content = head(array(4, 3, struct.pack("<3I", 1, 2, 3)))
    if order == ">":  # as machines with the large end first write it
        content = b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + struct.pack(">Q", 1) + b"a"
        content += struct.pack(">IIQ3I", 9, 4, 3, 1, 2, 3)
    path.write_bytes(content)
    assert gguf_reader(path).fields["a"].contents() == [1, 2, 3]


# --- the index of a file of vectors ---------------------------------------------------------------


def test_F8_vectors_that_changed_but_for_size_and_time(tmp_path):
    path = text(tmp_path)
    before = eatlas.open_vectors(path)
    before.lookup(WANTED)
    stale, state, old = index_of(path), path.stat(), path.read_bytes()
    line = next(line for line in old.splitlines() if line.startswith(b"word1999 "))
    changed = line[9:].translate(bytes.maketrans(b"012345678", b"123456780"))
    path.write_bytes(old.replace(line, line[:9] + changed))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (path.stat().st_size, path.read_bytes() == old) == (state.st_size, False)
    assert index_of(path) != stale
    after = eatlas.open_vectors(path)
    assert not np.array_equal(after.lookup({"word1999"})["word1999"], expected()["word1999"])
    assert after.fingerprint == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert after.fingerprint != before.fingerprint


def test_F9_a_forged_index_that_leads_to_other_words_is_not_believed(tmp_path):
    path = text(tmp_path)
    source = eatlas.open_vectors(path)
    source.lookup(WANTED)
    words, starts = source.index()
    source.write_index(b"\n".join(words), np.roll(starts, 1))
    assert same(vectors(path), expected())
    np.testing.assert_array_equal(eatlas.open_vectors(path).index()[1], starts)


def test_F9_an_index_beside_the_vectors_is_none(tmp_path):
    path = text(tmp_path)
    eatlas.open_vectors(path).lookup(WANTED)
    made = index_of(path)
    for name in (made.name, f"{path.name}.eatlas-index", f"{path.name}.npz"):
        (tmp_path / name).write_bytes(made.read_bytes())
    made.unlink()
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[: len(DATA.words) // 2]) + b"\n")
    assert "word3999" not in vectors(path)
    assert "word0" in vectors(path)


# --- odd values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["[" * 200_000, '{"stimulus": "a", "x": ' + "[" * 100_000])
def test_F32_contexts_nested_thousands_deep(tmp_path, content):
    path = tmp_path / "contexts.jsonl"
    path.write_text(content + "\n")
    with pytest.raises(SourceError, match="this file is damaged\n  got: values that are nested"):
        eatlas.load_contexts(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("w.json", b"[" * 100_000),
        ("w.json", b'{"a": ' * 100_000),
        ("w.json", b"9" * 10_000),
        ("w.pkl", b"I" + b"9" * 5000 + b"\n."),
    ],
)
def test_F32_vocabularies_of_odd_values(tmp_path, name, content):
    np.save(tmp_path / "v.npy", np.eye(2))
    (tmp_path / name).write_bytes(content)
    assert "not a list of words" in fault(f"{tmp_path / 'v.npy'}?vocab={name}")


@pytest.mark.parametrize("kind", [[], [[]], {}, 7, None])
def test_F32_a_tensor_whose_kind_is_no_text(tmp_path, kind):
    facts = {"v": {"dtype": kind, "shape": [1, 1], "data_offsets": [0, 4]}}
    head = json.dumps(facts).encode()
    path = tmp_path / "v.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(4))
    (tmp_path / "v.vocab").write_text("cat\n")
    assert "this safetensors file is damaged, or of a kind" in fault(path)


def run_with_workers(queue):
    try:
        eatlas.run(["weat-6", "weat-7"], measures="weat(resamples=0)", workers=2)
    except EatlasError as error:
        queue.put(str(error))


@pytest.mark.slow
def test_F32_a_process_that_may_have_no_children():
    spawned = multiprocessing.get_context("spawn")
    queue = spawned.Queue()
    process = spawned.Process(target=run_with_workers, args=(queue,), daemon=True)
    process.start()
    said = queue.get(timeout=300)
    process.join()
    assert said.startswith("this process may not start worker processes\n  got: a daemonic process")


def test_F33_a_pipe_as_vectors(pipe):
    with ends_within():
        assert f"FILE: {NO_FILE}" in fault(pipe)
        for spec in (f"glove-sample?frequency={pipe}", f"{pipe}?format=text", f"{pipe}#member"):
            with pytest.raises(EatlasError):
                eatlas.open_vectors(spec)
