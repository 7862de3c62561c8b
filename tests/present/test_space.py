from tests.present.records import ml_eat

from eatlas.present.sentences import statement
from eatlas.results.diagnosis import Dimension, TermsDiagnosis


def diagnosis(**changes) -> TermsDiagnosis:
    one = Dimension(dimension=7, contribution=0.1, share=0.42, length=0.05, loud=False)
    values = {
        "terms": 32, "mean_cosine": 0.28, "sd_cosine": 0.12, "lowest_mean": 0.2, "largest_sd": 0.1,
        "alike": False, "iso_score": 0.48, "rogue": one, "loudest": one,
    }  # fmt: skip
    return TermsDiagnosis(**values | changes)


def about(found: TermsDiagnosis) -> str:
    return statement("space", ml_eat().model_copy(update={"diagnosis": found}))


def test_mean_cosine_rogue_dimension_and_iso_score():
    assert about(diagnosis()) == (
        "Over all pairs of a target and an attribute, the mean cosine is 0.28 (sd 0.12), to which "
        "dimension 7 adds most, 42%. IsoScore of these 32 words: 0.48 (1: variance spread "
        "evenly over directions; 0: all in one)."
    )


def test_what_is_undefined_is_not_said():
    rogue = Dimension(dimension=7, contribution=0.1, share=None, length=0.05, loud=False)
    text = about(diagnosis(iso_score=None, rogue=rogue, mean_cosine=-0.001))
    assert text == (
        "Over all pairs of a target and an attribute, the mean cosine is 0.00 (sd 0.12)."
    )
