"""Gates: expressions over results, and results against a baseline, on planted associations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import make_sentences

import eatlas
from eatlas.errors import EatlasError, ResultsError
from eatlas.results import Failure
from eatlas.results.gates import _Compared, is_supported, values_of

MEASURE = "ml-eat(resamples=0)"


def planted_test(n: int = 8, **changes: str) -> eatlas.AssociationTest:
    groups = {role: [f"{role.lower()}{i}" for i in range(n)] for role in "XYAB"}
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(**{"id": "planted", **concepts, **changes})


def measure(
    strength: float, n: int = 8, without: str = "", name: str = "model", **changes: str
) -> eatlas.Results:
    """A test whose targets were moved towards their attributes by so much."""
    vectors = vectors_of(strength, n)
    vectors = {word: vector for word, vector in vectors.items() if word not in without.split()}
    return eatlas.run(planted_test(n, **changes), {name: vectors}, MEASURE, frequency="off")


def vectors_of(strength: float, n: int = 8) -> dict[str, np.ndarray]:
    rng, axes = np.random.default_rng(0), np.eye(50)
    vectors = {}
    for role, side in {"X": strength, "Y": -strength, "A": 1, "B": -1}.items():
        for i in range(n):
            noise = rng.standard_normal(50) * 0.2
            vectors[f"{role.lower()}{i}"] = noise + axes[2] + side * (axes[0] - axes[1]) / 2
    return vectors


def statuses(before: eatlas.Results, now: eatlas.Results) -> dict[str, str]:
    return {change.place: change.status for change in now.gate(against=before).changes}


FEW = "a3 a4 a5 a6 a7"
"""Words without which A is too small for a claim about other words."""
QUESTIONS = ("level1", "level2.X", "level2.Y")


@pytest.mark.parametrize(
    ("before", "now", "status"),
    [(0, 1, "new"), (1, -1, "new"), (1, 0, "weaker"), (1, 1, "unchanged")],
)
def test_associations_that_appear_turn_and_vanish(before, now, status):
    gate = measure(now).gate(against=measure(before))
    assert {change.status for change in gate.changes} == {status}
    assert [change.place for change in gate.changes] == list(QUESTIONS)
    assert gate.passes == (status != "new")
    assert (gate.failing == ["planted"]) == (status == "new")


def test_an_association_that_grew_beyond_its_uncertainty():
    before, now = measure(0.3, n=16), measure(2, n=16)
    assert statuses(before, now) == dict.fromkeys(QUESTIONS, "grew")
    assert statuses(now, before) == dict.fromkeys(QUESTIONS, "weaker")
    change = now.gate(against=before).changes[0]
    assert change.before == pytest.approx(before[0].value)
    assert change.d == pytest.approx(now[0].value)
    assert str(change).startswith("grew (“supported”; d 1.96, was 1.43; p of the difference .0")


def test_p_values_are_those_of_compare_after_holm():
    before, now = measure(0.3, n=16), measure(2, n=16, name="now")
    row = eatlas.Results([*before, *now]).compare("source")[0]
    raw = sorted(row.difference(place, 1).p for place in QUESTIONS)
    holm = np.maximum.accumulate([p * (3 - i) for i, p in enumerate(raw)])
    found = sorted(change.p for change in now.gate(against=before).changes)
    assert found == pytest.approx(np.minimum(holm, 1))


def test_the_difference_is_that_of_the_words_of_both():
    whole = measure(1)
    fewer = measure(1, without="x0 b3")
    assert fewer[0].value != whole[0].value
    changes = fewer.gate(against=whole).changes
    assert {(change.status, change.p) for change in changes} == {("unchanged", 1.0)}
    assert (changes[0].d, changes[0].before) == (fewer[0].value, whole[0].value)


def measure_sentences(
    strength: float, measure: str = MEASURE, n: int = 16, of: int = 5
) -> eatlas.Results:
    """A test whose stimuli have one to five sentences each, or up to `of`."""
    test = make_sentences({role: tuple(1 + (3 * i) % of for i in range(n)) for role in "XYAB"})
    rng, axes = np.random.default_rng(0), np.eye(50)
    vectors = {}
    for role, side in {"X": strength, "Y": -strength, "A": 1, "B": -1}.items():
        stimuli: dict[str, np.ndarray] = {}
        for text, stimulus in test.concept(role).stimulus_of.items():
            own = stimuli.setdefault(stimulus, rng.standard_normal(50) * 0.2)
            shared = axes[2] + side * (axes[0] - axes[1]) / 2
            vectors[text] = own + shared + rng.standard_normal(50) * 0.05
    return eatlas.run(test, {"model": vectors}, measure, frequency="off")


def test_growth_over_sentences_needs_words_with_as_many_sentences():
    before, now = measure_sentences(0.1), measure_sentences(1)
    assert now[0].read_over == "stimuli"
    change = now.gate(against=before).changes[0]
    assert (change.d, change.before) == (now[0].value, before[0].value)
    assert change.p is None
    assert change.reason.endswith("numbers of sentences, which the test does not")
    now = measure_sentences(1, of=1).gate(against=measure_sentences(0.1, of=1))
    assert now.changes[0].p < 0.05


def test_why_growth_over_sentences_cannot_be_tested():
    single = measure_sentences(1, "ml-eat(resamples=0,over=sentences)", n=4)
    assert single.gate(against=single).changes[0].p is None
    assert "tested: results over sentences keep no associations of single stimuli" in str(
        single.gate(against=single)
    )


def test_what_ceased_to_be_comparable_does_not_pass():
    gate = measure(1, without="x0 x1 x2 x3 x4").gate(against=measure(1))
    lost = {change.place: change.status for change in gate.changes}
    assert (lost["level1"], lost["level2.Y"]) == ("no longer comparable", "unchanged")
    assert not gate.passes
    assert "too few words" in str(gate)


def test_what_never_was_comparable():
    few = measure(1, without=FEW)
    with pytest.raises(ResultsError, match="nothing can be compared with the baseline"):
        few.gate(against=few)
    mixed = eatlas.run("weat-6", measures=["sc-eat", "weat(resamples=0)"])
    gate = mixed.gate(against=mixed)
    assert [change.status for change in gate.changes] == ["not compared", "unchanged"]
    assert gate.passes
    reason = "results of WEAT keep no associations of single attributes"
    assert f"whether it grew cannot be tested: {reason}" in str(gate)


def test_no_reason_beside_weaker():
    before, now = (
        eatlas.run(planted_test(), {"model": vectors_of(strength)}, "weat(resamples=0)",
                   frequency="off")
        for strength in (1, 0)
    )  # fmt: skip
    (change,) = now.gate(against=before).changes
    assert (change.status, change.p, change.reason) == ("weaker", None, "")


def test_results_that_only_one_of_them_has():
    both = eatlas.run(["weat-6", "weat-8", "weat-7"], measures=MEASURE)
    gate = both.gate(against=both[2:])
    assert [(c.label, c.status, c.passes) for c in gate.changes[3:]] == [
        ("weat-6", "not in the baseline", False),
        ("weat-8", "not in the baseline", True),
    ]
    gone = both[2:].gate(against=both)
    assert gone.passes
    assert [(c.label, c.status) for c in gone.changes[3:]] == [
        ("weat-6", "no longer measured"), ("weat-8", "no longer measured"),
    ]  # fmt: skip
    assert "  weat-8: no longer measured" in str(gone).splitlines()


def test_verdicts_are_adjusted_over_what_both_have():
    many = eatlas.run("caliskan", measures=MEASURE)
    assert [r.finding.verdict for r in many if r.test == "weat-4"] != [
        f.verdict for r, f in zip(many, many.findings, strict=True) if r.test == "weat-4"
    ]
    alone = eatlas.Results([many["weat-4"]])
    assert set(statuses(many, alone).values()) <= {"unchanged", "no longer measured"}


def test_sources_are_matched_by_name_if_there_are_several():
    one, other = measure(1), measure(0, name="other")
    assert measure(1, name="anything").gate(against=one).passes
    several = eatlas.Results([*one, *other])
    assert several.gate(against=eatlas.Results([*other, *one])).passes
    with pytest.raises(ResultsError, match="the baseline has none of these results") as error:
        measure(1, name="third").gate(against=several)
    assert "planted by ml-eat on third" in str(error.value)
    assert "--vectors NAME=SOURCE" in str(error.value)


def test_other_words_and_other_settings_are_refused():
    one = measure(1)
    with pytest.raises(ResultsError, match="planted was measured with other words") as error:
        measure(1, n=9).gate(against=one)
    assert error.value.got == "only now: a8, b8, x8, y8"
    assert error.value.allowed == "only in the baseline: no word"
    other = eatlas.run("weat-6", measures="ml-eat(alpha=0.01,resamples=0)")
    with pytest.raises(ResultsError, match="weat-6 was measured with other parameters") as error:
        other.gate(against=eatlas.run("weat-6", measures=MEASURE))
    assert "alpha=0.01" in error.value.got
    with pytest.raises(ResultsError, match="the baseline has none of these results"):
        one.gate(against=eatlas.Results([]))


def test_covariates_of_the_baseline(tmp_path):
    words = sorted({term.lower() for term in eatlas.load_tests("weat-6")[0].terms})
    lines = [f"{word},{len(word)},{word.count('a')}" for word in words]
    path = tmp_path / "norms.csv"
    path.write_text("\n".join(["word,length,vowels", *lines]), encoding="utf-8")
    plain, adjusted = (
        eatlas.run("weat-6", measures=MEASURE, covariates=given)
        for given in (None, f"{path}?columns=length")
    )
    with pytest.raises(ResultsError, match="weat-6 was measured with other covariates") as error:
        adjusted.gate(against=plain)
    assert error.value.allowed == "only in the baseline: frequency"


def test_a_claim_that_can_no_longer_be_made_does_not_pass():
    adjusted, unadjusted = (measure(0.3)[0].finding.questions["level1"] for _ in range(2))
    now = unadjusted.model_copy(update={"verdict": "these words"})
    now = now.model_copy(update={"p": now.p.model_copy(update={"claim": None})})
    both = _Compared("planted", "level1", adjusted, now, 0.05, None, was_comparable=False)
    assert both.change(None).status == "no longer comparable"


# --- expressions


@pytest.fixture(scope="module")
def results() -> eatlas.Results:
    return eatlas.run(["weat-6", "weat-7", "weat-4"], measures=[MEASURE, "mac"])


def test_each_result_that_fails_is_named_with_its_values(results):
    gate = results.gate(["level1.supported and abs(d) > 0.5", "value > 2"])
    assert (
        str(gate)
        == """\
Fails if level1.supported and abs(d) > 0.5:
  weat-6 (ML-EAT): true, as level1.supported is true and d is 1.71777
  not checked, as there is no level1.supported and no d: weat-6-AB (MAC), weat-7-AB (MAC), \
weat-4-AB (MAC)
  false for 2 of 6 results
Fails if value > 2:
  false for 6 of 6 results
Gate failed: weat-6 (ML-EAT)"""
    )
    assert gate.failing == ["weat-6 (ML-EAT)"]
    assert results.gate("d > 2").passes


def test_verdicts_are_those_of_results_that_are_shown_together(results):
    alone = eatlas.Results([results["weat-4"]])
    assert not alone.gate("level1.supported").passes
    checks = results.gate("level1.supported").checks
    assert [check.answer for check in checks if check.label.startswith("weat-4 ")] == [False]


def test_what_is_undefined_does_not_pass():
    few = measure(1, without=FEW)
    gate = few.gate(["level1.supported", "level1.p < 0.05", "d > 5", "level1.p_these > 0.5"])
    assert [check.answer for check in gate.checks] == [None, None, False, False]
    assert not gate.passes
    said = "planted: could not be checked, as level1.supported is undefined"
    assert said in str(gate)
    assert "its value is undefined" in str(few.gate("d / 0 > 1"))
    assert is_supported(few[0].finding.questions["level1"]) is None


def test_a_test_that_could_not_be_measured_does_not_pass(results):
    failure = Failure("weat-9", "glove-sample", "ML-EAT()", EatlasError("no words"))
    gate = eatlas.Results(list(results), [failure]).gate("d > 5 and test != 'weat-9'")
    assert gate.failing == ["weat-9"]
    assert "weat-9: not measured, so not checked" in str(gate)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("dd > 1", "no result has dd; did you mean d?"),
        ("terms.p_these < 1", "no result has terms.p_these"),
        ("targets.p_these < 1", "no result has targets.p_these"),
        ("test == 'weat6'", "no result has the test “weat6”; did you mean weat-6?"),
        ("level1.verdict == 'suported'", "“suported”; did you mean supported?"),
    ],
)
def test_names_and_texts_that_no_result_has(results, expression, fault):
    with pytest.raises(EatlasError) as error:
        results.gate(expression)
    assert fault in str(error.value)


def test_names_that_no_result_has_together():
    mixed = eatlas.run("weat-6", measures=[MEASURE, "sc-eat"])
    with pytest.raises(EatlasError, match="no result has d_x and p_holm together"):
        mixed.gate("d_x > 1 and p_holm > 1")


def test_all_names_have_their_values(results):
    result, finding = results[0], results.findings[0]
    values, question = values_of(result, finding), finding.questions["level2.Y"]
    assert values["value"] == values["d"] == values["level1.d"] == result.value
    assert (values["test"], values["source"]) == ("weat-6", "glove-sample")
    assert (values["level2.Y.low"], values["level2.Y.high"]) == question.interval
    assert values["level2.Y.p"] == question.p.claim
    assert values.keys() > result.metrics().keys()


def test_a_gate_that_checks_nothing(results):
    with pytest.raises(EatlasError, match="a gate checks nothing"):
        results.gate()
