"""The specification curve of a study, drawn in every width."""

import pytest
from tests.present.drawings.test_plot import WIDTHS, drawn_in_width
from tests.present.records import weat

import eatlas
from eatlas.errors import EatlasError


@pytest.fixture(scope="module")
def study():
    return eatlas.multiverse({"tests": ["weat-6", "weat-7"], "choices": {"ddof": [1, 0]}})


@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_drawn_in_every_width(width, study):
    drawn_in_width(study, "specification", width)


def test_results_are_no_study():
    with pytest.raises(EatlasError, match="kind specification cannot show this"):
        eatlas.plot(weat(), "specification")
