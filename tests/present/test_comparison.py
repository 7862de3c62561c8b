"""How findings move with source, prompt, layer, weights and window: sentences, tables, page."""

import pytest
from tests.present.records import ml_eat, weat

import eatlas
from eatlas.cli.table import print_results
from eatlas.present import report_html
from eatlas.present.comparison import (
    Change,
    comparisons,
    significant_changes,
    title_of_results,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.results import Results
from eatlas.results.compare import pivot
from eatlas.results.parts import Encoding
from eatlas.results.pooled import pool_groups
from eatlas.results.settings import Settings
from eatlas.stimuli import ContextsOrigin


def encoded(pattern="AX-Singular", *, d=1.4, source="hf:model", **choices):
    given = {"model": "model", "architecture": "BertModel", "level": "word", "layer": "12"}
    name = ",".join(f"{key}={value}" for key, value in choices.items())
    result = ml_eat(pattern, d=d, source=f"{source}?{name}")
    return result.model_copy(update={"encoding": Encoding(**{**given, **choices})})


def in_texts(source="cbow:some", **sizes):
    """A result in contexts cut to a window."""
    result = ml_eat(source=source)
    origin = ContextsOrigin(name="c.parquet", sha256="0" * 64, **sizes)
    changed = result.provenance.model_copy(update={"contexts": origin})
    return result.model_copy(update={"provenance": changed})


def compared(*results):
    shown = sections(results, DeclaredFamily.of(results))
    rows = comparisons(shown, pool_groups(results))
    return [row for of_kind in rows.values() for row in of_kind]


def test_a_test_and_measure_on_several_sources():
    first, second = ml_eat(source="a"), ml_eat("A-Uniform", source="b", d=0.7)
    (row,) = compared(first, weat(source="a"), second, ml_eat(test="other"))
    assert (row.name, row.by, row.names) == ("test-1", "source", ("a", "b"))
    assert [section.result.source for section in row.cells] == ["a", "b"]
    assert row.sentence == "At level 1 d is 1.40 and 0.70; difference −0.70."
    assert row.headline == (
        "Flowers more than Insects with Pleasant: these word lists only in both sources"
    )
    assert (row.verdicts, row.spread) == ({"these words": 2}, pytest.approx(0.7))
    (row,) = compared(weat(source="a"), weat(source="b", d=None))
    assert row.sentence == "", "an undefined size has no range"
    assert row.headline.endswith("these word lists only in 1 of 2, not shown in 1")
    (row,) = compared(weat(source="a", d=None), weat(source="b", d=None))
    assert row.headline.endswith("shown in neither of the sources")
    (row,) = compared(weat(source="a"), weat(-1.2, source="b"))
    assert row.headline.startswith("Flowers against Insects, Pleasant against Unpleasant: ")
    assert compared(ml_eat(), ml_eat()) == [], "a run that is read twice is not compared"


def test_what_differs_in_more_than_one_choice_is_not_compared():
    (windows,) = pivot([in_texts(window=w) for w in ("sentence", 10, 9)], "window")
    assert [*windows] == ["9", "10", "sentence"]
    both = [encoded(layer="1", prompt="The {}"), encoded(layer="2")]
    assert [pivot(both, by) for by in ("prompt", "layer", "weights")] == [[], [], []]
    grid = [encoded(layer=n, prompt=p) for n in "12" for p in ("The {}", "A {}")]
    assert [len(group) for group in pivot(grid, "layer")] == [2, 2]
    for results, by in (
        ([in_texts(window=9), ml_eat(source="cbow:some")], "window"),
        ([in_texts(window=1), in_texts(window=9, source="cbow:other")], "window"),
        ([in_texts(window=1), in_texts(window=9, per_term=5)], "window"),
        ([encoded(), encoded()], "prompt"),
        ([ml_eat(), ml_eat(source="b")], "prompt"),
    ):
        assert pivot(results, by) == []


@pytest.mark.parametrize(
    ("results", "said"),
    [
        (
            (encoded(prompt="The {}"), encoded("A-Uniform", prompt="A {}", d=0.7)),
            "At level 1 d is 1.40 and 0.70; difference −0.70. Mean cosines range from ",
        ),
        (
            [encoded(layer=n, d=d) for n, d in (("1", 1.4), ("2", 0.3), ("3", 0.9))],
            "At level 1 d ranges from 0.30 to 1.40.",
        ),
        (
            (encoded(), encoded("Non-Directional", weights="random", weights_seed=3)),
            "At level 1 d is 1.40 and 1.40; difference 0.00. An association that the "
            "randomly initialised model also shows comes from the architecture",
        ),
    ],
)
def test_sentences_say_what_moves(results, said):
    (row,) = compared(*results)
    assert row.sentence.startswith(said)


def test_sources_are_compared_beside_prompts_only_where_there_are_other_sources():
    prompts = encoded(prompt="The {}"), encoded(prompt="A {}")
    assert [row.by for row in compared(*prompts)] == ["prompt"]
    assert [row.by for row in compared(*prompts, ml_eat())] == ["source", "prompt"]


def test_a_page_with_prompts_layers_and_a_control():
    layers = [encoded(layer=layer) for layer in ("0", "6", "12")]
    prompts = [encoded(prompt="The {}"), encoded(prompt="A <b>{}</b>")]
    page = report_html([*prompts, *layers, encoded(weights="random", weights_seed=0)])
    for heading in ("Prompts compared", "Layer by layer", "Trained and randomly initialised"):
        assert f">{heading}</h2>" in page
    assert "A &lt;b&gt;{}&lt;/b&gt;" in page
    assert "A <b>" not in page
    assert "d from 1.40 in layer 0 to 1.40 in layer 12, supported in 0 of 3 layers" in page


def test_rows_say_at_which_layer_and_with_which_prompt(capsys):
    grid = [
        encoded(layer=layer, prompt=prompt, d=d)
        for layer, d in (("3", 1.4), ("12", 0.2))
        for prompt in ("The {}", "A {}")
    ]
    rows = [row for row in compared(*grid) if row.by != "source"]
    assert [(row.by, row.name) for row in rows] == [  # prompts are read from two lines
        ("layer", "test-1 (prompt “The {}”)"), ("layer", "test-1 (prompt “A {}”)"),
    ]  # fmt: skip
    print_results(Results(grid))
    said = capsys.readouterr().out
    for row in rows:
        assert f"{row.name} by {row.by}: " in said


@pytest.fixture(scope="module")
def centred():
    sources = ["glove-sample", "glove-sample?transform=center"]
    return eatlas.run(["weat-1", "weat-6", "weat-7"], sources, "ml-eat(resamples=0)")


def test_a_change_is_the_difference_on_the_words_that_both_have(centred):
    table = centred.compare("source")
    rows = {row.name: row for row in compared(*centred)}
    assert list(rows) == sorted(rows, key=lambda name: -abs(rows[name].change.d)), "largest first"
    for row in table:
        gap, change = row.difference("level1", 1), rows[row.name].change
        assert (change.d, change.interval, change.p) == (gap.d, gap.interval, gap.p)
        low, high = change.interval
        assert low < change.d < high
        assert (low > 0 or high < 0) == (change.p < 0.05)


def titled(results):
    return title_of_results(results, Settings.from_results(results), pool_groups(results))


def test_the_title_says_what_changes_by_how_much_and_how_surely(centred, monkeypatch):
    names = "no transform and transform center"
    assert titled(centred) == (
        f"GloVe 6B (100d): no significant difference between {names} is shown in three "
        "associations; d at level 1 changes by at most 0.16 (weat-7); two of three are supported "
        "in both sources"
    )
    page = report_html(centred)
    assert f'<h1 dir="auto">{titled(centred)}' in page
    assert page.index('id="sources"') < page.index('id="results"'), "differences come first"
    alone = Results(result for result in centred if result.test == "weat-6")
    assert titled(alone).endswith(
        "d at level 1 changes by 0.00 [−0.03, 0.03] from no transform to transform center, "
        "which is not significant (p = .97)"
    )
    monkeypatch.setattr(Change, "of", lambda gap: Change(gap.d, gap.interval, 0.001))
    assert f"three of three associations differ significantly between {names}" in titled(centred)


def test_a_small_p_of_one_of_several_tests_is_not_significant(centred, monkeypatch):
    p_values = iter([0.02, 0.5, 0.9])
    known = {}

    def change(gap):
        p = known.setdefault(gap.d, None) or next(p_values, 0.9)
        known[gap.d] = p
        return Change(gap.d, gap.interval, p)

    monkeypatch.setattr(Change, "of", change)
    assert significant_changes(compared(*centred)) == [], "Holm over three tests"


def test_the_terminal_and_the_page_have_one_title(centred, capsys):
    print_results(centred)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(titled(centred))
