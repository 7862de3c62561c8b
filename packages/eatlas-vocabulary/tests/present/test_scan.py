"""What a scan says of its own p-values, for every outcome that there can be."""

import pytest

import eatlas
from eatlas.present.rendering import lines


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
    return lines("scan", family=family)[place]


def test_the_sentences_of_a_scan(result):
    assert lines("scan", family=result.family) == [
        "Each word is tested with 8 against 8 attributes: 12,870 permutations, so no two-sided p "
        "is below 1.6e-4 (2 of 12,870); 7 words have it.",
        "Unadjusted: 1,266 of 10,480 words are below .05 (A 1,073, B 193); with no association at "
        "all, about 523 would be. All words have the same attributes, so this number varies more "
        "than in separate tests.",
        "Holm requires the smallest p to be below 4.8e-6 (.05 / 10,480). No p of this design is: "
        "Holm, like Bonferroni, can reject no word here, however strong its association.",
        "Benjamini and Yekutieli (false discovery rate, any dependence) rejects no word. It requires "
        "321 words at the smallest p, or more at a larger one; 7 have it.",
        "Westfall and Young's maxT compares each word with the most extreme of all words under all "
        "6,435 permutations (a mirror image counts with its original); its smallest p is 1.6e-4, "
        "and it rejects beyond |d| = 1.641: 9 words (A 8, B 1).",
    ]
