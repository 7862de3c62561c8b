"""What is said of associations after covariates: where the conclusion changes, and where not."""

import pytest
from tests.present.reading import Page
from tests.present.records import ml_eat, sc_eat, weat, with_adjusted

from eatlas.present import report_html
from eatlas.present.effects import levels_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.sentences import left, statements

NONE = {"greater": 3218}
"""A level 1 whose p is .25."""


@pytest.mark.parametrize(
    ("plain", "adjusted", "said"),
    [
        (ml_eat("AX-Singular"), ml_eat("AX-Singular"), ""),
        (ml_eat("A-Uniform"), ml_eat("AY-Singular"), "only Insects go with Pleasant"),
        (ml_eat("AB-Divergent"), ml_eat("BX-Singular"), "only Flowers go with Unpleasant"),
        (ml_eat("AX-Singular"), ml_eat("B-Uniform"), "both go with Unpleasant"),
        (
            ml_eat("AX-Singular"),
            ml_eat("A-Uniform", **NONE),
            "both go with Pleasant, without a clear difference",
        ),
        (
            ml_eat("Non-Directional"),
            ml_eat("AB-Divergent"),
            "Flowers go with Pleasant and Insects with Unpleasant",
        ),
        (ml_eat("A-Uniform"), ml_eat("Non-Directional", **NONE), "no clear association is left"),
        (
            ml_eat("A-Uniform"),
            ml_eat("Non-Directional"),
            "Flowers go with Pleasant more than Insects, but neither does alone",
        ),
        (
            ml_eat("Non-Directional"),
            ml_eat("Non-Directional", **NONE),
            "no clear association is left",
        ),
        (
            ml_eat("AX-Singular"),
            ml_eat("AX-Singular", **NONE),
            "no clear difference between the two is left",
        ),
        (
            ml_eat("A-Uniform", **NONE),
            ml_eat("A-Uniform", d=-1.1),
            "Flowers go with Unpleasant more than Insects",
        ),
        (weat(), weat(-0.9), "Flowers go with Unpleasant more than Insects"),
        (weat(), weat(**NONE), "no clear difference between the two is left"),
        (weat(**NONE), weat(**NONE), ""),
        (
            sc_eat({"one": 1.2, "two": -0.8}),
            sc_eat({"one": 0.2, "two": -0.9}),
            "0 with Pleasant and 1 with Unpleasant are left",
        ),
        (sc_eat({"one": 1.2, "two": None}), sc_eat({"one": 0.9, "two": None}), ""),
    ],
)
def test_where_the_conclusion_changes_it_is_said_what_is_left(plain, adjusted, said):
    assert left(with_adjusted(plain, adjusted)) == said
    assert left(plain) == ""


@pytest.mark.parametrize(
    ("plain", "adjusted", "holds", "why"),
    [
        (weat(), weat(), True, "given the words' frequency, two-sided p = .016"),
        (weat(), weat(0.3, 1000), False, "given the words' frequency, two-sided p = .16"),
        (weat(), weat(-0.9), False, "given the words' frequency, d has the other sign"),
        (weat(), weat(None), None, "no value of a covariate is known, or too few words are left"),
        (
            sc_eat(dict.fromkeys("abc", 1.2)),
            sc_eat({"a": 1.1, "b": -1.1, "c": None}),
            False,
            "given the words' frequency, 1 of 3 are left",
        ),
        (
            sc_eat(dict.fromkeys("ab", -1.2)),
            sc_eat({"a": -1.1, "b": None}),
            False,
            "given the words' frequency, 1 of 2 are left",
        ),
    ],
)
def test_the_finding_is_checked_at_equal_frequency(plain, adjusted, holds, why):
    result = plain.model_copy(update={"adjusted": with_adjusted(plain, adjusted).adjusted})
    check = result.finding.checks[2]
    assert (check.name, check.holds, check.why) == ("after frequency", holds, why)


def given(result):
    (text,) = (
        text for head, text in statements(result, levels_of(result), DeclaredFamily(None))
        if head.startswith("Given")
    )  # fmt: skip
    return text


def test_the_finding_stays_is_changed_or_never_was():
    numbers = "; d at level 1 is {} [−0.75, 1.06] (p = {} in the direction of d, two-sided p = {})"
    stays = numbers.format("1.40", ".0078", ".016") + ", and the pattern is {}."
    assert given(with_adjusted(ml_eat(), ml_eat())) == "The finding stays" + stays.format(
        "AX-Singular"
    )
    uniform = with_adjusted(ml_eat("A-Uniform"), ml_eat("AY-Singular"))
    assert given(uniform) == "Only Insects go with Pleasant" + stays.format("AY-Singular")
    none = numbers.format("0.10", ".25", ".50")
    nothing = with_adjusted(weat(0.1, **NONE), weat(0.1, **NONE))
    assert given(nothing) == f"No clear association either{none}."


def test_words_left_out_are_named_by_group():
    result = with_adjusted(ml_eat(), ml_eat(), "valence", left_out={"X": ("two",), "B": ("one",)})
    assert given(result).endswith(
        "Left out, as nothing is known of their valence: two (Flowers); one (Unpleasant)."
    )


def test_a_page_has_the_numbers_after_covariates_again():
    changed = with_adjusted(ml_eat("A-Uniform", test="one"), ml_eat("AY-Singular"))
    text = Page(report_html([changed, ml_eat(test="two")])).text
    assert "alone, Flowers may go with Pleasant; Insects lean towards Pleasant" in text
    assert text.count("Given the words' frequency: AY-Singular") == 1
    assert "After frequency" in text
    assert text.count("54%") == 3  # shared, at each level


def test_a_page_without_adjusted_results_says_nothing_of_them():
    page = report_html([ml_eat(), weat()])
    assert "accounted for" not in Page(page).text


def test_a_file_of_covariates_is_named_with_its_hash():
    origin = {"file": "norms.csv", "sha256": "9" * 64, "names": ["valence", "length"]}
    provenance = {**ml_eat().to_dict()["provenance"], "covariates": origin}
    result = with_adjusted(ml_eat(provenance=provenance), ml_eat(), "valence", "length")
    text = Page(report_html([result])).text
    assert f"Covariates valence and length of norms.csv , hash {'9' * 64}" in text
    assert "estimated given valence and length (norms.csv), by least squares" in text
    assert "Given valence and length: AX-Singular" in text


def test_a_page_in_brief_names_findings_that_are_not_left():
    left, lost = (
        with_adjusted(weat(test=test), weat(**changes))
        for test, changes in (("left", {}), ("lost", {"greater": 3000}))
    )
    text = Page(report_html([left, lost])).text
    assert "Not left once the words' frequency is accounted for: lost." in text
    assert "Not left once" not in Page(report_html([left, left])).text
    assert "After frequency The same association between words of equal frequency" in text
