"""What the page says about one result."""

import re

from tests.present.reading import Page
from tests.present.records import full, head, ml_eat, sc_eat, uncertainty

from eatlas.present import report_html


def details(*results, **options) -> str:
    page = report_html(results, **options)
    part = page[page.index('<section id="findings"') : page.index('<section id="paper"')]
    return " ".join(Page(part).text.split())


def test_chance_other_words_and_single_terms_are_weighed():
    text = details(full())
    assert (
        "Random labels. If the labels Flowers and Insects were assigned to the 16 target words at "
        "random, a difference at least this large in this direction would occur in about 1 of "
        "130 cases (p = .0078; 100 of 12,870 relabellings). In either direction: p = .016. This asks "
        "whether the two differ in this direction, and not whether the direction is special: any two "
        "topics differ in most directions."
    ) in text
    assert (
        "Other words. In 1,000 resamples of all terms, drawn with replacement from those of the "
        "test, the pattern is AX-Singular in 75% and A-Uniform in 25%. This is not the probability "
        "of a replication. The 95% interval of d at level 1 is [1.00, 1.70]."
    ) in text
    assert (
        "Single terms. The term that carries the effect most is “one”: without it, d at level 1 falls from "
        "1.400 to 0.900. Without any single term it stays between 0.900 and 1.500."
    ) in text


def test_the_tail_that_is_read_has_its_count_and_the_other_its_own_as_a_tooltip():
    text = details(ml_eat())
    assert ".0078 100 of 12,870 relabellings .016" in text
    assert "12,771" not in text  # the tail against the direction of d says nothing
    html = report_html([ml_eat()])
    assert 'title="200 of 12,870 relabellings"><span class="p">.016' in html


def test_the_terms_that_drive_each_effect_size_the_strongest_first():
    text = details(full())
    assert "Flowers against Insects: d = 1.40" in text
    assert "one 0.90" in text
    assert "6 of 11 terms, those that change d most" in text
    assert "Insects: d = 0.10" in text
    assert "two −0.20" in text


def test_the_stability_of_the_pattern_largest_share_first():
    text = details(
        full(uncertainty=uncertainty(patterns={"A-Uniform": 0.996, "AX-Singular": 0.004}))
    )
    assert "Share of 1,000 resamples of the terms" in text
    assert "A-Uniform >99% AX-Singular <1%" in text


def test_sc_eat_terms_are_sorted_and_undefined_ones_last():
    given = sc_eat({"low": -1.2, "none": None, "high": 1.9, "mid": 0.1})
    html = report_html([given])
    part = html[html.index('<table class="terms">') :]
    rows = re.findall(r'<th scope="row" dir="auto" data-v="(\w+)">', part)
    assert rows[:4] == ["high", "mid", "low", "none"]


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
