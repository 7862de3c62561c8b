"""Half a character, which JSON can hold and no file of text, is refused wherever JSON is read."""

import json

import pytest

from eatlas.decoding import json_value


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
