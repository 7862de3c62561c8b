"""A study and a card are not wider than their pages, whatever the font."""

import pytest
from tests.present.browser.test_fitting import nothing_is_wider


@pytest.mark.parametrize("made", ["study_page", pytest.param("card_page", marks=pytest.mark.slow)])
def test_nothing_is_wider_than_other_pages(made, request, open_page):
    nothing_is_wider(open_page, request.getfixturevalue(made))
