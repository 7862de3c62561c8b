"""A table of LPBS, set by LaTeX."""

import pytest
from tests.present.tables.test_typeset import pytestmark, within_margins_over_pages  # noqa: F401
from tests.present.test_lpbs import TEST, Model

import eatlas


@pytest.mark.parametrize("columns", ["narrow", "wide"])
def test_a_table_is_between_the_margins_and_goes_on_over_pages(columns, tmp_path):
    result = eatlas.LPBS(resamples=200)(TEST, Model())
    within_margins_over_pages(result, columns, tmp_path)
