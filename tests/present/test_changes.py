"""What a prompt changes: signs, significance, patterns, means; in Python, terminal and page."""

import pytest
from tests.present.records import ml_eat, weat
from tests.present.test_encodings import encoded

from eatlas.cli.table import print_results
from eatlas.errors import ResultsError
from eatlas.present import report_html
from eatlas.present.changes import tables_of_changes
from eatlas.results import Results
from eatlas.results.compare import changes_of

PLAIN, BRINGS = "{}", "a picture that brings to mind {}"


def of(prompt, test="weat-1", pattern="AX-Singular", **how):
    return encoded(pattern, prompt=prompt, **how).model_copy(update={"test": test})


@pytest.fixture
def results():
    return Results(
        [
            of(PLAIN, "white-black", d=0.9),
            of(PLAIN, "thin-heavy", d=0.8),
            of(BRINGS, "white-black", d=-0.7),
            of(BRINGS, "thin-heavy", "A-Uniform", d=0.8),
        ]
    )


def test_signs_and_patterns(results):
    changes = results.changes("prompt")
    assert [(one.test, one.since, one.to) for one in changes] == [
        ("white-black", PLAIN, BRINGS), ("thin-heavy", PLAIN, BRINGS),
    ]  # fmt: skip
    first, second = changes
    assert first.flips == ("level1",)
    assert not first.pattern_changes
    assert second.flips == ()
    assert second.pattern_changes
    assert len(changes.flips) == len(changes.pattern_changes) == 1
    assert repr(changes) == "<2 changes: 1 of 6 signs flip, 1 of 2 EAT patterns change>"


def test_a_row_for_each_effect_size(results):
    frame = results.changes().to_frame()
    assert frame["place"].tolist() == ["level1", "level2.X", "level2.Y"] * 2
    row = frame.iloc[0]
    assert (row["effect_size_since"], row["effect_size"]) == (0.9, -0.7)
    assert bool(row["sign_flips"])
    assert frame["sign_flips"].sum() == 1
    assert frame["pattern"].tolist() == ["AX-Singular"] * 3 + ["A-Uniform"] * 3
    assert frame["rise_XA"].tolist() == [0.0] * 6


def test_another_value_to_compare_with(results):
    (one, _) = results.changes(since=BRINGS)
    assert (one.since, one.to, one.before.level1.effect_size) == (BRINGS, PLAIN, -0.7)
    with pytest.raises(ResultsError) as caught:
        results.changes(since="nothing")
    assert caught.value.allowed == f"{PLAIN}, {BRINGS}"
    with pytest.raises(ResultsError, match="cannot be compared by this"):
        results.changes("colour")


def test_no_sign_without_an_effect_size():
    found = changes_of([of(PLAIN, d=None), of(BRINGS, d=-1.0)])
    assert found[0].flips == ()
    assert changes_of([of(PLAIN, d=0.0), of(BRINGS, d=-1.0)])[0].flips == ()


def test_results_that_differ_otherwise_have_no_changes(results):
    assert len(Results([results[0]]).changes()) == 0
    assert Results([results[0]]).changes().to_frame().empty
    other = of(BRINGS, "white-black", layer="1")
    assert len(Results([results[0], other]).changes()) == 0


def test_the_sentence(results):
    (table,) = tables_of_changes(results)
    assert table.title == f"ML-EAT on model, layer 12, from prompt “{PLAIN}” to “{BRINGS}”"
    assert table.heads == ("Level 1", "Level 2, X", "Level 2, Y")
    assert table.sentence.startswith("The sign of d flips at level 1 in white-black. ")
    assert (
        "The EAT pattern changes in thin-heavy (AX-Singular to A-Uniform), and stays the same in 1."
        in (table.sentence)
    )
    assert table.table.rows[0][1].lines == ("0.90* → −0.70*", "sign flips")


def test_means_of_level_3_side_by_side(results, capsys):
    (table,) = tables_of_changes(results)
    level3 = results[0].level3
    assert [cell.lines[0] for cell in table.means.rows[0][1:]] == [
        f"{level3.cell(name).mean:.2f} → {level3.cell(name).mean:.2f}".replace("-", "−")
        for name in ("XA", "XB", "YA", "YB")
    ]
    print_results(results)
    assert "Level 3: means" in capsys.readouterr().out
    assert "<caption>Level 3: means</caption>" in report_html(results)


def test_nothing_changes():
    same = [of(PLAIN, name) for name in "ab"] + [of(BRINGS, name) for name in "ab"]
    (table,) = tables_of_changes(same)
    assert table.sentence.startswith("No sign of d flips. Both EAT patterns stay the same.")


def test_a_measure_without_patterns():
    some = [of(PLAIN, made=weat, d=1.0), of(BRINGS, made=weat, d=-1.0)]
    (table,) = tables_of_changes(some)
    assert not table.with_patterns
    assert table.sentence == "The sign of d flips at level 1 in weat-1."


def test_in_the_terminal(results, capsys):
    print_results(results)
    shown = capsys.readouterr().out
    assert f"ML-EAT on model, layer 12, from prompt “{PLAIN}” to “{BRINGS}”" in " ".join(
        shown.split()
    )
    assert "sign flips" in shown
    assert "AX-Singular → A-Uniform" in shown


def test_on_the_page(results):
    page = report_html(results)
    assert page.index("Prompts compared") < page.index("sign flips")
    assert f"from prompt “{PLAIN}” to “{BRINGS}”</bdi></h3>" in page
    without = report_html(Results([ml_eat()]))
    assert "sign flips" not in without


def test_names_are_escaped():
    bad = "<b>{}</b>"
    page = report_html(Results([of(PLAIN), of(bad)]))
    assert "<b>{}</b>" not in page
    assert "&lt;b&gt;{}&lt;/b&gt;" in page
