"""What every statistic says to input that it cannot use."""

import numpy as np
import pytest

from eatlas.errors import EatlasError
from eatlas.stats.inputs import generator, numbers, open_unit, whole


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: numbers(["a"], "scores", 1), "scores must be numbers\n  got: could not convert"),
        (lambda: numbers([[1.0], [1.0, 2.0]], "scores", 2), "scores must be numbers\n  got: "),
        (
            lambda: numbers([1.0], "scores", 2),
            "scores must have 2 dimensions\n  got: an array of shape (1,)",
        ),
        (lambda: numbers(1.0, "effects", 1), "effects must have 1 dimension\n  got: an array"),
        (
            lambda: numbers([[0.0, 1.0], [2.0, np.inf]], "scores", 2),
            "scores must be finite\n  got: inf at [1, 1]",
        ),
        (
            lambda: whole(1.5, "draws", 1),
            "draws must be a whole number\n  got: 1.5\n  allowed: 1 or more",
        ),
        (lambda: whole(7, "n", 1, 6), "n is out of range\n  got: 7\n  allowed: 1 to 6"),
        (
            lambda: open_unit(95),
            "level must be a probability\n  got: 95\n  allowed: above 0 and below 1, as 0.95",
        ),
        (lambda: open_unit("0.95"), "level must be a probability\n  got: '0.95'"),
        (
            lambda: generator(3),
            "rng must be a numpy Generator\n  got: int\n"
            "  remedy: pass numpy.random.default_rng(seed)",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(EatlasError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_what_is_in_range_passes_unchanged():
    assert numbers([[1, 2]], "scores", 2).tolist() == [[1.0, 2.0]]
    assert [whole(1, "n", 1, 6), whole(np.int64(6), "n", 1, 6)] == [1, 6]
    assert open_unit(0.5) == 0.5
