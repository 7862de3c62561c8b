"""How findings are graded: each row of the table, and that no verb is stronger than its checks."""

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.present.reading import Page
from tests.present.records import (
    PATTERNS,
    PLACES,
    divdist,
    full,
    ml_eat,
    planted,
    sc_eat,
    weat,
    with_adjusted,
)
from tests.present.test_lpbs import TEST, Model
from tests.present.test_other_measures import mac, nearness
from tests.present.test_stimulus_level import COUNTS, measured

import eatlas
from eatlas.measures.registry import measure_names
from eatlas.present import report_html
from eatlas.present.findings import CHECKS, GRADES, findings_of, in_grades, title
from eatlas.present.sections import marked
from eatlas.results.levels import Level
from eatlas.results.settings import Settings

VERBS = {"shown": "go with", "partly": "lean towards", "doubtful": "may go with"}
VERB = re.compile(r"\b(may go with|goes with|go with|leans towards|lean towards)\b")
LOW, HIGH = 0.004, 0.4
"""Below alpha even where four are adjusted, and above it."""


def verbs(finding):
    """The grades that the verbs of a sentence claim."""
    plain = {verb: grade for grade, verb in VERBS.items()}
    found = VERB.findall(finding.sentence)
    return {plain[verb.replace("goes", "go").replace("leans", "lean")] for verb in found}


SHOWN = {"others": LOW, "after": LOW, "chance": LOW}


@pytest.mark.parametrize(
    ("grade", "result"),
    [
        ("shown", planted(words=LOW, **SHOWN)),
        ("shown", planted(words=LOW, others=LOW)),
        ("shown", planted(words=LOW, after=LOW)),
        ("shown", planted(words=LOW, chance=LOW)),
        ("partly", planted(words=LOW)),
        ("partly", planted(words=LOW, **SHOWN | {"others": HIGH})),
        ("partly", planted(words=LOW, **SHOWN | {"after": HIGH})),
        ("partly", planted(words=LOW, **SHOWN | {"chance": HIGH})),
        ("partly", planted(words=LOW, **SHOWN, turned=PLACES)),
        ("partly", planted(words=LOW, others=HIGH)),
        ("doubtful", planted(words=LOW, **SHOWN | {"others": HIGH, "after": HIGH})),
        ("doubtful", planted(words=LOW, others=HIGH, chance=HIGH)),
        ("doubtful", planted(words=0.06, **SHOWN)),
        ("doubtful", planted(words=0.06)),
        ("not shown", planted("Non-Directional", words=HIGH, **SHOWN)),
        ("not shown", weat(0.1, 6000)),
        ("no test", mac()),
    ],
)
def test_each_row_of_the_table(grade, result):
    finding = result.finding
    assert (finding.grade, tuple(check.name for check in finding.checks)) == (grade, CHECKS)
    assert verbs(finding) == {grade} & set(VERBS)
    assert finding.untested == (grade == "no test")
    assert all(check.why for check in finding.checks)


def test_the_number_of_tests_is_a_check_where_several_are_shown():
    several = [planted(words=0.03, others=LOW, test=f"test-{n}") for n in range(3)]
    assert several[0].finding.grade == "shown"
    assert several[0].finding.checks[-1].why == "one test alone"
    for finding in findings_of(several):
        assert finding.fails == (finding.checks[-1],)
        assert finding.checks[-1].why == "Holm over all 6 p-values, two-sided p = .18"
        assert verbs(finding) == {"partly"}


def test_the_comparison_leads_where_its_grade_is_stronger():
    result = planted(words=LOW, others={"level1": LOW, "level2.X": HIGH})
    assert result.finding.grade == "shown"
    assert str(result.finding) == (
        "Flowers go with Pleasant more than Insects; alone, Flowers lean towards Pleasant"
    )
    result = planted("A-Uniform", words=LOW, others={**dict.fromkeys(PLACES, HIGH), "level1": LOW})
    assert str(result.finding).endswith("; alone, both Flowers and Insects lean towards Pleasant")
    result = planted(words=LOW, others={"level1": HIGH, "level2.X": LOW})
    assert str(result.finding) == "Flowers go with Pleasant; for Insects, neither is shown"


def test_each_claim_has_the_verb_of_its_own_checks():
    one_sided = {"level1": 0.5, "level2.X": LOW, "level2.Y": 0.06}
    result = planted("AB-Divergent", words=one_sided, others=dict.fromkeys(PLACES, LOW))
    assert str(result.finding) == "Flowers go with Pleasant; Insects may go with Unpleasant"
    assert [claim.grade for claim in result.finding.claims] == ["shown", "doubtful"]
    assert result.finding.grade == "doubtful"
    names = {"X": "Math", "Y": "Arts", "A": "Male terms"}
    assert str(planted(words=LOW, others=LOW, names=names).finding).startswith(
        "Math goes with Male"
    )


def test_checks_that_fail_for_one_claim_count_for_the_finding():
    result = planted(
        "AB-Divergent", words={**dict.fromkeys(PLACES, LOW), "level1": HIGH},
        others={"level2.X": HIGH, "level2.Y": LOW}, after={"level2.X": LOW, "level2.Y": HIGH},
    )  # fmt: skip
    finding = result.finding
    assert [claim.grade for claim in finding.claims] == ["partly", "partly"]
    assert [check.name for check in finding.fails] == ["other words", "after frequency"]
    assert [check.why.split(":")[0] for check in finding.fails] == ["Flowers", "Insects"]
    assert finding.checks[0].why.count(": two-sided p") == 0  # both have the same
    assert finding.grade == "doubtful"


def test_both_numbers_are_there_where_both_claims_hold():
    words = {"level1": LOW, "level2.X": LOW, "level2.Y": LOW / 2}
    check = planted("AB-Divergent", words=words, others=LOW).finding.checks[0]
    assert check.holds is True
    assert check.why.startswith("Flowers: two-sided p = ")
    assert "; Insects: two-sided p = " in check.why


def test_single_terms_count_what_holm_leaves():
    """Each taken by itself has p = .016; of four, Holm's is .062."""
    assert str(sc_eat(dict.fromkeys("abcd", 1.2)).finding).startswith("None of 4 terms is shown")
    finding = sc_eat(dict.fromkeys("ab", 1.2) | {"c": -1.2}).finding
    assert str(finding) == "Of 3 terms, 2 lean towards Pleasant and 1 towards Unpleasant"
    assert finding.checks[-1].why == "3 of 3 terms without Holm's adjustment, 3 with it"
    lost = sc_eat(dict.fromkeys("abcd", 1.2)).finding.checks[-1]
    assert (lost.holds, lost.why) == (False, "4 of 4 terms without Holm's adjustment, none with it")
    assert sc_eat({"a": 0.1}).finding.checks[-1].holds is None


def test_targets_count_what_holm_leaves():
    finding = divdist(
        nurse=(-0.2, LOW, None), poet=(0.2, 0.03, None), boss=(0.1, 0.2, None)
    ).finding
    assert str(finding) == "Of 3 targets, 1 leans towards women; most of all nurse"
    assert finding.checks[-1].why == "2 of 3 targets without Holm's adjustment, 1 with it"
    none = divdist(poet=(0.2, 0.03, None), boss=(0.1, 0.2, None), void=None).finding
    lost = "None of 2 targets (1 more is undefined) is shown to lean towards men or women"
    assert str(none) == lost


def test_targets_whose_share_was_cut_off_are_no_examples():
    finding = divdist(boss=(0.5, LOW, LOW), nurse=(-0.5, LOW, LOW), poet=(0.1, LOW, LOW)).finding
    assert str(finding) == "Of 3 targets, 2 go with men and 1 with women; most of all poet (men)"
    assert "most of all" not in str(divdist(boss=(0.5, LOW, LOW)).finding)


@pytest.mark.parametrize(("lost", "grade"), [(0, "shown"), (1, "shown"), (2, "partly")])
def test_one_in_twenty_may_be_lost_after_frequency(lost, grade):
    before = dict.fromkeys(map(str, range(20)), 1.2)
    strong = {"level2": Level.model_validate(level_of_one(1.2))}
    terms = tuple(term.model_copy(update=strong) for term in sc_eat(before).terms)
    after = sc_eat(before | dict.fromkeys(map(str, range(lost)), 0.1))
    finding = with_adjusted(sc_eat(before).model_copy(update={"terms": terms}), after).finding
    assert (finding.grade, verbs(finding)) == (grade, {grade})
    assert finding.checks[2].why == f"given the words' frequency, {20 - lost} of 20 are left"
    targets = {f"t{n}": (0.2, 1e-4, 0.5 if n < lost else LOW) for n in range(20)}
    assert divdist(**targets).finding.grade == grade


def test_a_target_that_turns_after_frequency_is_not_left():
    result = divdist(nurse=(-0.2, LOW, LOW))
    turned = result.adjusted.targets[0].model_copy(update={"deviation": (0.2, -0.2)})
    adjusted = result.adjusted.model_copy(update={"targets": (turned,)})
    assert result.finding.grade == "shown"
    assert result.model_copy(update={"adjusted": adjusted}).finding.grade == "partly"


def test_what_is_undefined_is_not_shown():
    finding = ml_eat("Non-Directional", d=None, undefined="XY").finding
    assert str(finding) == "The comparison of Flowers with Insects is undefined"
    assert (finding.grade, finding.checks[0].why) == ("not shown", "undefined")
    half = ml_eat("AX-Singular", undefined="Y").finding
    assert str(half) == "Flowers lean towards Pleasant"
    assert sc_eat({"void": None}).finding.grade == "not shown"
    assert divdist(void=None).finding.grade in {"not shown", "no test"}


def test_over_stimuli_the_pattern_may_be_undefined():
    result = measured(eatlas.MLEAT(), {**COUNTS, "A": (9,)})
    assert str(result.finding) == (
        "No EAT pattern is defined over stimuli: all sentences of Pleasant are made of one stimulus"
    )
    assert result.finding.grade == "not shown"


def test_lpbs_reads_levels_and_not_the_effect_size_over_attributes():
    result = eatlas.LPBS(resamples=0)(TEST, Model())
    none = Level.model_validate(level_of_one(0.1, 0.8))
    sides = {"X": none, "Y": none}
    flat = result.model_copy(
        update={
            "level1": none, "level2": type(result.level2).model_validate(sides),
            "pattern": ml_eat("Non-Directional").pattern, "generalisation": None,
            "over_attributes": Level.model_validate(level_of_one(1.9, 0.001)),
        }
    )  # fmt: skip
    assert flat.finding.grade == "not shown"
    assert flat.finding.checks[0].why == "two-sided p = .80 at least"
    assert verbs(flat.finding) == set()


def level_of_one(d, p=1e-4):
    half = {"greater": p / 2, "less": 1 - p / 2, "two_sided": p}
    values = half | {"method": "sampled", "total": 12870, "min_p": 1e-4}
    return {"effect_size": d, "difference": d / 10, "n": [8, 8], "p": values}


def test_records_of_other_packages_have_their_number():
    for result, sentence in ((mac(), "MAC = 0.724"), (nearness(), "NEARNESS: Nearest = 0.30")):
        finding = result.finding
        assert finding.sentence.startswith(sentence)
        assert finding.grade == "no test"
        assert {check.holds for check in finding.checks} == {None}


def test_terms_that_the_conclusion_hangs_on_are_named():
    assert full().finding.hangs_on == ()
    decisive = [{"role": "X", "term": "one", "pattern": "Non-Directional", "level1": None}]
    influence = full().influence.model_copy(
        update={"decisive": tuple(map(eatlas.results.levels.DecisiveTerm.model_validate, decisive))}
    )
    assert full(influence=influence).finding.hangs_on == ("one",)


p_values = st.sampled_from([None, 0.001, 0.01, 0.02, 0.04, 0.06, 0.2, 0.9])
of_places = st.fixed_dictionaries(dict.fromkeys(PLACES, p_values))


@st.composite
def checked(draw):
    """An ML-EAT whose p-values go with its pattern, and any checks."""
    label = draw(st.sampled_from(list(PATTERNS)))
    known = draw(of_places)
    low = st.sampled_from([0.001, 0.01, 0.03, 0.049, 0.06, 0.099])
    high = st.sampled_from([0.11, 0.2, 0.9])
    words = {"level1": draw(st.one_of(low, high))}
    for place, attribute in zip(PLACES[1:], PATTERNS[label], strict=True):
        words[place] = draw(low if attribute else high)
    turned = tuple(place for place in PLACES if draw(st.booleans()))
    both = {place: p for place, p in known.items() if p is not None}
    return planted(
        label, words=words, others=both, chance=_whole(draw), after=_whole(draw), turned=turned
    )  # fmt: skip


def _whole(draw):
    """Of all places or of none, as records have them."""
    drawn = draw(st.one_of(st.none(), of_places))
    return drawn and {place: p or 0.5 for place, p in drawn.items()}


def allowed(checks):
    """The table of grades once more, in other words."""
    if checks[0].holds is None:
        return "no test"
    failed = [check for check in checks[1:] if check.holds is False]
    made = [check for check in checks[1:4] if check.holds is not None]
    if not checks[0].holds or len(failed) >= 2:
        return "doubtful"
    return "partly" if len(failed) == 1 or not made else "shown"


@settings(deadline=None, max_examples=60)
@given(checked(), st.lists(checked(), max_size=2))
def test_no_verb_is_stronger_than_its_checks(result, more):
    results = [result, *more]
    results = [r.model_copy(update={"test": f"test-{n}"}) for n, r in enumerate(results)]
    findings = findings_of(results)
    for finding in findings:
        leading = finding.claims and allowed(finding.checks)
        assert finding.grade == (leading or "not shown")
        assert verbs(finding) == {claim.grade for claim in finding.claims}
        for claim in finding.claims:
            assert claim.grade == allowed(claim.checks)
            if claim.grade == "shown":
                assert claim.effect.p_of("two_sided") < 0.05
                assert all(check.holds is not False for check in claim.checks)
    counts = in_grades(findings)
    assert sum(n for _, n in counts) == len(results)
    order = [*GRADES[:2], "unchecked", *GRADES[2:]]
    apart = {"unchecked" if f.grade == "partly" and not f.fails else f.grade for f in findings}
    assert [grade for grade, _ in counts] == sorted(apart, key=order.index)
    if more:
        text = title(results, findings, Settings.among(results))
        numbers = re.findall(r"(\d+) (?:hold|is|are|show|has|have)", text.split("of ", 1)[1])
        assert list(map(int, numbers)) == [n for _, n in counts]


SMALL = {
    "weat-9": ("weat(resamples=0)", "ml-eat(resamples=0)", "sc-eat", "generalised-weat"),
    "divdist-face-validity": (
        "divdist(resamples=0)", "rnd", "mac", "ripa", "semaxis", "ect", "rnsb", "direct-bias",
        "indirect-bias", "same",
    ),
}  # fmt: skip
OF_MODELS = {"ask", "assign", "ceat", "lpbs", "lpbs-ceat", "fmat", "zero-shot", "pmi", "pll"}
"""They need a model, or counts; those of models but pll have the levels of an ML-EAT."""


@pytest.fixture(scope="module")
def of_all_measures():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return [
            result
            for test, measures in SMALL.items()
            for result in eatlas.run(tests=test, measures=measures)
        ]


def test_no_measure_says_more_than_its_checks_allow(of_all_measures):
    assert {r.measure for r in of_all_measures} | OF_MODELS == set(measure_names())
    for result, finding in zip(of_all_measures, findings_of(of_all_measures), strict=True):
        assert finding.grade in {allowed(finding.checks), "not shown"}
        assert verbs(finding) <= {claim.grade for claim in finding.claims} | {finding.grade}
        tested = [e for e in result.effects() if e.p_of("two_sided") is not None]
        single = result.by_target or ()
        if finding.grade == "no test":
            assert not tested
        p_values = [e.p_of("two_sided") for e in tested]
        p_values += [target.labels.p for target in single if target.labels]
        if "shown" in verbs(finding):
            assert min(p_values) < result.rule.alpha


def test_a_page_and_the_record_say_the_same(of_all_measures):
    page = re.sub(r"[\s●■]", "", Page(report_html(of_all_measures)).text)
    for finding in findings_of(of_all_measures):
        assert re.sub(r"\s", "", finding.sentence) in page


def test_names_of_targets_are_marked_as_whole_words():
    names = {"X": "he", "Y": "he and she", "A": "the words he", "B": "Home"}
    text = marked(
        "he leans towards the words he; for he and she, neither is shown", ml_eat(names=names)
    )
    assert text.count('class="x"') == text.count('class="y"') == 1
    assert '<span class="x">●\xa0he</span> leans towards the words he; for <span class="y">' in text
