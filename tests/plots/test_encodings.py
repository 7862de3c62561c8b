"""Charts of one model asked in several ways: prompts, layers, random weights."""

import pytest
from tests.report.records import ml_eat
from tests.report.test_encodings import encoded

import eatlas
from eatlas.errors import ResultsError
from eatlas.plots import layers, prompts, weights


def test_prompts_are_series_of_a_forest():
    frame = prompts.prepare([encoded(prompt="The {}"), encoded("A-Uniform", prompt="A {}", d=0.7)])
    assert frame["series"].tolist() == ["The {}"] * 3 + ["A {}"] * 3
    assert frame.loc[frame["level"] == "level 1", "effect_size"].tolist() == [1.4, 0.7]


def test_random_weights_stand_beside_trained_ones():
    frame = weights.prepare([encoded(weights="random", weights_seed=2), encoded()])
    assert frame["series"].unique().tolist() == ["trained", "random, seed 2"]


def test_layers_run_from_left_to_right():
    frame = layers.prepare([encoded(layer="10"), encoded(layer="2"), encoded(layer="0", d=-0.5)])
    assert frame["period"].tolist() == [0] * 3 + [2] * 3 + [10] * 3
    assert frame["series"].unique().tolist() == ["model"]
    assert frame.query("role == 'XY'")["effect_size"].tolist() == [-0.5, 1.4, 1.4]
    assert set(frame["state"]) == {"found"}, "layers 1 and 3 to 9 were not asked for"


@pytest.mark.parametrize(
    ("kind", "members", "said"),
    [
        ("prompts", [encoded(prompt=p) for p in ("The {}", "A {}")], "Forest plot"),
        ("weights", [encoded(), encoded(weights="random", weights_seed=0)], "Forest plot"),
        ("layers", [encoded(layer=str(n)) for n in range(13)], "Layers"),
    ],
)
def test_they_are_drawn(kind, members, said, tmp_path):
    chart = eatlas.plot(members, kind=kind)
    assert chart.description.startswith(said)
    chart.save(tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert (
        "The {}" if kind == "prompts" else "Layer" if kind == "layers" else "random, seed 0"
    ) in text


def test_nothing_that_varies_is_said():
    with pytest.raises(ResultsError) as caught:
        eatlas.plot([ml_eat(), encoded()], kind="layers")
    assert str(caught.value) == (
        "there are no results that differ in the layer alone\n"
        "  got: 2 results\n"
        "  allowed: two or more results of one test and one model, with another layer each\n"
        "  remedy: vectors with ?layer=all give one result for each layer"
    )


def test_a_mean_of_layers_has_no_place_in_a_chart_by_layer():
    with pytest.raises(ResultsError, match=r"got: mean\(1,2\)"):
        layers.prepare([encoded(layer="1"), encoded(layer="mean(1,2)")])
