"""Charts of one model asked in several ways: prompts, layers, random weights, windows."""

import pytest
from tests.present.records import ml_eat, weat
from tests.present.test_encodings import encoded, in_texts

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.charts import choices, steps


def test_prompts_are_series_of_a_forest():
    frame = choices.prepare(
        [encoded(prompt="The {}"), encoded("A-Uniform", prompt="A {}", d=0.7)], "prompt"
    )
    assert frame["series"].tolist() == ["The {}"] * 3 + ["A {}"] * 3
    assert frame.loc[frame["level"] == "level 1", "effect_size"].tolist() == [1.4, 0.7]


def test_random_weights_stand_beside_trained_ones():
    frame = choices.prepare([encoded(weights="random", weights_seed=2), encoded()], "weights")
    assert frame["series"].unique().tolist() == ["trained", "random, seed 2"]


def test_groups_of_one_test_are_told_apart():
    in_windows = [
        in_texts(window=window, made=lambda *_, of=of_level, **__: of)
        for window in (3, 9)
        for of_level in (encoded(level="word"), encoded(level="sentence"))
    ]
    tests = choices.prepare(in_windows, "level")["test"].unique().tolist()
    assert tests == ["test-1, window 3", "test-1, window 9"]
    of_models = [encoded(model=m, prompt=p) for m in ("bert", "gpt2") for p in ("The {}", "A {}")]
    tests = choices.prepare(of_models, "prompt")["test"].unique().tolist()
    assert tests == ["test-1 on bert", "test-1 on gpt2"]


def test_layers_run_from_left_to_right():
    frame = steps.prepare(
        [encoded(layer="10"), encoded(layer="2"), encoded(layer="0", d=-0.5)], "layer"
    )
    assert frame["period"].tolist() == [0] * 3 + [2] * 3 + [10] * 3
    assert frame["series"].unique().tolist() == ["model"]
    assert frame.query("role == 'XY'")["effect_size"].tolist() == [-0.5, 1.4, 1.4]
    assert set(frame["state"]) == {"found"}, "layers 1 and 3 to 9 were not asked for"


def test_windows_run_from_left_to_right():
    given = [in_texts(window=9, d=0.5), in_texts(window=1, d=-0.5), in_texts(window=3)]
    frame = steps.prepare(given, "window")
    assert frame["period"].tolist() == [1] * 3 + [3] * 3 + [9] * 3
    assert frame.query("role == 'XY'")["effect_size"].tolist() == [-0.5, 1.4, 0.5]
    assert frame["series"].unique().tolist() == ["mean of words of some"]


def test_lines_that_differ_in_more_have_panels_of_their_own():
    pairs = [in_texts(window=w, distance=d) for w in (1, 9) for d in (6, 18)]
    by_window = steps.prepare(pairs, "window")
    assert by_window["series"].unique().tolist() == [
        "mean of words of some, distance 6", "mean of words of some, distance 18"
    ]  # fmt: skip
    by_distance = steps.prepare(pairs, "distance")
    assert by_distance["series"].unique().tolist() == [
        "mean of words of some, window 1",
        "mean of words of some, window 9",
    ]
    layers = [encoded(layer=n, prompt=p) for n in "12" for p in ("", "The {}")]
    assert steps.prepare(layers, "layer")["series"].unique().tolist() == [
        "model",
        "model, prompt “The {}”",
    ]


@pytest.mark.parametrize(
    ("kind", "members", "said"),
    [
        ("prompts", [encoded(prompt=p) for p in ("The {}", "A {}")], "Forest plot"),
        ("weights", [encoded(), encoded(weights="random", weights_seed=0)], "Forest plot"),
        ("levels", [encoded(level=one) for one in ("sentence", "word")], "Forest plot"),
        ("layers", [encoded(layer=str(n)) for n in range(13)], "Layers"),
        ("windows", [in_texts(window=n, made=weat) for n in (1, 3)], "Windows"),
        ("distances", [in_texts(window=9, distance=n) for n in (6, 18)], "Distances"),
    ],
)
def test_they_are_drawn(kind, members, said, tmp_path):
    chart = eatlas.plot(members, kind=kind)
    assert chart.description.startswith(said)
    chart.save(tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    written = {
        "prompts": "The {}", "layers": "Layer", "levels": "word (", "weights": "random, seed 0",
        "windows": "Window: words on either side", "distances": "Distance: most words between",
    }  # fmt: skip
    assert written[kind] in text


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
        steps.prepare([encoded(layer="1"), encoded(layer="mean(1,2)")], "layer")


def test_sentences_have_no_place_in_a_chart_by_window():
    with pytest.raises(ResultsError) as caught:
        eatlas.plot([in_texts(window=1), in_texts(window="sentence")], kind="windows")
    assert str(caught.value) == (
        "a chart by window needs one number for each window\n"
        "  got: sentence\n"
        "  allowed: windows in words, such as those of --window 3 --window 9\n"
        "  remedy: leave the others out"
    )
