"""Half a character, which JSON can hold and no file of text, is refused wherever JSON is read."""

import json

import pytest

import eatlas
from eatlas.decoding import json_value
from eatlas_corpora.reading import Context, Contexts

HALF = "\\ud800"
SAID = f"{HALF} occurs alone, which is not a character"


@pytest.mark.parametrize("half", ["\\ud800", "\\udc00", "\\uD83D x", "\\udc00\\ud800"])
def test_half_a_character(half):
    for text in (f'"{half}"', f'["", {{"{half}": 1}}]'):
        for data in (text, text.encode()):
            with pytest.raises(ValueError, match="occurs alone, which is not a character"):
                json_value(data)


@pytest.mark.parametrize("whole", ["\\ud83d\\ude00", "\\\\ud800", "\\uDBFF\\uDFFF", "é"])
def test_whole_characters_are_read_as_json_reads_them(whole):
    assert json_value(f'"{whole}"'.encode()) == json.loads(f'"{whole}"')


def test_nested_too_deep():
    with pytest.raises(ValueError, match="nested too deep"):
        json_value(b"[" * 100_000)


@pytest.mark.parametrize("which", ["c.jsonl", "c.jsonl.json"])
def test_in_contexts(tmp_path, which):
    path = tmp_path / "c.jsonl"
    Contexts.of([Context("oak", "An oak", 3, 6)], provenance={"field": "An oak"}).write(path)
    changed = tmp_path / which
    changed.write_text(changed.read_text().replace("An oak", f"An oak{HALF}"))
    with pytest.raises(eatlas.errors.SourceError) as said:
        eatlas.load_contexts(path)
    assert str(path) in said.value.what
    assert said.value.got == SAID


def test_in_a_card(tmp_path):
    _, path = eatlas.write_card(eatlas.protocol("mac", criteria=["face"]), tmp_path)
    path.write_text(path.read_text().replace('"MAC', f'"{HALF}MAC'))
    with pytest.raises(eatlas.errors.ResultsError) as said:
        eatlas.read_card(path)
    assert said.value.got == SAID
