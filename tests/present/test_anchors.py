from hypothesis import given
from hypothesis import strategies as st

from eatlas.present.drawings.eat_map import SYMBOL
from eatlas.present.sections import LONGEST_ID, PAGE, SERIES, TITLE, anchors


def test_ids_that_the_page_needs_are_left_to_it():
    assert anchors(["summary", "eat-AB", "summary-title", "series-1", "weat-6"]) == [
        "summary-2", "test-eat-AB.", "test-summary-title.", "test-series-1.", "weat-6",
    ]  # fmt: skip


def test_what_an_address_does_not_take_becomes_a_hyphen():
    assert anchors(["a b/c?d#e", "§§", "שלום", "a" * 300]) == [
        "a-b-c-d-e", "test", "שלום", "a" * LONGEST_ID,
    ]  # fmt: skip


@given(st.lists(st.text(), max_size=20))
def test_no_two_are_alike_nor_the_page_s_own(tests):
    found = anchors(tests)
    assert len(found) == len(tests) == len(set(found))
    assert not set(found) & PAGE
    for name in found:
        assert name
        assert " " not in name
        assert not name.startswith((SYMBOL, SERIES))
        assert not name.endswith(TITLE)
