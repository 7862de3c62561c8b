"""What findings say: verdicts of each row of the table, tallies, numbers, and titles of pages."""

import re
import warnings
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.present.reading import Page
from tests.present.records import (
    PATTERNS,
    PLACES,
    divdist,
    ml_eat,
    planted,
    sc_eat,
    weat,
    with_adjusted,
)
from tests.present.test_other_measures import mac, nearness
from tests.present.test_stimulus_level import COUNTS, measured

import eatlas
from eatlas.measures.registry import measure_names
from eatlas.numbers import is_plural
from eatlas.present import report_html
from eatlas.present.findings import (
    answers_by_tests,
    effects_with_verdicts,
    findings_of,
    first_of,
    title,
)
from eatlas.present.sections import mark_targets
from eatlas.results.finding import VERDICTS
from eatlas.results.levels import Sensitivity
from eatlas.results.questions import TESTS, answer_together, evidence_of
from eatlas.results.settings import Settings

LOW, HIGH = 0.004, 0.4
"""Below alpha even where four are adjusted, and above it."""
SUPPORTED = {"words": LOW, "others": LOW, "after": LOW}
FLOWERS = "Flowers are more strongly associated with Pleasant than Insects are"


@pytest.mark.parametrize(
    ("verdict", "reason", "result"),
    [
        ("supported", "", planted(**SUPPORTED)),
        ("supported", "", planted(words=LOW, others=LOW)),
        ("these words", "generalisation was not tested", planted(words=LOW)),
        (
            "these words",
            "generalisation cannot be tested (too few words)",
            planted(**SUPPORTED, terms=3),
        ),
        (
            "these words",
            "not shown to generalise to other words",
            planted(**SUPPORTED | {"others": HIGH}),
        ),
        (
            "these words",
            "not significant after adjusting for word frequency",
            planted(**SUPPORTED | {"after": HIGH}),
        ),
        (
            "these words",
            "not significant after adjusting for word frequency",
            planted(**SUPPORTED | {"after": HIGH, "others": HIGH}),
        ),
        (
            "these words",
            "of the opposite sign after adjusting for word frequency",
            planted(**SUPPORTED, turned=PLACES),
        ),
        (
            "these words",
            "not significant after adjusting for word frequency",
            planted(**SUPPORTED | {"after": HIGH}, turned=PLACES),
        ),
        ("not shown", "", planted(**SUPPORTED | {"words": HIGH})),
        ("not shown", "", planted("Non-Directional", words=0.06, others=LOW)),
        ("not shown", "cannot be tested (too few words)", ml_eat(d=None)),
    ],
)
def test_each_row_of_the_table(verdict, reason, result):
    finding = result.finding
    question = finding.questions["level1"]
    assert (finding.verdict, question.verdict, question.reason) == (verdict, verdict, reason)
    assert tuple(finding.questions) == PLACES
    assert finding.sentence == " ".join(each.sentence for each in finding.questions.values())


def test_a_question_that_is_not_significant_in_a_report_of_several_says_so():
    several = [planted(words=0.03, others=0.03, test=f"test-{n}") for n in range(3)]
    assert several[0].finding.verdict == "supported"
    for finding in findings_of(several):
        question = finding.questions["level1"]
        assert question.verdict == "not shown"
        assert question.reason == "not significant after correction for 3 tests"
        assert question.sentence.endswith(" is shown after correction for 3 tests.")
        assert question.p.these == 0.03


def test_the_sentences_have_one_form_and_one_order():
    finding = planted(
        "AB-Divergent", **SUPPORTED | {"after": dict(zip(PLACES, (LOW, HIGH, LOW), strict=True))}
    )
    first, second, third = finding.finding.questions.values()
    assert first.sentence == f"{FLOWERS}."
    assert second.sentence == (
        "In these word lists, Flowers are associated with Pleasant rather than Unpleasant; the "
        "association is not significant after adjusting for word frequency."
    )
    assert third.sentence == "Insects are associated with Unpleasant rather than Pleasant."


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("Math", "is"),
        ("Physics", "is"),
        ("Men", "are"),
        ("Happiness", "is"),
        ("", "is"),
        ("mother, daughter, father", "are"),
    ],
)
def test_verbs_agree(name, verb):
    assert ("are" if is_plural(name) else "is") == verb


def test_a_name_that_is_a_list_is_quoted():
    finding = planted(**SUPPORTED, names={"X": "rose, lily, iris"}).finding
    assert finding.questions["level1"].sentence == (
        "“rose, lily, iris” are more strongly associated with Pleasant than Insects are."
    )


def titled(*results):
    return title(results, findings_of(results), Settings.from_results(results))


def test_the_title_of_one_result_is_its_first_sentence():
    assert titled(planted(**SUPPORTED)) == f"some-vectors: {FLOWERS}"
    assert titled(planted(**SUPPORTED), planted(**SUPPORTED)) == f"some-vectors: {FLOWERS}"


def test_titles_say_what_holds_and_how_far():
    one = planted(**SUPPORTED, test="one")
    lists = planted(**SUPPORTED | {"after": HIGH}, test="lists")
    none = planted("Non-Directional", words=HIGH, others=HIGH, after=HIGH, test="none")
    names = "Flowers more than Insects with Pleasant"
    assert titled(one, lists, none) == (
        "some-vectors: one of three associations holds for other words at equal word frequency: "
        f"{names}; one in these word lists only"
    )
    assert titled(lists, none) == (
        "some-vectors: none of two associations holds for other words at equal word frequency; "
        f"one in these word lists only: {names}"
    )
    both = one.model_copy(update={"adjusted": None}), one.model_copy(update={"test": "two"})
    assert titled(*both) == f"some-vectors: {FLOWERS}"
    turned = planted(**SUPPORTED, d=-1.4, test="turned").model_copy(update={"adjusted": None})
    assert titled(one, turned) == (
        f"some-vectors: both associations hold for other words: {names}, Flowers more than Insects "
        "with Unpleasant"
    )


def test_the_title_of_results_of_several_measures_has_the_verdicts_of_each():
    few = titled(planted(**SUPPORTED), mac())
    assert few == f"some-vectors: {FLOWERS}. {mac().finding.sentence}".removesuffix(".")
    several = planted(**SUPPORTED), weat(0.1, 6000), mac(), nearness(), sc_eat({"one": 0.1})
    assert titled(*several).endswith(
        ": ML-EAT: supported; no significant difference is shown by WEAT and SC-EAT; MAC and NEARNESS have no test"
    )


def test_what_is_said_before_a_finding_stays_before_its_first_sentence():
    result = planted(**SUPPORTED)
    finding = result.finding
    before = finding.model_copy(update={"sentence": f"Of random weights: {finding.sentence}"})
    assert first_of(before) == f"Of random weights: {FLOWERS}."
    assert first_of(mac().finding) == mac().finding.sentence


def test_effect_sizes_are_judged_by_their_finding():
    result = planted(**SUPPORTED | {"words": {"level1": LOW, "level2.X": LOW, "level2.Y": HIGH}})
    verdicts = [level.verdict for level in effects_with_verdicts(result, result.finding)]
    assert verdicts == ["supported", "supported", "not shown"]
    terms = sc_eat(dict.fromkeys("ab", 1.2) | {"c": 0.1})
    judgements = {
        level.term: level.verdict for level in effects_with_verdicts(terms, terms.finding)
    }
    assert judgements == {"a": "these words", "b": "these words", "c": "not shown"}


def test_single_terms_count_what_holm_leaves():
    """Each taken by itself has p = .016; of four, Holm's is .062."""
    lost = sc_eat(dict.fromkeys("abcd", 1.2)).finding
    assert str(lost) == ("None of 4 terms is significantly associated with Pleasant or Unpleasant.")
    assert (lost.verdict, round(lost.questions["terms"].p.these, 3)) == ("not shown", 0.062)
    finding = sc_eat(dict.fromkeys("ab", 1.2) | {"c": -1.2}).finding
    assert str(finding) == (
        "In these word lists, 2 of 3 terms are associated with Pleasant and 1 with Unpleasant."
    )
    assert finding.verdict == "these words"
    void = sc_eat({"void": None, "a": 0.1}).finding
    assert (void.verdict, void.questions["terms"].p.these) == (
        "not shown",
        pytest.approx(1, abs=0.1),
    )


def test_targets_count_what_holm_leaves():
    finding = divdist(
        nurse=(-0.2, LOW, None), poet=(0.2, 0.03, None), boss=(0.1, 0.2, None)
    ).finding
    assert str(finding) == (
        "In these word lists, 1 of 3 targets is associated with women; most strongly nurse."
    )
    none = divdist(poet=(0.2, 0.03, None), boss=(0.1, 0.2, None), void=None).finding
    assert str(none) == (
        "None of 2 targets (1 more is undefined) is significantly associated with men or women."
    )
    cut = divdist(boss=(0.5, LOW, LOW), nurse=(-0.5, LOW, LOW), poet=(0.1, LOW, LOW)).finding
    assert str(cut) == (
        "In these word lists, 2 of 3 targets are associated with men and 1 with women; most "
        "strongly poet (men)."
    )
    assert "most strongly" not in str(divdist(boss=(0.5, LOW, LOW)).finding)


def test_a_number_without_a_test_has_no_verb():
    for result, sentence in ((mac(), "MAC = 0.724"), (nearness(), "NEARNESS: Nearest = 0.30")):
        assert result.finding.sentence.startswith(sentence)
        assert (result.finding.verdict, result.finding.questions) == (None, {})


def test_what_is_undefined_over_stimuli_is_not_shown():
    result = measured(eatlas.MLEAT(), {**COUNTS, "A": (9,)})
    assert {question.verdict for question in result.finding.questions.values()} <= {"not shown"}


def units_by_role(**units):
    return dict.fromkeys("XYAB", ()) | units


@pytest.mark.parametrize(
    ("fails", "words"),
    [
        ({}, ("word 1", "word 2/word 3", "word 4", "word 0")),
        ({"others": HIGH}, ("word 1", "word 2/word 3")),
        ({"words": HIGH}, ()),
    ],
)
def test_words_that_a_result_is_sensitive_to_are_those_that_its_verdict_needs(fails, words):
    found = Sensitivity(
        these=units_by_role(X=[["word 1"], ["word 2", "word 3"]]),
        new=units_by_role(X=[["word 1"], ["word 4"]]),
        adjusted=units_by_role(B=[["word 0"]]),
    )
    result = planted(**SUPPORTED | fails).model_copy(update={"sensitivity": found})
    assert result.finding.sensitive_to == words
    text = Page(report_html([result])).text
    if not fails:
        assert (
            "Without any one of word 1, word 2/word 3, word 4 or word 0 "
            "the first sentence above would be weaker."
        ) in text
    assert ("the first sentence above would be weaker" in text) == bool(words)
    assert planted(**SUPPORTED).finding.sensitive_to == ()


p_values = st.sampled_from([None, 0.001, 0.01, 0.02, 0.04, 0.06, 0.2, 0.9])
of_places = st.fixed_dictionaries(dict.fromkeys(PLACES, p_values))


@st.composite
def told(draw):
    """An ML-EAT of any pattern with any p-values."""
    words = draw(st.fixed_dictionaries(dict.fromkeys(PLACES, p_values.filter(bool))))
    turned = tuple(place for place in PLACES if draw(st.booleans()))
    after = draw(st.one_of(st.none(), of_places))
    whole = after and {place: p or 0.5 for place, p in after.items()}
    label = draw(st.sampled_from(list(PATTERNS)))
    return planted(label, words=words, others=draw(of_places), after=whole, turned=turned)


@settings(deadline=None, max_examples=60)
@given(st.lists(told(), min_size=1, max_size=3))
def test_no_sentence_says_more_than_its_p_values(results):
    results = [r.model_copy(update={"test": f"test-{n}"}) for n, r in enumerate(results)]
    for finding in findings_of(results):
        for question in finding.questions.values():
            known = [p for p in (question.p.these, question.p.new, question.p.adjusted) if p]
            if question.verdict == "supported":
                assert max(known) <= 0.05
                assert question.p.new is not None
            if question.verdict != "not shown":
                assert question.p.these <= 0.05
            assert question.sentence.startswith("In these word lists") is (
                question.verdict == "these words"
            )
            assert ("is shown" in question.sentence) is (question.verdict == "not shown")


@settings(deadline=None, max_examples=60)
@given(st.lists(told(), min_size=1, max_size=3))
def test_without_a_test_a_question_is_answered_as_if_it_had_not_been_made(results):
    """The rule itself, for a result without the tests among others that have all of theirs."""
    results = [r.model_copy(update={"test": f"test-{n}"}) for n, r in enumerate(results)]
    evidence = [evidence_of(result) for result in results]
    by_tests = [
        answers_by_tests(r, finding)
        for r, finding in zip(results, findings_of(results), strict=True)
    ]
    for place, tests in product(PLACES, range(8)):
        made = [name for i, name in enumerate(TESTS) if tests >> i & 1]
        every = [(r.concepts, found[place]) for r, found in zip(results, evidence, strict=True)]
        for n, answers in enumerate(by_tests):
            reduced = list(every)
            reduced[n] = every[n][0], every[n][1].of_tests(made)
            expected = answer_together(reduced)[n]
            answer = answers[place].answers[int(answers[place].at[tests])]
            said = answer.sentence
            if not tests & 1:  # then it says that these words were not tested
                said = said.replace(f"; {answer.reason}.", ".")
            assert said == expected.sentence
            assert answer.verdict == expected.verdict
            if tests & 1:
                assert answer.reason == expected.reason


def test_what_is_switched_off_never_makes_a_verdict_stronger_and_has_its_interval():
    result = eatlas.run("weat-6", measures="ml-eat(resamples=0)")[0]
    found = answers_by_tests(result, result.finding)["level1"]
    said = [found.answers[int(number)] for number in found.at]
    assert [answer.verdict for answer in said[1::2]] == [*["these words"] * 3, "supported"]
    assert {answer.reason for answer in said[::2]} == {"these word lists were not tested"}
    level, crossed = result.level1, result.generalisation.level1
    unit = level.effect_size / level.difference
    assert found.crossed == pytest.approx((crossed.low * unit, crossed.high * unit))
    assert found.crossed != result.finding.questions["level1"].interval


SMALL = {
    "weat-9": ("weat(resamples=0)", "ml-eat(resamples=0)", "sc-eat", "generalised-weat"),
    "divdist-face-validity": (
        "divdist(resamples=0)", "rnd", "mac", "ripa", "semaxis", "ect", "rnsb", "direct-bias",
        "indirect-bias", "same",
    ),
}  # fmt: skip
OF_MODELS = {"ask", "assign", "ceat", "lpbs", "lpbs-ceat", "fmat", "zero-shot", "pmi", "pll", "cat"}
"""They need a model, or counts; those of models but pll and cat have the levels of an ML-EAT."""


@pytest.fixture(scope="module")
def of_all_measures():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return [
            result
            for test, measures in SMALL.items()
            for result in eatlas.run(tests=test, measures=measures)
        ]


def test_every_measure_has_a_finding_and_a_number_without_a_test_no_verdict(of_all_measures):
    assert {r.measure for r in of_all_measures} == set(measure_names()) - OF_MODELS
    for result, finding in zip(of_all_measures, findings_of(of_all_measures), strict=True):
        assert finding.sentence.endswith(".")
        tested = any(e.p_of("two_sided") is not None for e in result.effects())
        single = any(target.labels for target in result.by_target or ())
        values = any(getattr(target, "p", None) for target in result.values or ())
        assert (finding.verdict in VERDICTS) is (tested or single or values)


def test_a_page_and_the_record_say_the_same(of_all_measures):
    page = re.sub(r"[\s●■]", "", Page(report_html(of_all_measures)).text)
    for finding in findings_of(of_all_measures):
        for text in (first_of(finding), *(q.sentence for q in finding.questions.values())):
            assert re.sub(r"\s", "", text) in page


def test_names_of_targets_are_marked_as_whole_words():
    names = {"X": "he", "Y": "he and she", "A": "the words he", "B": "Home"}
    parts = mark_targets(
        "he is more strongly associated with the words he than he and she are", ml_eat(names=names)
    )
    assert parts == [
        {"span.x": "●\xa0he"}, " is more strongly associated with ", "the words he", " than ",
        {"span.y": "■\xa0he and she"}, " are",
    ]  # fmt: skip


def test_terms_at_equal_frequency_change_no_tally():
    plain = sc_eat(dict.fromkeys("ab", 1.2))
    assert with_adjusted(plain, sc_eat({"a": 0.1, "b": 0.1})).finding == plain.finding
