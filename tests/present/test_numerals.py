import math

import pytest
from tests.present.records import p_values

from eatlas import numbers
from eatlas.numbers import count, effect, explain_p, odds, p_equals, p_value
from eatlas.results.levels import PValues


@pytest.mark.parametrize(
    ("d", "shown"), [(1.5, "1.50"), (-1.385, "−1.39"), (0.0, "0.00"), (-0.001, "0.00"), (None, "–")]
)
def test_effect_has_a_true_minus_and_no_negative_zero(d, shown):
    assert effect(d) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0171, ".017"),
        (0.32, ".32"),
        (0.5, ".50"),
        (3.17e-8, "3.2e-8"),
        (7.77e-5, "7.8e-5"),
        (0.00012, "1.2e-4"),
        (0.0095, ".0095"),
        (0.0999, ".10"),
        (1.0, "1"),
        (0.9999999, "> .99"),
        (5e-324, "< .001"),
    ],
)
def test_p_value(p, shown):
    assert p_value(p) == shown


@pytest.mark.parametrize(("p", "shown"), [(0.0499, ".0499"), (0.0496, ".0496"), (0.05, ".050")])
def test_rounding_never_carries_p_across_alpha(p, shown):
    assert p_value(p) == shown
    assert (float(shown) < 0.05) == (p < 0.05)


def test_p_in_a_sentence():
    assert (p_equals(0.017), p_equals(0.999)) == ("p = .017", "p > .99")


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.999, "in nearly all cases"),
        (0.037, "in about 3.7% of cases"),
        (4.5e-6, "in about 1 of 220,000 cases"),
        (5e-324, "in fewer than 1 of 1,000,000,000,000 cases"),
    ],
)
def test_odds(p, words):
    assert odds(p) == words


def test_counts_beyond_two_to_the_53_stand_in_full():
    assert count(2**53 + 1) == "9,007,199,254,740,993"
    assert count(math.comb(100, 50)) == "100,891,344,545,564,193,334,812,497,256"


@pytest.mark.parametrize("exponent", [30, 31, 99, 100, 301, 1000, 4300, 6018])
def test_longer_counts_are_rounded(exponent):
    assert count(10**exponent) == f"about 1.00e{exponent}"
    assert count(123456 * 10 ** (exponent - 5)) == f"about 1.23e{exponent}"
    assert count(10 ** (exponent + 1) - 1) == f"about 9.99e{exponent}"  # cut, not rounded up


def test_explain_p_counts():
    p = PValues.from_dict(p_values(12863, 126410606437752))
    assert explain_p(p, "greater") == "12,863 of 126,410,606,437,752 permutations"


def test_explain_p_states_the_error_or_the_interval():
    methods = {"greater": "inversion", "less": "inversion", "two_sided": "sampled"}
    p = PValues.from_dict(
        p_values(100, 10**12)
        | {
            "method": methods,
            "count": None,
            "rel_err": {"greater": 1e-9, "less": 2e-10, "two_sided": None},
            "interval": {"greater": None, "less": None, "two_sided": [0.03, 0.04]},
            "permutations": {"greater": None, "less": None, "two_sided": 1000},
        }
    )
    of_all = "of 1,000,000,000,000 permutations"
    assert explain_p(p, "greater") == f"by inversion, relative error ≤ 1e-9, {of_all}"
    assert explain_p(p, "less") == f"by inversion, relative error ≤ 2e-10, {of_all}"
    drawn = f"by sampling 1,000 times {of_all}, 95% interval between .030 and .040"
    assert explain_p(p, "two_sided") == drawn.replace(" of ", " from ")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("p = 4.5e-6 (1e-5).", "p = 4.5 × 10⁻⁶ (1 × 10⁻⁵)."),
        ("ML-EAT(alpha=0.05,threshold=1e-05)", None),
        ("bert-lr-2e-5 and lr_2e-5.txt", None),
    ],
)
def test_powers_are_written_of_numbers_and_not_within_names(text, printed):
    assert numbers.in_powers(text) == (printed or text)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.000"), (-0.1234, "−0.123"), (-3.2e-4, "−3.2e-4"), (1e12, "1.0e12"), (2e-5, "2.0e-5")],
)
def test_a_number_of_unknown_scale_is_never_rounded_to_0(value, text):
    assert numbers.number(value) == text
