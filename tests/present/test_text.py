import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.present.text import clean, clusters, isolate, one_line, pixels, wrap


def test_clean_replaces_what_xml_and_terminals_cannot_take():
    assert clean("a\x00b\x1b[31mc\ud800d\u202ee") == "a�b�[31mc�d�e"
    assert clean("tab\tand\nline") == "tab\tand\nline"


def test_isolated_marks_right_to_left_names_alone():
    assert isolate("Flowers") == "Flowers"
    assert isolate("שמות") == "\u2068שמות\u2069"
    assert isolate("\u2067שמות") == "\u2068שמות\u2069"


@pytest.mark.parametrize("whole", ["é", "👩‍👩‍👧", "👍🏽", "❤️", "क्"])
def test_clusters_keep_characters_whole(whole):
    assert clusters(f"a{whole}b") == ["a", whole, "b"]


def test_wrap_breaks_between_words_and_within_long_ones():
    assert wrap("European American names", 17, len, 2) == ["European American", "names"]
    assert wrap("Donaudampfschiff", 8, len, 2) == ["Donaudam", "pfschiff"]
    assert wrap("", 8, len, 2) == [""]


@given(st.text(), st.integers(2, 30), st.integers(1, 4))
def test_wrap_keeps_to_its_room_and_loses_nothing_silently(text, width, lines):
    found = wrap(text, width, len, lines)
    assert len(found) <= lines
    for line in found:
        assert len(line) <= width or len(clusters(line)) == 1
    if not found[-1].endswith("…"):
        assert "".join(found).replace(" ", "") == one_line(text).replace(" ", "")


def test_pixels_takes_wide_characters_as_wide():
    assert pixels("长", 10) > pixels("m", 10) > pixels("i", 10) > 0
