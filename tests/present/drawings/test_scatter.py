"""Method against method: where points lie, what is said of a pair, which pairs are drawn."""

import re

import pytest
from tests.present.reading import svg_root, texts
from tests.present.records import HOSTILE, ml_eat, weat
from tests.results.test_methods import both

import eatlas
from eatlas.errors import EatlasError
from eatlas.present.drawings.svg import size_of
from eatlas.results import Results

SVG = "{http://www.w3.org/2000/svg}"


def points(drawn):
    """Place and class of each point that has a tooltip, with the tooltip."""
    found = re.findall(r'<path d="M([\d.]+) ([\d.]+)a[^"]*" class="(m[^"]*)"><title>([^<]*)', drawn)
    return {said: (float(x) + 3.8, float(y), kind) for x, y, kind, said in found}


def test_points_lie_on_one_scale_and_say_what_they_are():
    plot = eatlas.plot(both(), "scatter")
    found = points(plot.drawn)
    assert len(found) == 4
    first, second = (
        found["t-1: 1.20 by WEAT, 0.90 by ML-EAT"],
        found["t-3: −0.40 by WEAT, −0.10 by ML-EAT"],
    )
    third = found["t-4: 0.70 by WEAT, −0.20 by ML-EAT"]
    across, up = first[0] - second[0], second[1] - first[1]
    assert across > 0
    assert up > 0
    assert (first[0] - third[0]) / across == pytest.approx(0.5 / 1.6, abs=0.01)
    assert (third[1] - first[1]) / up == pytest.approx(1.1 / 1.0, abs=0.01)
    assert {"WEAT →", "ML-EAT →", "n = 4", "t-1", "t-3"} <= set(texts(plot))


def test_both_correlations_are_said_with_the_number_of_tests():
    (pair,) = both().compare("measure").pairs()
    r, rho = pair.correlation.pearson, pair.correlation.spearman
    plot = eatlas.plot(both(), "scatter")
    assert plot.title == f"WEAT and ML-EAT: r = {r:.2f}, ρ = {rho:.2f}, n = 4"
    written = " ".join(texts(plot))
    assert f"r = {r:.2f} [" in written
    assert f"ρ = {rho:.2f} [" in written
    assert "treat points as independent" in plot.description


def test_each_two_methods_have_a_panel_and_one_pair_may_be_chosen():
    results = Results([ml_eat(d=d, test=t, source=s) for n, s in enumerate("abcd")
                       for t, d in (("t-1", 1.0 - n / 5), ("t-2", 0.2), ("t-3", n / 3))])  # fmt: skip
    whole = eatlas.plot(results, "scatter", width="double")
    known = [pair.correlation.pearson for pair in results.compare("source").pairs()]
    low, high = (f"{r:.2f}".replace("-", "−") for r in (min(known), max(known)))
    assert whole.title == f"4 sources, two by two: r from {low} to {high}"
    assert sum(text == "n = 3" for text in texts(whole)) == 6
    chosen = eatlas.plot(results.compare("source"), "scatter", pair=("d", "a"))
    assert chosen.title.startswith("d and a: r = ")
    assert "t-1: 0.40 by d, 1.00 by a" in points(chosen.drawn)


def test_sources_have_marks_of_their_own_and_a_legend():
    plot = eatlas.plot(both(sources=("first", "second")), "scatter", by="measure")
    shapes = re.findall(r'class="m(?: on)? (x|y)"><title>t-\d \((first|second)\)', plot.drawn)
    assert sorted(shapes) == [("x", "first")] * 4 + [("y", "second")] * 4
    assert {"first", "second"} <= set(texts(plot))


def test_numbers_that_are_no_effect_sizes_d_are_named():
    tests = ["divdist-gender", "divdist-face-validity"]
    results = eatlas.run(tests, measures=["divdist(p=off,resamples=0)", "rnd"])
    assert "RND →" in texts(eatlas.plot(results, "scatter"))


def test_many_panels_go_on_over_pages_with_the_legend_on_each():
    results = both(sources=[f"s-{n}" for n in range(5)])
    plot = eatlas.plot(results, "scatter", by="source", width="single")
    assert len(plot.pages) == 2
    for page in plot.pages:
        assert {"WEAT", "ML-EAT"} <= set(texts(page))


def test_names_that_do_not_fit_are_whole_below_the_panels():
    names = [f"the vectors of a source with a long name, {n}" for n in range(3)]
    plot = eatlas.plot(both(sources=names), "scatter", by="source", width="single")
    assert f"Methods: {'; '.join(names)}. Filled" in plot.description


@pytest.mark.parametrize("width", [40, 89, 183])
def test_names_of_any_script_stay_text_within_the_drawing(width):
    results = Results([m for t in ("t-1", "t-2", HOSTILE["X"])
                       for m in (weat(test=t, source=HOSTILE["Y"]), weat(test=t, source=HOSTILE["B"]))])  # fmt: skip
    plot = eatlas.plot(results, "scatter", width=width)
    tags = {node.tag.removeprefix(SVG) for node in svg_root(plot.svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "text", "path"}
    assert size_of(plot.drawn)[0] == pytest.approx(width * 72 / 25.4 * 12 / 7, rel=1e-3)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: eatlas.plot([weat()], "scatter"), "1 result with the same measure, source and encoding"),
        (lambda: eatlas.plot(both(), "scatter", by="layer"), "do not differ only in their layer"),
        (lambda: eatlas.plot(both(), "scatter", by="colour"), "cannot be compared by 'colour'"),
        (lambda: eatlas.plot(both().compare("measure"), "scatter", by="source"), "compared by measure\n  got: by='source'"),
        (lambda: eatlas.plot(both(), "scatter", pair=("WEAT", "WEAT")), "a pair is two methods"),
        (lambda: eatlas.plot(both(), "scatter", pair="WEAT"), "a pair is two methods"),
        (lambda: eatlas.plot(both(), "scatter", pair=("WEAT", "MLEAT")), "no method 'MLEAT'; did you mean ML-EAT"),
        (
            lambda: eatlas.plot([weat(None, test="t"), ml_eat(test="t")], "scatter"),
            "no test has an effect size by two methods",
        ),
        (
            lambda: eatlas.plot([weat(source=str(n)) for n in range(10)], "scatter"),
            "10 methods, 45 panels\n  allowed: 36 panels at most\n  remedy: choose two methods: pair=",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(draw, said):
    with pytest.raises(EatlasError, match=said):
        draw()
