"""eatlas.plot: which picture is drawn, and what is said where there is none."""

import json
import subprocess
import sys

import pytest
from tests.present.charts.records import full
from tests.present.records import ml_eat, sc_eat, weat

import eatlas
from eatlas.errors import ResultsError
from eatlas.present import EATMap
from eatlas.present.charts import KINDS
from eatlas.results import Results


def test_one_ml_eat_is_its_eat_map():
    shown = eatlas.plot(ml_eat("BY-Singular"))
    assert isinstance(shown, EATMap)
    assert shown.label == "BY-Singular"


@pytest.mark.parametrize("given", [[ml_eat()], Results([ml_eat(), weat()]), (sc_eat({"a": 0.6}),)])
def test_several_are_a_forest(given):
    assert eatlas.plot(given).description.startswith("Forest plot of ")


OF_OTHERS = {
    "prompts",
    "layers",
    "levels",
    "weights",
    "windows",
    "distances",
    "draws",
    "specification",
    "scatter-matrix",
    "matrix",
}
OF_OTHERS |= {"targets", "ternary", "strip"}
"""Kinds that show results which differ in encoding or contexts, of CEAT, or of tests of groups;
tested by themselves."""


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - OF_OTHERS))
def test_every_kind_draws_and_describes(kind):
    assert eatlas.plot(full(period=1990), kind=kind).description


def test_an_unknown_kind_is_refused():
    with pytest.raises(ResultsError) as caught:
        eatlas.plot(ml_eat(), kind="pie")
    assert str(caught.value) == (
        "there is no such kind of chart\n  got: 'pie'\n"
        "  allowed: eat-map, forest, compact, level3, stability, draws, influence, timeline, prompts, "
        "layers, levels, weights, windows, distances, targets, ternary, strip, plane, null, cosines, "
        "matrix, specification, scatter-matrix, legend"
    )


def test_a_weat_alone_has_no_eat_map():
    with pytest.raises(ResultsError) as caught:
        eatlas.plot(weat())
    assert str(caught.value) == (
        "an EAT-Map shows the level 2 of an ML-EAT\n"
        "  got: the result of WEAT(alpha=0.05,ddof=1,p=auto) for test-1\n"
        '  allowed: a result of the measure ml-eat, or kind="forest" or "influence"\n'
        '  remedy: measure the test by ML-EAT: eatlas.run(tests=..., measures="ml-eat")'
    )


@pytest.mark.parametrize("kind", [None, "forest", "level3"])
def test_nothing_is_refused(kind):
    with pytest.raises(ResultsError, match="got: NoneType"):
        eatlas.plot(kind=kind)
    with pytest.raises(ResultsError, match="got: 0 results"):
        eatlas.plot([], kind=kind)


def in_fresh_process(code, *, without=()):
    block = "".join(f"import sys; sys.modules[{name!r}] = None\n" for name in without)
    made = "from tests.present.records import ml_eat\nimport eatlas\nresult = ml_eat()\n"
    told = "\nimport sys, json\nprint(json.dumps([n for n, m in sys.modules.items() if m]))"
    done = subprocess.run(
        [sys.executable, "-c", block + made + code + told], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *printed, loaded = done.stdout.splitlines()
    return "\n".join(printed), {name.split(".")[0] for name in json.loads(loaded)}


def test_the_eat_map_needs_no_further_package(tmp_path):
    path = tmp_path / "map.svg"
    code = f"eatlas.plot(result).save({str(path)!r})\nresult._repr_html_()\n"
    _, loaded = in_fresh_process(code, without=("altair", "vl_convert", "pandas"))
    assert path.stat().st_size > 1000
    assert not loaded & {"altair", "pandas", "vl_convert", "numba"}


def test_charts_without_altair_say_what_to_install():
    code = (
        "try:\n    eatlas.plot(result, kind='forest')\n"
        "except eatlas.EatlasError as error:\n    print(error)"
    )
    printed, _ = in_fresh_process(code, without=("altair",))
    assert printed == (
        "charts are drawn by altair, which is not installed\n  got: no module named altair\n"
        "  allowed: the extra plots\n  remedy: pip install 'eatlas[plots]'"
    )


def test_frames_need_no_altair():
    code = "from eatlas.present.charts import forest\nprint(len(forest.prepare(result)))"
    printed, loaded = in_fresh_process(code, without=("altair",))
    assert printed == "3"
    assert "altair" not in loaded
