"""Covariates of a user's own, through the whole of a run, and back through verify."""

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant
from tests.drawn import concept_of, draw_folder
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.engine import make_plan
from eatlas.errors import EatlasError, SignatureError, SourceError

SAMPLE = "glove-sample"
(WEAT_9,) = eatlas.load_tests("weat-9")


def norms(words=WEAT_9.terms, names=("valence", "length"), seed=5):
    r = np.random.default_rng(seed)
    return {name: dict(zip(words, r.normal(5, 2, len(words)).tolist(), strict=True)) for name in names}  # fmt: skip


def measured(covariates, tests="weat-9", vectors=SAMPLE, **options):
    return eatlas.run(tests=tests, vectors=vectors, covariates=covariates, **options)[0]


def codes(result):
    return [note.code for note in result.warnings if note.code.startswith("adjusted")]


@pytest.mark.parametrize("ranked", [True, False])
def test_levels_are_least_squares_on_rank_and_both_covariates(ranked):
    own, (test,) = norms(), eatlas.load_tests("weat-9")
    source = SAMPLE if ranked else dict(eatlas.open_vectors(SAMPLE).lookup(set(test.terms)))
    result = measured(own, vectors=source)
    scores = result.scores
    places = {
        "level1": ("XY", scores),
        "level2.X": ("AB", scores.attributes_with_X),
        "level2.Y": ("AB", scores.attributes_with_Y),
    }
    for place, (groups, values) in places.items():
        words = [(group, word) for group in groups for word in result.scored(group)]
        y = np.concatenate([getattr(values, group) for group in groups])
        columns = [[own[name][word] for _, word in words] for name in own]
        if ranked:
            x = np.log([result.frequency.ranks[group].terms[word] for group, word in words])
            columns += [x, x**2]
        label = [float(group == groups[0]) for group, _ in words]
        design = add_constant(np.column_stack([*columns, label]))
        level = result.effect(place).adjusted
        estimate = OLS(y, design).fit().params[-1]
        assert level.difference == pytest.approx(estimate, rel=1e-9)
        assert level.effect_size == pytest.approx(estimate / y.std(ddof=1), rel=1e-9)
        shared = OLS(label, design[:, :-1]).fit().rsquared
        assert level.shared == pytest.approx(shared, abs=1e-9)
    assert result.adjusted.covariates == ("frequency",) * ranked + ("valence", "length")
    assert codes(result) == []


def test_the_plain_numbers_and_other_results_do_not_change():
    plain, own = measured(None), measured(norms())
    assert (own.level1, own.level2, own.pattern) == (plain.level1, plain.level2, plain.pattern)
    assert own.adjusted.level1 != plain.adjusted.level1
    assert plain.provenance.covariates is None
    assert "covariates" not in plain.to_dict()["provenance"]


def test_jobs_have_the_words_of_their_tests_and_the_hash_of_all():
    many = norms((*WEAT_9.terms, *(f"word{i}" for i in range(500))))
    (job,) = make_plan("weat-9", SAMPLE, covariates=many)
    assert set(job.covariates.values) == set(WEAT_9.terms)
    more = {name: {**column, "word0": 9.0} for name, column in many.items()}
    others = [
        make_plan("weat-9", SAMPLE, covariates=given)[0] for given in (None, more, norms(seed=6))
    ]
    assert len({job.identity, *(other.identity for other in others)}) == 4
    again = make_plan("weat-9", SAMPLE, covariates=replace(job.covariates))[0]
    assert again.identity == job.identity


def test_only_measures_that_adjust_take_them():
    results = eatlas.run("weat-9", SAMPLE, ["weat", "ml-eat(adjust=none)"], covariates=norms())
    assert [r.provenance.covariates is not None for r in results] == [True, False]
    assert [r.adjusted is not None for r in results] == [True, False]
    for tests, measure in (("weat-9", "ml-eat(adjust=none)"), ("divdist-gender", "divdist(soa=softmax)")):  # fmt: skip
        with pytest.raises(SignatureError, match="covariates have no effect here"):
            eatlas.run(tests, SAMPLE, measure, covariates=norms())


def test_a_measure_is_called_with_them():
    assert eatlas.MLEAT()(WEAT_9, SAMPLE, covariates=norms()) == measured(norms())
    with pytest.raises(SignatureError, match="covariates have no effect here"):
        eatlas.MLEAT(adjust="none")(WEAT_9, SAMPLE, covariates=norms())


def test_words_without_them_are_left_out_and_said():
    own = norms()
    del own["valence"]["sad"], own["length"]["cancer"]
    own["valence"]["influenza"] = float("nan")
    result = measured(own)
    left = {word for words in result.adjusted.left_out.values() for word in words}
    assert left == {"sad", "cancer", "influenza"}
    assert sum(result.adjusted.level1.n) == sum(result.level1.n) - 3
    (note,) = [note for note in result.warnings if note.code == "adjusted.left-out"]
    assert str(note).startswith(
        "The adjusted associations leave out words without valence or length: 1 of 6 of Mental (sad)"
    )
    assert "2 of 6 of Physical (cancer, influenza)" in str(note)


def test_those_at_fault_are_named():
    own = norms()
    own["again"] = {word: 2 * x - 1 for word, x in own["valence"].items()}
    result = measured(own)
    assert result.adjusted is None
    reasons = [str(note) for note in result.warnings if note.code == "adjusted.none"]
    assert reasons == [
        f"Not adjusted for covariates of the {groups}: a covariate is constant, or a combination "
        "of the others (again)."
        for groups in ("targets", "attributes")
    ]
    x = {word: float(word in WEAT_9.X.terms) for word in WEAT_9.terms}
    own = norms(names=("length",)) | {"abstract": {w: v + 0.1 * len(w) for w, v in x.items()}}
    (note,) = [n for n in measured(own).warnings if n.code == "adjusted.apart" and n.place == "XY"]
    assert "abstract alone" in str(note)


def test_constants_and_few_words_within_a_test():
    own = norms()
    own["length"] |= dict.fromkeys((*WEAT_9.X.terms, *WEAT_9.Y.terms), 7.0)
    result = measured(own)
    assert codes(result) == ["adjusted.constant"]
    some = {
        name: {w: x for w, x in column.items() if w in WEAT_9.X.terms}
        for name, column in norms().items()
    }
    result = measured(some)
    assert result.adjusted is None
    reasons = [str(note) for note in result.warnings if note.code == "adjusted.none"]
    assert "of Mental and Physical, 6 and 0 words have all covariates" in reasons[0]  # fmt: skip


def test_one_of_several_tests_may_have_none():
    results = eatlas.run(["weat-9", "weat-8"], SAMPLE, covariates=norms())
    assert results["weat-9"].adjusted is not None
    assert results["weat-8"].adjusted is None
    (note,) = [note for note in results["weat-8"].warnings if note.code.startswith("adjusted")]
    assert note.values["reason"] == "the covariates belong to different words"


def test_no_word_of_the_tests_is_an_error():
    with pytest.raises(SourceError) as caught:
        measured({"ceiling": 1.0, "floor": 2.0})
    assert "none of the words of the tests has covariates\n  got: ceiling, floor; the tests have sad" in str(caught.value)  # fmt: skip
    upper = {word.upper(): float(len(word)) for word in WEAT_9.terms}
    assert measured(upper).adjusted.covariates == ("frequency", "covariate")
    with pytest.raises(SourceError, match="none of the words of the tests has"):
        measured(upper, case="exact")


def test_images_by_name_have_the_covariates_alone(tmp_path):
    x, y = (concept_of(draw_folder(tmp_path / name, 6, i)) for i, name in enumerate(("flowers", "insects")))  # fmt: skip
    words = make_test()
    test = eatlas.AssociationTest(id="drawn", X=x, Y=y, A=words.A, B=words.B)
    r = np.random.default_rng(3)
    vectors = {term: r.normal(size=5) for term in test.terms}
    names = test.X.terms + test.Y.terms  # such as flowers/0.png
    brightness = {name: float(r.normal()) for name in names}
    result = measured({"brightness": brightness}, tests=test, vectors=vectors)
    assert result.adjusted.covariates == ("brightness",)
    assert result.adjusted.level1.n == (6, 6)
    assert result.adjusted.level2 is None


def test_sentences_have_those_of_their_stimuli():
    tests = eatlas.load_tests("sent-weat-9")
    own = norms(names=("valence",))
    result = measured(own, tests=tests, vectors="cbow:glove-sample")
    assert result.adjusted.level1.n == (6, 6)
    assert result.adjusted.left_out == {}


def test_verify_recomputes_with_what_is_handed_over(tmp_path):
    results = eatlas.run("weat-9", SAMPLE, covariates=norms())
    file = tmp_path / "results.jsonl"
    results.save(file)
    kept = eatlas.read_results(file)
    (same,) = eatlas.verify(kept, covariates=norms())
    assert same.status == "same"
    for given in (None, norms(seed=6)):
        (verdict,) = eatlas.verify(kept, covariates=given)
        assert verdict.status == "not repeated"
        assert "handed over in Python: valence, length; SHA-256" in verdict.details[0]
    with pytest.raises(EatlasError, match="not covariates of words"):
        eatlas.verify(kept, covariates=5)


def test_series_and_several_tests_share_a_file(tmp_path):
    test, other = make_test(), make_test("other", X=("rose", "tulip", "daisy", "aster"))
    vectors = make_vectors(test) | make_vectors(other, seed=8)
    own = norms((*test.terms, "rose"), names=("valence",))
    results = eatlas.run([test, other], vectors, covariates=own)
    assert results[0].provenance.covariates == results[1].provenance.covariates
    assert results["other"].adjusted.left_out == {"X": ("daisy", "tulip")}
