"""What the page says about one result."""

import re

from tests.present.reading import Page
from tests.present.records import full, head, influence, ml_eat, p_values, sc_eat, uncertainty, weat

from eatlas.present import report_html


def details(*results, **options) -> str:
    page = report_html(results, **options)
    part = page[page.index('<section id="findings"') : page.index('<section id="summary"')]
    return " ".join(Page(part).text.split())


def test_chance_other_words_and_single_terms_are_weighed():
    text = details(full())
    assert (
        "Chance alone. If the labels Flowers and Insects were assigned to the 16 target words at "
        "random, a difference at least this large in this direction would occur in about 7.8 of "
        "1,000 cases (p = .0078; 100 of 12,870 relabellings). In either direction: p = .016."
    ) in text
    assert (
        "Other words. In 1,000 resamples of all terms, drawn with replacement from those of the "
        "test, the pattern is AX-Singular in 75% and A-Uniform in 25%. This is not the probability "
        "of a replication. The 95% interval of d at level 1 goes from 1.00 to 1.70."
    ) in text
    assert (
        "Single terms. The most influential term is “one”: without it, d at level 1 falls from "
        "1.40 to 0.90. Without any single term it stays between 0.90 and 1.50."
    ) in text


def test_few_resamples_tell_fewer_digits():
    """Monte Carlo errors of .03 and .004 of the ends, and of 2 in a hundred of the shares."""
    given = uncertainty()
    level1 = given.level1.model_copy(update={"error": (0.03, 0.004)})
    errors = dict.fromkeys(given.patterns, 0.02)
    text = details(
        full(uncertainty=given.model_copy(update={"level1": level1, "patterns_error": errors}))
    )
    assert "the pattern is AX-Singular in about 75% and A-Uniform in about 25%." in text
    assert "interval of d at level 1 goes from 1.0 to 1.70." in text
    assert "[1.0, 1.70]" in text


def test_the_targets_alone_may_have_been_drawn():
    given = uncertainty(over="targets", patterns=None)
    text = details(full(uncertainty=given.model_copy(update={"patterns": None})))
    assert "interval of d at level 1, from 1,000 resamples of the target terms, goes from" in text
    assert "Patterns among resamples" not in text


def test_an_undefined_interval_is_said_to_be_undefined():
    given = uncertainty(level1=uncertainty().level2.Y.to_dict())
    assert "No interval of d at level 1 can be given." in details(full(uncertainty=given))


def test_a_result_without_resampling_says_nothing_of_it():
    text = details(ml_eat())
    assert "Other words." not in text
    assert "Which single terms drive it" not in text


def test_the_tail_that_is_read_has_its_count_and_the_other_its_own_as_a_tooltip():
    text = details(ml_eat())
    assert ".0078 100 of 12,870 relabellings .016" in text
    assert "12,771" not in text  # the tail against the direction of d says nothing
    html = report_html([ml_eat()])
    assert 'title="200 of 12,870 relabellings"><span class="p">.016' in html


def test_counts_beyond_two_to_the_53_stand_in_full():
    total = 9007199254740993 * 3
    values = ml_eat().to_dict()
    values["level1"]["p"] = p_values(9007199254740993, total)
    text = details(type(ml_eat()).from_dict(values))
    assert "9,007,199,254,740,993 of 27,021,597,764,222,979 relabellings" in text


def test_the_terms_that_drive_each_effect_size_the_strongest_first():
    text = details(full())
    assert "Level 1 : Flowers against Insects , d = 1.40; 5 of 11 terms" in text
    assert "one Flowers 0.900 −0.500 two Flowers 1.500 +0.100" in text
    assert "Level 2, Y : Insects , d = 0.10; 5 of 9 terms" in text
    assert "two Unpleasant −0.200 −0.300" in text


def test_a_term_without_which_there_is_no_effect_size_is_left_out():
    only = dict.fromkeys("XYAB", (None, None, None))
    text = details(full(influence=influence(level1=only)))
    assert "Level 1 : Flowers against Insects , d" not in text
    assert "Single terms." not in text


def test_the_stability_of_the_pattern_largest_share_first():
    text = details(
        full(uncertainty=uncertainty(patterns={"A-Uniform": 0.996, "AX-Singular": 0.004}))
    )
    assert "Share of 1,000 resamples of the terms" in text
    assert "A-Uniform >99% AX-Singular <1%" in text


def test_level_3_has_mean_spread_and_quantiles():
    assert "Flowers – Pleasant 0.100 0.050 9 −0.200 0.000 0.090 0.200 0.400" in details(ml_eat())


def test_a_mean_without_spread_is_shown():
    values = ml_eat().to_dict()
    values["level3"]["XA"] = {"mean": 0.5, "sd": None, "n": 1, "quantiles": [0.5] * 5}
    text = details(type(ml_eat()).from_dict(values))
    assert "Flowers – Pleasant 0.500 – 1 0.500 0.500 0.500 0.500 0.500" in text


def test_every_cosine_is_a_dot_where_they_were_kept():
    shown, alone = report_html([full()]), report_html([ml_eat()])
    (path, *others) = re.findall(r'<path d="([^"]*)"[^>]*fig-cloud', shown)
    assert len(others) == 3
    assert path.count("h0") == 9
    assert "Each small dot is the cosine of one target term" in shown
    assert 'class="fig-cloud"' not in alone
    assert "line: from least to greatest" in alone


def test_cosines_that_do_not_match_the_terms_are_not_drawn():
    for kept in (((0.1, 0.2),), ((0.1,) * 5,) * 6):
        assert 'class="fig-cloud"' not in report_html([full(similarities=kept)])


def test_sc_eat_terms_are_sorted_and_undefined_ones_last():
    given = sc_eat({"low": -1.2, "none": None, "high": 1.9, "mid": 0.1})
    html = report_html([given])
    assert re.findall(r'<th scope="row" dir="auto">(\w+)</th>', html) == [
        "high",
        "mid",
        "low",
        "none",
    ]
    assert html.count('class="fig bar"') == 3


def test_sc_eat_terms_are_adjusted_where_the_family_has_them():
    given = sc_eat({"low": -1.2, "high": 1.9})
    assert "p two-sided Holm" not in details(given)
    text = details(given, family="level2")
    assert "p two-sided Holm high X 1.90 * .0078 100 of 12,870 relabellings" in text
    assert ".016 .031" in text


def test_weat_has_no_map():
    page = Page(report_html([weat()]))
    assert "How to read an EAT-Map" not in page.text
    assert "Level 1: effect size and the relabellings behind each p-value" in page.text
    assert not [a for a in page.all("svg") if "eat-map" in a["class"]]


def test_scores_that_do_not_match_the_terms_are_not_drawn():
    coverage = head()["coverage"] | {"X": {"used": ["only one"], "missing": []}}
    assert "Lean of each target term" not in Page(report_html([weat(coverage=coverage)])).text
    assert "Lean of each target term" in Page(report_html([weat()])).text


def test_coverage_tells_used_missing_reason_and_spelling():
    group = {
        "used": ["Ebony", "Brad"],
        "missing": ["gladiola"],
        "found_as": {"Ebony": "ebony"},
        "reasons": {"gladiola": "not in some-vectors"},
    }
    coverage = head()["coverage"] | {"Y": group}
    text = details(sc_eat({"one": 0.9}, coverage=coverage))
    assert "2 of 3 Ebony as ebony , Brad gladiola (not in some-vectors)" in text
    assert "2 terms, 1 missing" in text


def test_empty_groups_are_shown_as_empty():
    nothing = {"used": [], "missing": []}
    coverage = dict.fromkeys("XYAB", nothing)
    text = details(full(coverage=coverage), weat(coverage=coverage), sc_eat({}, coverage=coverage))
    assert text.count("0 of 0 none") == 12
    assert "No effect size is defined for 0 terms." in text


def test_provenance_and_warnings_are_written():
    text = details(ml_eat(warnings=["Few usable terms."]))
    assert "Note Few usable terms." in text
    for part in (
        "5" * 64,
        "7" * 64,
        "sha256:" + "f" * 64,
        "Someone (2001)",
        "version 1.2.3, seed 7",
    ):
        assert part in text
