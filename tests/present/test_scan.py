"""What a scan says of its own p-values, for every outcome that there can be."""

import pytest
from tests.engine.scan.vocabularies import concepts, vocabulary

import eatlas
from eatlas.present.summaries import explain
from eatlas.results.scan import Sides

NONE = Sides(A=0, B=0)


@pytest.fixture(scope="module")
def result():
    return eatlas.scan("glove-sample", "weat-7", bands=())


def told(result, place, **changes):
    """One sentence, after some figures of the family are changed."""
    details = {
        k: changes.pop(k) for k in ("enumerated", "critical", "relabellings") if k in changes
    }
    inner = result.family.max_t_details.model_copy(update=details)
    family = result.family.model_copy(update={"max_t_details": inner, **changes})
    return explain(result.model_copy(update={"family": family}))[place]


def test_the_sentences_of_a_scan(result):
    assert explain(result) == (
        "Each word has a test of its own, of 8 against 8 attributes: 12,870 relabellings, so no "
        "two-sided p is below 1.6e-4 (2 of 12,870); 7 words have it.",
        "Unadjusted: 1,266 of 10,480 words are below .05 (A 1,073, B 193); with no association at "
        "all, about 523 would be. All words share the attributes, so that number varies more than "
        "that of separate tests.",
        "Holm asks of the smallest p to be below 4.8e-6 (.05 / 10,480). No p of this design is: "
        "Holm, like Bonferroni, can reject no word here, however strong its association.",
        "Benjamini and Yekutieli (false discovery rate, any dependence) rejects no word. It takes "
        "321 words at the smallest p, or more at a larger one; 7 have it.",
        "Westfall and Young's maxT compares each word with the most extreme of all words under all "
        "6,435 relabellings (a mirror image counts with its original); its smallest p is 1.6e-4, "
        "and it rejects beyond |d| = 1.641: 9 words (A 8, B 1).",
    )


def test_groups_of_two_sizes_have_no_mirror_images():
    lines = explain(eatlas.scan(vocabulary(a=5, b=4), concepts(5, 4)))
    assert "126 relabellings, so no two-sided p is below .0079 (1 of 126)" in lines[0]
    assert "under all 126 relabellings; its smallest p is .0079" in lines[4]


def test_few_relabellings_give_no_small_p_by_chance():
    lines = explain(eatlas.scan(vocabulary(a=3, b=3), concepts(3, 3)))
    assert lines[1].startswith(
        "Unadjusted: 0 of 40 words are below .05 (A 0, B 0); with no association at all, about 0 "
    )


def test_holm_where_it_can_reject(result):
    assert told(result, 2, holm_possible=True, holm=Sides(A=3, B=1)) == (
        "Holm asks of the smallest p to be below 4.8e-6 (.05 / 10,480). It rejects 4 words "
        "(A 3, B 1)."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"by_needs": None}, ": if all words had the smallest p, it could still reject none."),
        (
            {"by_needs": 3, "at_min": 1},
            " rejects no word. It takes 3 words at the smallest p, or more at a larger one; "
            "1 has it.",
        ),
        ({"by_needs": 1}, " rejects 0 words (A 0, B 0)."),
        ({"benjamini_yekutieli": Sides(A=1, B=0)}, " rejects 1 word (A 1, B 0)."),
    ],
)
def test_benjamini_and_yekutieli(result, changes, sentence):
    said = told(result, 3, **{"benjamini_yekutieli": NONE, **changes})
    assert said == f"Benjamini and Yekutieli (false discovery rate, any dependence){sentence}"


def test_max_t_that_was_drawn_or_can_reject_nothing(result):
    drawn = told(result, 4, enumerated=False, relabellings=10_000)
    assert "under 10,000 random relabellings; its smallest p is" in drawn
    nothing = told(result, 4, critical=None, max_t=NONE)
    assert nothing.endswith("and it can reject no word.")


def test_what_is_said_holds_for_the_table(result):
    """The sentences and the words that they speak of come from the same figures."""
    frame = result.to_frame()
    family = frame[frame["attribute"] == "no"]
    least = family["p_two_sided"].min()
    assert least == pytest.approx(2 / 12_870, rel=1e-12)
    assert (family["p_two_sided"] == least).sum() == 7
    beyond = family[family["effect_size"].abs() > result.family.max_t_details.critical]
    assert sorted(beyond["word"]) == sorted(family[family["p_max_t"] < 0.05]["word"])
    assert len(beyond) == 9
