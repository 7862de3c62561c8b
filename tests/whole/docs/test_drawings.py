"""Pictures of pages are what the code draws."""

import pytest
from tools.docs import draw_methods

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", draw_methods.DRAWN)
def test_a_page_of_a_method_begins_with_what_is_drawn(name):
    """If this fails, look at the new picture: python tools/docs/draw_methods.py NAME"""
    kept = (draw_methods.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert kept == draw_methods.drawn(name)
