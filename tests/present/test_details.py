"""What the page says about one result."""

import re

from tests.present.reading import Page
from tests.present.records import full, head, ml_eat, planted, sc_eat, uncertainty

from eatlas.present import report_html
from eatlas.results.levels import Units


def details(*results, **options) -> str:
    page = report_html(results, **options)
    part = page[page.index('<section id="findings"') : page.index('<section id="paper"')]
    return " ".join(Page(part).text.split())


def test_each_test_is_told_in_full():
    text = details(full())
    assert (
        "These words. If the labels Flowers and Insects were assigned to the 16 target words at "
        "random, a difference at least this large in either direction would occur in about 1.6% "
        "of cases (p = .016; 200 of 12,870 permutations)."
    ) in text
    assert (
        "Single terms. The term that contributes most to the effect is “one”: without it, d at level 1 falls from "
        "1.400 to 0.900. Without any single term it stays between 0.900 and 1.500."
    ) in text


def test_the_questions_have_a_row_each_with_their_p_values():
    known = {"words": 0.004, "others": {"level1": 0.004, "level2.X": 0.3}, "after": 0.004}
    text = details(planted(**known))
    assert "Flowers against Insects 1.40 [−1.00, 3.00] .0040 .0040 .0040 .0040 supported" in text
    assert (
        "Flowers 0.90 [−1.00, 3.00] .0040 .30 .0040 .30 these word lists only not shown to "
        "generalise to other words" in text
    )


def test_the_papers_rule_is_under_its_own_fold():
    html = report_html([full()])
    fold = html[html.index('<details class="fold paper">') :]
    text = " ".join(Page(fold[: fold.index("</details>") + 10]).text.split())
    assert text.startswith("By the paper’s rule: AX-Singular * p < .05 in the direction of d.")
    assert "No sentence of this page depends on this rule." in text
    assert "Percentage of 1,000 bootstrap samples of the terms" in text
    before = html[html.index("<main") : html.index('<details class="fold paper">')]
    assert "AX-Singular" not in re.sub(r"<[^>]+>", " ", before)


def test_the_tail_that_is_read_has_its_count_and_the_other_its_own_as_a_tooltip():
    text = details(ml_eat())
    assert ".0078 100 of 12,870 permutations .016" in text
    assert "12,771" not in text  # the tail against the direction of d says nothing
    html = report_html([ml_eat()])
    assert 'title="200 of 12,870 permutations"><span class="p">.016' in html


def test_words_that_were_joined_are_named():
    clusters = {"X": (("one", "two"),), "Y": (), "A": (), "B": ()}
    sizes = {"X": 2, "Y": 3, "A": 3, "B": 3}
    units = {"threshold": 0.4, "clusters": clusters, "sizes": sizes, "level1": None}
    result = ml_eat().model_copy(update={"units": Units.model_validate(units)})
    assert "count as one word: one, two (Flowers, 3 words count as 2)." in details(result)
    assert "Near-synonyms" not in details(ml_eat())


def test_the_terms_that_drive_each_effect_size_the_strongest_first():
    text = details(full())
    assert "Flowers against Insects: d = 1.40" in text
    assert "one 0.90" in text
    assert "the 6 most influential of 11 terms" in text
    assert "Insects: d = 0.10" in text
    assert "two −0.20" in text


def test_the_stability_of_the_pattern_largest_share_first():
    text = details(
        full(uncertainty=uncertainty(patterns={"A-Uniform": 0.996, "AX-Singular": 0.004}))
    )
    assert "Percentage of 1,000 bootstrap samples of the terms" in text
    assert "A-Uniform >99% AX-Singular <1%" in text


def test_sc_eat_terms_are_sorted_and_undefined_ones_last():
    given = sc_eat({"low": -1.2, "none": None, "high": 1.9, "mid": 0.1})
    html = report_html([given])
    part = html[html.index('<table class="terms">') :]
    rows = re.findall(r'<th scope="row" dir="auto">(\w+)', part)
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
