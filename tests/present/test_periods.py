import pytest

from eatlas.present.comparison import steps


@pytest.mark.parametrize(
    ("years", "wanted"),
    [
        ([1990], [1990]),
        ([1990, 2000], [1990, 2000]),
        ([1990, 1990, 2000, 2010], [1990, 2000, 2010]),
        ([1810, 1830, 1840], [1810, 1820, 1830, 1840]),
        ([1990, 2000, 2001], [1990, 2000, 2001]),  # single years in between were never meant
        ([1990, 2000, 2015], [1990, 2000, 2015]),
        ([1800, 1810, 1900], [1800, 1810, 1900]),  # 3 of 11 steps
    ],
)
def test_steps(years, wanted):
    assert steps(years) == wanted
