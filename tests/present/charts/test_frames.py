"""Frames of the charts: their values, derived by hand, and what they refuse."""

from typing import ClassVar, Literal

import pytest
from tests.present.charts.reading import texts
from tests.present.charts.records import COSINES, full, uncertainty, weat_with_influence
from tests.present.records import PATTERNS, head, ml_eat, sc_eat, weat

import eatlas
from eatlas.errors import EatlasError, ResultsError
from eatlas.present.charts import eat_map, forest, influence, legend, level3, stability
from eatlas.present.charts.backend import svg_of
from eatlas.results import AssociationResult, Failure, Results

CHARTS = {
    "eat-map": eat_map,
    "forest": forest,
    "influence": influence,
    "level3": level3,
    "stability": stability,
}


def rows(frame, *columns):
    return [tuple(row) for row in frame[list(columns)].itertuples(index=False)]


@pytest.mark.parametrize("module", [*CHARTS.values()])
def test_columns_are_those_that_are_declared(module):
    assert tuple(module.prepare(full()).columns) == module.COLUMNS


@pytest.mark.parametrize(("kind", "module"), CHARTS.items())
def test_nothing_to_draw(kind, module):
    with pytest.raises(ResultsError) as caught:
        module.prepare(Results([]))
    assert (
        str(caught.value) == f"there is no result for a chart of the kind {kind}\n  got: 0 results"
    )


def test_nothing_to_draw_names_the_first_failure():
    failures = [Failure("t", "s", "ML-EAT()", EatlasError("no vector for any term"))]
    with pytest.raises(ResultsError, match="0 results; the first failed job: no vector for any"):
        forest.prepare(Results([], failures))


@pytest.mark.parametrize("given", [3, None, "results.jsonl", [1]])
def test_what_is_no_result_is_refused(given):
    with pytest.raises(ResultsError) as caught:
        forest.prepare(given)
    got = "int" if given == [1] else type(given).__name__
    assert str(caught.value) == (
        f"a chart of the kind forest is drawn from results\n  got: {got}\n"
        "  allowed: a result, Results or a list of results\n"
        "  remedy: results = eatlas.run(...) or eatlas.read_results(...)"
    )


@pytest.mark.parametrize("module", [eat_map, level3, stability])
def test_a_weat_has_no_level_2(module):
    with pytest.raises(ResultsError) as caught:
        module.prepare([full(), weat()])
    said = str(caught.value)
    assert "got: the result of WEAT(alpha=0.05,ddof=1,p=auto) for test-1" in said
    assert "allowed: results of the measure ml-eat" in said
    assert "remedy: leave the others out: [r for r in results if r.measure == 'ml-eat']" in said


def test_forest_has_three_effect_sizes_of_an_ml_eat():
    found = forest.prepare(full("AX-Singular", d=1.4, d_X=0.9, d_Y=-0.1))
    assert rows(found, "level", "role", "name", "effect_size", "significant") == [
        ("level 1", "XY", "Flowers and Insects", 1.4, True),
        ("level 2", "X", "Flowers", 0.9, True),
        ("level 2", "Y", "Insects", -0.1, False),
    ]
    assert rows(found.iloc[:2], "low", "high", "confidence") == [(1.0, 1.7, 0.95), (0.5, 1.2, 0.95)]
    assert found.iloc[2][["low", "high", "confidence"]].isna().all()
    assert set(found["term"]) == {False}


def test_forest_keeps_undefined_effect_sizes():
    found = forest.prepare(ml_eat(d=None, undefined="Y"))
    assert found["effect_size"].isna().tolist() == [True, False, True]
    assert found["significant"].tolist() == [False, True, False]


class MACResult(AssociationResult):
    """What a package of its own found: a mean cosine distance."""

    measure: Literal["mac"] = "mac"
    value: float


def test_a_plug_in_has_its_row_beside_ours():
    own = MACResult.from_dict(head(signature="MAC()", measure="mac", value=0.724))
    found = forest.prepare([own, ml_eat()])
    assert rows(found.iloc[:1], "level", "effect_size", "significant") == [("MAC", 0.724, False)]
    assert found["p"].isna().tolist() == [True, False, False, False]
    chart = eatlas.plot(own, kind="forest")
    assert {"MAC", "0.72"} <= set(texts(svg_of(chart)))
    assert chart.description.endswith("MAC, Flowers and Insects and Pleasant and Unpleasant: 0.72.")


class KResult(AssociationResult):
    """A number of a test of other groups than X, Y, A and B."""

    kind: ClassVar[str] = "k"

    measure: Literal["k"] = "k"
    value: float


def test_a_test_of_any_groups_has_its_row():
    names = {"targets": "Professions", "Female": "Women", "Male": "Men"}
    coverage = {key: {"used": ["one"], "missing": []} for key in names}
    given = head(signature="K()", measure="k", concepts=names, coverage=coverage, value=0.5)
    found = forest.prepare(KResult.from_dict(given))
    assert rows(found, "level", "name", "A") == [("K", "Professions and Women and Men", None)]
    assert "→" not in "".join(texts(svg_of(forest.draw(found))))


def test_forest_of_several_measures():
    found = forest.prepare([ml_eat(), weat(d=0.3), sc_eat({"rose": 0.7, "ant": None})])
    assert rows(found, "level", "term") == [
        ("level 1", False), ("level 2", False), ("level 2", False),
        ("level 1", False), ("level 2", True), ("level 2", True),
    ]  # fmt: skip
    assert found["name"].tolist()[-2:] == ["rose", "ant"]
    assert found["series"].nunique() == 3
    assert found["series"].iloc[3] == "WEAT"


def test_series_tell_apart_what_is_alike():
    same = full()
    assert forest.prepare(same)["series"].unique().tolist() == ["some-vectors"]
    twins = forest.prepare([same, same, full(source="other")])["series"]
    assert twins.unique().tolist() == ["some-vectors (1)", "some-vectors (2)", "other"]
    years = forest.prepare([full(period=1990), full(period=2000)])["series"]
    assert years.unique().tolist() == ["1990", "2000"]
    tests = forest.prepare([full(test="a"), full(test="b")])["series"]
    assert tests.unique().tolist() == ["some-vectors"]


@pytest.mark.parametrize("label", PATTERNS)
def test_eat_map_marks_the_cells_of_its_pattern(label):
    x, y = PATTERNS[label]
    found = eat_map.prepare(ml_eat(label))
    marked = set(found.loc[found["state"] == "associated", "cell"])
    assert marked == {f"X{x}" if x else "", f"Y{y}" if y else ""} - {""}
    assert found["pattern"].unique().tolist() == [label]


def test_eat_map_names_both_sides_of_a_cell():
    found = eat_map.prepare(ml_eat(undefined="Y"))
    assert rows(found, "cell", "target", "attribute", "state") == [
        ("XA", "Flowers", "Pleasant", "associated"),
        ("XB", "Flowers", "Unpleasant", "not associated"),
        ("YA", "Insects", "Pleasant", "undefined"),
        ("YB", "Insects", "Unpleasant", "undefined"),
    ]


@pytest.mark.parametrize("label", PATTERNS)
def test_legend_agrees_with_the_records(label):
    found = legend.prepare()
    own = found[found["pattern"] == label]
    wanted = eat_map.prepare(ml_eat(label))
    assert rows(own, "cell", "state") == rows(wanted, "cell", "state")
    assert own["direction"].unique().tolist() == [ml_eat(label).pattern.direction]
    assert own["count"].isna().all()


def test_legend_counts_results():
    found = legend.prepare([ml_eat("A-Uniform"), ml_eat("A-Uniform"), ml_eat("BY-Singular")])
    counts = found.groupby("pattern")["count"].first()
    assert counts[counts > 0].to_dict() == {"A-Uniform": 2, "BY-Singular": 1}
    with pytest.raises(ResultsError, match="EAT patterns are found by ML-EAT"):
        legend.prepare([weat()])


def test_level3_has_every_statistic_and_every_cosine():
    found = level3.prepare(full())
    first = found[(found["cell"] == "XA") & (found["statistic"] != "cosine")]
    assert rows(first, "statistic", "value") == [
        ("mean", 0.1), ("sd", 0.05), ("minimum", -0.2), ("lower quartile", 0.0),
        ("median", 0.09), ("upper quartile", 0.2), ("maximum", 0.4),
    ]  # fmt: skip
    kept = found[found["statistic"] == "cosine"]
    assert kept.groupby("cell")["value"].apply(list).to_dict() == {
        "XA": [v for row in COSINES[:3] for v in row[:3]],
        "XB": [v for row in COSINES[:3] for v in row[3:]],
        "YA": [v for row in COSINES[3:] for v in row[:3]],
        "YB": [v for row in COSINES[3:] for v in row[3:]],
    }
    last = kept[kept["cell"] == "YB"].iloc[5]
    assert (last["target_term"], last["attribute_term"], last["value"]) == ("two", "three", 0.45)
    assert set(level3.prepare(ml_eat())["statistic"]) == set(found["statistic"]) - {"cosine"}


def test_stability_has_nine_shares():
    found = stability.prepare(full("AX-Singular"))
    assert found["pattern"].tolist() == list(PATTERNS)
    assert found["share"].sum() == 1.0
    assert rows(found[found["observed"]], "pattern", "share", "resamples", "over") == [
        ("AX-Singular", 0.75, 1000, "both")
    ]


def test_stability_of_what_was_not_resampled_is_missing():
    found = stability.prepare([full(), ml_eat(test="bare")])
    assert found.loc[found["test"] == "bare", ["share", "resamples"]].isna().all(axis=None)


@pytest.mark.parametrize(
    "given", [ml_eat(), full(uncertainty=uncertainty().model_copy(update={"patterns": None}))]
)
def test_stability_of_nothing_resampled_says_what_to_do(given):
    with pytest.raises(ResultsError) as caught:
        stability.prepare(given)
    assert str(caught.value) == (
        "no result says how often each pattern appears\n"
        f"  got: {given.signature} for test-1, without resamples\n"
        "  allowed: results of an ML-EAT that resamples its terms\n"
        '  remedy: measure with resamples: eatlas.run(tests=..., measures="ml-eat")'
    )


def test_influence_is_the_change_and_what_is_left():
    found = influence.prepare(full(d=1.4, d_X=0.9, d_Y=-0.1))
    one = found[found["level"] == "level 1"]
    assert len(one) == 12
    first = one[one["term_role"] == "X"]
    assert rows(first.iloc[:2], "term", "change", "drives", "rank") == [
        ("one", -0.5, True, 1), ("two", 0.1, False, 2),
    ]  # fmt: skip
    assert first["without"].iloc[0] == pytest.approx(0.9)
    assert first.iloc[2][["change", "without"]].isna().all()
    assert not first["drives"].iloc[2]
    assert one["rank"].tolist()[2] == 12  # no effect size is left: ranked last


def test_influence_of_level_2_has_its_own_targets_alone():
    found = influence.prepare(full(d_Y=-0.1))
    assert set(found.loc[found["role"] == "X", "term_role"]) == {"X", "A", "B"}
    own = found[(found["level"] == "level 2") & (found["role"] == "Y")]
    assert set(own["term_role"]) == {"Y", "A", "B"}
    # d is below 0: a positive change is towards it
    assert rows(own[own["term_role"] == "B"], "change", "drives") == [
        (0.01, True), (-0.3, False), (0.01, True),
    ]  # fmt: skip


def test_influence_of_an_undefined_effect_size_is_missing():
    found = influence.prepare(full(d=None))
    one = found[found["level"] == "level 1"]
    assert one[["effect_size", "change", "without"]].isna().all(axis=None)
    assert not one["drives"].any()


def test_influence_of_a_weat_is_level_1():
    assert set(influence.prepare(weat_with_influence())["level"]) == {"level 1"}


def test_influence_takes_one_result():
    with pytest.raises(ResultsError) as caught:
        influence.prepare([full(), full()])
    assert str(caught.value) == (
        "a chart of the kind influence is drawn from one result\n  got: 2 results\n"
        "  allowed: one result of ML-EAT or WEAT\n"
        '  remedy: take one of several: eatlas.plot(results[0], kind="influence")'
    )
    with pytest.raises(ResultsError) as caught:
        influence.prepare(ml_eat())
    assert "this result does not say what single terms contribute" in str(caught.value)
    assert "a result with two usable terms or more in each group" in str(caught.value)
